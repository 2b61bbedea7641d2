"""legacy-device-api: a device is chosen, or a gradient switched off, by a name of torch that is kept for old programs only."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.engine.core.events.calls import OldSpelling
from devls.rules import repairs
from devls.rules.rule import Confidence, Finding, edits, fixes, rule
from devls.syntax import rewrite
from devls.syntax.layout import ancestors, parents
from devls.syntax.nodes import walk
from devls.text.edits import Applicability, Fix
from devls.values.history import Site

if TYPE_CHECKING:
    from collections.abc import Iterator

    from devls.syntax.source import Source
    from devls.text.edits import Edit


@rule("legacy-device-api", on=OldSpelling, level="warning")
def legacy_device_api(event: OldSpelling) -> Iterator[Finding]:
    """Report at the call; what merely is old is a remark."""
    found: tuple[Fix, ...] = ()
    source = event.site.source
    if event.replacement and source.slice(event.call.func).startswith("torch."):
        renamed = rewrite.replace(source, event.call.func, event.replacement)
        first = rewrite.prepend_argument(source, event.call, event.arguments) if event.arguments else renamed
        changes = edits(renamed, first) if event.arguments else edits(renamed)
        found = fixes(Fix(f"Use {event.advice}", changes, Applicability.SAFE))
    found = found or _today(event)
    if event.breaks and "Variable" not in event.name:
        said = f"`{event.name}` is an old constructor, and raises where there is no CUDA: use {event.advice}"
        level = "" if event.chosen else "info"
        yield Finding(said, event.site, Confidence.CERTAIN, fixes=found, level=level)
        return
    short = event.name.rpartition(".")[2]
    yield Finding(
        f"`{short}` is kept for old programs only: use {event.advice}",
        event.site,
        Confidence.CERTAIN,
        fixes=found,
        level="" if event.breaks else "info",
    )


_DTYPES: Final = {
    "FloatTensor": "float32", "LongTensor": "int64", "IntTensor": "int32", "DoubleTensor": "float64", "HalfTensor": "float16",
    "ByteTensor": "uint8", "BoolTensor": "bool", "ShortTensor": "int16",
}  # fmt: skip


def _today(event: OldSpelling) -> tuple[Fix, ...]:
    """`torch.cuda.LongTensor([1, 2])` becomes `torch.tensor([1, 2], dtype=torch.int64, device="cuda")`; sizes make it empty."""
    source, call = event.site.source, event.call
    if "volatile" in {each.arg for each in call.keywords}:
        return _without_graph(event)
    dtype = _DTYPES.get(event.name.rpartition(".")[2])
    if not event.name.startswith("torch.cuda.") or dtype is None or call.keywords or not call.args:
        return ()
    if not source.slice(call.func).endswith(event.name.rpartition(".")[2]):
        return ()
    given = ", ".join(source.slice(each) for each in call.args)
    values = len(call.args) == 1 and isinstance(call.args[0], (ast.List, ast.Tuple, ast.ListComp))
    sizes = len(call.args) > 1 or _is_size(call.args[0])
    if not values and not sizes:
        return ()
    device = _of_sizes(source, call) or '"cuda"'
    text = f"torch.{'tensor' if values else 'empty'}({given}, dtype=torch.{dtype}, device={device})"
    edit = rewrite.replace(source, call, text)
    return fixes(Fix(f"Use `torch.{'tensor' if values else 'empty'}`", edits(edit), Applicability.SAFE))


def _without_graph(event: OldSpelling) -> tuple[Fix, ...]:
    """The function that `volatile` was meant for, without gradients; elsewhere the code to be wrapped is a matter of taste.

    Nor can one decorator say what a variable does: `volatile=evaluation`.
    """
    source = event.site.source
    given = next(each.value for each in event.call.keywords if each.arg == "volatile")
    if event.without_graph:
        left = _itself(source, event.call)
        title = "Use the tensor itself: gradients are off here"
        return fixes(Fix(title, edits(left), Applicability.SAFE))
    if not (isinstance(given, ast.Constant) and given.value):
        return ()
    statement = parents(source).get(event.call)
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Attribute):
        # It outlives the function, which a mode does not.
        left = _itself(source, event.call)
        return fixes(Fix("Use the tensor itself, as torch does", edits(left), Applicability.UNSAFE))
    functions = [each for each in ancestors(source, event.call) if isinstance(each, ast.FunctionDef)]
    if not functions or functions[0].decorator_list or repairs.trains(source, functions[0]):
        return ()
    gone = _without_volatile(event, functions[0])
    decorated = rewrite.insert_before(source, functions[0], "@torch.no_grad()")
    title = "Decorate the function with `@torch.no_grad()`, without `volatile`"
    inside = "Switch gradients off from here on: `with torch.no_grad():`, without `volatile`"
    return fixes(
        Fix(title, edits(*gone, decorated), Applicability.UNSAFE),
        Fix(inside, _under_no_grad(source, gone, functions[0]), Applicability.UNSAFE),
    )


def _without_volatile(event: OldSpelling, function: ast.FunctionDef) -> tuple[Edit | None, ...]:
    """All calls of a function that are like the one found, without `volatile`: one mode is for all of them."""
    source = event.site.source
    name = source.slice(event.call.func)
    return tuple(
        _itself(source, each)
        for each in walk(function)
        if isinstance(each, ast.Call)
        and source.slice(each.func) == name
        and any(
            one.arg == "volatile" and isinstance(one.value, ast.Constant) and one.value.value
            for one in each.keywords
        )
    )


def _itself(source: Source, call: ast.Call) -> Edit | None:
    """`Variable(x, volatile=True)` as `x`; where it is given more than that, without `volatile`."""
    if len(call.args) == 1 and len(call.keywords) == 1:
        return repairs.as_itself(source, call, source.slice(call.args[0]))
    return repairs.without_argument(Site(source, call), "volatile")


def _under_no_grad(
    source: Source, gone: tuple[Edit | None, ...], function: ast.FunctionDef
) -> tuple[Edit, ...]:
    """The rest of a function as a block without gradients: its decorators may stand above the import of torch."""
    changes = edits(*gone)
    if not changes or any(isinstance(each, (ast.Yield, ast.YieldFrom)) for each in walk(function)):
        return ()
    start = min(each.range.start for each in changes)
    rest = [each for each in function.body if start < source.range(each).end]
    while rest and any(_deletes(source, each, rest[0]) for each in changes):
        del rest[0]  # a block cannot begin with it
    if not rest:
        return ()
    before = tuple(each for each in changes if each.range.end <= source.range(rest[0]).start)
    inside = tuple(each for each in changes if each not in before)
    return edits(
        *before,
        rewrite.wrap_statement(source, rest[0], "with torch.no_grad():", function.body[-1], inside=inside),
    )


def _is_size(given: ast.expr) -> bool:
    """Whether an argument is a number of elements, and not what holds numbers."""
    if isinstance(given, ast.Call):
        name = given.func.attr if isinstance(given.func, ast.Attribute) else getattr(given.func, "id", "")
        return name in ("size", "len", "numel", "dim")
    return (isinstance(given, ast.Constant) and isinstance(given.value, int)) or (
        isinstance(given, ast.Subscript)
        and isinstance(given.value, ast.Attribute)
        and given.value.attr == "shape"
    )


def _of_sizes(source: Source, call: ast.Call) -> str:
    """`x.device`, where the sizes are those of `x`: the new tensor will meet it."""
    for given in call.args:
        for each in walk(given):
            if (
                isinstance(each, ast.Attribute)
                and each.attr in ("size", "shape")
                and isinstance(each.value, ast.Name)
            ):
                return f"{source.slice(each.value)}.device"
    return ""


def _deletes(source: Source, edit: Edit, statement: ast.stmt) -> bool:
    place = source.range(statement)
    return not edit.text and edit.range.start <= place.start and place.end <= edit.range.end
