"""generator-device: a generator of one device is asked for random numbers on another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.interpreter.events_calls import GeneratorElsewhere
from devls.rules.rule import Confidence, Finding, Note, edits, fixes, rule
from devls.syntax import rewrite
from devls.text.edits import Applicability, Fix
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
