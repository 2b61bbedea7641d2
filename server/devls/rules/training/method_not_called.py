"""method-not-called: a method is named, and not called."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.engine.core.events.events import NotCalled
from devls.rules.rule import Confidence, Finding, Note, edits, fixes, rule
from devls.syntax import rewrite
from devls.text.edits import Applicability, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("method-not-called", on=NotCalled, level="error")
def method_not_called(event: NotCalled) -> Iterator[Finding]:
    """Report a method that stands alone as a statement, or takes part in an operation."""
    edit = rewrite.append(event.site.source, event.node, "()")
    effect = f"`{event.computed}` is not given its result" if event.computed else "nothing happens"
    yield Finding(
        f"`{event.text}` is only named here, not called: {effect}",
        event.site,
        Confidence.CERTAIN,
        fixes=fixes(Fix(f"Call it: `{event.text}()`", edits(edit), Applicability.SAFE)),
        notes=(Note(event.used, "its result is wanted here"),) if event.used is not None else (),
    )
