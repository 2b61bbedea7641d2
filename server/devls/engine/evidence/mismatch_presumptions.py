"""Two operands on different devices, and the evidence against telling of them.

The presumptions that such a finding rests on are in `confidence.py`.
"""

from __future__ import annotations

import ast
import itertools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from devls.engine.core.events.events import Cause, DevicesMixed
from devls.engine.evidence import (
    init_reachability,
    loaded_batches,
    naming_priors,
    path_conditions,
    test_code,
)
from devls.engine.evidence.deferred import ShownByProgram
from devls.engine.evidence.presumptions import against
from devls.engine.python import narrowing
from devls.engine.torch import frameworks
from devls.engine.torch.nn import registry
from devls.engine.torch.tensors.device_check import OF_NO_TENSOR, parameter_of
from devls.engine.torch.tensors.moves import ProgramMoves
from devls.syntax.layout import ancestors
from devls.syntax.nodes import asked_of_file, of_tree, walk
from devls.values.conditions import Condition, Either, apply, cases
from devls.values.devices import CPU, NamedDevice, Verdict
from devls.values.value import TensorValue

if TYPE_CHECKING:
    from devls.engine.core.events.events import Operand
    from devls.engine.core.machine import Machine
    from devls.syntax.source import Source
    from devls.values.conditions import Tree
    from devls.values.devices import Comparison
    from devls.values.history import Site, Step
    from devls.values.value import InstanceValue


@dataclass(eq=False, repr=False)
class MismatchCase:
    """Two operands on different devices, and what is known of why the stray one is where it is."""

    node: ast.AST
    operation: str
    stray: Operand
    anchor: Operand
    comparison: Comparison
    layer: bool
    cause: Cause
    attribute: str = ""  # the name of the plain attribute, or the second one of a module
    attribute_site: Site | None = None  # where it was assigned
    owner: InstanceValue | None = None  # whose plain attribute the stray is
    owner_attribute: str = ""  # and under which name
    old_name: str = ""
    creation: ast.Call | None = None  # the factory call, if the running function has made the stray
    creation_site: Site | None = None
    step: Step | None = field(init=False)  # how the stray came to be where it is
    created: bool = field(init=False)  # whether the stray is where a factory has put it
    whole: TensorValue = field(init=False)  # the tensor that the stray is a view of, or itself
    from_caller: bool = field(init=False)  # whether whoever calls has chosen where the anchor is

    def __post_init__(self) -> None:
        """Say what most entries ask for."""
        right = self.comparison.right
        self.step = self.stray.step
        self.created = self.step is not None and self.step.kind == "created"
        self.whole = self.stray.tensor.view_of or self.stray.tensor
        self.from_caller = isinstance(right, NamedDevice) and not right.chosen


def within(m: Machine, site: Site) -> bool:
    """Whether something happened in a function that is running, or was called by it."""
    first = site.calls[0] if site.calls else site
    return any(
        frame.function is not None
        and first.source is frame.function.source
        and frame.function.node.lineno <= first.key[1] <= (frame.function.node.end_lineno or 0)
        for frame in m.frames
    )


# Against: the way that leads here


@against(
    DevicesMixed,
    "one-of-several",
    "it is one of several values, and which of them is not known",
    seen="tests/specs/evidence.md:623",
)
def one_of_several(case: MismatchCase, m: Machine) -> bool:
    """Items of a list that are too many to keep apart."""
    del m
    return any(test.text == "one of several" for test, _ in case.comparison.conditions)


@against(
    DevicesMixed,
    "no-case-found-yet",
    "it stands there before one of several cases is found",
    seen="tests/specs/evidence.md:481",
)
def no_case_found_yet(case: MismatchCase, m: Machine) -> bool:
    """A value that none of several comparisons has replaced."""
    return path_conditions.of_no_case(m, case.comparison.conditions)


@against(
    DevicesMixed,
    "made-where-nothing-is",
    "it is made where there is nothing, and meets no other",
    seen="tests/specs/evidence.md:162",
)
def made_where_nothing_is(case: MismatchCase, m: Machine) -> bool:
    """`if len(x) == 0`."""
    del m
    return any(path_conditions.emptiness(test, side=side) for test, side in case.comparison.conditions)


@against(
    DevicesMixed,
    "tests-itself",
    "a method asserts what its module comes to, where the module was made",
    seen="tests/specs/devices.md:551",
)
def tests_itself(case: MismatchCase, m: Machine) -> bool:
    """Nobody does that elsewhere than where it is made."""
    return case.comparison.verdict is Verdict.WHEN_ACCELERATED and test_code.checks_itself(m)


