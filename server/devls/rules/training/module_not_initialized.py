"""module-not-initialized: a module is given layers or parameters before `Module.__init__` has run."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core.events.calls import ModuleUninitialized
from devls.rules.rule import Confidence, Finding, edits, fixes, rule
from devls.syntax import rewrite
from devls.syntax.nodes import walk
from devls.text.edits import Applicability, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("module-not-initialized", on=ModuleUninitialized, level="error")
def module_not_initialized(event: ModuleUninitialized) -> Iterator[Finding]:
    """Report at the first assignment that needs it."""
    found: tuple[Fix, ...] = ()
    function = event.function
    misspelt = _misspelt(function) if function is not None else None
    if misspelt is not None:
        source = event.site.source
        edit = rewrite.replace(source, misspelt, f"{source.slice(misspelt.value)}.__init__")
        found = fixes(Fix("Call `__init__`", edits(edit), Applicability.SAFE))
    elif isinstance(function, ast.FunctionDef):
        body = function.body
        documented = (
            isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant) and len(body) > 1
        )
        edit = rewrite.insert_before(event.site.source, body[1 if documented else 0], "super().__init__()")
        found = fixes(Fix("Call `super().__init__()` first", edits(edit), Applicability.SAFE))
    yield Finding(
        f"`self.{event.attribute}` is set before `super().__init__()` has run: torch raises"
        f' "cannot assign {event.what} before Module.__init__() call"',
        event.site,
        Confidence.LIKELY if event.presumed else Confidence.CERTAIN,
        fixes=found,
    )


def _misspelt(function: ast.AST) -> ast.Attribute | None:
    """`super()._init_` in a constructor: what it calls has other underscores than what it means."""
    for each in walk(function):
        if (
            isinstance(each, ast.Attribute)
            and isinstance(each.value, ast.Call)
            and isinstance(each.value.func, ast.Name)
            and each.value.func.id == "super"
            and each.attr != "__init__"
            and each.attr.strip("_") == "init"
        ):
            return each
    return None
