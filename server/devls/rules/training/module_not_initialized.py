"""module-not-initialized: a module is given layers or parameters before `Module.__init__` has run."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core.events.calls import ModuleUninitialized
from devls.rules.rule import Confidence, Finding, edits, fixes, rule
from devls.syntax import rewrite
from devls.text.edits import Applicability, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("module-not-initialized", on=ModuleUninitialized, level="error")
def module_not_initialized(event: ModuleUninitialized) -> Iterator[Finding]:
    """Report at the first assignment that needs it."""
    found: tuple[Fix, ...] = ()
    function = event.function
    if isinstance(function, ast.FunctionDef):
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