@against(
    DevicesMixed,
    "read-by-numpy",
    "who has made it reads all that comes of it with numpy",
    seen="tests/specs/evidence.md:213",
)
def read_by_numpy(case: MismatchCase, m: Machine) -> bool:
    """And never speaks of any place: all of that is on the CPU."""
    return case.comparison.verdict is Verdict.WHEN_ACCELERATED and _reads_on_host(m, case.step)


# Against: what stands for nothing


@against(
    DevicesMixed,
    "empty-made-elsewhere",
    "without elements it stands for something that is not there",
    seen="tests/specs/shown.md:448",
)
def empty_made_elsewhere(case: MismatchCase, m: Machine) -> bool:
    """Made empty by another function, which hands it out in the place of something."""
    step = case.step
    made = m.state.get(step, "made") if case.created else None
    elsewhere = case.creation is None or (step is not None and not within(m, step.site))
    return isinstance(made, TensorValue) and 0 in (made.shape or ()) and elsewhere


@against(
    DevicesMixed,
    "kept-while-it-fits",
    "it is kept until it fits no longer, and whether the first ever fits is not known",
    seen="tests/specs/narrowing.md:203",
)
def kept_while_it_fits(case: MismatchCase, m: Machine) -> bool:
    """A test of sizes decides where one of them is, or what was kept first is one number, which fits nothing."""
    if case.cause is Cause.ATTRIBUTE and case.whole.shape == (1,) and narrowing.found_to_fit(m):
        return True
    if _made_anew(case):
        return False
    comparison = case.comparison
    sides = ((case.stray.device, comparison.left), (case.anchor.device, comparison.right))
    return any(
        test.text == narrowing.OF_SIZES and any(_decides(test, *each) for each in sides)
        for test, _ in comparison.conditions
    )


def _made_anew(case: MismatchCase) -> bool:
    """Whether the stray is the one that is made since the kept one fits no longer: under a test that the use is not under."""
    if case.step is None:
        return False
    site = case.step.site
    first = site.calls[0] if site.calls else site
    around = set(ancestors(first.source, case.node))
    return any(
        isinstance(each, (ast.If, ast.IfExp)) and each not in around
        for each in ancestors(first.source, first.node)
    )


# Against: functions for more than tensors


@against(
    DevicesMixed,
    "made-of-no-tensor-here",
    "it is made of an array or of numbers, where tensors are taken too",
    seen="tests/specs/evidence.md:117",
)
def made_of_no_tensor_here(case: MismatchCase, m: Machine) -> bool:
    """A caller that gives arrays gives nothing else."""
    del m
    return case.created and any(
        path_conditions.kinds(test) and not path_conditions.numbers(test)
        for tests, _ in cases(case.stray.device)
        for test in tests
    )


@against(
    DevicesMixed,
    "place-of-no-tensor",
    "the other is on the CPU only where it is made of no tensor",
    seen="tests/specs/narrowing.md:629",
)
def place_of_no_tensor(case: MismatchCase, m: Machine) -> bool:
    """`x.device if torch.is_tensor(x) else "cpu"`."""
    del m
    return _of_no_tensor(case.anchor.device)


@against(
    DevicesMixed,
    "made-of-no-tensor",
    "it is made of an argument that may be a tensor, and was none",
    seen="tests/specs/evidence.md:117",
)
def made_of_no_tensor(case: MismatchCase, m: Machine) -> bool:
    """The same, on the way where it is made."""
    return case.step is not None and m.state.get(case.step, OF_NO_TENSOR) is not None


@against(
    DevicesMixed,
    "takes-arrays-too",
    "the function takes arrays as well, which it brings to the CPU",
    seen="tests/specs/evidence.md:145",
)
def takes_arrays_too(case: MismatchCase, m: Machine) -> bool:
    """It is given tensors that are there."""
    return case.from_caller and _arrays_too(m, case.anchor)


# Against: what is known of devices in other ways


@against(
    DevicesMixed,
    "device-test-undecided",
    "a test that chooses devices decides it, and how that relates to these two is not known",
    seen="rules/input_off_module_device.md:88",
)
def device_test_undecided(case: MismatchCase, m: Machine) -> bool:
    """More than can be followed; or the test puts other things on an accelerator, and has come out otherwise here."""
    if init_reachability.follows(case.comparison.right) and path_conditions.declined(m):
        return True
    either_way = case.comparison.always and not case.from_caller
    return not either_way and any(path_conditions.devices(test) for test in case.comparison.free)


