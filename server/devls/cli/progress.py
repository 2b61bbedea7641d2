"""How far a long check has come, on a terminal."""

from __future__ import annotations

import shutil
import sys
import time
from typing import TYPE_CHECKING, Final

from devls.text.printable import escaped

if TYPE_CHECKING:
    from typing import TextIO

_AFTER: Final = 1.0
"""Seconds until the first line: most checks are done by then."""

_EVERY: Final = 0.1
"""Seconds between two looks of the line: more often nobody can read it."""


class Progress:
    """One line on a terminal that is written again and again, and is gone in the end; nothing anywhere else."""

    def __init__(self, total: int, stream: TextIO | None = None, *, shown: bool = True) -> None:
        """Begin a check of `total` files."""
        self._total = total
        self._stream = sys.stderr if stream is None else stream
        self._shows = shown and self._stream.isatty()
        self._next = time.monotonic() + _AFTER
        self._written = False

    def at(self, done: int, name: str) -> None:
        """Tell that `done` files are done, and which one is next."""
        if not self._shows or time.monotonic() < self._next:
            return
        self._next = time.monotonic() + _EVERY
        width = max(20, shutil.get_terminal_size().columns) - 1
        self._write(f"checked {done} of {self._total} files: {escaped(name)}"[:width])
        self._written = True

    def end(self) -> None:
        """Remove the line."""
        if self._written:
            self._write("")
            self._written = False

    def _write(self, text: str) -> None:
        try:
            self._stream.write(f"\r\x1b[2K{text}")
            self._stream.flush()
        except (OSError, ValueError):
            self._shows = False  # nobody looks
