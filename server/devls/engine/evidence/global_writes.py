"""Names of a module that its functions set, or other modules: what is there depends on who was called before."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core import priors
from devls.engine.evidence import naming_priors
from devls.syntax.nodes import of_tree, walk
from devls.values.value import Const, Symbol

if TYPE_CHECKING:
    from devls.engine.core.machine import Machine
    from devls.syntax.source import Source
    from devls.values.value import Scope


def program_ended(m: Machine, source: Source, scope: Scope) -> None:
    """Take what functions set by `global`, and nobody has called in the program, for what somebody will choose."""
    m.rebinding = len(m.modules.rebinding)
    for each in (*m.modules.rebinding.values(), (source, scope)):
        _forget(m, *each)


@priors.late_names_forgotten.answer
def forget_late(m: Machine) -> None:
    """The same for modules that are imported only now, where a function is run by itself."""
    if len(m.modules.rebinding) != m.rebinding:
        for each in [*m.modules.rebinding.values()][m.rebinding :]:
            _forget(m, *each)


def _forget(m: Machine, source: Source, scope: Scope) -> None:
    chosen = [
        name
        for name, functions in _set_by_functions(source).items()
        if name in scope.names and m.executed_by_program.isdisjoint(functions)
    ]
    if not _runs_as_program(source):
        chosen += [name for name in _switches(source) if _says_no(m.state.get(scope, name))]
    for name in chosen:
        m.state.set(scope, name, Symbol(("global", source.path, name), name, named=True))


def _says_no(value: object) -> bool:
    return isinstance(value, Const) and value.value is False


@of_tree(maxsize=1024)
def _switches(source: Source) -> tuple[str, ...]:
    """The names of a file that say whether CUDA is used, and say no until they are set."""
    if not source.says("False") or not (source.says("CUDA") or source.says("GPU")):
        return ()  # the search is 0.7 % of an analysis where it takes place in each file
    return tuple(naming_priors.ACCELERATOR_SWITCH.findall(source.text))


def _runs_as_program(source: Source) -> bool:
    return source.says("__main__")


@of_tree(maxsize=1024)
def _set_by_functions(source: Source) -> dict[str, frozenset[ast.AST]]:
    """The functions of a file that set a name of the module."""
    found: dict[str, frozenset[ast.AST]] = {}
    if not source.says("global "):
        return found
    for top in source.statements:
        for function in walk(top):
            if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
                continue
            inside = walk(function)
            names = {name for each in inside if isinstance(each, ast.Global) for name in each.names}
            for each in inside if names else ():
                if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store) and each.id in names:
                    found[each.id] = found.get(each.id, frozenset()) | {function}
    return found
