"""Graphs that a loop may keep alive from one iteration to the next, and what of them is certain when it is over."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.engine.checks import container_lifetime
from devls.engine.checks.walked_graphs import WalkedGraphs
from devls.engine.core import notes, program_moments
from devls.engine.core.events.events import GraphKept
from devls.engine.core.joins import Contents
from devls.engine.evidence import attribute_summaries, call_presumptions, judgement, test_code
from devls.engine.python import containers
from devls.syntax.layout import ancestors
from devls.values.conditions import leaves
from devls.values.graph import Node
from devls.values.value import Const, InstanceValue, Mapping, Sequence, Symbol, TensorValue

if TYPE_CHECKING:
    from devls.engine.core.machine import Machine
    from devls.engine.core.machine_types import LoopFrame


class Candidate:
    """A graph-carrying value put where it outlives the iteration; judged later."""

    __slots__ = (
        "accumulates",
        "case",
        "chained",
        "container",
        "in_forward",
        "loop",
        "mentions",
        "node",
        "outlives",
        "place",
        "site",
        "statement",
        "target",
        "tensor",
        "text",
        "total",
        "value_node",
    )

    def __init__(
        self,
        m: Machine,
        node: ast.AST,
        container: object,
        text: str,
        tensor: TensorValue,
        value_node: ast.expr | None,
        *,
        accumulates: bool,
        mentions: tuple[ast.expr, ...] = (),
        total: Node | None = None,
        outlives: LoopFrame | None = None,
        chained: bool = False,
    ) -> None:
        self.outlives = (
            outlives  # of what is put into a container the outermost loop that began after that was made
        )
        self.chained = chained  # whether its graph holds that of the iteration before anyway
        self.total = total  # of a sum, what it is now
        self.site = m.site(node)
        self.statement = m.frame.statement
        self.container = container
        self.text = text
        self.tensor = tensor
        self.node = m.node(tensor)
        self.value_node = value_node
        self.accumulates = accumulates
        self.mentions = mentions
        self.in_forward = any(
            frame.function is not None and frame.function.name == "forward" for frame in m.frames
        )
        self.case = call_presumptions.KeptCase(test_code.in_unit_test(m))
        self.loop = m.loops[-1] if m.loops else None
        self.place = _holder_of(m, node, container)
        self.target = _target_of(m, node)  # of an assignment, what holds the value from then on

    def event(self) -> GraphKept:
        """The event to send once it is certain."""
        text = self.site.source.slice(self.value_node) if self.value_node is not None else "the value"
        tensor = self.tensor
        return GraphKept(
            self.site,
            self.statement,
            self.text,
            text,
            self.value_node,
            tensor,
            self.accumulates,
            mentions=self.mentions,
            scalar=tensor.shape == () or (tensor.shape is None and not tensor.nonscalar),
        )


CANDIDATES: Final[notes.LoopNote[list[Candidate]]] = notes.LoopNote(list)
"""Values that outlive the iterations of a loop, to be judged where it ends."""


@notes.record
class Pending(notes.Record):
    """Candidates of loops that are over, to be judged when all of the program is known."""

    __slots__ = ("candidates", "links")

    def __init__(self) -> None:
        self.candidates: list[Candidate] = []
        self.links: set[ast.AST] = set()
        """Places at which some call has put links of a chain: in a loop that runs once nobody sees the chain."""

    def drop(self) -> None:
        """Nothing is judged."""
        self.candidates.clear()
        self.links.clear()


def _walked_sum(m: Machine, candidate: Candidate) -> Node | None:
    """A sum that `total += loss` has made, now or some rounds before, and that was walked as a whole."""
    added = candidate.site.node
    if not isinstance(added, ast.AugAssign) or not isinstance(added.target, ast.Name):
        return None
    value = m.resolve(m.state.get(m.frame.scope, added.target.id))
    node = m.node(value) if isinstance(value, TensorValue) else None
    for _ in range(_ROUNDS):
        if not isinstance(node, Node) or m.state.get(node, "freed") is not None:
            break
        node = node.edges[0] if len(node.edges) > 1 else None
    return node if isinstance(node, Node) else None


_ROUNDS: Final = 6
"""How many sums are looked at, the last one first; of each loop two rounds are run."""


@program_moments.iteration_ended.on
def iteration_ended(m: Machine, loop: LoopFrame) -> None:
    """Forget what the iteration itself has cut before the next one begins: `total = total.detach()`."""
    kept = [each for each in CANDIDATES.take(loop) if not _is_cut(m, each)]
    if kept:
        CANDIDATES.of(loop).extend(kept)


def _is_cut(m: Machine, candidate: Candidate) -> bool:
    """Whether what was assigned to holds something without a graph by now, on every path."""
    if candidate.target is None:
        return False
    value = m.resolve(m.state.get(*candidate.target))
    if isinstance(value, TensorValue):
        return m.requires_grad(value) is False
    return isinstance(value, Const) or (isinstance(value, Symbol) and value.hint == "number")


@program_moments.loop_ended.on
def loop_ended(m: Machine, loop: LoopFrame) -> None:
    """Judge what was put aside in the loop and already walked by a backward in it."""
    outer = m.loops[-1] if m.loops else None
    walked = m.notes.of(WalkedGraphs)
    # They know the loop: memory is freed at once where nothing goes round in a circle.
    candidates = CANDIDATES.take(loop)
    links = m.notes.of(Pending).links
    links.update(each.site.node for each in candidates if each.chained)
    for candidate in candidates:
        if candidate.site.node in links or _is_emptied(m, candidate, loop):
            continue
        total = candidate.total or _walked_sum(m, candidate)
        if total is not None and total in walked.nodes and m.state.get(total, "freed") is not None:
            continue  # the sum itself was walked and freed, and so begins anew: twice torch would not walk it
        if _has_graph_for_certain(m, candidate) and _was_walked(m, candidate):
            _tell(m, candidate)
        elif outer is not None and _still_outlives(candidate, outer):
            CANDIDATES.of(outer).append(candidate)
        elif not candidate.in_forward:
            m.notes.of(Pending).candidates.append(candidate)


def _was_walked(m: Machine, candidate: Candidate) -> bool:
    walked = m.notes.of(WalkedGraphs)
    if candidate.node is not None and candidate.node in walked.nodes:
        return True
    if candidate.tensor in walked.roots:
        return True
    # `loss / 4`: the quotient itself is not walked, but what lies right under it was.
    if isinstance(candidate.node, Node):
        return (
            any(edge is not None and edge in walked.nodes for edge in candidate.node.edges)
            and candidate.accumulates
        )
    return False


def _holder_of(m: Machine, node: ast.AST, container: object) -> tuple[object, str] | None:
    """The name or attribute that holds a container: `saved` in `saved.append(...)`, `self.saved`, `self.policy.saved`."""
    holder = node.func.value if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else None
    if isinstance(holder, ast.Name):
        scope = m.frame.scope
        return (scope, holder.id) if m.resolve(m.state.get(scope, holder.id)) is container else None
    if not isinstance(holder, ast.Attribute):
        return None
    owner = _named(m, holder.value)
    if owner is None:
        return None
    return (owner, holder.attr) if m.resolve(m.state.get(owner, holder.attr)) is container else None


def _named(m: Machine, node: ast.expr) -> object:
    """The value of a name, or of an attribute of one, as it is in the state; None if it is not there."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    value = m.resolve(m.state.get(m.frame.scope, node.id))
    for name in reversed(names):
        value = m.resolve(m.state.get(value, name))
    return value


