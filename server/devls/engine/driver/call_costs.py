"""Calls that cost less than others, as they come to nothing, and calls that may cost more, as devices meet in them."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final, NamedTuple

from devls.engine.core import budget, limits
from devls.engine.torch import table
from devls.engine.torch.nn import registry
from devls.syntax.nodes import of_tree
from devls.values.conditions import leaves
from devls.values.devices import CPU, KnownDevice, NamedDevice
from devls.values.history import Step
from devls.values.state import MISSING
from devls.values.value import InstanceValue, LibraryName, Symbol, TensorValue

if TYPE_CHECKING:
    from collections.abc import Iterable

    from devls.engine.core.machine import Machine
    from devls.values.value import FunctionValue


# Functions that only tell somebody what something is called: they log which parts of a library are used, or that one is old. Libraries
# call them from each constructor and each function. The result of such a call is known without running it: nothing.
# Whether a function is one is read off its body: it asks for names (`obj.__class__.__name__`), puts texts together,
# tests them, and gives them to code that nobody has described.

_NAMES: Final = frozenset("__class__ __doc__ __file__ __module__ __name__ __qualname__".split())
"""Attributes that only say what something is called: no code of the object's is run for them."""

_OF_TEXTS: Final = frozenset(
    "capitalize endswith format join lower lstrip partition replace rpartition rsplit rstrip split startswith strip title upper".split()
)
"""Methods of texts that give texts, or test them."""

_TESTS: Final = frozenset({"isinstance", "issubclass", "type"})

_STATEMENTS: Final = 12
"""No more stand in such a body; others are not looked through."""


class _Telling(NamedTuple):
    """Names that a function that may be one reads of its surroundings."""

    steps: int
    """Cost of a call of it, if all of it is run."""
    names: frozenset[str]
    """The names that have to stand for things of libraries."""
    told: tuple[tuple[str, ...], ...]
    """Whom it tells: dotted names, in parts."""


@budget.steps_of_logging_only.answer
def only_tells(m: Machine, function: FunctionValue) -> int:
    """The steps that a call of a function takes which comes to nothing; 0 if it may come to something."""
    found = _telling(function.definition)  # who is told that it is not run asks for its code
    if found is None:
        return 0
    known: dict[str, object] = {}
    for name in found.names:
        value = m.state.get(function.scope, name, MISSING)
        value = known[name] = m.library.builtin(name) if value is MISSING else value
        if type(value) is not LibraryName:
            return 0
    for first, *rest in found.told:
        value = known[first]
        for part in rest:
            value = m.library.attribute(value, part)  # type: ignore[arg-type]
            if type(value) is not LibraryName:
                return 0
        if _is_described(m, value.name):  # type: ignore[attr-defined]
            return 0
    return found.steps


def _is_described(m: Machine, name: str) -> bool:
    """Whether calling something of a library may come to more than that it has been given what it was given."""
    library = m.library
    return (
        name.startswith(("builtins.", "numpy."))
        or name.rpartition(".")[2][:1].isupper()
        or name in table.SPECIAL
        or table.by_prefix(name) is not None
        or library.layer(name) is not None
        or library.optimizer(name) is not None
        or library.operation(name) is not None
        or library.reads_on_host(name)
    )


@of_tree(maxsize=2048)
def _telling(node: ast.AST) -> _Telling | None:
    """Names that a function reads of its surroundings, if it has no effect but output."""
    if not isinstance(node, ast.FunctionDef) or len(node.body) > _STATEMENTS or node.decorator_list:
        return None
    spec = node.args
    own = {
        each.arg
        for each in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs, spec.vararg, spec.kwarg)
        if each
    }
    reading = _Reading(own)
    if not all(map(reading.statement, node.body)) or not reading.told:
        return None
    return _Telling(reading.steps, frozenset(reading.names), tuple(reading.told))


