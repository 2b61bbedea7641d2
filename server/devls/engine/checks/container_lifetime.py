"""Lists that are filled in a loop and are part of one computation: what they keep goes when that is done."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.engine.core.joins import Contents
from devls.syntax.layout import ancestors
from devls.syntax.nodes import nodes_of, of_tree
from devls.values.graph import Node
from devls.values.value import Const, Scope, Sequence, Symbol

if TYPE_CHECKING:
    from devls.engine.core.machine import Machine
    from devls.engine.core.machine_types import LoopFrame
    from devls.syntax.source import Source
    from devls.values.history import Site
    from devls.values.value import TensorValue

_PICKS: Final = frozenset({"getitem", "gather", "index_select", "select", "take", "take_along_dim"})
"""Operations that pick from what they are given: what they keep beside only says where."""

_SEEN: Final = 200
"""How many nodes of a graph are looked at: more than a model of a few layers has."""

_LOOPS: Final = (ast.For, ast.AsyncFor, ast.While)
_FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)


def is_one_computation(
    m: Machine, node: object, site: Site, loop: LoopFrame, place: tuple[object, str]
) -> bool:
    """Whether what is put into a list of the running function is part of one computation, which ends with the function.

    It is where the function goes on to a backward behind the loop, or one that calls it does: that is one step of training. And
    where it computes with its list there, and the loop has taken in no data: batch by batch there is more and more of it.
    """
    scope, name = place
    if (
        not isinstance(scope, Scope)
        or scope.function is None
        or loop.node not in ancestors(site.source, site.node)
    ):
        return False
    if _is_followed_by_backward(site.source, loop.node):
        return True
    if _is_used_behind(site.source, loop.node, name) and any(
        _is_called_before_backward(each.source, each.node) for each in site.calls
    ):
        return True
    return (
        isinstance(node, Node)
        and _counts(m, loop)
        and _is_used_behind(site.source, loop.node, name)
        and _takes_in_nothing(m, node, loop)
    )


def _counts(m: Machine, loop: LoopFrame) -> bool:
    """Whether a loop goes through numbers, or through nothing: what it goes through otherwise is data."""
    node = loop.node
    if not isinstance(node, ast.For):
        return isinstance(node, ast.While)
    called = node.iter.func if isinstance(node.iter, ast.Call) else None
    if isinstance(called, ast.Name) and called.id == "range":
        return True
    through = m.resolve(loop.iterable)
    contents = m.state.get(through, "#items") if isinstance(through, Sequence) else None
    if not isinstance(contents, Contents):
        return False
    found = [m.resolve(each) for each in (*(contents.items or ()), contents.element) if each is not None]
    return bool(found) and all(map(_is_number, found))


def _is_number(value: object) -> bool:
    if isinstance(value, Const):
        return type(value.value) is int
    return isinstance(value, Symbol) and value.hint == "number"


def _takes_in_nothing(m: Machine, node: Node, loop: LoopFrame) -> bool:
    """Whether a graph is made of parameters, and of what was there before a loop."""
    waiting, seen = [node], 0
    while waiting:
        each = waiting.pop()
        seen += 1
        # Of what is one of several, that may lie in the open.
        if seen > _SEEN or (each.open and not (each.operation == "join" and each.inputs)):
            return False
        leaves: list[TensorValue] = []
        for index, tensor in enumerate(each.inputs):
            edge = each.edges[index] if index < len(each.edges) else None
            if not isinstance(edge, Node):
                leaves.append(tensor)
            elif edge.serial >= loop.number:
                waiting.append(edge)
        if each.operation.rpartition(".")[2].strip("_") not in _PICKS:
            leaves += [kept.tensor for kept in each.saved if not isinstance(kept.tensor.node, Node)]
        if not all(_was_there(m, leaf, loop) for leaf in leaves):
            return False
    return True


def _was_there(m: Machine, tensor: TensorValue, loop: LoopFrame) -> bool:
    """Whether a tensor was there before a loop, or was computed of nothing else."""
    if tensor.is_parameter or tensor.serial < loop.number:
        return True
    if tensor.view_of is not None or tensor.symbol is not None:
        return False  # a slice is a batch
    step = m.state.get(tensor, "device_step", tensor.device_step)
    site = getattr(step, "site", None)
    return site is not None and not _is_within(site, loop.node)


def _is_within(site: Site, loop: ast.AST) -> bool:
    """Whether something happened in a loop, or in what was called there."""
    return any(each.node is loop or loop in ancestors(each.source, each.node) for each in (site, *site.calls))


@of_tree(maxsize=64)
def _is_followed_by_backward(source: Source, loop: ast.AST) -> bool:
    """Whether a backward stands behind a loop in the same block of a function, and in no loop of its own."""
    return _goes_backward(_behind(source, loop))


@of_tree(maxsize=256)
def _is_called_before_backward(source: Source, call: ast.AST) -> bool:
    """Whether a backward stands behind a call, in one of the blocks of its function around it, and in no loop of its own."""
    inner = call
    for each in ancestors(source, call):
        if isinstance(each, (*_FUNCTIONS, ast.Lambda)):
            return _goes_backward(_rest_of_block(each, inner))
        if _goes_backward(_rest_of_block(each, inner)):
            return True
        inner = each
    return False


def _goes_backward(statements: list[ast.stmt]) -> bool:
    waiting: list[ast.AST] = list(statements)
    while waiting:
        each = waiting.pop()
        if isinstance(each, (*_LOOPS, *_FUNCTIONS, ast.Lambda)):
            continue
        if isinstance(each, ast.Attribute) and each.attr == "backward":
            return True
        waiting += ast.iter_child_nodes(each)
    return False


@of_tree(maxsize=64)
def _is_used_behind(source: Source, loop: ast.AST, name: str) -> bool:
    return any(
        isinstance(node, ast.Name) and node.id == name
        for each in _behind(source, loop)
        for node in nodes_of(each)
    )


def _behind(source: Source, loop: ast.AST) -> list[ast.stmt]:
    """The statements that follow a loop in its block; none at the top level of a file, where nothing ends."""
    above = list(ancestors(source, loop))
    if not above or not any(isinstance(each, _FUNCTIONS) for each in above):
        return []
    return _rest_of_block(above[0], loop)


def _rest_of_block(around: ast.AST, statement: ast.AST) -> list[ast.stmt]:
    """The statements that follow one in the block of another that it stands in."""
    for field in ("body", "orelse", "finalbody"):
        block = getattr(around, field, None)
        if isinstance(block, list) and statement in block:
            return block[block.index(statement) + 1 :]
    return []
