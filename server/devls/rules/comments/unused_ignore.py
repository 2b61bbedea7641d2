"""unused-ignore: a comment that silences nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.engine.core.events.events import SilencedNothing
from devls.rules.rule import Confidence, Finding, rule
from devls.text.edits import Applicability, Edit, Fix, Range

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("unused-ignore", on=SilencedNothing, level="info")
def unused_ignore(event: SilencedNothing) -> Iterator[Finding]:
    """Report at the comment."""
    yield Finding(
        f"`{event.text}` silences nothing: there is no such finding here",
        event.site,
        Confidence.CERTAIN,
        fixes=(Fix("Remove the comment", (_removed(event),), Applicability.SAFE),),
    )


def _removed(event: SilencedNothing) -> Edit:
    """Without the comment and the blanks before it; what explains it, if anything, stays a comment."""
    text, start, end = event.site.source.text, event.directive.start, event.directive.end
    line_end = text.find("\n", end)
    rest = text[end : None if line_end < 0 else line_end].strip()
    if rest:
        return Edit(Range(start, end), "" if rest.startswith("#") else "#")
    while start and text[start - 1] in " \t":
        start -= 1
    return Edit(Range(start, end), "")
