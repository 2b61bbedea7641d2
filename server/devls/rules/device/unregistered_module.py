"""unregistered-module: layers in a plain container are not part of the module."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.interpreter.events import ModulesUnregistered
from devls.rules.rule import Confidence, Finding, edits, fixes, rule
from devls.syntax import rewrite
from devls.text.edits import Applicability, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator

_CONTAINERS = {
    ("list", "modules"): "ModuleList",
    ("tuple", "modules"): "ModuleList",
    ("dict", "modules"): "ModuleDict",
    ("list", "parameters"): "ParameterList",
    ("tuple", "parameters"): "ParameterList",
    ("dict", "parameters"): "ParameterDict",
}


@rule("unregistered-module", on=ModulesUnregistered, level="error")
def unregistered_module(event: ModulesUnregistered) -> Iterator[Finding]:
    """Report at the assignment of the container."""
    wanted = _CONTAINERS.get((event.container, event.what))
    found: tuple[Fix, ...] = ()
    if wanted is not None and isinstance(event.value, ast.expr):
        edit = rewrite.wrap(event.site.source, event.value, f"nn.{wanted}(", ")")
        found = fixes(Fix(f"Use `nn.{wanted}`", edits(edit), Applicability.UNSAFE))
    yield Finding(
        f"`self.{event.attribute}` is a plain {event.container}: the {event.what} in it are not registered, so `.to` does not move"
        " them, `parameters()` does not list them and `state_dict` does not save them",
        event.site,
        Confidence.CERTAIN,
        fixes=found,
    )
