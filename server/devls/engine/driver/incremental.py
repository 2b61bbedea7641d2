"""Results of a file's runs, kept for as long as nothing that they have read is edited.

A file is run as a program, and then each of its functions by itself, from the state in which the program ends. A run
depends on that state and on the definitions whose code it looks at (`nodes.LOOKED_AT`); on other runs it depends only by
what `Runs.run` hands on. So after an edit in the body of a function, only the runs have to be repeated that have looked
at it; all others would come to the same.

An early answer comes before a costly whole one (`KeptRuns.soon`): the edited functions are run by themselves from the
state at which the program ended before the edit, and all other findings are told again, at their places now.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from devls.engine.core import limits
from devls.engine.core.budget import LONG, Allowance, shortened
from devls.engine.driver.fingerprint import Imprint, take
from devls.engine.driver.isolation import Kept, Listener, Place, Runs, mentions
from devls.engine.driver.resumption import Ended, Plan, Walk, settle
from devls.engine.evidence.callers import Elsewhere
from devls.engine.evidence.deferred import PresumedFindings, shown_otherwise
from devls.engine.torch.tensors.moves import ProgramMoves
from devls.syntax.nodes import LOOKED_AT, questions

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


class KeptRuns(Runs, Generic[_T]):
    """Runs of a file that is being edited: one machine for all of them."""

    def __init__(self, listener: Listener[_T]) -> None:
        super().__init__()
        self.listener = listener
        self._ended: Ended[_T] | None = None
        self._outdated = False
        """Whether the program has seen an edit since it ended."""
        self._displaced = False
        """Whether what it has left is no place to go on from: definitions have come or gone, or modules that it uses."""
        self._modules_gone = False
        self._kept: dict[Hashable, Kept[_T]] = {}
        self._stale: dict[Hashable, Kept[_T]] = {}
        """Runs that have to be repeated; what they have found is shown until then."""
        self._first: dict[Hashable, Kept[_T]] = {}
        """Those of them that have been repeated already, from where the program ended before it was edited."""
        self._edited: set[ast.AST] = set()
        """The definitions that were edited since they were last run by themselves."""
        self._soon = False
        self._stands = False
        """Whether the program is left as it was before the edit."""
        self._answers: dict[Asked, bool] = {}
        """Whether questions about whole files were asked again since the last edit, and have got the same answers."""
        self._in_a_hurry = False
        """Whether what takes long is to be left for later."""
        self._displaces = False
        """Whether something that was found, or is said of it, stands elsewhere since the last edit."""
        self._plan: Plan | None = None
        """The part of the program that has to run again."""
        self._imprint: Imprint | None = None
        self._mentioned: dict[ast.AST, frozenset[str]] = {}
        self._used: list[Kept[_T]] = []
        self._is_whole = False
        """Whether all that is known stands in `_used`: what the last analysis came to is true still."""
        self.partial = False
        """Whether the last analysis has left something to be repeated."""
        self.repeated = 0
        """How many runs the last analysis has repeated."""

    def begin(self, source: Source, *, soon: bool) -> Machine | None:
        """All edits so far have been told, and an analysis begins; returns the machine to go on with, if there is one.

        `soon`: what takes long is left for later. Then `partial` says whether something was.
        """
        ended = self._ended
        self._plan = None
        if ended is not None and Allowance(source).lines != ended.lines:
            # The program's budget goes by the length of the file.
            self._outdated = True
            self._is_whole = ended.can_go_on = False
        if ended is not None and self._outdated and not self._modules_gone:
            self._plan = ended.plan(source.statements, self._holds_still)
        self._in_a_hurry = soon and ended is not None and ended.lines >= LONG
        self._stands = self._in_a_hurry and self._program_takes_long()
        self._soon = self._stands or (self._in_a_hurry and self._runs_take_long())
        self.partial = False
        goes_on = self._stands or not self._outdated or self._plan is not None
        return ended.machine if ended is not None and goes_on else None

    def _program_takes_long(self) -> bool:
        """Whether what has to run again of the program takes much longer than the parser does for the whole file."""
        ended, plan = self._ended, self._plan
        if ended is None or not self._outdated:
            return False
        if plan is None:
            return self._modules_gone or ended.steps > self._few(ended)
        # Statements behind the edited one may turn out to come to the same.
        return sum(each.steps for each in ended.passed[plan.first : plan.was_last]) > self._few(ended)

    def _runs_take_long(self) -> bool:
        """The same of the runs that have to be repeated."""
        ended = self._ended
        if ended is None:
            return False
        steps = sum(each.steps for each in self._stale.values())
        steps += sum(each.steps for each in self._kept.values() if not self._holds_still(each.asked))
        return steps > self._few(ended)

    def _holds_still(self, asked: tuple[Asked, ...]) -> bool:
        """Whether the answers of some questions are still the same."""
        for each in asked:
            known = self._answers.get(each)
            if known is None:
                known = self._answers[each] = each.holds
            if not known:
                return False
        return True

    def _few(self, ended: Ended[_T]) -> int:
        """Steps that nobody has to wait for."""
        return ended.lines // limits.LINES_PARSED_IN_A_STEP

    def forget(self) -> None:
        """Know nothing any more."""
        self._ended = self._imprint = self._plan = None
        self._outdated = self._displaced = self._modules_gone = self._is_whole = False
        self._kept.clear()
        self._stale.clear()
        self._first.clear()
        self._edited.clear()
        self._mentioned.clear()
        self._answers.clear()

    def begin_anew(self) -> None:
        """Have the program run again, on modules that have run again.

        Its results may be the same, as far as some runs can see.
        """
        self._outdated = self._displaced = self._modules_gone = True
        self._is_whole = False

    def ask_again(self) -> None:
        """Have all questions about files asked again: one has come, gone or become another one."""
        self._answers.clear()
        self._is_whole = False
        if self._ended is not None and not all(self._holds_still(each.asked) for each in self._ended.passed):
            self._outdated = True

    def edited(self, path: str, change: Change, length: int, *, own: bool) -> bool:
        """Take note of an edit of a file's text, which was of that length; returns whether all that was told stays true.

        `own`: it is the file that the runs are of. Of others, those who look after the modules say whether they matter.
        """
        if own and change.shape:
            self._outdated = self._displaced = True
        for node in change.bodies:
            self._mentioned.pop(node, None)
        self._edited |= change.bodies
        # Short bodies are run where no steps are left for others.
        bodies = change.bodies | {
            node for node, (old, new) in change.lengths.items() if shortened(node, old, new)
        }
        self._displaces = False
        ended = self._ended
        if ended is not None:
            if ended.edited(change, bodies, lambda found: self._moved(found, change, length, path)):
                self._outdated = True
            self._answers.clear()
            if not all(self._holds_still(each.asked) for each in ended.passed):
                self._outdated = True
        for kept in self._stale.values():
            self._all_moved(kept, change, length, path)
        for key, kept in list(self._first.items()):
            if not self._all_moved(kept, change, length, path) or not kept.looked_at.isdisjoint(bodies):
                del self._first[key]
                self._edited.add(kept.definition)
        for key, kept in list(self._kept.items()):
            if not self._all_moved(kept, change, length, path) or not kept.looked_at.isdisjoint(bodies):
                self._stale[key] = self._kept.pop(key)
        same = (
            ended is not None
            and not self._outdated
            and not self._stale
            and all(self._holds_still(each.asked) for each in self._kept.values())
        )
        # Steps go by lines.
        self._is_whole = self._is_whole and same and not change.lines and not change.lengths
        return same and not self._displaces

    def _moved(self, found: _T, change: Change, length: int, path: str) -> tuple[_T, bool]:
        """The same findings where they stand after an edit; and whether none of them was itself edited."""
        now, whole = self.listener.moved(found, change, length, path)
        self._displaces = self._displaces or now != found
        return now, whole

    def _all_moved(self, kept: Kept[_T], change: Change, length: int, path: str) -> bool:
        """Have the findings of a run move with the text; those that were edited are gone. Returns whether none was."""
        kept.found, whole = self._moved(kept.found, change, length, path)
        for number, (node, each) in enumerate(kept.presumed):
            found, whole_too = self._moved(each, change, length, path)
            kept.presumed[number] = (node, found)
            whole = whole and whole_too
        return whole

    def program(
        self,
        m: Machine,
        source: Source,
        run: Callable[[Walk[Any] | None], Scope],
        leave: Callable[[], None],
    ) -> Scope | None:
        """Run the program, or what has to run again of it, or go to where it ends."""
        self._used = []
        self._is_whole = False
        self.repeated = 0
        ended = self._ended
        if ended is None or (self._outdated and not self._stands):
            most = self._few(ended) if ended is not None and self._in_a_hurry else None
            walk = Walk(self.listener, self._mentions, ended, self._plan, most)
            run(walk)
            if ended is None or not walk.given_up:
                self._take_over(m, source, walk, leave)
                self._soon = self._in_a_hurry and self._runs_take_long()
            elif self._displaced:
                self._tell_old(ended)
                return None
            else:
                self._soon = True
                settle(m, ended)
                m.allowance = Allowance(source)
        else:
            settle(m, ended)
            m.allowance = Allowance(source)
        self.partial = self._outdated
        ended = self._ended
        assert ended is not None  # noqa: S101  seen above
        self._tell_program(ended)
        return ended.scope

    def _take_over(self, m: Machine, source: Source, walk: Walk[_T], leave: Callable[[], None]) -> None:
        """The program has run: find out for whom it makes a difference."""
        self.repeated += walk.differs is None
        moved = m.notes.of(ProgramMoves).moves > 0
        if walk.differs is not None and self._imprint is not None:
            now = replace(self._imprint, moves=moved)
            for name in walk.differs:
                now.names[source.path, name] = object()
            self._drop(walk.differs, self._imprint, now)
        else:
            below = m.state.fork()
            leave()
            now = take(m, [(source.path, m.frames[0].scope), *m.modules.scopes(source.path)])
            m.state.restore(below)
            before = self._imprint
            names = before.changed(now) if before is not None else None
            if before is None or names is None:
                self._stale.update(self._kept)
                self._kept.clear()
            else:
                self._drop(names, before, now)
        self._imprint = now
        self._ended = walk.ended(m, Allowance(source).lines, lambda: list(self._judged(m)))
        self._outdated = self._displaced = self._modules_gone = False
        self._first.clear()

    def _drop(self, names: frozenset[str], before: Imprint, now: Imprint) -> None:
        """Keep those runs that see no difference between what the program has left and what it left before."""
        others: frozenset[ast.AST] = before.executed ^ now.executed
        if before.moves is not now.moves:
            others |= {ProgramMoves.ASKED}
        hosts = {each[1] for each in before.on_host ^ now.on_host if isinstance(each, tuple)}
        for key, kept in list(self._kept.items()):
            if (
                not kept.looked_at.isdisjoint(others)
                or (key[0] if isinstance(key, tuple) else key) in names
                or (hosts and not hosts.isdisjoint(map(id, kept.looked_at)))
                or (names and any(not names.isdisjoint(self._mentions(each)) for each in kept.looked_at))
            ):
                self._stale[key] = self._kept.pop(key)

    def _mentions(self, node: ast.AST) -> frozenset[str]:
        found = self._mentioned.get(node)
        if found is None:
            found = self._mentioned[node] = frozenset(mentions(node))
        return found

    def run(
        self, m: Machine, place: Place, run: Callable[[], None], before: Callable[[], None] | None = None
    ) -> bool:
        """Take a run as done if it would come to the same as before."""
        allowance = m.allowance
        assert allowance is not None  # noqa: S101  the program has one
        kept = self._kept.get(place.key)
        ran = False
        if (
            kept is not None
            and kept.definition is place.definition
            and self._holds(m, allowance, place, kept)
        ):
            allowance.skip_run(m, place.length, kept.steps, kept.told)
        elif self._soon and not self._comes_first(place):
            self.partial = True
            kept = self._first.get(place.key) or self._stale.get(place.key, kept)
            if kept is None:
                return False
            allowance.skip_run(m, place.length, kept.steps, kept.told)
        else:
            if before is not None:
                before()
            kept = self._taken(m, allowance, place, run)
            self._edited.discard(place.definition)
            if self._outdated:
                # The program may come to something else at its end now.
                self._first[place.key] = kept
            else:
                self._kept[place.key] = kept
                self._stale.pop(place.key, None)
            self.repeated += 1
            ran = True
        m.built_with |= kept.built_with
        m.sets_default_device = kept.other_device[1]
        self._used.append(kept)
        self.listener.again(kept.found)
        return ran

    def _comes_first(self, place: Place) -> bool:
        """Whether a run is told of before all has been repeated: that of a function that was edited, if it is short."""
        stale, ended, code = self._stale.get(place.key), self._ended, place.definition
        edited = code in self._edited
        if edited and isinstance(code, ast.ClassDef):  # of which an instance is made
            edited = any(
                each in self._edited and getattr(each, "name", "") == "__init__" for each in code.body
            )
        if stale is None or ended is None or not edited:
            return False
        steps = stale.steps
        if place.needs is not None:
            needed = self._known(place.needs)
            steps += needed.steps if needed is not None else 0
        return stale.definition is code and steps <= self._few(ended)

    def _known(self, key: Hashable) -> Kept[_T] | None:
        return self._first.get(key) or self._kept.get(key) or self._stale.get(key)

    def again(self, m: Machine, place: Place, run: Callable[[], None]) -> None:
        """Run once more what was left out; what comes of it was told before."""
        kept, allowance = self._known(place.key), m.allowance
        assert allowance is not None  # noqa: S101  the program has one
        left, tell, budget = m.steps_left, m.emit_event, allowance.forced
        m.emit_event, allowance.forced = _nobody, 0 if kept is None else kept.budget
        try:
            run()
        finally:
            m.steps_left, m.emit_event, allowance.forced = left, tell, budget
            m.told = 0

    def end(self, m: Machine) -> None:
        """All have been run."""
        del m
        self._tell_presumed()
        self._is_whole = not self.partial
        if self._is_whole:
            self._stale.clear()
            self._edited.clear()

    def nothing_new(self) -> bool:
        """Whether nothing has been edited that any run has seen, or nothing can be run soon; then what was found is told again."""
        ended = self._ended
        if ended is not None and self._stands and self._displaced:
            self._tell_old(ended)
            return True
        if not self._is_whole or ended is None:
            return False
        self._tell_all(ended)
        return True

    def _tell_old(self, ended: Ended[_T]) -> None:
        """Tell what was found before the edit: definitions have come or gone, so that nothing can be run soon."""
        self.partial = True
        self._used = [*self._kept.values(), *self._stale.values()]
        self._tell_all(ended)

    def _tell_all(self, ended: Ended[_T]) -> None:
        self.repeated = 0
        self._tell_program(ended)
        for kept in self._used:
            self.listener.again(kept.found)
        self._tell_presumed()

    def _tell_program(self, ended: Ended[_T]) -> None:
        for each in ended.passed:
            self.listener.again(each.found)

    def _tell_presumed(self) -> None:
        ended = self._ended
        if ended is None:
            return
        facts: set[CallFact] = set(ended.end.call_facts.items)
        for kept in self._used:
            facts |= kept.call_facts
        elsewhere = Elsewhere(ended.machine.modules, ended.scope.source, facts)
        for presumed in (ended.presumed, *(kept.presumed for kept in self._used)):
            for told, found in presumed:
                if not shown_otherwise(facts, told, elsewhere):
                    self.listener.again(found)

    def _holds(self, m: Machine, allowance: Allowance, place: Place, kept: Kept[_T]) -> bool:
        if m.steps_left < 2 * limits.STEPS_PER_RUN or kept.other_device[0] is not m.sets_default_device:
            return False
        if not self._holds_still(kept.asked):
            return False
        by = allowance.budget_of(place.length, place.most) - kept.budget
        return kept.least + by > 0 and kept.most + by <= 0

    def _taken(self, m: Machine, allowance: Allowance, place: Place, run: Callable[[], None]) -> Kept[_T]:
        LOOKED_AT.clear()
        steps, other_device, built_with = m.steps_left, m.sets_default_device, m.built_with
        told = m.told_before
        m.built_with, m.call_facts = set(built_with), set()
        self.listener.begin()
        run()
        found = self.listener.end()
        presumed = list(self._judged(m))
        needed = self._known(place.needs) if place.needs is not None else None
        looked_at = frozenset(LOOKED_AT) if needed is None else needed.looked_at.union(LOOKED_AT)
        return Kept(
            place.definition,
            found,
            presumed,
            looked_at,
            steps - m.steps_left - limits.STEPS_OF_EVENT * (m.told_before - told),
            m.told_before - told,
            allowance.budget,
            allowance.least,
            allowance.most,
            frozenset(m.built_with - built_with),
            frozenset(m.call_facts),
            (other_device, m.sets_default_device),
            questions(looked_at),
        )

    def _judged(self, m: Machine) -> Iterator[tuple[Premise, _T]]:
        for told, event in m.notes.of(PresumedFindings).take():
            self.listener.begin()
            m.emit_event(event)
            yield told, self.listener.end()


def _nobody(event: Event) -> None:
    del event
