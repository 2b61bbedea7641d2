"""What goes to standard error."""

from __future__ import annotations

import sys


class Complaints:
    """Says each thing once, whichever file or configuration it came up for."""

    def __init__(self) -> None:
        self._said: set[str] = set()

    def say(self, message: str) -> None:
        """Print one line."""
        if message not in self._said:
            self._said.add(message)
            print(f"devls: {message}", file=sys.stderr)  # noqa: T201
