"""Softmaxes over the samples of a batch, whose results are used along another dimension.

A softmax makes the numbers along one dimension add up to one. A use along another dimension (a product of matrices, a
weighted sum, the score of a class) takes them for weights, or probabilities, that they are not. It is told where
the scores come from what treats the samples apart: the batch of a product of matrices, or the rows of an affine layer.
"""

from __future__ import annotations

import ast
import functools
from typing import TYPE_CHECKING, Final

from devls.engine.core import limits, moments, training_moments
from devls.engine.core.events.protocols import NormalisedElsewhere
from devls.library.effects import Rank, Result
from devls.values.graph import Node
from devls.values.value import Const
from devls.values.weights import NAMES_KEPT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from devls.engine.core.events.events import Operand
    from devls.engine.core.invocation import Invocation
    from devls.engine.core.machine import Machine
    from devls.engine.core.moments import WalkedGraph
    from devls.library.effects import Role

_SOFTMAXES: Final = frozenset({"softmax", "log_softmax", "logsoftmax", "softmin"})
_PRODUCTS: Final = frozenset({"bmm", "matmul", "baddbmm"})
_AFFINE: Final = frozenset({"linear"})
_OF_CLASSES: Final = frozenset({"nll_loss", "nllloss"})
_SUMS: Final = frozenset({"sum", "mean"})

_DIM: Final = "#normalised"
"""The slot of a call with the dimension over which it has taken a softmax."""


@moments.watches
def is_watched(name: str) -> bool:
    """Whether each call of a library function is looked at here."""
    return name.rpartition(".")[2] in _SOFTMAXES


@moments.library_called.on
def before(m: Machine, call: Invocation) -> None:
    """A softmax is about to be taken."""
    if is_watched(call.name):
        m.state.set(call.node, _DIM, m.resolve(call.argument(1, "dim")))


@training_moments.layer_called.on
def layer_called(m: Machine, instance: object, call: Invocation) -> None:
    """The same by a layer."""
    if call.name.endswith((".Softmax.forward", ".LogSoftmax.forward", ".Softmin.forward")):
        given = m.state.get(instance, "#given")
        m.state.set(call.node, _DIM, m.resolve(dict(given).get("dim")) if isinstance(given, tuple) else None)


@moments.computed.on
def computed(
    m: Machine, node: ast.expr, operation: str, operands: list[tuple[Role, Operand]], *, reads: bool
) -> None:
    """A product of matrices: what is in its batch is apart."""
    del reads
    name = _short(operation)
    if name == "einsum":
        _einsum(m, node, [operand for _, operand in operands])
    if name not in _PRODUCTS or len(operands) != 2:
        return
    for index, (_, operand) in enumerate(operands):
        graph = m.node(operand.tensor)
        found = None if not isinstance(graph, Node) else _softmax_behind(m, graph)
        if found is None:
            continue
        rank = 3 if name == "bmm" else operand.tensor.rank
        dim = _dimension(m, found, rank)
        rank = rank if rank is not None or dim is None else _least_rank(m, found)
        if dim is None or rank is None or dim >= rank - 2 or not _is_of_samples(m, found, dim, rank):
            continue
        along = -1 if index == 0 else -2
        m.emit(NormalisedElsewhere(m.site(node), m.frame.statement, found.site, dim, along, "product"))
        return


def _einsum(m: Machine, node: ast.expr, operands: list[Operand]) -> None:
    """The same, where letters say which dimensions are summed."""
    terms = _terms(node)
    if len(terms) != len(operands) + 1 or len(operands) < 2:
        return
    *given, result = terms
    for term, operand in zip(given, operands, strict=True):
        graph = m.node(operand.tensor)
        found = None if not isinstance(graph, Node) else _softmax_behind(m, graph)
        dim = None if found is None else _dimension(m, found, len(term))
        summed = [place for place, each in enumerate(term) if each not in result]
        if (
            found is None
            or dim is None
            or dim >= len(term)
            or not summed
            or not all(term[dim] in each for each in terms)
            or not _is_of_samples(m, found, dim, len(term))
        ):
            continue
        m.emit(NormalisedElsewhere(m.site(node), m.frame.statement, found.site, dim, summed[-1], "product"))
        return


