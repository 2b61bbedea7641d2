"""Facts that hold under conditions: small decision trees.

A branch on a test that we cannot decide makes a `Condition`. Facts that differ between
the two sides become an `Either`; the same test later picks the same side. One mechanism
thus gives the availability idiom, correlated branches and "maybe on the CPU".
Conditions are keyed by the tested *value*, never by its text.
"""

from __future__ import annotations

import weakref
from itertools import count
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

MAX_CASES: Final = 8
"""Leaves of one tree. Real code rarely passes three; beyond this nobody could follow a message."""


_NOT_YET: Final = object()


_SERIALS: Final = count()
_COMBINED: Final = "tree"
_BITS: Final = 30
"""As many as one digit of an int has."""


class Condition:
    """An undecided test. Equal keys are the same test, and the same object: conditions are looked up all the time."""

    __slots__ = ("__weakref__", "bit", "key", "made_of", "spelled_out", "text")

    bit: int
    """One of a few bits: a tree that has not got it does not ask for this test."""
    key: Hashable
    made_of: Tree
    """The tree of True and False that a combined test is made of; None for a simple one."""
    text: str
    spelled_out: Tree
    """Of a combined test: see `_in_simple_tests`."""

    def __new__(cls, key: Hashable, text: str) -> Condition:  # noqa: PYI034  typing has it from 3.11 only
        """Find or make the test with a key; a text that came too late for one without is taken over."""
        known = _KNOWN.get(key)
        found = None if known is None else known()
        if found is None:
            found = object.__new__(cls)
            found.bit = 1 << (next(_SERIALS) % _BITS)
            found.key = key
            found.made_of = key[1] if type(key) is tuple and len(key) == 2 and key[0] == _COMBINED else None
            found.text = text
            found.spelled_out = _NOT_YET
            _KNOWN[key] = reference = _Reference(found, _forget)
            reference.key = key
        elif text and not found.text:
            found.text = text
        return found

    @staticmethod
    def known(key: Hashable) -> Condition | None:
        """The test with a key, if anybody has asked for it: of one that nobody has no path can know how it comes out."""
        known = _KNOWN.get(key)
        return None if known is None else known()

    @staticmethod
    def fresh(text: str) -> Condition:
        """A test that nobody else will ever ask for."""
        found = object.__new__(Condition)
        found.bit = 1 << (next(_SERIALS) % _BITS)
        found.key = object()
        found.made_of = None
        found.text = text
        found.spelled_out = _NOT_YET
        return found

    def __repr__(self) -> str:
        return f"<{self.text}>"


class _Reference(weakref.ref[Condition]):
    """A weak reference to a condition, with its key.

    A `WeakValueDictionary` has the same, and takes twice the time.
    """

    __slots__ = ("key",)

    key: Hashable


def _forget(reference: weakref.ref[Condition]) -> None:
    key = reference.key  # type: ignore[attr-defined]
    if _KNOWN.get(key) is reference:  # not another one that was made meanwhile
        del _KNOWN[key]


_KNOWN: Final[dict[Hashable, _Reference]] = {}

IS_NONE: Final = "is-none"
"""The key of the test whether something unknown is None: this, and its own key."""

ACCELERATOR_PRESENT: Final = Condition("accelerator present", "an accelerator is available")


class Either:
    """`then` where the condition holds, `otherwise` where it does not."""

    __slots__ = ("_hash", "bits", "condition", "otherwise", "size", "then")

    bits: int
    """Those of all its tests."""
    size: int
    """How many leaves it has."""

    def __init__(self, condition: Condition, then: object, otherwise: object) -> None:
        self.condition = condition
        self.then = then
        self.otherwise = otherwise
        self._hash: int | None = None
        bits, leaves = condition.bit, 0
        if type(then) is Either:
            bits |= then.bits
            leaves = then.size - 1
        if type(otherwise) is Either:
            bits |= otherwise.bits
            leaves += otherwise.size - 1
        self.bits, self.size = bits, leaves + 2

    def __eq__(self, other: object) -> bool:
        return self is other or (
            type(other) is Either
            and self.condition is other.condition
            and self.then == other.then
            and self.otherwise == other.otherwise
        )

    def __hash__(self) -> int:
        found = self._hash
        if found is None:  # trees are keys of combined tests, which are asked for all the time
            found = self._hash = hash((self.condition, self.then, self.otherwise))
        return found

    def __repr__(self) -> str:
        return f"({self.then!r} if {self.condition!r} else {self.otherwise!r})"


Tree = object
"""A leaf of whatever type, or an Either of trees."""

Assumptions = dict[Condition, bool]


