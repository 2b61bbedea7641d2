"""unknown-rule: a comment that names no rule."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.engine.core.events.events import UnknownRuleNamed
from devls.rules.rule import Confidence, Finding, rule
from devls.text.edits import Applicability, Edit, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("unknown-rule", on=UnknownRuleNamed, level="warning")
def unknown_rule(event: UnknownRuleNamed) -> Iterator[Finding]:
    """Report at the name, or at the comment that nobody understands."""
    if not event.name:
        yield Finding(f"this comment silences nothing: {event.problem}", event.site, Confidence.CERTAIN)
        return
    meant = f": did you mean `{event.suggestion}`?" if event.suggestion else ""
    yield Finding(
        f"`{event.name}` is neither a rule nor a family{meant}",
        event.site,
        Confidence.CERTAIN,
        fixes=(
            Fix(f"Write `{event.suggestion}`", (Edit(event.place, event.suggestion),), Applicability.SAFE),
        )
        if event.suggestion
        else (),
    )
