"""The judge: which presumptions concern a finding, whether anybody is told of it, and how sure it is."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, Final

from devls.engine.core import budget
from devls.engine.core.events.events import Evidence
from devls.engine.evidence.presumptions import VETO, WHOLE, Presumption, concerning
from devls.values.facts import fact

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from devls.engine.core.events.events import Event
    from devls.engine.core.machine import Machine


@fact
class Judgement:
    """Presumptions that were weighed, and the verdict."""

    applied: tuple[Presumption, ...]
    """Entries that hold in the case, in the order of the table; up to the first that silences, unless all are asked
    for.
    """
    weight: int
    """Sum of the presumptions' weights."""
    silenced: bool
    """Whether nobody is to be told."""

    @property
    def weak(self) -> bool:
        """Whether so much is presumed that the finding is possible only."""
        return self.weight >= WHOLE

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """Presumptions that were weighed, for listeners."""
        return tuple(Evidence(entry.id, entry.says, entry.side.value) for entry in self.applied)


NOTHING: Final = Judgement((), 0, silenced=False)
"""Judgement without a presumption to weigh."""


class Observer:
    """Somebody who looks at all that is weighed, as the counts of `benchmarks/presumption_counts.py` do."""

    def judged(self, asked: list[Presumption], judgement: Judgement) -> None:
        """A case was judged, on all entries that were asked."""
        raise NotImplementedError


_observers: list[Observer] = []


@contextlib.contextmanager
def observed_by(observer: Observer) -> Iterator[None]:
    """Have somebody look at all judgements of this process for a while; then no entry is left out."""
    _observers.append(observer)
    try:
        yield
    finally:
        _observers.remove(observer)


def judge(m: Machine, about: type[Event], case: Any) -> Judgement:
    """Weigh a case; the first entry that silences it ends this, unless somebody wants to know of all."""
    entries = concerning(about)
    exhaustive = m.keeps_silenced or bool(_observers)
    applied: list[Presumption] = []
    weight = 0
    for entry in entries:
        count = int(entry.applies(case, m))
        if not count:
            continue
        applied.append(entry)
        if entry.weight != VETO:
            weight += count * entry.weight
        elif not exhaustive:
            break
    found = Judgement(tuple(applied), weight, any(entry.weight == VETO for entry in applied))
    for each in _observers:
        each.judged(entries, found)
    return found


def emit(m: Machine, judgement: Judgement, event: Callable[[], Event]) -> None:
    """Tell of an event, or keep it as silenced where that is asked for."""
    if judgement.silenced and not m.keeps_silenced:
        return
    if m.silent:
        return
    budget.pay_for_event(m)
    m.emit_event(marked(event(), judgement))


def marked(event: Event, judgement: Judgement) -> Event:
    """An event, with the names of what was weighed; it was just made, and nobody has seen it yet."""
    vars(event)["evidence"] = judgement.evidence
    vars(event)["silenced"] = judgement.silenced
    return event
