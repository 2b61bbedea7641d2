"""invalid-device: what torch cannot read as a device, and what cannot be moved."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core.events.events import InvalidDevice
from devls.rules.rule import Confidence, Finding, edits, fixes, rule
from devls.syntax import rewrite
from devls.text.edits import Applicability, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("invalid-device", on=InvalidDevice, level="error")
def invalid_device(event: InvalidDevice) -> Iterator[Finding]:
    """Report what torch would refuse."""
    found: tuple[Fix, ...] = ()
    node = event.argument if event.argument is not None else event.site.node
    if event.suggestion and isinstance(node, ast.expr):
        edit = rewrite.replace(event.site.source, node, event.suggestion)
        found = fixes(Fix(f"Use `{event.suggestion}`", edits(edit), Applicability.UNSAFE))
    raises = "AttributeError" if " has no method " in event.problem else "torch raises"
    yield Finding(f"{event.problem}: {raises}", event.site, Confidence.CERTAIN, fixes=found)