def combined(test: Tree) -> Condition:
    """The test that a tree of True and False makes, as one."""
    return Condition((_COMBINED, test), "a combined test")


def parts(condition: Condition) -> Tree:
    """The tree of True and False that a combined test is made of; None for a simple one."""
    return condition.made_of


def either(condition: Condition, then: Tree, otherwise: Tree) -> Tree:
    """The smallest tree: no test whose sides agree, no test asked twice, no side that cannot be."""
    bit = condition.bit
    if type(then) is Either and then.bits & bit:
        then = _given(then, condition, True)
    if type(otherwise) is Either and otherwise.bits & bit:
        otherwise = _given(otherwise, condition, False)
    if type(then) is Either or type(otherwise) is Either:
        test = None if condition.made_of is None else _in_simple_tests(condition)
        if test is not None and size(test) <= MAX_CASES * MAX_CASES:
            then = _consistent(then, test, value=True)
            otherwise = _consistent(otherwise, test, value=False)
    if then is otherwise or (type(then) is type(otherwise) and then == otherwise):
        return then
    return Either(condition, then, otherwise)


def _given(tree: Tree, condition: Condition, value: bool) -> Tree:
    """A tree where a test comes out as `value`."""
    while type(tree) is Either and tree.condition is condition:
        tree = tree.then if value else tree.otherwise
    if type(tree) is not Either or not tree.bits & condition.bit:
        return tree
    then, otherwise = tree.then, tree.otherwise
    if type(then) is Either and then.bits & condition.bit:
        then = _given(then, condition, value)
    if type(otherwise) is Either and otherwise.bits & condition.bit:
        otherwise = _given(otherwise, condition, value)
    if then is tree.then and otherwise is tree.otherwise:
        return tree
    return then if then == otherwise else Either(tree.condition, then, otherwise)


def _in_simple_tests(condition: Condition) -> Tree:
    """Simple tests that a combined test is made of; None if those are too many. Worked out once for each."""
    known = condition.spelled_out
    if known is _NOT_YET:
        known = condition.spelled_out = _spelled_out(parts(condition))
    return known


def _spelled_out(test: Tree) -> Tree:
    """A tree of True and False in simple tests only; None if it were too large on the way."""
    if not isinstance(test, Either):
        return test
    then, otherwise = _spelled_out(test.then), _spelled_out(test.otherwise)
    if then is None or otherwise is None:
        return None
    if parts(test.condition) is None:
        return either(test.condition, then, otherwise)
    inner = _in_simple_tests(test.condition)
    if inner is None or size(inner) * (size(then) + size(otherwise)) > MAX_CASES**3:
        return None
    return _apply(lambda decided, one, other: one if decided else other, (inner, then, otherwise))


def _consistent(tree: Tree, test: Tree, *, value: bool) -> Tree:
    """A tree without the leaves that no outcome of its tests reaches for which `test` comes out as `value`."""
    if type(tree) is not Either or type(test) is not Either:
        return tree
    when, unless = _given(test, tree.condition, True), _given(test, tree.condition, False)
    if not _reaches(when, value):
        return _consistent(tree.otherwise, unless, value=value)
    if not _reaches(unless, value):
        return _consistent(tree.then, when, value=value)
    then = _consistent(tree.then, when, value=value)
    otherwise = _consistent(tree.otherwise, unless, value=value)
    if then is tree.then and otherwise is tree.otherwise:
        return tree
    return then if then == otherwise else Either(tree.condition, then, otherwise)


def _reaches(tree: Tree, leaf: Tree) -> bool:
    """Whether a leaf is among those of a tree."""
    while type(tree) is Either:
        if _reaches(tree.then, leaf):
            return True
        tree = tree.otherwise
    return tree is leaf or tree == leaf


def implied(condition: Condition, assumptions: Assumptions) -> bool:
    """Whether a test has to hold where others came out as assumed; combined tests are made of it, perhaps."""
    if condition in assumptions:
        return assumptions[condition]
    for other, value in assumptions.items():
        test = None if parts(other) is None else _in_simple_tests(other)
        if test is not None:
            left = resolve(_given(test, condition, False), assumptions.get)
            if not _reaches(left, value):
                return True
    return False


def resolve(tree: Tree, assumed: Callable[[Condition], bool | None]) -> Tree:
    """The tree without the tests that are already decided."""
    while type(tree) is Either:
        known = assumed(tree.condition)
        if known is True:
            tree = tree.then
        elif known is False:
            tree = tree.otherwise
        else:
            break
    else:
        return tree
    then, otherwise = tree.then, tree.otherwise
    if type(then) is Either:
        then = resolve(then, assumed)
    if type(otherwise) is Either:
        otherwise = resolve(otherwise, assumed)
    if then is tree.then and otherwise is tree.otherwise:
        return tree
    return then if then == otherwise else Either(tree.condition, then, otherwise)


