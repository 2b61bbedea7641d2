"""transfer-in-loop: the same tensor is moved in each iteration of a loop."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.engine.core.events.calls import TransferRepeated
from devls.rules.rule import Confidence, Finding, Note, rule

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("transfer-in-loop", on=TransferRepeated, level="info")
def transfer_in_loop(event: TransferRepeated) -> Iterator[Finding]:
    """Report at the transfer."""
    yield Finding(
        f"each iteration moves the same `{event.text}` again: move it once, before the loop",
        event.site,
        Confidence.CERTAIN,
        notes=(Note(event.made, "it is made here"),) if event.made is not None else (),
    )
