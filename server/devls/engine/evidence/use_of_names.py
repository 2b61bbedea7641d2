"""Use tells what a thing is: what the code around a name does with it, later lines too.

A `for` unpacks `x, y` from a loader that is not there. Whoever hands `x` to a loss, to a function of torch, or to a model holds a
tensor in it; whoever asks it for what no tensor has, spreads it, or looks into it by a key holds something else.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.engine.core import priors
from devls.engine.evidence import naming_priors
from devls.engine.python import narrowing
from devls.engine.torch.nn import registry
from devls.engine.torch.tensors.attributes import HINT_AT_TENSORS
from devls.syntax.layout import ancestors
from devls.syntax.nodes import of_tree, walk
from devls.values.devices import CPU
from devls.values.history import Step
from devls.values.value import InstanceValue, LibraryName, Symbol, TensorValue

if TYPE_CHECKING:
    from devls.engine.core.machine import Machine

_FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_MOVES: Final = frozenset({"to", "cuda"})


def is_tensor_of_batch(m: Machine, move: ast.Call, symbol: Symbol) -> bool:
    """Whether what was unpacked under a name, and is moved by a call, is a tensor, as far as its use around tells.

    A loss and a function of torch take tensors. A model may take other things, some of which are moved in place: there nobody keeps
    what another part of the same batch was moved to.
    """
    name = move.func.value if isinstance(move.func, ast.Attribute) else None
    if symbol.part_of is None or not isinstance(name, ast.Name):
        return False
    around = _binding_loop(m, name)
    if around is None or _is_something_else(m, around, name.id):
        return False
    if any(_is_plain(each) and _kind(m, each) == "model" for each in move.args):
        return False  # it goes to something that is called, which is no device
    kinds = {_kind(m, each) for each in _given_to(around, name.id) if _is_plain(each)}
    return "tensor" in kinds or ("model" in kinds and not _keeps_moves(around))


AS_LOADED: Final = "as loaded"
"""The kind of the step that says that something is where its loader has put it together."""


def as_loaded(m: Machine, value: object, name: ast.expr | None) -> TensorValue | None:
    """The tensor on the CPU that a part of a batch is which nobody in its loop moves; None of anything else."""
    symbol = m.resolve(value)
    if not isinstance(symbol, Symbol) or not isinstance(name, ast.Name) or symbol.hint:
        return None
    loader = _loader_of(symbol)
    around = None if loader is None else _binding_loop(m, name)
    if (
        around is None
        or naming_priors.SPEAKS_OF_ACCELERATORS.search(m.frame.source.slice(around))
        or _moves(around)
        or _is_something_else(m, around, name.id)
    ):
        return None
    step = Step(
        f"`{loader}` hands out batches as they were put together, on the CPU",
        m.site(around.iter),
        kind=AS_LOADED,
    )
    return TensorValue(device=CPU, nonscalar=True, device_step=step, symbol=symbol, origin=step.site)


def _loader_of(symbol: Symbol) -> str | None:
    """What a part of a batch was unpacked from, where that is known by a name only, which says that it is a loader."""
    batch = symbol.part_of
    key = None if batch is None else batch.key
    if batch is None or not isinstance(key, tuple) or key[0] != "item":
        return None
    root = key[1]
    while isinstance(root, tuple) and root[0] == "attr":
        root = root[1]
    text = batch.text.removeprefix("an item of ")
    is_name = isinstance(root, tuple) and root[0] in (narrowing.UNDEFINED, "parameter")
    return text if is_name and "(" not in text and priors.is_named_like_loader(text) else None


@of_tree(maxsize=256)
def _moves(around: ast.AST) -> bool:
    return any(isinstance(each, ast.Attribute) and each.attr in _MOVES for each in walk(around))


def _binding_loop(m: Machine, name: ast.Name) -> ast.For | ast.AsyncFor | None:
    """The innermost loop around a name that binds it."""
    for each in ancestors(m.frame.source, name):
        if isinstance(each, _FUNCTIONS):
            return None
        if isinstance(each, (ast.For, ast.AsyncFor)) and any(
            isinstance(node, ast.Name) and node.id == name.id and isinstance(node.ctx, ast.Store)
            for node in walk(each)
        ):
            return each
    return None


def _is_something_else(m: Machine, around: ast.AST, name: str) -> bool:
    """Whether the code around uses a name as no tensor is used: spread, looked into by a key, asked for what no tensor has."""
    for each in walk(around):
        if isinstance(each, ast.Attribute) and _is(each.value, name):
            if m.library.exists(f"torch.Tensor.{each.attr}") is False:
                return True
        elif isinstance(each, ast.Subscript) and _is(each.value, name):
            if isinstance(each.slice, ast.Constant) and isinstance(each.slice.value, str):
                return True
        elif (
            (isinstance(each, ast.Starred) and _is(each.value, name))
            or (isinstance(each, ast.keyword) and each.arg is None and _is(each.value, name))
            or (isinstance(each, (ast.For, ast.AsyncFor, ast.comprehension)) and _is(each.iter, name))
        ):
            return True
    return False


def _is(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


@of_tree(maxsize=256)
def _given_to(around: ast.AST, name: str) -> tuple[ast.expr, ...]:
    """What is called with a name among its positional arguments, and the name itself where it is asked for what tensors have."""
    found: list[ast.expr] = []
    for each in walk(around):
        if isinstance(each, ast.Call) and any(_is(argument, name) for argument in each.args):
            found.append(each.func)
        elif isinstance(each, ast.Attribute) and each.attr in HINT_AT_TENSORS and _is(each.value, name):
            found.append(each)
    return tuple(found)


def _is_plain(node: ast.expr) -> bool:
    """Whether looking up an expression runs nothing: a name, or an attribute of one."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)


def _kind(m: Machine, called: ast.expr) -> str:
    """What something tells of its argument: that it is a "tensor", or what a "model" takes; "" if nothing."""
    if isinstance(called, ast.Attribute) and called.attr in HINT_AT_TENSORS:
        return "tensor"
    m.muted += 1
    value = m.resolve(m.eval(called))
    m.muted -= 1
    if isinstance(value, LibraryName):
        return "tensor" if m.library.operation(value.name) is not None else ""
    if isinstance(value, InstanceValue):
        if value.library and m.library.operation(f"{value.library}.forward") is not None:
            return "tensor"
        return "model" if registry.is_module(m, value) else ""
    if not isinstance(value, Symbol):
        return ""
    if naming_priors.COMPUTES_LOSS.search(value.text):
        return "tensor"
    is_model = priors.is_model(m, value) or (not value.hint and priors.is_named_like_model(m.text(called)))
    return "model" if is_model else ""


@of_tree(maxsize=256)
def _keeps_moves(around: ast.AST) -> bool:
    """Whether the code around keeps what something is moved to: `y = y.to(device)`."""
    return any(
        isinstance(each, (ast.Assign, ast.AnnAssign))
        and each.value is not None
        and any(
            isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in _MOVES
            for call in (each.value.elts if isinstance(each.value, ast.Tuple) else (each.value,))
        )
        for each in walk(around)
    )
