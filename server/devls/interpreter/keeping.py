"""What a file's runs have come to, kept for as long as nothing that they have looked at is edited.

A file is run as a program, and then each of its functions by itself, from the state in which the program ends. A run
depends on that state and on the definitions whose code it looks at (`nodes.LOOKED_AT`); on other runs it depends only by
what `Runs.run` hands on. So after an edit in the body of a function, only the runs have to be repeated that have looked
at it; all others would come to the same.
"""

from __future__ import annotations

import ast
import contextlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from devls.interpreter import limits
from devls.interpreter.allowance import Allowance, lines
from devls.interpreter.imprint import Imprint, take
from devls.syntax.nodes import LOOKED_AT, walk

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator

    from devls.interpreter.events import Event
    from devls.interpreter.machine import Machine
    from devls.syntax.live import Change
    from devls.syntax.source import Source
    from devls.values.state import Layer
    from devls.values.value import Scope

_T = TypeVar("_T")


@dataclass(frozen=True)
class Place:
    """Which run it is, and what it may spend."""

    key: Hashable
    definition: ast.AST
    halved: bool = False
    """Whether it may spend as if it were half as long."""
    on_host: bool = False
    needs: Hashable = None
    """The key of a run that it goes on from."""

    @property
    def length(self) -> int:
        """Its length in lines."""
        return lines(self.definition) // (2 if self.halved else 1)


class Runs:
    """The runs of one file, each independent of the others. These are not kept: each takes place."""

    def __init__(self) -> None:
        self._presumed: list[tuple[ast.AST, Event]] = []

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
        self._presumed += m.presumed_evaluations
        m.presumed_evaluations = []
        return True

    def again(self, m: Machine, place: Place, run: Callable[[], None]) -> None:
        """Run once more what `run` has left out, for what it leaves in the state."""
        del m, place
        run()

    def end(self, m: Machine) -> None:
        """All have been run: report evaluations of functions that nobody in sight calls without gradients."""
        for node, event in self._presumed:
            if node not in m.called_without_grad:
                m.emit(event)
        self._presumed = []


@contextlib.contextmanager
def alone(m: Machine) -> Iterator[None]:
    """Let what runs here leave nothing behind that a later run could notice."""
    inferred, orders = len(m.inferred), len(m.class_orders)
    walked, reached, tensors = m.walked, m.reached, m.walked_tensors
    m.walked, m.reached, m.walked_tensors = set(walked), set(reached), set(tensors)
    try:
        yield
    finally:
        m.walked, m.reached, m.walked_tensors = walked, reached, tensors
        _cut(m.inferred, inferred)
        _cut(m.class_orders, orders)
        m.evaluations.clear()
        m.retained.clear()
        m.retained_nodes.clear()


def _cut(known: dict[Any, Any], length: int) -> None:
    while len(known) > length:
        known.popitem()


@dataclass
class Kept(Generic[_T]):
    """What is known of a run that has taken place."""

    definition: ast.AST
    found: _T
    presumed: list[tuple[ast.AST, _T]]
    """What there is to find if nobody calls a function without gradients."""
    looked_at: frozenset[ast.AST]
    steps: int
    budget: int
    least: int
    most: int
    built_with: frozenset[ast.AST]
    without_grad: frozenset[ast.AST]
    other_device: tuple[bool, bool]
    """Whether the file was known to have another default device before the run, and after it."""


@dataclass
class Listener(Generic[_T]):
    """Who is told what happens, and says what that comes to."""

    begin: Callable[[], None]
    end: Callable[[], _T]
    """What was found since `begin`."""
    again: Callable[[_T], None]
    """Take as found what was found before."""
    moved: Callable[[_T, Change, int, str], _T | None]
    """The same after an edit of the text, which was of that length, of the file at that path; None if that cannot be said."""


@dataclass
class _Ended:
    """Where the program has ended, and what it has looked at."""

    scope: Scope
    layer: Layer
    steps_left: int
    looked_at: frozenset[ast.AST]
    least: int
    most: int
    other_device: bool
    built_with: frozenset[ast.AST]
    without_grad: frozenset[ast.AST]
    lines: int
    """The length of the file that what it may spend went by."""
    churned: int = 0
    """How many lines have come and gone since in what it has looked at."""
    found: object = field(default=None)


