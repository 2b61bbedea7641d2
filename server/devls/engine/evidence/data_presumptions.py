"""The presumption that data does not require grad, on which findings about losses without a graph rest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from devls.engine.core import priors
from devls.engine.core.events.events import BackwardWithoutGraph
from devls.engine.evidence.presumptions import HALF, rests_on
from devls.values.facts import fact

if TYPE_CHECKING:
    from devls.engine.core.machine import Machine
    from devls.values.value import Symbol


@fact
class DataCase:
    """A backward whose graph was cut in front of the prediction, and the data that the loss was computed of beside it."""

    data: tuple[Symbol, ...]


_GIVEN: Final = frozenset({"parameter", "item", "part"})
_MADE: Final = frozenset({"result", "attr"})


def is_data(symbol: Symbol, *, is_target: bool) -> bool:
    """Whether something is a part of what a loader hands out, or a target: an argument, a part of one, or made of one."""
    if symbol.computed is not None:
        return False
    if priors.is_batch_part(symbol):
        return True
    key = symbol.key
    while isinstance(key, tuple) and key[0] in _MADE:
        key = key[1]  # `target.float()`
    return is_target and isinstance(key, tuple) and key[0] in _GIVEN


@rests_on(
    BackwardWithoutGraph,
    "data-needs-no-grad",
    "parts of batches, and targets of losses, do not require grad",
    weight=HALF,
    seen="tests/specs/fragments.md:497",
)
def data_needs_no_grad(case: DataCase, m: Machine) -> int:
    """Held where any data of which nobody knows is in the loss."""
    del m
    return int(bool(case.data))
