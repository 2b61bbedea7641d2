"""Events about the comments that silence findings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.engine.core.events.events import Event
from devls.values.facts import fact

if TYPE_CHECKING:
    from devls.text.edits import Range


@fact
class SilencedNothing(Event):
    """A comment names what is not found where it stands."""

    directive: Range
    text: str


@fact
class UnknownRuleNamed(Event):
    """A comment names no rule and no family, or cannot be understood."""

    name: str  # "" if the comment itself is malformed
    place: Range
    problem: str
    suggestion: str
