"""taken-for-module: what is called is no module and no function any more, and torch or Python raises."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.engine.core.events.calls import NotCallable
from devls.rules.rule import Confidence, Finding, Note, rule

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("taken-for-module", on=NotCallable, level="error")
def taken_for_module(event: NotCallable) -> Iterator[Finding]:
    """Report at the call, or where the attribute is read."""
    text = " ".join(event.text.split())
    said = {
        "tensor": f"`{text}` is a tensor here and cannot be called",
        "bool": f"`{text}` is a bool and cannot be called: `{text}_()` sets it, `{text}` reads it",
        "path": f"`{text}` is a path: `load_state_dict` takes what `torch.load` has read from it, and torch raises",
        "wrapped": f"the names in `{text}` begin with `module.`, as it is of a module that is wrapped: torch raises."
        " Take it of `.module`",
        "wrapped silently": f"the names in `{text}` begin with `module.`, as it is of a module that is wrapped: with `strict=False`"
        " nothing is loaded. Take it of `.module`",
        "whole": f"`{text}` holds a whole module, and `torch.load` reads weights only unless it is told `weights_only=False`: torch"
        " raises. Save its `state_dict()`",
        "loaded": f"`{text}` is what `load_state_dict` returned, the names of missing and unexpected keys, and no module",
    }[event.kind]
    if event.kind == "loaded" and event.name:
        said += f": it has no `{event.name}`"
    notes = (
        ()
        if event.made is None
        else (
            Note(
                event.made,
                {
                    "wrapped": "it is wrapped here",
                    "wrapped silently": "it is wrapped here",
                    "whole": "it is saved here",
                }.get(event.kind, "the tensor is made here"),
            ),
        )
    )
    level = "warning" if event.kind == "wrapped silently" else ""
    yield Finding(said, event.site, Confidence.CERTAIN, notes=notes, level=level)
