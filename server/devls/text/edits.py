"""Ranges, edits and fixes on plain text."""

from __future__ import annotations

import enum
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


class Applicability(enum.Enum):
    """How sure we are that applying a fix is what the author wants."""

    SAFE = "safe"  # keeps the plainly intended meaning: applied by `--fix`
    UNSAFE = "unsafe"  # applied by `--fix --unsafe-fixes`; offered in the editor
    DISPLAY = "display"  # shown only; the author has to finish it


@dataclass(frozen=True, order=True)
class Range:
    """Character offsets into a text, end exclusive."""

    start: int
    end: int


@dataclass(frozen=True, order=True)
class Edit:
    """Replace `range` by `text`; an empty range inserts."""

    range: Range
    text: str


@dataclass(frozen=True)
class Fix:
    """One alternative way to repair a finding: edits of one file."""

    title: str
    edits: tuple[Edit, ...]
    applicability: Applicability = Applicability.UNSAFE
    path: str = ""
    """Of the file that is edited, where that is not the one the finding stands in."""


def with_first(found: tuple[Fix, ...], others: tuple[Fix, ...]) -> tuple[Fix, ...]:
    """Fixes of which the first one does at other places, too, what the first one of `others` does: the same text at each."""
    if not found or not others or found[0].path != others[0].path:
        return found
    first, more = found[0], others[0]
    edits = tuple(each for each in more.edits if each not in first.edits)
    texts = {each.text for each in first.edits}
    taken = [(each.range.start, each.range.end) for each in first.edits]
    if not edits or any(each.text not in texts for each in edits):
        return found
    if any(each.range.start <= end and start <= each.range.end for each in edits for start, end in taken):
        return found
    kinds = [first.applicability, more.applicability]
    both = replace(
        first,
        title=f"{first.title}, and {more.title[:1].lower()}{more.title[1:]}",
        edits=(*first.edits, *edits),
        applicability=max(kinds, key=list(Applicability).index),
    )
    return (both, *found[1:])


def with_further(first: Fix, more: Fix) -> Fix:
    """A fix that does at further places what another one of the same file does there; each edit stands by itself."""
    taken = {each.range for each in first.edits}
    edits = tuple(each for each in more.edits if each.range not in taken)
    said = more.title in first.title or not edits
    return replace(
        first,
        title=first.title if said else f"{first.title}, and {more.title[:1].lower()}{more.title[1:]}",
        edits=(*first.edits, *edits),
        applicability=max(first.applicability, more.applicability, key=list(Applicability).index),
    )


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """Return `text` with `edits` applied.

    Raises:
        ValueError: if two edits overlap.
    """
    result: list[str] = []
    cursor = 0
    for edit in sorted(set(edits)):
        if edit.range.start < cursor:
            message = f"edits overlap at offset {edit.range.start}"
            raise ValueError(message)
        result += [text[cursor : edit.range.start], edit.text]
        cursor = edit.range.end
    result.append(text[cursor:])
    return "".join(result)
