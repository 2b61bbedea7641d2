"""deepcopy-of-graph: torch copies only leaves deeply."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.interpreter.events import GraphCopied
from devls.rules.rule import Confidence, Finding, rule

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("deepcopy-of-graph", on=GraphCopied, level="error")
def deepcopy_of_graph(event: GraphCopied) -> Iterator[Finding]:
    """Report at the copy."""
    yield Finding(
        f"`{event.text}` holds a tensor that is no leaf: torch raises \"Only Tensors created explicitly by the user support the"
        " deepcopy protocol\"",
        event.site,
        Confidence.CERTAIN,
    )
