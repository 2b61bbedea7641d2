"""loss-class-called: tensors are given to the constructor of a loss, or of a layer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.engine.core.events.events import LossClassCalled
from devls.rules.rule import Confidence, Finding, edits, fixes, rule
from devls.syntax import rewrite
from devls.text.edits import Applicability, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("loss-class-called", on=LossClassCalled, level="error")
def loss_class_called(event: LossClassCalled) -> Iterator[Finding]:
    """Report at the call."""
    edit = rewrite.append(event.site.source, event.call.func, "()")
    yield Finding(
        f"this builds a `{event.name}` with the tensor{' as an option, and applies it to nothing' if event.is_layer else 's as options, and computes no loss'}: call `{event.name}()(...)`",
        event.site,
        Confidence.CERTAIN,
        fixes=fixes(Fix(f"Build it first: `{event.name}()(...)`", edits(edit), Applicability.SAFE)),
    )
