"""Confidence of a finding: the presumptions that it rests on, beside observations.

A function that runs by itself is given symbols. That one of them, or the module, is on an accelerator is presumed of every finding
there, and holds wherever somebody has one. Whatever else has to come about for two sides to meet is presumed on top of that, and each
presumption is about other code, which may see to it that it does not hold. Common ones count half; as much as a whole one makes a
finding possible only.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.engine.core.events.events import Cause, DevicesMixed
from devls.engine.evidence import loaded_batches, naming_priors, use_of_modules
from devls.engine.evidence.mismatch_presumptions import within
from devls.engine.evidence.presumptions import HALF, WHOLE, rests_on
from devls.syntax.layout import ancestors
from devls.values.conditions import IS_NONE, Condition, Either, cases, parts
from devls.values.devices import NamedDevice, Verdict
from devls.values.history import Step

if TYPE_CHECKING:
    from devls.engine.core.events.events import Operand
    from devls.engine.core.machine import Machine
    from devls.engine.evidence.mismatch_presumptions import MismatchCase
    from devls.values.conditions import Tree
    from devls.values.devices import Comparison

_FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


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
    return int(by_itself(m, case.comparison))


@rests_on(
    DevicesMixed,
    "way-is-taken",
    "the way on which the function makes it is taken",
    weight=HALF,
    seen="tests/specs/evidence.md:411",
)
def way_is_taken(case: MismatchCase, m: Machine) -> int:
    """However many tests there are on it: it was written to be taken."""
    return int(by_itself(m, case.comparison) and bool(own_tests(m, case)))


@rests_on(
    DevicesMixed,
    "argument-left-out",
    "an argument that may be left out is, or is not",
    weight=HALF,
    seen="tests/specs/evidence.md:365",
)
def argument_left_out(case: MismatchCase, m: Machine) -> int:
    """`mask is None`."""
    return sum(map(whether_given, other_tests(m, case)))


@rests_on(
    DevicesMixed,
    "test-comes-out",
    "a test that nobody has decided here comes out as it has to",
    weight=WHOLE,
    seen="tests/specs/evidence.md:365",
)
def test_comes_out(case: MismatchCase, m: Machine) -> int:
    """And with it the accelerator's side."""
    return sum(not whether_given(test) for test in other_tests(m, case))


@rests_on(
    DevicesMixed,
    "unseen-model-computes-with-it",
    "a model of which no code is seen computes with more than what it is given first",
    weight=HALF,
    seen="tests/specs/evidence.md:411",
)
def unseen_model_computes_with_it(case: MismatchCase, m: Machine) -> int:
    """It may do with its inputs what it likes."""
    return int(by_itself(m, case.comparison) and given_beside(case))


@rests_on(
    DevicesMixed,
    "kept-where-it-was-made",
    "nobody has moved what another class has made and kept, before it meets an argument",
    weight=WHOLE,
    seen="tests/specs/evidence.md:441",
)
def kept_where_it_was_made(case: MismatchCase, m: Machine) -> int:
    """Whoever gives the argument may have moved it."""
    return int(by_itself(m, case.comparison) and has_been_kept(m, case))


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
    return int(case.step is not None and case.step.kind in loaded_batches.AS_LOADED)


@rests_on(
    DevicesMixed,
    "loss-compares",
    "a loss of which no code is seen moves nothing that it is given",
    weight=HALF,
    seen="tests/specs/fragments.md:403",
)
def loss_compares(case: MismatchCase, m: Machine) -> int:
    """Going by its name, or by a backward on what it returns."""
    return int(_is_named_as_loss(case, m) or backward_makes_loss(case, m))


@rests_on(
    DevicesMixed,
    "backward-makes-loss",
    "what a backward is called on was computed by a loss, whatever that is called",
    weight=0,
    seen="tests/specs/fragments.md:663",
)
def backward_makes_loss(case: MismatchCase, m: Machine) -> int:
    """It is weighed as a loss that compares."""
    called = _given_anchor(case)
    return int(
        called is not None
        and not _is_named_as_loss(case, m)
        and not loaded_batches.is_of_torch(m, called)
        and use_of_modules.is_called_as_loss(m, m.text(called))
    )


