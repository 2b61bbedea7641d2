"""result-off-device: what a function returns is on the CPU on some path only."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core.events.protocols import ResultElsewhere
from devls.rules.rule import Confidence, Finding, edits, fixes, rule
from devls.syntax import rewrite
from devls.syntax.layout import ancestors
from devls.syntax.nodes import of_kind
from devls.text.edits import Applicability, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("result-off-device", on=ResultElsewhere, level="warning")
def result_off_device(event: ResultElsewhere) -> Iterator[Finding]:
    """Report at the factory."""
    found: tuple[Fix, ...] = ()
    if event.target and isinstance(event.site.node, ast.Call) and not _is_mapping(event):
        if event.takes_device:
            edit = rewrite.add_argument(event.site.source, event.site.node, f"device={event.target}")
            title = f"Create it with `device={event.target}`"
        else:
            edit = rewrite.append(event.site.source, event.site.node, f".to({event.target})")
            title = f"Move it to `{event.target}` where it is created"
        found = fixes(Fix(title, edits(edit), Applicability.SAFE))
    problem = (
        f"`{event.function}` returns `{event.text}`, made on the CPU, and copies into it what is on `{event.other}`:"
        " the result is on the CPU wherever its argument is"
        if event.filled
        else f"`{event.function}` returns `{event.text}`, made on the CPU, on one path, and what is on `{event.other}` on another:"
        " its results end up on two devices"
    )
    yield Finding(
        problem,
        event.site,
        Confidence.LIKELY,
        fixes=found,
    )


def _is_mapping(event: ResultElsewhere) -> bool:
    """Whether what the fix asks for its device has entries with names: a dict of tensors has none."""
    source = event.site.source
    asked = event.target.removesuffix(".device")
    function = next(
        (each for each in ancestors(source, event.site.node) if isinstance(each, ast.FunctionDef)),
        source.tree,
    )
    return any(
        isinstance(each.slice, ast.Constant)
        and isinstance(each.slice.value, str)
        and source.slice(each.value) == asked
        for each in of_kind(function, ast.Subscript)
    )