class KeptRuns(Runs, Generic[_T]):
    """Runs of a file that is being edited: one machine for all of them."""

    def __init__(self, listener: Listener[_T]) -> None:
        super().__init__()
        self.listener = listener
        self._ended: _Ended | None = None
        self._kept: dict[Hashable, Kept[_T]] = {}
        self._imprint: Imprint | None = None
        self._mentioned: dict[ast.AST, frozenset[str]] = {}
        self._used: list[Kept[_T]] = []
        self._is_whole = False
        """Whether all that is known stands in `_used`: what the last analysis came to is true still."""
        self.repeated = 0
        """How many runs the last analysis has repeated."""

    @property
    def machine_is_needed(self) -> bool:
        """Whether the program has to be run, on a machine that has run nothing yet."""
        return self._ended is None

    def settled(self, source: Source) -> None:
        """All edits so far have been told: what the program may spend goes by the length of the file."""
        if self._ended is not None and Allowance(source).lines != self._ended.lines:
            self.begin_anew()

    def forget(self) -> None:
        """Know nothing any more."""
        self._ended = self._imprint = None
        self._is_whole = False
        self._kept.clear()
        self._mentioned.clear()

    def begin_anew(self) -> None:
        """Have the program run again. What it leaves may be the same, as far as some runs can see."""
        self._ended = None
        self._is_whole = False

    def edited(self, path: str, change: Change, length: int, *, own: bool) -> bool:
        """Take note of an edit of a file's text, which was of that length; returns whether all that is known stays true.

        `own`: it is the file that the runs are of. Of others, those who look after the modules say whether they matter.
        """
        if own and change.shape:
            self.begin_anew()
        for node in change.bodies:
            self._mentioned.pop(node, None)
        # Short bodies are run where no steps are left for others.
        most = limits.LINES_OF_SHORT_BODY
        bodies = change.bodies | {
            node for node, (old, new) in change.lengths.items() if (old <= most) is not (new <= most)
        }
        ended, before = self._ended, len(self._kept)
        if ended is not None:
            ended.churned += sum(
                abs(new - old) for node, (old, new) in change.lengths.items() if node in ended.looked_at
            )
            slack = limits.STEPS_PER_LINE * ended.churned
            found = self.listener.moved(ended.found, change, length, path)  # type: ignore[arg-type]
            if (
                not ended.looked_at.isdisjoint(bodies)
                or found is None
                or ended.least <= slack
                or ended.most + slack > 0
            ):
                self.begin_anew()
            ended.found = found
        for key, kept in list(self._kept.items()):
            if not kept.looked_at.isdisjoint(bodies) or not self._moved(kept, change, length, path):
                del self._kept[key]
        same = self._ended is not None and len(self._kept) == before
        # Steps go by lines.
        self._is_whole = self._is_whole and same and not change.lines and not change.lengths
        return same

    def _moved(self, kept: Kept[_T], change: Change, length: int, path: str) -> bool:
        moved = self.listener.moved
        found = moved(kept.found, change, length, path)
        presumed = [(node, moved(each, change, length, path)) for node, each in kept.presumed]
        if found is None or any(each is None for _, each in presumed):
            return False
        kept.found = found
        kept.presumed = presumed  # type: ignore[assignment]  # just looked
        return True

    def program(
        self, m: Machine, source: Source, run: Callable[[], Scope], leave: Callable[[], None]
    ) -> Scope:
        """Run the program, or go to where it ends."""
        self._used = []
        self._is_whole = False
        self.repeated = 0
        ended = self._ended
        if ended is None:
            self.repeated += 1
            LOOKED_AT.clear()
            self.listener.begin()
            scope = run()
            below = m.state.fork()
            leave()
            self._compare(take(m, [(source.path, scope), *m.modules.scopes(source.path)]))
            m.state.restore(below)
            allowance = m.allowance
            assert allowance is not None  # noqa: S101  the program has one
            ended = self._ended = _Ended(
                scope,
                m.state.layer,
                m.steps_left,
                frozenset(LOOKED_AT),
                allowance.least,
                allowance.most,
                m.sets_default_device,
                frozenset(m.built_with),
                frozenset(m.called_without_grad),
                allowance.lines,
                found=self.listener.end(),
            )
        else:
            _settle(m, ended)
            m.allowance = Allowance(source)
        self.listener.again(ended.found)  # type: ignore[arg-type]
        return ended.scope

    def _compare(self, now: Imprint) -> None:
        """Keep those runs that see no difference between what the program has left and what it left before."""
        before, self._imprint = self._imprint, now
        names = before.changed(now) if before is not None else None
        if before is None or names is None:
            self._kept.clear()
            return
        others = before.executed ^ now.executed
        hosts = {each[1] for each in before.on_host ^ now.on_host if isinstance(each, tuple)}
        for key, kept in list(self._kept.items()):
            if (
                not kept.looked_at.isdisjoint(others)
                or (key[0] if isinstance(key, tuple) else key) in names
                or (hosts and not hosts.isdisjoint(map(id, kept.looked_at)))
                or (names and any(not names.isdisjoint(self._mentions(each)) for each in kept.looked_at))
            ):
                del self._kept[key]

    def _mentions(self, node: ast.AST) -> frozenset[str]:
        found = self._mentioned.get(node)
        if found is None:
            found = self._mentioned[node] = frozenset(_mentions(node))
        return found

    def run(
        self, m: Machine, place: Place, run: Callable[[], None], before: Callable[[], None] | None = None
    ) -> bool:
        """Take a run as done if it would come to the same as before."""
        allowance = m.allowance
        assert allowance is not None  # noqa: S101  the program has one
        kept = self._kept.get(place.key)
        if (
            kept is not None
            and kept.definition is place.definition
            and self._holds(m, allowance, place, kept)
        ):
            allowance.skip_run(m, place.length, kept.steps)
            ran = False
        else:
            if before is not None:
                before()
            kept = self._kept[place.key] = self._taken(m, allowance, place, run)
            self.repeated += 1
            ran = True
        m.built_with |= kept.built_with
        m.sets_default_device = kept.other_device[1]
        self._used.append(kept)
        self.listener.again(kept.found)
        return ran

    def again(self, m: Machine, place: Place, run: Callable[[], None]) -> None:
        """Run once more what was left out; what comes of it was told before."""
        kept, allowance = self._kept[place.key], m.allowance
        assert allowance is not None  # noqa: S101  the program has one
        left, tell, budget = m.steps_left, m.emit_event, allowance.forced
        m.emit_event, allowance.forced = _nobody, kept.budget
        try:
            run()
        finally:
            m.steps_left, m.emit_event, allowance.forced = left, tell, budget

    def end(self, m: Machine) -> None:
        """All have been run."""
        del m
        self._tell_presumed()
        self._is_whole = True

    def nothing_new(self) -> bool:
        """Whether nothing has been edited that any run has seen; then what was found is told again."""
        ended = self._ended
        if not self._is_whole or ended is None:
            return False
        self.repeated = 0
        self.listener.again(ended.found)  # type: ignore[arg-type]
        for kept in self._used:
            self.listener.again(kept.found)
        self._tell_presumed()
        return True

    def _tell_presumed(self) -> None:
        ended = self._ended
        without_grad = set(ended.without_grad) if ended is not None else set()
        for kept in self._used:
            without_grad |= kept.without_grad
        for kept in self._used:
            for node, found in kept.presumed:
                if node not in without_grad:
                    self.listener.again(found)

    def _holds(self, m: Machine, allowance: Allowance, place: Place, kept: Kept[_T]) -> bool:
        if m.steps_left < 2 * limits.STEPS_PER_RUN or kept.other_device[0] is not m.sets_default_device:
            return False
        by = allowance.budget_of(place.length, on_host=place.on_host) - kept.budget
        return kept.least + by > 0 and kept.most + by <= 0

    def _taken(self, m: Machine, allowance: Allowance, place: Place, run: Callable[[], None]) -> Kept[_T]:
        LOOKED_AT.clear()
        steps, other_device, built_with = m.steps_left, m.sets_default_device, m.built_with
        m.built_with, m.called_without_grad = set(built_with), set()
        self.listener.begin()
        run()
        found = self.listener.end()
        presumed = list(self._judged(m))
        needed = self._kept[place.needs].looked_at if place.needs is not None else frozenset[ast.AST]()
        return Kept(
            place.definition,
            found,
            presumed,
            needed.union(LOOKED_AT),
            steps - m.steps_left,
            allowance.budget,
            allowance.least,
            allowance.most,
            frozenset(m.built_with - built_with),
            frozenset(m.called_without_grad),
            (other_device, m.sets_default_device),
        )

    def _judged(self, m: Machine) -> Iterator[tuple[ast.AST, _T]]:
        for node, event in m.presumed_evaluations:
            self.listener.begin()
            m.emit(event)
            yield node, self.listener.end()
        m.presumed_evaluations = []


def _mentions(node: ast.AST) -> Iterator[str]:
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


def _nobody(event: Event) -> None:
    del event


def _settle(m: Machine, ended: _Ended) -> None:
    """Bring a machine back to where its program has ended, whatever it has been doing."""
    m.state.restore(ended.layer)
    m.frames, m.loops = m.frames[:1], []
    m.steps_left, m.run_ends_at, m.muted = ended.steps_left, 0, 0
    m.pending.clear()
    m.evaluations.clear()
    m.presumed_evaluations = []
    m.executed = set(m.executed_by_program)
    m.built_with, m.called_without_grad = set(ended.built_with), set(ended.without_grad)
    m.sets_default_device = ended.other_device
    m.alternatives_called = 0
    m.worker = None
