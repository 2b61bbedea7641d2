"""Use tells what a thing is: what the code around a name does with it, later lines too.

A `for` unpacks `x, y` from a loader that is not there. Whoever hands `x` to a loss, to a function of torch, or to a model holds a
tensor in it; whoever asks it for what no tensor has, spreads it, or looks into it by a key holds something else.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.engine.core import priors
from devls.engine.evidence import naming_priors
from devls.engine.torch.nn import registry
from devls.engine.torch.tensors.attributes import HINT_AT_TENSORS
from devls.syntax.layout import ancestors, dotted, parents
from devls.syntax.nodes import asked_of_file, bound_in, of_kind, of_tree, walk
from devls.values.value import InstanceValue, LibraryName, Symbol

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import TypeAlias

    from devls.engine.core.machine import Machine
    from devls.syntax.source import Source

Thing: TypeAlias = "tuple[str] | tuple[str, object]"
"""A name, or a name and the constant by which it is looked into."""

FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
MOVES: Final = frozenset({"to", "cuda"})


def is_tensor_of_batch(m: Machine, move: ast.Call, symbol: Symbol) -> bool:
    """Whether what is moved by a call is a tensor, as far as the use around tells of it, or of what it is a part of.

    A loss and a function of torch take tensors. A model may take other things, some of which are moved in place: there nobody keeps
    what another part of the same batch was moved to.
    """
    moved = move.func.value if isinstance(move.func, ast.Attribute) else None
    thing = None if moved is None else thing_named(moved)
    if moved is None or thing is None:
        return False
    if any(is_plain(each) and role_given(m, each) == "model" for each in move.args):
        return False  # it goes to something that is called, which is no device
    named = any(naming_priors.SPEAKS_OF_DEVICES.search(m.text(each)) for each in move.args)
    sure = {"tensor"} if move.args and not named else {"tensor", "loss"}
    binder = _binder(m.frame.source, moved, thing[0])
    if is_something_else(m, binder, thing):
        return False
    if not isinstance(binder, _COMPREHENSIONS):
        kinds = _kinds(m, given_to(binder, thing))
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
    return {role_given(m, each) for each in called if is_plain(each)}


def thing_named(node: ast.expr) -> Thing | None:
    """The name that an expression is, or the name and the constant by which it looks into that."""
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
SCOPES: Final = FUNCTIONS


def _binder(source: Source, node: ast.AST, name: str) -> ast.AST:
    """The innermost loop or comprehension around some code that binds a name, else the function, else the file."""
    for each in ancestors(source, node):
        if isinstance(each, SCOPES) or (
            isinstance(each, (ast.For, ast.AsyncFor, *_COMPREHENSIONS)) and name in bound_in(each)
        ):
            return each
    return source.tree


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


@asked_of_file(maxsize=256)
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
        for each in walk(
            next(
                (each for each in ancestors(source, call) if isinstance(each, SCOPES)), source.unwatched_tree
            )
        )
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
            if any(stands_for(one, (batch,)) for one in spread) or any(
                thing is not None and len(thing) == 2 and thing[0] == batch
                for thing in map(thing_named, given)
            ):
                found.append(each.func)
        elif isinstance(each, ast.Assign) and stands_for(each.value, (batch,)):
            for target in each.targets:
                names = target.elts if isinstance(target, (ast.Tuple, ast.List)) else ()
                for one in names:
                    if isinstance(one, ast.Name):
                        found.extend(given_to(around, (one.id,)))
    return tuple(found)


def is_something_else(m: Machine, around: ast.AST, thing: Thing) -> bool:
    """Whether the code around uses something as no tensor is used: spread, looked into by a key, asked for what no tensor has."""
    for each in walk(around):
        if isinstance(each, ast.Attribute) and stands_for(each.value, thing):
            if m.library.exists(f"torch.Tensor.{each.attr}") is False:
                return True
        elif isinstance(each, ast.Subscript) and stands_for(each.value, thing):
            if isinstance(each.slice, ast.Constant) and isinstance(each.slice.value, str):
                return True
        elif (
            (isinstance(each, ast.Starred) and stands_for(each.value, thing))
            or (isinstance(each, ast.keyword) and each.arg is None and stands_for(each.value, thing))
            or (isinstance(each, (ast.For, ast.AsyncFor, ast.comprehension)) and stands_for(each.iter, thing))
        ):
            return True
    return False


def stands_for(node: ast.expr, thing: Thing) -> bool:
    """Whether an expression is such a name."""
    return thing_named(node) == thing


@of_tree(maxsize=256)
def given_to(around: ast.AST, thing: Thing) -> tuple[ast.expr, ...]:
    """Callees that take a value by position, and the value itself if it is asked for attributes of tensors."""
    found: list[ast.expr] = []
    for each in walk(around):
        if isinstance(each, ast.Call) and any(stands_for(argument, thing) for argument in each.args):
            found.append(each.func)
        elif (
            isinstance(each, ast.Attribute) and each.attr in HINT_AT_TENSORS and stands_for(each.value, thing)
        ):
            found.append(each)
    return tuple(found)


def is_plain(node: ast.expr) -> bool:
    """Whether looking up an expression runs nothing: a name, or an attribute of one."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)


