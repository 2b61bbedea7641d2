"""Messages on standard error, exit statuses, and early ends of `devls`."""

from __future__ import annotations

import contextlib
import sys
from typing import TYPE_CHECKING, Final

from devls.text.printable import escaped, escaped_lines

if TYPE_CHECKING:
    from collections.abc import Collection

NOTHING: Final = 0
"""Nothing was found."""

FINDINGS: Final = 1

FAILURE: Final = 2
"""Wrong usage, wrong configuration, a file that does not exist, or an error of devls itself."""

INTERRUPTED: Final = 130
"""As shells have it: 128, and the number of the signal."""


class CommandError(Exception):
    """Why a command cannot do what it was asked for: a sentence for a user, without its full stop; it ends with `FAILURE`."""


class Complaints:
    """Says each thing once, whichever file or configuration it came up for."""

    def __init__(self) -> None:
        self._said: set[str] = set()

    def say(self, message: str) -> None:
        """Print one line. Never raises: whoever does not listen misses it."""
        if message not in self._said:
            self._said.add(message)
            with contextlib.suppress(OSError, ValueError):
                print(f"devls: {escaped(message)}", file=sys.stderr)  # noqa: T201

    def trace(self) -> None:
        """Print where the exception comes from that is being handled."""
        import traceback  # noqa: PLC0415  needed by mistakes only

        with contextlib.suppress(OSError, ValueError):
            print(escaped_lines(traceback.format_exc()), file=sys.stderr)  # noqa: T201


def did_you_mean(name: str, known: Collection[str]) -> str:
    """The end of a complaint about a name that is not known; empty if no known name is spelt nearly so."""
    import difflib  # noqa: PLC0415  needed by mistakes only

    close = difflib.get_close_matches(name, sorted(known), 1)
    return f" (did you mean {close[0]!r}?)" if close else ""
