"""Presumptions as data: what a finding rests on beside what is seen, and what speaks against it.

Of code that is not there much has to be guessed: who calls a function, and with what. Each such guess is one entry here, with
a name, a sentence, and the place of an example that shows it. An entry is a predicate on the case of a finding: what the check
has seen, before anybody is told of it. `judgement.py` weighs the entries that hold.

    @against(DevicesMixed, "takes-arrays-too", "the function takes arrays as well", seen="tests/specs/evidence.md:12")
    def takes_arrays_too(case: MismatchCase, m: Machine) -> bool: ...
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Any, Final, TypeVar

from devls.values.facts import fact

if TYPE_CHECKING:
    from collections.abc import Callable

    from devls.engine.core.events.events import Event
    from devls.engine.core.machine import Machine

VETO: Final = -1
"""The weight of what silences a finding."""

HALF: Final = 1
"""The weight of what is common: two of these make a finding possible only."""

WHOLE: Final = 2
"""The weight of what was wrong nine times out of ten where it was read: one makes a finding possible only."""


class Side(enum.Enum):
    """Effect of a presumption on a finding."""

    FOR = "for"  # the finding rests on it
    AGAINST = "against"  # it silences the finding


C = TypeVar("C")


@fact
class Presumption:
    """One entry of the table."""

    id: str
    """Its name, in kebab-case; the same for the same guess about findings of several kinds."""
    says: str
    """The guess, as a sentence."""
    side: Side
    about: type[Event]
    weight: int
    seen: str
    """An example: the path and line of a spec, or the path of a regression program."""
    applies: Callable[[Any, Machine], int]
    """How often it holds in a case."""


_TABLE: Final[dict[type[Event], list[Presumption]]] = {}


def entries() -> list[Presumption]:
    """All entries, in the order in which they are asked."""
    return [entry for group in _TABLE.values() for entry in group]


def concerning(about: type[Event]) -> list[Presumption]:
    """The entries on one kind of event."""
    return _TABLE.get(about, [])


def named(name: str) -> Presumption:
    """The first entry of a name.

    Raises:
        KeyError: if there is none.
    """
    for entry in entries():
        if entry.id == name:
            return entry
    raise KeyError(name)


def against(
    about: type[Event], name: str, says: str, *, seen: str
) -> Callable[[Callable[[C, Machine], bool]], Callable[[C, Machine], bool]]:
    """Have a predicate silence findings of a kind."""

    def register(predicate: Callable[[C, Machine], bool]) -> Callable[[C, Machine], bool]:
        _add(Presumption(name, says, Side.AGAINST, about, VETO, seen, predicate))
        return predicate

    return register


def rests_on(
    about: type[Event], name: str, says: str, *, weight: int, seen: str
) -> Callable[[Callable[[C, Machine], int]], Callable[[C, Machine], int]]:
    """Have findings of a kind rest on something: as often as the function says, each time with a weight."""

    def register(count: Callable[[C, Machine], int]) -> Callable[[C, Machine], int]:
        _add(Presumption(name, says, Side.FOR, about, weight, seen, count))
        return count

    return register


def _add(entry: Presumption) -> None:
    _TABLE.setdefault(entry.about, []).append(entry)