@against(
    DevicesMixed,
    "moved-to-and-fro",
    "the program moves the module to and fro, and where it is at a call from elsewhere is not known",
    seen="rules/input_off_module_device.md:205",
)
def moved_to_and_fro(case: MismatchCase, m: Machine) -> bool:
    """The function runs by itself."""
    return not m.program_runs and any(
        each.tensor.is_parameter and m.state.get(each.tensor, registry.TO_AND_FRO) is not None
        for each in (case.stray, case.anchor)
    )


@against(
    DevicesMixed,
    "program-gives-cpu",
    "the program gives this parameter what is on the CPU",
    seen="tests/specs/devices.md:119",
)
def program_gives_cpu(case: MismatchCase, m: Machine) -> bool:
    """It does this before it moves anything."""
    return case.from_caller and _kept_on_host(m, case.comparison.right)


@against(
    DevicesMixed,
    "cpu-asked-for",
    "who makes the one asks for the CPU in so many words, and the other has come from elsewhere",
    seen="tests/specs/evidence.md:811",
)
def cpu_asked_for(case: MismatchCase, m: Machine) -> bool:
    """`device="cpu"`, or a constant of the file that is the CPU: that the other is on an accelerator is a guess."""
    del m
    anchor = init_reachability.follows(case.comparison.right)
    site = None if case.step is None else case.step.site
    made = [] if site is None else [(site.source, site.node)]
    given = case.stray.node
    if given is not None and case.stray.source is not None:
        made.append((case.stray.source, given))
    there = case.step is not None and case.step.kind in ("created", "placed")
    return anchor and there and any(_asks_for_cpu(*each) for each in made)


@against(
    DevicesMixed,
    "error-is-caught",
    "what torch raises there is caught, and the code goes on",
    seen="tests/specs/evidence.md:851",
)
def error_is_caught(case: MismatchCase, m: Machine) -> bool:
    """By a handler of `RuntimeError` around the operation, which may move what is elsewhere."""
    above = ancestors(m.source, case.node)
    return any(
        isinstance(around, ast.Try) and inside in around.body and any(map(_catches_torch, around.handlers))
        for inside, around in itertools.pairwise((case.node, *above))
    )


@against(
    DevicesMixed,
    "two-arguments",
    "both come from outside of the function, and nobody says that they are apart",
    seen="tests/specs/evidence.md:441",
)
def two_arguments(case: MismatchCase, m: Machine) -> bool:
    """An argument that nobody says is anywhere else."""
    step = case.step
    return (
        _meets_argument(case)
        and (step is None or step.kind not in ("built", "created") or case.stray.tensor.serial < m.run_began)
        and not _leaves_anchor(m, case)
    )


@against(
    DevicesMixed,
    "module-moved-by-caller",
    "who gives the argument may have moved the module that gives out the other",
    seen="tests/regression/set_d/d009 broken",
)
def module_moved_by_caller(case: MismatchCase, m: Machine) -> bool:
    """A result of a module that nobody here moves."""
    step = case.step
    return (
        _meets_argument(case)
        and step is not None
        and step.kind == "built"
        and not case.stray.tensor.is_parameter
        and not within(m, step.site)
    )


@against(
    DevicesMixed,
    "batch-beside-argument",
    "who gives an argument, or a framework, may have put the batches of a loader where it is",
    seen="tests/specs/shown.md:7",
)
def batch_beside_argument(case: MismatchCase, m: Machine) -> bool:
    """A batch as loaded that meets what lies where an argument does, which is no choice of a device."""
    del m
    right = case.comparison.right
    return (
        case.step is not None
        and case.step.kind in loaded_batches.AS_LOADED
        and (
            frameworks.is_own_device(right)
            or (parameter_of(right) is not None and naming_priors.CHOSEN_DEVICE.search(str(right)) is None)
        )
    )


def _meets_argument(case: MismatchCase) -> bool:
    """Whether something that the running function has not made meets an argument."""
    return case.from_caller and case.creation is None and case.cause is not Cause.ATTRIBUTE


# Predicates of the entries


def _asks_for_cpu(source: Source, node: ast.AST) -> bool:
    """Whether a call is told that its result shall be on the CPU, by a constant."""
    given = node.keywords if isinstance(node, ast.Call) else []
    return any(each.arg == "device" and _is_cpu(source, each.value) for each in given)


