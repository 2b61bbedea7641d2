"""Tests and the paths behind them: what a value's truth is, and what is run where it holds. Methods of the machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from devls.engine.core.joins import Contents, Entries, differing
from devls.values.conditions import Condition, Either, Tree, combined, either
from devls.values.state import resolved
from devls.values.value import (
    BoundMethod,
    Const,
    Mapping,
    Sequence,
    Symbol,
    TensorValue,
    TupleValue,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from devls.engine.core.machine import Machine

_TRUTHS: Final = (True, False)


def branch(m: Machine, test: Tree, then: Callable[[], object], otherwise: Callable[[], object]) -> object:
    """Run one of two things, or both on paths of their own; returns their joined values.

    `test` is a tree of True and False (see `truth`).
    """
    if type(test) is Either:
        test = resolved(test, m.state.now)
    if test is True:
        return then()
    if test is False:
        return otherwise()
    below = m.state.fork()
    assume(m, test, value=True)
    first = then()
    ours = m.state.layer
    m.state.restore(below)
    m.state.fork()
    assume(m, test, value=False)
    second = otherwise()
    theirs = m.state.layer
    m.state.restore(below)
    m.join([ours, theirs])
    return select(m, test, first, second)


def assume(m: Machine, test: Tree, *, value: bool) -> None:
    """Record on the path that a test came out as `value`."""
    if type(test) is not Either:
        return
    condition = test.condition
    if test.then is True and test.otherwise is False:
        _decide(m, condition, value=value)
        return
    if test.then is False and test.otherwise is True:
        _decide(m, condition, value=not value)
        return
    if test.then is (not value):
        _decide(m, condition, value=False)
        assume(m, test.otherwise, value=value)
    elif test.otherwise is (not value):
        _decide(m, condition, value=True)
        assume(m, test.then, value=value)
    m.state.assume(combined(test), value=value)


def _decide(m: Machine, condition: Condition, *, value: bool) -> None:
    """Record how one test came out, and what follows for the tests that it is made of."""
    m.state.assume(condition, value=value)
    if condition.made_of is not None:
        assume(m, condition.made_of, value=value)


def select(m: Machine, test: Tree, then: object, otherwise: object) -> object:
    """The value that is `then` where `test` holds and `otherwise` where not."""
    if test is True:
        return then
    if test is False:
        return otherwise
    if then is otherwise or then == otherwise:
        return then
    if isinstance(test, Either):
        simple = test.then in (True, False) and test.otherwise in (True, False)
        condition = test.condition if simple else combined(test)
        if simple and test.then is False:
            then, otherwise = otherwise, then
        return differing(m, condition, then, otherwise)
    return m.unknown()


def truth(m: Machine, value: object) -> Tree:
    """Whether a value is true, as a tree of True and False."""
    kind = type(value)
    if kind is Either or kind is Symbol:
        value = m.resolve(value)
    if type(value) is Const:
        return bool(value.value)
    if isinstance(value, Either):
        then, otherwise = value.then, value.otherwise
        if type(then) is Const and type(otherwise) is Const:
            one, other = bool(then.value), bool(otherwise.value)
            return one if one is other else Either(value.condition, one, other)
        tree = either(value.condition, truth(m, then), truth(m, otherwise))
        if not isinstance(tree, Either) or (tree.then in _TRUTHS and tree.otherwise in _TRUTHS):
            return tree  # a single test would have been resolved, if the path knew it
        known = m.state.assumed(combined(tree))
        return tree if known is None else known
    if isinstance(value, Symbol):
        if value.hash in m.state.taken_for_none and m.state.assumed(value.is_none):
            return False
        return m.state.resolve(value.truth)
    if isinstance(value, TensorValue):
        return Either(Condition(("truth", id(value)), "a tensor's truth"), True, False)
    if isinstance(value, TupleValue):
        return bool(value.items)
    if isinstance(value, Sequence):
        contents = m.state.get(value, "#items")
        if isinstance(contents, Contents) and contents.items is not None and contents.element is None:
            return bool(contents.items)
        return Either(m.fresh_condition("not empty"), True, False)
    if isinstance(value, Mapping):
        entries = m.state.get(value, "#entries")
        told = (
            entries.truth()
            if isinstance(entries, Entries) and (entries.known or entries.rest is None)
            else None
        )
        if told is not None:
            return told
        return Either(m.fresh_condition("not empty"), True, False)
    if isinstance(value, BoundMethod) and isinstance(value.receiver, Symbol):
        # `args.cuda` is a flag at least as often as a method: of what is not known, both may be meant.
        key = ("attr", value.receiver.key, value.name)
        text = f"{value.receiver.text}.{value.name}"
        return m.state.resolve(Either(Condition(("truth", key), text), True, False))
    return True
