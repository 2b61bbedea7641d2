"""no-such-torch-name: a module of torch is asked for a name that it does not have."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core.events.protocols import NoSuchName
from devls.rules.rule import Confidence, Finding, edits, fixes, rule
from devls.syntax import rewrite
from devls.text.edits import Applicability, Edit, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("no-such-torch-name", on=NoSuchName, level="error")
def no_such_torch_name(event: NoSuchName) -> Iterator[Finding]:
    """Report where the name is read or imported."""
    found: tuple[Fix, ...] = ()
    if event.only_raises:
        yield Finding(
            f"`{event.space}.{event.name}` was removed, and only raises: use `{event.suggestion}`",
            event.site,
            Confidence.CERTAIN,
        )
        return
    source, suggestion = event.site.source, event.suggestion
    meant = f": did you mean `{suggestion}`?" if suggestion else ""
    if suggestion.startswith("Tensor."):
        meant, suggestion = f": it is a method of tensors, `x.{event.name}(...)`", ""
    if suggestion and isinstance(event.node, ast.Attribute):
        edit = rewrite.replace(source, event.node, f"{source.slice(event.node.value)}.{suggestion}")
        found = fixes(Fix(f"Use `{suggestion}`", edits(edit), Applicability.UNSAFE))
    elif suggestion and isinstance(event.node, ast.alias):
        bound = event.node.asname or event.node.name
        found = (
            Fix(
                f"Import `{suggestion}`",
                (Edit(source.range(event.node), f"{suggestion} as {bound}"),),
                Applicability.UNSAFE,
            ),
        )
    text = f"`{event.space}` has no `{event.name}`{meant}"
    if event.lacking:
        text = f"torch {event.lacking} has no `{event.space}.{event.name}`, which came with a later release"
    yield Finding(text, event.site, Confidence.CERTAIN, fixes=found)
