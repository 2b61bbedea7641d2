"""hidden-state-carried: backward walks into the graph of the previous iteration."""

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

_CUTS = {
    "": "{0}.detach()",
    "tuple": "tuple(each.detach() for each in {0})",
    "tensor or tuple": "tuple(each.detach() for each in {0}) if isinstance({0}, tuple) else {0}.detach()",
    "list": "[each.detach() for each in {0}]",
    "dict": "{{key: each.detach() for key, each in {0}.items()}}",
}


@rule("hidden-state-carried", on=BackwardAgain, level="error")
def hidden_state_carried(event: BackwardAgain) -> Iterator[Finding]:
    """Report at the backward that walks too far."""
    if not event.carried or not event.carried_name:
        return
    name, found = event.carried_name, tuple[Fix, ...]()
    cut = f"{name} = {_CUTS[event.carried_in].format(name)}"
    if event.kept is not None:
        found = _cut_where_kept(event.kept, event.kept_value)
    elif isinstance(event.loop, (ast.For, ast.While, ast.AsyncFor)) and name.replace(".", "").isidentifier():
        # The walked value is there, behind the walk; at the top of the first iteration there may be nothing yet.
        anchor = _set_below(event.site.source, event.statement, name)
        anchor = anchor if anchor is not event.loop else None
        edit = (
            rewrite.insert_after(event.site.source, anchor, cut)
            if anchor is not None
            else rewrite.insert_before(event.site.source, event.loop.body[0], cut)
        )
        where = "behind the backward" if anchor is not None else "at the top of the loop"
        found = fixes(Fix(f"Cut it {where}: `{cut}`", edits(edit), Applicability.UNSAFE))
    yield Finding(
        f"`{name}` carries the graph of the previous iteration, which that iteration's backward has freed: torch raises"
        ' "Trying to backward through the graph a second time" in the second iteration',
        event.site,
        Confidence.LIKELY if event.freed.open else Confidence.CERTAIN,
        fixes=found,
        notes=(
            Note(event.freed.site, "this operation of the previous iteration is walked again"),
            *_handed_on(event),
        ),
    )


def _cut_where_kept(kept: Site, value: ast.expr | None) -> tuple[Fix, ...]:
    """`self.mean = 0.9 * self.mean + x` with the result detached."""
    edit = rewrite.append(kept.source, value, ".detach()") if value is not None else None
    found = fixes(Fix("Keep it without its graph: `.detach()`", edits(edit), Applicability.UNSAFE))
    return repairs.elsewhere(found, kept.source)


def _handed_on(event: BackwardAgain) -> tuple[Note, ...]:
    """The last statement of the loop that sets what is carried."""
    if event.kept is not None:
        return (Note(event.kept, f"`{event.carried_name}` is kept here, with its graph"),)
    source, name = event.site.source, event.carried_name
    bound = [
        each
        for each in (walk(event.loop) if event.loop is not None else ())
        if isinstance(each, (ast.Name, ast.Attribute))
        and isinstance(each.ctx, ast.Store)
        and source.slice(each) == name
    ]
    last = max(bound, key=lambda each: each.lineno, default=None)
    if last is None:
        return _kept_by_class(event)
    return (Note(Site(source, last), f"`{name}` is handed on from here"),)


def _kept_by_class(event: BackwardAgain) -> tuple[Note, ...]:
    """The last statement that sets what is carried in the class whose operation is walked again."""
    owner, _, attribute = event.carried_name.rpartition(".")
    site = event.freed.site
    above = ancestors(site.source, site.node)
    cls = next((each for each in above if isinstance(each, ast.ClassDef)), None)
    if not owner or cls is None:
        return ()
    kept = [
        each
        for each in walk(cls)
        if isinstance(each, ast.Assign)
        and not isinstance(each.value, ast.Constant)
        and any(isinstance(one, ast.Attribute) and one.attr == attribute for one in each.targets)
    ]
    last = max(kept, key=lambda each: each.lineno, default=None)
    if last is None:
        return ()
    return (Note(Site(site.source, last), f"`{event.carried_name}` is kept here, with its graph"),)


def _set_below(source: Source, walked: ast.stmt | None, name: str) -> ast.stmt | None:
    """The last statement of the block, from the backward on, that sets what is carried; else the backward."""
    block = block_of(source, walked) if walked is not None else None
    if block is None or walked is None:
        return walked
    later = [
        each
        for each in block[block.index(walked) :]
        if isinstance(each, ast.Assign) and any(source.slice(one) == name for one in each.targets)
    ]
    return later[-1] if later else walked
