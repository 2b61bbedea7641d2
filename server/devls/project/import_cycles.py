"""Import cycles, read off import statements, and the module by which each is entered.

A module of a cycle meets others that have not come to their end, and which ones depends on where the cycle is entered. Python enters
it by way of the packages around it, so the module that these come to first is taken, whoever asks for a module of the
cycle. If they come to none, it is the one from which the cycle is most likely to run.
"""

from __future__ import annotations

import ast
import os
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from devls.project.resolution import packages_entered

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator

    from devls.project.modules import Modules
    from devls.syntax.source import Source

MODULES_BEFORE_A_CYCLE: Final = 200
"""So many modules are looked through, from the packages around a cycle, for the one by which Python enters it."""

ENTRIES_TRIED: Final = 40
"""Limit of modules of a cycle to consider, if no package decides."""


class Import(NamedTuple):
    """An import at the top of a module; `names` are what is imported from a module, which may be modules themselves."""

    module: str
    level: int
    names: tuple[str, ...]


class Library(Protocol):
    """Says which packages are described, so that nobody has to read their source."""

    def knows(self, package: str) -> bool:
        """Whether a package is described."""


def imports_of(source: Source) -> Iterator[Import]:
    """The imports that running the body of a module comes to, as its text shows."""
    waiting: list[ast.AST] = [*reversed(source.statements)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import):
            for each in node.names:
                yield Import(each.name, 0, ())
        elif isinstance(node, ast.ImportFrom):
            yield Import(node.module or "", node.level, tuple(each.name for each in node.names))
        elif isinstance(node, ast.If) and _is_false(node.test):
            waiting += node.orelse[::-1]
        elif isinstance(node, _BLOCKS):
            waiting += [each for each in ast.iter_child_nodes(node) if isinstance(each, _INSIDE)][::-1]


def _is_false(test: ast.expr) -> bool:
    """Whether a test is not true of a module that is imported: `TYPE_CHECKING`, or `__name__ == "__main__"`."""
    if isinstance(test, ast.Compare):
        return isinstance(test.left, ast.Name) and test.left.id == "__name__"
    name = test.attr if isinstance(test, ast.Attribute) else test.id if isinstance(test, ast.Name) else ""
    return name == "TYPE_CHECKING"


_BLOCKS: Final = (
    ast.ClassDef,
    ast.If,
    ast.For,
    ast.While,
    ast.With,
    ast.Try,
    getattr(ast, "TryStar", ast.Try),
    ast.ExceptHandler,
    ast.Match,
    ast.match_case,
)
_INSIDE: Final = (ast.stmt, ast.ExceptHandler, ast.match_case)


