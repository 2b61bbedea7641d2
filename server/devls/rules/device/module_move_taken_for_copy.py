"""module-move-taken-for-copy: a module is moved, and the result is taken for a copy of it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core.events.events import Cause, DevicesMixed
from devls.rules.device import wording
from devls.rules.rule import Finding, Note, edits, fixes, rule
from devls.syntax import rewrite
from devls.text.edits import Applicability, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("module-move-taken-for-copy", on=DevicesMixed, level="error")
def module_move_taken_for_copy(event: DevicesMixed) -> Iterator[Finding]:
    """Report at the transfer that was taken for a copy."""
    site = event.attribute_site
    if event.cause is not Cause.RENAMED or site is None:
        return
    found: tuple[Fix, ...] = ()
    call, source = site.node, site.source
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
        copied = rewrite.wrap(source, call.func.value, "copy.deepcopy(", ")")
        imported = rewrite.add_import(source, "import copy")
        found = fixes(Fix("Move a copy", edits(copied) + imported, Applicability.UNSAFE))
    yield Finding(
        f"a move changes the module itself, so `{event.attribute}` and `{event.old_name}` are one module on one device, but"
        f" {event.site.line} uses them as two. {wording.consequence(event).capitalize()}",
        site,
        wording.confidence(event),
        fixes=found,
        notes=(Note(event.site, "it meets something on another device here"),),
    )
