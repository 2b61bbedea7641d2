"""The walk of one backward through the graph: what is freed, overwritten, or carried over from an iteration before."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.interpreter import limits
from devls.interpreter.events import (
    BackwardAgain,
    SavedOverwritten,
)
from devls.syntax.nodes import walk
from devls.values.graph import Node
from devls.values.history import Site
from devls.values.value import InstanceValue, TensorValue, TupleValue

if TYPE_CHECKING:
    from devls.interpreter.machine import Machine
    from devls.interpreter.machine_types import LoopFrame


class Walk:
    """One walk from a root to the leaves."""

    def __init__(self, m: Machine, call: ast.expr, text: str, receiver: ast.expr | None) -> None:
        self.m = m
        self.call = call
        self.text = text
        self.receiver = receiver
        self.seen: dict[Node, None] = {}
        self.leaves: list[TensorValue] = []
        self.open = False
        self.failed = False
        self.wanted: set[Node] | None = None
        self.ahead = False  # backward is not called here, but will be

    def visit(self, start: Node) -> None:
        """Walk all that is behind `start`, and report the first node that was freed or whose operand was overwritten."""
        m = self.m
        sure, unsure = [start], list[Node]()
        while sure or unsure:
            # What certainly is behind the root comes first: it may be reached on ways that are not certain, too.
            certain = bool(sure)
            node = sure.pop() if certain else unsure.pop()
            if node in self.seen:
                continue
            if len(self.seen) >= limits.GRAPH_WALK:
                self.open = True
                return
            self.seen[node] = None
            if node.open:
                self.open = True
            certain = certain and (self.ahead or node.operation not in ("join", "item"))
            if certain and not self.failed:
                freed = m.state.resolve(m.state.get(node, "freed"))
                if isinstance(freed, Site) and node.keeps is True:
                    self._again(node, freed)
                else:
                    self._check_saved(node)
            for index, tensor in enumerate(node.inputs):
                edge = node.edges[index] if index < len(node.edges) else m.node(tensor)
                if isinstance(edge, Node):
                    # An operand that only may require grad may not be behind the root at all.
                    if self.wanted is None or edge in self.wanted:
                        (sure if certain and m.requires_grad(tensor) is True else unsure).append(edge)
                elif m.requires_grad(tensor) is not False and m.is_leaf(tensor) is True:
                    self.leaves.append(tensor)
                else:
                    self.open = True

    def _check_saved(self, node: Node) -> None:
        m = self.m
        for saved in node.saved:
            if m.version(saved.tensor) == saved.version or m.is_leaf(saved.tensor) is None:
                continue
            found = m.state.get(saved.storage, "written")
            if not (isinstance(found, tuple) and isinstance(found[0], Site)):
                continue
            if not isinstance(m.version(saved.tensor), int) or not isinstance(saved.version, int):
                continue
            m.emit(
                SavedOverwritten(
                    found[0] if self.ahead else m.site(self.call),
                    m.frame.statement,
                    node,
                    saved,
                    found[0],
                    by_step=bool(found[1]),
                    ahead=m.site(self.call) if self.ahead else None,
                )
            )
            self.failed = True
            return

    def _again(self, node: Node, freed: Site) -> None:
        m = self.m
        self.failed = True
        if m.state.get(self.call, "#walked again") is not None:
            return  # told in the iteration before
        m.state.set(self.call, "#walked again", True)
        loop = m.loops[-1] if m.loops else None
        carried = loop is not None and node.serial < loop.iteration
        name = ""
        statement: ast.stmt | None = None
        if carried and loop is not None:
            name = _carrier(m, loop)
            statement = loop.node if isinstance(loop.node, ast.stmt) else None
        m.emit(
            BackwardAgain(
                m.site(self.call),
                m.frame.statement,
                node,
                freed,
                self.text,
                self.receiver,
                carried,
                name,
                statement,
                self.call if isinstance(self.call, ast.Call) else None,
                freed.node,
            )
        )


def _carrier(m: Machine, loop: LoopFrame) -> str:
    """The variable that brought a freed graph into this iteration."""
    from devls.interpreter.assignments import assigned_names  # noqa: PLC0415  a cycle otherwise

    scope = m.frame.scope
    here = m.state.layer
    target = getattr(loop.node, "target", None)
    # What the loop itself sets anew carries nothing over.
    bound = {each.id for each in walk(target) if isinstance(each, ast.Name)} if target is not None else set()
    names = sorted(assigned_names(loop.node) - bound)
    found = ""
    if loop.start is not None:
        m.state.restore(loop.start)
        for name in names:
            value = m.resolve(m.state.get(scope, name))
            tensor = value if isinstance(value, TensorValue) else None
            node = m.node(tensor) if tensor is not None else None
            if isinstance(node, Node) and m.state.get(node, "freed") is not None and node.keeps is not False:
                reused = any(
                    isinstance(each, ast.Name) and each.id == name and isinstance(each.ctx, ast.Load)
                    for each in walk(loop.node)
                )
                if (
                    reused
                    and tensor is not None
                    and not _set_first(loop.node, name)
                    and (tensor.nonscalar or not found)
                ):
                    found = name
        found = found or _carrying_attribute(m, names)
        m.state.restore(here)
    return found


def _set_first(loop: ast.AST, name: str) -> bool:
    """Whether the body of a loop sets a name before it reads it: then the last iteration's value is gone."""
    for statement in getattr(loop, "body", ()):
        mentions = [each for each in walk(statement) if isinstance(each, ast.Name) and each.id == name]
        if mentions:
            stores = isinstance(statement, ast.Assign) and not any(
                isinstance(each, ast.Name) and each.id == name for each in walk(statement.value)
            )
            return stores and isinstance(mentions[0].ctx, ast.Store)
    return False


def _carrying_attribute(m: Machine, names: list[str]) -> str:
    """`model.hidden`: what a module that the loop uses has kept of the last iteration."""
    from devls.interpreter import modules  # noqa: PLC0415  a cycle otherwise

    scope = m.frame.scope
    for name in sorted(scope.names - set(names)):
        owner = m.resolve(m.state.get(scope, name))
        if not isinstance(owner, InstanceValue):
            continue
        for attribute, value in modules.entries(m, owner):
            parts = value.items if isinstance(value, TupleValue) else (value,)
            nodes = [m.node(each) for each in map(m.resolve, parts) if isinstance(each, TensorValue)]
            if nodes and any(
                isinstance(each, Node) and m.state.get(each, "freed") is not None for each in nodes
            ):
                pair = isinstance(value, TupleValue) or any(
                    isinstance(each, Node) and ".LSTM." in each.operation for each in nodes
                )
                return f"{name}.{attribute}" + ("(...)" if pair else "")
    return ""
