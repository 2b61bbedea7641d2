"""Why a command cannot do what it was asked for."""

from __future__ import annotations


class CommandError(Exception):
    """Its text is a sentence for a user, without its full stop; the command ends with 2."""
