"""The runs of a file, each independent of the others: they follow a program, and leave nothing for one another."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from devls.engine.core import limits
from devls.engine.core.budget import lines
from devls.engine.evidence.callers import Elsewhere
from devls.engine.evidence.deferred import PresumedFindings, shown_otherwise, silenced
from devls.syntax.nodes import walk
from devls.values.facts import fact

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator

    from devls.engine.core.events.events import Event
    from devls.engine.core.machine import Machine
    from devls.syntax.live import Change
    from devls.syntax.nodes import Asked
    from devls.syntax.source import Source
    from devls.values.call_facts import CallFact, Premise
    from devls.values.value import Scope

_T = TypeVar("_T")


@fact
class Place:
    """Which run it is, and what it may spend."""

    key: Hashable
    definition: ast.AST
    halved: bool = False
    """Whether it may spend as if it were half as long."""
    on_host: bool = False
    acts: bool = True
    """Whether it does what can go wrong, or what others go wrong on; see `driver/inlining.py`."""
    needs: Hashable = None
    """The key of a run that it goes on from."""

    @property
    def length(self) -> int:
        """Its length in lines."""
        return lines(self.definition) // (2 if self.halved else 1)

    @property
    def most(self) -> int | None:
        """The steps for calls that it may take at most, if it has to be content with less than its share."""
        if not self.acts:
            return 0
        return limits.STEPS_PER_LINE * self.length if self.on_host else None


@dataclass(eq=False, repr=False)
class Kept(Generic[_T]):
    """Record of a run that has taken place."""

    definition: ast.AST
    found: _T
    presumed: list[tuple[Premise, _T]]
    """Findings if no call shows otherwise: of a function, or of a parameter."""
    looked_at: frozenset[ast.AST]
    steps: int
    told: int
    """Events that were paid for beside the steps."""
    budget: int
    least: int
    most: int
    built_with: frozenset[ast.AST]
    call_facts: frozenset[CallFact]
    """Observations of calls, see `keeping.shown_otherwise`."""
    other_device: tuple[bool, bool]
    """Whether the file was known to have another default device before the run, and after it."""
    asked: tuple[Asked, ...]
    """Questions about whole files among what it has looked at."""


@dataclass(eq=False, repr=False)
class Listener(Generic[_T]):
    """Listener to all events, which turns them into findings."""

    begin: Callable[[], None]
    end: Callable[[], _T]
    """Findings since `begin`."""
    again: Callable[[_T], None]
    """Take as found what was found before."""
    moved: Callable[[_T, Change, int, str], tuple[_T, bool]]
    """The same after an edit of the text, which was of that length, of the file at that path; and whether nothing of it was
    itself edited, which is left out."""


def mentions(node: ast.AST) -> Iterator[str]:
    """All that could be a name in some code, even in a string."""
    for each in walk(node):
        if isinstance(each, ast.Name):
            yield each.id
        elif isinstance(each, ast.Attribute):
            yield each.attr
        elif isinstance(each, ast.alias):
            yield from each.name.split(".")
        elif isinstance(each, ast.Constant) and isinstance(each.value, str) and each.value.isidentifier():
            yield each.value


class Runs:
    """The runs of one file, each independent of the others. These are not kept: each takes place."""

    def __init__(self) -> None:
        self._presumed: list[tuple[Premise, Event]] = []

    def nothing_new(self) -> bool:
        """Whether it is known without any run what comes of all of them."""
        return False

    def program(
        self,
        m: Machine,
        source: Source,
        run: Callable[[Any], Scope],
        leave: Callable[[], None],
    ) -> Scope | None:
        """Run the program, unless it is known where it ends; returns its scope, or None if all that can be told was told.

        `run` takes the `Walk` that is to be made, if checkpoints are kept. `leave` brings the surroundings into the state in which other runs find them.
        """
        del m, source, leave
        return run(None)

    def run(
        self, m: Machine, place: Place, run: Callable[[], None], before: Callable[[], None] | None = None
    ) -> bool:
        """Run something by itself, after `before`, unless it is known what comes of it; returns whether it was run."""
        del place
        if before is not None:
            before()
        run()
        self._presumed += m.notes.of(PresumedFindings).take()
        return True

    def again(self, m: Machine, place: Place, run: Callable[[], None]) -> None:
        """Run once more what `run` has left out, for what it leaves in the state."""
        del m, place
        run()

    def end(self, m: Machine) -> None:
        """All have been run: report what was presumed of functions, where no call in sight shows that it is not so."""
        elsewhere = Elsewhere(m.modules, m.source, m.call_facts)
        for told, event in self._presumed:
            if not shown_otherwise(m.call_facts, told, elsewhere):
                m.emit_event(event)
            elif m.keeps_silenced:
                m.emit_event(silenced(event))
        self._presumed = []


class alone:  # noqa: N801  it stands behind `with`
    """Lets what runs here leave nothing behind that a later run could notice."""

    def __init__(self, m: Machine) -> None:
        self.m = m

    def __enter__(self) -> None:
        m = self.m
        self.lengths = len(m.inferred), len(m.class_orders)
        self.notes, m.notes = m.notes, m.notes.isolated()

    def __exit__(self, *_: object) -> None:
        m = self.m
        m.notes = self.notes
        _cut(m.inferred, self.lengths[0])
        _cut(m.class_orders, self.lengths[1])


def _cut(known: dict[Any, Any], length: int) -> None:
    while len(known) > length:
        known.popitem()
