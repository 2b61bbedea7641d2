"""Comprehensions: what is in the list or the dict that one makes."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core.joins import Contents, Entries
from devls.engine.python import assignments, iteration, mappings
from devls.values.conditions import Either, Tree, both, leaves
from devls.values.value import Scope, Sequence, Symbol, TupleValue

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from devls.engine.core.machine import Machine


def eval_comprehension(m: Machine, node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> object:
    """`[f(x) for x in xs if test(x)]`, a set, or an iterator of such."""
    kind = {ast.ListComp: "list", ast.SetComp: "set", ast.GeneratorExp: "iterator"}[type(node)]

    def contents(iterable: object) -> Contents:
        run = _Run(m, node.generators)
        produced: list[object] = []
        if run.all_items(iterable, lambda: produced.append(m.eval(node.elt))) and not run.filtered:
            return Contents(tuple(produced))
        element = m.any_of(tuple(produced))
        return Contents(None, m.unknown() if element is None else element)

    made = _of_each(m, m.eval(node.generators[0].iter), contents)
    if not isinstance(made, Contents) or made.items is None:
        result = m.new_list((), node, kind)
        m.state.set(result, "#items", made)
        return result
    result = m.new_list(made.items, node, kind)
    if kind == "iterator":
        iteration.made_later(m, result)
    return result


def eval_dict_comprehension(m: Machine, node: ast.DictComp) -> object:
    """`{k: f(v) for k, v in items if test(v)}`; what a test lets through that cannot be decided is there if it holds."""

    def entries(iterable: object) -> Entries:
        run = _Run(m, node.generators)
        produced: list[tuple[object, object, Tree]] = []

        def add() -> None:
            name = m.resolve(m.eval(node.key))
            key = mappings.key_of(name)
            test: Tree = True
            for each in run.tests:
                test = both(test, each)
            value = m.eval(node.value)
            produced.append((key, value if key is not None else _under_any_key(m, name, value), test))

        exact = run.all_items(iterable, add)
        made = Entries({})
        for key, value, test in produced if exact else ():
            if key is not None:
                made.known[key] = value
                if isinstance(test, Either):
                    made.there[key] = test
        if exact and all(key is not None for key, *_ in produced):
            return made
        rest = m.any_of(tuple(value for _, value, _ in produced))
        return Entries(made.known, m.unknown() if rest is None else rest, made.there)

    made = _of_each(m, m.eval(node.generators[0].iter), entries)
    return m.new_dict(made if isinstance(made, Entries) else Entries({}, m.unknown()), node=node)


def _under_any_key(m: Machine, key: object, value: object) -> object:
    """Values under keys that are not known: the key decides which of several it is.

    `{k: v if k in HOST_FIELDS else v.to(device) for k, v in batch.items()}`: whoever reads `batch["lengths"]` knows its key.
    """
    if (
        not isinstance(key, Symbol)
        or not isinstance(value, Either)
        or not _asks_for(value.condition.key, key.key)
    ):
        return value
    return m.any_of(tuple(leaves(value)))


def _asks_for(test: object, key: Hashable) -> bool:
    """Whether the key of a test mentions that of something unknown."""
    return test == key or (isinstance(test, tuple) and any(_asks_for(each, key) for each in test))


def _of_each(m: Machine, iterable: object, run: Callable[[object], object]) -> object:
    """Result of a comprehension over its first iterable; of one of two lists, over each of them."""
    iterable = m.resolve(iterable)
    if isinstance(iterable, Either) and _is_listed(m, iterable.then) and _is_listed(m, iterable.otherwise):
        then, otherwise = iterable.then, iterable.otherwise
        return m.branch(Either(iterable.condition, True, False), lambda: run(then), lambda: run(otherwise))
    return run(iterable)


def _is_listed(m: Machine, value: object) -> bool:
    """Whether the items of a list or tuple are known one by one."""
    if not isinstance(value, Sequence) or value.kind == "iterator":
        return isinstance(value, TupleValue)
    contents = m.state.get(value, "#items")
    return isinstance(contents, Contents) and contents.items is not None and contents.element is None


class _Run:
    """One run of a comprehension; `tests` are those that let the item through that is produced."""

    def __init__(self, m: Machine, generators: list[ast.comprehension]) -> None:
        self.m = m
        self.generators = generators
        self.tests: list[Tree] = []
        self.filtered = False  # some item was produced that may have been left out

    def all_items(self, iterable: object, produce: Callable[[], object]) -> bool:
        """Produce what comes of all items; True if each was visited exactly once."""
        outer = self.m.frame.scope
        self.m.frame.scope = Scope("function", self.m.source, outer, outer.globals)
        try:
            return self._level(0, iterable, produce)
        finally:
            self.m.frame.scope = outer

    def _level(self, depth: int, iterable: object, produce: Callable[[], object]) -> bool:
        m, generator = self.m, self.generators[depth]
        items = iteration.items(m, iterable, generator.iter)
        exact = items is not None
        if items is None:
            items = [iteration.element(m, iterable, generator.iter, 0)]
            iteration.used_up(m, iterable)
        elif len(items) > 12:
            items, exact = items[:2], False
        for item in items:
            m.tick()
            m.pay()
            assignments.assign(m, generator.target, item, None)
            before = len(self.tests)
            below = m.state.layer
            if self._passes(generator):
                exact = self._deeper(depth + 1, produce) and exact
            if len(self.tests) > before:
                del self.tests[before:]
                ours = m.state.layer
                m.state.restore(below)
                m.state.fork()
                theirs = m.state.layer
                m.state.restore(below)
                m.join([ours, theirs])
        return exact

    def _deeper(self, depth: int, produce: Callable[[], object]) -> bool:
        if depth < len(self.generators):
            return self._level(depth, self.m.eval(self.generators[depth].iter), produce)
        produce()
        return True

    def _passes(self, generator: ast.comprehension) -> bool:
        """Whether an item is let through, for all that is known; on a path of its own if that is not decided."""
        m, first = self.m, True
        for node in generator.ifs:
            test = m.truth(m.eval(node))
            if test is False:
                return False
            if isinstance(test, Either):
                self.filtered = True
                if first:
                    m.state.fork()
                    first = False
                self.tests.append(test)
                m.assume(test, value=True)
        return True
