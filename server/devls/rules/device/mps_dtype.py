"""mps-dtype: 64-bit floating point numbers on Apple's GPU, which has none."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core.events.transfers import DtypeNotThere
from devls.rules.rule import Confidence, Finding, Note, edits, fixes, rule
from devls.syntax import rewrite
from devls.text.edits import Applicability, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator

_SMALLER = {"float64": "float32", "complex128": "complex64"}


@rule("mps-dtype", on=DtypeNotThere, level="error")
def mps_dtype(event: DtypeNotThere) -> Iterator[Finding]:
    """Report where it is created there, or moved."""
    source = event.site.source
    smaller = _SMALLER[event.dtype]
    found: tuple[Fix, ...] = ()
    if isinstance(event.argument, (ast.Name, ast.Attribute, ast.Constant)):
        edit = rewrite.replace(source, event.argument, f"torch.{smaller}")
        found = fixes(Fix(f"Use `torch.{smaller}`", edits(edit), Applicability.UNSAFE))
    elif event.receiver is not None:
        suffix = ".float()" if smaller == "float32" else f".to(torch.{smaller})"
        edit = rewrite.append(source, event.receiver, suffix)
        found = fixes(Fix(f"Insert `{suffix}` before the move", edits(edit), Applicability.UNSAFE))
    elif event.call is not None and not any(each.arg == "dtype" for each in event.call.keywords):
        edit = rewrite.add_argument(source, event.call, f"dtype=torch.{smaller}")
        found = fixes(Fix(f"Give it `dtype=torch.{smaller}`", edits(edit), Applicability.UNSAFE))
    why = ", as numpy makes it" if event.by_default else ""
    when = "torch raises" if event.certain else f"torch raises whenever the device is `{event.place}`"
    what = "has parameters of" if event.is_module else "is"
    yield Finding(
        f"`{event.text}` {what} `{event.dtype}`{why}, which `{event.place}` does not have: {when}",
        event.site,
        Confidence.CERTAIN if event.certain else Confidence.LIKELY,
        fixes=found,
        notes=(Note(event.made, f"it becomes `{event.dtype}` here"),) if event.made is not None else (),
    )
