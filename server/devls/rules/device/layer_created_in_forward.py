"""layer-created-in-forward: a layer built in `forward` is never moved and never trained."""

from __future__ import annotations

import ast
import textwrap
from typing import TYPE_CHECKING, Final

from devls.engine.core.events.events import LayerBuiltInForward
from devls.rules.rule import Confidence, Finding, edits, fixes, rule
from devls.syntax import rewrite
from devls.syntax.layout import ancestors, parents
from devls.syntax.nodes import walk
from devls.text.edits import Applicability, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator

    from devls.syntax.source import Source


@rule("layer-created-in-forward", on=LayerBuiltInForward, level="warning")
def layer_created_in_forward(event: LayerBuiltInForward) -> Iterator[Finding]:
    """Report at the construction."""
    where = "" if not event.on_host or _is_given_unseen(event) else ", and on the CPU"
    trained = "never trained" if where else "and never trained"
    same = event.layer.startswith(STARTS_ALIKE)
    weights = "are those of the start" if same else "are random"
    yield Finding(
        f"this `{event.layer}` is new in every forward: its weights {weights} each time, {trained}{where}",
        event.site,
        Confidence.CERTAIN,
        fixes=_built_once(event),
        # Without running statistics it then computes what its function would: `F.layer_norm`.
        level="info" if same and not where else "",
    )


STARTS_ALIKE: Final = (
    "BatchNorm",
    "GroupNorm",
    "InstanceNorm",
    "LayerNorm",
    "PReLU",
    "RMSNorm",
    "SyncBatchNorm",
)
"""Beginnings of the names of layers whose weights are not random at the start: `tests/against_torch` makes them twice."""


def _is_given_unseen(event: LayerBuiltInForward) -> bool:
    """Whether it is built with `**options`, of which one may be the device."""
    site = event.made or event.site
    return isinstance(site.node, ast.Call) and any(each.arg is None for each in site.node.keywords)


def _built_once(event: LayerBuiltInForward) -> tuple[Fix, ...]:
    """The layer as an attribute that `__init__` sets, where it is made of what is known there, too.

    How large its input is need not be known: the lazy kin of a layer finds that out in its first call.
    """
    source, whole = event.site.source, event.site.node
    if event.made is not None and event.made.source is source:
        whole = event.made.node
    while (above := parents(source).get(parents(source).get(whole) or whole)) is not None and _made(
        above
    ) is whole:
        whole = above
    call = _made(whole)
    around = ancestors(source, whole)
    cls = next((each for each in around if isinstance(each, ast.ClassDef)), None)
    init = next(
        (
            each
            for each in (cls.body if cls else ())
            if isinstance(each, ast.FunctionDef) and each.name == "__init__"
        ),
        None,
    )
    if cls is None or init is None or call is None or not isinstance(whole, ast.Call):
        return ()
    text = source.slice(call)
    module, _, kind = source.slice(call.func).rpartition(".")
    if not kind[:1].isupper():
        return ()  # a helper builds it
    unknown = [
        each for each in (*call.args, *(keyword.value for keyword in call.keywords)) if not _is_known(each)
    ]
    if unknown:
        function = next((each for each in around if isinstance(each, ast.FunctionDef)), None)
        once = function is not None and function.name == "forward" and not any(map(_repeats, around))
        if not once or kind not in _LAZY or unknown != call.args[:1] or not module:
            return ()
        given = [source.slice(each) for each in (*call.args[1:], *call.keywords)]
        text = f"{module}.Lazy{kind}({', '.join(given)})"
    taken = {each.attr for each in walk(cls) if isinstance(each, ast.Attribute)}
    name = event.layer.lower()
    while name in taken:
        name += "_"
    code = f"self.{name} = {text}"
    for test in _tests(source, whole):
        code = f"if {test}:\n{textwrap.indent(code, '    ')}"
    made = rewrite.insert_after(source, init.body[-1], code)
    used = rewrite.replace(source, whole, f"self.{name}")
    return fixes(Fix("Build it once, in `__init__`", edits(made, used), Applicability.UNSAFE))


def _tests(source: Source, node: ast.AST) -> Iterator[str]:
    """The tests that lead to a place of `forward`, the innermost first, as far as they mean the same in `__init__`.

    A layer that is used under them only would be one without gradients elsewhere.
    """
    inner = node
    for each in ancestors(source, node):
        if isinstance(each, ast.FunctionDef):
            return
        if isinstance(each, ast.If) and inner in each.body:
            names = {one.id for one in walk(each.test) if isinstance(one, ast.Name)}
            calls = any(isinstance(one, (ast.Call, ast.Await)) for one in walk(each.test))
            if names == {"self"} and not calls and _is_set_once(source, each):
                yield source.slice(each.test)
        inner = each


def _is_set_once(source: Source, found: ast.If) -> bool:
    """Whether nothing but `__init__` sets the attributes that a test reads, and `training` is none of them."""
    read = {one.attr for one in walk(found.test) if isinstance(one, ast.Attribute)}
    cls = next((each for each in ancestors(source, found) if isinstance(each, ast.ClassDef)), None)
    if cls is None or "training" in read:
        return False
    return not any(
        isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Store) and one.attr in read
        for method in cls.body
        if not (isinstance(method, ast.FunctionDef) and method.name == "__init__")
        for one in walk(method)
    )


_LAZY: Final = frozenset(
    {
        "Linear", "Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d",
        "BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d",
    }
)  # fmt: skip
"""Layers whose first argument is the size of what they are given, and that have lazy kin."""


def _made(node: ast.AST) -> ast.Call | None:
    """The call that makes the layer, without the moves behind it."""
    while isinstance(node, ast.Call):
        function = node.func
        if not (isinstance(function, ast.Attribute) and isinstance(function.value, ast.Call)):
            return node
        if function.attr not in ("to", "cuda", "double", "float", "half", "type"):
            return None
        node = function.value
    return None


def _is_known(given: ast.expr) -> bool:
    """Whether an argument means the same in `__init__`."""
    return isinstance(given, ast.Constant) or (
        isinstance(given, ast.Attribute) and isinstance(given.value, ast.Name) and given.value.id == "self"
    )


def _repeats(node: ast.AST) -> bool:
    return isinstance(node, (ast.For, ast.While, ast.ListComp, ast.GeneratorExp, ast.Lambda))
