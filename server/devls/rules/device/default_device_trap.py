"""default-device-trap: a loader or a sampler shuffles under a default device that is not the CPU."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core.events.calls import LoaderOffHost
from devls.rules.rule import Confidence, Finding, Note, edits, fixes, rule
from devls.syntax import rewrite
from devls.text.edits import Applicability, Fix
from devls.values.devices import describe

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("default-device-trap", on=LoaderOffHost, level="error")
def default_device_trap(event: LoaderOffHost) -> Iterator[Finding]:
    """Report at the construction of what draws."""
    when = " whenever an accelerator is used" if event.only_when_accelerated else ""
    yield Finding(
        f"this {event.drawn_by} shuffles with a CPU generator, but the default device is `{describe(event.place)}`: torch raises{when} in its"
        " first iteration. Give it `generator=torch.Generator(device=...)`",
        event.site,
        Confidence.LIKELY if event.only_when_accelerated else Confidence.CERTAIN,
        fixes=_drawn_there(event),
        notes=(Note(event.where, "the default device is set here"),),
    )


def _drawn_there(event: LoaderOffHost) -> tuple[Fix, ...]:
    """A generator of the device on which the loader draws its order."""
    call, source = event.site.node, event.site.source
    if not isinstance(call, ast.Call) or any(each.arg in ("generator", None) for each in call.keywords):
        return ()
    added = "generator=torch.Generator(device=torch.get_default_device())"
    argument = rewrite.add_argument(source, call, added)
    return fixes(Fix("Draw on the default device", edits(argument), Applicability.SAFE))
