"""unregistered-module: layers in a plain container are not part of the module."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core.events.events import ModulesUnregistered
from devls.rules.rule import Confidence, Finding, Note, edits, fixes, rule
from devls.syntax import rewrite
from devls.syntax.layout import ancestors
from devls.syntax.nodes import nodes_of, of_tree, walk
from devls.text.edits import Applicability, Edit, Fix, Range, apply_edits
from devls.values.history import Site

if TYPE_CHECKING:
    from collections.abc import Iterator

    from devls.syntax.source import Source

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
        changes: tuple[Edit | None, ...]
        if event.nested:
            changes = _of_tuples(event, value, f"nn.{wanted}")
        elif event.named and not _counted(source, value):
            changes = (rewrite.wrap(source, value, f"nn.{wanted}(", ")"),)
        else:
            changes = (_with_texts(event, f"nn.{wanted}"),)
        found = fixes(Fix(f"Use `nn.{wanted}`", edits(*changes), Applicability.UNSAFE))
    yield Finding(
        f"`self.{event.attribute}` is a plain {event.container}: the {event.what} in it are not registered, so `.to` does not move"
        " them, `parameters()` does not list them and `state_dict` does not save them",
        event.site,
        Confidence.LIKELY if event.unseen else Confidence.CERTAIN,
        fixes=found,
        notes=(
            *_filled(event),
            *((Note(event.made, "it is made here"),) if event.made is not None else ()),
            *(
                (Note(event.missed, "so that the optimizer gets none here"),)
                if event.missed is not None
                else ()
            ),
        ),
    )


def _filled(event: ModulesUnregistered) -> tuple[Note, ...]:
    """Place at which the class fills a container that it has made empty."""
    source = event.site.source
    above = ancestors(source, event.site.node)
    cls = next((each for each in above if isinstance(each, ast.ClassDef)), None)
    first = _puts(cls).get(event.attribute) if cls is not None else None
    if first is None or first.lineno <= getattr(event.site.node, "lineno", 0):
        return ()
    return (Note(Site(source, first), f"the {event.what} are put in here"),)


@of_tree(maxsize=64)
def _puts(cls: ast.ClassDef) -> dict[str, ast.Call]:
    """The first statement of a class that gives something to a method of each attribute: `self.layers.append(...)`."""
    found: dict[str, ast.Call] = {}
    for each in nodes_of(cls):
        call = each.value if isinstance(each, ast.Expr) else None
        if (
            isinstance(call, ast.Call)
            and call.args
            and isinstance(call.func, ast.Attribute)
            and isinstance(call.func.value, ast.Attribute)
        ):
            attribute = call.func.value.attr
            if attribute not in found or call.lineno < found[attribute].lineno:
                found[attribute] = call
    return found


def _of_tuples(event: ModulesUnregistered, value: ast.expr, container: str) -> tuple[Edit | None, ...]:
    """No container of modules takes tuples: each of them becomes one, too, if all of them are written where they are put."""
    source = event.site.source
    inside = [value.elt] if isinstance(value, ast.ListComp) else list(getattr(value, "elts", ()))
    put = [
        argument
        for each in walk(source.tree)
        if isinstance(each, ast.Call)
        and isinstance(each.func, ast.Attribute)
        and isinstance(each.func.value, ast.Attribute)
        and each.func.value.attr == event.attribute
        for argument in each.args
    ]
    tuples = [*inside, *put]
    if event.container == "dict" or not tuples or not all(isinstance(each, ast.Tuple) for each in tuples):
        return (None,)
    wrapped = edits(*(rewrite.wrap(source, each, f"{container}(", ")") for each in inside))
    if len(wrapped) != len(inside):
        return (None,)
    whole = source.range(value)
    start = whole.start
    moved = [Edit(Range(each.range.start - start, each.range.end - start), each.text) for each in wrapped]
    text = apply_edits(source.slice(value), moved)
    return (
        rewrite.replace(source, value, f"{container}({text})"),
        *(rewrite.wrap(source, each, f"{container}(", ")") for each in put),
    )


def _counted(source: Source, value: ast.expr) -> bool:
    """Whether the keys of a dictionary are numbers by what they run over: `range(3)`, or a parameter that is `(1, 2)`."""
    if not isinstance(value, ast.DictComp) or not isinstance(value.key, ast.Name):
        return False
    key = value.key.id
    over = next((each.iter for each in value.generators if getattr(each.target, "id", "") == key), None)
    if isinstance(over, ast.Name):
        function = next(
            (each for each in ancestors(source, value) if isinstance(each, ast.FunctionDef)), None
        )
        over = _default(function, over.id) if function is not None else None
    if isinstance(over, ast.Call):
        return isinstance(over.func, ast.Name) and over.func.id == "range"
    numbers = over.elts if isinstance(over, (ast.Tuple, ast.List, ast.Set)) else []
    return bool(numbers) and all(
        isinstance(each, ast.Constant) and isinstance(each.value, int) for each in numbers
    )


def _default(function: ast.FunctionDef, name: str) -> ast.expr | None:
    """Default of a parameter."""
    given = [*function.args.posonlyargs, *function.args.args]
    known = dict(zip((each.arg for each in reversed(given)), reversed(function.args.defaults), strict=False))
    named = {
        each.arg: default
        for each, default in zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True)
        if default is not None
    }
    return {**known, **named}.get(name)


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
