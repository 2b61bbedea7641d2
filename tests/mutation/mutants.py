"""Small mistakes planted into the engine, one at a time: the tests have to notice.

A mutant flips a comparison, negates a condition, swaps `and` and `or`, or drops a statement. Which ones are tried is a
sample that stays the same as long as their own code does: each has a number made of its text, and those with the
smallest numbers are taken.
"""

from __future__ import annotations

import ast
import copy
import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGE = Path(__file__).parents[2] / "server" / "devls"
FOLDERS = ("engine", "rules")
SEED = "devls 1"

SURVIVORS = {
    "engine/torch/tensors/moves.py:target_of: flip `device is None` #1": (
        "it is about `.to(device, something of a library)`, which torch refuses"
    ),
    "engine/core/joins.py:merge_tensors: and/or `a.origin or b.origin` #1": (
        "of two tensors that are joined, either may be named as the origin"
    ),
    "engine/driver/incremental.py:run: negate `if self._soon and (not self._comes_first(place))`": (
        "it decides for which file an edit waits; the findings are the same, and no spec is edited"
    ),
    "engine/core/containment.py:contained: drop `m.notes.drop()`": (
        "it needs an error of the engine itself, which no spec meets"
    ),
}
"""Mutants that nobody notices, and why no spec and no page has to."""

_FLIPPED = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE, ast.LtE: ast.Gt,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """One mistake: where, what, and the tree of the file with it."""

    path: str
    """Relative to the package."""
    function: str
    what: str
    number: int
    """Which of the same kind and text it is within its function."""

    @property
    def id(self) -> str:
        """A name that does not depend on any other line of the file."""
        return f"{self.path}:{self.function}: {self.what}" + (f" #{self.number}" if self.number else "")

    @property
    def rank(self) -> str:
        """Key that decides whether it is in the sample."""
        return hashlib.sha256(f"{SEED} {self.id}".encode()).hexdigest()


def sample(count: int) -> list[Mutant]:
    """The mutants that are tried."""
    found = [
        mutant
        for folder in FOLDERS
        for path in sorted((PACKAGE / folder).rglob("*.py"))
        for mutant, _ in mutants(path)
    ]
    return sorted(found, key=lambda each: each.rank)[:count]


def mutated(mutant: Mutant) -> ast.Module:
    """The file's tree with the mistake in it."""
    return next(tree() for each, tree in mutants(PACKAGE / mutant.path) if each == mutant)


def mutants(path: Path) -> Iterator[tuple[Mutant, Tree]]:
    """All mutants of a file, with what makes their trees."""
    module = ast.parse(path.read_text(encoding="utf-8"))
    name = path.relative_to(PACKAGE).as_posix()
    seen: dict[tuple[str, str], int] = {}
    for function in ast.walk(module):
        if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        for node in ast.walk(function):
            for what, change in _changes(node):
                number = seen.get((function.name, what), 0)
                seen[function.name, what] = number + 1
                yield Mutant(name, function.name, what, number), Tree(module, node, change)


class Tree:
    """A tree with one node changed, made when it is asked for."""

    def __init__(self, module: ast.Module, node: ast.AST, change: ast.AST) -> None:
        self._module, self._node, self._change = module, node, change

    def __call__(self) -> ast.Module:
        node, change = self._node, self._change

        class Replace(ast.NodeTransformer):
            def visit(self, each: ast.AST) -> ast.AST:
                if each is node:
                    return ast.copy_location(change, each)
                return self.generic_visit(each)

        # The nodes of `module` are shared by all its mutants: only the way down to the changed one is made anew.
        memo = {id(node): node}
        return ast.fix_missing_locations(Replace().visit(copy.deepcopy(self._module, memo)))


def _changes(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _FLIPPED:
        flipped = _FLIPPED[type(node.ops[0])]()
        yield f"flip `{ast.unparse(node)}`", ast.Compare(node.left, [flipped], node.comparators)
    if isinstance(node, ast.If):
        test = ast.UnaryOp(ast.Not(), node.test)
        yield f"negate `if {ast.unparse(node.test)}`", ast.If(test, node.body, node.orelse)
    if isinstance(node, ast.BoolOp):
        other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield f"and/or `{ast.unparse(node)}`", ast.BoolOp(other, node.values)
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        yield f"drop `{ast.unparse(node)}`", ast.Pass()
