"""Batches of loaders that are out of sight: on the CPU as they were put together, where nothing that is seen or unseen moves them."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.engine.core import library_semantics, limits, priors, tensor_facts
from devls.engine.evidence import naming_priors, use_of_modules
from devls.engine.evidence.use_of_names import (
    FUNCTIONS,
    MOVES,
    SCOPES,
    Thing,
    given_to,
    is_plain,
    is_something_else,
    looked_up,
    role_given,
    stands_for,
    thing_named,
)
from devls.syntax.layout import ancestors
from devls.syntax.nodes import asked_of_file, bound_in, of_tree, walk
from devls.syntax.source import asked_of
from devls.values.devices import CPU
from devls.values.facts import fact
from devls.values.history import Step
from devls.values.value import Const, InstanceValue, LibraryName, Symbol, TensorValue

if TYPE_CHECKING:
    from collections.abc import Mapping

    from devls.engine.core.machine import Machine
    from devls.syntax.source import Source

AS_LOADED: Final = ("as loaded", "as loaded, and perhaps no tensor")
"""The kinds of the step that says that something is where its loader has put it together.

The second one is that of what nothing but a model is given that computes its loss itself: it may turn texts into tensors.
"""

_PUT_TOGETHER: Final = "#put together"
"""The slot of a batch that says that its loader has put it together, on the CPU."""

_TOKENIZED: Final = "#tokenized"
"""The slot of a batch that says that a tokenizer has returned it: its parts are tensors."""

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
    as_made = not owner.hint and _is_as_put_together(m, owner, asked)
    found = _handed_out(m, owner, asked, region) if as_made else None
    if as_made:
        m.state.set(item, _PUT_TOGETHER, True)
    if found is not None or m.state.get(item, _HANDED_OUT) is not None:
        m.state.set(item, _HANDED_OUT, found)


@priors.tensors_tokenized.answer
def note_tokens(m: Machine, tokens: Symbol, node: ast.expr) -> None:
    """Keep in mind that a tokenizer returns its tensors on the CPU, where nothing moves them on the way."""
    statement, source = m.frame.statement, m.frame.source
    if not isinstance(statement, ast.Assign) or statement.value is not node or not isinstance(node, ast.Call):
        return
    region = _about(source, statement)
    # Such a mapping moves what it holds in place.
    moved = any(isinstance(each, ast.Expr) and _is_move(each.value) for each in region)
    if m.default_device() == CPU and not moved and not _any_moved(m, region, statement.targets[0]):
        step = Step(f"`{m.text(node.func)}` returns its tensors on the CPU", m.site(node), kind=AS_LOADED[0])
        m.state.set(tokens, _PUT_TOGETHER, True)
        m.state.set(tokens, _TOKENIZED, True)
        m.state.set(tokens, _HANDED_OUT, HandedOut(region, step))


def named_inputs(
    m: Machine, call: ast.expr, keywords: Mapping[str, object]
) -> list[tuple[TensorValue, ast.expr | None]]:
    """The tensors that a model is given by keyword, and what a tokenizer has returned: `model(**tokens)`, `model(tokens.input_ids)`."""
    if not isinstance(call, ast.Call):
        return []
    found: list[tuple[TensorValue, ast.expr | None]] = [
        (TensorValue(device=CPU, nonscalar=True, device_step=step), each)
        for each in (*call.args, *(keyword.value for keyword in call.keywords))
        if (step := _tokenized(m, each)) is not None
    ]
    for keyword in call.keywords:
        name = keyword.arg
        if name is None or any(each is keyword.value for _, each in found):
            continue
        tensor = m.tensor_of(keywords.get(name), infer=False)
        if tensor is not None and not (naming_priors.INDEX.search(name) or naming_priors.SIZE.search(name)):
            found.append((tensor, keyword.value))
    return found


def _tokenized(m: Machine, node: ast.expr) -> Step | None:
    """The story of what a tokenizer has returned, or of a part of it, as long as nothing moves any of it or takes its place."""
    if isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    tokens = m.resolve(m.state.get(m.frame.scope, node.id)) if isinstance(node, ast.Name) else None
    if not isinstance(tokens, Symbol) or m.state.get(tokens, _TOKENIZED) is not True:
        return None
    found = m.state.get(tokens, _HANDED_OUT)
    if not isinstance(found, HandedOut) or m.state.get(tokens, "#escaped") is not None:
        return None
    return found.step if m.state.get(tokens, tensor_facts.PARTS_MOVED) is None else None


def _is_as_put_together(m: Machine, owner: Symbol, asked: ast.expr) -> bool:
    """Whether a loader hands out its batches on the CPU, going by its name: whatever becomes of them in the loop."""
    if not any(
        priors.is_named_like_loader(each) or naming_priors.LOADER.search(each)
        for each in (owner.text, *_said_in(asked))
    ):
        return False
    if _walks_another_mapping(m, asked):
        return False  # which hands out what was put into it, be it numbers or loaders
    # A program that calls this function shows what its loader hands out.
    shown = m.frame.function is not None and m.frame.function.node in m.executed_by_program
    return not (m.frame.symbolic and shown) and m.default_device() == CPU and not _is_wrapped(m, asked)


def is_put_together(m: Machine, value: object) -> bool:
    """Whether something is a part of a batch that nothing has taken the place of since a loader handed it out."""
    while isinstance(value, Symbol):
        if m.state.get(value, _PUT_TOGETHER) is True:
            return m.state.get(value, tensor_facts.PARTS_MOVED) is None
        value = value.part_of
    return False


def _handed_out(m: Machine, owner: Symbol, asked: ast.expr, region: tuple[ast.AST, ...]) -> HandedOut | None:
    bound = m.frame.statement
    target = getattr(bound, "target", None) or getattr(bound, "targets", (None,))[0]
    if _any_moved(m, region, target):
        return None
    text = m.frame.source.slice(asked) if "(..." in owner.text or owner.text == "?" else owner.text
    step = Step(
        f"`{text}` hands out batches as they were put together, on the CPU", m.site(asked), kind=AS_LOADED[0]
    )
    return HandedOut(region, step)


def _walks_another_mapping(m: Machine, asked: ast.expr) -> bool:
    """Whether it is `thing.items()` or the like, which no loader has, of something that is no batch."""
    if not isinstance(asked, ast.Call) or not isinstance(asked.func, ast.Attribute):
        return False
    if asked.func.attr not in ("items", "keys", "values") or asked.args or asked.keywords:
        return False
    walked = asked.func.value
    while isinstance(walked, (ast.Attribute, ast.Subscript)):
        walked = walked.value
    if not isinstance(walked, ast.Name):
        return True
    value = m.resolve(m.state.get(m.frame.scope, walked.id))
    while isinstance(value, Symbol) and m.state.get(value, _HANDED_OUT) is None:
        value = value.part_of
    return not isinstance(value, Symbol)


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


@asked_of_file(maxsize=256)
def _about(source: Source, statement: ast.Assign) -> tuple[ast.AST, ...]:
    """The statements around one that mention what it binds."""
    scope = next(
        (each for each in ancestors(source, statement) if isinstance(each, SCOPES)), source.unwatched_tree
    )
    bound = bound_in(statement)
    return tuple(each for each in walk(scope) if isinstance(each, _SIMPLE) and bound & _names_in(each))


@of_tree(maxsize=256)
def _names_in(node: ast.AST) -> frozenset[str]:
    return frozenset(each.id for each in walk(node) if isinstance(each, ast.Name))


@of_tree(maxsize=64)
def _assigned(source: Source) -> dict[str, tuple[ast.expr, ...]]:
    """The values that a file assigns to each name or attribute, anywhere. Asked by `_values_of` and `_values_of_loaders`."""
    found: dict[str, list[ast.expr]] = {}
    for each in walk(source.unwatched_tree):
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
    source = m.frame.source
    waiting, known = [asked], set[ast.expr]()
    if not any(_values_of(source, name) for name in _said_in(asked)):
        waiting += _values_of_loaders(source)
    while waiting and len(known) < limits.VALUES_READ:
        value = waiting.pop()
        if value in known:
            continue
        if _wraps(m, value):
            return True
        known.add(value)
        for each in walk(value):
            name = each.id if isinstance(each, ast.Name) else getattr(each, "attr", "")
            waiting += _values_of(source, name)
    return bool(waiting)


def _values_of(source: Source, name: str) -> tuple[ast.expr, ...]:
    return asked_of(source, ("assigned", name), lambda: _assigned(source).get(name, ()))


def _values_of_loaders(source: Source) -> tuple[ast.expr, ...]:
    """Values that are assigned to anything that is named like a loader."""

    def found() -> tuple[ast.expr, ...]:
        assigned = _assigned(source).items()
        return tuple(
            each for name, values in assigned if naming_priors.LOADER.search(name) for each in values
        )

    return asked_of(source, "loaders", found)


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
            and (not is_plain(each.func) or _is_unseen(m, looked_up(m, each.func)))
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


_UNDECIDED: Final = (ast.If, ast.IfExp, ast.Try, ast.While, ast.For, ast.AsyncFor, *FUNCTIONS)


def _any_moved(m: Machine, region: tuple[ast.AST, ...], batch: object) -> bool:
    """Whether some code may move a batch, or hands all of it to code that is not seen, for its effect: `move_all(batch)`."""
    if any(_may_be_moved(m, each) for each in region):
        return True
    return isinstance(batch, ast.Name) and any(
        isinstance(each, ast.Expr)
        and isinstance(each.value, ast.Call)
        and any(isinstance(given, ast.Name) and given.id == batch.id for given in each.value.args)
        and not (is_plain(each.value.func) and isinstance(looked_up(m, each.value.func), LibraryName))
        for part in region
        for each in walk(part)
    )


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
        and node.func.attr in (*MOVES, "cpu")
    )


def is_of_torch(m: Machine, called: ast.expr) -> bool:
    """Whether what is called is a function of torch, or one of its losses and layers."""
    if not is_plain(called):
        return False
    value = looked_up(m, called)
    name = value.library if isinstance(value, InstanceValue) else getattr(value, "name", "")
    return isinstance(value, (LibraryName, InstanceValue)) and name.startswith("torch.")


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
    if m.state.get(symbol, tensor_facts.PARTS_MOVED) is not None:
        return None
    at = key[2].value if isinstance(key[2], Const) else key[2]
    things = _things(found.region, at)
    if any(is_something_else(m, each, thing) for each in found.region for thing in things):
        return None
    calls = [each for region in found.region for thing in things for each in _calls_with(region, thing)]
    if not _may_be_text(m, found.region, things, calls):
        return found.step
    # Such a model gets its tensors first, and texts beside them.
    first = all(each.args and thing_named(each.args[0]) in things for each in calls)
    return Step(found.step.what, found.step.site, kind=AS_LOADED[1]) if first else None


def _may_be_text(
    m: Machine, regions: tuple[ast.AST, ...], things: tuple[Thing, ...], calls: list[ast.Call]
) -> bool:
    """Whether nothing but a model takes a part of a batch, and computes its loss itself: of texts, it may make tensors."""
    kinds = {
        role_given(m, each)
        for region in regions
        for thing in things
        for each in given_to(region, thing)
        if is_plain(each)
    }
    return kinds.isdisjoint(("tensor", "loss")) and any(
        use_of_modules.is_called_as_loss(m, m.text(each.func)) for each in calls
    )


@of_tree(maxsize=256)
def _calls_with(around: ast.AST, thing: Thing) -> tuple[ast.Call, ...]:
    """The calls that take a value by position."""
    return tuple(
        each
        for each in walk(around)
        if isinstance(each, ast.Call) and any(stands_for(argument, thing) for argument in each.args)
    )


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
                thing = thing_named(node)
                if thing is not None and thing[1:] == (at,):
                    found.add(thing)
            elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                thing = thing_named(node.value)
                if thing is not None and thing[1:] == (at,):
                    found.add((node.targets[0].id,))
    return tuple(found)
