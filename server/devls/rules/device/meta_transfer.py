"""meta-transfer: something that is on the meta device is moved to a real one."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core.events.calls import MetaMoved
from devls.rules.rule import Confidence, Finding, edits, fixes, rule
from devls.syntax import rewrite
from devls.text.edits import Applicability, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("meta-transfer", on=MetaMoved, level="error")
def meta_transfer(event: MetaMoved) -> Iterator[Finding]:
    """Report at the transfer."""
    found: tuple[Fix, ...] = ()
    call = event.call
    if event.is_module and call is not None and isinstance(call.func, ast.Attribute):
        source = event.site.source
        name = call.func.attr
        given = next((each.value for each in call.keywords if each.arg == "device"), None)
        if name == "to" and given is not None and not call.args:
            text = f"{event.text}.to_empty(device={source.slice(given)})"
        elif name == "to" and len(call.args) == 1 and not call.keywords:
            text = f"{event.text}.to_empty(device={source.slice(call.args[0])})"
        elif name in ("cuda", "cpu") and not call.args and not call.keywords:
            text = f'{event.text}.to_empty(device="{name}")'
        else:
            text = ""
        if text:
            found = fixes(
                Fix(f"Use `{text}`", edits(rewrite.replace(source, call, text)), Applicability.UNSAFE)
            )
    hint = "; `to_empty(device=...)` gives a module memory, without values" if event.is_module else ""
    yield Finding(
        f'`{event.text}` is on the meta device and has no values to move: torch raises "Cannot copy out of meta tensor"{hint}',
        event.site,
        Confidence.CERTAIN,
        fixes=found,
    )
