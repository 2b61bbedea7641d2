"""What speaks against mixed devices, and what such a finding rests on."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core.events.events import Cause, DevicesMixed
from devls.engine.evidence import (
    attribute_reassignment,
    confidence,
    init_reachability,
    naming_priors,
    path_conditions,
    test_code,
    use_of_names,
)
from devls.engine.evidence.presumptions import HALF, WHOLE, against, rests_on
from devls.engine.python import narrowing
from devls.engine.torch.tensors.device_check import OF_NO_TENSOR
from devls.syntax.nodes import of_tree, walk
from devls.values.conditions import Condition, Either, apply, cases
from devls.values.devices import CPU, NamedDevice, Verdict
from devls.values.value import TensorValue

if TYPE_CHECKING:
    from devls.engine.core.events.events import Operand
    from devls.engine.core.machine import Machine
    from devls.engine.evidence.mismatch_case import MismatchCase
    from devls.values.conditions import Tree
    from devls.values.history import Step

# Against: the attributes of a module


@against(
    DevicesMixed,
    "attribute-replaced-in-other-case",
    "the attribute stands for nothing until the other case of a test has been through",
    seen="tests/specs/meanwhile.md:210",
)
def attribute_replaced_in_other_case(case: MismatchCase, m: Machine) -> bool:
    """`if fits: self.mean = ... else: x + self.mean`."""
    return case.owner is not None and attribute_reassignment.otherwise(m, case.owner_attribute)


# Against: the way that leads here


@against(
    DevicesMixed,
    "one-of-several",
    "it is one of several values, and which of them is not known",
    seen="tests/regression/set_z/z004 broken",
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
    """What none of several comparisons has replaced."""
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
    seen="tests/specs/devices.md:498",
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
    elsewhere = case.creation is None or (step is not None and not confidence.within(m, step.site))
    return isinstance(made, TensorValue) and 0 in (made.shape or ()) and elsewhere


@against(
    DevicesMixed,
    "one-number-kept",
    "one number stands for nothing, and no sizes are like its own",
    seen="tests/specs/meanwhile.md:244",
)
def one_number_kept(case: MismatchCase, m: Machine) -> bool:
    """`self.mean = torch.zeros(1)`, where sizes were found to fit."""
    return case.cause is Cause.ATTRIBUTE and case.whole.shape == (1,) and narrowing.found_to_fit(m)


@against(
    DevicesMixed,
    "holds-another-value",
    "a test has found another value in it than the one it was made with",
    seen="tests/specs/devices.md:810",
)
def holds_another_value(case: MismatchCase, m: Machine) -> bool:
    """What it is compared with is what it holds for want of something else."""
    return not case.whole.nonscalar and attribute_reassignment.holds_another(m, case.stray.node)


@against(
    DevicesMixed,
    "kept-while-it-fits",
    "it is kept until it fits no longer, and whether the first ever fits is not known",
    seen="tests/specs/narrowing.md:203",
)
def kept_while_it_fits(case: MismatchCase, m: Machine) -> bool:
    """A test of sizes decides where one of them is."""
    del m
    comparison = case.comparison
    sides = ((case.stray.device, comparison.left), (case.anchor.device, comparison.right))
    return any(
        test.text == narrowing.OF_SIZES and any(_decides(test, *each) for each in sides)
        for test, _ in comparison.conditions
    )


# Against: functions for more than tensors


@against(
    DevicesMixed,
    "made-of-no-tensor-here",
    "it is made of an array or of numbers, where tensors are taken too",
    seen="tests/specs/evidence.md:117",
)
def made_of_no_tensor_here(case: MismatchCase, m: Machine) -> bool:
    """Who gives arrays gives no others."""
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
    "a test of some device decides it, and how that relates to these two is not known",
    seen="rules/input_off_module_device.md:88",
)
def device_test_undecided(case: MismatchCase, m: Machine) -> bool:
    """More than can be followed."""
    del m
    either_way = case.comparison.always and not case.from_caller
    return not either_way and any(path_conditions.devices(test) for test in case.comparison.free)


@against(
    DevicesMixed,
    "accelerator-declined",
    "who has no accelerator used here has not put the module, or the argument, on one",
    seen="tests/specs/devices.md:732",
)
def accelerator_declined(case: MismatchCase, m: Machine) -> bool:
    """Under a test that puts other things on one if it comes out otherwise."""
    return init_reachability.follows(case.comparison.right) and path_conditions.declined(m)


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
    "two-arguments",
    "both come from outside of the function, and nobody says that they are apart",
    seen="tests/specs/evidence.md:441",
)
def two_arguments(case: MismatchCase, m: Machine) -> bool:
    """An argument that nobody says is anywhere else."""
    step = case.step
    return _meets_argument(case) and (
        step is None or step.kind not in ("built", "created") or case.stray.tensor.serial < m.run_began
    )


@against(
    DevicesMixed,
    "module-moved-by-caller",
    "who gives the argument may have moved the module that gives out the other",
    seen="tests/regression/set_r/r49 broken",
)
def module_moved_by_caller(case: MismatchCase, m: Machine) -> bool:
    """What a module gives out that nobody here moves."""
    step = case.step
    return (
        _meets_argument(case)
        and step is not None
        and step.kind == "built"
        and not case.stray.tensor.is_parameter
        and not confidence.within(m, step.site)
    )


def _meets_argument(case: MismatchCase) -> bool:
    """Whether something that the running function has not made meets an argument."""
    return case.from_caller and case.creation is None and case.cause is not Cause.ATTRIBUTE


# For: what is presumed of functions that run by themselves


@rests_on(
    DevicesMixed,
    "argument-on-accelerator",
    "an argument, or the module, is on an accelerator",
    weight=0,
    seen="tests/specs/evidence.md:117",
)
def argument_on_accelerator(case: MismatchCase, m: Machine) -> int:
    """Holds wherever somebody has one."""
    return int(confidence.by_itself(m, case.comparison))


@rests_on(
    DevicesMixed,
    "way-is-taken",
    "the way on which the function makes it is taken",
    weight=HALF,
    seen="tests/specs/evidence.md:411",
)
def way_is_taken(case: MismatchCase, m: Machine) -> int:
    """However many tests there are on it: it was written to be taken."""
    return int(confidence.by_itself(m, case.comparison) and bool(confidence.own_tests(m, case)))


@rests_on(
    DevicesMixed,
    "argument-left-out",
    "an argument that may be left out is, or is not",
    weight=HALF,
    seen="tests/specs/evidence.md:365",
)
def argument_left_out(case: MismatchCase, m: Machine) -> int:
    """`mask is None`."""
    return sum(map(confidence.whether_given, confidence.other_tests(m, case)))


@rests_on(
    DevicesMixed,
    "test-comes-out",
    "a test that nobody has decided here comes out as it has to",
    weight=WHOLE,
    seen="tests/specs/evidence.md:365",
)
def test_comes_out(case: MismatchCase, m: Machine) -> int:
    """And with it the accelerator's side."""
    return sum(not confidence.whether_given(test) for test in confidence.other_tests(m, case))


