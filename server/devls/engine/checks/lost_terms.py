"""Results for training that do not train: overwritten losses, and samples without a graph."""

from __future__ import annotations

import ast
from bisect import bisect_right
from operator import attrgetter
from typing import TYPE_CHECKING, Final

from devls.engine.checks import gradient_ledger, walked_graphs
from devls.engine.checks.gradient_ledger import cuts_in
from devls.engine.checks.walked_graphs import WalkedGraphs
from devls.engine.core import limits, moments, notes, program_moments, tensor_facts, training_moments
from devls.engine.core.events.protocols import SampleCut, TermLost
from devls.syntax.nodes import of_tree, walk
from devls.values.call_facts import CalledWithoutGrad
from devls.values.facts import fact
from devls.values.graph import Node
from devls.values.history import Step
from devls.values.state import MISSING
from devls.values.value import Const, FunctionValue, TensorValue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from devls.engine.core.invocation import Invocation
    from devls.engine.core.machine import Machine
    from devls.engine.core.machine_types import LoopFrame
    from devls.engine.core.moments import WalkedGraph
    from devls.values.history import Site


@fact
class Rebinding:
    """A loss that takes the place of the one that the iteration before has computed."""

    kept: Node
    before: Node
    loop: int  # its number
    lost: Site
    step: Step
    name: str


@fact
class Sample:
    """Numbers that were drawn without a graph, and what they were drawn of."""

    step: Step
    parameters: tuple[TensorValue, ...]


@notes.record
class Lost(notes.Record):
    """Notes that later backwards judge."""

    __slots__ = ("found", "rebindings", "samples", "scopes", "scored", "told", "unused")

    def __init__(self) -> None:
        self.rebindings: list[Rebinding] = []
        self.samples: dict[Step, Sample] = {}
        self.scored: set[Step] = set()  # of which somebody has asked how likely they were
        self.found: dict[Step, SampleCut] = {}
        self.told: set[object] = set()
        self.unused: list[Unused] = []
        self.scopes: dict[object, Site] = {}  # of functions that call backward

    def waits_for_end(self) -> bool:
        """Somebody may still ask how likely a sample was."""
        return bool(self.found or self.unused)


# Losses that the next iteration overwrites


_LAST: Final[notes.LoopNote[dict[str, tuple[int, Node, Site]]]] = notes.LoopNote(dict)
"""Of each loop: what names were bound to in its iterations before."""


def name_bound(m: Machine, target: ast.Name, value: TensorValue, node: ast.expr | None) -> None:
    """`loss = term`, of what was computed in several steps."""
    _rebinding(m, target, value, node)
    _bound(m, target, value, node)


def _rebinding(m: Machine, target: ast.Name, value: TensorValue, node: ast.expr | None) -> None:
    """`loss = term` in a loop."""
    if node is None or not m.frame.loops or not isinstance(value.node, Node) or m.muted:
        return
    loop = m.frame.loops[-1]
    old = m.resolve(m.state.get(m.frame.scope, target.id))
    _rebound(m, loop, target.id, target.id, old, value, value.node, node)


@program_moments.replaced.on
def replaced(
    m: Machine, target: ast.Attribute | ast.Subscript, old: object, value: object, node: ast.expr
) -> None:
    """`self.loss = term`, `losses["name"] = term` in a loop."""
    value, old = m.resolve(value), m.resolve(old)
    if not isinstance(value, TensorValue) or not m.frame.loops or m.muted:
        return
    inner: ast.expr = target.value
    if isinstance(target, ast.Subscript) and not isinstance(target.slice, ast.Constant):
        return
    graph = value.node
    if isinstance(graph, Node):
        read = ast.unparse(target if isinstance(target, ast.Attribute) else inner)
        _rebound(m, m.frame.loops[-1], ast.unparse(target), read, old, value, graph, node)


def _rebound(
    m: Machine,
    loop: LoopFrame,
    name: str,
    read: str,
    old: object,
    value: TensorValue,
    graph: Node,
    node: ast.expr,
) -> None:
    """Put aside what takes the place of a loss that an earlier iteration has computed, and nobody has read."""
    known = _LAST.of(loop)
    before = known.get(name)
    serial = loop.iteration
    if before is None:
        scalar = value.shape == () or (value.shape is None and _is_reduced(graph))
        starts = isinstance(old, Const) or (isinstance(old, TensorValue) and m.requires_grad(old) is False)
        starts = starts or (old in (None, MISSING) and isinstance(loop.node, (ast.For, ast.AsyncFor)))
        if scalar and starts and m.requires_grad(value) is True and not _is_read(loop.node, read):
            known[name] = (serial, graph, m.site(node))
        return
    if before[0] == serial or before[1] is graph:
        return
    if _uses_iteration(graph, loop.number, serial):
        return  # each iteration goes on from the one before
    step = Step("the next iteration overwrites it", before[2], kind="cut")
    m.notes.of(Lost).rebindings.append(Rebinding(graph, before[1], loop.number, before[2], step, name))


