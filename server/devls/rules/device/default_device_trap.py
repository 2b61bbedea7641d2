"""default-device-trap: a loader shuffles under a default device that is not the CPU."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.interpreter.events_calls import LoaderOffHost
from devls.rules.rule import Confidence, Finding, Note, rule
from devls.values.devices import describe

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("default-device-trap", on=LoaderOffHost, level="error")
def default_device_trap(event: LoaderOffHost) -> Iterator[Finding]:
    """Report at the construction of the loader."""
    when = " whenever an accelerator is used" if event.only_when_accelerated else ""
    yield Finding(
        f"this loader shuffles with a generator of the CPU, and the default device is `{describe(event.place)}`: torch"
        f" raises{when} when it is iterated; give it `generator=torch.Generator(device=...)`",
        event.site,
        Confidence.LIKELY if event.only_when_accelerated else Confidence.CERTAIN,
        notes=(Note(event.where, "the default device is set here"),),
    )
