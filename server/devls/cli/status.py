"""How `devls` ends, and why it may end early."""

from __future__ import annotations

from typing import Final

NOTHING: Final = 0
"""Nothing was found."""

FINDINGS: Final = 1

FAILURE: Final = 2
"""Wrong usage, wrong configuration, a file that does not exist, or an error of devls itself."""

INTERRUPTED: Final = 130
"""As shells have it: 128, and the number of the signal."""


class CommandError(Exception):
    """Why a command cannot do what it was asked for: a sentence for a user, without its full stop; it ends with `FAILURE`."""