def _is_reduced(graph: Node) -> bool:
    """Whether the last operations leave one number: that is what losses are."""
    node: Node | None = graph
    for _ in range(4):
        if node is None:
            return False
        name = node.operation.removesuffix(".forward").rpartition(".")[2].strip("_")
        if name in ("mean", "sum", "norm") or name.endswith(("loss", "Loss", "entropy", "logits")):
            return True
        node = next((each for each in node.edges if each is not None), None)
    return False


def _is_read(loop: ast.AST, text: str) -> bool:
    """Whether a loop reads what has a text, in whatever expression."""
    return text in _texts_read(loop)


@of_tree(maxsize=64)
def _texts_read(loop: ast.AST) -> frozenset[str]:
    held = {each.value for each in walk(loop) if isinstance(each, ast.Subscript) and _is_stored(each)}
    return frozenset(
        ast.unparse(each)
        for each in walk(loop)
        if isinstance(each, (ast.Name, ast.Attribute)) and isinstance(each.ctx, ast.Load) and each not in held
    ) | {ast.unparse(each.target) for each in walk(loop) if isinstance(each, ast.AugAssign)}


def _is_stored(node: ast.Subscript) -> bool:
    return isinstance(node.ctx, ast.Store) and isinstance(node.slice, ast.Constant)


def _uses_iteration(graph: Node, begin: int, end: int) -> bool:
    """Whether a graph goes on from what an earlier iteration of a loop has computed."""
    stack, seen = [graph], {graph}
    while stack and len(seen) < limits.GRAPH_WALK:
        node = stack.pop()
        if begin < node.serial < end:
            return True
        for each in node.edges:
            if each is not None and each not in seen and each.serial > begin:
                seen.add(each)
                stack.append(each)
    return False


# Losses that only a log shows


@fact
class Unused:
    """A term that is bound to a name which nobody reads, or reads for its number only."""

    node: Node
    site: Site
    name: str
    scope: object
    read: bool


_LOOKS: Final = 8
"""Uses of a name that are looked at in the time that a unit of work stands for."""


def _bound(m: Machine, target: ast.Name, value: TensorValue, node: ast.expr | None) -> None:
    """`penalty = weight * norm`, where the name is read nowhere, or is printed."""
    statement, graph = m.frame.statement, value.node
    if (
        not isinstance(graph, Node)
        or not isinstance(statement, ast.Assign)
        or statement.targets != [target]
        or not isinstance(node, (ast.BinOp, ast.Call))
        or m.muted
        or m.requires_grad(value) is not True
        or target.id.startswith("_")
        or not (value.shape == () or (value.shape is None and _is_reduced(graph)))
    ):
        return
    function = m.frame.function
    tree = m.source.tree if function is None else function.node
    m.state.work += len(_named(tree).by_name.get(target.id, ())) // _LOOKS
    uses = _uses(tree, statement, target.id)
    if uses is None or (uses and not (_is_weighted(node) or _is_sum(node))):
        return
    m.notes.of(Lost).unused.append(Unused(graph, m.site(node), target.id, m.frame.scope, bool(uses)))


