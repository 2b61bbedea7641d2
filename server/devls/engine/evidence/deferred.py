"""Presumptions that the end of all runs settles: what calls in sight have shown of functions and parameters."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Final

from devls.engine.core import notes
from devls.engine.core.events.events import Event, Evidence
from devls.engine.evidence import init_reachability
from devls.values.call_facts import (
    Confirmed,
    GivenElsewhere,
    GivenMoved,
    GivenOnHost,
    HandedOn,
    NotGiven,
    OnAccelerator,
    Together,
    Unconfirmed,
    Weak,
)

if TYPE_CHECKING:
    from collections.abc import Hashable
    from collections.abc import Set as AbstractSet

    from devls.engine.evidence.callers import Elsewhere
    from devls.values.call_facts import CallFact, Premise


@notes.record
class PresumedFindings(notes.Record):
    """Findings that wait for the end of all runs, each with what it presumes."""

    __slots__ = ("waiting",)

    ADDED = ("waiting",)

    def __init__(self) -> None:
        self.waiting: list[tuple[Premise, Event]] = []

    def isolated(self) -> PresumedFindings:
        """All runs add to one record."""
        return self

    def size(self) -> int:
        """All of it may be told."""
        return len(self.waiting)

    def take(self) -> list[tuple[Premise, Event]]:
        """Deferred events, which are forgotten here."""
        found, self.waiting = self.waiting, []
        return found


@notes.record
class ShownByProgram(notes.Record):
    """Observations of the program about functions that run by themselves later."""

    __slots__ = ("moved", "on_host")

    def __init__(self) -> None:
        self.on_host: set[Hashable] = set()  # keys of parameters that it gives what is on the CPU
        self.moved: set[int] = set()  # expressions that make modules which it moves

    def isolated(self) -> ShownByProgram:
        """All runs are shown the same."""
        return self

    def recall(self, module: notes.Record) -> None:
        """A module shows to all what it shows while it is imported."""
        if isinstance(module, ShownByProgram):
            self.on_host |= module.on_host
            self.moved |= module.moved

    def size(self) -> int:
        """All of it may be asked for."""
        return len(self.on_host) + len(self.moved)


def shown_otherwise(called: AbstractSet[CallFact], told: Premise, elsewhere: Elsewhere) -> bool:
    """Whether calls show that something presumed is not so, of a function or of a parameter.

    Functions that nobody calls with gradients keep no graph; a parameter that is given tensors on the CPU, and none from
    elsewhere, is on no accelerator, nor is one that is handed on where it is given such tensors. Of what a function returns
    the same is kept that would be told. Code that runs only while modules are built runs before they are moved. A program that
    sets a default device has what it imports make its tensors there.

    Other files are asked last: what has run is known, and they have to be read.
    """
    if isinstance(told, Weak):
        return _shown_here(called, told.presumption)
    if isinstance(told, (Confirmed, Unconfirmed)):
        open_ = _no_call_confirms(called, told.presumption, elsewhere)
        return open_ is isinstance(told, Confirmed) or shown_otherwise(called, told.presumption, elsewhere)
    together = told.parts if isinstance(told, Together) else (told,)
    return any(_shown_here(called, each) for each in together) or any(
        map(elsewhere.shows_otherwise, together)
    )


def _shown_here(called: AbstractSet[CallFact], told: Premise) -> bool:
    if isinstance(told, Together):
        return any(_shown_here(called, each) for each in told.parts)
    if isinstance(told, OnAccelerator):
        return _on_host(called, told.parameter, set())
    return told in called or init_reachability.is_shown(told)


def _no_call_confirms(called: AbstractSet[CallFact], told: Premise, elsewhere: Elsewhere) -> bool:
    """Whether some parameter is presumed on an accelerator of which all calls are in sight, and none gives it what was moved."""
    together = told.parts if isinstance(told, Together) else (told,)
    return any(
        isinstance(each, OnAccelerator) and _is_left_open(called, each.parameter, elsewhere, set())
        for each in together
    )


def _is_left_open(
    called: AbstractSet[CallFact], parameter: Hashable, elsewhere: Elsewhere, seen: set[Hashable]
) -> bool:
    seen.add(parameter)
    if GivenMoved(parameter) in called:
        return False
    handed_on = {each.source for each in called if isinstance(each, HandedOn) and each.parameter == parameter}
    return elsewhere.confirms_nothing(parameter) and all(
        each in seen or _is_left_open(called, each, elsewhere, seen) for each in handed_on
    )


def _on_host(called: AbstractSet[CallFact], parameter: Hashable, seen: set[Hashable]) -> bool:
    if GivenElsewhere(parameter) in called:
        return False
    seen.add(parameter)
    handed_on = [
        each.source
        for each in called
        if isinstance(each, HandedOn) and each.parameter == parameter and each.source != parameter
    ]
    shown = handed_on or GivenOnHost(parameter) in called or NotGiven(parameter) in called
    return bool(shown) and all(each in seen or _on_host(called, each, seen) for each in handed_on)


def silenced(event: Event) -> Event:
    """A finding that calls in sight have shown to be none; it is told of only where all that was considered is asked for."""
    vars(event)["evidence"] = (*event.evidence, SHOWN_OTHERWISE)
    vars(event)["silenced"] = True
    return event


SHOWN_OTHERWISE: Final = Evidence(
    "calls-show-otherwise",
    "calls in sight run the function without gradients, give it what is on the CPU, or move its result, or it runs before anything is moved,"
    " or a program that imports it sets another default device",
    "against",
)


def as_possible(event: Event) -> Event:
    """The same finding where no call in sight confirms what it presumes: possible only."""
    other = copy.copy(event)
    vars(other)["evidence"] = (*event.evidence, NO_CALL_CONFIRMS)
    vars(other)["possible"] = True
    return other


NO_CALL_CONFIRMS: Final = Evidence(
    "no-call-confirms",
    "somebody gives the function what was moved to an accelerator, though none of the calls in sight is seen to",
    "for",
)
