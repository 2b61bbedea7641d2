"""Moments of calls and of what is handed over in them. See `moments.py` for what a moment is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.engine.core.moments import moment

if TYPE_CHECKING:
    import ast

    from devls.engine.core.machine import Machine
    from devls.values.value import ClassValue, FunctionValue, Symbol, TensorValue


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