def _target_of(m: Machine, node: ast.AST) -> tuple[object, str] | None:
    """The variable or attribute that an assignment is to."""
    target = node.target if isinstance(node, ast.AugAssign) else node
    if isinstance(target, ast.Name):
        return m.frame.scope, target.id
    if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
        return m.resolve(m.state.get(m.frame.scope, target.value.id)), target.attr
    return None


def _is_emptied(m: Machine, candidate: Candidate, loop: LoopFrame) -> bool:
    """Whether the container holds nothing any more, another has taken its place, or the loop has emptied it now and then."""
    container = candidate.container
    if candidate.place is not None and m.resolve(m.state.get(*candidate.place)) is not container:
        return True
    here = candidate.loop is loop and isinstance(container, Sequence)
    emptied = leaves(m.state.get(container, containers.EMPTIED)) if here else ()
    if any(isinstance(each, int) and each > loop.number for each in emptied):
        return True
    contents = m.state.get(container, "#items") if isinstance(container, Sequence) else None
    return isinstance(contents, Contents) and contents.items == () and contents.element is None


def _has_graph_for_certain(m: Machine, candidate: Candidate) -> bool:
    """Whether a graph is kept: what somebody has called backward on, or on a sum with it, has one."""
    return m.requires_grad(candidate.tensor) is True or m.state.get(candidate.tensor, "#in a loss") is True


