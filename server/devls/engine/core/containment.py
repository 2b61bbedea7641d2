"""Runs that do not come to their end: at a bound, or because the engine itself fails. They cost nothing but themselves."""

from __future__ import annotations

import ast
import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from devls.engine.core.machine_types import Cancelled, OutOfSteps
from devls.syntax.nodes import walk
from devls.values.value import ClassValue, FunctionValue, LibraryName, ModuleValue

if TYPE_CHECKING:
    import logging
    from collections.abc import Callable

    from devls.engine.core.machine import Machine
    from devls.syntax.source import Source
    from devls.values.value import Scope


@dataclass(frozen=True)
class Cut:
    """Something that was not analyzed to its end: what was found before is told."""

    path: str
    line: int
    """From 1."""
    what: str
    """As in a sentence: "the function `f`"."""
    reason: str
    failed: bool = False
    """Whether the engine itself failed: a mistake of its own."""


_REASONS: Final[tuple[tuple[type[Exception], str], ...]] = (
    (OutOfSteps, "it takes too many steps"),
    (RecursionError, "it is nested too deep"),
    (MemoryError, "it takes too much memory"),
)

REST: Final = "the rest of the file"


def cut(m: Machine, source: Source, node: ast.AST | None, what: str, error: Exception) -> None:
    """Take note of what has ended a run; a mistake of the engine is logged."""
    reason = next((said for kind, said in _REASONS if isinstance(error, kind)), "")
    if not reason:
        import logging  # noqa: PLC0415  hardly ever needed, and 2 % of a start

        logger = logging.getLogger(__name__)
        logger.addHandler(_unprinted())
        logger.error("%s of %s is not analyzed to its end", what, source.path, exc_info=error)
    line = getattr(node, "lineno", 1)
    said = reason or f"devls itself failed: {type(error).__name__}: {error}"
    m.cuts[source.path, what] = Cut(source.path, line, what, said, not reason)
    if m.state.torn and m.steps_left > 0:
        # It failed on the way from one point to another: what is true here nobody knows any more.
        m.steps_left = 0
        m.cuts[source.path, REST] = Cut(source.path, 1, REST, said, failed=False)


@functools.cache
def _unprinted() -> logging.Handler:
    """Without anybody who listens Python would print what is logged."""
    import logging  # noqa: PLC0415  see above

    return logging.NullHandler()


def guarded(m: Machine, source: Source, node: ast.AST | None, what: str, run: Callable[[], object]) -> bool:
    """Run something that may be cut; True if it came to its end. The state stays where it has come to."""
    try:
        run()
    except Cancelled:
        raise
    except Exception as error:  # noqa: BLE001  whatever it is, others are analyzed
        cut(m, source, node, what, error)
        m.block, m.refused, m.alternatives_called = None, [], 0
        return False
    finally:
        m.run_ends_at = 0
        m.muted = 0
    m.cuts.pop((source.path, what), None)
    return True


def contained(m: Machine, source: Source, node: ast.AST | None, what: str, run: Callable[[], object]) -> None:
    """Run something that brings the machine back to where it has been; also if it fails."""
    layer, frames, loops, depth = m.state.layer, m.frames, m.loops, len(m.frames)
    known = m.cuts.get((source.path, what))
    try:
        run()
    except Cancelled:
        raise
    except Exception as error:  # noqa: BLE001  whatever it is, others are analyzed
        cut(m, source, node, what, error)
        m.block, m.refused, m.alternatives_called = None, [], 0
        m.run_ends_at = m.muted = 0
        m.frames, m.loops = frames, loops
        del m.frames[depth:]
        m.loops.clear()
        m.notes.drop()
        if not m.state.torn:
            m.state.restore(layer)
    else:
        if known is not None and m.cuts.get((source.path, what)) is known:
            del m.cuts[source.path, what]


def note(m: Machine, source: Source, node: ast.AST, what: str, reason: str) -> None:
    """Take note of something that is not gone through to its end; without a reason, that it now is."""
    m.cuts.pop((source.path, what), None)
    if reason:
        m.cuts[source.path, what] = Cut(source.path, getattr(node, "lineno", 1), what, reason)


def run_out(m: Machine, source: Source) -> None:
    """All steps of a file are used up: what has not run is not run any more."""
    m.cuts[source.path, REST] = Cut(source.path, 1, REST, "the file takes too many steps")


_KEEP: Final = (FunctionValue, ClassValue, LibraryName, ModuleValue)
"""Values of names that hardly anybody changes."""

_DEFINES: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)


def program_cut(m: Machine, scope: Scope, rest: list[ast.stmt]) -> None:
    """The main program has ended before some statements: what they define is there, all else that they name is not known."""
    if m.state.torn:
        return
    for statement in rest:
        if isinstance(statement, _DEFINES):
            m.run([statement])
            continue
        for each in walk(statement):
            if not isinstance(each, ast.Name):
                continue
            if each.id in scope.names:
                value = m.state.get(scope, each.id)
                if isinstance(value, _KEEP) and not isinstance(each.ctx, ast.Store):
                    continue
            elif not isinstance(each.ctx, ast.Store):
                continue
            scope.names.add(each.id)
            m.state.set(scope, each.id, m.unknown(each, each.id))
