"""Moments of Python code that runs: names, containers, loops, calls, and the ends of runs.

Announced by `python/` and by the driver. See `core/moments.py` for how to subscribe.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.engine.core.moments import moment

if TYPE_CHECKING:
    import ast
    from collections.abc import Sequence as AbstractSequence

    from devls.engine.core.machine import Machine
    from devls.engine.core.machine_types import Frame, LoopFrame
    from devls.values.value import (
        BoundMethod,
        ClassValue,
        FunctionValue,
        InstanceValue,
        Mapping,
        Sequence,
        Symbol,
        TensorValue,
        TupleValue,
    )


# Names, attributes, containers


@moment
def name_bound(m: Machine, target: ast.Name, value: TensorValue, node: ast.expr | None) -> None:
    """A name is about to be bound to a tensor; `node` is the expression that gave it, if there is one."""


@moment
def replaced(
    m: Machine, target: ast.Attribute | ast.Subscript, old: object, value: object, node: ast.expr
) -> None:
    """In a loop an attribute of an instance, or an entry of a dict, is about to be replaced."""


@moment
def stored(
    m: Machine,
    node: ast.AST,
    container: Sequence | Mapping,
    value: object,
    value_node: ast.expr | None,
    *,
    keyed: bool = False,
) -> None:
    """A value is about to be put into a container; `keyed`: the next iteration of the loop overwrites it."""


@moment
def gradient_assigned(m: Machine, target: ast.Attribute, owner: object) -> None:
    """`owner.grad = value`, where the value is not None."""


@moment
def library_name_read(m: Machine, node: ast.Attribute, space: str) -> None:
    """`space.name` is read, where `space` is something of a library, by its full name."""


@moment
def library_name_imported(m: Machine, alias: ast.alias, space: str) -> None:
    """`from space import name`, where `space` is a module of a library."""


@moment
def method_attribute_read(m: Machine, node: ast.expr, owner: BoundMethod, receiver: ast.expr | None) -> None:
    """An attribute is read that a bound method does not have."""


@moment
def attribute_lacking(
    m: Machine, node: ast.expr, owner: TupleValue, name: str, receiver: ast.expr | None
) -> None:
    """An attribute is read that a tuple with named fields does not have."""


@moment
def value_called(m: Machine, value: object, node: ast.expr | None) -> None:
    """A value that is no function, class or module is called: a tensor, a constant, or a tuple."""


# Operators


@moment
def augmenting(m: Machine, node: ast.AugAssign, before: object, value: object) -> None:
    """`target op= value` is about to be computed; `before` is what the target holds."""


@moment
def operands_met(
    m: Machine,
    node: ast.expr | ast.stmt,
    sides: AbstractSequence[tuple[object, ast.expr]],
    *,
    compared: bool = False,
) -> None:
    """Two values are the operands of a binary operator; each comes with its expression.

    Values without a tensor among them may be `compared`. Links of a longer comparison, identity, and membership are not
    told.
    """


@moment
def operator_applied(m: Machine, method: str, result: object, left: object, right: object) -> None:
    """`left op right` has given a result; `method` is the operator's (`__add__`, `__iadd__`)."""


@moment
def compared(m: Machine, node: ast.Compare, left: object, right: object) -> None:
    """Two values are compared by one operator, without the alternatives that the path has excluded.

    Not told where one of them is a tensor, unless by identity, by membership, or in a chain of comparisons.
    """


@moment
def attribute_dropped(m: Machine, statement: ast.Expr, node: ast.Attribute, value: object) -> None:
    """A statement is nothing but an attribute that is read."""


@moment
def result_dropped(m: Machine, statement: ast.Expr, node: ast.Call, value: object) -> None:
    """A call was a statement by itself, or a part of a tuple or a list that was: nobody gets its value."""


@moment
def comparison_dropped(m: Machine, statement: ast.Expr, node: ast.Compare) -> None:
    """A statement is nothing but a comparison."""


# Loops


@moment
def items_passed_over(m: Machine, items: AbstractSequence[object]) -> None:
    """Of what a loop goes through, not all items are looked at one by one: some of these stand for the others."""


@moment
def iteration_ended(m: Machine, loop: LoopFrame) -> None:
    """The paths of an iteration have been joined; the loop is still running."""


@moment
def loop_ended(m: Machine, loop: LoopFrame) -> None:
    """A loop is over, and no longer among those that are running."""


# Calls


@moment
def function_ended(
    m: Machine, frame: Frame, function: FunctionValue, result: object, grad_before: object
) -> None:
    """A function has returned to its caller, whose frame is running; `grad_before`: the grad mode in which it was called."""


@moment
def instance_called(
    m: Machine,
    instance: InstanceValue,
    arguments: AbstractSequence[object],
    node: ast.expr | None,
    result: object,
) -> None:
    """An instance, which may be a module, was called and has given a result."""


@moment
def forward_called(m: Machine, owner: object, receiver: ast.expr | None, node: ast.expr | None) -> None:
    """`owner.forward(...)` is about to be called, under this name."""


@moment
def unseen_code_called(m: Machine, function: object, *, is_module: bool) -> None:
    """Code that we do not see is called; `is_module`: it is presumed to be a module."""


@moment
def unseen_code_given(
    m: Machine, function: object, arguments: AbstractSequence[object], node: ast.expr | None
) -> None:
    """Code that we do not see, and that is presumed to be no module, holds what it was given."""


@moment
def given_to_library(m: Machine, arguments: AbstractSequence[object]) -> None:
    """A library function that nobody described holds what it was given."""


@moment
def unseen_code_returned(
    m: Machine, function: Symbol, arguments: list[object], node: ast.expr | None
) -> None:
    """Something that is known by name only was called and is about to return."""


# Runs


@moment
def module_ended(m: Machine) -> None:
    """The body of an imported module has come to its end."""


@moment
def program_ended(m: Machine, *, whole: bool) -> None:
    """The main program is over; `whole`: it came to its end, and did not use up its steps."""


@moment
def run_returned(m: Machine, function: FunctionValue, receiver: InstanceValue | None, result: object) -> None:
    """A function that is run by itself, on an object if it is a method, has given its result."""


@moment
def run_ended(m: Machine, function: FunctionValue, result: object) -> None:
    """A function that was run by itself is over; its state is still there."""


# Moments of calls and of what is handed over in them. See `moments.py` for what a moment is


@moment
def dataclass_made(m: Machine, cls: ClassValue, arguments: list[object], keywords: dict[str, object]) -> None:
    """An object of a dataclass is made of these arguments."""


@moment
def flag_set(
    m: Machine, target: ast.Attribute, owner: object, name: str, node: ast.expr | None, problem: str
) -> None:
    """An attribute of tensors was set on what is a module, or a method of tensors was replaced; `problem` says which."""


@moment
def function_called(
    m: Machine,
    function: FunctionValue,
    arguments: list[object],
    keywords: dict[str, object],
    receiver: object,
) -> None:
    """A function of the project is given these arguments, whether or not its body is run."""


@moment
def met_tensor(m: Machine, value: Symbol, other: TensorValue) -> None:
    """Something unknown is an operand of an operator beside a tensor."""