@rests_on(
    DevicesMixed,
    "unseen-model-computes-with-it",
    "a model of which no code is seen computes with more than what it is given first",
    weight=HALF,
    seen="tests/specs/evidence.md:411",
)
def unseen_model_computes_with_it(case: MismatchCase, m: Machine) -> int:
    """It may do with its inputs what it likes."""
    return int(confidence.by_itself(m, case.comparison) and confidence.given_beside(case))


@rests_on(
    DevicesMixed,
    "kept-where-it-was-made",
    "nobody has moved what another class has made and kept, before it meets an argument",
    weight=WHOLE,
    seen="tests/specs/evidence.md:441",
)
def kept_where_it_was_made(case: MismatchCase, m: Machine) -> int:
    """Whoever gives the argument may have moved it."""
    return int(confidence.by_itself(m, case.comparison) and confidence.has_been_kept(m, case))


@rests_on(
    DevicesMixed,
    "batch-as-loaded",
    "a loader that is elsewhere hands out batches on the CPU",
    weight=HALF,
    seen="tests/specs/fragments.md:146",
)
def batch_as_loaded(case: MismatchCase, m: Machine) -> int:
    """As they were put together, and nobody in the loop moves them."""
    del m
    return int(case.step is not None and case.step.kind == use_of_names.AS_LOADED)


@rests_on(
    DevicesMixed,
    "loss-compares",
    "a loss of which no code is seen moves nothing that it is given",
    weight=HALF,
    seen="tests/specs/fragments.md:403",
)
def loss_compares(case: MismatchCase, m: Machine) -> int:
    """Going by its name."""
    called = case.node.func if isinstance(case.node, ast.Call) else None
    return int(
        called is not None
        and case.anchor.node is not None
        and naming_priors.COMPUTES_LOSS.search(m.text(called)) is not None
        and case.anchor.node in getattr(case.node, "args", ())
    )


# What the predicates ask


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
    if not isinstance(device, NamedDevice) or not m.program_moves:
        return False
    key = device.key[1] if isinstance(device.key, tuple) and len(device.key) > 1 else None
    while (
        isinstance(key, tuple) and len(key) > 1 and key[0] in ("item", "part") and key not in m.shown_on_host
    ):
        key = key[1]  # an item lies where all items of what was given do
    return key in m.shown_on_host
