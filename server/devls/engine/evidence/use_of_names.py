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
from devls.syntax.layout import ancestors, parents
from devls.syntax.nodes import of_tree, walk
from devls.values.devices import CPU
from devls.values.history import Step
from devls.values.value import InstanceValue, LibraryName, Symbol, TensorValue

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import TypeAlias

    from devls.engine.core.machine import Machine
    from devls.syntax.source import Source

Thing: TypeAlias = "tuple[str] | tuple[str, object]"
"""A name, or a name and the constant by which it is looked into."""

_FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_MOVES: Final = frozenset({"to", "cuda"})


def is_tensor_of_batch(m: Machine, move: ast.Call, symbol: Symbol) -> bool:
    """Whether what is moved by a call is a tensor, as far as the use around tells of it, or of what it is a part of.

    A loss and a function of torch take tensors. A model may take other things, some of which are moved in place: there nobody keeps
    what another part of the same batch was moved to.
    """
    moved = move.func.value if isinstance(move.func, ast.Attribute) else None
    thing = None if moved is None else _thing(moved)
    if moved is None or thing is None:
        return False
    if any(_is_plain(each) and _kind(m, each) == "model" for each in move.args):
        return False  # it goes to something that is called, which is no device
    named = any(naming_priors.SPEAKS_OF_DEVICES.search(m.text(each)) for each in move.args)
    sure = {"tensor"} if move.args and not named else {"tensor", "loss"}
    binder = _binder(m.frame.source, moved, thing[0])
    if _is_something_else(m, binder, thing):
        return False
    if not isinstance(binder, _COMPREHENSIONS):
        kinds = _kinds(m, _given_to(binder, thing))
        if symbol.part_of is None and len(thing) == 1:
            kinds.discard("model")  # what was not unpacked may be a graph
        if _tells(kinds, sure, binder):
            return True
    batch = _batch_walked(binder)
    around = None if batch is None else _binder(m.frame.source, binder, batch)
    return (
        batch is not None
        and around is not None
        and _tells(_kinds(m, _parts_given_to(around, batch)), sure, around)
    )


def _tells(kinds: set[str], sure: set[str], around: ast.AST) -> bool:
    """Whether something is a tensor: what only a name says to be a loss or a model tells that of what goes to a device."""
    return bool(kinds & sure) or ("loss" in sure and "model" in kinds and not _keeps_moves(around))


def _kinds(m: Machine, called: Iterable[ast.expr]) -> set[str]:
    return {_kind(m, each) for each in called if _is_plain(each)}


def _thing(node: ast.expr) -> Thing | None:
    if isinstance(node, ast.Name):
        return (node.id,)
    if (
        isinstance(node, ast.Subscript)
        and isinstance(node.value, ast.Name)
        and isinstance(node.slice, ast.Constant)
        and isinstance(node.slice.value, (str, int))
    ):
        return (node.value.id, node.slice.value)
    return None


_COMPREHENSIONS: Final = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)
_SCOPES: Final = (*_FUNCTIONS, ast.Module)


def _binder(source: Source, node: ast.AST, name: str) -> ast.AST:
    """The innermost loop or comprehension around some code that binds a name, else the function, else the file."""
    for each in ancestors(source, node):
        if isinstance(each, _SCOPES) or (
            isinstance(each, (ast.For, ast.AsyncFor, *_COMPREHENSIONS)) and name in bound_in(each)
        ):
            return each
    return source.tree


@of_tree(maxsize=256)
def bound_in(around: ast.AST) -> frozenset[str]:
    """The names that some code binds, in any scope."""
    return frozenset(
        node.id for node in walk(around) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    )


def is_a_part_walked(source: Source, node: ast.AST, name: str) -> bool:
    """Whether a name is what a loop takes of a batch, one part after the other: who assigns to it leaves the batch as it was."""
    binder = _binder(source, node, name)
    return (
        isinstance(binder, (ast.For, ast.AsyncFor))
        and _batch_walked(binder) is not None
        and not isinstance(binder.iter, ast.Name)
    )


def _batch_walked(binder: ast.AST) -> str | None:
    """The name of a batch of which a loop or a comprehension goes through the parts: `for k, v in batch.items()`."""
    if isinstance(binder, _COMPREHENSIONS):
        walked: ast.expr | None = binder.generators[0].iter
    else:
        walked = binder.iter if isinstance(binder, (ast.For, ast.AsyncFor)) else None
    if isinstance(walked, ast.Call) and isinstance(walked.func, ast.Attribute):
        walked = walked.func.value if walked.func.attr in ("items", "values") and not walked.args else None
    return walked.id if isinstance(walked, ast.Name) else None