def looked_up(m: Machine, name: ast.expr) -> object:
    """The value of a name or an attribute; nobody is told of what looking it up shows."""
    m.muted += 1
    value = m.resolve(m.eval(name))
    m.muted -= 1
    return value


def role_given(m: Machine, called: ast.expr) -> str:
    """Role that a callee gives to its argument: a "tensor", or the argument of a "loss" or a "model"; "" if none."""
    if isinstance(called, ast.Attribute) and called.attr in HINT_AT_TENSORS:
        return "tensor"
    value = looked_up(m, called)
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
            isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in MOVES
            for call in (each.value.elts if isinstance(each.value, ast.Tuple) else (each.value,))
        )
        for each in walk(around)
    )


_BODIES: Final = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def more_than_of_tensors(m: Machine, source: Source, node: ast.AST, names: set[str]) -> bool:
    """Whether the class around some code, or else its function, reads something of one of these names that no tensor has: `graph.edge_index`."""
    scopes = [each for each in ancestors(source, node) if isinstance(each, _BODIES)]
    return any(
        isinstance(each, ast.Attribute)
        and isinstance(each.ctx, ast.Load)
        and isinstance(each.value, ast.Name)
        and each.value.id in names
        and m.library.exists(f"torch.Tensor.{each.attr}") is False
        for each in (walk(scopes[-1]) if scopes else ())
    )


def moves(call: ast.Call) -> bool:
    """Whether a call moves what it is called on to a device, as far as its name tells: `.to(device)`, `.cuda()`."""
    method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    return method == "cuda" or (method == "to" and bool(call.args or call.keywords))


@of_tree(maxsize=256)
def kept_where_moved(around: ast.AST) -> frozenset[str]:
    """The names of what statements move where it is, as only modules are, or that stay with what was moved: `net.to(device)`."""
    statements: list[tuple[ast.expr, list[ast.expr]]] = [
        *((each.value, []) for each in of_kind(around, ast.Expr)),
        *((each.value, each.targets) for each in of_kind(around, ast.Assign)),
    ]
    found: set[str] = set()
    for value, targets in statements:
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and moves(value):
            name = dotted(value.func.value)
            if not targets or name in map(dotted, targets):
                found.add(name)
    return frozenset(found)


def is_forgotten(source: Source, statement: ast.Assign, name: str) -> bool:
    """Whether a statement binds what a loop takes of a container to something else, and nothing reads that.

    The loop does nothing but move what it takes: whoever measures how long that takes goes through a loader.
    """
    around = ancestors(source, statement)
    loop = next((each for each in around if not isinstance(each, ast.If)), None)
    if not isinstance(loop, ast.For) or not _is_held(loop.iter) or not _binds(loop, name):
        return False
    if loop.orelse or not all(_only_moves(each, loop) for each in loop.body):
        return False
    behind = statement.end_lineno or statement.lineno
    if any(
        each.lineno > behind
        and any(isinstance(part, ast.Name) and part.id == name for part in walk(each.test))
        for each in of_kind(loop, ast.If)
    ):
        return False
    scope = next((each for each in around if isinstance(each, SCOPES)), source.tree)
    shared: list[ast.Global | ast.Nonlocal] = [
        *of_kind(source.tree, ast.Global),
        *of_kind(source.tree, ast.Nonlocal),
    ]
    if any(name in each.names for each in shared):
        return False
    return all(
        _is_bound_by_loop(source, each)
        for each in of_kind(scope, ast.Name)
        if each.id == name and not isinstance(each.ctx, ast.Store)
    )


def _is_held(walked: ast.expr) -> bool:
    """Whether a loop goes through the parts of a dict, or of a list or tuple that is written there."""
    if isinstance(walked, ast.Call) and isinstance(walked.func, ast.Attribute):
        return walked.func.attr in ("items", "values") and not walked.args
    return isinstance(walked, (ast.List, ast.Tuple))


def _binds(loop: ast.AST, name: str) -> bool:
    """Whether a loop or a comprehension binds a name anew in each round."""
    targets = [each.target for each in getattr(loop, "generators", [])]
    if isinstance(loop, (ast.For, ast.AsyncFor)):
        targets = [loop.target]
    return any(isinstance(each, ast.Name) and each.id == name for target in targets for each in walk(target))


def _is_bound_by_loop(source: Source, read: ast.Name) -> bool:
    """Whether a read of a name sees what a loop or a comprehension around it has bound."""
    for around in ancestors(source, read):
        if _binds(around, read.id):
            return not isinstance(around, (ast.For, ast.AsyncFor)) or all(
                read not in walk(each) for each in (around.iter, *around.orelse)
            )
    return False


def _only_moves(statement: ast.stmt, loop: ast.For) -> bool:
    """Whether a statement of a loop binds a name of the loop to where that was moved, perhaps under a test."""
    if isinstance(statement, ast.If):
        return all(_only_moves(each, loop) for each in (*statement.body, *statement.orelse))
    if isinstance(statement, (ast.Pass, ast.Continue)):
        return True
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return False
    target, value = statement.targets[0], statement.value
    return (
        isinstance(target, ast.Name)
        and _binds(loop, target.id)
        and isinstance(value, ast.Call)
        and isinstance(value.func, ast.Attribute)
        and isinstance(value.func.value, ast.Name)
        and value.func.value.id == target.id
        and moves(value)
    )
