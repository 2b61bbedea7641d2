"""graph-cut-hidden: a result without a graph is made to require grad."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core.events.events import GraphCutHidden
from devls.rules import repairs
from devls.rules.mending import mended
from devls.rules.rule import Confidence, Finding, Note, edits, fixes, rule
from devls.syntax import rewrite
from devls.syntax.nodes import of_kind
from devls.text.edits import Applicability, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("graph-cut-hidden", on=GraphCutHidden, level="warning")
def graph_cut_hidden(event: GraphCutHidden) -> Iterator[Finding]:
    """Report where the cut is hidden."""
    yield Finding(
        f"`{event.how}` lets backward run, but nothing that leads to `{event.text}` gets a gradient: the graph was cut before",
        event.site,
        Confidence.CERTAIN,
        fixes=_unwrap(event) or _mended(event),
        notes=(Note(event.cut.site, event.cut.what),) if event.cut is not None else (),
    )


def _unwrap(event: GraphCutHidden) -> tuple[Fix, ...]:
    """`nn.Parameter(w)` of what was computed becomes `w`."""
    call, source = event.site.node, event.site.source
    if (
        not event.how.startswith("Parameter")
        or not isinstance(call, ast.Call)
        or len(call.args) != 1
        or call.keywords
        or _replaces_parameter(event, call)
    ):
        return ()
    text = source.slice(call.args[0])
    edit = repairs.as_itself(source, call, text)
    return fixes(Fix(f"Use `{text}` itself", edits(edit), Applicability.UNSAFE))


def _replaces_parameter(event: GraphCutHidden, call: ast.Call) -> bool:
    """Whether a part of a part is set, or what is made a Parameter elsewhere too: torch refuses a plain tensor in its place."""
    statement = event.statement
    targets = statement.targets if isinstance(statement, ast.Assign) and statement.value is call else ()
    names = {each.attr for each in targets if isinstance(each, ast.Attribute)}
    if any(isinstance(each, ast.Attribute) and not isinstance(each.value, ast.Name) for each in targets):
        return True
    return bool(names) and any(
        each is not statement
        and isinstance(each.value, ast.Call)
        and event.site.source.slice(each.value.func).endswith("Parameter")
        and any(isinstance(one, ast.Attribute) and one.attr in names for one in each.targets)
        for each in of_kind(event.site.source.tree, ast.Assign)
    )


def _mended(event: GraphCutHidden) -> tuple[Fix, ...]:
    """Mend the cut, and hide nothing any more."""
    cut, source, node = event.cut, event.site.source, event.site.node
    if cut is None or cut.site.source is not source:
        return ()
    if cut.site.node is node:
        return mended(cut, source)
    stacked = _stacked(event)
    if stacked:
        return stacked
    statement = event.statement
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "requires_grad_"
    ):
        hidden = rewrite.replace(source, node, source.slice(node.func.value))
        if isinstance(statement, ast.Expr) and statement.value is node:
            hidden = rewrite.delete_statement(source, statement)
        return mended(cut, source, hidden)
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Attribute):
        return mended(cut, source, rewrite.delete_statement(source, statement))
    inner = _number_inside(node, cut.site.node)
    if inner is None:
        return ()
    text = source.slice(inner)
    edit = repairs.as_itself(source, node, text) if isinstance(node, ast.expr) else None
    return fixes(Fix(f"Use `{' '.join(text.split())}` itself", edits(edit), Applicability.UNSAFE))


def _number_inside(node: ast.AST, read: ast.AST) -> ast.expr | None:
    """Of `torch.tensor(x.item(), requires_grad=True)` the `x`."""
    if not isinstance(node, ast.Call) or not node.args or node.args[0] is not read:
        return None
    if isinstance(read, ast.Call) and isinstance(read.func, ast.Attribute) and not read.args:
        return read.func.value
    return None


def _stacked(event: GraphCutHidden) -> tuple[Fix, ...]:
    """`torch.tensor([x.item() for x in xs], requires_grad=True)` becomes `torch.stack([x for x in xs])`."""
    call, source = event.site.node, event.site.source
    if (
        not isinstance(call, ast.Call)
        or len(call.args) != 1
        or {each.arg for each in call.keywords}
        - {"requires_grad", "device"}  # they are where they were computed
    ):
        return ()
    module, _, name = source.slice(call.func).rpartition(".")
    given = call.args[0]
    if name != "tensor" or module != "torch":
        return ()
    if isinstance(given, (ast.ListComp, ast.GeneratorExp)):
        inner = [given.elt]
    elif isinstance(given, (ast.List, ast.Tuple)):
        inner = given.elts
    else:
        return ()
    kept = [_number_inside_of(each) for each in inner]
    if not kept or any(each is None for each in kept):
        return ()
    text, start = source.slice(given), source.range(given).start
    for each, whole in reversed(list(zip(kept, inner, strict=True))):
        place = source.range(whole)
        text = f"{text[: place.start - start]}{source.slice(each or whole)}{text[place.end - start :]}"
    edit = rewrite.replace(source, call, f"torch.stack({text})")
    return fixes(Fix("Stack the tensors", edits(edit), Applicability.UNSAFE))


def _number_inside_of(read: ast.expr) -> ast.expr | None:
    """Of `x.item()` and `float(x)` the `x`."""
    if not isinstance(read, ast.Call) or read.keywords:
        return None
    if isinstance(read.func, ast.Attribute) and read.func.attr in ("item", "detach") and not read.args:
        return read.func.value
    return (
        read.args[0]
        if isinstance(read.func, ast.Name) and read.func.id == "float" and len(read.args) == 1
        else None
    )
