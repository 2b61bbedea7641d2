"""deepcopy-of-graph: torch copies only leaves deeply."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core.events.events import GraphCopied
from devls.rules import repairs
from devls.rules.rule import Confidence, Finding, Note, edits, fixes, rule
from devls.syntax import rewrite
from devls.syntax.layout import ancestors
from devls.syntax.nodes import walk
from devls.text.edits import Applicability, Fix
from devls.values.history import Site

if TYPE_CHECKING:
    from collections.abc import Iterator

    from devls.syntax.source import Source


@rule("deepcopy-of-graph", on=GraphCopied, level="error")
def deepcopy_of_graph(event: GraphCopied) -> Iterator[Finding]:
    """Report at the copy."""
    found: tuple[Fix, ...] = ()
    if event.sent and event.argument is not None:
        edit = rewrite.append(event.site.source, event.argument, ".detach()")
        yield Finding(
            f"`{event.text}` is the result of an operation, with its graph: torch raises, as no other process can use that graph",
            event.site,
            Confidence.CERTAIN,
            fixes=fixes(Fix(f"Send `{event.text}.detach()`", edits(edit), Applicability.UNSAFE)),
            notes=(Note(event.made, "it was computed here"),) if event.made is not None else (),
        )
        return
    if event.argument is not None:
        edit = rewrite.append(event.site.source, event.argument, ".detach()")
        found = fixes(Fix(f"Copy `{event.text}.detach()`", edits(edit), Applicability.UNSAFE))
        what = f"`{event.text}` is the result of an operation"
    elif event.attribute:
        if (
            event.kept is not None
            and event.kept_value is not None
            and not _used_there(event.kept.source, event.kept_value, event.attribute)
        ):
            source = event.kept.source
            edit = rewrite.append(source, event.kept_value, ".detach()")
            found = fixes(
                Fix(f"Keep `{event.attribute}` without its graph", edits(edit), Applicability.UNSAFE)
            )
            if source is not event.site.source:
                found = repairs.elsewhere(found, source)
        what = f"`{event.text}` holds the result of an operation, as its attribute `{event.attribute}`"
    else:
        found = _without_graphs(event)
        what = f"`{event.text}` holds the result of an operation"
    yield Finding(
        f'{what}, with its graph: torch raises "Only Tensors created explicitly by the user (graph leaves) support the'
        ' deepcopy protocol"',
        event.site,
        Confidence.CERTAIN,
        fixes=found,
        notes=(*_put(event), Note(event.made, "it was computed here"), *_kept(event))
        if event.made is not None
        else (),
    )


def _kept(event: GraphCopied) -> tuple[Note, ...]:
    """Assignment of the attribute that holds it, if that is another statement than the one that computes it."""
    kept, made = event.kept, event.made
    if not event.attribute or kept is None or made is None or kept.key[:2] == made.key[:2]:
        return ()
    return (Note(kept, f"it is kept as `{event.attribute}` here"),)


def _put(event: GraphCopied) -> tuple[Note, ...]:
    """`log["pred"] = pred`, of what one statement has computed and another one of its function puts into what is copied."""
    made = event.made
    if made is None or not event.held_in or made.source is not event.site.source:
        return ()
    source = made.source
    statement = repairs.statement_of(source, made.node)
    names = {source.slice(each) for each in statement.targets} if isinstance(statement, ast.Assign) else set()
    around = [each for each in ancestors(source, made.node) if isinstance(each, ast.FunctionDef)]
    found = [
        target
        for each in walk(around[0] if around else source.tree)
        if isinstance(each, ast.Assign) and source.slice(each.value) in names
        for target in each.targets
        if isinstance(target, ast.Subscript) and source.slice(target.value) == event.text
    ]
    return tuple(Note(Site(source, each), f"it is put into `{event.text}` here") for each in found[:1])


def _used_there(source: Source, kept: ast.expr, attribute: str) -> bool:
    """Whether the function that sets an attribute also goes on with it, and its graph."""
    function = next((each for each in ancestors(source, kept) if isinstance(each, ast.FunctionDef)), None)
    return function is not None and any(
        isinstance(each, ast.Attribute) and each.attr == attribute and isinstance(each.ctx, ast.Load)
        for each in walk(function)
    )


def _without_graphs(event: GraphCopied) -> tuple[Fix, ...]:
    """`deepcopy(d)` becomes `deepcopy({k: v.detach() ... for k, v in d.items()})`."""
    call, source = event.site.node, event.site.source
    if (
        not isinstance(call, ast.Call)
        or not call.args
        or not isinstance(call.args[0], (ast.Name, ast.Attribute))
    ):
        return ()
    given, cut = source.slice(call.args[0]), "each.detach() if torch.is_tensor(each) else each"
    if event.held_in == "dict":
        text = f"{{key: {cut} for key, each in {given}.items()}}"
    elif event.held_in == "list":
        text = f"[{cut} for each in {given}]"
    else:
        return ()
    edit = rewrite.replace(source, call.args[0], text)
    return fixes(Fix("Copy its tensors without their graphs", edits(edit), Applicability.UNSAFE))
