"""Events of the family `training`: neutral facts, which rules judge."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.engine.core.events.events import Event
from devls.values.facts import fact

if TYPE_CHECKING:
    from devls.values.history import Site


@fact
class NormalisedElsewhere(Event):
    """Numbers that add up to one over the samples of a batch are used along another dimension."""

    softmax: Site
    over: int  # the dimension along which they add up to one
    along: int  # the one along which they are used
    use: str  # "product", "scores"