def _is_weighted(node: ast.expr) -> bool:
    """`beta * term`: a factor that somebody has chosen."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Mult):
        return False
    return any(
        isinstance(side, (ast.Name, ast.Attribute))
        or (isinstance(side, ast.Constant) and isinstance(side.value, float) and 0 < side.value < 1)
        for side in (node.left, node.right)
    )


def _is_sum(node: ast.expr) -> bool:
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add)


def _uses(tree: ast.AST, statement: ast.stmt, name: str) -> int | None:
    """How often the number of a name is read after a statement; None if it is used in any other way, or may be."""
    found = 0
    named = _named(tree)
    if name in named.elsewhere:
        return None
    loops = [each for each in named.loops if statement in walk(each)]
    first = min((each.lineno for each in loops), default=statement.lineno)
    end = statement.end_lineno or statement.lineno
    here = named.by_name.get(name, [])
    stored: list[int] = []
    if loops:
        stored = [each.lineno for each in here if isinstance(each.ctx, ast.Store) and each.lineno >= first]
    else:  # nothing reads it that stands before
        here = here[bisect_right(here, end, key=attrgetter("lineno")) :]
    numbers = _numbers_read(tree)
    for each in here:
        if not isinstance(each.ctx, ast.Load):
            continue
        if each.lineno <= end and any(first <= other < each.lineno for other in stored):
            continue
        if each not in numbers:
            return None
        found += 1
    return found


@fact
class Named:
    """The names of a tree in the order of their lines, those that are global or nonlocal, and its loops."""

    by_name: dict[str, list[ast.Name]]
    elsewhere: frozenset[str]
    loops: tuple[ast.For | ast.While, ...]


@of_tree(maxsize=64)
def _named(tree: ast.AST) -> Named:
    """The names and loops of a tree, for many questions about it."""
    by_name: dict[str, list[ast.Name]] = {}
    for each in walk(tree):
        if isinstance(each, ast.Name):
            by_name.setdefault(each.id, []).append(each)
    for uses in by_name.values():
        uses.sort(key=attrgetter("lineno"))
    others = (each.names for each in walk(tree) if isinstance(each, (ast.Global, ast.Nonlocal)))
    loops = tuple(each for each in walk(tree) if isinstance(each, (ast.For, ast.While)))
    return Named(by_name, frozenset(name for names in others for name in names), loops)


@of_tree(maxsize=64)
def _numbers_read(tree: ast.AST) -> frozenset[ast.AST]:
    """The expressions of which a program takes the number: `x.item()`, `float(x)`, `print(x)`."""
    found: set[ast.AST] = set()
    for each in walk(tree):
        if (isinstance(each, ast.Attribute) and each.attr in ("item", "detach")) or isinstance(
            each, ast.FormattedValue
        ):
            found.add(each.value)
        elif (
            isinstance(each, ast.Call)
            and isinstance(each.func, ast.Name)
            and each.func.id in ("float", "print")
        ):
            found.update(each.args)
    return frozenset(found)


def _unused_ended(m: Machine, record: Lost) -> None:
    """Tell of terms that no backward went through, although one was called where they were computed."""
    walked = m.notes.of(WalkedGraphs).nodes
    for each in record.unused:
        node, missing = each.node, each.node not in walked
        if each.read and node.operation.rpartition(".")[2].strip("_") in ("add", "radd"):
            parts = [edge for edge in node.edges if edge is not None]
            missing = missing and any(part in walked for part in parts)
            missing = missing and any(part not in walked for part in parts)
        backward = record.scopes.get(each.scope)
        if not missing or backward is None or each.site.key > backward.key or each.site.key in record.told:
            continue  # what is computed behind the backward is measured
        if not any(m.state.get(leaf, "#optimized") is not None for leaf in _leaves(node)):
            continue
        record.told.add(each.site.key)
        step = Step("no backward goes through it", each.site, kind="cut")
        m.emit(TermLost(each.site, None, step, each.site, each.site, backward, (), name=each.name))
    record.unused = []


def _leaves(start: Node) -> Iterator[TensorValue]:
    stack, seen = [start], {start}
    while stack and len(seen) < limits.GRAPH_WALK:
        node = stack.pop()
        yield from (each for each in node.inputs if each.is_parameter)
        for each in node.edges:
            if each is not None and each not in seen:
                seen.add(each)
                stack.append(each)


# Samples


@training_moments.sampled.on
def sampled(m: Machine, result: TensorValue, parameters: list[TensorValue], kind: str) -> None:
    """Numbers are drawn of a distribution that could keep the graph."""
    step = result.grad_step
    if kind in _WITH_RSAMPLE and isinstance(step, Step):
        m.notes.of(Lost).samples[step] = Sample(step, tuple(parameters))


_WITH_RSAMPLE: Final = frozenset(
    "Normal LogNormal MultivariateNormal LowRankMultivariateNormal Laplace Gumbel Beta Gamma Dirichlet Uniform Exponential"
    " StudentT Cauchy HalfNormal HalfCauchy Kumaraswamy Weibull Pareto RelaxedBernoulli RelaxedOneHotCategorical".split()
)
"""Distributions with `has_rsample`."""


def _chain(step: Step) -> Iterator[Step]:
    """A cut, and those that lie right behind it without parameters between."""
    waiting, seen = [step], {step}
    while waiting and len(seen) < limits.GRAPH_WALK:
        found = waiting.pop()
        yield found
        for each in found.of:
            if isinstance(each, Step) and each not in seen:
                seen.add(each)
                waiting.append(each)


@moments.graph_walked.on
def graph_walked(m: Machine, graph: WalkedGraph, invocation: Invocation | None) -> None:
    """A backward goes through what was kept, and through what was computed of samples."""
    del invocation
    record = m.notes.of(Lost)
    if graph.ahead:
        return
    if graph.accumulates:
        here = m.site(graph.call)
        known = record.scopes.get(m.frame.scope, here)
        record.scopes[m.frame.scope] = max(known, here, key=lambda each: each.key)
    for each in record.rebindings:
        inside = any(loop.number == each.loop for loop in m.loops)
        if inside or each.kept not in graph.nodes or each.before in graph.nodes:
            continue
        if each.lost.key not in record.told and each.before not in m.notes.of(WalkedGraphs).nodes:
            record.told.add(each.lost.key)
            m.emit(TermLost(each.lost, None, each.step, each.lost, each.lost, m.site(graph.call), (), name=each.name, overwritten=True))  # fmt: skip
    if not record.samples:
        return
    leaves = {each for each in graph.leaves if m.state.get(each, "#optimized") is not None}
    for node in graph.nodes:
        scores = node.operation.endswith((".log_prob", ".cdf"))
        for cut in cuts_in(m, (node,)):
            for step in _chain(cut):
                sample = record.samples.get(step)
                if sample is None:
                    continue
                if scores:
                    record.scored.add(step)
                elif graph.accumulates and step is cut and _trained_together(m, sample, leaves):
                    record.found.setdefault(step, _event(m, graph, node, step))


def _event(m: Machine, graph: WalkedGraph, node: Node, step: Step) -> SampleCut:
    return SampleCut(step.site, None, step, step.site, node.site, m.site(graph.call), (), graph.ahead)


def _trained_together(m: Machine, sample: Sample, leaves: set[TensorValue]) -> bool:
    """Whether one backward reaches what a distribution was computed of by another way, and what its sample was given to."""
    waiting = [m.node(each) for each in sample.parameters]
    behind: set[TensorValue] = {each for each in sample.parameters if each in leaves}
    seen: set[Node] = set()
    while waiting and len(seen) < limits.GRAPH_WALK:
        node = waiting.pop()
        if not isinstance(node, Node) or node in seen:
            continue
        seen.add(node)
        behind.update(each for each in node.inputs if each in leaves)
        waiting += node.edges
    return bool(behind)


# Losses that are returned


@program_moments.run_returned.on
def run_returned(m: Machine, function: FunctionValue, receiver: object, result: object) -> None:
    """A function that is run by itself gives a loss: look for what the backward of somebody else will not reach."""
    del receiver
    place = walked_graphs.returned(function.node)
    if place is None or m.grad_enabled() is not True or function.grad_mode or m.notes.of(Lost).scopes:
        return
    if CalledWithoutGrad(function.definition) in m.call_facts:
        return
    for tensor in tensor_facts.tensors_in(m, [result]):
        start = m.node(tensor)
        if m.requires_grad(tensor) is False or tensor.symbol is not None or not isinstance(start, Node):
            continue
        if tensor.shape == () or (tensor.shape is None and _is_reduced(start)):
            graph = walked_graphs.graph_of(m, place, tensor, start)
            gradient_ledger.summands(m, graph)
            _samples_ahead(m, graph)


def _samples_ahead(m: Machine, graph: WalkedGraph) -> None:
    """Samples that a layer or a model takes on their way to a loss, which has gradients to their distribution by another way."""
    record = m.notes.of(Lost)
    if not record.samples or m.source.says("log_prob"):  # of somewhere else, perhaps
        return
    for node in graph.nodes:
        if not _has_weights(node):
            continue
        for given in (*node.apart, *(node.inputs if len(node.inputs) == 1 else ())):
            step = gradient_ledger.cut_of(m, given)
            sample = None if step is None else record.samples.get(step)
            if step is None or sample is None:
                continue
            if not isinstance(given, TensorValue) or given.origin is not step.site:
                continue  # what was drawn, along with something that was not, may be an action in its state
            behind = walked_graphs.nodes_behind(m, sample.parameters)
            behind = {each for each in behind if each in graph.nodes and each is not node}
            if any(_has_weights(each) for each in behind) and not behind.intersection(node.edges):
                record.found.setdefault(step, _event(m, graph, node, step))


def _has_weights(node: Node) -> bool:
    return (node.open and node.keeps is True) or any(each.is_parameter for each in node.inputs)


@program_moments.program_ended.on
def program_ended(m: Machine, *, whole: bool) -> None:
    """A program has ended."""
    if whole:
        _ended(m)


@program_moments.run_ended.on
def run_ended(m: Machine, function: FunctionValue, result: object) -> None:
    """A function that was run by itself has ended."""
    del function, result
    _ended(m)


def _ended(m: Machine) -> None:
    """Tell of samples of which nobody has asked how likely they were."""
    record = m.notes.of(Lost)
    scored = {each.site.key for each in record.scored}
    for step, event in record.found.items():
        if step.site.key not in scored and step.site.key not in record.told:
            record.told.add(step.site.key)
            m.emit(event)
    record.found = {}
    _unused_ended(m, record)