@rests_on(
    DevicesMixed,
    "made-on-cpu-until-moved",
    "a model of a class that is not seen is on the CPU until it is moved",
    weight=0,
    seen="tests/specs/fragments.md:777",
)
def made_on_cpu_until_moved(case: MismatchCase, m: Machine) -> int:
    """As all of torch's are; a constructor that puts it elsewhere is hardly ever without a device among its arguments."""
    del m
    return int(_is_made_unseen(case.stray.step) or _is_made_unseen(case.anchor.step))


# Predicates of the entries


def _is_named_as_loss(case: MismatchCase, m: Machine) -> bool:
    called = _given_anchor(case)
    return (
        called is not None
        and naming_priors.COMPUTES_LOSS.search(m.text(called)) is not None
        and not loaded_batches.is_of_torch(m, called)
    )


def _given_anchor(case: MismatchCase) -> ast.expr | None:
    """Callee whose argument is the operand that is in place."""
    given = (
        isinstance(case.node, ast.Call)
        and case.anchor.node is not None
        and case.anchor.node in case.node.args
    )
    return case.node.func if isinstance(case.node, ast.Call) and given else None


def _is_made_unseen(step: object) -> bool:
    return isinstance(step, Step) and step.kind == use_of_modules.MADE_UNSEEN


def own_tests(m: Machine, case: MismatchCase) -> list[Condition]:
    """The tests on the way on which what runs makes the stray, and that have nothing to do with where the other operand is."""
    if not _of_run(m, case):
        return []
    return [test for test in case.comparison.free if not _depends(case.anchor.device, test)]


def other_tests(m: Machine, case: MismatchCase) -> list[Condition]:
    """The tests that have to come out a certain way for the sides to be apart; none if they are apart however these do."""
    if case.comparison.always or not by_itself(m, case.comparison):
        return []
    own = own_tests(m, case)
    return [test for test in case.comparison.free if test not in own]


def given_beside(case: MismatchCase) -> bool:
    """Whether a model of which no code is seen is given the stray beside what it is given first."""
    return (
        case.anchor.node is None
        and _is_out_of_sight(case.comparison.right)
        and not _is_first(case.node, case.stray)
    )


def has_been_kept(m: Machine, case: MismatchCase) -> bool:
    """Whether something was made elsewhere, and kept until it met an argument: whoever gives that may have moved it."""
    step, place = case.step, case.comparison.right
    return (
        not _of_run(m, case)
        and isinstance(place, NamedDevice)
        and not place.chosen
        and case.cause is not Cause.ATTRIBUTE
        and isinstance(step, Step)
        and step.kind == "created"
        and any(isinstance(each, _FUNCTIONS) for each in ancestors(step.site.source, step.site.node))
    )


def _of_run(m: Machine, case: MismatchCase) -> bool:
    """Whether what runs has made the stray, or had it made."""
    step = case.step
    return case.creation is not None or (
        isinstance(step, Step) and step.kind == "created" and within(m, step.site)
    )


def by_itself(m: Machine, comparison: Comparison) -> bool:
    """Whether an accelerator is presumed, of a function that runs by itself: a program is what its own lines make of it."""
    return comparison.verdict is Verdict.WHEN_ACCELERATED and any(each.symbolic for each in m.frames)


def whether_given(test: Tree) -> bool:
    """Whether a test, with all that it combines, only asks for what may be left out: `mask is None`."""
    if isinstance(test, Either):
        return all(whether_given(each) for each in (test.condition, test.then, test.otherwise))
    if not isinstance(test, Condition):
        return True
    combined = parts(test)
    if combined is not None:
        return whether_given(combined)
    return isinstance(test.key, tuple) and test.key[0] == IS_NONE


def _depends(device: Tree, test: Condition) -> bool:
    """Whether a test has to do with where something is."""
    return any(test in tests for tests, _ in cases(device))


def _is_out_of_sight(place: Tree) -> bool:
    """Whether it is where the parameters of a model are of which no code is seen: it may do with its inputs what it likes."""
    key = place.key if isinstance(place, NamedDevice) else None
    owner = key[1] if isinstance(key, tuple) and len(key) > 1 else None
    return isinstance(owner, tuple) and owner[:1] == ("parameter of",)


def _is_first(node: ast.AST, operand: Operand) -> bool:
    """Whether something is what a call is about, and not what it is given beside."""
    return isinstance(node, ast.Call) and operand.node in node.args[:1]
