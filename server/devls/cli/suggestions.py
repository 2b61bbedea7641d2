"""What somebody may have meant."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection


def did_you_mean(name: str, known: Collection[str]) -> str:
    """The end of a complaint about a name that is not known; empty if no known name is spelt nearly so."""
    import difflib  # noqa: PLC0415  needed by mistakes only

    close = difflib.get_close_matches(name, sorted(known), 1)
    return f" (did you mean {close[0]!r}?)" if close else ""
