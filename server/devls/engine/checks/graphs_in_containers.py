"""Graphs that are put into lists and dicts which outlive the iterations of a loop."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.engine.checks.graph_candidates import CANDIDATES, PARTS, Candidate, operation_name
from devls.engine.core import program_moments
from devls.engine.core.joins import Entries
from devls.syntax.nodes import of_tree, walk
from devls.values.graph import Node
from devls.values.value import Mapping, Sequence, Symbol, TensorValue, TupleValue

if TYPE_CHECKING:
    from devls.engine.core.machine import Machine
    from devls.engine.core.machine_types import LoopFrame


@program_moments.stored.on
def stored(
    m: Machine,
    node: ast.AST,
    container: Sequence | Mapping,
    value: object,
    value_node: ast.expr | None,
    *,
    keyed: bool = False,
) -> None:
    """A value is put into a container that may outlive the loops around."""
    if keyed:
        return  # overwritten in the next iteration
    loop = _outlived_loop(m, container)
    if loop is None:
        return
    around = _indexing_loop(m, node, loop)
    if around is not None:
        loop = around
    held = _item_with_graph(m, value)
    tensor = m.tensor_of(held) if isinstance(held, Symbol) else held
    if not isinstance(tensor, TensorValue) or m.grad_enabled() is False or tensor.is_parameter:
        return
    mentions: tuple[ast.expr, ...] = ()
    if held is not m.resolve(value):
        mentions = _mentions(m, value_node)
        value_node = None
    elif value_node is not None and _is_in_recurrence(loop.node, value_node):
        return
    if m.requires_grad(tensor) is False or m.is_leaf(tensor) is True or tensor.serial < loop.iteration:
        return
    if around is not None and _is_part(m, tensor, around):
        return
    CANDIDATES.of(loop).append(
        Candidate(
            m,
            node,
            container,
            _container_text(m, node),
            tensor,
            value_node,
            accumulates=False,
            mentions=mentions,
            outlives=loop,
            chained=_is_link(m, tensor, loop),
        )
    )


def _indexing_loop(m: Machine, node: ast.AST, outermost: LoopFrame) -> LoopFrame | None:
    """The loop inside another that counts the places items are put at: the next round of the other puts others there."""
    if not isinstance(node, ast.Subscript) or not isinstance(node.slice, ast.Name):
        return None
    name = node.slice.id
    for loop in m.loops[m.loops.index(outermost) + 1 :]:
        if isinstance(loop.node, ast.For) and any(
            isinstance(each, ast.Name) and each.id == name for each in walk(loop.node.target)
        ):
            return loop
    return None


def _is_part(m: Machine, tensor: TensorValue, loop: LoopFrame) -> bool:
    """Whether a tensor is a part of one that was there before a loop, whose graph all the parts share."""
    node = m.node(tensor)
    return (
        isinstance(node, Node)
        and operation_name(node) in PARTS
        and bool(node.inputs)
        and node.inputs[0].serial < loop.number
    )


_NODES_OF_LINK: Final = 256
"""Nodes that are looked at for what an earlier iteration has computed."""


def _is_link(m: Machine, tensor: TensorValue, loop: LoopFrame) -> bool:
    """Whether a tensor was computed of what the iteration before has computed, `h = cell(x, h)`: the last one keeps all the others."""
    start = m.node(tensor)
    waiting = [start] if isinstance(start, Node) else []
    seen: set[Node] = set()
    while waiting and len(seen) < _NODES_OF_LINK:
        node = waiting.pop()
        if node in seen:
            continue
        seen.add(node)
        if loop.number <= node.serial < loop.iteration:
            return True
        waiting += [each for each in node.edges if each is not None and each.serial >= loop.number]
    return False


def _is_in_recurrence(loop: ast.AST, value: ast.expr) -> bool:
    """Whether a value is a link of a chain, `total = reward + decay * total`: its last link keeps all the others anyway."""
    links = _recurrences(loop)
    return bool(links) and any(isinstance(each, ast.Name) and each.id in links for each in walk(value))


@of_tree(maxsize=64)
def _recurrences(loop: ast.AST) -> frozenset[str]:
    """The names that a loop computes from themselves, without a call."""
    return frozenset(
        each.targets[0].id
        for each in walk(loop)
        if type(each) is ast.Assign
        and isinstance(each.value, ast.BinOp)
        and isinstance(each.targets[0], ast.Name)
        and not any(isinstance(part, ast.Call) for part in walk(each.value))
        and any(isinstance(part, ast.Name) and part.id == each.targets[0].id for part in walk(each.value))
    )


def _mentions(m: Machine, node: ast.expr | None) -> tuple[ast.expr, ...]:
    """The names in a display (`{"loss": loss, "out": out}`) that stand for tensors with a graph."""
    if not isinstance(node, (ast.Dict, ast.Tuple)):
        return ()
    parts = node.values if isinstance(node, ast.Dict) else node.elts
    found: list[ast.expr] = []
    for each in parts:
        value = m.resolve(m.state.get(m.frame.scope, each.id)) if isinstance(each, ast.Name) else None
        if (
            isinstance(value, TensorValue)
            and m.requires_grad(value) is not False
            and m.is_leaf(value) is not True
        ):
            found.append(each)
    return tuple(found)


def _item_with_graph(m: Machine, value: object) -> object:
    """A value, or the tensor with a graph in the tuple or dict that it is."""
    value = m.resolve(value)
    perhaps: Symbol | None = None
    items: tuple[object, ...] = ()
    if isinstance(value, TupleValue):
        items = value.items
    elif isinstance(value, Mapping):
        entries = m.state.get(value, "#entries")
        items = tuple(entries.known.values()) if isinstance(entries, Entries) else ()
    for item in items:
        found = m.resolve(item)
        if isinstance(found, TensorValue) and m.requires_grad(found) is True and m.is_leaf(found) is not True:
            return found
        if isinstance(found, Symbol) and not found.named and found in m.inferred and perhaps is None:
            perhaps = found
    return value if perhaps is None else perhaps


def _container_text(m: Machine, node: ast.AST) -> str:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return m.text(node.func.value)
    if isinstance(node, ast.AugAssign):
        return m.text(node.target)
    if isinstance(node, ast.Subscript):
        return m.text(node.value)
    return m.text(node)


def _outlived_loop(m: Machine, container: Sequence | Mapping) -> LoopFrame | None:
    """The outermost running loop that began after a container, or the dict that it is an entry of, was made."""
    holder = m.state.get(container, "#entry of")
    for loop in m.loops:
        if isinstance(loop.node, ast.For) and isinstance(loop.node.iter, (ast.Tuple, ast.List)):
            continue  # it is written down what it goes through: that is no more than can be read
        if container.serial < loop.number:
            return loop
        if isinstance(holder, Mapping) and holder.serial < loop.number and container.serial < loop.iteration:
            return loop  # the iteration that first asked for the key has made it
    return None
