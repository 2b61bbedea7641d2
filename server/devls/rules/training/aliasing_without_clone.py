"""aliasing-without-clone: a `state_dict` that was kept for later is the memory of the model itself."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Final

from devls.interpreter.events_more import LoadedItself
from devls.rules.rule import Confidence, Finding, Note, edits, fixes, rule
from devls.syntax import rewrite
from devls.text.edits import Applicability, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator

_KEPT: Final = re.compile(r"(?i)best|snapshot|backup|saved|orig|init|old|prev|before|kept")
"""What programs call weights that they want back. Others fill a `state_dict` in place and load it, which does no harm."""


@rule("aliasing-without-clone", on=LoadedItself, level="warning")
def aliasing_without_clone(event: LoadedItself) -> Iterator[Finding]:
    """Report where the `state_dict` was taken."""
    if not _KEPT.search(event.text):
        return
    call = event.taken.node
    found: tuple[Fix, ...] = ()
    if isinstance(call, ast.Call):
        text = f"{{name: value.clone() for name, value in {event.taken.source.slice(call)}.items()}}"
        edit = rewrite.replace(event.taken.source, call, text)
        found = fixes(Fix("Clone what is kept", edits(edit), Applicability.UNSAFE))
    yield Finding(
        f"a `state_dict` holds the memory of the parameters, which changes with every step: to load `{event.text}` into"
        f" `{event.model}` later changes nothing",
        event.taken,
        Confidence.CERTAIN,
        fixes=found,
        notes=(Note(event.site, "it is loaded here"),),
    )
