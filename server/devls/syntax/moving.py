"""Places in a text that is edited."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.text.edits import Range

if TYPE_CHECKING:
    from devls.syntax.live import Change


def place_after(place: Range, change: Change, length: int, said: list[Range]) -> Range | None:
    """A place in a text after an edit; None if it was edited. `said` are other places of the same finding."""
    tail = length - change.tail
    grown = Range(place.start + change.grown, place.end + change.grown)
    if place.start == place.end and place.start in (change.head, tail):
        # An insertion before or behind another place goes along with that place.
        behind = any(place.start == each.start for each in said)
        if behind is any(place.start == each.end for each in said):
            return None
        if place.start != (tail if behind else change.head):
            return None
        return grown if behind else place
    if place.end <= change.head:
        return place
    return None if place.start < tail else grown
