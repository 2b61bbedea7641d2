"""custom-function: an `autograd.Function` is not written, or not used, as torch needs it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core.events.calls import FunctionMisused
from devls.rules.rule import Confidence, Finding, Note, edits, fixes, rule
from devls.syntax import rewrite
from devls.syntax.layout import ancestors
from devls.syntax.nodes import walk
from devls.text.edits import Applicability, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator

    from devls.text.edits import Edit


@rule("custom-function", on=FunctionMisused, level="error")
def custom_function(event: FunctionMisused) -> Iterator[Finding]:
    """Report at what `backward` returns, at the call, or where a tensor is put on `ctx`."""
    if event.problem == "called":
        yield _called(event)
        return
    if event.problem == "forward":
        yield Finding(
            f"`{event.name}.forward` is called by its name: torch differentiates what it does, and never calls its `backward`."
            f" Use `{event.name}.apply`",
            event.site,
            Confidence.CERTAIN,
            level="warning",
        )
        return
    if event.problem in ("tensor on ctx", "result on ctx"):
        yield _kept(event)
        return
    if event.problem == "single precision":
        yield Finding(
            f"`gradcheck` compares with differences of numbers, which need double precision, and `{event.name}` is in single"
            " precision: torch warns, and the check fails. Use `dtype=torch.double`",
            event.site,
            Confidence.CERTAIN,
            notes=() if event.applied is None else (Note(event.applied, "it is made here"),),
            level="warning",
        )
        return
    if event.problem == "not marked":
        text = event.site.source.slice(event.value) if event.value is not None else "its input"
        yield Finding(
            f"`forward` of `{event.name}` writes to `{text}` in place and does not say so: call `ctx.mark_dirty({text})`,"
            f" or later uses of `{text}` get wrong gradients",
            event.site,
            Confidence.CERTAIN,
            notes=() if event.applied is None else (Note(event.applied, "it is applied here"),),
            level="warning",
        )
        return
    if event.problem == "gradient ignored":
        yield Finding(
            f"`backward` of `{event.name}` never reads the gradient that it is given: multiply by it,"
            " or what follows this operation has no effect on the gradients",
            event.site,
            Confidence.LIKELY,
            level="warning",
        )
        return
    yield _unsaved(event) if event.problem == "not saved" else _miscounted(event)


def _unsaved(event: FunctionMisused) -> Finding:
    """As many tensors are unpacked as were saved; arguments of `forward` can be saved where none is."""
    source, names = event.site.source, event.value
    found: tuple[Fix, ...] = ()
    cls = next((each for each in ancestors(source, event.site.node) if isinstance(each, ast.ClassDef)), None)
    methods = [each for each in cls.body if isinstance(each, ast.FunctionDef)] if cls is not None else []
    forward = next((each for each in methods if each.name == "forward"), None)
    if not event.found and forward is not None and not any(each.name == "setup_context" for each in methods):
        given = [each.arg for each in forward.args.args]
        wanted = (
            [each.id for each in names.elts if isinstance(each, ast.Name)]
            if isinstance(names, ast.Tuple)
            else []
        )
        first = forward.body[0]
        if (
            len(wanted) == event.wanted
            and given
            and set(wanted) <= set(given[1:])
            and not _is_docstring(first)
        ):
            call = f"{given[0]}.save_for_backward({', '.join(wanted)})"
            edit = rewrite.insert_before(source, first, call)
            found = fixes(Fix(f"Call `{call}` in `forward`", edits(edit), Applicability.UNSAFE))
    return Finding(
        f"`backward` of `{event.name}` unpacks {event.wanted} saved tensor{'s' if event.wanted > 1 else ''}, and"
        f" `save_for_backward` was given {event.found or 'none'}: Python raises ValueError",
        event.site,
        Confidence.CERTAIN,
        fixes=found,
    )


def _is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _miscounted(event: FunctionMisused) -> Finding:
    """As many gradients as `forward` takes arguments are wanted."""
    found: tuple[Fix, ...] = ()
    missing = event.wanted - event.found
    if event.value is not None and missing > 0:
        value = event.site.source.slice(event.value)
        alone = event.found == 1 and not isinstance(event.value, ast.Tuple)
        inner = value if alone or not value.startswith("(") else value[1:-1].rstrip().rstrip(",")
        edit = rewrite.replace(event.site.source, event.value, f"{inner}{', None' * missing}")
        found = fixes(Fix("Return None for the others", edits(edit), Applicability.UNSAFE))
    taken = (
        f"`{event.name}` is applied to {event.wanted} arguments"
        if event.applied is not None
        else f"`forward` of `{event.name}` takes {event.wanted} arguments"
    )
    return Finding(
        f"{taken}, and its `backward` returns"
        f' {event.found}: torch raises "returned an incorrect number of gradients"',
        event.site,
        Confidence.CERTAIN,
        fixes=found,
        notes=(Note(event.applied, "it is applied here"),) if event.applied is not None else (),
    )


def _called(event: FunctionMisused) -> Finding:
    made = event.value
    found: tuple[Fix, ...] = ()
    if isinstance(made, ast.Call) and not made.args and not made.keywords:
        text = f"{event.site.source.slice(made.func)}.apply"
        edit = rewrite.replace(event.site.source, made, text)
        found = fixes(Fix(f"Use `{text}`", edits(edit), Applicability.UNSAFE))
    return Finding(
        f"an instance of `{event.name}` is called: torch raises for every `autograd.Function` that is not used"
        f" through `{event.name}.apply`",
        event.site,
        Confidence.CERTAIN,
        fixes=found,
    )


def _kept(event: FunctionMisused) -> Finding:
    text = event.site.source.slice(event.value) if event.value is not None else "the tensor"
    why = (
        "the two refer to each other, and stay in memory until Python's cycle collector runs"
        if event.problem == "result on ctx"
        else "torch does not notice when it is changed in place later, and the gradient is silently wrong"
    )
    return Finding(
        f"`{text}` is kept as an attribute of `ctx`: {why}. Use `save_for_backward`",
        event.site,
        Confidence.CERTAIN,
        fixes=fixes(Fix("Keep it with `save_for_backward`", _saved(event), Applicability.SAFE)),
        notes=(Note(event.applied, "it is applied here"),) if event.applied is not None else (),
        level="warning",
    )


def _saved(event: FunctionMisused) -> tuple[Edit, ...]:
    """`ctx.save_for_backward(x)`, and `ctx.saved_tensors[0]` where `backward` reads it; for a single tensor only."""
    source, kept = event.site.source, event.site.node
    if not isinstance(kept, ast.Assign) or not isinstance(target := kept.targets[0], ast.Attribute):
        return ()
    around = [each for each in ancestors(source, kept) if isinstance(each, ast.ClassDef)]
    cls = around[-1] if around else None
    parts = cls.body if cls is not None else []
    backward = next(
        (each for each in parts if isinstance(each, ast.FunctionDef) and each.name == "backward"), None
    )
    if cls is None or backward is None or not backward.args.args or event.value is None:
        return ()
    kept_so = [
        each
        for each in walk(cls)
        if isinstance(each, ast.Attribute)
        and (
            each.attr == "save_for_backward" or (each.attr == target.attr and isinstance(each.ctx, ast.Store))
        )
    ]
    own = backward.args.args[0].arg
    reads = [
        each
        for each in walk(backward)
        if isinstance(each, ast.Attribute)
        and each.attr == target.attr
        and isinstance(each.value, ast.Name)
        and each.value.id == own
    ]
    if kept_so != [target] or not reads:
        return ()
    text = f"{source.slice(target.value)}.save_for_backward({source.slice(event.value)})"
    return edits(
        rewrite.replace(source, kept, text),
        *(rewrite.replace(source, each, f"{own}.saved_tensors[0]") for each in reads),
    )
