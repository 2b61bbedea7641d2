"""Values unknown behind a loop, or in a later iteration: counters, the length of lists, sizes of tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from devls.engine.core.joins import Contents
from devls.engine.python import names
from devls.values.value import Const, Symbol, TensorValue

if TYPE_CHECKING:
    import ast

    from devls.engine.core.machine import Machine
    from devls.values.state import Layer


def forget_counters(m: Machine, node: ast.For | ast.AsyncFor | ast.While) -> None:
    """A counter is not what it was: only a test on it would tell which iteration this is."""
    for name in _counters(m, node):
        names.bind(m, name, Symbol(("counter", m.fresh_number()), name, hint="number"))


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
    for each in names.augmented_names(node) if m.source.mentions(node, *_AUGMENTS) else ():
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


def forget_sizes(m: Machine, before: Layer, first: Layer) -> None:
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
    for name in names.assigned_names(node):
        value = m.state.get(m.frame.scope, name)
        if (
            isinstance(value, Const)
            and isinstance(value.value, (int, float))
            and not isinstance(value.value, bool)
        ):
            names.bind(m, name, Symbol(("after loop", m.fresh_number()), name, hint="number"))
