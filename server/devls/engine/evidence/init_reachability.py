"""Functions that run only while modules are built: before anybody can have moved what they compute on.

These questions are put to the text when all has run: a function is presumed to run later until each place that names it
is seen to be on the path of a constructor.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.engine.evidence import batch_provenance
from devls.syntax.layout import saying
from devls.syntax.nodes import asked_of_file, nodes_of, of_tree
from devls.values.call_facts import RunsAfterMove
from devls.values.devices import NamedDevice

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from devls.engine.core.machine import Machine
    from devls.syntax.source import Source
    from devls.values.call_facts import Premise
    from devls.values.conditions import Tree
    from devls.values.value import FunctionValue

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)
_PLACES: Final = (".to(", ".cuda(", ".xpu(", "device")
"""Words of a constructor that puts its tensors somewhere else than on the CPU."""


def key(m: Machine, *places: Tree) -> RunsAfterMove | None:
    """Key of the presumption that a function run by itself does so when its module, or argument, was moved.

    None where what it computes on may be elsewhere from the beginning.
    """
    root = next((each for each in m.frames if each.symbolic and each.function is not None), None)
    return None if root is None or root.function is None else key_of(root.function, *places)


def key_of(function: FunctionValue, *places: Tree) -> RunsAfterMove | None:
    """The same of a function that has run by itself."""
    return RunsAfterMove(function.source, function.definition) if any(map(follows, places)) else None


def follows(place: Tree) -> bool:
    """Whether a place is where somebody has put a module or an argument, and not one that somebody names."""
    if not isinstance(place, NamedDevice):
        return False
    owner = place.key[0] if isinstance(place.key, tuple) else None
    return not place.chosen or owner == "module"


def is_shown(told: Premise) -> bool:
    """Whether a presumption is one that a function runs later than constructors, and is seen not to be so."""
    return isinstance(told, RunsAfterMove) and _runs_before(told.source, told.function)


@asked_of_file(maxsize=64)
def _runs_before(source: Source, definition: ast.AST) -> bool:
    return _only_builds(source, definition, frozenset())


def _only_builds(source: Source, definition: ast.AST, seen: frozenset[ast.AST]) -> bool:
    """Whether a function is named somewhere, and only on the way of constructors of modules."""
    if not isinstance(definition, _FUNCTIONS) or definition in seen:
        return False
    if definition.name.startswith("__") or definition.name == "forward":
        return False
    if source.text.count(definition.name) < len(("where it is defined", "where it is named")):
        return False  # most methods that others call
    seen |= {definition}
    named = False
    for part in _named_by(source, definition):
        named = True
        if not isinstance(part, _FUNCTIONS):
            return False
        if part.name == "__init__":
            builds = part in constructors(source)
        else:
            # Code that loads weights has them on the CPU, and its helpers are given them there.
            private = definition.name.startswith("_")
            loads = (
                private and batch_provenance.works_on_host(part.name) and not source.mentions(part, *_PLACES)
            )
            builds = loads or _only_builds(source, part, seen)
        if not builds:
            return False
    return named


def _named_by(source: Source, definition: _Function) -> Iterator[ast.AST]:
    """The functions and methods in which a name stands, of a method that of an attribute; and all else in which it does."""
    is_method = definition not in source.statements
    return (
        each
        for each in _parts_with(source, definition.name, of_attributes=is_method)
        if each is not definition
    )


@of_tree(maxsize=64)
def _parts_with(source: Source, name: str, *, of_attributes: bool) -> tuple[ast.AST, ...]:
    """The parts of a file in which a name stands: statements, and of classes those of their bodies."""
    found: list[ast.AST] = []
    for each in saying(source, (name,)):
        parts: Iterable[ast.AST] = (each,)
        if isinstance(each, ast.ClassDef):
            above = [part for part in (*each.bases, *each.decorator_list) if source.mentions(part, name)]
            parts = (*above, *saying(source, (name,), each))
        found += [part for part in parts if name in _names(part, of_attributes=of_attributes)]
    return tuple(found)


@of_tree(maxsize=2048)
def _names(part: ast.AST, *, of_attributes: bool) -> frozenset[str]:
    """The names that stand in a part of a file, or those of attributes."""
    if of_attributes:
        return frozenset(each.attr for each in nodes_of(part) if isinstance(each, ast.Attribute))
    return frozenset(each.id for each in nodes_of(part) if isinstance(each, ast.Name))


@asked_of_file(maxsize=16)
def constructors(source: Source) -> frozenset[ast.AST]:
    """The constructors of the modules of a file that leave all on the CPU."""
    modules: set[str] = set()
    found: set[ast.AST] = set()
    for cls in source.statements:
        if not isinstance(cls, ast.ClassDef):
            continue
        methods = {each.name: each for each in cls.body if isinstance(each, _FUNCTIONS)}
        bases = {ast.unparse(each).rpartition(".")[2] for each in cls.bases}
        if "forward" not in methods and "Module" not in bases and not bases & modules:
            continue
        modules.add(cls.name)
        init = methods.get("__init__")
        if init is not None and not source.mentions(init, *_PLACES):
            found.add(init)
    return frozenset(found)


__all__ = ["constructors", "is_shown", "key", "key_of"]
