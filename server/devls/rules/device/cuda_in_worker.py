"""cuda-in-worker: the worker processes of a loader put things on an accelerator."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.engine.core.events.transfers import PlacedByWorker
from devls.rules.repairs import without_argument
from devls.rules.rule import Confidence, Finding, Note, edits, fixes, rule
from devls.syntax import rewrite
from devls.text.edits import Applicability, Fix
from devls.values.devices import describe

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("cuda-in-worker", on=PlacedByWorker, level="warning")
def cuda_in_worker(event: PlacedByWorker) -> Iterator[Finding]:
    """Report where it is put there."""
    source = event.site.source
    if event.receiver is not None and event.call is not None:
        edit = rewrite.replace(source, event.call, source.slice(event.receiver))
    else:
        edit = without_argument(event.site, "device")
    when = "with an accelerator " if event.only_when_accelerated else ""
    yield Finding(
        f'`{event.text}` goes to {describe(event.place)} in a worker process of the loader: {when}torch raises "Cannot re-initialize'
        ' CUDA in forked subprocess", or each worker takes GPU memory of its own',
        event.site,
        Confidence.LIKELY if event.only_when_accelerated else Confidence.CERTAIN,
        fixes=fixes(
            Fix("Leave it on the CPU, and move the batch in the loop", edits(edit), Applicability.UNSAFE)
        ),
        notes=(Note(event.loader, f"the loader whose workers run `{event.function}`"),),
    )
