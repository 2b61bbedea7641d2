"""inference-tensor-in-autograd: a tensor of inference mode is used where torch forbids it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.engine.core.events.protocols import InferenceTensorUsed
from devls.rules import mending
from devls.rules.rule import Confidence, Finding, Note, edits, fixes, rule
from devls.syntax import rewrite
from devls.text.edits import Applicability, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator

_PROBLEMS = {
    "saved": "`{text}` was made in inference mode, but backward needs it here: torch raises. Make it under `no_grad`, or `.clone()` it",
    "written": "`{text}` was made in inference mode, but is changed in place outside it: torch raises. Make it under `no_grad`, or `.clone()` it",
    "given": "what is given to `{text}` was made in inference mode, but its parameters need it for backward: torch raises. Make it under `no_grad`",
    "requires grad": "`{text}` was made in inference mode, and cannot be made to require grad: torch raises. Make it under `no_grad`, or `.clone()` it",
}


@rule("inference-tensor-in-autograd", on=InferenceTensorUsed, level="error")
def inference_tensor_in_autograd(event: InferenceTensorUsed) -> Iterator[Finding]:
    """Report at the use."""
    edit = rewrite.append(event.site.source, event.node, ".clone()") if event.node is not None else None
    yield Finding(
        _PROBLEMS[event.problem].format(text=event.text),
        event.site,
        Confidence.LIKELY if event.problem == "given" else Confidence.CERTAIN,
        fixes=mending.made_for_autograd(event.made)
        + fixes(Fix(f"Use a copy: `{event.text}.clone()`", edits(edit), Applicability.SAFE)),
        notes=(Note(event.made, "it was made here"),) if event.made is not None else (),
    )
