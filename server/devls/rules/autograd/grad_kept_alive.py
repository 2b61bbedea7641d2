"""grad-kept-alive: a value that outlives the iteration keeps its graph."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.engine.core.events.events import GraphKept
from devls.rules import kept_in_lists, repairs
from devls.rules.rule import Confidence, Finding, Note, edits, fixes, rule
from devls.syntax import rewrite
from devls.syntax.layout import ancestors, parents
from devls.syntax.nodes import asked_of_file, walk
from devls.text.edits import Applicability, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator

    from devls.syntax.source import Source

_TAKES_NUMBERS: Final = frozenset(
    {
        "print",
        "len",
        "sum",
        "float",
        "int",
        "round",
        "min",
        "max",
        "str",
        "format",
        "mean",
        "sorted",
        "enumerate",
        "plot",
    }
)
"""Functions that take a number, or a list of them, as well as tensors."""

_OF_LISTS: Final = frozenset({"append", "extend", "insert", "clear", "pop"})


@rule("grad-kept-alive", on=GraphKept, level="warning")
def grad_kept_alive(event: GraphKept) -> Iterator[Finding]:
    """Report where the value is kept."""
    found: tuple[Fix, ...] = ()
    if isinstance(event.value, ast.expr):
        suffixes = (".detach()", ".item()") if event.scalar else (".detach()",)
        on_host = _is_read_on_host(event)
        if event.scalar and (_only_looked_at(event) or (on_host and event.tensor.shape == ())):
            suffixes = (".item()", ".detach()")
        elif on_host:
            suffixes = (".detach().cpu()", *suffixes)
        if _is_one_of_many(event):
            source, text = event.site.source, event.site.source.slice(event.value)
            kept = rewrite.replace(
                source, event.value, f"{text}.detach() if torch.is_tensor({text}) else {text}"
            )
            title = f"Keep `{text}.detach()` where it is a tensor"
            found = fixes(Fix(title, edits(kept), Applicability.UNSAFE))
        elif event.scalar and _is_given(event):
            edit = rewrite.wrap(event.site.source, event.value, "float(", ")")
            found = fixes(Fix(f"Keep `float({event.value_text})`", edits(edit), Applicability.UNSAFE))
        found = found or fixes(
            *(
                Fix(
                    f"Keep `{_enclosed(event)}{suffix}`",
                    edits(rewrite.append(event.site.source, event.value, suffix)),
                    Applicability.UNSAFE,
                )
                for suffix in suffixes
            )
        )
    elif event.mentions:
        source = event.site.source
        text = ", ".join(f"`{source.slice(each)}.detach()`" for each in event.mentions)
        cuts = edits(*(rewrite.append(source, each, ".detach()") for each in event.mentions))
        found = fixes(Fix(f"Keep {text}", cuts, Applicability.UNSAFE))
    if not event.accumulates:
        # Of several values that are carried from step to step, one alone would keep the graph of all.
        found = (*repairs.without_gradients(event.site.source, event.site.node), *found)
    how = "adds up" if event.accumulates else "keeps"
    made = event.tensor.origin
    yield Finding(
        f"`{event.container}` {how} `{event.value_text}` with its graph: the graph of every iteration stays in memory",
        event.site,
        Confidence.LIKELY,
        fixes=found,
        notes=(Note(made, f"`{event.value_text}` was computed here, and carries a graph"),)
        if made is not None
        else (),
    )


def _is_read_on_host(event: GraphKept) -> bool:
    """Whether it is put into a list that only numpy and the like read: the host is where its items are wanted."""
    source, value = event.site.source, event.value
    listed = kept_in_lists.list_filled(source, value) if isinstance(value, ast.expr) else None
    return not event.accumulates and listed is not None and kept_in_lists.only_read_on_host(source, listed)


def _only_looked_at(event: GraphKept) -> bool:
    """Whether the program would not notice that it has numbers, where it had tensors.

    It is one variable, and all that its file does with it is adding to it, computing with it and printing it.
    """
    source, name = event.site.source, event.container
    if not name.isidentifier():
        return False
    return _takes_only_numbers(source, name)


@asked_of_file(maxsize=64)
def _takes_only_numbers(source: Source, name: str) -> bool:
    return all(
        _takes_numbers(source, each, name)
        for top in source.statements
        for each in walk(top)
        if isinstance(each, ast.Name) and each.id == name and isinstance(each.ctx, ast.Load)
    )


def _takes_numbers(source: Source, node: ast.AST, name: str) -> bool:
    """Whether what a variable is used for takes a number as well as a tensor."""
    above, inner = parents(source), node
    while (around := above.get(inner)) is not None:
        if isinstance(around, ast.Attribute):
            return inner is node and around.attr in _OF_LISTS
        if isinstance(around, ast.Call):
            function = around.func
            called = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
            torch = isinstance(function, ast.Attribute) and source.slice(function.value).startswith("torch")
            return called in _TAKES_NUMBERS and not torch
        if _is_written_out(around):
            return True
        if isinstance(around, (ast.Assign, ast.AugAssign)):
            targets = around.targets if isinstance(around, ast.Assign) else [around.target]
            return all(isinstance(each, ast.Name) and each.id == name for each in targets)
        if isinstance(around, ast.stmt):
            return isinstance(around, (ast.Expr, ast.If, ast.While))
        inner = around
    return False


def _is_written_out(node: ast.AST) -> bool:
    """Whether a text is made of what stands in it: an f-string, or `"%.3f" % total`."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        return isinstance(node.left, ast.Constant) and isinstance(node.left.value, str)
    return isinstance(node, ast.JoinedStr)


_PRIMARIES: Final = (ast.Name, ast.Attribute, ast.Call, ast.Subscript)


def _enclosed(event: GraphKept) -> str:
    """The value as it stands before a method: `(a + b)`."""
    return event.value_text if isinstance(event.value, _PRIMARIES) else f"({event.value_text})"


def _is_one_of_many(event: GraphKept) -> bool:
    """Whether it is one of the entries of a dict that a function was given: others may be numbers, with no `.detach()`."""
    source, value = event.site.source, event.value
    if not isinstance(value, ast.Name) or event.accumulates:
        return False
    around = ancestors(source, value)
    function = next((each for each in around if isinstance(each, ast.FunctionDef)), None)
    if function is None:
        return False
    spec = function.args
    given = [*spec.posonlyargs, *spec.args, *spec.kwonlyargs, *([spec.kwarg] if spec.kwarg else [])]
    ways = {f"{each.arg}.{how}()" for each in given for how in ("items", "values")}
    return any(
        isinstance(each, ast.For)
        and value.id in {one.id for one in walk(each.target) if isinstance(one, ast.Name)}
        and source.slice(each.iter) in ways
        for each in around
    )


def _is_given(event: GraphKept) -> bool:
    """Whether a method adds up what it is given, as meters do: other calls may give it numbers, which have no `.detach()`."""
    source, value = event.site.source, event.value
    if not event.accumulates or value is None or not event.container.startswith("self."):
        return False
    function = next((each for each in ancestors(source, value) if isinstance(each, ast.FunctionDef)), None)
    given = {each.arg for each in function.args.args[1:]} if function is not None else set()
    tensors = any(source.says(f"{event.container}.{each}(") for each in ("item", "cpu", "detach", "tolist"))
    return not tensors and any(isinstance(each, ast.Name) and each.id in given for each in walk(value))
