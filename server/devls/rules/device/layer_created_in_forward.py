"""layer-created-in-forward: a layer built in `forward` is never moved and never trained."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.interpreter.events import LayerBuiltInForward
from devls.rules.rule import Confidence, Finding, edits, fixes, rule
from devls.syntax import rewrite
from devls.syntax.layout import ancestors
from devls.syntax.nodes import walk
from devls.text.edits import Applicability, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("layer-created-in-forward", on=LayerBuiltInForward, level="warning")
def layer_created_in_forward(event: LayerBuiltInForward) -> Iterator[Finding]:
    """Report at the construction."""
    yield Finding(
        f"this `{event.layer}` is new in every forward: its weights are random each time, never trained, and on the CPU",
        event.site,
        Confidence.CERTAIN,
        fixes=_built_once(event),
    )


def _built_once(event: LayerBuiltInForward) -> tuple[Fix, ...]:
    """The layer as an attribute that `__init__` sets, where it is made of what is known there, too."""
    source, call = event.site.source, event.site.node
    cls = next((each for each in ancestors(source, call) if isinstance(each, ast.ClassDef)), None)
    init = next(
        (
            each
            for each in (cls.body if cls else ())
            if isinstance(each, ast.FunctionDef) and each.name == "__init__"
        ),
        None,
    )
    if cls is None or init is None or not isinstance(call, ast.Call):
        return ()
    if not source.slice(call.func).rpartition(".")[2][:1].isupper():
        return ()  # a helper builds it
    for each in (*call.args, *(keyword.value for keyword in call.keywords)):
        known = isinstance(each, ast.Constant) or (
            isinstance(each, ast.Attribute) and isinstance(each.value, ast.Name) and each.value.id == "self"
        )
        if not known:
            return ()
    taken = {each.attr for each in walk(cls) if isinstance(each, ast.Attribute)}
    name = event.layer.lower()
    while name in taken:
        name += "_"
    made = rewrite.insert_after(source, init.body[-1], f"self.{name} = {source.slice(call)}")
    used = rewrite.replace(source, call, f"self.{name}")
    return fixes(Fix("Build it once, in `__init__`", edits(made, used), Applicability.UNSAFE))
