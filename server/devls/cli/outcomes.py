"""Outcome of one file's analysis, as data that can be sent to another process or written down."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from devls.cli.complaints import Complaints

if TYPE_CHECKING:
    from devls.cli.cache import Entry

Stored = dict[str, Any]
"""One finding, as `stored.stored_finding` writes it."""


@dataclass(frozen=True)
class Outcome:
    """Outcome of the analysis of one file."""

    path: str
    found: list[list[Stored]] | None
    """The findings as `stored.stored` writes them; None if the file could not be analyzed."""
    unchecked: list[Stored] = field(default_factory=list)
    """Message about a file that cannot be read or parsed."""
    failed: bool = False
    """Whether devls itself failed on it."""
    said: tuple[str, ...] = ()
    """Complaints."""
    entry: Entry | None = None
    """Entry for the cache."""


class Collected(Complaints):
    """Keeps complaints for somebody else to say."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def say(self, message: str) -> None:
        """Keep one line."""
        self.lines.append(message)
