"""Record of a run that has taken place, and of the end of a program."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from devls.engine.core import limits
from devls.engine.core.budget import lines
from devls.engine.evidence.deferred import PresumedFindings
from devls.syntax.nodes import walk
from devls.values.facts import fact

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator

    from devls.engine.core.machine import Machine
    from devls.syntax.live import Change
    from devls.values.call_facts import CallFact, Premise
    from devls.values.state import Layer
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
    budget: int
    least: int
    most: int
    built_with: frozenset[ast.AST]
    call_facts: frozenset[CallFact]
    """Observations of calls, see `keeping.shown_otherwise`."""
    other_device: tuple[bool, bool]
    """Whether the file was known to have another default device before the run, and after it."""


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


@dataclass(eq=False, repr=False)
class Ended(Generic[_T]):
    """End of the program, and the things that it has read."""

    machine: Machine
    scope: Scope
    layer: Layer
    steps: int
    """How many it took."""
    steps_left: int
    looked_at: frozenset[ast.AST]
    least: int
    most: int
    other_device: bool
    built_with: frozenset[ast.AST]
    call_facts: frozenset[CallFact]
    """Observations of calls, see `keeping.shown_otherwise`."""
    lines: int
    """The length of the file that what it may spend went by."""
    found: _T
    churned: int = 0
    """How many lines have come and gone since in what it has looked at."""


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


def settle(m: Machine, ended: Ended[Any]) -> None:
    """Bring a machine back to where its program has ended, whatever it has been doing."""
    m.state.restore(ended.layer)
    m.frames, m.loops = m.frames[:1], []
    m.steps_left, m.run_ends_at, m.muted = ended.steps_left, 0, 0
    m.notes.drop()
    m.notes.of(PresumedFindings).take()
    m.executed = set(m.executed_by_program)
    m.built_with, m.call_facts = set(ended.built_with), set(ended.call_facts)
    m.sets_default_device = ended.other_device
    m.alternatives_called = 0
    m.refused = []
