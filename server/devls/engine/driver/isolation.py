"""The runs of a file, each independent of the others: they follow a program, and leave nothing for one another."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any, Final

from devls.engine.evidence import init_reachability
from devls.engine.evidence.callers import Elsewhere

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable
    from collections.abc import Set as AbstractSet

    from devls.engine.core.events.events import Event
    from devls.engine.core.machine import Machine
    from devls.engine.driver.run_record import Place
    from devls.syntax.source import Source
    from devls.values.value import Scope


class Runs:
    """The runs of one file, each independent of the others. These are not kept: each takes place."""

    def __init__(self) -> None:
        self._presumed: list[tuple[Hashable, Event]] = []

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
        self._presumed += m.presumed_findings
        m.presumed_findings = []
        return True

    def again(self, m: Machine, place: Place, run: Callable[[], None]) -> None:
        """Run once more what `run` has left out, for what it leaves in the state."""
        del m, place
        run()

    def end(self, m: Machine) -> None:
        """All have been run: report what was presumed of functions, where no call in sight shows that it is not so."""
        elsewhere = Elsewhere(m.modules, m.source, m.called_without_grad)
        for told, event in self._presumed:
            if not shown_otherwise(m.called_without_grad, told, elsewhere):
                m.emit(event)
        self._presumed = []


ONE_OF: Final = "one of"
"""What begins several things that are presumed together: one that is not so is enough."""

WEAKLY: Final = "weakly"
"""What begins something that is presumed of what is not certain anyway: not worth reading other files."""


def shown_otherwise(called: AbstractSet[Hashable], told: Hashable, elsewhere: Elsewhere) -> bool:
    """Whether calls show that something presumed is not so, of a function (a node) or of a parameter (its key).

    Functions that nobody calls with gradients keep no graph; a parameter that is given tensors on the CPU, and none from
    elsewhere, is on no accelerator, nor is one that is handed on where it is given such tensors. Of what a function returns
    the same is kept that would be told. What runs only while modules are built runs before they are moved.

    Other files are asked last: what has run is known, and they have to be read.
    """
    if isinstance(told, tuple) and told[0] == WEAKLY:
        return _shown_here(called, told[1])
    together = told[1:] if isinstance(told, tuple) and told[0] == ONE_OF else (told,)
    return any(_shown_here(called, each) for each in together) or any(
        map(elsewhere.shows_otherwise, together)
    )


def _shown_here(called: AbstractSet[Hashable], told: Hashable) -> bool:
    if isinstance(told, tuple) and told[0] == ONE_OF:
        return any(_shown_here(called, each) for each in told[1:])
    if init_reachability.is_shown(told):
        return True
    return told in called or (not isinstance(told, ast.AST) and _on_host(called, told, set()))


def _on_host(called: AbstractSet[Hashable], parameter: Hashable, seen: set[Hashable]) -> bool:
    if ("elsewhere", parameter) in called:
        return False
    seen.add(parameter)
    handed_on = [
        each[2]
        for each in called
        if isinstance(each, tuple)
        and each[0] == "handed on"
        and each[1] == parameter
        and each[2] != parameter
    ]
    shown = handed_on or ("on the host", parameter) in called or ("not given", parameter) in called
    return bool(shown) and all(each in seen or _on_host(called, each, seen) for each in handed_on)


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
