"""What single checks note on the machine while it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from devls.engine.core.events.transfers import GraphRetained, PlacedByWorker
    from devls.values.history import Site
    from devls.values.value import TensorValue


class Retained:
    """One place in the code where a graph is kept."""

    __slots__ = ("event", "roots", "used")

    def __init__(self, event: GraphRetained) -> None:
        self.event = event
        self.roots: list[TensorValue] = []
        self.used = False


class Worker:
    """The code of a worker process that is running, muted."""

    def __init__(self, loader: Site, function: str) -> None:
        self.loader = loader
        self.function = function
        self.events: list[PlacedByWorker] = []
