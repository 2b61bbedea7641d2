"""detach-in-place-on-view: `detach_()` is called on a view."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core.events.calls import ViewDetached
from devls.rules.rule import Confidence, Finding, Note, edits, fixes, rule
from devls.syntax import rewrite
from devls.text.edits import Applicability, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("detach-in-place-on-view", on=ViewDetached, level="error")
def detach_in_place_on_view(event: ViewDetached) -> Iterator[Finding]:
    """Report at the call."""
    found: tuple[Fix, ...] = ()
    statement, source = event.statement, event.site.source
    call = event.site.node
    if isinstance(event.receiver, ast.Name) and isinstance(statement, ast.Expr) and statement.value is call:
        name = event.receiver.id
        edit = rewrite.replace(source, statement, f"{name} = {name}.detach()")
        found = fixes(Fix(f"Bind `{name}` to `{name}.detach()`", edits(edit), Applicability.SAFE))
    yield Finding(
        f'`{event.text}` is a view of another tensor: torch raises "Can\'t detach views in-place"',
        event.site,
        Confidence.CERTAIN,
        fixes=found,
        notes=(Note(event.made, "the view is made here"),) if event.made is not None else (),
    )
