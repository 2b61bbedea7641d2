"""Notes of checks during a run: one record for each check that needs more than the state.

A record is for what is not undone when the state goes back to an earlier point. A check declares its record and reaches it
through the machine:

    @notes.record
    class Retained(notes.Record): ...

    m.notes.of(Retained).places.append(site)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final, Generic, TypeVar, cast

if TYPE_CHECKING:
    from collections.abc import Callable

    from devls.engine.core.machine_types import LoopFrame

_T = TypeVar("_T", bound="Record")


class Record:
    """Notes of one check. Subclasses take no arguments; the defaults are right for what a run judges before it ends."""

    __slots__ = ()

    ADDED: ClassVar[tuple[str, ...]] = ()
    """Slots with lists, or numbers, to which a program only adds, and that nothing reads before its end."""

    def isolated(self) -> Record:
        """The record that a run begins with which leaves nothing behind; afterwards this one is in use again."""
        return type(self)()

    def recall(self, module: Record) -> None:
        """Take over what matters here of the record that the body of an imported module has left, whoever ran it."""

    def size(self) -> int:
        """How much there is of it that something later in the file could notice."""
        return 0

    def waits_for_end(self) -> bool:
        """Whether something was noted that is judged by what the end of the run has left."""
        return False

    def drop(self) -> None:
        """Forget what waits to be judged: the run is over."""


class Part:
    """Something in a record that changes: copies of the record have one of their own."""

    __slots__ = ()


class _Parts(dict[Part, Part]):
    """Copies of the parts of records, by what they are copies of."""

    __slots__ = ("weight",)

    def __init__(self) -> None:
        super().__init__()
        self.weight = 0
        """Items of all containers that were copied."""


def _copied(value: object, parts: _Parts) -> object:
    """A value of a record, so that changes of the original do not reach it."""
    kind = type(value)
    if kind is dict:
        parts.weight += len(value)  # type: ignore[arg-type]
        return {key: _copied(each, parts) for key, each in value.items()}  # type: ignore[attr-defined]
    if kind is list:
        parts.weight += len(value)  # type: ignore[arg-type]
        return [_copied(each, parts) for each in value]  # type: ignore[attr-defined]
    if kind is set:
        parts.weight += len(value)  # type: ignore[arg-type]
        return set(value)  # type: ignore[call-overload]
    if isinstance(value, Part):
        found = parts.get(value)
        if found is None:
            found = parts[value] = kind.__new__(kind)  # type: ignore[assignment]
            _copy_slots(value, found, parts)
        return found
    return value


def _slots(kind: type) -> tuple[str, ...]:
    return kind.__slots__  # type: ignore[attr-defined, no-any-return]


def _copy_slots(one: object, other: object, parts: _Parts) -> None:
    for slot in _slots(type(one)):
        setattr(other, slot, _copied(getattr(one, slot), parts))


_RECORDS: Final[list[type[Record]]] = []


def record(kind: type[_T]) -> type[_T]:
    """Declare a record: every machine has one of each kind."""
    _RECORDS.append(kind)
    return kind


class Notes:
    """The records of all checks in one run."""

    # Checks ask for their records at each operation: a slot with the lookup of the dict itself makes that no call of Python.
    __slots__ = ("_records", "of", "weight")

    if TYPE_CHECKING:

        def of(self, kind: type[_T]) -> _T:
            """The record of one kind."""

    def __init__(self, records: dict[type[Record], Record] | None = None) -> None:
        self._records = {kind: kind() for kind in _RECORDS} if records is None else records
        self.of = self._records.__getitem__  # type: ignore[method-assign, assignment]
        self.weight = 0
        """Items that were copied for it, if it is a copy."""

    def isolated(self) -> Notes:
        """The notes of a run that leaves nothing behind."""
        return Notes({kind: each.isolated() for kind, each in self._records.items()})

    def recall(self, module: Notes) -> None:
        """Take over what matters here of the notes that the body of an imported module has left."""
        for kind, each in self._records.items():
            each.recall(module.of(kind))

    def sizes(self) -> tuple[int, ...]:
        """How much has been noted, to be compared with what there was before."""
        return tuple([each.size() for each in self._records.values()])

    def wait_for_end(self) -> bool:
        """Whether any check judges by what the end of the run has left."""
        return any(each.waits_for_end() for each in self._records.values())

    def copied(self) -> Notes:
        """The same, apart from whatever happens to either of them."""
        parts = _Parts()
        found = Notes()
        for kind, each in self._records.items():
            _copy_slots(each, found.of(kind), parts)
        found.weight = parts.weight
        return found

    def say_the_same(self, other: Notes, *, but_for_added: bool = False) -> bool:
        """Whether all records say the same, or would if what they have only been added to did."""
        return all(
            getattr(each, slot) == getattr(other.of(kind), slot)
            for kind, each in self._records.items()
            for slot in _slots(kind)
            if not (but_for_added and slot in kind.ADDED)
        )

    def add_to(self, now: Notes, then: Notes) -> None:
        """Let what has been added be what it were if there had been added to `now` what was added to `then`."""
        for kind, each in self._records.items():
            for slot in kind.ADDED:
                own, new, old = (getattr(one, slot) for one in (each, now.of(kind), then.of(kind)))
                setattr(each, slot, [*new, *own[len(old) :]] if isinstance(own, list) else own + new - old)

    def drop(self) -> None:
        """Forget what waits to be judged."""
        for each in self._records.values():
            each.drop()


_N = TypeVar("_N")


class LoopNote(Generic[_N]):
    """Notes of one check on each loop that is running: `_WAITS: Final[LoopNote[list[Site]]] = LoopNote(list)`."""

    __slots__ = ("_make",)

    def __init__(self, make: Callable[[], _N]) -> None:
        self._make = make

    def of(self, loop: LoopFrame) -> _N:
        """Notes on a loop, to be added to."""
        found = loop.noted.get(self)
        if found is None:
            found = loop.noted[self] = self._make()
        return cast("_N", found)

    def take(self, loop: LoopFrame) -> _N:
        """Notes on a loop, which are forgotten."""
        found = loop.noted.pop(self, None)
        return self._make() if found is None else cast("_N", found)
