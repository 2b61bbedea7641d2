"""generator-device: a generator of one device is asked for random numbers on another."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core.events.calls import GeneratorElsewhere
from devls.rules import repairs
from devls.rules.rule import Confidence, Finding, Note, edits, fixes, rule
from devls.syntax import rewrite
from devls.text.edits import Applicability, Edit, Fix, Range
from devls.values.devices import CPU, describe

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("generator-device", on=GeneratorElsewhere, level="error")
def generator_device(event: GeneratorElsewhere) -> Iterator[Finding]:
    """Report at the call that draws."""
    when = " whenever an accelerator is used" if event.only_when_accelerated else ""
    found: tuple[Fix, ...] = ()
    if (
        event.creation is not None
        and event.target
        and not event.creation.args
        and not event.creation.keywords
    ):
        edit = rewrite.add_argument(event.site.source, event.creation, f"device={event.target}")
        found = fixes(Fix(f"Make the generator on `{event.target}`", edits(edit), Applicability.SAFE))
    found = (*found, *_drawn_first(event))
    yield Finding(
        f"`{event.operation}` draws on {_named(event.place)}, but `{event.generator}` is a generator of"
        f" {_named(event.generator_place)}: torch raises{when}",
        event.site,
        Confidence.LIKELY if event.only_when_accelerated else Confidence.CERTAIN,
        fixes=found,
        notes=(Note(event.made, "the generator is made here"),) if event.made is not None else (),
    )


def _named(device: object) -> str:
    return "the CPU" if device == CPU else f"`{describe(device)}`"


def _drawn_first(event: GeneratorElsewhere) -> tuple[Fix, ...]:
    """`torch.randn(2, generator=g, device=device)` becomes `torch.randn(2, generator=g).to(device)`."""
    source, call = event.site.source, event.site.node
    given = (
        next((each for each in call.keywords if each.arg == "device"), None)
        if isinstance(call, ast.Call)
        else None
    )
    if event.generator_place != CPU or given is None or not isinstance(call, ast.Call):
        return ()
    end = source.range(call).end
    moved = Edit(Range(end, end), f".to({source.slice(given.value)})")
    changes = edits(repairs.without_argument(event.site, "device"), moved)
    return fixes(Fix("Draw on the CPU, and move the result", changes, Applicability.SAFE))
