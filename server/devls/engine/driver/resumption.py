"""The statements of a program, and where it goes on after an edit.

Each statement of the main program leaves a `Checkpoint`: the machine as later statements find it. After an edit the
program runs on from the one before the first statement that was edited, or has looked at what was edited. Where
statements follow that can see no difference between what the edited ones have left now and what they left before
(`Walk._difference`), what these wrote is taken as it is: their layers of the state are hung onto the new ones.
"""

from __future__ import annotations

import ast
from copy import copy
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, Generic, NamedTuple, TypeVar

from devls.engine.core import limits
from devls.engine.driver.checkpoints import Checkpoint, SetDelta
from devls.engine.evidence.deferred import PresumedFindings
from devls.engine.torch.tensors.moves import ProgramMoves
from devls.syntax.nodes import LOOKED_AT, nodes_of, questions
from devls.values.graph import next_serial
from devls.values.history import Step

if TYPE_CHECKING:
    from collections.abc import Callable

    from devls.engine.core.machine import Machine
    from devls.engine.core.machine_types import Frame
    from devls.engine.driver.isolation import Listener
    from devls.syntax.live import Change
    from devls.syntax.nodes import Asked
    from devls.values.call_facts import Premise
    from devls.values.conditions import Condition
    from devls.values.state import Layer
    from devls.values.value import ClassValue, Scope, Symbol, TensorValue

_T = TypeVar("_T")


@dataclass(eq=False, repr=False)
class Passed(Generic[_T]):
    """Record of a statement of the program that has run, or of what comes behind the last one."""

    node: ast.AST
    before: Checkpoint
    found: _T
    looked_at: frozenset[ast.AST]
    steps: int
    least: int
    most: int
    """See `Allowance`."""
    asked: tuple[Asked, ...]
    is_old: bool = False
    """Whether it would come to something else now."""


class Plan(NamedTuple):
    """The statements of an edited program that have to run again."""

    first: int
    """The first of them."""
    last: int
    """The first of those behind them that are as they were, as the program is now; the end, if there are none."""
    was_last: int
    """The same, as it was."""


@dataclass(eq=False, repr=False)
class Ended(Generic[_T]):
    """End of the program, and the things that it has read."""

    machine: Machine
    frame: Frame
    layer: Layer
    steps_left: int
    passed: list[Passed[_T]]
    """Its statements, and what comes behind the last one."""
    can_go_on: bool
    """Whether all of them were run to their end, so that it can be gone on from each."""
    end: Checkpoint
    """Copy of what is known at the end beside the state."""
    known: tuple[
        dict[Symbol, TensorValue],
        dict[ClassValue, tuple[list[ClassValue], frozenset[str]]],
        dict[Condition, None],
    ]
    lines: int
    """The length of the file that what it may spend went by."""
    presumed: list[tuple[Premise, _T]]
    executed: frozenset[ast.AST]
    churned: int = 0
    """How many lines have come and gone since in what it has looked at."""

    @property
    def scope(self) -> Scope:
        """The names of the program."""
        return self.frame.scope

    @property
    def steps(self) -> int:
        """How many it took."""
        return sum(each.steps for each in self.passed)

    def edited(self, change: Change, bodies: set[ast.AST], moved: Callable[[_T], tuple[_T, bool]]) -> bool:
        """Take note of an edit; returns whether it would come to something else now."""
        self.churned += sum(
            abs(new - old)
            for node, (old, new) in change.lengths.items()
            if any(node in each.looked_at for each in self.passed)
        )
        for number, (told, found) in enumerate(self.presumed):
            now, whole = moved(found)
            self.presumed[number] = told, now
            if not whole:
                self.passed[-1].is_old = True
        for each in self.passed:
            each.found, whole = moved(each.found)
            # Of classes whose own statements are others only the nodes are the same.
            is_class = change.shape and each.node in bodies
            if not whole or is_class or not each.looked_at.isdisjoint(bodies):
                each.is_old = True
        slack = limits.STEPS_PER_LINE * self.churned
        if any(each.least <= slack or each.most + slack > 0 for each in self.passed):
            self.can_go_on = False
            return True
        return any(each.is_old for each in self.passed)

    def plan(self, statements: list[ast.stmt], holds: Callable[[tuple[Asked, ...]], bool]) -> Plan | None:
        """The statements that have to run again in a program of these; None if it has to run as a whole.

        `holds` says whether the answers of questions are the same still.
        """
        if not self.can_go_on or self.machine.cuts:
            return None
        old = [each.is_old or not holds(each.asked) for each in self.passed]
        before = self.passed[:-1]
        most = min(len(before), len(statements))
        first = 0
        while first < most and before[first].node is statements[first] and not old[first]:
            first += 1
        behind = 0
        while (
            behind < most - first
            and before[-1 - behind].node is statements[-1 - behind]
            and not old[-2 - behind]
        ):
            behind += 1
        return Plan(first, len(statements) - behind, len(before) - behind)