def _terms(node: ast.AST) -> list[str]:
    """The letters of the operands of an `einsum`, and at last of its result, where they are written out."""
    equation = node.args[0] if isinstance(node, ast.Call) and node.args else None
    text = equation.value if isinstance(equation, ast.Constant) else None
    if not isinstance(text, str) or "->" not in text or "." in text:
        return []
    given, _, result = text.replace(" ", "").partition("->")
    return [*given.split(","), result]


@moments.graph_passed.on
def graph_passed(m: Machine, graph: WalkedGraph) -> None:
    """A backward has gone through sums with weights, or through scores of classes."""
    for node in graph.nodes:
        if _short(node.operation) in _SOFTMAXES and not graph.ahead:
            rank = node.inputs[0].rank if node.inputs else None
            dim = _dimension(m, node, rank)
            if dim == 0 and rank is not None and _is_of_samples(m, node, 0, rank):
                _used(m, graph, node, rank)


def _used(m: Machine, graph: WalkedGraph, softmax: Node, rank: int) -> None:
    """Look for what is computed of a softmax over the first dimension along another one."""
    users: dict[Node, list[Node]] = {}
    for user in graph.nodes:
        for edge in dict.fromkeys(user.edges):
            if edge is not None:
                users.setdefault(edge, []).append(user)
    after: list[Node] = [softmax]
    seen: set[Node] = set()
    while after and len(seen) < limits.GRAPH_WALK:
        node = after.pop()
        for user in users.get(node, ()):
            if user in seen:
                continue
            seen.add(user)
            along = _along(user, node, rank)
            if along is not None:
                if not _is_summed_on(graph, user):
                    m.emit(NormalisedElsewhere(user.site, None, softmax.site, 0, along, "scores"))
                return
            if _keeps_dimensions(m, user) or _adds_dimension(user):
                after.append(user)


def _along(user: Node, of: Node, rank: int) -> int | None:
    """The dimension along which a node uses numbers that add up to one along the first; None if it does not, or nobody knows."""
    name = _short(user.operation)
    if name in _OF_CLASSES:
        return 1 if rank == 2 and _short(of.operation) not in _SOFTMAXES else None
    if name == "gather":
        dim = _written(user, "dim")
        return dim if rank == 2 and dim in (1, -1) else None
    if name == "index":
        node = user.site.node
        places = (
            node.slice.elts if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple) else []
        )
        return 1 if rank == 2 and len(places) == 2 and isinstance(places[0], ast.Call) else None
    if name in _SUMS and _short(of.operation) == "mul" and len([*of.inputs, *of.apart]) == 2:
        dim, product = _written(user, "dim"), user.inputs[0].rank if user.inputs else None
        if dim is None or product is None:
            return None
        place = dim + product if dim < 0 else dim
        return dim if 0 < place < product - 1 else None
    return None


def _is_summed_on(graph: WalkedGraph, node: Node) -> bool:
    """Whether sums follow: the weights of all samples are added up then."""
    return _short(node.operation) in _SUMS and any(
        node in each.edges and _short(each.operation) in _SUMS for each in graph.nodes
    )


def _softmax_behind(m: Machine, node: Node) -> Node | None:
    """The softmax whose numbers these are, each in its place."""
    found: Node | None = node
    for _ in range(limits.GRAPH_WALK):
        if found is None or _short(found.operation) in _SOFTMAXES:
            return found
        if found.operation != "join" and not _keeps_dimensions(m, found) and not _adds_dimension(found):
            return None
        found = _only_edge(m, found)
    return None


