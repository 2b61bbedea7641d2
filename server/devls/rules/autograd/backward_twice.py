"""backward-twice: a graph that was freed is walked again."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core.events.events import BackwardAgain
from devls.rules import repairs
from devls.rules.rule import Confidence, Finding, Note, edits, fixes, rule
from devls.syntax import rewrite
from devls.syntax.layout import ancestors, block_of
from devls.syntax.nodes import walk
from devls.text.edits import Applicability, Fix
from devls.values.history import Site

if TYPE_CHECKING:
    from collections.abc import Iterator

    from devls.syntax.source import Source
    from devls.text.edits import Edit


@rule("backward-twice", on=BackwardAgain, level="error")
def backward_twice(event: BackwardAgain) -> Iterator[Finding]:
    """Report at the second walk."""
    if event.carried and event.carried_name:
        return
    found: tuple[Fix, ...] = ()
    first = event.first_call
    if event.stale:
        # The gradients of the first walk have been used: no graph can give them again.
        found = _cut_here(event)
    elif isinstance(first, ast.Call) and first is not event.call:
        edit = rewrite.add_argument(event.freed_at.source, first, "retain_graph=True")
        kept = Fix("Keep the graph in the first call: `retain_graph=True`", edits(edit), Applicability.UNSAFE)
        found = repairs.elsewhere(fixes(kept), event.freed_at.source)
    elif first is event.call and event.before_loop and isinstance(first, ast.Call) and not _steps(event):
        edit = rewrite.add_argument(event.site.source, first, "retain_graph=True")
        found = fixes(Fix("Keep the graph: `retain_graph=True`", edits(edit), Applicability.UNSAFE))
    found = found or _begun_anew(event) or _cut_before(event) or _cut_where_kept(event)
    entered = _entered(event)
    if entered is not None and event.unwanted:
        found = (*_detached(event.site.source, entered), *found)
    operation = event.freed.operation.rpartition(".")[2].strip("_")
    yield Finding(
        f"`{event.root_text}` is computed from a graph that an earlier backward has freed: torch raises"
        ' "Trying to backward through the graph a second time"',
        event.site,
        Confidence.LIKELY if event.freed.open else Confidence.CERTAIN,
        fixes=found,
        notes=(
            Note(event.freed_at, "the graph was freed here"),
            *_on_the_way(event, entered),
            Note(
                event.freed.site, f"`{operation}` saved tensors for backward here, and both walks need them"
            ),
        ),
    )


def _on_the_way(event: BackwardAgain, entered: ast.Name | None) -> list[Note]:
    """Origin of the part that both walks share, and the place of the first one."""
    found = []
    if entered is not None:
        told = f"the first graph goes through `{event.shared_name}` here"
        found.append(Note(Site(event.site.source, entered), told))
    if event.outer_made is not None:
        found.append(Note(event.outer_made, f"`{event.outer_name}` was computed before the loop"))
    return found


def _entered(event: BackwardAgain) -> ast.Name | None:
    """The one call before the first backward that is given what both walks share, in the block of the second."""
    source, block = event.site.source, None
    if event.shared_name and event.statement is not None and event.freed_at.source is source:
        block = block_of(source, event.statement)
    first = repairs.statement_of(source, event.freed_at.node) if block is not None else None
    if block is None or first not in block:
        return None
    given = [
        each
        for statement in block[: block.index(first)]
        if source.mentions(statement, event.shared_name)
        for call in walk(statement)
        if isinstance(call, ast.Call)
        for each in call.args
        if isinstance(each, ast.Name) and each.id == event.shared_name
    ]
    return given[0] if len(given) == 1 else None


def _cut_here(event: BackwardAgain) -> tuple[Fix, ...]:
    """`D(fake.detach())`, of the one call before this backward that is given what the first one walked."""
    source, name = event.site.source, event.shared_name
    at = repairs.statement_of(source, event.site.node) if name else None
    block = block_of(source, at) if at is not None else None
    if block is None or at is None:
        return ()
    given = [
        each
        for statement in block[: block.index(at)]
        for call in walk(statement)
        if isinstance(call, ast.Call)
        for each in call.args
        if isinstance(each, ast.Name) and each.id == name
    ]
    return _detached(source, given[0]) if len(given) == 1 else ()


def _detached(source: Source, given: ast.Name) -> tuple[Fix, ...]:
    """`D(fake.detach())`, where nobody uses the gradients that the first walk leaves behind `fake`."""
    edit = rewrite.append(source, given, ".detach()")
    title = f"Keep the first graph out of it: `{given.id}.detach()`"
    return fixes(Fix(title, edits(edit), Applicability.UNSAFE))


def _cut_before(event: BackwardAgain) -> tuple[Fix, ...]:
    """`x = x.detach()` before the loop whose iterations all walk into the graph of `x`."""
    source, name = event.site.source, event.outer_name
    if not name or not isinstance(event.loop, (ast.For, ast.While, ast.AsyncFor)):
        return ()
    cut = f"{name} = {name}.detach()"
    edit = rewrite.insert_before(source, event.loop, cut)
    return fixes(Fix(f"Cut it before the loop: `{cut}`", edits(edit), Applicability.UNSAFE))


def _begun_anew(event: BackwardAgain) -> tuple[Fix, ...]:
    """`total = 0` in the loop around a backward of it, which it stands before: the rounds add to what was walked already."""
    source, loop, name = event.site.source, event.loop, event.root_text
    if not isinstance(loop, (ast.For, ast.While, ast.AsyncFor)) or not name.isidentifier():
        return ()
    block = block_of(source, loop)
    above = block[: block.index(loop)] if block is not None and loop in block else []
    begun = next((each for each in reversed(above) if name in repairs.bound_by(each)), None)
    if not isinstance(begun, ast.Assign) or len(begun.targets) != 1:
        return ()
    if not isinstance(begun.value, ast.Constant) or source.slice(begun.targets[0]) != name:
        return ()
    if not _is_added_to(loop, name) or any(
        name in repairs.read_by(each) for each in above[above.index(begun) + 1 :]
    ):
        return ()
    text = source.slice(begun)
    put = rewrite.insert_before(source, loop.body[0], text)
    moved = edits(rewrite.delete_statement(source, begun), put)
    return fixes(Fix(f"Begin anew in each round: `{text}`", moved, Applicability.UNSAFE))


def _is_added_to(loop: ast.stmt, name: str) -> bool:
    """Whether a loop only ever adds to a variable, and never sets it."""
    bound = [
        each
        for each in walk(loop)
        if isinstance(each, ast.Name) and each.id == name and isinstance(each.ctx, ast.Store)
    ]
    added = [
        each.target for each in walk(loop) if isinstance(each, ast.AugAssign) and isinstance(each.op, ast.Add)
    ]
    return bool(bound) and all(each in added for each in bound)


def _cut_where_kept(event: BackwardAgain) -> tuple[Fix, ...]:
    """`self.state = hn` as `self.state = hn.detach()`, of what the walked operation returned and its next call is given.

    Only where one call of it leads to one backward: the steps that lie between two of them belong to one graph.
    """
    led, walked = repairs.where_they_part(event.freed.site, event.site)
    at = repairs.statement_of(walked.source, walked.node)
    block = block_of(walked.source, at) if at is not None else None
    if led.source is not walked.source or led is event.freed.site or block is None:
        return ()
    if repairs.statement_of(led.source, led.node) not in block:
        return ()
    source, node = event.freed.site.source, event.freed.site.node
    made = repairs.statement_of(source, node)
    function = next((each for each in ancestors(source, node) if isinstance(each, ast.FunctionDef)), None)
    if not isinstance(made, ast.Assign) or made.value is not node or function is None:
        return ()
    form = (
        "tuple(each.detach() for each in {0})" if "lstm" in event.freed.operation.lower() else "{0}.detach()"
    )
    given = {source.slice(each) for each in walk(node) if isinstance(each, ast.Attribute)}
    returned = [each for target in made.targets for each in walk(target)]
    names = {each.id for each in returned if isinstance(each, ast.Name)}
    for each in walk(function):
        if isinstance(each, ast.Assign) and isinstance(each.value, ast.Name) and each.value.id in names:
            kept = [source.slice(target) for target in each.targets]
            if len(kept) == 1 and kept[0] in given:
                cut = form.format(each.value.id)
                return _cut(source, f"{kept[0]} = {cut}", rewrite.replace(source, each.value, cut))
    for target in returned:
        kept_as = source.slice(target)
        if (
            isinstance(target, ast.Attribute)
            and kept_as in given
            and not _read_below(source, function, made, kept_as)
        ):
            cut = f"{kept_as} = {form.format(kept_as)}"
            return _cut(source, cut, rewrite.insert_after(source, made, cut))
    return ()


def _cut(source: Source, text: str, edit: Edit | None) -> tuple[Fix, ...]:
    found = fixes(Fix(f"Cut it where it is kept: `{text}`", edits(edit), Applicability.UNSAFE))
    return repairs.elsewhere(found, source)


def _read_below(source: Source, function: ast.AST, made: ast.stmt, text: str) -> bool:
    """Whether what is kept is computed with behind the statement that sets it: that has to have its graph."""
    end = source.range(made).end
    return any(
        isinstance(each, ast.Attribute) and source.range(each).start > end and source.slice(each) == text
        for each in walk(function)
    )


def _steps(event: BackwardAgain) -> bool:
    """Whether the loop around changes the weights between one walk and the next, so that keeping the graph is no help."""
    return event.loop is None or any(
        isinstance(each, ast.Attribute) and each.attr == "step" for each in walk(event.loop)
    )
