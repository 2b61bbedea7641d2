"""`match`: whether a pattern fits, as a tree of True and False, and what it binds."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core.joins import Entries
from devls.engine.python import attributes, comparisons, iteration, mappings, names, narrowing
from devls.values.conditions import Condition, Either, negation
from devls.values.value import (
    ClassValue,
    Const,
    DeviceValue,
    InstanceValue,
    LibraryName,
    Mapping,
    Sequence,
    Symbol,
    TensorValue,
    TupleValue,
)

if TYPE_CHECKING:
    from devls.engine.core.machine import Machine
    from devls.values.conditions import Tree
    from devls.values.state import Layer


def run_match(m: Machine, node: ast.Match) -> bool:
    """Run the cases that may be it; each knows that those before it were not."""
    subject = m.resolve(m.eval(node.subject))
    alive: list[Layer] = []
    below = m.state.fork()
    m.state.fork()
    for case in node.cases:
        start = m.state.layer
        m.state.fork()
        test = _fits(m, case.pattern, subject)
        if case.guard is not None and test is not False:
            test = _both(m, test, m.truth(m.eval(case.guard)))
        test = m.state.resolve(test)
        if test is not False:
            m.assume(test, value=True)
            if m.run(case.body):
                alive.append(m.state.layer)
        m.state.restore(start)
        if test is True:
            break
        m.state.fork()
        m.assume(test, value=False)
    else:
        alive.append(m.state.layer)  # no case at all
    m.state.restore(below)
    if not alive:
        return False
    m.join(alive)
    return True


def _both(m: Machine, one: Tree, other: Tree) -> Tree:
    if one is False or other is False:
        return False
    if one is True:
        return other
    return one if other is True else _unknown(m)


def _unknown(m: Machine) -> Tree:
    return Either(Condition(("match", m.fresh_number()), "a pattern fits"), True, False)


def _all(m: Machine, tests: list[Tree]) -> Tree:
    result: Tree = True
    for each in tests:
        result = _both(m, result, each)
    return result


def _fits(m: Machine, pattern: ast.pattern, subject: object) -> Tree:
    if isinstance(pattern, ast.MatchAs):
        result = True if pattern.pattern is None else _fits(m, pattern.pattern, subject)
        if pattern.name:
            names.bind(m, pattern.name, subject)
        return result
    if isinstance(pattern, ast.MatchValue):
        return m.truth(comparisons.equal(m, m.resolve(subject), m.resolve(m.eval(pattern.value))))
    if isinstance(pattern, ast.MatchSingleton):
        return m.truth(comparisons.same_object(m, m.resolve(subject), Const(pattern.value)))
    if isinstance(pattern, ast.MatchOr):
        tests = [negation(_fits(m, each, subject)) for each in pattern.patterns]
        return negation(_all(m, tests))
    if isinstance(pattern, ast.MatchSequence):
        return _fits_sequence(m, pattern, m.resolve(subject))
    if isinstance(pattern, ast.MatchMapping):
        return _fits_mapping(m, pattern, mappings.plain(m, m.resolve(subject)))
    if isinstance(pattern, ast.MatchClass):
        return _fits_class(m, pattern, subject)
    return _unknown(m)


def _fits_sequence(m: Machine, pattern: ast.MatchSequence, subject: object) -> Tree:
    if isinstance(subject, (Const, Mapping, TensorValue, DeviceValue, InstanceValue)):
        return False
    items = iteration.items(m, subject, None) if isinstance(subject, (TupleValue, Sequence)) else None
    if items is None:
        return _bind_unknown(m, pattern)
    stars = [n for n, each in enumerate(pattern.patterns) if isinstance(each, ast.MatchStar)]
    wanted = len(pattern.patterns)
    if len(items) < wanted - len(stars) or (not stars and len(items) > wanted):
        return False
    if not stars:
        return _all(m, [_fits(m, *pair) for pair in zip(pattern.patterns, items, strict=True)])
    before, after = stars[0], wanted - stars[0] - 1
    star = pattern.patterns[before]
    rest = tuple(items[before : len(items) - after])
    if isinstance(star, ast.MatchStar) and star.name:
        names.bind(m, star.name, m.new_list(rest))
    ends = [*pattern.patterns[:before], *pattern.patterns[before + 1 :]]
    others = [*items[:before], *items[len(items) - after :]]
    return _all(m, [_fits(m, *pair) for pair in zip(ends, others, strict=True)])


def _fits_mapping(m: Machine, pattern: ast.MatchMapping, subject: object) -> Tree:
    if isinstance(subject, (Const, TupleValue, Sequence, TensorValue, DeviceValue, InstanceValue)):
        return False
    entries = m.state.get(subject, "#entries") if isinstance(subject, Mapping) else None
    if not isinstance(entries, Entries):
        return _bind_unknown(m, pattern)
    tests: list[Tree] = []
    rest = dict(entries.known)
    for key_node, inner in zip(pattern.keys, pattern.patterns, strict=True):
        key = mappings.key_of(m.resolve(m.eval(key_node)))
        if key is not None and key in entries.known:
            tests += [entries.holds(key), _fits(m, inner, entries.known[key])]
            rest.pop(key, None)
        elif entries.rest is None:
            return False
        else:
            tests += [_unknown(m), _fits(m, inner, entries.rest)]
    if pattern.rest:
        names.bind(m, pattern.rest, m.new_dict(rest, entries.rest))
    return _all(m, tests)


_ITSELF = frozenset("bool bytearray bytes dict float frozenset int list set str tuple".split())
"""Types whose one positional pattern is about the object itself."""


def _fits_class(m: Machine, pattern: ast.MatchClass, subject: object) -> Tree:
    cls = m.resolve(m.eval(pattern.cls))
    test = m.truth(narrowing.is_instance(m, subject, cls))
    if test is False:
        return False
    names: list[str] = []
    if isinstance(cls, ClassValue):
        names = [name for name, *_ in cls.dataclass_fields or ()]
    tests = [test]
    for number, each in enumerate(pattern.patterns):
        if isinstance(cls, LibraryName) and cls.name.removeprefix("builtins.") in _ITSELF:
            tests.append(_fits(m, each, subject))
        elif number < len(names):
            tests.append(_fits(m, each, _attribute(m, each, subject, names[number])))
        else:
            tests.append(_bind_unknown(m, each))
    for name, each in zip(pattern.kwd_attrs, pattern.kwd_patterns, strict=True):
        tests.append(_fits(m, each, _attribute(m, each, subject, name)))
    return _all(m, tests)


def _attribute(m: Machine, pattern: ast.pattern, subject: object, name: str) -> object:
    node = ast.copy_location(ast.Name(name, ast.Load()), pattern)
    return attributes.get_attribute(m, node, None, subject, name)


def _bind_unknown(m: Machine, pattern: ast.pattern) -> Tree:
    for each in ast.walk(pattern):
        name = getattr(each, "name", None) or getattr(each, "rest", None)
        if isinstance(each, (ast.MatchAs, ast.MatchStar, ast.MatchMapping)) and name:
            names.bind(m, name, Symbol(("matched", m.fresh_number()), name))
    return _unknown(m)