class ImportCycles:
    """Which modules import one another, as long as none of them changes."""

    def __init__(self, modules: Modules) -> None:
        self._modules = modules
        self._imported: dict[str, tuple[Source | None, dict[str, bool]]] = {}
        self._cycles: dict[str, frozenset[str]] = {}

    def forget(self, paths: Iterable[str]) -> None:
        """Forget what is known of cycles, and what some files import: these have changed, or see what has."""
        self._cycles.clear()
        for path in paths:
            self._imported.pop(path, None)

    def of(self, path: str, loaded: Container[str], library: Library) -> frozenset[str]:
        """The modules that a module imports and that import it, itself among them, but none that is `loaded`."""
        known = self._cycles.get(path)
        if known is None or any(each in loaded for each in known):
            self._search(path, loaded, library)
            known = self._cycles[path]
        return known

    def entry(self, cycle: frozenset[str], library: Library) -> tuple[str, set[str]]:
        """The module by which a cycle is entered, and where else it was looked for."""
        around = {package for path in cycle for package in self._packages_around(path)}
        seen = {each for each in around if not self._modules.workspace.exists(each)}
        waiting = sorted(around - seen, key=_outermost_first, reverse=True)
        while waiting and len(seen) < MODULES_BEFORE_A_CYCLE:
            path = waiting.pop()
            if path in cycle:
                return path, seen
            if path not in seen:
                seen.add(path)
                waiting += reversed(self._imports(path, library))
        tried = sorted(cycle, key=_outermost_first)[:ENTRIES_TRIED]
        return min(tried, key=lambda each: self._missed(each, cycle, library)), seen

    def _missed(self, entry: str, cycle: frozenset[str], library: Library) -> int:
        """How often a module would import something from one that has not come to its end, if a cycle were entered here."""
        missed, begun, running = 0, {entry}, {entry}
        walks = [(entry, iter(self._imports(entry, library).items()))]
        while walks:
            here, rest = walks[-1]
            for each, needed in rest:
                if each in cycle and each not in begun:
                    begun.add(each)
                    running.add(each)
                    walks.append((each, iter(self._imports(each, library).items())))
                    break
                missed += needed and each in running
            else:
                walks.pop()
                running.discard(here)
        return missed

    def _packages_around(self, path: str) -> Iterator[str]:
        """The `__init__.py` of the packages around a module, and the place of the one that there is not."""
        folder, inner = os.path.dirname(path), ""
        while folder != inner:
            package = os.path.join(folder, "__init__.py")
            yield package
            if not self._modules.workspace.exists(package):
                break
            folder, inner = os.path.dirname(folder), folder

    def _imports(self, path: str, library: Library) -> dict[str, bool]:
        """The modules that running one runs, and whether it takes something else than modules from them."""
        source = self._modules.source_of(path)
        known = self._imported.get(path)
        if known is None or known[0] is not source:
            found: dict[str, bool] = {}
            # Imports of libraries are looked up when they are read.
            if source is not None and not self._modules.is_library(path):
                for wanted in imports_of(source):
                    for each, needed in self._resolved(path, wanted, library):
                        found[each] = needed or found.get(each, False)
            found.pop(path, None)
            known = self._imported[path] = source, found
        return known[1]

    def _resolved(self, importer: str, wanted: Import, library: Library) -> Iterator[tuple[str, bool]]:
        modules, (name, level, names) = self._modules, wanted
        path = modules.find(name, level, importer, outside=not library.knows(name.partition(".")[0]))
        if path is None or modules.is_library(path):
            return
        for package in packages_entered(path, name, importer, modules.workspace.exists):
            yield package, False
        inner = [modules.inside(path, each) for each in names]
        yield path, None in inner
        for each in inner:
            if each is not None:
                yield each, False

    def _search(self, path: str, loaded: Container[str], library: Library) -> None:
        """Find the cycles of all that a module imports (Tarjan's algorithm, without recursion)."""
        before = self._cycles.get(path)
        numbers: dict[str, int] = {}
        lowest: dict[str, int] = {}
        open_: dict[str, None] = {}
        walks: list[tuple[str, Iterator[str]]] = []

        def begin(each: str) -> None:
            numbers[each] = lowest[each] = len(numbers)
            open_[each] = None
            walks.append((each, iter(self._imports(each, library))))

        begin(path)
        while walks:
            here, rest = walks[-1]
            for each in rest:
                if each in loaded or self._cycles.get(each, before) is not before:
                    continue
                if each not in numbers:
                    begin(each)
                    break
                if each in open_:
                    lowest[here] = min(lowest[here], numbers[each])
            else:
                walks.pop()
                if walks:
                    above = walks[-1][0]
                    lowest[above] = min(lowest[above], lowest[here])
                if lowest[here] == numbers[here]:
                    self._close(here, open_)

    def _close(self, root: str, open_: dict[str, None]) -> None:
        members = [root]
        while (each := open_.popitem()[0]) != root:
            members.append(each)
        cycle = frozenset(members)
        for each in cycle:
            self._cycles[each] = cycle


def _outermost_first(path: str) -> tuple[int, str]:
    """Packages in the order in which Python runs them, as far as their places show; modules come after."""
    return path.count(os.sep) - (os.path.basename(path) == "__init__.py"), path
