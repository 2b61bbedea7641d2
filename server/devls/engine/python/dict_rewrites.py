"""What a loop does to each entry of the dictionary that it goes through: `for key in d: d[key] = d[key].cpu()`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core import limits
from devls.engine.core.joins import Entries
from devls.engine.python import iteration, mappings
from devls.values.value import Mapping, TupleValue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from devls.engine.core.machine import Machine
    from devls.engine.core.machine_types import LoopFrame


def put(m: Machine, owner: Mapping, entries: Entries, index: object, value: object) -> Entries | None:
    """The entries once one was put in by a loop over them that is not run for each; None where that is something else."""
    for loop in m.frame.loops:
        if loop.exact or not isinstance(loop.node, (ast.For, ast.AsyncFor)):
            continue
        if not any(m.state.get(m.frame.scope, each) is index for each in _names(loop.node.target)):
            continue
        key = mappings.key_of(index)
        if key is None:
            if mappings.keys_of(index) is not owner:
                continue
            return Entries(dict.fromkeys(entries.known, value), value, entries.there)
        if key in entries.known:
            later = {each: m.unknown() for each in _later(m, loop) if each in entries.known and each != key}
            return Entries({**entries.known, **later, key: value}, entries.rest, entries.there)
    return None


def _later(m: Machine, loop: LoopFrame) -> Iterator[object]:
    """The keys that a loop comes to after the iterations that are run."""
    for item in (iteration.items(m, loop.iterable, None) or [])[limits.LOOP_PASSES :]:
        key = mappings.key_of(item.items[0] if isinstance(item, TupleValue) and item.items else item)
        if key is not None:
            yield key


def _names(target: ast.expr) -> Iterator[str]:
    for each in ast.walk(target):
        if isinstance(each, ast.Name):
            yield each.id
