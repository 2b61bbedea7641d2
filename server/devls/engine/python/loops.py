"""Loops run twice: the second iteration sees what the first left behind."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core import limits, program_moments
from devls.engine.core.machine_types import LoopFrame
from devls.engine.python import after_loops, assignments, iteration
from devls.engine.python.generators import LoopBody
from devls.syntax.layout import parents
from devls.syntax.nodes import of_tree, walk
from devls.values.conditions import Either
from devls.values.graph import next_serial
from devls.values.value import InstanceValue, TensorValue, TupleValue

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from devls.engine.core.machine import Machine
    from devls.syntax.source import Source
    from devls.values.history import Site
    from devls.values.state import Layer


def run_for(m: Machine, node: ast.For | ast.AsyncFor) -> bool:
    if isinstance(node.iter, ast.Call):
        outer, body = m.block, LoopBody(m, node)
        m.block = body
        iterable = m.eval(node.iter)
        m.block = outer
        if body.has_run:
            return body.end(m)
    else:
        iterable = m.eval(node.iter)
    items = iteration.items(m, iterable, node.iter)

    # A lazy value is not there yet while the first iteration runs.
    later = items is not None and len(items) > 1 and iteration.is_made_later(m, iterable)

    def bind(number: int) -> None:
        m.frame.statement = node  # the body has run others
        value = items[number] if items is not None and number < len(items) else None
        if number and later and value is not None:
            value = iteration.another(m, value)
        if value is None and number == 0:
            value = iteration.seen(m, iterable)
        if value is None:
            value = iteration.element(m, iterable, node.iter, number)
        assignments.assign(m, node.target, value, None)

    if items is not None and not items:
        return m.run(node.orelse)
    one_by_one = items is not None and (
        len(items) <= limits.UNROLLED_ITEMS
        # Effects on each parameter, or each layer, are effects on all: `p.requires_grad = False`.
        or (
            len(items) <= limits.UNROLLED_PARTS
            and all(_is_part(m, each) for each in items)
            and _is_short(node)
        )
    )
    if items is not None and not one_by_one:
        program_moments.items_passed_over(m, items)
    passes = len(items) if items is not None and one_by_one else limits.LOOP_PASSES
    return _run_loop(m, node, bind, passes, exact=one_by_one, iterable=iterable)


def _is_part(m: Machine, value: object) -> bool:
    """Whether an item is a part of a module, perhaps with its name, or something else that is trained."""
    if isinstance(value, TupleValue) and len(value.items) == 2:
        value = value.items[1]
    if isinstance(value, TensorValue):
        return value.is_parameter or (m.requires_grad(value) is True and m.is_leaf(value) is True)
    return isinstance(value, InstanceValue)


@of_tree(maxsize=256)
def _is_short(node: ast.For | ast.AsyncFor) -> bool:
    return sum(1 for statement in node.body for _ in walk(statement)) <= limits.SHORT_BODY


def run_while(m: Machine, node: ast.While) -> bool:
    def bind(_number: int) -> None:
        test = m.truth(m.eval(node.test))
        if isinstance(test, Either):
            m.assume(test, value=True)

    test = m.truth(m.eval(node.test))
    if test is False:
        return m.run(node.orelse)
    endless = test is True
    return _run_loop(m, node, bind, limits.LOOP_PASSES, exact=False, endless=endless)


def _run_loop(
    m: Machine,
    node: ast.For | ast.AsyncFor | ast.While,
    bind: Callable[[int], None],
    passes: int,
    *,
    exact: bool,
    endless: bool = False,
    iterable: object = None,
) -> bool:
    """Run the body `passes` times in a row.

    At least one iteration is assumed: code after a loop that never ran is not what
    anybody wants to hear about.
    """
    if len(m.loops) >= limits.LOOP_NESTING and not exact:
        passes = 1
    after_loops.forget_counters(m, node)
    loop = LoopFrame(node, next_serial(), exact=exact)
    loop.iterable = iterable
    loop.last_rounds = {} if exact else tests(node)
    frame = m.frame
    frame.loops.append(loop)
    m.loops.append(loop)
    exits: list[Layer] = []
    before = m.state.fork()
    before_body = m.state.layer
    alive, after_first = _run_passes(m, loop, node.body, bind, passes, exits)
    frame.loops.pop()
    m.loops.pop()
    program_moments.loop_ended(m, loop)
    if alive and not exact and after_first is not None:
        after_loops.forget_after(m, node, before_body)
        after_loops.forget_sizes(m, before, after_first)
    if endless and not exits and not frame.returns:
        # `while True` without a break that we saw: whatever follows is not reached,
        # but an exception may leave it, and silence there would hide the rest of the file.
        return m.run(node.orelse) if alive else False
    if alive:
        alive = m.run(node.orelse)
    if alive:
        exits.append(m.state.layer)
    if not exits:
        return False
    m.join(exits)
    return True


def _run_passes(
    m: Machine,
    loop: LoopFrame,
    body: list[ast.stmt],
    bind: Callable[[int], None],
    passes: int,
    exits: list[Layer],
) -> tuple[bool, Layer | None]:
    """Run the body; returns whether its end is reached each time, and the point behind the first pass."""
    after_first: Layer | None = None
    for number in range(passes):
        loop.breaks, loop.continues = [], []
        loop.start = m.state.fork()
        below = m.state.layer
        loop.iteration = next_serial()
        loop.passes_started += 1
        for test, value in loop.others:
            m.assume(test, value=value)
        loop.others = []
        bind(number)
        done = m.run(body)
        layers = [*loop.continues, *([m.state.layer] if done else [])]
        exits += loop.breaks
        if not layers:
            return False, after_first
        m.state.restore(below)
        m.join(layers)
        program_moments.iteration_ended(m, loop)
        m.pay()
        if number == 0:
            after_first = m.state.fork()
    return True, after_first


# Tests that tell the last round of a loop from the others: `if i < n - 1`, in `for i in range(n)`


_BEFORE = (ast.Lt, ast.NotEq)
_LAST = (ast.Eq, ast.GtE)


@of_tree(maxsize=256)
def tests(node: ast.For | ast.AsyncFor | ast.While) -> dict[ast.If, bool]:
    """The `if` statements of a loop's body that ask for its last round, with the answer that the last one gives."""
    counted = _counted(node)
    if counted is None:
        return {}
    found: dict[ast.If, bool] = {}
    for statement in node.body:
        for each in walk(statement):
            if isinstance(each, ast.If) and isinstance(each.test, ast.Compare):
                answer = _answer(each.test, *counted)
                if answer is not None:
                    found[each] = answer
    return found