def _is_of_samples(m: Machine, softmax: Node, dim: int, rank: int) -> bool:
    """Whether what the scores come from treats the items along a dimension apart."""
    node = _only_edge(m, softmax)
    for _ in range(limits.GRAPH_WALK):
        if node is None:
            return False
        name = _short(node.operation)
        if name in _PRODUCTS:
            return dim < rank - 2
        if name == "einsum":
            terms = _terms(node.site.node)
            return bool(terms) and len(terms[-1]) == rank and all(terms[-1][dim] in each for each in terms)
        if name in _AFFINE:
            return dim == 0 and rank >= 2
        if node.operation != "join" and not _keeps_dimensions(m, node) and not _drops_last(node):
            return False
        node = _only_edge(m, node)
    return False


def _least_rank(m: Machine, softmax: Node) -> int | None:
    """How many dimensions scores have at least, as their product was written: `q @ k.transpose(1, 2)` has three."""
    node = _only_edge(m, softmax)
    for _ in range(limits.GRAPH_WALK):
        if node is None or _short(node.operation) in _PRODUCTS:
            break
        node = _only_edge(m, node) if node.operation == "join" or _keeps_dimensions(m, node) else None
    for each in () if node is None else node.edges:
        call = None if each is None or _short(each.operation) != "transpose" else each.site.node
        places = (
            [one.value for one in call.args if isinstance(one, ast.Constant)]
            if isinstance(call, ast.Call)
            else []
        )
        numbers = [one for one in places if type(one) is int]
        if numbers:
            return max(numbers) + 1
    return None


def _keeps_dimensions(m: Machine, node: Node) -> bool:
    """Whether an operation computes each number of its result of those in the same place."""
    if node.operation.endswith(".forward"):
        layer = m.library.layer(node.operation.removesuffix(".forward"))
        operation = None if layer is None else layer.forward
    else:
        operation = m.library.operation(node.operation)
    return (
        operation is not None
        and _short(node.operation) not in _AFFINE | _PRODUCTS | _SOFTMAXES
        and operation.result in (Result.TENSOR, Result.SELF)
        and operation.rank in (Rank.SAME, Rank.BROADCAST)
    )


def _adds_dimension(node: Node) -> bool:
    """`x.unsqueeze(-1)`: what was first is first still."""
    return _short(node.operation) == "unsqueeze" and _written(node, "dim") not in (None, 0)


def _drops_last(node: Node) -> bool:
    return _short(node.operation) == "squeeze" and _written(node, "dim") == -1


def _only_edge(m: Machine, node: Node) -> Node | None:
    """The node of the one input that has one."""
    edges = [each for each in node.edges if each is not None]
    if node.operation == "join":
        sides = [m.node(each) for each in node.inputs]  # a mask that is there on some way only
        seen = [each for each in sides if isinstance(each, Node)]
        return seen[0] if len(seen) == len(sides) else None
    return edges[0] if len(edges) == 1 and not node.open else None


def _dimension(m: Machine, softmax: Node, rank: int | None) -> int | None:
    held = m.resolve(m.state.get(softmax.site.node, _DIM))
    dim = held.value if isinstance(held, Const) and type(held.value) is int else None
    if dim is None or (dim < 0 and rank is None):
        return None
    return dim + (rank or 0) if dim < 0 else dim


def _written(node: Node, name: str) -> int | None:
    """The dimension that a call says, if it is a number that stands there."""
    call = node.site.node
    if not isinstance(call, ast.Call):
        return None
    place = 0 if node.operation.startswith("torch.Tensor.") else 1
    positional: Sequence[ast.expr] = call.args[place : place + 1]
    given = next((each.value for each in call.keywords if each.arg == name), None) or next(
        iter(positional), None
    )
    if (
        isinstance(given, ast.UnaryOp)
        and isinstance(given.op, ast.USub)
        and isinstance(given.operand, ast.Constant)
    ):
        value = given.operand.value
        return -value if type(value) is int else None
    return given.value if isinstance(given, ast.Constant) and type(given.value) is int else None


@functools.lru_cache(maxsize=NAMES_KEPT)
def _short(operation: str) -> str:
    return operation.removesuffix(".forward").rpartition(".")[2].strip("_").lower()
