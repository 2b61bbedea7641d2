"""A rule as a reader sees it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Page:
    """What there is to read about a rule."""

    name: str
    family: str
    level: str
    summary: str
    markdown: str
