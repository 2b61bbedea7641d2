"""The machine before a statement of the main program, as far as later statements can tell."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

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
    names: frozenset[str]
    executed: frozenset[ast.AST]
    built_with: frozenset[ast.AST]
    call_facts: frozenset[CallFact]
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
            _shared(scope.names, None if before is None else before.names),
            _shared(m.executed, None if before is None else before.executed),
            _shared(m.built_with, None if before is None else before.built_with),
            _shared(m.call_facts, None if before is None else before.call_facts),
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
        frame.scope.names = set(self.names)
        m.decorated, m.notes, m.allowance = dict(self.decorated), self.notes.copied(), copy(self.allowance)
        m.executed, m.built_with = set(self.executed), set(self.built_with)
        m.call_facts, m.sets_default_device = set(self.call_facts), self.other_device

    @property
    def for_calls(self) -> int:
        """Steps that are left for the bodies of called functions."""
        return self.steps_left - self.calls_end_at

    def knows_the_same(self, other: Checkpoint) -> bool:
        """Whether all is the same beside the state and the names, what it has cost, and how often something was moved."""
        mine, theirs = self.allowance, other.allowance
        return (
            self.other_device is other.other_device
            and self.executed == other.executed
            and self.built_with == other.built_with
            and self.call_facts == other.call_facts
            and self.decorated == other.decorated
            and mine.method_left_out is theirs.method_left_out
            and (mine.budget, mine.meetings) == (theirs.budget, theirs.meetings)
            and self.notes.say_the_same(other.notes, but_for_added=True)
        )

    @property
    def moves(self) -> int:
        """How often the program has moved something."""
        return self.notes.of(ProgramMoves).moves

    def shift(self, now: Checkpoint, then: Checkpoint, later: int) -> None:
        """Come behind `now`, in place of `then`; `later` is younger than all that was made before it."""
        self.steps_left += now.steps_left - then.steps_left
        self.calls_end_at += now.calls_end_at - then.calls_end_at
        self.names = (self.names | now.names - then.names) - (then.names - now.names)
        self.serial = later
        self.inferred += now.inferred - then.inferred
        if not now.notes.say_the_same(then.notes):
            self.notes = self.notes.copied()
            self.notes.add_to(now.notes, then.notes)


_S = TypeVar("_S")


def _shared(now: set[_S], before: frozenset[_S] | None) -> frozenset[_S]:
    return before if before is not None and now == before else frozenset(now)
