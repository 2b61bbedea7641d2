"""Facts that moments carry: the mismatch of two operands, the graph that a backward has walked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.values.facts import fact

if TYPE_CHECKING:
    import ast

    from devls.engine.core.events.events import Operand
    from devls.values.devices import Comparison
    from devls.values.graph import Node
    from devls.values.value import TensorValue


@fact
class Mismatch:
    """Two operands of one operation that are on different devices, at least on some way."""

    node: ast.AST
    operation: str
    stray: Operand  # the one that is not where the result would be
    anchor: Operand
    comparison: Comparison  # of the stray's device with the anchor's
    layer: bool = False  # the anchor is a parameter of the layer that is called
    beside: bool = False  # another operand has been told of before, in the same expression


@fact
class WalkedGraph:
    """The nodes and leaves that one backward has reached from its root."""

    call: ast.expr
    root: TensorValue
    receiver: ast.expr | None  # the expression of the root
    text: str  # what the root is called
    start: Node | None  # the root's own node, if it is known
    nodes: dict[Node, None]  # in the order of the walk
    leaves: list[TensorValue]
    open: bool  # whether there may be more, out of sight
    accumulates: bool = True  # fills `.grad`, as `autograd.grad` does not
    whole: bool = True  # goes to all leaves, as `autograd.grad` does not
    kept: bool = False  # its buffers stay for another one, as `autograd.grad` may have it
    ahead: bool = False  # backward is not called here, but will be
