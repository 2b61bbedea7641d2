"""Fixes where a graph was cut. This module knows no rule."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.rules import repairs
from devls.rules.rule import edits, fixes
from devls.syntax import rewrite
from devls.syntax.layout import ancestors
from devls.text.edits import Applicability, Edit, Fix

if TYPE_CHECKING:
    from devls.syntax.source import Source
    from devls.values.history import Site, Step

_OFF = ("no_grad", "inference_mode")


def mended(cut: Step | None, source: Source, *more: Edit | None) -> tuple[Fix, ...]:
    """Undo what cut the graph, along with `more` edits of `source`; nothing where only the author knows what is meant."""
    if cut is None or cut.kind != "cut":
        return ()
    node, there = cut.site.node, cut.site.source
    for title, edit, where in (
        (*_kept(there, node), there),
        (*_stacked(there, node, cut), there),
        _recorded(cut),
        (*_with_graph(there, node, cut), there),
        (*_weighed(there, node), there),
    ):
        if edit is not None and (where is source or not more):
            return repairs.elsewhere(fixes(Fix(title, edits(edit, *more), Applicability.UNSAFE)), where)
    return ()


def _kept(source: Source, node: ast.AST) -> tuple[str, Edit | None]:
    """`x.detach()`, `x.item()` and `x.data` become `x`."""
    inner: ast.expr | None = None
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and not node.args
        and not node.keywords
    ):
        inner = node.func.value if node.func.attr in ("detach", "item", "tolist") else None
    elif isinstance(node, ast.Attribute) and node.attr == "data":
        inner = node.value
    elif (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "float"
        and node.args
    ):
        inner = node.args[0]
    if inner is None or not isinstance(node, ast.expr):
        return "", None
    text = source.slice(inner)
    return f"Keep `{' '.join(text.split())}` itself", repairs.as_itself(source, node, text)


def _stacked(source: Source, node: ast.AST, cut: Step) -> tuple[str, Edit | None]:
    """`torch.tensor(losses)` becomes `torch.stack(losses)`, and `torch.tensor(loss)` becomes `loss`."""
    if not isinstance(node, ast.Call) or len(node.args) != 1 or isinstance(node.args[0], ast.Starred):
        return "", None
    name, given = source.slice(node.func), source.slice(node.args[0])
    if name.rpartition(".")[2] not in ("tensor", "as_tensor", "Tensor", "FloatTensor"):
        return "", None
    if "of each" in cut.what:
        stack = f"{name.rpartition('.')[0]}.stack({given})" if "." in name else f"torch.stack({given})"
        return "Stack the tensors", rewrite.replace(source, node, stack)
    if "copies the numbers" in cut.what:
        return f"Use `{' '.join(given.split())}` itself", repairs.as_itself(source, node, given)
    return "", None


def _with_graph(source: Source, node: ast.AST, cut: Step) -> tuple[str, Edit | None]:
    """`grad(y, x)` becomes `grad(y, x, create_graph=True)`: its gradients are to be differentiated again."""
    if not isinstance(node, ast.Call) or "create_graph=True" not in cut.what:
        return "", None
    for each in node.keywords:
        if each.arg == "create_graph":
            return "Record their graph", rewrite.replace(source, each.value, "True")
    return "Record their graph", rewrite.add_argument(source, node, "create_graph=True")


def _weighed(source: Source, node: ast.AST) -> tuple[str, Edit | None]:
    """Functions that say which is largest, like those that say how likely each is.

    `one_hot(x.argmax(1), n)` becomes `x.softmax(1).movedim(1, -1)`, and `x.argmax(1).float()` the index to be expected.
    """
    around = next(iter(ancestors(source, node)), None)
    found = _largest(source, node)
    if found is None or around is None:
        return "", None
    scores, axis = found
    moved = "" if axis == "-1" else f".movedim({axis}, -1)"
    likely = f"{scores}.softmax({axis}){moved}"
    if isinstance(around, ast.Call) and around.args and around.args[0] is node:
        if source.slice(around.func).rpartition(".")[2] == "one_hot":
            return "Use the probabilities", rewrite.replace(source, around, likely)
    elif isinstance(around, ast.Attribute) and around.attr == "float" and "(" not in scores:
        numbers = f"torch.arange({scores}.size({axis}), dtype={scores}.dtype, device={scores}.device)"
        return "Use the index to be expected", rewrite.replace(source, node, f"({likely} @ {numbers})")
    return "", None


def _largest(source: Source, node: ast.AST) -> tuple[str, str] | None:
    """Of `x.argmax(1)` and `torch.argmax(x, dim=1)` the `x` and the `1`."""
    if (
        not isinstance(node, ast.Call)
        or not isinstance(node.func, ast.Attribute)
        or node.func.attr != "argmax"
    ):
        return None
    of_torch = source.slice(node.func.value) == "torch"
    scores, given = (node.args[:1], node.args[1:]) if of_torch else ([node.func.value], node.args)
    named = {each.arg: each.value for each in node.keywords}
    dim = given[0] if given else named.get("dim")
    if len(scores) != 1 or dim is None or len(given) > 1 or set(named) - {"dim"}:
        return None
    text = source.slice(scores[0])
    atom = isinstance(scores[0], (ast.Name, ast.Attribute, ast.Call, ast.Subscript))
    return text if atom else f"({text})", source.slice(dim)


def made_for_autograd(made: Site | None) -> tuple[Fix, ...]:
    """`torch.no_grad()` in the place of the `torch.inference_mode()` under which something was made."""
    for place in (made, *reversed(made.calls)) if made is not None else ():
        function = _inference_mode(place.source, place.node)
        if function is not None:
            edit = rewrite.replace(place.source, function, "torch.no_grad")
            fix = Fix("Make it under `torch.no_grad()`", edits(edit), Applicability.SAFE)
            return repairs.elsewhere(fixes(fix), place.source)
    return ()


def _inference_mode(source: Source, node: ast.AST) -> ast.Attribute | None:
    """The `torch.inference_mode` of the innermost block around a place, or of the function that it stands in."""
    for each in ancestors(source, node):
        modes: list[ast.expr] = []
        if isinstance(each, (ast.With, ast.AsyncWith)):
            modes = [item.context_expr for item in each.items]
        elif isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef)):
            modes = each.decorator_list
        for mode in modes:
            function = mode.func if isinstance(mode, ast.Call) else mode
            if _switches_off(mode) and isinstance(function, ast.Attribute):
                return function if function.attr == "inference_mode" else None
        if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return None
    return None


def _recorded(cut: Step) -> tuple[str, Edit | None, Source]:
    """Results computed while gradients are off, in a block or a function that says so, with its file."""
    if "grad mode is off" in cut.what:
        for place in (cut.site, *reversed(cut.site.calls)):
            title, edit = _switched_on(place.source, place.node)
            if edit is not None:
                return title, edit, place.source
    return "", None, cut.site.source


def _switched_on(source: Source, node: ast.AST) -> tuple[str, Edit | None]:
    """What a place computes outside of the block that has switched gradients off, or in a function that does not."""
    inner = node
    for each in ancestors(source, node):
        if isinstance(each, (ast.With, ast.AsyncWith)):
            for item in each.items:
                if _switches_off(item.context_expr):
                    return _out_of(source, each, inner, item.context_expr)
        if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef)):
            for decorator in each.decorator_list:
                if _switches_off(decorator):
                    edit = rewrite.delete_decorator(source, decorator)
                    if edit is not None:
                        return f"Record the graph: without `@{source.slice(decorator)}`", edit
                    return _RECORD, rewrite.replace(source, decorator, "torch.enable_grad()")
            return "", None
        inner = each
    return "", None


_RECORD: Final = "Record the graph here"


def _out_of(
    source: Source, block: ast.With | ast.AsyncWith, inner: ast.AST, mode: ast.expr
) -> tuple[str, Edit | None]:
    """A statement of a block, and those below it that need it, behind the block; else the block with gradients on."""
    title, edit = _RECORD, rewrite.replace(source, mode, "torch.enable_grad()")
    if not isinstance(block, ast.With) or len(block.items) > 1 or block.items[0].optional_vars is not None:
        return title, edit
    if inner not in block.body or not isinstance(inner, ast.stmt):
        return title, edit
    below = block.body[block.body.index(inner) :]
    known = repairs.bound_by(inner)
    for each in below[1:]:
        if not known & repairs.read_by(each):
            return title, edit
        known |= repairs.bound_by(each)
    moved = rewrite.move_out(source, block, inner)
    return (f"Compute it outside of `{source.slice(mode)}`", moved) if moved is not None else (title, edit)


def _switches_off(node: ast.expr) -> bool:
    function = node.func if isinstance(node, ast.Call) else node
    return (
        isinstance(function, ast.Attribute)
        and function.attr in _OFF
        and isinstance(function.value, ast.Name)
        and function.value.id == "torch"
        and not (isinstance(node, ast.Call) and (node.args or node.keywords))
    )
