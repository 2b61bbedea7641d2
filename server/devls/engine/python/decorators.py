"""Decorators of the project: functions that are called on what they decorate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.engine.core import limits
from devls.engine.core.joins import Contents, Entries
from devls.engine.python import calls
from devls.values.conditions import Either, leaves
from devls.values.value import BoundMethod, FunctionValue

if TYPE_CHECKING:
    import ast

    from devls.engine.core.machine import Machine
    from devls.values.state import Layer


def called(m: Machine, applied: object, value: object, decorator: ast.expr, *kinds: type[object]) -> object:
    """Result of a decorator of the project's on a function or class; the same object, if unknown.

    One that has returned what it was given so many times in one scope is there to enter it somewhere. It is not run on
    the rest, and where it has entered the last, anything may be. Nor is one run again where those of a scope have taken long.
    """
    own = applied.function if isinstance(applied, BoundMethod) else applied
    if not isinstance(own, FunctionValue):
        return value
    key, of_all = (m.frame.scope, own.definition), (m.frame.scope, None)
    times, steps = m.decorated.get(key), m.decorated.get(of_all, 0)
    is_late = steps >= limits.STEPS_OF_DECORATORS
    if times is not None and (is_late or times >= limits.DECORATED):
        return value
    below, before = m.state.fork(), m.steps_left
    made = _in_weaker_grad_mode(m.resolve(calls.call(m, applied, [value], {}, decorator)))
    m.decorated[of_all] = steps = steps + before - m.steps_left
    m.decorated[key] = times = (times or 0) + (made is value)
    if times == limits.DECORATED or steps >= limits.STEPS_OF_DECORATORS:
        _leave_open(m, below)
    return made if isinstance(made, kinds) else value


def _in_weaker_grad_mode(made: object) -> object:
    """One for several of the same function that differ in the grad mode alone; of `no_grad` and `inference_mode` the weaker."""
    found = leaves(made) if isinstance(made, Either) else []
    functions = [each for each in found if isinstance(each, FunctionValue) and each.grad_mode]
    if not functions or len(functions) < len(found) or len({each.definition for each in functions}) > 1:
        return made
    return next((each for each in functions if each.grad_mode == "no_grad"), functions[0])


def _leave_open(m: Machine, below: Layer) -> None:
    """More may be in all containers that were written to since."""
    for (owner, slot), value in m.state.written_since(below).items():
        if isinstance(value, Entries) and value.rest is None:
            m.state.set(owner, slot, Entries(value.known, m.unknown()))
        elif isinstance(value, Contents):
            m.state.set(owner, slot, Contents(None, m.unknown()))
