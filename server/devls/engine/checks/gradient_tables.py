"""For `devls gradients`: of each backward, which parameters it gives gradients to, and why others get none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.engine.checks import gradient_ledger
from devls.engine.core import limits, moments
from devls.engine.core.describe import device_text
from devls.engine.core.events.protocols import BackwardTold, ParameterTold
from devls.engine.torch.nn import registry
from devls.syntax.layout import assigned_to
from devls.values.graph import Node
from devls.values.state import AMBIENT
from devls.values.value import InstanceValue, TensorValue

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from devls.engine.core.invocation import Invocation
    from devls.engine.core.machine import Machine
    from devls.engine.core.moments import WalkedGraph
    from devls.values.history import Step


@moments.graph_walked.on
def graph_walked(m: Machine, graph: WalkedGraph, invocation: Invocation | None) -> None:
    """A backward has walked a graph: tell of all parameters that are in sight."""
    del invocation
    if not m.keeps_gradients or graph.ahead or not graph.accumulates or m.muted:
        return
    record = m.notes.of(gradient_ledger.Ledger)
    names = dict(_named(m))
    held = [each for parameters in record.optimizers.values() for each in parameters]
    cuts: dict[TensorValue, Step] = {}
    for step in gradient_ledger.cuts_in(m, graph.nodes):
        for parameter, cut in gradient_ledger.parameters_behind(m, step).items():
            cuts.setdefault(parameter, cut)
    is_open = any(gradient_ledger.is_open(m, node) for node in graph.nodes)
    sure = _surely_reached(m, graph)
    told: dict[TensorValue, ParameterTold] = {}
    for each in (*names, *held, *graph.leaves):
        if each not in told and each.is_parameter and each.sides is None:
            told[each] = _told(m, each, names, cuts, each in sure, each in graph.leaves, is_open)
    m.emit(BackwardTold(m.site(graph.call), m.frame.statement, graph.text, tuple(told.values())))


def _told(
    m: Machine,
    parameter: TensorValue,
    names: dict[TensorValue, str],
    cuts: dict[TensorValue, Step],
    surely: bool,
    perhaps: bool,
    is_open: bool,
) -> ParameterTold:
    """One parameter: whether it gets a gradient, and why not."""
    name = names.get(parameter) or _by_place(parameter)
    where = device_text(m.device(parameter))
    wanted = m.requires_grad(parameter)
    hidden = m.state.get(parameter, "#escaped") is not None
    if wanted is False:
        return ParameterTold(name, gets=False, why="frozen", place=None, device=where)
    if surely and wanted is True:
        return ParameterTold(name, gets=True, why="", place=None, device=where)
    if perhaps or is_open or hidden or wanted is not True:
        return ParameterTold(name, gets=None, why="on some paths, or out of sight", place=None, device=where)
    cut = cuts.get(parameter)
    if cut is not None:
        return ParameterTold(name, gets=False, why=cut.what, place=cut.site, device=where)
    return ParameterTold(name, gets=False, why="not used in this loss", place=None, device=where)


def _surely_reached(m: Machine, graph: WalkedGraph) -> set[TensorValue]:
    """The leaves that lie behind operations which run on every path."""
    found: set[TensorValue] = set()
    if graph.start is None:
        return set(graph.leaves)
    waiting, seen = [graph.start], {graph.start}
    while waiting:
        node = waiting.pop()
        if node.operation in ("join", "item"):
            continue
        for index, tensor in enumerate(node.inputs):
            edge = node.edges[index] if index < len(node.edges) else None
            if m.requires_grad(tensor) is not True:
                continue
            if not isinstance(edge, Node):
                found.add(tensor)
            elif edge not in seen and edge in graph.nodes:
                seen.add(edge)
                waiting.append(edge)
    return found


def _named(m: Machine) -> Iterator[tuple[TensorValue, str]]:
    """The parameters of what the running function can name, with the shortest name of each."""
    seen: set[TensorValue] = set()
    known: set[str] = set()
    for scope in (m.frame.scope, m.frame.scope.globals):
        names = scope.names - known
        known |= names
        for name in sorted(names, key=lambda each: (len(each), each)):
            for parameter, path in _within(m, name, m.resolve(m.state.get(scope, name))):
                if parameter not in seen:
                    seen.add(parameter)
                    yield parameter, path


def _within(m: Machine, name: str, value: object) -> Iterable[tuple[TensorValue, str]]:
    if isinstance(value, TensorValue) and value.is_parameter:
        yield value, name
    if not isinstance(value, InstanceValue):
        return
    modules = [(name, value)]
    if not registry.is_module(m, value):
        parts = ((each, m.resolve(held)) for each, held in registry.entries(m, value))
        modules = [(f"{name}.{each}", held) for each, held in parts if isinstance(held, InstanceValue)]
    for path, module in modules:
        if registry.is_module(m, module):
            for inner, tensor, is_buffer in registry.named(m, module):
                if not is_buffer:
                    yield tensor, f"{path}.{inner}"


def _by_place(parameter: TensorValue) -> str:
    """Creation of a parameter that has no name here."""
    site = parameter.origin
    if site is None:
        return "a parameter"
    made = assigned_to(site.source, site.node) or site.node
    return f"{' '.join(site.source.slice(made).split())} ({site.line})"


# For hovers: what is behind one tensor


def flow(m: Machine, root: TensorValue) -> tuple[dict[str, int], dict[str, Step], bool]:
    """By the layers that hold them: how many parameters a tensor has gradients to, where others were cut; whether more is unseen."""
    start = m.node(root)
    reached: dict[TensorValue, None] = {}
    nodes: dict[Node, None] = {start: None} if isinstance(start, Node) else {}
    waiting = list(nodes)
    while waiting and len(nodes) < limits.GRAPH_WALK:
        node = waiting.pop()
        for index, tensor in enumerate(node.inputs):
            edge = node.edges[index] if index < len(node.edges) else None
            if not isinstance(edge, Node):
                if tensor.is_parameter and m.requires_grad(tensor) is not False and tensor.sides is None:
                    reached[tensor] = None
            elif edge not in nodes:
                nodes[edge] = None
                waiting.append(edge)
    cuts: dict[str, Step] = {}
    for step in gradient_ledger.cuts_in(m, nodes):
        for parameter, cut in gradient_ledger.parameters_behind(m, step).items():
            if parameter not in reached:
                cuts.setdefault(_by_place(parameter), cut)
    return _counted(reached), cuts, any(gradient_ledger.is_open(m, node) for node in nodes)


def filled(m: Machine, optimizer: InstanceValue) -> tuple[dict[str, int], dict[str, int]]:
    """By layers: the parameters of an optimizer that backward has reached, and those that it has not."""
    held: tuple[TensorValue, ...] = m.state.get(optimizer, "#parameters", ())  # type: ignore[assignment]
    if m.state.get(AMBIENT, "open backward"):
        return {}, {}
    reached = [each for each in held if m.state.get(each, "grad site") is not None]
    return _counted(reached), _counted(each for each in held if each not in reached)


def _counted(parameters: Iterable[TensorValue]) -> dict[str, int]:
    found: dict[str, int] = {}
    for each in parameters:
        name = _by_place(each)
        found[name] = found.get(name, 0) + 1
    return found
