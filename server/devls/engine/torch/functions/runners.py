"""Functions that run a model on inputs that they are given: tracing, exporting, counting operations, summaries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from devls.engine.python import calls, iteration
from devls.values.state import AMBIENT
from devls.values.value import InstanceValue, Mapping, Sequence, Symbol, TensorValue, TupleValue

if TYPE_CHECKING:
    import ast
    from collections.abc import Callable

    from devls.engine.core.invocation import Invocation
    from devls.engine.core.machine import Machine


class Runner(NamedTuple):
    """How a function takes the model and what it is run on."""

    model: str
    inputs: str
    position: int
    returns_model: bool = False


RUNNERS: Final = {
    "torch.jit.trace": Runner("func", "example_inputs", 1, returns_model=True),
    "torch.onnx.export": Runner("model", "args", 1),
    "torch.export.export": Runner("mod", "args", 1),
    "thop.profile": Runner("model", "inputs", 1),
    "thop.profile.profile": Runner("model", "inputs", 1),
    "fvcore.nn.FlopCountAnalysis": Runner("model", "inputs", 1),
    "fvcore.nn.flop_count": Runner("model", "inputs", 1),
    "torch.utils.tensorboard.SummaryWriter.add_graph": Runner("model", "input_to_model", 1),
    "tensorboardX.SummaryWriter.add_graph": Runner("model", "input_to_model", 1),
}
"""By the documentation and the source of each; what is run has to be where its inputs are."""


def run(m: Machine, call: Invocation) -> object:
    """Run the model as such a function does, without gradients: what it computes is dropped."""
    runner = RUNNERS[call.name]
    first = 1 if call.is_method else 0
    model = call.argument(first, runner.model)
    given = call.argument(first + runner.position, runner.inputs)
    node = call.argument_node(first + runner.position, runner.inputs)
    function = None if model is None else m.resolve(model)
    if isinstance(function, (InstanceValue, Symbol)) and given is not None:
        inputs = _inputs(m, given)
        nodes: list[ast.expr | None] = [None] * len(inputs)
        parts = getattr(node, "elts", None)
        if isinstance(m.resolve(given), TensorValue):
            nodes = [node]
        elif parts is not None and len(parts) == len(inputs):
            nodes = list(parts)
        before = m.state.get(AMBIENT, "grad", True)
        m.state.set(AMBIENT, "grad", False)
        calls.call(m, function, inputs, {}, call.node, nodes)
        m.state.set(AMBIENT, "grad", before)
    if runner.returns_model:
        return m.unknown(call.node) if model is None else model
    return m.unknown(call.node, f"{call.short_name}(...)")


def _inputs(m: Machine, given: object) -> list[object]:
    """One tensor, or a tuple of arguments."""
    value = m.resolve(given)
    if isinstance(value, TupleValue):
        return list(value.items)
    if isinstance(value, Sequence):
        return iteration.items(m, value, None) or []
    return [] if isinstance(value, Mapping) else [value]


HANDLERS: Final[dict[str, Callable[[Machine, Invocation], object]]] = dict.fromkeys(RUNNERS, run)
