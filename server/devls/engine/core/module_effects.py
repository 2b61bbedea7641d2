"""Effects of running a module that its importer takes over, beside the values in its scope. Methods of the machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.engine.core.joins import added
from devls.engine.core.notes import Notes
from devls.values.state import MISSING

if TYPE_CHECKING:
    from devls.engine.core.machine import Machine
    from devls.project.modules import Functions
    from devls.values.state import Key


class Recalled:
    """The functions that were taken over already, by module: an import in a function runs with each call of it.

    It holds for the collections they were put into. Whoever takes something out of those has the notes replaced.
    """

    def __init__(self) -> None:
        self._into: tuple[object, ...] = ()
        self._known: dict[int, Functions] = {}

    def is_news(self, m: Machine, functions: Functions) -> bool:
        """Whether the machine has not taken them over since its collections were made; it has from now on."""
        into = m.executed, m.built_with, m.call_facts, m.inferred, m.notes
        if len(into) != len(self._into) or any(
            now is not then for now, then in zip(into, self._into, strict=True)
        ):
            self._into, self._known = into, {}
        elif id(functions) in self._known:
            return False
        self._known[id(functions)] = functions
        return True


def recall(m: Machine, functions: Functions) -> None:
    """Take over what running a module has noted beside the state."""
    m.sets_default_device |= functions.other_device
    if isinstance(functions.notes, Notes):
        m.notes.recall(functions.notes)
    if m.recalled.is_news(m, functions):
        m.executed |= functions.executed
        m.built_with |= functions.built_with
        m.call_facts |= functions.call_facts
        m.inferred |= functions.inferred


def repeat(m: Machine, effects: dict[Key, object]) -> None:
    """Let happen here what running a module did to objects that are not its own."""
    for (owner, slot), value in effects.items():
        m.state.set(owner, slot, added(m.state.get(owner, slot, MISSING), value))