class _Reading:
    """Reads through a body, as long as there is nothing in it but texts."""

    def __init__(self, own: set[str]) -> None:
        self.own = own
        self.names: set[str] = set()
        self.told: list[tuple[str, ...]] = []
        self.steps = 0

    def statement(self, node: ast.stmt) -> bool:
        self.steps += 1
        if isinstance(node, ast.Assign):
            target = node.targets[0]
            fits = len(node.targets) == 1 and isinstance(target, ast.Name) and self.text(node.value)
            if isinstance(target, ast.Name):
                self.own.add(target.id)
            return fits
        if isinstance(node, ast.If):
            return self.text(node.test) and all(map(self.statement, [*node.body, *node.orelse]))
        if isinstance(node, ast.Return):
            return node.value is None or (isinstance(node.value, ast.Constant) and node.value.value is None)
        if isinstance(node, ast.Expr):
            return self._tells(node.value) or self.text(node.value)
        return isinstance(node, ast.Pass)

    def text(self, node: ast.expr) -> bool:
        """Whether an expression is a text, a test of one, or what is asked for its name."""
        if isinstance(node, ast.Name):
            if node.id not in self.own:
                self.names.add(node.id)
            return True
        if isinstance(node, ast.Attribute):
            return node.attr in _NAMES and self.text(node.value)
        if isinstance(node, ast.JoinedStr):
            return all(map(self.text, node.values))
        if isinstance(node, ast.FormattedValue):
            return node.format_spec is None and self.text(node.value)
        if isinstance(node, ast.BoolOp):
            return all(map(self.text, node.values))
        if isinstance(node, ast.UnaryOp):
            return isinstance(node.op, ast.Not) and self.text(node.operand)
        if isinstance(node, ast.Call):
            self.steps += 1
            return not node.keywords and self._asks(node.func) and all(map(self.text, node.args))
        return isinstance(node, ast.Constant)

    def _asks(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Attribute):
            return node.attr in _OF_TEXTS and self.text(node.value)
        return isinstance(node, ast.Name) and node.id in _TESTS and self.text(node)

    def _tells(self, node: ast.expr) -> bool:
        """`torch._C._log_api_usage_once(f"{module}.{name}")`: a function of a library, given texts."""
        if not isinstance(node, ast.Call) or node.keywords:
            return False
        parts: list[str] = []
        owner = node.func
        while isinstance(owner, ast.Attribute):
            parts.insert(0, owner.attr)
            owner = owner.value
        if not isinstance(owner, ast.Name) or owner.id in self.own or not parts:
            return False
        self.steps += 1
        self.names.add(owner.id)
        self.told.append((owner.id, *parts))
        return all(isinstance(each, (ast.JoinedStr, ast.Constant)) and self.text(each) for each in node.args)


# Calls that are given things from different places: there devices meet, whatever the steps


@budget.steps_where_devices_meet.answer
def steps_for(m: Machine, arguments: list[object], keywords: dict[str, object]) -> int:
    """Allowance of a call that there are no steps left for: positive, if its arguments come from different places."""
    allowance = m.allowance
    if allowance is None or allowance.meetings == 0 or not m.frame.plausible:
        return 0
    if not _meet(m, (*arguments, *keywords.values())) or m.silent:
        return 0
    allowance.meetings -= 1
    return limits.STEPS_OF_MEETING


def _meet(m: Machine, values: Iterable[object]) -> bool:
    """Whether one of some values was made here, on the CPU, and another is on an accelerator."""
    made: bool = False
    elsewhere: bool = False
    modules_given: list[InstanceValue] = []
    for each in values:
        kind: object = type(each)  # asked of each argument of many calls
        if kind is Symbol:
            elsewhere = elsewhere or (each.plausible and each.hint == "tensor")  # type: ignore[attr-defined]
        elif kind is TensorValue:
            places = leaves(m.device(each))  # type: ignore[arg-type]
            made = made or (CPU in places and _made_here(m, each))  # type: ignore[arg-type]
            elsewhere = elsewhere or any(map(_may_accelerate, places))
        elif kind is InstanceValue and each.serial >= m.run_began:  # type: ignore[attr-defined]
            modules_given.append(each)  # type: ignore[arg-type]
    made = made or any(_is_here(m, each) for each in modules_given if elsewhere)
    return made and elsewhere


def _is_here(m: Machine, instance: InstanceValue) -> bool:
    """Whether a module that was made here has parameters on the CPU."""
    place = registry.device(m, instance) if registry.is_module(m, instance) else None
    return place is not None and CPU in leaves(place)


def _made_here(m: Machine, tensor: TensorValue) -> bool:
    step = m.state.get(tensor, "device_step", tensor.device_step)
    return (
        bool(tensor.nonscalar)
        and tensor.serial >= m.run_began
        and isinstance(step, Step)
        and step.kind == "created"
    )


def _may_accelerate(place: object) -> bool:
    if isinstance(place, NamedDevice):
        return place.may_accelerate
    return isinstance(place, KnownDevice) and place.is_accelerator


__all__ = ["only_tells", "steps_for"]
