"""leaf-lost-by-transfer: moving a leaf that requires grad returns a non-leaf."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.interpreter.events import LeafLost
from devls.rules.rule import Confidence, Finding, Note, rule

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("leaf-lost-by-transfer", on=LeafLost, level="warning")
def leaf_lost_by_transfer(event: LeafLost) -> Iterator[Finding]:
    """Report at the transfer, where the leaf was lost."""
    yield Finding(
        f"`{event.how}` returns a new tensor, which is no leaf: its `.grad` stays None, and an optimizer refuses it",
        event.moved,
        Confidence.LIKELY,
        notes=(Note(event.site, "its gradient is wanted here"),),
    )
