"""same-order-each-epoch: a sampler of several processes shuffles once and for all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.engine.core.events.protocols import OrderRepeated
from devls.rules.rule import Confidence, Finding, Note, rule

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("same-order-each-epoch", on=OrderRepeated, level="warning")
def same_order_each_epoch(event: OrderRepeated) -> Iterator[Finding]:
    """Report where the sampler is made."""
    yield Finding(
        "this sampler shuffles by the number of the epoch, and nothing tells it that: each epoch takes the data in the same order."
        " Call `set_epoch(epoch)` where an epoch begins",
        event.site,
        Confidence.CERTAIN,
        notes=(Note(event.loader, "the loader that uses it is made here"),),
    )
