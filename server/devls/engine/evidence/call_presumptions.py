"""Presumptions about single calls.

Their subjects are tensors that torch takes on the CPU only, accelerators asked for by name, and values that loops keep.
"""

from __future__ import annotations

import ast
import functools
from typing import TYPE_CHECKING

from devls.engine.core.events.calls import DeviceDemanded, HostArgument
from devls.engine.core.events.events import GraphKept
from devls.engine.core.events.protocols import NumberIndexed
from devls.engine.core.invocation import Invocation
from devls.engine.evidence import naming_priors
from devls.engine.evidence.presumptions import against, rests_on
from devls.syntax.layout import ancestors
from devls.syntax.nodes import walk
from devls.values.conditions import ACCELERATOR_PRESENT, Either, parts, resolve
from devls.values.facts import fact

if TYPE_CHECKING:
    from devls.engine.core.machine import Machine
    from devls.engine.core.machine_types import Frame
    from devls.values.conditions import Condition, Tree
    from devls.values.devices import Comparison


@fact
class KeptCase:
    """A value that outlives the iterations of a loop."""

    in_test: bool  # whether a unit test was running
    emptied: bool = False  # whether another method of the object that has the list empties it


# Against: arguments that torch takes on the CPU only


@against(
    HostArgument,
    "one-of-several",
    "it is one of several values, and which of them is not known",
    seen="tests/specs/control_flow.md:409",
)
def one_of_several(comparison: Comparison, m: Machine) -> bool:
    """Items of a list that are too many to keep apart."""
    del m
    return any(test.text == "one of several" for test, _ in comparison.conditions)


# Against: accelerators that are asked for by name


@against(
    DeviceDemanded,
    "devices-are-asked-for",
    "the way that leads here has asked for devices before: somebody knows what is done here",
    seen="rules/current_card_taken.md:14",
)
def devices_are_asked_for(case: object, m: Machine) -> bool:
    """`if args.cuda:`, `if torch.cuda.is_available():`, `@only_cuda`; and `if device == "cuda":`, however that comes out."""
    if m.state.assumed(ACCELERATOR_PRESENT) is not None or any(map(_is_decorated_so, m.frames)):
        return True
    if any(map(_compares_with_cuda, _tests_around(m, case))):
        return True
    return any(
        _is_about_devices(test) and not _holds_without(test, value=value)
        for test, value in m.state.assumptions()
    )


@against(
    DeviceDemanded,
    "caller-asks-for-cuda",
    "a method that is called `cuda` does what it says, and is called for that",
    seen="rules/hard_coded_device.md:308",
)
def caller_asks_for_cuda(case: object, m: Machine) -> bool:
    """As those of modules and tensors."""
    del case
    return any(each.function is not None and each.function.name == "cuda" for each in m.frames)


@against(
    DeviceDemanded,
    "card-measured",
    "a function that makes CUDA events measures the card itself",
    seen="rules/hard_coded_device.md:327",
)
def card_measured(case: Invocation, m: Machine) -> bool:
    """It waits for the card between two events."""
    function = m.frame.function
    return (
        case.name == "torch.cuda.synchronize"
        and function is not None
        and function.source.mentions(function.node, "cuda.Event")
    )


@against(
    DeviceDemanded,
    "process-takes-its-card",
    "which card a process takes is said under a test, where several processes run on cards",
    seen="rules/hard_coded_device.md:327",
)
def process_takes_card(case: Invocation, m: Machine) -> bool:
    """`if "RANK" in os.environ: torch.cuda.set_device(rank)`."""
    return case.name == "torch.cuda.set_device" and bool(m.state.assumptions())


def _tests_around(m: Machine, case: object) -> list[ast.expr]:
    """The tests that a call stands under, within its function."""
    node = case.node if isinstance(case, Invocation) else None
    found: list[ast.expr] = []
    for each in ancestors(m.source, node) if node is not None else ():
        if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef)):
            break
        if isinstance(each, (ast.If, ast.IfExp)):
            found.append(each.test)
    return found


def _compares_with_cuda(test: ast.expr) -> bool:
    return any(
        isinstance(each, ast.Compare)
        and any(
            isinstance(side, ast.Constant) and isinstance(side.value, str) and side.value.startswith("cuda")
            for side in each.comparators
        )
        for each in walk(test)
    )


def _is_decorated_so(frame: Frame) -> bool:
    """Whether a decorator of the running function speaks of accelerators: it decides where that runs."""
    node = None if frame.function is None else frame.function.node
    return any(
        naming_priors.SPEAKS_OF_ACCELERATORS.search(ast.unparse(each)) is not None
        for each in getattr(node, "decorator_list", ())
    )


def _holds_without(test: Condition, *, value: bool) -> bool:
    """Whether a test comes out so wherever there is no accelerator: it says nothing about where this runs."""
    tree = parts(test)
    return tree is not None and resolve(tree, _without_accelerator) is value


def _without_accelerator(test: Condition) -> bool | None:
    return False if test == ACCELERATOR_PRESENT else None


def _is_about_devices(test: Condition) -> bool:
    """Whether a test, or one of those that it is made of, asks for a device."""
    return _speaks_of_devices(test.text) or (
        test.made_of is not None and _has_one_about_devices(test.made_of)
    )


def _has_one_about_devices(tree: Tree) -> bool:
    return isinstance(tree, Either) and (
        _is_about_devices(tree.condition)
        or _has_one_about_devices(tree.then)
        or _has_one_about_devices(tree.otherwise)
    )


@functools.lru_cache(maxsize=4096)
def _speaks_of_devices(text: str) -> bool:
    """Whether the text of a test does: each call that demands a device asks for all tests on its way."""
    return naming_priors.SPEAKS_OF_ACCELERATORS.search(text) is not None


# Against: what a unit test keeps


@against(
    GraphKept,
    "unit-test",
    "a unit test runs for a few steps, and what that keeps goes with it",
    seen="tests/specs/grad_modes.md:600",
)
def kept_in_test(case: KeptCase, m: Machine) -> bool:
    """Or a method that helps one."""
    del m
    return case.in_test


@against(
    GraphKept,
    "emptied-by-a-method",
    "another method takes what is kept until then, and empties the list",
    seen="tests/specs/meanwhile.md:563",
)
def emptied_by_a_method(case: KeptCase, m: Machine) -> bool:
    """Of a loop that nobody walks a graph in."""
    del m
    return case.emptied


# For: what an index is taken of


@rests_on(
    NumberIndexed,
    "loss-without-dimensions",
    "a loss that backward is called on without a gradient has no dimensions",
    weight=0,
    seen="tests/specs/fragments.md:1130",
)
def loss_without_dimensions(presumed: object, m: Machine) -> int:
    """One with a single element in one dimension would do as well, and is what losses were before torch 0.4."""
    del m
    return int(presumed is True)
