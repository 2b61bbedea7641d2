"""Batches of which we see no code: their parts lie where whoever made the batch put them, and require no grad.

A program that moves one part of a batch leaves the others on the CPU.
"""

from __future__ import annotations

import ast
import functools
from typing import TYPE_CHECKING, Final

from devls.engine.core import priors, training_moments
from devls.engine.core.events.events import BackwardWithoutGraph
from devls.engine.evidence import loaded_batches, naming_priors
from devls.engine.evidence.presumptions import HALF, rests_on
from devls.engine.torch import checkpoints, frameworks
from devls.syntax.layout import parents
from devls.values.conditions import apply, leaves
from devls.values.devices import CPU, UNKNOWN_DEVICE, KnownDevice, NamedDevice
from devls.values.facts import fact
from devls.values.history import Step
from devls.values.state import MISSING
from devls.values.value import Symbol

if TYPE_CHECKING:
    from collections.abc import Hashable

    from devls.engine.core.machine import Machine
    from devls.values.conditions import Tree
    from devls.values.value import TensorValue


@functools.lru_cache(maxsize=4096)
def works_on_host(name: str) -> bool:
    """Whether something prepares data, going by what it is called; asked of the same names again and again."""
    return naming_priors.PREPARES_DATA.search(name) is not None


@functools.lru_cache(maxsize=4096)
def exports(name: str) -> bool:
    """Whether something exports a model, going by what it is called."""
    return naming_priors.EXPORTS_MODEL.search(name) is not None


def prepared(value: Symbol) -> bool:
    """Whether something is what a function has given that prepares data: `self.preprocess(...)`."""
    called, made, _ = value.text.rpartition("(...)")
    return bool(made) and works_on_host(called.rpartition(".")[2])


@functools.lru_cache(maxsize=4096)
def gives_data(name: str) -> bool:
    """Whether a parameter hands out data, going by what it is called."""
    return naming_priors.DATA_SOURCE.search(name) is not None


@functools.lru_cache(maxsize=4096)
def is_expected(name: str) -> bool:
    """Whether what a parameter holds may well be on an accelerator, going by what it is called."""
    return naming_priors.DATA_SOURCE.search(name) is None and naming_priors.STATE_DICT.search(name) is None


def of_data(parameter: Hashable | None) -> bool:
    """The same of a parameter's key."""
    return isinstance(parameter, tuple) and gives_data(str(parameter[2]))


def is_somewhere(device: Tree) -> bool:
    """Whether a device says more than that nothing is known, or that nobody moved anything; it may be a choice."""
    found = list(leaves(device))
    return all(isinstance(leaf, (NamedDevice, KnownDevice)) for leaf in found) and any(
        leaf != CPU for leaf in found
    )


@training_moments.part_moved.on
def part_moved(m: Machine, owner: Symbol, device: Tree, node: ast.expr, text: str) -> None:
    """`x.to(device)` on one part of a batch: the others stay where they are."""
    batch = owner.part_of
    if batch is None or not is_somewhere(device):
        return
    if any(_is_where_a_part_is(leaf, batch) for leaf in leaves(device)):
        return  # to where another part is: that says nothing of where the batch has been made
    if any(map(frameworks.is_own_device, leaves(device))):
        return  # to where the framework has put the others, too, if it has prepared the loader
    if _was_given_before(m, batch):
        return  # what an object was given when it was built has been through its other methods
    m.state.set(batch, "#parts moved", (owner.key, m.site(node), text, _left_beside(m, node)))


def _left_beside(m: Machine, node: ast.expr) -> frozenset[object]:
    """The keys of what is left as it is beside a move, on purpose: `(x.to(device), y.to(device), weight)`."""
    display = parents(m.source).get(node)
    if not isinstance(display, (ast.Tuple, ast.List)):
        return frozenset()
    values = (m.resolve(m.eval(each)) for each in display.elts if isinstance(each, ast.Name))
    return frozenset(each.key for each in values if isinstance(each, Symbol))


def _is_left_behind(symbol: Symbol, moved: object) -> bool:
    """Whether a move of a part of a batch leaves another part where it was made, going by what is noted of the move."""
    return isinstance(moved, tuple) and moved[0] != symbol.key and symbol.key not in moved[3]


def _was_given_before(m: Machine, batch: Symbol) -> bool:
    """Whether something was given to a function that is not running any more."""
    key = batch.key
    if not isinstance(key, tuple) or key[0] != "parameter":
        return False
    return all(each.function is None or id(each.function.definition) != key[1] for each in m.frames)


def _is_where_a_part_is(device: object, batch: Symbol) -> bool:
    """Whether a device is that of something in a batch: `batch["x"].device`."""
    key = device.key if isinstance(device, NamedDevice) else None
    owner = key[1] if isinstance(key, tuple) and len(key) > 1 else None
    return isinstance(owner, tuple) and len(owner) > 1 and owner[1] == batch.key


@priors.device_of_batch_part.answer
def part_device(m: Machine, tensor: TensorValue) -> Tree | None:
    """Device of a part of a batch of which another part was moved; None for anything else."""
    symbol = tensor.symbol
    if symbol is None or symbol.part_of is None or m.inferred.get(symbol) is not tensor:
        return None
    moved = m.state.get(symbol.part_of, "#parts moved", MISSING)
    if moved is MISSING:
        return CPU if loaded_batches.as_loaded(m, symbol) is not None else None
    return apply(
        lambda each: CPU if _is_left_behind(symbol, each) else tensor.device,
        m.state.resolve(moved),
        too_many=UNKNOWN_DEVICE,
    )


@priors.batch_part_step.answer
def part_step(m: Machine, tensor: TensorValue) -> Step | None:
    """How a part of a batch came to be where it is, where another part was moved."""
    symbol = tensor.symbol
    if symbol is None or symbol.part_of is None or m.inferred.get(symbol) is not tensor:
        return None
    for each in leaves(m.state.get(symbol.part_of, "#parts moved", MISSING)):
        if _is_left_behind(symbol, each) and isinstance(each, tuple):
            return Step(
                f"`{each[2]}` of the same batch is moved here, this part of it is not", each[1], kind="left"
            )
    return loaded_batches.as_loaded(m, symbol)


@priors.is_batch_part.answer
def is_batch_part(symbol: Symbol) -> bool:
    """Whether a part of something is a tensor of a batch that a loader hands out, never a Python number."""
    return symbol.part_of is not None and bool(naming_priors.LOADER.search(symbol.part_of.text))


@priors.is_in_tensors.answer
def in_tensors(m: Machine, symbol: Symbol) -> bool:
    """Whether an unknown operand is taken for a tensor: it is said to be one, or a model or a loader made it."""
    if symbol.hint:
        return symbol.hint == "tensor"
    if symbol.device is not None or symbol.computed is not None:
        return not checkpoints.is_read_from_load(symbol.key)  # files hold numbers and lists as well
    if symbol.part_of is not None and loaded_batches.as_loaded(m, symbol) is not None:
        return True
    moved = m.state.get(symbol.part_of, "#parts moved")
    return is_batch_part(symbol) and any(
        isinstance(each, tuple) and symbol.key not in each[3] for each in leaves(moved)
    )


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


_PARTS: Final = frozenset({"item", "part", "attr"})


def is_given(symbol: Symbol) -> bool:
    """Whether something is an argument of a function, or a part of one: it was there before the function began."""
    key = symbol.key
    while isinstance(key, tuple) and key and key[0] in _PARTS:
        key = key[1]
    return priors.is_batch_part(symbol) or (isinstance(key, tuple) and bool(key) and key[0] == "parameter")


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