def _counted(node: ast.For | ast.AsyncFor | ast.While) -> tuple[str, str] | None:
    """The name that counts the rounds, and what their number is, as code."""
    if not isinstance(node, ast.For) or not isinstance(node.iter, ast.Call):
        return None
    called, given = node.iter.func, node.iter.args
    if not isinstance(called, ast.Name) or node.iter.keywords or not given:
        return None
    if called.id == "range" and len(given) < 3 and isinstance(node.target, ast.Name):
        return node.target.id, ast.dump(given[-1])
    if called.id == "enumerate" and len(given) == 1 and isinstance(node.target, ast.Tuple):
        first = node.target.elts[0]
        length = ast.Call(ast.Name("len", ast.Load()), [given[0]], [])
        return (first.id, ast.dump(length)) if isinstance(first, ast.Name) else None
    return None


def _answer(test: ast.Compare, name: str, count: str) -> bool | None:
    """Whether a comparison is true in the last round, and in no other, or the other way round; None for all others."""
    if len(test.ops) != 1 or not isinstance(test.ops[0], (*_BEFORE, *_LAST)):
        return None
    left, right = _apart(test.left), _apart(test.comparators[0])
    if not isinstance(left[0], ast.Name) or left[0].id != name or ast.dump(right[0]) != count:
        return None
    # `i + 1 == n` and `i == n - 1` are one.
    return isinstance(test.ops[0], _LAST) if left[1] - right[1] == 1 else None


def _apart(node: ast.expr) -> tuple[ast.expr, int]:
    """`n - 1` as `n` and -1."""
    if isinstance(node, ast.BinOp) and isinstance(node.right, ast.Constant) and type(node.right.value) is int:
        if isinstance(node.op, ast.Add):
            return node.left, node.right.value
        if isinstance(node.op, ast.Sub):
            return node.left, -node.right.value
    return node, 0


def _tests_above(m: Machine) -> Iterator[ast.If]:
    """Each `if` of the running round that the statement, or a call that led here, stands in."""
    places: list[tuple[Source, ast.AST | None]] = [(m.source, m.frame.statement)]
    places += [(each.source, each.node) for each in m.frame.calls]
    for source, place in places:
        above, node = parents(source), place
        while node is not None and not isinstance(node, (ast.For, ast.While, ast.FunctionDef)):
            node = above.get(node)
            if isinstance(node, ast.If):
                yield node


def now_and_then(m: Machine) -> bool:
    """Whether the running statement, or a call that led here, stands under a test of a remainder: every n-th iteration."""
    return any(
        isinstance(each, ast.BinOp) and isinstance(each.op, ast.Mod)
        for test in _tests_above(m)
        for each in walk(test.test)
    )


def stands_beside(m: Machine, backward: Site) -> bool:
    """Whether the running statement is reached whenever a backward is: both stand under the same tests."""
    places = {backward.node, *(each.node for each in backward.calls)}
    return all(places & set(walk(each)) for each in _tests_above(m))
