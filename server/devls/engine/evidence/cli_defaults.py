"""Behaviour of a program that is run without arguments: its options are their defaults."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.engine.core import priors
from devls.values.conditions import IS_NONE, parts, resolve
from devls.values.state import MISSING
from devls.values.value import Const

if TYPE_CHECKING:
    from devls.engine.core.machine import Machine
    from devls.values.conditions import Condition, Tree


@priors.by_default.answer
def by_default(m: Machine, tree: Tree) -> Tree:
    """A tree without the tests of options, which come out as their defaults have them on this path."""
    return resolve(tree, lambda condition: _decided(m, condition))


def _decided(m: Machine, condition: Condition) -> bool | None:
    known = m.state.assumed(condition)
    if known is not None:
        return known
    inner = parts(condition)
    if inner is not None:
        found = by_default(m, inner)
        return found if isinstance(found, bool) else None
    key = condition.key
    if not isinstance(key, tuple) or len(key) < 2:
        return None
    if key[0] in ("truth", IS_NONE):
        default = default_of(m, key[1])
        if default is None:
            return None
        return bool(default.value) if key[0] == "truth" else default.value is None
    if key[0] == "equal":
        sides = key[1:]
        default = next((found for each in sides if (found := default_of(m, each)) is not None), None)
        other = next((each for each in sides if isinstance(each, Const)), None)
        return None if default is None or other is None else default == other
    return None


@priors.default_of_option.answer
def default_of(m: Machine, key: object) -> Const | None:
    """The default of the option that a symbol stands for."""
    if not isinstance(key, tuple) or len(key) != 3 or key[0] != "attr":
        return None
    owner = key[1]
    if not isinstance(owner, tuple) or not owner or owner[0] != "options":
        return None
    found = m.state.get(owner, str(key[2]), MISSING)
    return found if isinstance(found, Const) else None
