"""unregistered-module: layers in a plain container are not part of the module."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.interpreter.events import ModulesUnregistered
from devls.rules.rule import Confidence, Finding, edits, fixes, rule
from devls.syntax import rewrite
from devls.syntax.nodes import walk
from devls.text.edits import Applicability, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator

    from devls.text.edits import Edit

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
        source, value = event.site.source, event.value
        edit = (
            rewrite.wrap(source, value, f"nn.{wanted}(", ")")
            if event.named
            else _with_texts(event, f"nn.{wanted}")
        )
        found = fixes(Fix(f"Use `nn.{wanted}`", edits(edit), Applicability.UNSAFE))
    yield Finding(
        f"`self.{event.attribute}` is a plain {event.container}: the {event.what} in it are not registered, so `.to` does not move"
        " them, `parameters()` does not list them and `state_dict` does not save them",
        event.site,
        Confidence.CERTAIN,
        fixes=found,
    )


def _with_texts(event: ModulesUnregistered, container: str) -> Edit | None:
    """Torch takes strings as keys only: they are made of others, unless somebody asks the dict for one of those."""
    source, value = event.site.source, event.value
    asked = any(
        isinstance(each, (ast.Subscript, ast.Attribute))
        and isinstance(each.value, ast.Attribute)
        and each.value.attr == event.attribute
        and (isinstance(each, ast.Subscript) or each.attr not in ("values", "parameters"))
        for each in walk(source.tree)
    )
    if asked or not isinstance(value, ast.DictComp):
        return None
    key = source.slice(value.key)
    return rewrite.replace(
        source, value, f"{container}({source.slice(value).replace(key, f'str({key})', 1)})"
    )