def hands_out_items(m: Machine, function: Symbol, call: ast.expr) -> bool:
    """Whether a method of an object, no module, is asked for what a loop goes through: `for batch in storage.batch_generator(size)`.

    It is no model then, whatever it is called.
    """
    key = function.key
    if not isinstance(key, tuple) or key[0] != "attr" or not isinstance(key[1], tuple):
        return False
    owner = Symbol(key[1], function.text.rpartition(".")[0])
    return isinstance(call, ast.Call) and _is_gone_through(m.source, call) and not priors.is_model(m, owner)


@of_tree(maxsize=256)
def _is_gone_through(source: Source, call: ast.Call) -> bool:
    """Whether a loop goes through what a call returns, and nothing else is done with that."""
    above = parents(source).get(call)
    if isinstance(above, (ast.For, ast.AsyncFor)):
        return above.iter is call
    target = above.targets[0] if isinstance(above, ast.Assign) else None
    if not isinstance(target, ast.Name):
        return False
    uses = [
        each
        for each in walk(next(each for each in ancestors(source, call) if isinstance(each, _SCOPES)))
        if isinstance(each, ast.Name) and each.id == target.id and isinstance(each.ctx, ast.Load)
    ]
    loops = (parents(source).get(each) for each in uses)
    return bool(uses) and all(isinstance(each, (ast.For, ast.AsyncFor)) for each in loops)


@of_tree(maxsize=256)
def _parts_given_to(around: ast.AST, batch: str) -> tuple[ast.expr, ...]:
    """Callees that are given all parts of a batch, or one that is unpacked from it or looked up."""
    found: list[ast.expr] = []
    for each in walk(around):
        if isinstance(each, ast.Call):
            given = [*each.args, *(keyword.value for keyword in each.keywords)]
            spread = [one.value for one in each.args if isinstance(one, ast.Starred)]
            spread += [one.value for one in each.keywords if one.arg is None]
            if any(_is(one, (batch,)) for one in spread) or any(
                thing is not None and len(thing) == 2 and thing[0] == batch for thing in map(_thing, given)
            ):
                found.append(each.func)
        elif isinstance(each, ast.Assign) and _is(each.value, (batch,)):
            for target in each.targets:
                names = target.elts if isinstance(target, (ast.Tuple, ast.List)) else ()
                for one in names:
                    if isinstance(one, ast.Name):
                        found.extend(_given_to(around, (one.id,)))
    return tuple(found)


AS_LOADED: Final = ("as loaded", "as loaded, and perhaps no tensor")
"""The kinds of the step that says that something is where its loader has put it together.

The second one is that of what nothing but a model is given that computes its loss itself: it may turn texts into tensors.
"""


def as_loaded(
    m: Machine, value: object, name: ast.expr | None, *, makes_loss: bool = False
) -> TensorValue | None:
    """The tensor on the CPU that a part of a batch is which nobody in its loop moves; None of anything else.

    `makes_loss` says that a model is given it which computes its loss itself.
    """
    symbol = m.resolve(value)
    thing = None if name is None else _thing(name)
    if not isinstance(symbol, Symbol) or name is None or thing is None or symbol.hint:
        return None
    loader = _loader_of(symbol)
    source = m.frame.source
    around = None if loader is None else _binding_loop(m, name, thing[0])
    taken = None
    if isinstance(name, ast.Name) and loader is not None and around is None:
        taken = _taken_once(source, name, loader)
    begins = taken if around is None else around.iter
    if (
        begins is None
        or (around is not None and _may_move(source, around, thing))
        or _is_something_else(m, around or _binder(source, name, thing[0]), thing)
    ):
        return None
    used = _kinds(m, _given_to(around or _binder(source, name, thing[0]), thing)) if makes_loss else {"loss"}
    step = Step(
        f"`{loader}` hands out batches as they were put together, on the CPU",
        m.site(begins),
        kind=AS_LOADED[used.isdisjoint(("tensor", "loss"))],
    )
    return TensorValue(device=CPU, nonscalar=True, device_step=step, symbol=symbol, origin=step.site)


