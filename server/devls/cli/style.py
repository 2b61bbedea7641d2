"""Text for people: the page of a rule, and the styles of printing."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Style:
    """How things are printed for people."""

    color: str = "auto"
    """"auto", "always" or "never"."""
    quiet: bool = False
    """Whether findings are all that is printed."""


@dataclass(frozen=True)
class Page:
    """Documentation of a rule."""

    name: str
    family: str
    level: str
    summary: str
    markdown: str
