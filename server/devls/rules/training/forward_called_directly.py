"""forward-called-directly: the method `forward` of a module is called by its name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.engine.core.events.calls import ForwardNamed
from devls.rules.rule import Confidence, Finding, edits, fixes, rule
from devls.syntax import rewrite
from devls.text.edits import Applicability, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("forward-called-directly", on=ForwardNamed, level="info")
def forward_called_directly(event: ForwardNamed) -> Iterator[Finding]:
    """Report at the call."""
    if event.past_wrapper:
        text = event.model
        yield Finding(
            f"`{text}(...)` goes past the wrapper: the gradients of the other processes are not added to these, and the copies part."
            " Call the wrapper",
            event.site,
            Confidence.CERTAIN,
            level="warning",
        )
        return
    edit = rewrite.replace(event.site.source, event.receiver, event.model)
    hooks = (
        "the hooks that were registered on it do"
        if event.hooked
        else "hooks, and what DataParallel and others add, do"
    )
    yield Finding(
        f"`{event.model}.forward(...)` runs only what `forward` says: {hooks} not run",
        event.site,
        Confidence.CERTAIN,
        fixes=fixes(Fix(f"Call `{event.model}(...)`", edits(edit), Applicability.SAFE)),
        level="warning" if event.hooked else "",
    )
