"""Events about what moving to a device, and reading from it, costs or cannot do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.engine.core.events.events import Event
from devls.values.facts import fact

if TYPE_CHECKING:
    import ast

    from devls.values.history import Site


@fact
class DtypeNotThere(Event):
    """A device is asked to hold numbers of a kind that it does not know."""

    text: str
    place: str
    dtype: str
    certain: bool
    call: ast.Call | None
    receiver: ast.expr | None  # what is moved, if something is
    argument: ast.expr | None  # the expression of the dtype, if the call names it
    made: Site | None
    is_module: bool = False
    by_default: bool = False  # nobody asked for that dtype; it is what numpy makes


@fact
class ReadUnsynchronized(Event):
    """A tensor sent to the CPU without waiting is read before it has arrived."""

    text: str
    moved: Site
    argument: ast.expr | None  # the value of `non_blocking`
    only_when_accelerated: bool


@fact
class PlacedByWorker(Event):
    """Code of a loader's worker process puts something on an accelerator."""

    text: str
    function: str  # "__getitem__", "collate_fn"
    place: object
    only_when_accelerated: bool
    loader: Site
    call: ast.Call | None
    receiver: ast.expr | None  # what is moved, if something is


@fact
class WaitedInLoop(Event):
    """Each step of training waits several times until the device is done."""

    texts: tuple[str, ...]
    places: tuple[Site, ...]
    only_when_accelerated: bool


@fact
class GraphRetained(Event):
    """A backward keeps the graph, and nothing ever walks it again, or the same backward does in each later iteration."""

    text: str
    call: ast.Call
    argument: ast.expr
    carried: Site | None = None  # an operation of an earlier iteration that is walked in each later one, too
