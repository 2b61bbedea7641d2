"""A rule as a reader sees it."""

from __future__ import annotations

from devls.values.facts import fact


@fact
class Page:
    """What there is to read about a rule."""

    name: str
    family: str
    level: str
    summary: str
    markdown: str
