"""pinned-accelerator-tensor: `pin_memory()` is called on a tensor that is on an accelerator."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.engine.core.events.calls import HostArgument
from devls.rules.device import wording
from devls.rules.rule import Confidence, Finding, edits, fixes, rule
from devls.syntax import rewrite
from devls.text.edits import Applicability, Fix
from devls.values.devices import describe

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("pinned-accelerator-tensor", on=HostArgument, level="error")
def pinned_accelerator_tensor(event: HostArgument) -> Iterator[Finding]:
    """Report at the call."""
    if event.operation != "pin_memory":
        return
    when = " whenever an accelerator is used" if event.only_when_accelerated else ""
    receiver = event.operand.node
    found: tuple[Fix, ...] = ()
    if receiver is not None:
        edit = rewrite.append(event.site.source, receiver, ".cpu()")
        found = fixes(Fix("Bring it to the CPU first", edits(edit), Applicability.UNSAFE))
    yield Finding(
        f"`{event.operand.text}` is on {describe(event.operand.device)}, but only CPU memory can be pinned: torch"
        f" raises{when}",
        event.site,
        Confidence.LIKELY if event.only_when_accelerated else Confidence.CERTAIN,
        fixes=found,
        notes=wording.notes(event.operand),
    )
