"""For `devls gradients`: of each backward, which parameters it gives gradients to, and why others get none."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.checks import gradient_ledger
from devls.engine.core import moments
from devls.engine.core.describe import device_text
from devls.engine.core.events.protocols import BackwardTold, ParameterTold
from devls.engine.torch.nn import registry
from devls.syntax.layout import parents
from devls.values.graph import Node
from devls.values.value import InstanceValue, TensorValue

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from devls.engine.core.invocation import Invocation
    from devls.engine.core.machine import Machine
    from devls.engine.core.moment_facts import WalkedGraph
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
    """What a parameter that has no name here is made as."""
    site = parameter.origin
    if site is None:
        return "a parameter"
    above = parents(site.source).get(site.node)
    made = above.targets[0] if isinstance(above, ast.Assign) and len(above.targets) == 1 else site.node
    return f"{' '.join(site.source.slice(made).split())} ({site.line})"