def _taken_once(source: Source, name: ast.Name, loader: str) -> ast.expr | None:
    """`next(iter(loader))`, where a function binds a name to a part of it and to nothing else, and moves neither in any statement."""
    loader = loader.partition(".")[0]
    scope = _binder(source, name, name.id)
    if isinstance(scope, ast.Lambda) or not isinstance(scope, _SCOPES):
        return None
    found: ast.expr | None = None
    for each in walk(scope):
        if not isinstance(each, (ast.Assign, ast.AnnAssign, ast.Expr, ast.AugAssign, ast.With, ast.For)):
            continue
        here = each.iter if isinstance(each, ast.For) else each
        names = _names_in(here)
        if isinstance(each, ast.Assign) and name.id in bound_in(each):
            if found is not None or loader not in names:
                return None
            found = each.value
        elif name.id in bound_in(each) or loader in bound_in(each):
            return None
        is_about = name.id in names or loader in names
        if is_about and naming_priors.SPEAKS_OF_ACCELERATORS.search(source.slice(here)):
            return None
    return found


@of_tree(maxsize=256)
def _names_in(node: ast.AST) -> frozenset[str]:
    return frozenset(each.id for each in walk(node) if isinstance(each, ast.Name))


def _loader_of(symbol: Symbol) -> str | None:
    """Source that a part of a batch was unpacked from, if only its name says that it is a loader."""
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


def _may_move(source: Source, around: ast.For | ast.AsyncFor, thing: Thing) -> bool:
    """Whether a loop may move a part of its batch: it moves something, but for other parts, or speaks of accelerators."""
    text = source.slice(around)
    others = _names_in(around.target) - {thing[0]}
    for each in walk(around):
        if not isinstance(each, ast.Attribute) or each.attr not in _MOVES:
            continue
        moved = _thing(each.value)
        if moved is None or not (_is_another_part(moved, thing) or moved[0] in others):
            return True
        call = parents(source).get(each)
        text = text.replace(source.slice(each if call is None else call), "")
    return naming_priors.SPEAKS_OF_ACCELERATORS.search(text) is not None


def _is_another_part(one: Thing, other: Thing) -> bool:
    return len(one) == len(other) == 2 and one[0] == other[0] and one[1] != other[1]


def _binding_loop(m: Machine, name: ast.expr, bound: str) -> ast.For | ast.AsyncFor | None:
    """The innermost loop around an expression that binds a name."""
    for each in ancestors(m.frame.source, name):
        if isinstance(each, _FUNCTIONS):
            return None
        if isinstance(each, (ast.For, ast.AsyncFor)) and any(
            isinstance(node, ast.Name) and node.id == bound and isinstance(node.ctx, ast.Store)
            for node in walk(each)
        ):
            return each
    return None


def _is_something_else(m: Machine, around: ast.AST, thing: Thing) -> bool:
    """Whether the code around uses something as no tensor is used: spread, looked into by a key, asked for what no tensor has."""
    for each in walk(around):
        if isinstance(each, ast.Attribute) and _is(each.value, thing):
            if m.library.exists(f"torch.Tensor.{each.attr}") is False:
                return True
        elif isinstance(each, ast.Subscript) and _is(each.value, thing):
            if isinstance(each.slice, ast.Constant) and isinstance(each.slice.value, str):
                return True
        elif (
            (isinstance(each, ast.Starred) and _is(each.value, thing))
            or (isinstance(each, ast.keyword) and each.arg is None and _is(each.value, thing))
            or (isinstance(each, (ast.For, ast.AsyncFor, ast.comprehension)) and _is(each.iter, thing))
        ):
            return True
    return False


def _is(node: ast.expr, thing: Thing) -> bool:
    return _thing(node) == thing


@of_tree(maxsize=256)
def _given_to(around: ast.AST, thing: Thing) -> tuple[ast.expr, ...]:
    """Callees that take a value by position, and the value itself if it is asked for attributes of tensors."""
    found: list[ast.expr] = []
    for each in walk(around):
        if isinstance(each, ast.Call) and any(_is(argument, thing) for argument in each.args):
            found.append(each.func)
        elif isinstance(each, ast.Attribute) and each.attr in HINT_AT_TENSORS and _is(each.value, thing):
            found.append(each)
    return tuple(found)


def _is_plain(node: ast.expr) -> bool:
    """Whether looking up an expression runs nothing: a name, or an attribute of one."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)


def _kind(m: Machine, called: ast.expr) -> str:
    """Role that a callee gives to its argument: a "tensor", or the argument of a "loss" or a "model"; "" if none."""
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
        return "loss"
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
