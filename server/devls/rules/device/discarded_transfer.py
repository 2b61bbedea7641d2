"""discarded-transfer: `x.to(device)` changes nothing when its result is dropped."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core.events.events import ResultDiscarded
from devls.rules import repairs
from devls.rules.rule import Confidence, Finding, Note, edits, fixes, rule
from devls.syntax import rewrite
from devls.syntax.layout import ancestors
from devls.syntax.nodes import walk
from devls.text.edits import Applicability, Edit, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator

    from devls.syntax.source import Source


@rule("discarded-transfer", on=ResultDiscarded, level="warning")
def discarded_transfer(event: ResultDiscarded) -> Iterator[Finding]:
    """Report a transfer of a tensor whose result goes nowhere."""
    text = event.receiver_text
    origin = event.tensor.origin
    statement = event.statement
    found: tuple[Fix, ...] = ()
    lost = "its result is dropped here"
    if isinstance(statement, ast.Expr):
        found = _fix(event, statement)
    elif isinstance(statement, ast.Assign) and isinstance(event.receiver, ast.Name):
        lost = f"nothing reads `{text}` before the loop binds it anew"
        found = _fix_in_loop(event, statement, event.receiver)
    yield Finding(
        f"`.{event.operation}(...)` returns a new tensor and leaves `{text}` as it is; {lost}",
        event.site,
        Confidence.CERTAIN,
        fixes=found,
        notes=(Note(origin, f"`{text}` is a tensor, made here"),) if origin is not None else (),
    )


def _fix(event: ResultDiscarded, statement: ast.Expr) -> tuple[Fix, ...]:
    source = event.site.source
    target, before = event.target, tuple[Edit | None, ...]()
    if isinstance(statement.value, ast.Call) and isinstance(event.receiver, ast.Name):
        entry, before = _entry(source, event.receiver)
        target = entry or target
    if not target or (target.isidentifier() and not repairs.is_read_later(source, statement, target)):
        return ()
    call = " ".join(source.slice(statement).split())
    assigned = rewrite.assign_result(source, statement, target)
    if event.beside:
        return _with_modules(event, statement, target, assigned)
    # The others of the same batch have to go along with it, and with what computes on the CPU.
    sure = Applicability.UNSAFE if event.on_host else Applicability.SAFE
    return fixes(Fix(f"Assign it: `{target} = {call}`", edits(*before, assigned), sure))


def _fix_in_loop(event: ResultDiscarded, statement: ast.Assign, value: ast.Name) -> tuple[Fix, ...]:
    """What is bound to the name of a loop goes into the dict that the loop goes through."""
    source = event.site.source
    entry, before = _entry(source, value)
    if not entry:
        return ()
    put = rewrite.replace(source, statement.targets[0], entry)
    title = f"Assign it: `{entry} = {' '.join(source.slice(statement.value).split())}`"
    return fixes(Fix(title, edits(*before, put), Applicability.SAFE))


def _with_modules(
    event: ResultDiscarded, statement: ast.Expr, target: str, assigned: Edit | None
) -> tuple[Fix, ...]:
    """The result is assigned, and the modules that it meets, which nothing moves, are moved along."""
    source, call = event.site.source, statement.value
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return ()
    given = ", ".join(source.slice(each) for each in call.args)
    moves = [f"{each}.{call.func.attr}({given})" for each in event.beside]
    where: ast.stmt = statement
    for around in ancestors(source, statement):
        if isinstance(around, (ast.For, ast.While, ast.With)):
            where = around
        else:
            break
    put = rewrite.insert_before(source, where, "; ".join(moves))
    title = (
        f"Assign it to `{target}`, and move {' and '.join(f'`{each}`' for each in event.beside)} there, too"
    )
    return fixes(Fix(title, edits(put, assigned), Applicability.UNSAFE))


def _entry(source: Source, value: ast.Name) -> tuple[str, tuple[Edit | None, ...]]:
    """`batch[key]`, in a loop over the values of `batch`: the name alone is forgotten. With it, what gives the loop its keys."""
    loop = next((each for each in ancestors(source, value) if isinstance(each, ast.For)), None)
    if loop is None or not isinstance(loop.iter, ast.Call) or not isinstance(loop.iter.func, ast.Attribute):
        return "", ()
    uses = [each for each in walk(loop) if isinstance(each, ast.Name) and each.id == value.id]
    if any(each.lineno > value.lineno for each in uses):
        return "", ()  # who goes on with it means the name
    batch = source.slice(loop.iter.func.value)
    if isinstance(loop.target, ast.Tuple) and loop.iter.func.attr == "items":
        names = [each.id for each in loop.target.elts if isinstance(each, ast.Name)]
        return (f"{batch}[{names[0]}]", ()) if names[1:] == [value.id] else ("", ())
    if isinstance(loop.target, ast.Name) and loop.target.id == value.id and loop.iter.func.attr == "values":
        key = _unused(source)
        head = Edit(source.range(loop.target), f"{key}, {value.id}")
        return f"{batch}[{key}]", (head, rewrite.replace(source, loop.iter, f"{batch}.items()"))
    return "", ()


def _unused(source: Source) -> str:
    """A name for keys that the file does not have yet."""
    used = {each.id for each in walk(source.tree) if isinstance(each, ast.Name)}
    return next(
        each for each in ("key", *(f"key{number}" for number in range(len(used) + 1))) if each not in used
    )
