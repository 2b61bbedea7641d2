"""Writes to leaves that torch refuses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.engine.core import moments
from devls.engine.core.events.events import LeafWritten
from devls.engine.evidence import judgement

if TYPE_CHECKING:
    from devls.engine.core.machine import Machine


@moments.leaf_write_refused.on
def refused(m: Machine, event: LeafWritten) -> None:
    """A leaf is written."""
    judgement.emit(m, judgement.judge(m, LeafWritten, event), lambda: event)
