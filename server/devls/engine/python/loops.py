"""Loops run twice: the second iteration sees what the first left behind."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.engine.core import limits, program_moments
from devls.engine.core.joins import Contents
from devls.engine.core.machine_types import LoopFrame
from devls.engine.python import assignments, iteration, last_iteration
from devls.syntax.nodes import of_tree, walk
from devls.values.conditions import Either
from devls.values.graph import next_serial
from devls.values.value import Const, InstanceValue, Symbol, TensorValue, TupleValue

if TYPE_CHECKING:
    from collections.abc import Callable

    from devls.engine.core.machine import Machine
    from devls.values.state import Layer


def run_for(m: Machine, node: ast.For | ast.AsyncFor) -> bool:
    if isinstance(node.iter, ast.Call):
        from devls.engine.python.generators import LoopBody  # noqa: PLC0415  a cycle otherwise

        outer, body = m.block, LoopBody(m, node)
        m.block = body
        iterable = m.eval(node.iter)
        m.block = outer
        if body.has_run:
            return body.end(m)
    else:
        iterable = m.eval(node.iter)
    items = iteration.items(m, iterable, node.iter)

    # What is computed when it is asked for is not there yet while the first iteration runs.
    later = items is not None and len(items) > 1 and iteration.is_made_later(m, iterable)

    def bind(number: int) -> None:
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
        # What is done to each parameter, or each layer, is done to all: `p.requires_grad = False`.
        or (len(items) <= limits.UNROLLED_PARTS and all(map(_is_part, items)) and _is_short(node))
    )
    passes = len(items) if items is not None and one_by_one else limits.LOOP_PASSES
    return _run_loop(m, node, bind, passes, exact=one_by_one, iterable=iterable)


def _is_part(value: object) -> bool:
    """Whether an item is a part of a module, perhaps with its name."""
    if isinstance(value, TupleValue) and len(value.items) == 2:
        value = value.items[1]
    return (isinstance(value, TensorValue) and value.is_parameter) or isinstance(value, InstanceValue)


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
    forget_counters(m, node)
    loop = LoopFrame(node, next_serial(), exact=exact)
    loop.iterable = iterable
    loop.last_rounds = {} if exact else last_iteration.tests(node)
    frame = m.frame
    frame.loops.append(loop)
    m.loops.append(loop)
    exits: list[Layer] = []
    alive = True
    before = m.state.fork()
    before_body = m.state.layer
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
        done = m.run(node.body)
        layers = [*loop.continues, *([m.state.layer] if done else [])]
        exits += loop.breaks
        if not layers:
            alive = False
            break
        m.state.restore(below)
        m.join(layers)
        program_moments.iteration_ended(m, loop)
        if number == 0:
            after_first = m.state.fork()
    frame.loops.pop()
    m.loops.pop()
    program_moments.loop_ended(m, loop)
    if alive and not exact and after_first is not None:
        forget_after(m, node, before_body)
        _forget_sizes(m, before, after_first)
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


def forget_counters(m: Machine, node: ast.For | ast.AsyncFor | ast.While) -> None:
    """A counter is not what it was: only a test on it would tell which iteration this is."""
    for name in _counters(m, node):
        assignments.bind(m, name, Symbol(("counter", m.fresh_number()), name, hint="number"))


def forget_after(m: Machine, node: ast.For | ast.AsyncFor | ast.While, body: Layer) -> None:
    """Behind a loop of which not every iteration was run: what it counted, and what it put into lists, may be more.

    `body`: the point where its first iteration began.
    """
    _forget_what_changed(m, node)
    _forget_how_many(m, body)


_AUGMENTS: Final = ("+=", "-=", "*=", "/=", "%=", "|=", "&=", "^=", ">>=", "<<=", "@=")


def _counters(m: Machine, node: ast.For | ast.AsyncFor | ast.While) -> list[str]:
    """Names that the body counts up or down, and that hold a number now."""
    found: list[str] = []
    for each in assignments.augmented_names(node) if m.source.mentions(node, *_AUGMENTS) else ():
        value = m.state.get(m.frame.scope, each)
        if (
            isinstance(value, Const)
            and isinstance(value.value, (int, float))
            and not isinstance(value.value, bool)
        ):
            found.append(each)
    return found


def _forget_how_many(m: Machine, body: Layer) -> None:
    """A list that grew in the loop holds more of the same after it than two iterations have put there."""
    for (owner, slot), old in m.state.before(body, "#items").items():
        value = m.state.get(owner, slot)
        if (
            isinstance(old, Contents)
            and isinstance(value, Contents)
            and old.items is not None
            and value.items
            and value.element is None
            and len(old.items) < len(value.items)
        ):
            m.state.set(
                owner, slot, Contents(value.items, m.any_of(value.items[len(old.items) :], items=True))
            )


def _forget_sizes(m: Machine, before: Layer, first: Layer) -> None:
    """A tensor that the second iteration has made of another size than the first one grows on: its size is not known."""
    here = m.state.layer
    made = {
        key: value
        for key, value in m.state.written_since(before).items()
        if isinstance(value, TensorValue) and value.shape is not None
    }
    if not made:
        return
    m.state.restore(first)
    was = {key: m.state.get(*key) for key in made}
    m.state.restore(here)
    for key, value in made.items():
        old = was[key]
        if isinstance(old, TensorValue) and old is not value and old.shape not in (None, value.shape):
            value.shape = None


def _forget_what_changed(m: Machine, node: ast.For | ast.AsyncFor | ast.While) -> None:
    """After the loop a constant assigned in it may have any later value."""
    for name in assignments.assigned_names(node):
        value = m.state.get(m.frame.scope, name)
        if (
            isinstance(value, Const)
            and isinstance(value.value, (int, float))
            and not isinstance(value.value, bool)
        ):
            assignments.bind(m, name, Symbol(("after loop", m.fresh_number()), name, hint="number"))
