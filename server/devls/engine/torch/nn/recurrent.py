"""Results of recurrent layers: outputs of all steps, and the states behind the last one.

Shapes as torch has them: for a batch (a batch, its steps, features; the first two the other way round without `batch_first`)
outputs of the same order and states of (layers times directions, batch, features); without a batch one dimension less of each.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Final

from devls.engine.torch.tensors.shape_rules import number
from devls.values.graph import Storage
from devls.values.value import FALSE, TRUE, TensorValue, TupleValue

if TYPE_CHECKING:
    from collections.abc import Mapping

    from devls.engine.core.machine import Machine

LAYERS: Final = frozenset({"torch.nn.RNN.forward", "torch.nn.GRU.forward", "torch.nn.LSTM.forward"})


def finished(m: Machine, operation: str, given: Mapping[str, object], result: object) -> object:
    """The result of a recurrent layer, with what is known of its shapes; the two states of an LSTM are a tuple of their own."""
    outputs, hidden = (
        result.items if isinstance(result, TupleValue) and len(result.items) == 2 else (None, None)
    )
    if not isinstance(outputs, TensorValue) or not isinstance(hidden, TensorValue):
        return result
    _shape(m, given, outputs, hidden)
    if operation != "torch.nn.LSTM.forward":
        return result
    cell = copy.copy(hidden)
    cell.storage = Storage()
    return TupleValue((outputs, TupleValue((hidden, cell))))


def _shape(m: Machine, given: Mapping[str, object], outputs: TensorValue, hidden: TensorValue) -> None:
    tensor = m.resolve(given.get("input"))
    projected = m.resolve(given.get("proj_size"))
    if not isinstance(tensor, TensorValue) or tensor.shape is None or len(tensor.shape) not in (2, 3):
        return
    size = number(m, given.get("hidden_size")) if projected is None else None
    ways = _flag(m, given, "bidirectional")
    both = None if ways is None else 1 + ways
    layers = 1 if given.get("num_layers") is None else number(m, given["num_layers"])
    features = None if size is None or both is None else size * both
    states = None if layers is None or both is None else layers * both
    outputs.shape = (*tensor.shape[:-1], features)
    first = _flag(m, given, "batch_first")
    batch = () if len(tensor.shape) == 2 else (None if first is None else tensor.shape[0 if first else 1],)
    hidden.shape = (states, *batch, size)


def _flag(m: Machine, given: Mapping[str, object], name: str) -> bool | None:
    value = m.resolve(given.get(name, FALSE))
    return value == TRUE if value in (TRUE, FALSE) else None
