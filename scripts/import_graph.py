"""Count how the engine's modules depend on each other: upward imports, circles, imports inside functions.

usage: import_graph.py [--edges] [--check]

Floors are the sub-packages of `devls.engine`, lowest first. Imports for types and inside functions count like all others.
With `--check`, exits 1 where a limit below is passed.
"""

from __future__ import annotations

import argparse
import ast
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ENGINE = Path(__file__).parent.parent / "server" / "devls" / "engine"
PACKAGE = "devls.engine"
FLOORS = ("core", "python", "torch", "evidence", "checks", "driver")

MOST_UPWARD = 0
MOST_IN_CIRCLE = 20
MOST_AT_LOAD = 0
MOST_IN_FUNCTIONS = 20


@dataclass(frozen=True)
class Edge:
    """One module that imports another: at load time, for types, or inside a function."""

    importer: str
    imported: str
    kind: str

    @property
    def upward(self) -> bool:
        """Whether the importer stands on a lower floor."""
        return _floor(self.importer) < _floor(self.imported)


def _floor(module: str) -> int:
    return FLOORS.index(module.split(".", maxsplit=1)[0])


def modules() -> dict[str, Path]:
    """Every module of the engine by its name within the engine; packages are left out."""
    return {
        ".".join(path.relative_to(ENGINE).with_suffix("").parts): path
        for path in sorted(ENGINE.rglob("*.py"))
        if path.name != "__init__.py"
    }


def edges(known: dict[str, Path]) -> set[Edge]:
    """Every import of a module of the engine by another."""
    found = set[Edge]()
    for name, path in known.items():
        for base, imported, kind in _imports(ast.parse(path.read_text(encoding="utf-8")), "load"):
            full = f"{base}.{imported}".lstrip(".")
            target = full if full in known else base
            if target in known and target != name:
                found.add(Edge(name, target, kind))
    return found


def _imports(node: ast.AST, kind: str) -> Iterator[tuple[str, str, str]]:
    for child in ast.iter_child_nodes(node):
        inner = kind
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
            inner = "function"
        elif isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            inner = "type"
        if isinstance(child, ast.ImportFrom) and (child.module or "").startswith(PACKAGE):
            base = (child.module or "")[len(PACKAGE) :].lstrip(".")
            for alias in child.names:
                yield base, alias.name, kind
        yield from _imports(child, inner)


def circles(known: dict[str, Path], found: set[Edge]) -> list[list[str]]:
    """The strongly connected components of more than one module, the largest first."""
    reach = dict[str, set[str]]()
    after = {name: {edge.imported for edge in found if edge.importer == name} for name in known}
    for name in known:
        seen, stack = set[str](), [name]
        while stack:
            for each in after[stack.pop()] - seen:
                seen.add(each)
                stack.append(each)
        reach[name] = seen
    left, groups = set(known), list[list[str]]()
    while left:
        name = left.pop()
        group = {name} | {each for each in left if each in reach[name] and name in reach[each]}
        left -= group
        if len(group) > 1:
            groups.append(sorted(group))
    return sorted(groups, key=len, reverse=True)


def main() -> int:
    """Print the counts; returns the exit status."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--edges", action="store_true", help="list the upward imports and the largest circle")
    parser.add_argument("--check", action="store_true", help="exit 1 where a limit is passed")
    options = parser.parse_args()
    known = modules()
    found = edges(known)
    upward = {(edge.importer, edge.imported) for edge in found if edge.upward}
    groups = circles(known, found)
    at_load = circles(known, {edge for edge in found if edge.kind == "load"})
    inside = sum(edge.kind == "function" for edge in found)
    largest = len(groups[0]) if groups else 0
    largest_at_load = len(at_load[0]) if at_load else 0
    print(f"modules: {len(known)}; edges: {len(found)}")
    print(f"upward imports: {len(upward)} (at most {MOST_UPWARD})")
    print(
        f"largest import circle: {largest} modules (at most {MOST_IN_CIRCLE}); at load time {largest_at_load} (at most {MOST_AT_LOAD})"
    )
    print(f"imports inside functions: {inside} (at most {MOST_IN_FUNCTIONS})")
    if options.edges:
        pairs = Counter((importer.split(".")[0], imported.split(".")[0]) for importer, imported in upward)
        for (low, high), count in sorted(pairs.items()):
            print(f"\n{low} -> {high}: {count}")
            for importer, imported in sorted(upward):
                if (importer.split(".")[0], imported.split(".")[0]) == (low, high):
                    print(f"    {importer} -> {imported}")
        for group in groups[:3]:
            print(f"\ncircle of {len(group)}:", *group)
    passed = (
        len(upward) > MOST_UPWARD
        or largest > MOST_IN_CIRCLE
        or largest_at_load > MOST_AT_LOAD
        or inside > MOST_IN_FUNCTIONS
    )
    return 1 if options.check and passed else 0


if __name__ == "__main__":
    sys.exit(main())
