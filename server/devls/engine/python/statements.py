"""Statements. Each function returns whether some path goes on behind the statement."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.engine.core import limits, program_moments
from devls.engine.core.joins import Contents
from devls.engine.core.transfer import STATEMENTS
from devls.engine.python import (
    assignments,
    contexts,
    definitions,
    imports,
    loops,
    names,
    narrowing,
    patterns,
    subscripts,
)
from devls.engine.python.iterables import HAS_NEXT, PRESUMED
from devls.engine.python.narrowing import learn_from_assert
from devls.syntax.nodes import walk
from devls.syntax.recovery import names_changed
from devls.values.conditions import Condition, Either
from devls.values.state import MISSING, resolved
from devls.values.value import Const, LibraryName, Sequence, Symbol, TupleValue

if TYPE_CHECKING:
    from collections.abc import Callable

    from devls.engine.core.machine import Machine
    from devls.values.state import Layer


def run_expression(m: Machine, node: ast.Expr) -> bool:
    value = m.eval(node.value)
    if type(node.value) is ast.Yield and m.frame.block is not None and m.frame.block.raises():
        return False
    if isinstance(node.value, ast.Attribute):
        program_moments.attribute_dropped(m, node, node.value, m.resolve(value))
    elif isinstance(node.value, ast.Call):
        program_moments.result_dropped(m, node, node.value, value)
        return not _ends_here(m, node.value)
    elif isinstance(node.value, ast.Compare):
        program_moments.comparison_dropped(m, node, node.value)
    elif type(node.value) is ast.Constant:
        if changed := names_changed(node):
            assignments.forget(m, node, changed)
    elif isinstance(node.value, (ast.Tuple, ast.ListComp)):
        _parts_dropped(m, node, node.value, m.resolve(value))
    return True


_NEVER_RETURN: Final = frozenset(
    "sys.exit os._exit os.abort builtins.exit builtins.quit pytest.exit pytest.fail pytest.skip pytest.xfail".split()
)
"""Functions that raise, or end the process, whatever they are given."""

_LAST_PARTS: Final = frozenset(each.rpartition(".")[2] for each in _NEVER_RETURN)


def _ends_here(m: Machine, call: ast.Call) -> bool:
    """Whether a call that stands under a test never returns: at the end of a program `sys.exit(main())` only says how it went."""
    function = call.func
    name = function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")
    if name not in _LAST_PARTS or not m.state.assumptions():
        return False
    value = m.resolve(m.eval(function)) if isinstance(function, (ast.Name, ast.Attribute)) else None
    return isinstance(value, LibraryName) and value.name in _NEVER_RETURN


def _parts_dropped(m: Machine, node: ast.Expr, made: ast.Tuple | ast.ListComp, value: object) -> None:
    """`x.to(d), y.to(d)`, or `[x.to(d) for x in xs]`: nobody gets the tuple or the list, nor what is in it."""
    contents = m.state.get(value, "#items") if isinstance(value, Sequence) else None
    if isinstance(value, TupleValue) and isinstance(made, ast.Tuple) and len(value.items) == len(made.elts):
        for each, held in zip(made.elts, value.items, strict=True):
            if isinstance(each, ast.Call):
                program_moments.result_dropped(m, node, each, held)
    elif isinstance(contents, Contents) and isinstance(made, ast.ListComp) and isinstance(made.elt, ast.Call):
        element = m.any_of((*(contents.items or ()), *filter(None, (contents.element,))))
        program_moments.result_dropped(m, node, made.elt, element)


def run_assign(m: Machine, node: ast.Assign) -> bool:
    value = m.eval(node.value)
    for target in node.targets:
        assignments.assign(m, target, value, node.value)
    return True


def run_annotated(m: Machine, node: ast.AnnAssign) -> bool:
    if node.value is not None:
        assignments.assign(m, node.target, m.eval(node.value), node.value)
    return True


def run_augmented(m: Machine, node: ast.AugAssign) -> bool:
    assignments.augment(m, node)
    return True


def run_return(m: Machine, node: ast.Return) -> bool:
    value = m.eval(node.value) if node.value is not None else Const(None)
    m.frames[-1].returns.append((snapshot(m), value))
    return False


def run_raise(m: Machine, node: ast.Raise) -> bool:
    if node.exc is not None:
        m.eval(node.exc)
    return False


def run_pass(_m: Machine, _node: ast.stmt) -> bool:
    return True


def run_break(m: Machine, _node: ast.Break) -> bool:
    if m.frames[-1].loops:
        m.frames[-1].loops[-1].breaks.append(snapshot(m))
    return False


def run_continue(m: Machine, _node: ast.Continue) -> bool:
    if m.frames[-1].loops:
        m.frames[-1].loops[-1].continues.append(snapshot(m))
    return False


def snapshot(m: Machine) -> Layer:
    """The current point, for a later join; what runs on gets a layer of its own."""
    return m.state.fork()


def run_if(m: Machine, node: ast.If) -> bool:
    """Run the tests of an `if` and its `elif`s in turn, those that are not decided on paths of their own, and join these."""
    frame = m.frames[-1]
    undecided: list[
        tuple[Layer, Layer, bool]
    ] = []  # where one parts, where its first side has come to, and whether it goes on
    above = 0
    while True:
        test, narrow = _test(m, node)
        if type(test) is Either:
            frame.undecided += 1
            below = m.state.fork()
            m.assume(test, value=True)
            narrow(outcome=True)
            left = m.run(node.body)
            undecided.append((below, m.state.layer, left))
            m.state.restore(below)
            m.state.fork()
            m.assume(test, value=False)
        elif test is True:
            narrow(outcome=True)
            alive = m.run(node.body)
            break
        narrow(outcome=False)
        rest = node.orelse
        if len(rest) != 1 or type(rest[0]) is not ast.If:
            alive = m.run(rest)
            break
        node = frame.statement = rest[0]
        above += 1
        m.state.work += above  # each `elif` stands below all before it
        m.tick()
        if m.state.work > limits.FREE_WORK:
            m.pay()
    for below, ours, left in reversed(undecided):
        frame.undecided -= 1
        alive = _met(m, below, (ours, left), (m.state.layer, alive))
    return alive


def _test(m: Machine, node: ast.If) -> tuple[object, Callable[..., None]]:
    """How the test of an `if` comes out, and what learns from that of which kind something is."""
    answer = m.eval(node.test)
    test = m.truth(answer)
    if m.loops and m.loops[-1].last_rounds:
        last = m.loops[-1].last_rounds.get(node)
        if last is not None:
            m.loops[-1].others.append((test, not last))
    denied = isinstance(node.test, ast.UnaryOp) and isinstance(node.test.op, ast.Not)
    asked = node.test.operand if isinstance(node.test, ast.UnaryOp) and denied else node.test
    kind = asked if isinstance(asked, ast.Call) and narrowing.asks_for_union(m, asked, answer) else None

    def narrow(*, outcome: bool) -> None:
        if kind is not None:
            narrowing.narrow_union(m, kind, outcome=outcome is not denied)

    return resolved(test, m.state.now) if type(test) is Either else test, narrow


def _met(m: Machine, below: Layer, one: tuple[Layer, bool], other: tuple[Layer, bool]) -> bool:
    """Go on behind two sides, which have parted at a point: where each has come to, and whether it goes on from there."""
    (ours, left), (theirs, right) = one, other
    if left and right:
        m.state.restore(below)
        m.join([ours, theirs])
        return True
    m.state.restore(ours if left else theirs)
    return left or right


def run_try(m: Machine, node: ast.Try) -> bool:
    """The body may stop anywhere: a handler sees the state before it, or that after it."""
    below = m.state.fork()
    start = m.state.layer
    m.state.fork()
    alive: list[Layer] = []
    left = _Left(m)
    body = m.run(node.body)
    if body:
        body = m.run(node.orelse)
    if body:
        alive.append(m.state.layer)
    for handler in [each for each in node.handlers if not _nothing_stops(m, each, node.body)]:
        m.state.restore(start)
        m.state.fork()
        m.state.assume(
            Condition(("raised", id(node), id(start), id(handler)), "an exception was raised"), value=True
        )
        if handler.type is not None:
            m.eval(handler.type)
        if handler.name:
            names.bind(m, handler.name, m.unknown(handler, handler.name))
        if m.run(handler.body):
            alive.append(m.state.layer)
    if alive:
        m.state.restore(below)
        m.join(alive)
    else:
        m.state.restore(start)
        m.state.fork()
    final = m.run(node.finalbody)
    if node.finalbody:
        left.run_on_the_way(m, node.finalbody)
    return bool(alive) and final


def _nothing_stops(m: Machine, handler: ast.ExceptHandler, body: list[ast.stmt]) -> bool:
    """Whether a handler waits for the end of an iterator that has not come to its end: `next(model.parameters())`."""
    if not isinstance(handler.type, ast.Name) or handler.type.id != "StopIteration":
        return all(_is_sure(m, each) for each in body)
    asked = [
        each
        for statement in body
        for each in walk(statement)
        if isinstance(each, ast.Call) and isinstance(each.func, ast.Name) and each.func.id == "next"
    ]
    return bool(asked) and all(m.state.get(each, HAS_NEXT) in (True, PRESUMED) for each in asked)


def _is_sure(m: Machine, statement: ast.stmt) -> bool:
    """Whether a statement only reads something of a parameter that is there: `return next(model.parameters()).device`.

    Nothing of that raises, whatever a handler waits for.
    """
    value = statement.value if isinstance(statement, (ast.Return, ast.Assign, ast.Expr)) else None
    while isinstance(value, ast.Attribute) and value.attr in _OF_ALL_TENSORS:
        value = value.value
    return isinstance(value, ast.Call) and m.state.get(value, HAS_NEXT) is True


_OF_ALL_TENSORS: Final = frozenset(
    {"device", "dtype", "shape", "ndim", "is_cuda", "requires_grad", "data", "type"}
)
"""Attributes that each tensor, or such an attribute of one, has."""


class _Left:
    """An exit of a block by `return`, `break` or `continue` has to pass through `finally`."""

    def __init__(self, m: Machine) -> None:
        loop = m.frames[-1].loops[-1] if m.frames[-1].loops else None
        self._returns, self._loop = m.frames[-1].returns, loop
        self._lists = [loop.breaks, loop.continues] if loop else []
        self._marks = [len(self._returns), *map(len, self._lists)]

    def run_on_the_way(self, m: Machine, body: list[ast.stmt]) -> None:
        here = m.state.layer
        for number, (layer, value) in list(enumerate(self._returns))[self._marks[0] :]:
            self._returns[number] = (self._after(m, layer, body), value)
        for left, mark in zip(self._lists, self._marks[1:], strict=True):
            left[mark:] = [self._after(m, layer, body) for layer in left[mark:]]
        m.state.restore(here)

    def _after(self, m: Machine, layer: Layer, body: list[ast.stmt]) -> Layer:
        m.state.restore(layer)
        m.state.fork()
        m.run(body)
        return m.state.layer


def run_assert(m: Machine, node: ast.Assert) -> bool:
    test = m.truth(m.eval(node.test))
    learn_from_assert(m, node.test)
    test = m.state.resolve(test)
    if isinstance(test, Either):
        m.assume(test, value=True)
    return test is not False


def run_delete(m: Machine, node: ast.Delete) -> bool:
    for target in node.targets:
        if isinstance(target, ast.Name):
            m.state.delete(m.frames[-1].scope, target.id)
        elif isinstance(target, ast.Attribute):
            _delete_attribute(m, m.resolve(m.eval(target.value)), target.attr)
        elif isinstance(target, ast.Subscript):
            subscripts.delete_item(m, target, m.eval(target.value), m.eval(target.slice))
    return True


def _delete_attribute(m: Machine, owner: object, name: str) -> None:
    """`del owner.name`; of one of several objects it is gone only perhaps."""
    if not isinstance(owner, Either):
        m.state.delete(owner, name)
        return
    for each in m.alternatives(owner):
        if m.state.get(each, name, MISSING) is not MISSING:
            m.state.set(each, name, m.unknown())


def run_global(m: Machine, node: ast.Global) -> bool:
    m.frames[-1].scope.redirects = True
    for name in node.names:
        m.state.set(m.frames[-1].scope, f"global {name}", True)
    return True


def run_nonlocal(m: Machine, node: ast.Nonlocal) -> bool:
    m.frames[-1].scope.redirects = True
    for name in node.names:
        m.state.set(m.frames[-1].scope, f"nonlocal {name}", True)
    return True


def run_type_alias(m: Machine, node: ast.stmt) -> bool:
    name = getattr(node, "name", None)
    if isinstance(name, ast.Name):
        names.bind(m, name.id, Symbol(("type", id(node)), name.id, hint="type"))
    return True


STATEMENTS.update(
    {
        ast.Expr: run_expression,
        ast.Assign: run_assign,
        ast.AnnAssign: run_annotated,
        ast.AugAssign: run_augmented,
        ast.Return: run_return,
        ast.Raise: run_raise,
        ast.Pass: run_pass,
        ast.Break: run_break,
        ast.Continue: run_continue,
        ast.If: run_if,
        ast.For: loops.run_for,
        ast.AsyncFor: loops.run_for,
        ast.While: loops.run_while,
        ast.With: contexts.run_with,
        ast.AsyncWith: contexts.run_with,
        ast.Try: run_try,
        ast.Match: patterns.run_match,
        ast.Assert: run_assert,
        ast.Delete: run_delete,
        ast.Global: run_global,
        ast.Nonlocal: run_nonlocal,
        ast.Import: imports.run_import,
        ast.ImportFrom: imports.run_import_from,
        ast.FunctionDef: definitions.run_function,
        ast.AsyncFunctionDef: definitions.run_function,
        ast.ClassDef: definitions.run_class,
    }
)
for _name, _run in (("TryStar", run_try), ("TypeAlias", run_type_alias)):
    if hasattr(ast, _name):  # newer than the oldest Python we run on
        STATEMENTS[getattr(ast, _name)] = _run
