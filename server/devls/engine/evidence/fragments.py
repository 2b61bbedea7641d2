"""Fragments: a function, a cell, a pasted snippet whose imports, model, loader or device are defined elsewhere."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.engine.core import priors
from devls.engine.evidence import naming_priors
from devls.syntax.nodes import asked_of_file, walk
from devls.values.value import LibraryName

if TYPE_CHECKING:
    from devls.engine.core.machine import Machine
    from devls.syntax.source import Source

_WITH_NAMES: Final = (
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.ExceptHandler,
    ast.MatchAs,
    ast.MatchStar,
)
"""Statements and patterns that bind a name of their own."""


@priors.meant_by_unbound.answer
def meant_by_unbound(m: Machine, name: str) -> LibraryName | None:
    """Meaning of a well-known name that neither the whole file binds nor a star that it imports."""
    full = naming_priors.WELL_KNOWN.get(name)
    if full is None:
        return None
    bound = _bound(m.frames[-1].source)
    return None if "*" in bound or name in bound else LibraryName(m.library.canonical(full))


@asked_of_file(maxsize=64)
def _bound(source: Source) -> frozenset[str]:
    """All names that a file binds in any scope; "*" for those that a star imports."""
    found: set[str | None] = set()
    for each in walk(source.unwatched_tree):
        if isinstance(each, ast.Name):
            if not isinstance(each.ctx, ast.Load):
                found.add(each.id)
        elif isinstance(each, ast.arg):
            found.add(each.arg)
        elif isinstance(each, ast.alias):
            found.add(each.asname or each.name.partition(".")[0])
        elif isinstance(each, _WITH_NAMES):
            found.add(each.name)
        elif isinstance(each, (ast.Global, ast.Nonlocal)):
            found.update(each.names)
    return frozenset(name for name in found if name)
