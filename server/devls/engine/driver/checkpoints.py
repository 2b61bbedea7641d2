"""The machine before a statement of the main program, as far as later statements can tell."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Generic, TypeVar

from devls.engine.core import limits
from devls.engine.torch.tensors.moves import ProgramMoves
from devls.values.graph import next_serial

if TYPE_CHECKING:
    import ast

    from devls.engine.core.budget import Allowance
    from devls.engine.core.machine import Machine
    from devls.engine.core.machine_types import Frame
    from devls.engine.core.notes import Notes
    from devls.values.call_facts import CallFact
    from devls.values.state import Layer
    from devls.values.value import Scope


_S = TypeVar("_S")


class SetSnapshot(Generic[_S]):
    """Items of a set at one moment of a program, which only adds to it.

    All moments share one log, in which each has its length: with sets of their own they would take memory by the square of
    the length of the program. A moment whose past was edited has its own differences from the log.
    """

    __slots__ = ("_come", "_count", "_gone", "_log")

    def __init__(
        self,
        log: dict[_S, None],
        count: int,
        come: frozenset[_S] = frozenset(),
        gone: frozenset[_S] = frozenset(),
    ) -> None:
        self._log, self._count, self._come, self._gone = log, count, come, gone

    def later(self, now: set[_S]) -> SetSnapshot[_S]:
        """Those of a later moment of the same run."""
        if not self._come and not self._gone:
            if len(now) == self._count:
                return self
            if len(self._log) == self._count:  # no other run has gone on from here
                self._log.update(dict.fromkeys(now.difference(self._log)))
                return SetSnapshot(self._log, len(self._log))
        return _snapshot(now, None)

    @property
    def items(self) -> frozenset[_S]:
        """All of them."""
        found = frozenset(islice(self._log, self._count))
        return (found | self._come) - self._gone if self._come or self._gone else found

    def holds_the_same(self, other: SetSnapshot[_S]) -> bool:
        """Whether the items are those of another moment."""
        return self is other or self.items == other.items

    def edited(self, delta: SetDelta[_S]) -> SetSnapshot[_S]:
        """The same after an edit of what ran before."""
        if not delta.come and not delta.gone:
            return self
        mine = self._come, self._gone
        if mine not in delta.shared:
            delta.shared[mine] = self._come | delta.come, (self._gone - delta.come) | delta.gone
        return SetSnapshot(self._log, self._count, *delta.shared[mine])


def _snapshot(now: set[_S], before: SetSnapshot[_S] | None) -> SetSnapshot[_S]:
    return SetSnapshot(dict.fromkeys(now), len(now)) if before is None else before.later(now)


class SetDelta(Generic[_S]):
    """Difference that an edit makes for all later moments."""

    def __init__(self, then: frozenset[_S], now: frozenset[_S]) -> None:
        self.come, self.gone = now - then, then - now
        self.shared: dict[tuple[frozenset[_S], frozenset[_S]], tuple[frozenset[_S], frozenset[_S]]] = {}
        """By the differences that moments had before: those that they have now."""


@dataclass(eq=False, repr=False)
class Checkpoint:
    """The machine before a statement of the program, as far as later statements can tell."""

    layer: Layer
    serial: int
    """Values that are younger were made by later statements."""
    steps_left: int
    calls_end_at: int
    work: int
    inferred: int
    """How many of them there were, and so on: only more can come."""
    orders: int
    decorated: dict[tuple[Scope, ast.AST | None], int]
    names: SetSnapshot[str]
    executed: SetSnapshot[ast.AST]
    built_with: SetSnapshot[ast.AST]
    call_facts: SetSnapshot[CallFact]
    other_device: bool
    allowance: Allowance
    notes: Notes

    @staticmethod
    def here(m: Machine, before: Checkpoint | None) -> Checkpoint:
        """The machine now; what is the same as at an earlier one is shared with that."""
        state, scope, allowance = m.state, m.frames[0].scope, m.allowance
        assert allowance is not None  # noqa: S101  the program has one
        layer = state.layer
        state.fork()
        now = Checkpoint(
            layer,
            next_serial(),
            m.steps_left,
            m.calls_end_at,
            state.work,
            len(m.inferred),
            len(m.class_orders),
            dict(m.decorated),
            _snapshot(scope.names, None if before is None else before.names),
            _snapshot(m.executed, None if before is None else before.executed),
            _snapshot(m.built_with, None if before is None else before.built_with),
            _snapshot(m.call_facts, None if before is None else before.call_facts),
            m.sets_default_device,
            copy(allowance),
            m.notes,
        )
        quiet = before is not None and m.notes.say_the_same(before.notes)
        now.notes = before.notes if before is not None and quiet else m.notes.copied()
        return now

    def go_back(self, m: Machine, frame: Frame) -> None:
        """Bring a machine back to here; `frame` is that of the program."""
        m.frames, m.loops = [frame], []
        # An empty layer says what the one below says: with it, each edit would leave one more.
        while not self.layer.diff and self.layer.parent is not None:
            self.layer = self.layer.parent
        m.state.restore(self.layer)
        m.state.fork()
        m.state.work, m.steps_left, m.calls_end_at = self.work, self.steps_left, self.calls_end_at
        m.state.forget_tests()
        m.inferred = dict(islice(m.inferred.items(), self.inferred))
        m.class_orders = dict(islice(m.class_orders.items(), self.orders))
        self.take_over(m, frame)
        m.executed_by_program, m.program_runs, m.keep_values = frozenset(), True, False
        m.run_began, m.freed_in_run, m.refused, m.block = 0, set(), [], None
        m.muted = m.alternatives_called = m.untold = 0
        m.run_ends_at = limits.STEPS_PER_FILE - limits.STEPS_PER_FILE // 2

    def take_over(self, m: Machine, frame: Frame) -> None:
        """Let a machine know what is known here beside the state."""
        frame.scope.names = set(self.names.items)
        m.decorated, m.notes, m.allowance = dict(self.decorated), self.notes.copied(), copy(self.allowance)
        m.executed, m.built_with = set(self.executed.items), set(self.built_with.items)
        m.call_facts, m.sets_default_device = set(self.call_facts.items), self.other_device

    @property
    def for_calls(self) -> int:
        """Steps that are left for the bodies of called functions."""
        return self.steps_left - self.calls_end_at

    def knows_the_same(self, other: Checkpoint) -> bool:
        """Whether all is the same beside the state and the names, what it has cost, and how often something was moved."""
        mine, theirs = self.allowance, other.allowance
        return (
            self.other_device is other.other_device
            and self.executed.holds_the_same(other.executed)
            and self.built_with.holds_the_same(other.built_with)
            and self.call_facts.holds_the_same(other.call_facts)
            and self.decorated == other.decorated
            and mine.method_left_out is theirs.method_left_out
            and (mine.budget, mine.meetings) == (theirs.budget, theirs.meetings)
            and self.notes.say_the_same(other.notes, but_for_added=True)
        )

    @property
    def moves(self) -> int:
        """How often the program has moved something."""
        return self.notes.of(ProgramMoves).moves

    def shift(self, now: Checkpoint, then: Checkpoint, names: SetDelta[str], later: int) -> None:
        """Come behind `now`, in place of `then`, with other names; `later` is younger than all that was made before it."""
        self.steps_left += now.steps_left - then.steps_left
        self.calls_end_at += now.calls_end_at - then.calls_end_at
        self.names = self.names.edited(names)
        self.serial = later
        self.inferred += now.inferred - then.inferred
        if not now.notes.say_the_same(then.notes):
            self.notes = self.notes.copied()
            self.notes.add_to(now.notes, then.notes)
