"""unregistered-tensor: a plain tensor attribute does not follow `.to`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core.events.events import Cause, DevicesMixed
from devls.rules import repairs
from devls.rules.device import wording
from devls.rules.rule import Finding, Note, edits, fixes, rule
from devls.syntax import rewrite
from devls.syntax.layout import ancestors, parents
from devls.syntax.nodes import of_kind
from devls.text.edits import Applicability, Edit, Fix, Range, apply_edits
from devls.values.devices import CPU
from devls.values.history import Site

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("unregistered-tensor", on=DevicesMixed, level="warning")
def unregistered_tensor(event: DevicesMixed) -> Iterator[Finding]:
    """Report at the assignment of the attribute."""
    if event.cause is not Cause.ATTRIBUTE or event.attribute_site is None or event.comparison.right == CPU:
        return
    site, anchor, read = event.attribute_site, event.anchor, event.attribute_read
    yield Finding(
        f"`self.{event.attribute}` is a plain tensor: it stays on the CPU when the module is moved, and {wording.named(anchor.text)} is"
        f" {wording.place(anchor, event.comparison.right)}: {wording.consequence(event)}",
        site,
        wording.confidence(event),
        fixes=_register(event) or wording.move_stray(event),
        notes=(
            *((Note(read, f"`self.{event.attribute}` is read here"),) if read is not None else ()),
            Note(event.site, f"combined with {wording.named(anchor.text)} here"),
            *wording.notes(anchor),
        ),
    )


def _in_constructor(site: Site) -> bool:
    function = next(
        (each for each in ancestors(site.source, site.node) if isinstance(each, ast.FunctionDef)), None
    )
    return function is None or function.name == "__init__"


def _unwrapped(value: ast.expr) -> ast.expr:
    """`x` of the `Variable(x)` of old programs, which are the same today."""
    function = (
        value.func if isinstance(value, ast.Call) and len(value.args) == 1 and not value.keywords else None
    )
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    return value.args[0] if isinstance(value, ast.Call) and name == "Variable" else value


def _register(event: DevicesMixed) -> tuple[Fix, ...]:
    site = event.attribute_site
    if site is None or not isinstance(site.node, ast.Attribute):
        return ()
    if not _in_constructor(site):
        return ()  # a buffer of that name may be there already
    statement = parents(site.source).get(site.node)
    if statement is not None and isinstance(statement, ast.Assign) and statement.targets == [site.node]:
        owner = site.source.slice(site.node.value)
        value = site.source.slice(_unwrapped(statement.value))
        if event.stray.tensor.requires_grad is True:
            return _as_parameter(event, site, statement)
        if _is_trained_later(site, event.attribute):
            return ()  # moved, a buffer that requires a gradient is no leaf
        code = f'{owner}.register_buffer("{event.attribute}", {value}, persistent=False)'
        edit = rewrite.replace(site.source, statement, code)
        return fixes(Fix(f"Register `{event.attribute}` as a buffer", edits(edit), Applicability.SAFE))
    return ()


def _is_trained_later(site: Site, attribute: str) -> bool:
    """Whether an attribute is told to require a gradient where the file speaks of it: `self.scale.requires_grad = True`."""
    return any(
        each.attr in ("requires_grad", "requires_grad_")
        and isinstance(each.value, ast.Attribute)
        and each.value.attr == attribute
        for each in of_kind(site.source.tree, ast.Attribute)
    )


def _as_parameter(event: DevicesMixed, site: Site, statement: ast.Assign) -> tuple[Fix, ...]:
    """`self.scale = nn.Parameter(torch.ones(3))` of what a call makes to be trained: a buffer of it would be none of its parameters."""
    source, value = site.source, statement.value
    if event.stray.tensor.leaf is not True or not isinstance(value, ast.Call):
        return ()
    text, bare = source.slice(value), repairs.without_argument(Site(source, value), "requires_grad")
    if bare is not None:
        start = source.range(value).start
        text = apply_edits(text, [Edit(Range(bare.range.start - start, bare.range.end - start), bare.text)])
    edit = rewrite.replace(source, value, f"nn.Parameter({text})")
    return fixes(Fix(f"Make `{event.attribute}` a parameter", edits(edit), Applicability.UNSAFE))
