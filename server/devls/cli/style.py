"""How things are printed for people."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Style:
    """How things are printed for people."""

    color: str = "auto"
    """"auto", "always" or "never"."""
    quiet: bool = False
    """Whether findings are all that is printed."""
