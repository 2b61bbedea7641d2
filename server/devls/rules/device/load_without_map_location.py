"""load-without-map-location: a checkpoint goes wherever it was saved from."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core.events.protocols import LoadedUnmapped
from devls.rules.rule import Confidence, Finding, Note, edits, fixes, rule
from devls.syntax import rewrite
from devls.syntax.layout import ancestors, assigned_to, unit_of
from devls.syntax.nodes import of_kind
from devls.text.edits import Applicability, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("load-without-map-location", on=LoadedUnmapped, level="warning")
def load_without_map_location(event: LoadedUnmapped) -> Iterator[Finding]:
    """Report at the call of `torch.load`."""
    target = "" if _sets_states_of_generators(event) else event.target
    argument = f"map_location={target}" if target else 'map_location="cpu"'
    edit = rewrite.add_argument(event.site.source, event.call, argument)
    # A module that is called as it was loaded has to be where its inputs are.
    if not target and (event.accelerated or (event.whole and _tells_its_device(event))):
        edit = None
    safe = not event.whole
    yield Finding(
        "`torch.load` puts tensors on the device they were saved from, and raises on a machine without it: say where with `map_location`",
        event.site,
        Confidence.LIKELY,
        fixes=fixes(
            Fix(f"Say where: `{argument}`", edits(edit), Applicability.SAFE if safe else Applicability.UNSAFE)
        ),
        level="info" if event.needs_cuda else "",
        notes=(Note(event.used, "it is put to use here"),),
        unit=unit_of(event.site.source, event.site.node),
    )


def _sets_states_of_generators(event: LoadedUnmapped) -> bool:
    """Whether the function that loads sets states of random generators, which have to be on the CPU."""
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    source = event.site.source
    around = next(
        (each for each in ancestors(source, event.site.node) if isinstance(each, functions)), source.tree
    )
    return any(each.attr in ("set_rng_state", "set_rng_state_all") for each in of_kind(around, ast.Attribute))


def _tells_its_device(event: LoadedUnmapped) -> bool:
    """Whether the device of a module that was saved whole is read: what it says of itself stays as it was saved."""
    source = event.site.source
    target = assigned_to(source, event.call)
    name = source.slice(target) if target is not None else ""
    return any(
        each.attr == "device" and source.slice(each.value) == name
        for each in of_kind(source.tree, ast.Attribute)
    )
