"""Evidence against results that are on the CPU, while on other paths they are on an argument's device."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core.events.protocols import ResultElsewhere
from devls.engine.evidence import path_conditions
from devls.engine.evidence.presumptions import against
from devls.engine.torch.tensors.creation import MADE_FROM
from devls.engine.torch.tensors.device_check import OF_NO_TENSOR
from devls.syntax.nodes import walk
from devls.values.conditions import Condition, Either, cases, leaves, parts
from devls.values.devices import CPU, NamedDevice
from devls.values.facts import fact
from devls.values.value import TensorValue

if TYPE_CHECKING:
    from devls.engine.core.machine import Machine
    from devls.values.conditions import Tree
    from devls.values.history import Step
    from devls.values.value import FunctionValue


@fact
class ReturnedCase:
    """A tensor that a function has made and returns, and how it has made it."""

    function: FunctionValue
    tensor: TensorValue
    step: Step

    def made(self, m: Machine) -> TensorValue | None:
        """Result of the factory, before anything was done with it."""
        found = m.state.get(self.step, "made")
        return found if isinstance(found, TensorValue) else None

    def is_scalar(self, m: Machine) -> bool:
        """Whether the factory has made a number."""
        made = self.made(m)
        return made is not None and not made.nonscalar


@against(
    ResultElsewhere,
    "moved-on-one-path",
    "the same tensor is moved on one path: somebody has thought of where it has to be",
    seen="tests/specs/narrowing.md:596",
)
def moved_on_one_path(case: ReturnedCase, m: Machine) -> bool:
    """`y = y.to(x.device)` under a test."""
    return bool(m.state.get(case.step, "moved on"))


@against(
    ResultElsewhere,
    "made-of-no-tensor",
    "it is made of an argument that may be a tensor, and was none",
    seen="tests/specs/shown.md:127",
)
def made_of_no_tensor(case: ReturnedCase, m: Machine) -> bool:
    """A caller that gives numbers gives nothing else."""
    made_from = m.state.get(case.step, MADE_FROM)
    return m.state.get(case.step, OF_NO_TENSOR) is not None or any(
        isinstance(place, NamedDevice) and isinstance(place.key, tuple) and place.key[1] in made_from
        for place in leaves(m.device(case.tensor))
        if isinstance(made_from, frozenset)
    )


@against(
    ResultElsewhere,
    "made-of-no-tensor-here",
    "it is made of an array or of numbers, where tensors are taken too",
    seen="tests/specs/shown.md:127",
)
def made_of_no_tensor_here(case: ReturnedCase, m: Machine) -> bool:
    """Those are on no device."""
    return _of_another_kind(m.device(case.tensor))


@against(
    ResultElsewhere,
    "settled-when-built",
    "where a result is was settled when the object was built, and is the same for all its results",
    seen="tests/specs/unknown_models.md:1245",
)
def settled_when_built(case: ReturnedCase, m: Machine) -> bool:
    """It stands for nothing, and nobody joins it with another."""
    return m.state.get(case.step, "sized like") is None and _settled_before(
        case.function, m.device(case.tensor)
    )


@against(
    ResultElsewhere,
    "empty-returned",
    "without elements it stands for nothing: whoever gets it looks at its length first",
    seen="tests/specs/evidence.md:560",
)
def empty_returned(case: ReturnedCase, m: Machine) -> bool:
    """`torch.zeros(0)`."""
    made = case.made(m)
    return made is not None and made.shape == (0,)


@against(
    ResultElsewhere,
    "number-for-nothing",
    "a number for no elements, or in the place of what has dimensions, stands for nothing: nobody joins them",
    seen="tests/specs/unknown_models.md:1218",
)
def number_for_nothing(case: ReturnedCase, m: Machine) -> bool:
    """`return torch.tensor(0.)`, where others return a matrix, or `if len(parameters) == 0`."""
    return case.is_scalar(m) and (
        any(isinstance(each, TensorValue) and each.nonscalar for each in case.tensor.sides or ())
        or _of_no_elements(m.device(case.tensor))
    )


@against(
    ResultElsewhere,
    "number-to-add-to",
    "a number that is not meant as the result is an amount to add to",
    seen="rules/result_off_device.md:313",
)
def number_to_add_to(case: ReturnedCase, m: Machine) -> bool:
    """`total = torch.tensor(0.)`: only where it is meant as the result does it matter where it is."""
    return case.is_scalar(m) and case.step.site.node not in _in_returns(case.function.node)


# Predicates of the entries


def _in_returns(function: ast.AST) -> set[ast.AST]:
    """The nodes that stand in `return` statements of a function."""
    return {
        each
        for statement in walk(function)
        if isinstance(statement, ast.Return) and statement.value is not None
        for each in walk(statement.value)
    }


def _of_another_kind(device: Tree) -> bool:
    """Whether it is on the CPU only where an argument is no tensor, but numbers or an array: those are on no device."""
    return all(
        any(path_conditions.kinds(test) for test in assumptions)
        for assumptions, (place,) in cases(device)
        if place == CPU
    )


def _of_no_elements(device: Tree) -> bool:
    """Whether it is on the CPU only where something has no elements."""
    return all(
        any(path_conditions.emptiness(test, side=side) for test, side in assumptions.items())
        for assumptions, (place,) in cases(device)
        if place == CPU
    )


def _settled_before(function: FunctionValue, device: Tree) -> bool:
    """Whether where a result is was settled when the object was built: all results of one object are in one place."""
    found = cases(device)
    here = [tests for tests, (place,) in found if place == CPU]
    there = [tests for tests, (place,) in found if place != CPU]
    return bool(there) and all(
        any(each.get(test) is (not side) and _given_before(function, test) for test, side in tests.items())
        for tests in here
        for each in there
    )


def _given_before(function: FunctionValue, test: Tree) -> bool:
    """Whether all that a test is about was given to another function, as options are to the constructor."""
    if isinstance(test, Either):
        return all(_given_before(function, each) for each in (test.condition, test.then, test.otherwise))
    if not isinstance(test, Condition):
        return isinstance(test, bool)
    combined = parts(test)
    if combined is not None:
        return _given_before(function, combined)
    key = test.key
    while isinstance(key, tuple) and len(key) > 1 and key[0] != "parameter":
        key = key[1]
    return isinstance(key, tuple) and key[0] == "parameter" and key[1] != id(function.definition)
