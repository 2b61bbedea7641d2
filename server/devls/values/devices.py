"""Devices: known ones, named ones, and how two of them compare."""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from devls.values.conditions import (
    ACCELERATOR_PRESENT,
    Assumptions,
    Condition,
    Either,
    Tree,
    cases,
    implied,
    leaves,
)
from devls.values.facts import fact

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable


@dataclass(frozen=True)
class KnownDevice:
    """`cpu`, `cuda`, `cuda:1`, `mps`, ... An index of None is "the current one"."""

    type: str
    index: int | None = None

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    @property
    def is_accelerator(self) -> bool:
        """Whether it is anything but the host (and `meta`, which is nowhere)."""
        return self.type not in ("cpu", "meta")


@fact
class NamedDevice:
    """A device we know only by where it comes from; equal keys are the same device.

    `may_accelerate` tells a device that somebody will choose (args.device, a parameter
    `device`, the device of a model's input) from one that is merely not known.
    """

    key: Hashable
    text: str
    may_accelerate: bool = True
    chosen: bool = True  # False for the device of an argument, which nobody names
    type: str = ""  # known where only the index is not
    by_test: bool = True  # False for the device of a module: a test of its method chooses nothing there

    def __str__(self) -> str:
        return self.text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NamedDevice) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)


@dataclass(frozen=True, eq=False)
class UnknownDevice:
    """Not known: no device is equal to it."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UnknownDevice)

    def __hash__(self) -> int:
        return hash(UnknownDevice)

    def __str__(self) -> str:
        return "?"


CPU: Final = KnownDevice("cpu")
CUDA: Final = KnownDevice("cuda")
META: Final = KnownDevice("meta")
UNKNOWN_DEVICE: Final = UnknownDevice()
MENDED_DEVICE: Final = UnknownDevice()
"""Device of the results of a module that stayed behind, and has been reported: with its other layers it agrees."""
CURRENT_CARD: Final = "the current card"
"""The key of the device that `f"cuda:{torch.cuda.current_device()}"` is."""

DEVICE_TYPES: Final = frozenset(
    "cpu cuda ipu xpu mkldnn opengl opencl ideep hip ve fpga maia xla lazy vulkan mps meta hpu mtia"
    " privateuseone".split()
)
"""Devices that `torch.device` accepts, as listed in its own error message (torch 2.13)."""

PLUGGED_IN: Final = frozenset("npu mlu musa sdaa gcu neuron habana supa".split())
"""Device names of vendors' packages (`torch.utils.rename_privateuse1_backend`): torch takes them once the package is
imported, which depends on the run.
"""

_DEVICE_STRING: Final = re.compile(r"([a-z_]+)(?::(0|[1-9]\d{0,9}))?")
_LAST_INDEX: Final = 2**31 - 1
"""Torch reads no larger number of a device (`tests/against_torch`)."""


def parse_device(text: str) -> KnownDevice | None:
    """A device string as torch reads it; None where torch raises."""
    found = _DEVICE_STRING.fullmatch(text)
    if found is None or found[1] not in DEVICE_TYPES | PLUGGED_IN:
        return None
    number = None if found[2] is None else int(found[2])
    if number is not None and number > _LAST_INDEX:
        return None
    return CPU if found[1] == "cpu" else KnownDevice(found[1], number)


class Verdict(enum.Enum):
    """How two devices compare."""

    SAME = "same"
    DIFFERENT = "different"
    WHEN_ACCELERATED = "different whenever an accelerator is used"
    UNKNOWN = "cannot tell"


def compare_known(left: object, right: object) -> Verdict:
    """Compare two leaves."""
    if isinstance(left, UnknownDevice) or isinstance(right, UnknownDevice):
        return Verdict.UNKNOWN
    if isinstance(left, NamedDevice) and isinstance(right, NamedDevice):
        return Verdict.SAME if left == right else Verdict.UNKNOWN
    if isinstance(left, NamedDevice) and isinstance(right, KnownDevice):
        left, right = right, left
    if isinstance(left, KnownDevice) and isinstance(right, NamedDevice):
        if left.type == "cpu" and right.may_accelerate:
            return Verdict.WHEN_ACCELERATED
        if right.key == CURRENT_CARD and left == CUDA:
            return Verdict.SAME
        if right.type == left.type == "cuda" and not left.index:
            return Verdict.WHEN_ACCELERATED  # the current card, where somebody chooses a card
        return Verdict.UNKNOWN
    if not isinstance(left, KnownDevice) or not isinstance(right, KnownDevice):
        return Verdict.UNKNOWN
    if "meta" in (left.type, right.type):
        return Verdict.UNKNOWN if left != right else Verdict.SAME
    if left.type != right.type:
        return Verdict.DIFFERENT
    # "cuda" is the current device: 0 unless somebody says otherwise.
    return Verdict.SAME if (left.index or 0) == (right.index or 0) else Verdict.DIFFERENT


@fact
class Comparison:
    """Result of comparing two device trees, and the leaves that made it so."""

    verdict: Verdict
    left: object = UNKNOWN_DEVICE
    right: object = UNKNOWN_DEVICE
    conditions: tuple[tuple[Condition, bool], ...] = ()
    always: bool = False  # different on every path
    free: tuple[Condition, ...] = ()  # tests it depends on that choose no accelerator


SAME: Final = Comparison(Verdict.SAME)
UNKNOWN: Final = Comparison(Verdict.UNKNOWN)


def compare(left: Tree, right: Tree, assumed: Callable[[Condition], bool | None]) -> Comparison:
    """Compare two trees over the choices that the path allows.

    A test that chooses the accelerator for one side is taken to choose it: code that
    differs only because one of two such tests says no is not what fails on a server.
    """
    if type(left) is not Either and type(right) is not Either:
        verdict = _verdict(left, right, {}, assumed)
        if verdict is Verdict.SAME or verdict is Verdict.UNKNOWN:
            return SAME if verdict is Verdict.SAME else UNKNOWN
        return Comparison(verdict, left, right, always=True)
    choices = accelerating_choices(left) | accelerating_choices(right)
    taken = _taken(left, right, choices)
    likely: set[tuple[Condition, bool]] | None = None
    unknown = False
    conflict: Comparison | None = None
    every = True
    for assumptions, (a, b) in cases(left, right):
        if any(assumed(test) not in (None, side) for test, side in assumptions.items()):
            continue
        if any((test, not side) in taken for test, side in assumptions.items()):
            continue
        verdict = _verdict(a, b, assumptions, assumed)
        if verdict in (Verdict.DIFFERENT, Verdict.WHEN_ACCELERATED):
            if assumptions.get(ACCELERATOR_PRESENT) is False:
                continue  # where none is there nothing is on one
            if likely is None:
                found = accelerating_choices(left, _not_moved_there) | accelerating_choices(
                    right, _not_moved_there
                )
                likely = _taken(left, right, found)
            if any((test, not side) in likely for test, side in assumptions.items()):
                continue
            if conflict is None:
                # A choice that the path has already made is no condition of the message.
                made = tuple((test, side) for test, side in assumptions.items() if assumed(test) is None)
                if any(test == ACCELERATOR_PRESENT or (test, side) in choices for test, side in made):
                    verdict = Verdict.WHEN_ACCELERATED
                free = tuple(
                    test for test, side in made if test != ACCELERATOR_PRESENT and (test, side) not in choices
                )
                conflict = Comparison(verdict, a, b, made, free=free)
        else:
            every = False
            unknown = unknown or verdict is Verdict.UNKNOWN
    if conflict is not None:
        return Comparison(
            conflict.verdict, conflict.left, conflict.right, conflict.conditions, every, conflict.free
        )
    return UNKNOWN if unknown else SAME


def _taken(left: Tree, right: Tree, choices: set[tuple[Condition, bool]]) -> set[tuple[Condition, bool]]:
    """The choices of an accelerator that are taken to be made.

    A test that sends the one side there, and the other side if it says no, has them apart either way.
    """
    sides = _accelerated_sides(left) | _accelerated_sides(right) if choices else set()
    return {(test, side) for test, side in choices if (test, not side) not in sides}


def _verdict(
    left: object, right: object, assumptions: Assumptions, assumed: Callable[[Condition], bool | None]
) -> Verdict:
    """Compare two leaves. Of two that somebody chooses a test asks one only: where that is the CPU, so is the other."""
    here, there = _where(left, assumptions, assumed), _where(right, assumptions, assumed)
    if isinstance(left, NamedDevice) and isinstance(right, NamedDevice) and CPU in (here, there):
        return Verdict.SAME if here == there else Verdict.UNKNOWN
    return compare_known(here, there)


def _where(device: object, assumptions: Assumptions, assumed: Callable[[Condition], bool | None]) -> object:
    """A leaf; the CPU, if its type was compared to that and found equal; not known, where it was found not to be CUDA.

    A program that asks for that one accelerator has no other in mind.
    """
    if not isinstance(device, NamedDevice):
        return device
    is_cpu = Condition.known(("device type", device.key, "cpu"))
    if is_cpu is not None and (assumed(is_cpu) is True or implied(is_cpu, assumptions)):
        return CPU
    is_cuda = Condition.known(("device type", device.key, "cuda"))
    if is_cuda is None or assumptions.get(is_cuda, assumed(is_cuda)) is not False:
        return device
    return UNKNOWN_DEVICE


def accelerating_choices(
    tree: Tree, left_alone: Callable[[Tree], bool] | None = None
) -> set[tuple[Condition, bool]]:
    """The (test, side) pairs that put a tree on an accelerator where the other side is the CPU, or wherever it was before.

    `left_alone` tells what that other side may be.
    """
    if not isinstance(tree, Either):
        return set()
    stays = left_alone or _unmoved_throughout
    found = accelerating_choices(tree.then, stays) | accelerating_choices(tree.otherwise, stays)
    then = any(_accelerated(leaf) for leaf in leaves(tree.then))
    otherwise = any(_accelerated(leaf) for leaf in leaves(tree.otherwise))
    if then and stays(tree.otherwise):
        found.add((tree.condition, True))
    if otherwise and stays(tree.then):
        found.add((tree.condition, False))
    return found


def _unmoved_throughout(tree: Tree) -> bool:
    return all(map(_unmoved, leaves(tree)))


def _not_moved_there(tree: Tree) -> bool:
    """Whether a tree is the CPU, or that or nobody knows what: `cuda`, else `cpu`, else what no code in sight chooses."""
    found = leaves(tree)
    return all(_unmoved(each) or isinstance(each, UnknownDevice) for each in found) and any(
        map(_unmoved, found)
    )


def _accelerated_sides(tree: Tree) -> set[tuple[Condition, bool]]:
    """The (test, side) pairs on which a tree may be on an accelerator."""
    if not isinstance(tree, Either):
        return set()
    found = _accelerated_sides(tree.then) | _accelerated_sides(tree.otherwise)
    for side, part in ((True, tree.then), (False, tree.otherwise)):
        if any(map(_accelerated, leaves(part))):
            found.add((tree.condition, side))
    return found


def _unmoved(leaf: object) -> bool:
    return leaf == CPU or (isinstance(leaf, NamedDevice) and not leaf.chosen)


def _accelerated(leaf: object) -> bool:
    if isinstance(leaf, NamedDevice):
        return leaf.chosen and leaf.by_test and leaf.may_accelerate
    return isinstance(leaf, KnownDevice) and leaf.is_accelerator


def describe(device: Tree) -> str:
    """How a device is named to the user."""
    if isinstance(device, Either):
        found = dict.fromkeys(map(str, leaves(device)))
        if len(found) > 1:
            found.pop(str(UNKNOWN_DEVICE), None)  # what is known of it is what there is to say
        return " or ".join(found)
    return str(device)
