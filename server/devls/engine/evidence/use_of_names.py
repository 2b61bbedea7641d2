"""Use tells what a thing is: what the code around a name does with it, later lines too.

A `for` unpacks `x, y` from a loader that is not there. Whoever hands `x` to a loss, to a function of torch, or to a model holds a
tensor in it; whoever asks it for what no tensor has, spreads it, or looks into it by a key holds something else.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.engine.core import library_semantics, limits, priors
from devls.engine.evidence import naming_priors
from devls.engine.torch.nn import registry
from devls.engine.torch.tensors.attributes import HINT_AT_TENSORS
from devls.syntax.layout import ancestors
from devls.syntax.nodes import of_tree, walk
from devls.values.devices import CPU
from devls.values.facts import fact
from devls.values.history import Step
from devls.values.value import Const, InstanceValue, LibraryName, Symbol

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


AS_LOADED: Final = "as loaded"
"""The kind of the step that says that something is where its loader has put it together."""

_HANDED_OUT: Final = "#handed out"
"""The slot of a batch for what is known of the code that takes it from its loader."""


@fact
class HandedOut:
    """A batch that a loader out of sight hands out, and that no code out of sight moves."""

    region: tuple[ast.AST, ...]
    """The code that deals with it: a loop, or the statements that mention it."""
    step: Step


@priors.item_handed_out.answer
def note_batch(m: Machine, owner: Symbol, item: Symbol) -> None:
    """Keep in mind that a loop, or `next`, takes a batch from a loader of which no code is seen."""
    statement, source = m.frame.statement, m.frame.source
    region: tuple[ast.AST, ...]
    if isinstance(statement, (ast.For, ast.AsyncFor)):
        asked, region = statement.iter, (statement,)
    elif isinstance(statement, ast.Assign) and _asks_for_next(statement):
        asked, region = statement.value, _about(source, statement)
    else:
        return
    found = None if owner.hint else _handed_out(m, owner, asked, region)
    if found is not None or m.state.get(item, _HANDED_OUT) is not None:
        m.state.set(item, _HANDED_OUT, found)


def _handed_out(m: Machine, owner: Symbol, asked: ast.expr, region: tuple[ast.AST, ...]) -> HandedOut | None:
    if not any(
        priors.is_named_like_loader(each) or naming_priors.LOADER.search(each)
        for each in (owner.text, *_said_in(asked))
    ):
        return None
    # A program that calls this function shows what its loader hands out.
    shown = m.frame.function is not None and m.frame.function.node in m.executed_by_program
    if (m.frame.symbolic and shown) or m.default_device() != CPU:
        return None
    if _is_wrapped(m, asked) or any(_may_be_moved(m, each) for each in region):
        return None
    text = m.frame.source.slice(asked) if "(..." in owner.text or owner.text == "?" else owner.text
    step = Step(
        f"`{text}` hands out batches as they were put together, on the CPU", m.site(asked), kind=AS_LOADED
    )
    return HandedOut(region, step)


@of_tree(maxsize=256)
def _said_in(node: ast.AST) -> tuple[str, ...]:
    """The names, attributes and keys in some code."""
    found = (
        each.id if isinstance(each, ast.Name) else getattr(each, "attr", getattr(each, "value", None))
        for each in walk(node)
    )
    return tuple(each for each in found if isinstance(each, str))


@of_tree(maxsize=256)
def _asks_for_next(statement: ast.Assign) -> bool:
    return any(
        isinstance(each, ast.Call) and isinstance(each.func, ast.Name) and each.func.id == "next"
        for each in walk(statement.value)
    )


_SIMPLE: Final = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Return)


@of_tree(maxsize=256)
def _about(source: Source, statement: ast.Assign) -> tuple[ast.AST, ...]:
    """The statements around one that mention what it binds."""
    scope = next((each for each in ancestors(source, statement) if isinstance(each, _SCOPES)), source.tree)
    bound = bound_in(statement)
    return tuple(each for each in walk(scope) if isinstance(each, _SIMPLE) and bound & _names_in(each))


@of_tree(maxsize=256)
def _names_in(node: ast.AST) -> frozenset[str]:
    return frozenset(each.id for each in walk(node) if isinstance(each, ast.Name))


@of_tree(maxsize=64)
def _assigned(source: Source) -> dict[str, tuple[ast.expr, ...]]:
    """The values that a file assigns to each name or attribute, anywhere."""
    found: dict[str, list[ast.expr]] = {}
    for each in walk(source.tree):
        targets: list[ast.expr] = []
        if isinstance(each, ast.Assign):
            targets = each.targets
        elif isinstance(each, (ast.AnnAssign, ast.NamedExpr)):
            targets = [each.target]
        value = getattr(each, "value", None)
        for target in targets if isinstance(value, ast.expr) else ():
            for one in walk(target):
                name = one.id if isinstance(one, ast.Name) else getattr(one, "attr", None)
                if name is not None and isinstance(getattr(one, "ctx", None), ast.Store):
                    found.setdefault(name, []).append(value)  # type: ignore[arg-type]
    return {name: tuple(values) for name, values in found.items()}


def _is_wrapped(m: Machine, asked: ast.expr) -> bool:
    """Whether a loader was made of another one by code that is not seen, or with a device.

    What a function is given may be any of those that its file makes.
    """
    assigned = _assigned(m.frame.source)
    waiting, known = [asked], set[ast.expr]()
    if not any(name in assigned for name in _said_in(asked)):
        for name, values in assigned.items():
            waiting += values if naming_priors.LOADER.search(name) else ()
    while waiting and len(known) < limits.VALUES_READ:
        value = waiting.pop()
        if value in known:
            continue
        if _wraps(m, value):
            return True
        known.add(value)
        for each in walk(value):
            name = each.id if isinstance(each, ast.Name) else getattr(each, "attr", "")
            waiting += assigned.get(name, ())
    return bool(waiting)


_OF_DATALOADER: Final = frozenset({"pin_memory", "pin_memory_device", "num_workers", "generator"})


def _wraps(m: Machine, value: ast.expr) -> bool:
    for each in walk(value):
        if isinstance(each, ast.keyword) and each.arg in _OF_DATALOADER:
            continue
        if _speaks_of_place(each) and not _is_about_workers(m, each):
            return True
        if (
            isinstance(each, ast.Call)
            and any(_is_named_loader(one) for one in each.args)
            and (not _is_plain(each.func) or _is_unseen(m, _looked_up(m, each.func)))
        ):
            return True
    return False


def _is_unseen(m: Machine, called: object) -> bool:
    if isinstance(called, LibraryName):
        return m.library.operation(called.name) is None and library_semantics.is_unseen(called.name)
    return isinstance(called, Symbol)


def _is_about_workers(m: Machine, node: ast.AST) -> bool:
    """Whether something is in an argument of a loader that says how it loads."""
    return any(
        isinstance(each, ast.keyword) and each.arg in _OF_DATALOADER
        for each in ancestors(m.frame.source, node)
    )


def _is_named_loader(node: ast.expr) -> bool:
    name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
    return naming_priors.LOADER.search(name) is not None


def _speaks_of_place(node: ast.AST) -> bool:
    """Whether a name or a string speaks of accelerators."""
    if isinstance(node, ast.Name):
        said: object = node.id
    elif isinstance(node, ast.Attribute):
        said = node.attr
    elif isinstance(node, ast.keyword):
        said = node.arg
    else:
        said = node.value if isinstance(node, ast.Constant) else None
    return isinstance(said, str) and naming_priors.SPEAKS_OF_ACCELERATORS.search(said) is not None


_UNDECIDED: Final = (ast.If, ast.IfExp, ast.Try, ast.While, ast.For, ast.AsyncFor, *_FUNCTIONS)


def _may_be_moved(m: Machine, region: ast.AST) -> bool:
    """Whether some code may move a batch in a way that running it does not show: in other code, or on some paths."""
    waiting: list[tuple[ast.AST, bool]] = [(each, False) for each in ast.iter_child_nodes(region)]
    if isinstance(region, (ast.For, ast.AsyncFor)):
        waiting = [(each, False) for each in region.body]
    while waiting:
        node, undecided = waiting.pop()
        inside = undecided or isinstance(node, _UNDECIDED)
        if isinstance(node, ast.Expr) and _is_move(node.value):
            return True
        if isinstance(node, ast.Call) and _is_move(node):
            if undecided:
                return True
            waiting.append((node.func.value, inside))  # type: ignore[attr-defined]
            continue
        if isinstance(node, ast.Call) and is_of_torch(m, node.func):
            waiting += [(each, inside) for each in node.args]
            waiting += [(each.value, inside) for each in node.keywords if each.arg not in _PLACES]
            continue
        if _speaks_of_place(node):
            return True
        waiting += [(each, inside) for each in ast.iter_child_nodes(node)]
    return False


_PLACES: Final = ("device", "device_type")


def _is_move(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in (*_MOVES, "cpu")
    )


def is_of_torch(m: Machine, called: ast.expr) -> bool:
    """Whether what is called is a function of torch, or one of its losses and layers."""
    if not _is_plain(called):
        return False
    value = _looked_up(m, called)
    name = value.library if isinstance(value, InstanceValue) else getattr(value, "name", "")
    return isinstance(value, (LibraryName, InstanceValue)) and name.startswith("torch.")


def _looked_up(m: Machine, name: ast.expr) -> object:
    m.muted += 1
    value = m.resolve(m.eval(name))
    m.muted -= 1
    return value


@priors.as_loaded.answer
def as_loaded(m: Machine, symbol: Symbol) -> Step | None:
    """The story of a part of a batch that is where its loader has put it; None of anything else."""
    batch = symbol.part_of
    found = None if batch is None else m.state.get(batch, _HANDED_OUT)
    key = symbol.key
    if batch is None or not isinstance(found, HandedOut) or m.state.get(batch, "#escaped") is not None:
        return None
    if not isinstance(key, tuple) or len(key) != 3 or key[1] != batch.key:
        return None  # a part of a part may have no axis
    at = key[2].value if isinstance(key[2], Const) else key[2]
    if any(
        _is_something_else(m, each, thing) for each in found.region for thing in _things(found.region, at)
    ):
        return None
    return found.step


@of_tree(maxsize=1024)
def _things(region: tuple[ast.AST, ...], at: object) -> tuple[Thing, ...]:
    """The names by which some code may know a part of a batch: that at an index, or under a key."""
    found: set[Thing] = set()
    for each in region:
        for node in walk(each):
            if isinstance(node, (ast.Tuple, ast.List)) and isinstance(node.ctx, ast.Store):
                target = node.elts[at] if isinstance(at, int) and at < len(node.elts) else None
                if isinstance(target, ast.Name):
                    found.add((target.id,))
            elif isinstance(node, ast.Subscript):
                thing = _thing(node)
                if thing is not None and thing[1:] == (at,):
                    found.add(thing)
            elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                thing = _thing(node.value)
                if thing is not None and thing[1:] == (at,):
                    found.add((node.targets[0].id,))
    return tuple(found)


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
    value = _looked_up(m, called)
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