class Walk(Generic[_T]):
    """The main program under way, from some statement on."""

    def __init__(
        self,
        listener: Listener[_T],
        mentioned: Callable[[ast.AST], frozenset[str]],
        ended: Ended[_T] | None,
        plan: Plan | None,
        most: int | None,
    ) -> None:
        """Begin; `most` steps are to be taken for what follows what was edited, if it sees a difference."""
        self._listener, self._ended, self._plan, self._mentioned, self._most = (
            listener,
            ended,
            plan,
            mentioned,
            most,
        )
        self.first = 0 if plan is None else plan.first
        self.passed: list[Passed[_T]] = []
        self._under_way: tuple[ast.AST, Checkpoint] | None = None
        self.can_go_on = True
        """Whether all statements were run to their end."""
        self.given_up = False
        """Whether it has stopped in front of what would take too long."""
        self._weight = 0
        """Items in the notes of all checkpoints, of those that are shared once."""
        self.differs: frozenset[str] | None = None
        """The names that stand for something else than before the edit; None if more may."""

    def begin(self, m: Machine) -> Frame | None:
        """Go to where it begins; returns its frame, if that is not at the beginning of the program."""
        LOOKED_AT.clear()
        self._listener.begin()
        ended, plan = self._ended, self._plan
        if ended is None or plan is None:
            return None
        self.passed = ended.passed[: plan.first]
        notes = {id(each.before.notes): each.before.notes for each in self.passed}
        self._weight = sum(each.weight for each in notes.values())
        ended.passed[plan.first].before.go_back(m, ended.frame)
        return ended.frame

    def before(self, m: Machine, node: ast.AST, number: int) -> bool:
        """Another statement comes; returns whether it, and all that follow, are not to be run."""
        now = self._pass(m)
        plan, ended = self._plan, self._ended
        if plan is not None and ended is not None and plan.last == number and not self._is_heavy:
            follow = ended.passed[plan.was_last : -1]
            names = self._difference(m, ended, plan, now)
            if names is not None and self._is_unseen(names, plan, ended, now):
                self.differs = names
                self._skip(m, ended, plan, now)
                return True
            if self._most is not None and sum(each.steps for each in follow) > self._most:
                self.given_up = True
                return True
        self._under_way = node, now
        return False

    def _pass(self, m: Machine) -> Checkpoint:
        """A statement is over."""
        if self._under_way is not None:
            self.passed.append(self._record(m, *self._under_way))
            self._under_way = None
        before = self.passed[-1].before if self.passed else None
        if before is not None and self._is_heavy:
            return before
        now = Checkpoint.here(m, before)
        if before is None or now.notes is not before.notes:
            self._weight += now.notes.weight
            if self._is_heavy:
                self._forget()
        return now

    @property
    def _is_heavy(self) -> bool:
        return self._weight > limits.ITEMS_OF_CHECKPOINTS

    def _forget(self) -> None:
        """Keep no notes: the program runs as a whole again after an edit."""
        self.can_go_on = False
        for each in self.passed[self.first :]:
            each.before.notes = self.passed[0].before.notes

    def _record(self, m: Machine, node: ast.AST, before: Checkpoint) -> Passed[_T]:
        allowance = m.allowance
        assert allowance is not None  # noqa: S101  the program has one
        found = self._listener.end()
        self._listener.begin()
        passed = Passed(
            node,
            before,
            found,
            frozenset(LOOKED_AT),
            before.steps_left - m.steps_left,
            allowance.least,
            allowance.most,
            questions(LOOKED_AT),
        )
        LOOKED_AT.clear()
        allowance.forget_closest()
        return passed

    def last(self, m: Machine, *, whole: bool) -> None:
        """All statements have run, if they are `whole`; only what judges them comes behind."""
        self.can_go_on = self.can_go_on and whole
        if self.differs is None:
            self._under_way = ast.Pass(), self._pass(m)

    def _difference(self, m: Machine, ended: Ended[_T], plan: Plan, now: Checkpoint) -> frozenset[str] | None:
        """The names that what was edited has left another value of; None if something else is different as well."""
        then = ended.passed[plan.was_last].before
        first = ended.passed[plan.first].before
        if not now.knows_the_same(then) or not self._is_young(m, ended, first, then):
            return None
        number: int | None = plan.first
        while number is not None:
            names, number = self._different_since(m, ended, number, plan, now)
        return names

    def _different_since(
        self, m: Machine, ended: Ended[_T], number: int, plan: Plan, now: Checkpoint
    ) -> tuple[frozenset[str] | None, int | None]:
        """Names that may lead to a difference, of those bound since a statement; or an earlier one to try again from.

        What an edited statement does to a thing that an earlier one has made shows wherever that can be reached, which is by
        the names that were bound since.
        """
        first, then = ended.passed[number].before, ended.passed[plan.was_last].before
        ours = m.state.written_since(first.layer)
        theirs = m.state.written_elsewhere(then.layer, first.layer)
        names = set(now.names.items ^ then.names.items)
        for key in ours.keys() | theirs.keys():
            one, other = ours.get(key, _NOTHING), theirs.get(key, _NOTHING)
            if number == plan.first and (one is other or one == other):
                continue
            owner, slot = key
            if owner is ended.scope:
                names.add(slot.removeprefix("def "))
            elif self._made(owner, number, ended, plan) < number:
                earlier = self._made(owner, 0, ended, plan)
                return None, earlier if 0 <= earlier < number else None
        return frozenset(names), None

    def _made(self, owner: object, since: int, ended: Ended[_T], plan: Plan) -> int:
        """The number of the statement that has made something, if it is not one of the earlier ones; less than 0 otherwise."""
        serial = getattr(owner, "serial", None)
        if isinstance(serial, int):
            return next(
                (at for at in range(plan.first, since - 1, -1) if ended.passed[at].before.serial < serial), -1
            )
        if not isinstance(owner, Step) or owner.site is None:
            return -1
        begun = (*owner.site.calls, owner.site)[0].node  # in the program itself
        edited = (*ended.passed[plan.first : plan.was_last], *self.passed[plan.first :])
        if any(begun in nodes_of(each.node) for each in edited):
            return plan.first
        return next(
            (at for at in range(plan.first - 1, since - 1, -1) if begun in nodes_of(ended.passed[at].node)),
            -1,
        )

    def _is_young(self, m: Machine, ended: Ended[_T], first: Checkpoint, then: Checkpoint) -> bool:
        """Whether all that what was edited has taken for tensors, now and before, it has itself come up with."""
        old = islice(ended.known[0], first.inferred, then.inferred)
        return all(each.serial > first.serial for each in (*islice(m.inferred, first.inferred, None), *old))

    def _is_unseen(self, names: frozenset[str], plan: Plan, ended: Ended[_T], now: Checkpoint) -> bool:
        """Whether what follows what was edited comes to the same, although these names stand for something else."""
        follow = ended.passed[plan.was_last : -1]
        then = ended.passed[plan.was_last].before
        by = now.for_calls - then.for_calls
        if by and any(each.least + by <= _ROUNDED or each.most + by > -_ROUNDED for each in follow):
            return False
        if (now.moves > 0) is not (then.moves > 0) and any(
            ProgramMoves.ASKED in each.looked_at for each in follow
        ):
            return False
        if (
            ended.passed[-1].before.steps_left + now.steps_left - then.steps_left
            <= limits.STEPS_PER_FILE // 2 + _ROUNDED
        ):
            return False
        return not names or all(
            names.isdisjoint(self._mentioned(node))
            for each in follow
            for node in (each.node, *each.looked_at)
        )

    def _skip(self, m: Machine, ended: Ended[_T], plan: Plan, now: Checkpoint) -> None:
        """Go to the end of the last statement, as if those that follow what was edited had run again."""
        follow, then = ended.passed[plan.was_last :], ended.passed[plan.was_last].before
        below, end = then.layer, ended.passed[-1].before
        inferred = then.inferred, end.inferred
        tested = dict(m.state.tested)
        m.state.tested.update(ended.known[2])
        # From here on the old end is that of the edited program, whatever happens to what judges it.
        ended.passed[:] = [*self.passed, *follow]
        self.passed = ended.passed[:-1]
        ended.passed[-1].is_old = True
        later = next_serial()
        by = now.for_calls - then.for_calls
        was, names = copy(then), SetDelta(then.names.items, now.names.items)
        for each in follow:
            each.before.shift(now, was, names, later)
            each.least, each.most = each.least + by, each.most + by
        m.state.go_on_with(below, end.layer)
        then.layer = now.layer
        m.inferred.update(islice(ended.known[0].items(), *inferred))
        m.class_orders = dict(ended.known[1])
        m.steps_left, m.calls_end_at, m.state.work = end.steps_left, end.calls_end_at, end.work
        end.take_over(m, ended.frame)
        m.state.tested = tested | m.state.tested
        m.state.fork()
        LOOKED_AT.clear()
        self._under_way = ast.Pass(), end

    def ended(
        self, m: Machine, source_lines: int, judge: Callable[[], list[tuple[Premise, _T]]]
    ) -> Ended[_T]:
        """All is over, and what stands here is what later runs find."""
        node, before = self._under_way or (ast.Pass(), Checkpoint.here(m, None))
        closing = self._record(m, node, before)
        self._listener.end()
        presumed = judge()
        closing.looked_at |= LOOKED_AT
        closing.asked = questions(closing.looked_at)
        return Ended(
            m,
            m.frames[0],
            m.state.layer,
            m.steps_left,
            [*self.passed, closing],
            self.can_go_on,
            Checkpoint.here(m, before),
            (dict(m.inferred), dict(m.class_orders), dict(m.state.tested)),
            source_lines,
            presumed,
            m.executed_by_program,
            self._ended.churned if self._ended is not None and self._plan is not None else 0,
        )


_NOTHING: Final = object()
_ROUNDED: Final = 8
"""Steps by which a run may differ from one that has had a few more or less before."""


def settle(m: Machine, ended: Ended[Any]) -> None:
    """Bring a machine back to where its program has ended, whatever it has been doing."""
    m.state.restore(ended.layer)
    m.frames, m.loops = [ended.frame], []
    ended.end.take_over(m, ended.frame)
    m.steps_left, m.run_ends_at, m.muted = ended.steps_left, 0, 0
    inferred, orders, tested = ended.known
    m.inferred, m.class_orders, m.state.tested = dict(inferred), dict(orders), dict(tested)
    m.notes.drop()
    m.notes.of(PresumedFindings).take()
    m.executed_by_program, m.executed = ended.executed, set(ended.executed)
    m.program_runs, m.keep_values = False, True
    m.alternatives_called = m.untold = 0
    m.refused, m.block = [], None