def _still_outlives(candidate: Candidate, outer: LoopFrame) -> bool:
    container = candidate.container
    return isinstance(container, (Sequence, Mapping)) and container.serial < outer.number


def _is_one_computation(m: Machine, candidate: Candidate) -> bool:
    loop, place = candidate.outlives, candidate.place
    return (
        loop is not None
        and place is not None
        and container_lifetime.is_one_computation(m, candidate.node, candidate.site, loop, place)
    )


@program_moments.program_ended.on
def program_ended(m: Machine, *, whole: bool) -> None:
    """The main program is over, whether or not it came to its end."""
    _judge_pending(m, whole=whole)


@program_moments.module_ended.on
def run_ended(m: Machine) -> None:
    """The body of a module is over."""
    _judge_pending(m, whole=False)


def _averages_parameters(m: Machine, candidate: Candidate) -> bool:
    """Whether a sum that goes on for ever is one of parameters in training, which no backward goes through."""
    node = candidate.total
    if not candidate.accumulates or node is None:
        return False
    found, stack = False, [(node, 0)]
    while stack:
        node, depth = stack.pop()
        if operation_name(node) not in _OF_AVERAGES:
            return False
        found = found or any(m.state.get(each, "#optimized") is not None for each in node.inputs)
        if depth < 3:
            stack += [(each, depth + 1) for each in node.edges if each is not None and each.edges]
    return found


_OF_AVERAGES: Final = frozenset(
    {"add", "sub", "mul", "truediv", "div", "radd", "rmul", "rsub", "lerp", "item", "join", "clone", "data"}
)


def _judge_pending(m: Machine, *, whole: bool) -> None:
    """Judge what is left: graphs that nobody ever walked, kept by containers nobody else saw."""
    waiting = m.notes.of(Pending).candidates
    pending = list(waiting)
    graphs, links = m.notes.of(WalkedGraphs), m.notes.of(Pending).links
    # Walked after the loop: kept on purpose. The next iteration would walk graphs that the last one keeps.
    walked = {each.site.node for each in pending if _was_walked(m, each) or each.node in graphs.kept}
    settled = walked | links
    for candidate in pending:
        if not _has_graph_for_certain(m, candidate) or candidate.site.node in settled:
            continue
        container = candidate.container
        if whole and _averages_parameters(m, candidate) and candidate.total not in graphs.nodes:
            _tell(m, candidate)
            continue
        if container is None or m.state.get(container, "#escaped") is not None:
            continue
        if candidate.accumulates or m.state.get(candidate.tensor, "#escaped") is not None:
            continue
        if candidate.tensor.symbol is not None or _is_one_computation(m, candidate):
            continue
        candidate.case = call_presumptions.KeptCase(
            candidate.case.in_test, _another_method_empties(candidate)
        )
        _tell(m, candidate)
    waiting.clear()
    links.clear()


def _another_method_empties(candidate: Candidate) -> bool:
    """Whether the list is an attribute, and a method that does not fill it there empties it."""
    owner, name = candidate.place or (None, "")
    if not isinstance(owner, InstanceValue) or owner.cls is None:
        return False
    around = ancestors(candidate.site.source, candidate.site.node)
    filled = {each.name for each in around if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef))}
    return bool(attribute_summaries.emptying_methods(owner.cls.node, name) - filled)


def _tell(m: Machine, candidate: Candidate) -> None:
    judgement.emit(m, judgement.judge(m, GraphKept, candidate.case), candidate.event)


PARTS: Final = frozenset({"getitem", "select", "narrow", "slice", "unbind"})
"""Operations that give a part of a tensor."""


def operation_name(node: Node) -> str:
    """The name of what a node records, without its module and the underscores of methods."""
    return node.operation.rpartition(".")[2].strip("_")