def cases(*trees: Tree) -> list[tuple[Assumptions, tuple[Tree, ...]]]:
    """Every consistent choice of sides, with the leaf that each tree has there.

    Returns nothing when there are more than MAX_CASES squared of them.
    """
    found: list[tuple[Assumptions, tuple[Tree, ...]]] = [({}, ())]
    for tree in trees:
        found = [
            (assumptions, (*leaves, leaf))
            for before, leaves in found
            for assumptions, leaf in _leaves(tree, before)
        ]
        if len(found) > MAX_CASES * MAX_CASES:
            return []
    return found


def _leaves(tree: Tree, assumptions: Assumptions) -> list[tuple[Assumptions, Tree]]:
    if not isinstance(tree, Either):
        return [(assumptions, tree)]
    known = assumptions.get(tree.condition)
    if known is True:
        return _leaves(tree.then, assumptions)
    if known is False:
        return _leaves(tree.otherwise, assumptions)
    return _leaves(tree.then, {**assumptions, tree.condition: True}) + _leaves(
        tree.otherwise, {**assumptions, tree.condition: False}
    )


def leaves(tree: Tree) -> list[Tree]:
    """All leaves, whatever the conditions."""
    if type(tree) is not Either:
        return [tree]
    then, otherwise = tree.then, tree.otherwise
    if type(then) is not Either:
        return [then, otherwise] if type(otherwise) is not Either else [then, *leaves(otherwise)]
    return leaves(then) + leaves(otherwise)


def apply(function: Callable[..., Tree], *trees: Tree, too_many: Tree = None) -> Tree:
    """Lift a function of leaves to trees; `too_many` when the result would grow past MAX_CASES."""
    for tree in trees:
        if type(tree) is Either:
            break
    else:
        return function(*trees)
    count = len(trees)
    result = (
        _apply_to_one(function, trees[0])
        if count == 1
        else _apply_to_two(function, trees[0], trees[1])
        if count == 2
        else _apply(function, trees)
    )
    return too_many if size(result) > MAX_CASES else result


def _apply_to_one(function: Callable[..., Tree], tree: Tree) -> Tree:
    if type(tree) is not Either:
        return function(tree)
    return either(tree.condition, _apply_to_one(function, tree.then), _apply_to_one(function, tree.otherwise))


def _apply_to_two(function: Callable[..., Tree], one: Tree, other: Tree) -> Tree:
    if type(one) is Either:
        test, when, without = one.condition, other, other
        if type(other) is Either and other.bits & test.bit:
            when, without = _given(other, test, True), _given(other, test, False)
        return either(
            test, _apply_to_two(function, one.then, when), _apply_to_two(function, one.otherwise, without)
        )
    if type(other) is Either:
        return either(
            other.condition,
            _apply_to_two(function, one, other.then),
            _apply_to_two(function, one, other.otherwise),
        )
    return function(one, other)


def _apply(function: Callable[..., Tree], trees: tuple[Tree, ...]) -> Tree:
    for tree in trees:
        if type(tree) is Either:
            test = tree.condition
            return either(
                test,
                _apply(function, _all_given(trees, test, True)),
                _apply(function, _all_given(trees, test, False)),
            )
    return function(*trees)


def _all_given(trees: tuple[Tree, ...], condition: Condition, value: bool) -> tuple[Tree, ...]:
    bit = condition.bit
    return tuple(
        [
            _given(each, condition, value) if type(each) is Either and each.bits & bit else each
            for each in trees
        ]
    )


def size(tree: Tree) -> int:
    """How many leaves a tree has."""
    return tree.size if type(tree) is Either else 1


def both(left: Tree, right: Tree) -> Tree:
    """Three-valued `and` over trees of True, False and None (unknown)."""
    if type(left) is Either or type(right) is Either:
        return apply(_and, left, right)
    return _and(left, right)


def any_of(left: Tree, right: Tree) -> Tree:
    """Three-valued `or` over trees of True, False and None (unknown)."""
    if type(left) is Either or type(right) is Either:
        return apply(_or, left, right)
    return _or(left, right)


def negation(tree: Tree) -> Tree:
    """Three-valued `not`; as many cases as before, so that none is given up."""
    return _apply_to_one(_not, tree)


def _and(left: Tree, right: Tree) -> Tree:
    if left is False or right is False:
        return False
    return True if left is True and right is True else None


def _or(left: Tree, right: Tree) -> Tree:
    if left is True or right is True:
        return True
    return False if left is False and right is False else None


def _not(value: Tree) -> Tree:
    return None if value is None else not value