def _is_cpu(source: Source, node: ast.expr) -> bool:
    if isinstance(node, ast.Name):
        return node.id in _cpu_constants(source)
    if isinstance(node, ast.Call):
        named = ast.unparse(node.func).rpartition(".")[2]
        return named == "device" and len(node.args) == 1 and _is_cpu(source, node.args[0])
    return isinstance(node, ast.Constant) and node.value == "cpu"


@asked_of_file(maxsize=64)
def _cpu_constants(source: Source) -> frozenset[str]:
    """Names that a file binds once, at its top, to the CPU."""
    bound = [
        each.id
        for each in walk(source.unwatched_tree)
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    ]
    return frozenset(
        each.targets[0].id
        for each in source.statements
        if isinstance(each, ast.Assign)
        and isinstance(each.targets[0], ast.Name)
        and not isinstance(each.value, ast.Name)
        and bound.count(each.targets[0].id) == 1
        and _is_cpu(source, each.value)
    )


def _catches_torch(handler: ast.ExceptHandler) -> bool:
    """Whether a handler is for the errors of torch, and has something to do then but to raise another."""
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    named = any(isinstance(each, ast.Name) and each.id == "RuntimeError" for each in kinds)
    return named and not any(isinstance(each, ast.Raise) for each in handler.body)


def _leaves_anchor(m: Machine, case: MismatchCase) -> bool:
    """Whether the running function moves the stray to the CPU from where the anchor stays."""
    step = case.step
    if step is None or step.kind != "moved" or not step.of or not within(m, step.site):
        return False
    source = step.of[0]
    return isinstance(source, TensorValue) and m.device(source) == case.anchor.device


def _reads_on_host(m: Machine, step: Step | None) -> bool:
    """Whether who has made the stray reads what comes of it with numpy, and never speaks of any place: all of that is on the CPU."""
    if step is None or step.kind != "created":
        return False
    site = step.site.calls[0] if step.site.calls else step.site
    return any(
        each.symbolic
        and each.function is not None
        and each.function.source is site.source
        and site.node in walk(each.function.node)
        and _only_numpy(each.function.node)
        for each in m.frames
    )


@of_tree(maxsize=256)
def _only_numpy(node: ast.AST) -> bool:
    names = {each.attr for each in walk(node) if isinstance(each, ast.Attribute)}
    named = names | {each.arg for each in walk(node) if isinstance(each, (ast.arg, ast.keyword)) and each.arg}
    return "numpy" in names and not any(naming_priors.PLACE.search(each) for each in named)


def _arrays_too(m: Machine, anchor: Operand) -> bool:
    """Whether something is, as a test of its kind came out, an argument or what was made of that on the CPU."""
    places: list[Tree] = [anchor.device]
    held = m.state.get(m.frame.scope, anchor.node.id) if isinstance(anchor.node, ast.Name) else None
    if isinstance(held, Either):
        places.append(apply(lambda each: m.device(each) if isinstance(each, TensorValue) else None, held))
    return any(
        place == CPU and any(map(path_conditions.kinds, tests))
        for tree in places
        for tests, (place,) in cases(tree)
    )


def _decides(test: Condition, device: Tree, place: Tree) -> bool:
    """Whether it takes a test to come out one way for something to be at a place; none of several may be there."""
    sides = {
        tests.get(test)
        for tests, (leaf,) in cases(device)
        if leaf == place and not any(each.text == "one of several" for each in tests)
    }
    return len(sides) == 1 and None not in sides


def _of_no_tensor(device: Tree) -> bool:
    """Whether a device is the CPU only where something is no tensor: `x.device if torch.is_tensor(x) else "cpu"`."""
    found = [any(map(path_conditions.kinds, tests)) for tests, (place,) in cases(device) if place == CPU]
    return bool(found) and all(found)


def _kept_on_host(m: Machine, device: Tree) -> bool:
    """Whether a device is that of a parameter which the program, though it uses accelerators, gives CPU tensors."""
    if not isinstance(device, NamedDevice) or not m.notes.of(ProgramMoves).asked():
        return False
    shown = m.notes.of(ShownByProgram).on_host
    key = device.key[1] if isinstance(device.key, tuple) and len(device.key) > 1 else None
    while isinstance(key, tuple) and len(key) > 1 and key[0] in ("item", "part") and key not in shown:
        key = key[1]  # an item lies where all items of what was given do
    return key in shown
