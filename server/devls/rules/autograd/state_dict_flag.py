"""state-dict-flag: what a state_dict holds never requires grad."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core.events.protocols import FlagOfStateDict
from devls.rules.rule import Confidence, Finding, Note, edits, fixes, rule
from devls.syntax import rewrite
from devls.text.edits import Applicability, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("state-dict-flag", on=FlagOfStateDict, level="warning")
def state_dict_flag(event: FlagOfStateDict) -> Iterator[Finding]:
    """Report where the flag is read."""
    found: tuple[Fix, ...] = ()
    call = event.state_dict.node
    if isinstance(call, ast.Call) and event.state_dict.source is event.site.source:
        edit = rewrite.add_argument(event.site.source, call, "keep_vars=True")
        found = fixes(
            Fix("Ask for the parameters themselves: `keep_vars=True`", edits(edit), Applicability.UNSAFE)
        )
    yield Finding(
        f"`{event.text}` was detached by `state_dict()`: this freezes nothing, and the parameter is trained on"
        if event.taken
        else f"`{event.text}` was detached by `state_dict()`, so its `requires_grad` is always False",
        event.site,
        Confidence.CERTAIN,
        fixes=found,
        notes=(Note(event.state_dict, "it was detached here"),),
    )
