"""`torch.distributions`: objects that hold tensors, and compute with them when they are asked.

`sample` draws under no_grad; `rsample`, `log_prob`, `entropy` and the moments are in the graph of the
parameters. Everything is where the parameters are. (Seen on torch 2.13: tests/specs/distributions.md.)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from devls.engine.core import training_moments
from devls.engine.torch.tensors import creation, device_check, operations
from devls.engine.torch.tensors.shapes import sizes
from devls.library.effects import Differentiable, Operation, Result, Role
from devls.values.devices import CPU, UNKNOWN_DEVICE
from devls.values.graph import Storage
from devls.values.history import Step
from devls.values.value import Const, InstanceValue, Sequence, Symbol, TensorValue, TupleValue

if TYPE_CHECKING:
    import ast

    from devls.engine.core.events.events import Operand
    from devls.engine.core.invocation import Invocation
    from devls.engine.core.machine import Machine

PREFIX: Final = "torch.distributions."
_IN_THE_GRAPH: Final = frozenset(
    "log_prob entropy rsample cdf icdf perplexity kl_divergence enumerate_support".split()
)
_MOMENTS: Final = frozenset("mean variance stddev mode logits probs loc scale rate concentration".split())
_DISCRETE: Final = frozenset(
    "Categorical Binomial Multinomial Geometric Poisson Bernoulli OneHotCategorical".split()
)
_SETTINGS: Final = frozenset({"validate_args", "reinterpreted_batch_ndims", "total_count"})


def call(m: Machine, call_: Invocation) -> object:
    """A constructor, a method of a distribution, or a function of several."""
    short = call_.short_name
    if short[:1].isupper():
        return _construct(m, call_)
    if short in ("sample", "sample_n"):
        return _sample(m, call_)
    if short in _IN_THE_GRAPH:
        return _compute(m, call_)
    if short == "expand" and isinstance(m.resolve(call_.receiver), InstanceValue):
        return call_.receiver
    return m.unknown(call_.node)


def attribute(m: Machine, owner: InstanceValue, name: str, node: ast.expr) -> object | None:
    """`dist.mean`, `dist.logits`: a tensor; None for what is a method."""
    if name == "base_dist":
        return m.state.get(owner, "#base") or m.unknown(node)
    if name not in _MOMENTS:
        return None
    given = m.state.get(owner, name)
    if given is not None and m.tensor_of(given, infer=False) is not None and name in ("loc", "scale"):
        return given
    operands, is_open = _operands(m, [owner])
    return _result(m, f"{owner.library}.{name}", node, operands, is_open=is_open)


def _construct(m: Machine, call_: Invocation) -> InstanceValue:
    result = InstanceValue(None, call_.name, m.site(call_.node))
    values = [
        *call_.arguments,
        *(value for name, value in call_.keywords.items() if name not in _SETTINGS),
    ]
    m.state.set(result, "#parameters of", tuple(values))
    bases = [each for each in map(m.resolve, values) if isinstance(each, InstanceValue)]
    if bases:
        m.state.set(result, "#base", bases[0])
    for position, name in enumerate(("loc", "scale")):
        value = call_.argument(position, name)
        if value is not None:
            m.state.set(result, name, value)
    return result


def _operands(m: Machine, values: list[object]) -> tuple[list[tuple[Role, Operand]], bool]:
    """The tensors among values and in distributions; whether there is something that we do not know."""
    found: list[tuple[Role, Operand]] = []
    is_open = False
    for value in values:
        resolved = m.resolve(value)
        held = m.state.get(resolved, "#parameters of") if isinstance(resolved, InstanceValue) else None
        if isinstance(held, tuple):
            inner, open_inner = _operands(m, list(held))
            found += inner
            is_open = is_open or open_inner
            continue
        tensor = m.tensor_of(resolved, infer=isinstance(resolved, Symbol) and resolved.hint == "tensor")
        if tensor is not None:
            found.append(
                (Role.ELEMENT, device_check.operand(m, tensor, None, "a parameter of the distribution"))
            )
        elif not _is_number(resolved):
            is_open = True
    return found, is_open


def _is_number(value: object) -> bool:
    return isinstance(value, Const) or (isinstance(value, Symbol) and value.hint == "number")


def _sample(m: Machine, call_: Invocation) -> TensorValue:
    operands, is_open = _operands(m, call_.arguments[:1])
    if not operands and not is_open:
        return _drawn_of_numbers(m, call_)
    kind = getattr(m.resolve(call_.receiver), "library", "").rpartition(".")[2]
    site = m.site(call_.node)
    attached = [each.tensor for _, each in operands if m.requires_grad(each.tensor) is True]
    is_cut = bool(attached) and kind not in _DISCRETE and m.grad_enabled() is True
    said = f"`{m.text(call_.node)}` draws under no_grad: `rsample` keeps the graph"
    result = TensorValue(
        device=operands[0][1].device if operands else UNKNOWN_DEVICE,
        requires_grad=False,
        leaf=True,
        dtype=None if kind in _DISCRETE else "float",
        origin=site,
        device_step=Step("drawn where the parameters of the distribution are", site, kind="drawn"),
        grad_step=Step(said, site, kind="cut", of=tuple(attached)) if is_cut else Step(said, site),
    )
    if is_cut:
        training_moments.sampled(m, result, attached, kind)
    return result


def _drawn_of_numbers(m: Machine, call_: Invocation) -> TensorValue:
    """A sample of a distribution whose parameters are numbers: a new tensor on the default device, of the size that is asked for."""
    site = m.site(call_.node)
    kind = getattr(m.resolve(call_.receiver), "library", "").rpartition(".")[2]
    asked = call_.argument(1, "n" if call_.short_name == "sample_n" else "sample_shape")
    shape = () if asked is None else sizes(m, [asked])
    # `torch.Size()` asks for one number, as no argument does; the shape of a tensor hardly ever is that.
    several = bool(shape) or (shape is None and _is_shape(m.resolve(asked)))
    device = m.default_device()
    made = device == CPU
    step = Step(f"drawn of numbers: `{m.text(call_.node)}`", site, kind="created" if made else "placed")
    result = TensorValue(
        device=device,
        requires_grad=False,
        leaf=True,
        dtype=None if kind in _DISCRETE else "float",
        shape=shape,
        nonscalar=several,
        storage=Storage(),
        origin=site,
        device_step=step,
    )
    if made:
        creation.note_making(m, step, result, call_)
    return result


def _is_shape(value: object) -> bool:
    """Whether something is the shape of a tensor, or a tuple of sizes that is written out."""
    key = value.key if isinstance(value, Symbol) else None
    named = isinstance(key, tuple) and (key[0] == "shape" or (key[0] == "attr" and key[2] == "shape"))
    return named or isinstance(value, (TupleValue, Sequence))


def _compute(m: Machine, call_: Invocation) -> object:
    arguments = list(call_.arguments)
    nodes = list(call_.nodes)
    if call_.short_name in ("rsample", "perplexity", "entropy", "enumerate_support"):
        arguments, nodes = arguments[:1], nodes[:1]
    operands: list[tuple[Role, Operand]] = []
    is_open = False
    for value, node in zip(
        [*arguments, *call_.keywords.values()], [*nodes, *call_.keyword_nodes.values()], strict=False
    ):
        resolved = m.resolve(value)
        tensor = m.tensor_of(resolved, infer=False)
        if tensor is not None:
            operands.append((Role.ELEMENT, device_check.operand(m, tensor, node)))
            continue
        inner, open_inner = _operands(m, [resolved])
        operands += inner
        is_open = is_open or open_inner
    return _result(m, call_.name, call_.node, operands, is_open=is_open)


def _result(
    m: Machine, name: str, node: ast.expr, operands: list[tuple[Role, Operand]], *, is_open: bool
) -> object:
    if not operands:
        return m.unknown(node)
    operation = Operation(name, (), Result.TENSOR, Differentiable.YES, saves=None)
    return operations.compute(m, operation, node, operands, {}, open_operands=is_open, complete=False)
