"""What is made to be checked: a result that nothing but `assert` looks at."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.syntax.layout import Parents, parents
from devls.syntax.nodes import walk

if TYPE_CHECKING:
    from devls.syntax.source import Source


def only(source: Source, function: ast.AST, call: ast.expr) -> bool:
    """Whether a function asserts something of what a call returns, or of what it computes of that, and uses it for nothing else."""
    if not source.mentions(function, "assert"):
        return False
    above = parents(source)
    names = _assigned(_statement(above, call))
    asserted = False
    while True:
        more = set[str]()
        for each in walk(function):
            if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load) and each.id in names:
                statement = _statement(above, each)
                if isinstance(statement, ast.Assert):
                    asserted = True
                elif each.lineno > call.lineno:
                    assigned = _assigned(statement)
                    if not assigned:
                        return False  # it is used
                    more |= assigned
        if more <= names:
            return asserted
        names |= more


def _statement(above: Parents, node: ast.AST) -> ast.AST | None:
    found: ast.AST | None = node
    while found is not None and not isinstance(found, ast.stmt):
        found = above.get(found)
    return found


def _assigned(statement: ast.AST | None) -> set[str]:
    """The names that an assignment binds, if it does nothing else."""
    if not isinstance(statement, ast.Assign):
        return set()
    targets = [each for target in statement.targets for each in walk(target)]
    if any(isinstance(each, (ast.Attribute, ast.Subscript)) for each in targets):
        return set()
    return {each.id for each in targets if isinstance(each, ast.Name)}
