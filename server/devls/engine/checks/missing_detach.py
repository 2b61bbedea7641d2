"""Targets and weights of a loss that are in the graph themselves, seen at a backward.

Four forms are told, because in them nobody means the gradient: a value is compared with a sum of something given and a
multiple of what the same parameters make of another input; the logarithm of a probability is weighted by a difference
from what a model estimates; a ratio of probabilities is one of a policy to itself; and a value is compared with what a model in
eval mode makes. Two attached sides as such are nothing unusual: siamese and consistency losses have them.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.engine.checks.gradient_ledger import cut_of
from devls.engine.core import limits, moments, notes, program_moments, training_moments
from devls.engine.core.events.protocols import EstimateInGraph
from devls.engine.torch.nn import train_mode
from devls.values.graph import Node
from devls.values.history import Site
from devls.values.value import TensorValue

if TYPE_CHECKING:
    from collections.abc import Iterable

    from devls.engine.core.invocation import Invocation
    from devls.engine.core.machine import Machine
    from devls.engine.core.moments import WalkedGraph
    from devls.values.value import FunctionValue, InstanceValue

COPY_OF: Final = "#copy of"
"""The slot of a parameter that holds the memory of the one that it was copied from."""

_COMPARISONS: Final = frozenset({"mse_loss", "smooth_l1_loss", "huber_loss", "l1_loss", "sub"})
_DISTANCES: Final = (_COMPARISONS - {"sub"}) | {"kl_div", "cross_entropy"}
_SAME_VALUES: Final = frozenset(
    "view reshape squeeze unsqueeze flatten to float double contiguous clone expand_as view_as".split()
)
_JOINS: Final = frozenset({"stack", "cat"})
_WEIGHTED: Final = _SAME_VALUES | _JOINS | frozenset({"neg", "sum", "mean"})
_DIFFERENCES: Final = frozenset({"sub", "truediv", "div"})
"""How an estimate is made of two; and how it is brought to a scale."""

_SUMS: Final = _JOINS | frozenset({"add", "flip"})
_SUMMED: Final = 5
_WIDTH: Final = 8
"""How many sums of differences are looked through, and how many terms of each."""

_RATIOS: Final = frozenset({"exp", "truediv", "div"})


@notes.record
class CopiesInGraph(notes.Record):
    """Gradients of networks that are copies, which perhaps nobody wants, each with one of the parameters."""

    __slots__ = ("found",)

    def __init__(self) -> None:
        self.found: list[tuple[EstimateInGraph, TensorValue]] = []

    def isolated(self) -> CopiesInGraph:
        """Backwards of a constructor are judged with the first of the methods."""
        return self

    def waits_for_end(self) -> bool:
        """Somebody may read the gradients."""
        return bool(self.found)


@moments.graph_passed.on
def check(m: Machine, graph: WalkedGraph) -> None:
    """After a backward."""
    if graph.ahead:
        return
    call = graph.call
    for node in graph.nodes:
        if _name(node) in _RATIOS:
            _to_itself(m, node, call)
        if len(node.inputs) != 2:
            continue
        first, second = (_node_behind(m, node, index) for index in (0, 1))
        if first is None or second is None:
            continue
        name = _name(node)
        if name in _COMPARISONS:
            _compared(m, node, (first, second), call)
        if name in _DISTANCES:
            _to_evaluated(m, node, (first, second), call)
        elif name == "mul":
            _weighted(m, node, (first, second), call)
    if graph.accumulates:
        _through_copies(m, graph.nodes, graph.leaves, call)


def _through_copies(m: Machine, nodes: Iterable[Node], leaves: list[TensorValue], call: ast.AST) -> None:
    """After a backward: gradients of a network that is a copy of the one in training, and that no optimizer trains.

    Whether anybody reads them shows later; what the copy was given has to be outside the graph.
    """
    trained = {each.storage for each in leaves if m.state.get(each, "#optimized") is not None}
    copied = {
        each
        for each in leaves
        if m.state.get(each, "#optimized") is None
        and m.state.get(each, COPY_OF) in trained
        and each.is_parameter
    }
    if not copied:
        return
    for node in nodes:
        used = [each for each in node.inputs if each in copied]
        if not used:
            continue
        _, behind = _subgraph(m, node)
        place = _call_here(m, node)
        if behind <= copied and isinstance(place, Site) and isinstance(place.node, ast.Call):
            text = m.text(place.node)
            event = EstimateInGraph(place, None, "copy", (text,), place.node, m.site(call), node.site)
            m.notes.of(CopiesInGraph).found.append((event, used[0]))
            return


@training_moments.weights_loaded.on
def weights_loaded(
    m: Machine,
    call: Invocation,
    owner: InstanceValue,
    other: object,
    copied: list[tuple[str, TensorValue, TensorValue]],
) -> None:
    """Remember of which parameters others have the values now."""
    del call, owner, other
    for _, tensor, source in copied:
        if source.storage is not tensor.storage:
            m.state.set(tensor, COPY_OF, source.storage)


@training_moments.tensor_copied.on
def tensor_copied(m: Machine, tensor: TensorValue, copy: TensorValue) -> None:
    """The same of a deep copy."""
    if tensor.is_parameter:
        m.state.set(copy, COPY_OF, tensor.storage)


def _call_here(m: Machine, node: Node) -> Site | None:
    """The call in the running function that a node was made in; its own place, if it was made right here."""
    calls, depth = node.site.calls, len(m.frame.calls)
    if calls[:depth] != m.frame.calls:
        return node.site
    return calls[depth] if len(calls) > depth else node.site


@program_moments.program_ended.on
def program_ended(m: Machine, *, whole: bool) -> None:
    """A program has ended: what was cut off may have read the gradients."""
    if whole:
        _ended(m)


@program_moments.run_ended.on
def run_ended(m: Machine, function: FunctionValue, result: object) -> None:
    """A function that was run by itself has ended."""
    del function, result
    _ended(m)


def _ended(m: Machine) -> None:
    """Report gradients of copies that nobody has read."""
    found = m.notes.of(CopiesInGraph).found
    for event, parameter in found:
        if all(m.state.get(parameter, slot) is None for slot in ("#grad seen", "#escaped")):
            m.emit(event)
    found.clear()


def _compared(m: Machine, node: Node, sides: tuple[Node, Node], call: ast.AST) -> None:
    for value, target in (sides, sides[::-1]):
        total = _skip_operations(m, target, _SAME_VALUES)
        if total is None or _name(total) != "add" or not isinstance(total.site.node, ast.BinOp):
            continue
        factor = _only_attached_input(m, total)
        estimate = factor
        while estimate is not None and _name(estimate) == "mul":
            estimate = _only_attached_input(m, estimate)
        if factor is None or estimate is None or estimate is factor:
            continue
        nodes, leaves = _subgraph(m, value)
        others, shared = _subgraph(m, estimate)
        if nodes.isdisjoint(others) and leaves & shared:
            made = total.site.node
            texts = (m.text(made.left), m.text(made.right))
            m.emit(EstimateInGraph(total.site, None, "target", texts, made, m.site(call), node.site))
            return


def _to_evaluated(m: Machine, node: Node, sides: tuple[Node, Node], call: ast.AST) -> None:
    """A distance of what is trained to what a model in eval mode makes of the same, which the loss trains as well."""
    made = node.site.node
    if not isinstance(made, ast.Call):
        return
    evaluated = train_mode.parameters_in_eval(m)
    if not evaluated:
        return
    leaves = [_subgraph(m, each)[1] for each in sides]
    for index, target in enumerate(leaves):
        if (
            target
            and target <= evaluated
            and leaves[1 - index]
            and leaves[1 - index].isdisjoint(evaluated)
            and all(m.state.get(each, "#optimized") is not None for each in target)
            and index < len(made.args)
        ):
            given = made.args[index]
            text = m.text(given)
            m.emit(
                EstimateInGraph(node.site, None, "evaluated", (text,), given, m.site(call), sides[index].site)
            )
            return


def _weighted(m: Machine, node: Node, sides: tuple[Node, Node], call: ast.AST) -> None:
    made = node.site.node
    if not isinstance(made, ast.BinOp):
        return
    for index in (0, 1):
        weight = _difference_in(m, sides[index])
        score = _log_probability(m, sides[1 - index])
        if weight is None or score is None:
            continue
        nodes, leaves = _subgraph(m, weight)
        if not nodes.isdisjoint(each for each in score.edges if each is not None):
            continue  # what the probability itself is computed of
        if leaves and not any(each.operation.endswith(("log_prob", "log_softmax")) for each in nodes):
            given = made.left if index == 0 else made.right
            text = m.text(given)
            m.emit(EstimateInGraph(node.site, None, "weight", (text,), given, m.site(call), weight.site))
            return


def _difference_in(m: Machine, weight: Node) -> Node | None:
    """The difference that a weight is, or that sums over the steps of an episode begin with."""
    level = [weight]
    for _ in range(_SUMMED):
        found = [_skip_operations(m, each, _SAME_VALUES) for each in level]
        nodes = [each for each in found if each is not None]
        differences = [each for each in nodes if _name(each) in _DIFFERENCES]
        if differences:
            return differences[0]
        level = [
            edge
            for each in nodes
            if _name(each) in _SUMS or each.operation in ("join", "item")
            for edge in each.edges
            if edge is not None
        ][:_WIDTH]
    return None


def _to_itself(m: Machine, node: Node, call: ast.AST) -> None:
    """`exp(new - old)`, or `exp(new) / exp(old)`, of what one policy says of the same actions twice: one, and without a gradient."""
    difference: Node | None = node
    if _name(node) == "exp":
        difference = _only_attached_input(m, node)
        difference = None if difference is None else _skip_operations(m, difference, _WEIGHTED)
    wanted = "sub" if _name(node) == "exp" else _name(node)
    if difference is None or _name(difference) != wanted or not isinstance(difference.site.node, ast.BinOp):
        return
    if len(difference.inputs) != 2:
        return  # what is known by name only is no input
    sides = [_node_behind(m, difference, index) for index in (0, 1)]
    if wanted != "sub":
        sides = [
            None if each is None or _name(each) != "exp" else _only_attached_input(m, each) for each in sides
        ]
    new, old = (None if each is None else _log_probability(m, each) for each in sides)
    if new is None or old is None or new is old:
        return
    if not {each for each in new.apart if isinstance(each, TensorValue)} & {*old.apart}:
        return  # of other actions: of those that are preferred, and those that are not
    leaves = _subgraph(m, old)[1]
    if leaves and leaves == _subgraph(m, new)[1]:
        made = difference.site.node
        text, other = m.text(made.right), m.text(made.left)
        site = m.site(call)
        m.emit(EstimateInGraph(difference.site, None, "ratio", (text, other), made.right, site, old.site))


def _log_probability(m: Machine, node: Node) -> Node | None:
    """`log_prob`, that of a class that was drawn, or the ratio `exp(log_prob - before)`."""
    found = _skip_operations(m, node, _WEIGHTED)
    if found is not None and _name(found) == "exp":
        found = _only_attached_input(m, found)
        found = _only_attached_input(m, found) if found is not None and _name(found) == "sub" else None
        found = None if found is None else _skip_operations(m, found, _WEIGHTED)
    if found is not None and found.operation.endswith(".log_prob"):
        return found
    if found is None or _name(found) != "gather" or all(cut_of(m, each) is None for each in found.apart):
        return None  # of a class that was not drawn
    found = _only_attached_input(m, found)
    return found if found is not None and _name(found) == "log_softmax" else None


def _name(node: Node) -> str:
    return node.operation.removesuffix(".forward").rpartition(".")[2].strip("_")


def _node_behind(m: Machine, node: Node, index: int) -> Node | None:
    """The node of an input that surely requires grad."""
    if m.requires_grad(node.inputs[index]) is not True or index >= len(node.edges):
        return None
    return node.edges[index]


def _only_attached_input(m: Machine, node: Node) -> Node | None:
    """The node of the one input that surely requires grad; what is given (rewards out of a buffer) may be known by name only."""
    attached = [each for each, tensor in enumerate(node.inputs) if m.requires_grad(tensor) is True]
    return _node_behind(m, node, attached[0]) if len(attached) == 1 else None


def _skip_operations(m: Machine, node: Node, names: frozenset[str]) -> Node | None:
    found: Node | None = node
    while found is not None and _name(found) in names:
        if _name(found) in _JOINS:
            found = next((each for each in found.edges if each is not None), None)
            continue
        found = _only_attached_input(m, found)
    return found


def _subgraph(m: Machine, start: Node) -> tuple[set[Node], set[TensorValue]]:
    """The nodes from one on, and the parameters behind them."""
    nodes = {start}
    leaves: set[TensorValue] = set()
    stack = [start]
    while stack and len(nodes) < limits.GRAPH_WALK:
        node = stack.pop()
        for index, tensor in enumerate(node.inputs):
            edge = node.edges[index] if index < len(node.edges) else None
            if m.requires_grad(tensor) is None:
                continue  # data: two items of one batch are one value to us
            if isinstance(edge, Node):
                if edge not in nodes:
                    nodes.add(edge)
                    stack.append(edge)
            elif tensor.is_parameter and m.requires_grad(tensor) is True:
                leaves.add(tensor)
    return nodes, leaves
