"""The runs of a file, each independent of the others: they follow a program, and leave nothing for one another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from devls.engine.evidence.callers import Elsewhere
from devls.engine.evidence.deferred import PresumedFindings, shown_otherwise, silenced

if TYPE_CHECKING:
    from collections.abc import Callable

    from devls.engine.core.events.events import Event
    from devls.engine.core.machine import Machine
    from devls.engine.driver.run_record import Place
    from devls.syntax.source import Source
    from devls.values.call_facts import Premise
    from devls.values.value import Scope


class Runs:
    """The runs of one file, each independent of the others. These are not kept: each takes place."""

    def __init__(self) -> None:
        self._presumed: list[tuple[Premise, Event]] = []

    def nothing_new(self) -> bool:
        """Whether it is known without any run what comes of all of them."""
        return False

    def program(
        self, m: Machine, source: Source, run: Callable[[], Scope], leave: Callable[[], None]
    ) -> Scope:
        """Run the program, unless it is known where it ends; returns its scope.

        `leave` brings the surroundings into the state in which other runs find them.
        """
        del m, source, leave
        return run()

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
                m.emit(event)
            elif m.keeps_silenced:
                m.emit(silenced(event))
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
