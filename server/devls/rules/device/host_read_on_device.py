"""host-read-on-device: numpy cannot read a tensor on an accelerator."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core.events.events import HostRead
from devls.rules import kept_in_lists
from devls.rules.device import wording
from devls.rules.rule import Confidence, Finding, Note, edits, fixes, rule
from devls.syntax import rewrite
from devls.text.edits import Applicability, Fix
from devls.values.history import Site

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("host-read-on-device", on=HostRead, level="error")
def host_read_on_device(event: HostRead) -> Iterator[Finding]:
    """Report a conversion of what may be on an accelerator."""
    if not event.off_host:
        return
    operand = event.operand
    insert = ".detach().cpu()" if event.needs_grad else ".cpu()"
    when = " whenever an accelerator is used" if event.only_when_accelerated else ""
    found: tuple[Fix, ...] = ()
    if isinstance(operand.node, ast.expr) and event.inside:
        source = event.site.source
        text = f"[each{insert} for each in {source.slice(operand.node)}]"
        edit = rewrite.replace(source, operand.node, text)
        found = (
            *kept_in_lists.where_put(event.put, operand.tensor, insert, Site(source, operand.node)),
            *fixes(Fix(f"Insert `{insert}` for each", edits(edit), Applicability.UNSAFE)),
        )
    elif isinstance(operand.node, ast.expr) and not isinstance(
        operand.node, (ast.List, ast.Tuple, ast.ListComp)
    ):
        edit = rewrite.append(event.site.source, operand.node, insert)
        safety = Applicability.UNSAFE if event.beside_unknown else Applicability.SAFE
        found = fixes(Fix(f"Insert `{insert}`", edits(edit), safety))
    also = ", and it requires grad" if event.needs_grad else ""
    yield Finding(
        f"`{event.how}` needs a tensor on the CPU, but `{operand.text}` is {wording.place(operand, operand.device)}{also}:"
        f" torch raises{when}",
        event.site,
        Confidence.LIKELY if event.only_when_accelerated else Confidence.CERTAIN,
        fixes=found,
        notes=(*wording.notes(operand), *_computed(event)),
    )


def _computed(event: HostRead) -> tuple[Note, ...]:
    """Function that has computed it, and might have read it to the CPU."""
    made = event.operand.tensor.origin
    if made is None or made.calls == event.site.calls or event.operand.tensor.is_parameter:
        return ()
    return (Note(made, f"{wording.named(event.operand.text)} is computed here"),)
