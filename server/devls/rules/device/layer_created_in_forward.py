"""layer-created-in-forward: a layer built in `forward` is never moved and never trained."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.interpreter.events import LayerBuiltInForward
from devls.rules.rule import Confidence, Finding, rule

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("layer-created-in-forward", on=LayerBuiltInForward, level="warning")
def layer_created_in_forward(event: LayerBuiltInForward) -> Iterator[Finding]:
    """Report at the construction."""
    yield Finding(
        f"this `{event.layer}` is new in every forward: its weights are random each time, never trained, and on the CPU",
        event.site,
        Confidence.CERTAIN,
    )
