"""unreached-parameters: an optimizer holds parameters that get no gradient from any loss, and never change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.engine.core.events.protocols import ParametersUnreached
from devls.rules.mending import mended
from devls.rules.rule import Confidence, Finding, Note, rule
from devls.syntax.layout import assigned_to

if TYPE_CHECKING:
    from collections.abc import Iterator

    from devls.values.history import Site


@rule("unreached-parameters", on=ParametersUnreached, level="warning")
def unreached_parameters(event: ParametersUnreached) -> Iterator[Finding]:
    """Report where the way to the parameters is cut, or at the optimizer."""
    names = [_name(each) for each in event.parameters]
    shown = ", ".join(f"`{each}`" for each in dict.fromkeys(names[:3])) + (" ..." if len(names) > 3 else "")
    total = f"{event.held} parameters" if event.held else "parameters"
    held = f"{event.missed} of the {total} that `{event.optimizer}` holds"
    if event.cut is not None:
        yield Finding(
            f"{shown} cannot learn: {event.cut.what}, and no other way leads from a loss to {held}",
            event.cut.site,
            Confidence.LIKELY,
            fixes=mended(event.cut, event.cut.site.source),
            notes=(Note(event.site, f"`{event.optimizer}` is to train them"), *_made(event)),
        )
        return
    why = "all of them are frozen" if event.frozen else "no loss is computed from them"
    yield Finding(
        f"{held} never get a gradient ({shown}): {why}",
        event.site,
        Confidence.LIKELY,
        notes=_made(event),
    )


def _made(event: ParametersUnreached) -> tuple[Note, ...]:
    return tuple(Note(each, "parameters that stay as they are") for each in event.parameters[:3])


def _name(site: Site) -> str:
    """The name that a layer is given where it is made, or the call that makes it."""
    return " ".join(site.source.slice(assigned_to(site.source, site.node) or site.node).split())
