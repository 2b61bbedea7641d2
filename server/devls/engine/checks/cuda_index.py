"""`.cuda()` and `.type(...)` that bring a tensor to the current card, where another one is meant."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.engine.core import moments
from devls.engine.core.events.protocols import CurrentCardTaken

if TYPE_CHECKING:
    import ast

    from devls.engine.core.machine import Machine
    from devls.values.devices import NamedDevice


@moments.current_card_taken.on
def taken(m: Machine, node: ast.expr, meant: NamedDevice, *, back: bool, like: str) -> None:
    """A tensor is brought to the current card, and is meant to be where an argument is."""
    m.emit(CurrentCardTaken(m.site(node), m.frame.statement, meant.text, back, like=like))
