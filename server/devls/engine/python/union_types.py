"""What a name stands for on either side of `isinstance(x, T)`, where it may be more things than a test can tell apart."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.engine.python import names, narrowing
from devls.values.conditions import Either, size
from devls.values.value import LibraryName, Symbol

if TYPE_CHECKING:
    from devls.engine.core.machine import Machine

_NONE: Final = object()
"""Stands for no case at all."""

_FEW: Final = 2
"""Answers that one condition tells apart, and a join with it."""


def asks(m: Machine, test: ast.Call, answer: object) -> bool:
    """Whether a test asks a name of what kind it is, of which there are many: a join would forget which case had what answer."""
    many = type(answer) is Symbol or (type(answer) is Either and size(answer) > _FEW)
    return (
        many
        and bool(test.args)
        and isinstance(test.args[0], ast.Name)
        and m.text(test.func).rpartition(".")[2] in ("isinstance", "is_tensor")
        and isinstance(m.resolve(m.eval(test.args[0])), Either)
    )


def narrow(m: Machine, test: ast.Call, *, outcome: bool) -> None:
    """On the path with that outcome the name is none of the cases that answer otherwise."""
    name = test.args[0]
    cls = m.eval(test.args[1]) if len(test.args) > 1 else LibraryName("torch.Tensor")
    held = m.resolve(m.eval(name))
    left = _cases(m, held, cls, outcome=outcome)
    if isinstance(name, ast.Name) and left is not _NONE and left is not held:
        names.bind(m, name.id, left)


def _cases(m: Machine, value: object, cls: object, *, outcome: bool) -> object:
    if not isinstance(value, Either):
        answer = m.truth(narrowing.is_instance(m, value, cls))
        return _NONE if answer is (not outcome) else value
    then, otherwise = (
        _cases(m, m.resolve(each), cls, outcome=outcome) for each in (value.then, value.otherwise)
    )
    if then is _NONE or otherwise is _NONE:
        return otherwise if then is _NONE else then
    unchanged = then is value.then and otherwise is value.otherwise
    return value if unchanged else Either(value.condition, then, otherwise)
