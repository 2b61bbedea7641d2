"""lengths-on-accelerator: a function that reads lengths or indices on the CPU is given them on an accelerator."""

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


_NAMES = {"pack_padded_sequence": "the lengths", "tensor_split": "the indices"}


@rule("lengths-on-accelerator", on=HostArgument, level="error")
def lengths_on_accelerator(event: HostArgument) -> Iterator[Finding]:
    """Report at the call."""
    what = _NAMES.get(event.operation)
    if what is None:
        return
    when = " whenever an accelerator is used" if event.only_when_accelerated else ""
    found: tuple[Fix, ...] = ()
    if event.operand.node is not None:
        edit = rewrite.append(event.site.source, event.operand.node, ".cpu()")
        found = fixes(Fix(f"Give it `{event.operand.text}.cpu()`", edits(edit), Applicability.SAFE))
    yield Finding(
        f"`{event.operation}` reads {what} on the CPU, but `{event.operand.text}` is on"
        f" {describe(event.operand.device)}: torch raises{when}",
        event.site,
        Confidence.LIKELY if event.only_when_accelerated else Confidence.CERTAIN,
        fixes=found,
        notes=wording.notes(event.operand),
    )
