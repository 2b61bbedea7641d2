"""What the device check of an operation has found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.values.facts import fact

if TYPE_CHECKING:
    import ast

    from devls.engine.core.events.events import Operand
    from devls.values.devices import Comparison


@fact
class Mismatch:
    """Two operands of one operation that are on different devices, at least on some way."""

    node: ast.AST
    operation: str
    stray: Operand  # the one that is not where the result would be
    anchor: Operand
    comparison: Comparison  # of the stray's device with the anchor's
    layer: bool = False  # the anchor is a parameter of the layer that is called
