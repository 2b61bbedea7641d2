"""Mistakes that no program shows yet, by their events and the word for what is wrong.

A rule that tells several mistakes is asked about by one builder. A mistake that is new stands here until the builder knows it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from devls.engine.core.events.calls import ActivationDoubled, FunctionMisused, NotCallable
from devls.engine.core.events.events import FlagWithoutEffect, OptimizerGiven
from devls.engine.core.events.protocols import SchedulerIdle

if TYPE_CHECKING:
    from devls.engine.core.events.events import Event

UNWRITTEN: Final[dict[type[Event], tuple[str, frozenset[str]]]] = {
    ActivationDoubled: (
        "problem",
        frozenset(
            {
                "bounded scores",
                "logarithms as target",
                "no signs",
                "other dimension",
                "scores without sign",
                "sigmoid of relu",
            }
        ),
    ),
    FlagWithoutEffect: ("problem", frozenset({"compared", "setting", "wrapped before", "wrapped frozen"})),
    FunctionMisused: ("problem", frozenset({"forward"})),
    NotCallable: ("kind", frozenset({"whole", "wrapped silently"})),
    OptimizerGiven: ("problem", frozenset({"made anew", "unfrozen"})),
    SchedulerIdle: ("problem", frozenset({"epoch watched", "made anew", "no metric"})),
}
"""The field of an event with the word, and the words without a program."""


def is_written(event: Event) -> bool:
    """Whether the builder of the event's rule knows this mistake."""
    field, words = UNWRITTEN.get(type(event), ("", frozenset()))
    return getattr(event, field, None) not in words
