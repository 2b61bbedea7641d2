"""How findings are printed. One file per format, each with `render`; none imports another. Here are the styles of printing, and the page of a rule."""

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
