"""Places to move a module or a tensor that stayed on the CPU, long before it is used."""

from __future__ import annotations

import ast
from bisect import bisect_left, bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING, Final, TypeAlias, TypeVar

from devls.engine.core.events.events import Cause, MovePlace, Operand
from devls.engine.core.slots import entries_of
from devls.engine.evidence import device_expressions
from devls.engine.python import classes
from devls.engine.torch.nn import registry
from devls.syntax.layout import ancestors, block_of, parents
from devls.syntax.nodes import of_kind, of_tree, walk
from devls.values.conditions import Either, leaves
from devls.values.value import ClassValue, InstanceValue, TensorValue

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from devls.engine.core.machine import Machine
    from devls.engine.core.machine_types import Frame
    from devls.syntax.source import Source
    from devls.values.history import Site, Step
    from devls.values.value import Scope

_CAUSES: Final = (Cause.MODULE, Cause.ATTRIBUTE, Cause.OTHER, Cause.CREATED, Cause.LAYER_INPUT)
_OF_TENSORS: Final = (Cause.OTHER, Cause.CREATED, Cause.LAYER_INPUT)


def origin(m: Machine, node: ast.AST, stray: Operand, anchor: Operand, cause: Cause) -> MovePlace | None:
    """Places in a running function to move the stray, or the module that it belongs to."""
    if cause not in _CAUSES or stray.step is None:
        return None
    here = cause in _OF_TENSORS and stray.node is not None
    if here and (stray.step.kind not in ("created", "loaded", "read")):
        return None
    return _at_the_call(m, stray, anchor, outside=here) or (
        _of_module(m, node, stray, anchor) if cause is Cause.MODULE else None
    )


def _at_the_call(m: Machine, stray: Operand, anchor: Operand, *, outside: bool) -> MovePlace | None:
    """The call of a running function that gave the stray or its module; `outside`: of one that waits."""
    assert stray.step is not None  # noqa: S101  see above
    first = stray.step.first()
    for number in reversed(range(len(m.frames))):
        frame = m.frames[number]
        depth = len(frame.calls)
        if first.site.calls[:depth] != frame.calls:
            continue
        place = first.site if len(first.site.calls) == depth else first.site.calls[depth]
        if place.source is not frame.source or not isinstance(place.node, ast.Call):
            return None
        if outside and (frame is m.frame or not _is_for_torch(frame.source, place.node)):
            return None
        made = len(first.site.calls) == depth and _is_made_by(frame.source, first, place.node)
        if not made and not _has_to(m, frame, place.node):
            return None
        call = _whole(m, frame, place.node, stray)
        target = expression_in(m, number, anchor, call.lineno)
        return MovePlace(frame.source, call, (), target) if target else None
    return None


def _whole(m: Machine, frame: Frame, call: ast.Call, stray: Operand) -> ast.Call:
    """`nn.Sequential(*[Layer() for _ in sizes])` of the `Layer()` in it: a module built of several is moved as one."""
    above, inner, whole = parents(frame.source), call, call
    around: ast.AST | None = above.get(inner)
    while isinstance(around, (ast.Call, ast.ListComp, ast.GeneratorExp, ast.List, ast.Tuple, ast.Starred)):
        whole = around if isinstance(around, ast.Call) else whole
        around = above.get(around)
    target = around.targets[0] if isinstance(around, ast.Assign) and around.value is whole else None
    if isinstance(target, ast.Name) and whole is not call:
        value = m.resolve(m.state.get(frame.scope, target.id))
        return whole if _holds(m, value, stray.tensor) else call
    return call


def _is_made_by(source: Source, first: Step, call: ast.Call) -> bool:
    """Whether a call makes one tensor, or a layer that is called at once."""
    above = parents(source).get(call)
    return first.kind == "created" or (
        first.kind == "built" and isinstance(above, ast.Call) and above.func is call
    )


def expression_in(m: Machine, number: int, anchor: Operand, line: int) -> str:
    """An expression for the anchor's device that can be evaluated on a line of a running function."""
    inner, m.frames = m.frames, m.frames[: number + 1]
    unnamed = Operand(None, anchor.tensor, anchor.device, anchor.text)
    try:
        return device_expressions.expression_for(m, unnamed, line, strict=True)
    finally:
        m.frames = inner


def _is_for_torch(source: Source, call: ast.Call) -> bool:
    """Whether a call gives a name to a value that nobody wants on the host, as far as its function shows."""
    statement = parents(source).get(call)
    if not isinstance(statement, ast.Assign) or not all(
        isinstance(each, ast.Name) for each in statement.targets
    ):
        return False
    block = block_of(source, statement) or [statement]
    return all(
        stays_with_torch(source, block[block.index(statement) + 1 :], each.id, handed_on=True)
        for each in statement.targets
        if isinstance(each, ast.Name)
    )


FOR_THE_HOST: Final = ("numpy", "tolist", "cpu", "to", "cuda")
"""Methods that say that somebody has thought of where a tensor is, or wants it on the CPU."""

_CHANGING: Final = ("pop", "popitem", "update", "setdefault", "clear")
"""Methods of dicts after which there is something else in them."""


_USES: Final = 200
"""Uses of a name, or reads on the host, that are looked at for each finding; of a name with more nothing is promised."""


def stays_with_torch(source: Source, body: list[ast.stmt], name: str, *, handed_on: bool = False) -> bool:
    """Whether a name, or what lies in it, is used, never with a value on the host, and nowhere moved or bound anew.

    `handed_on`: a call that is given it may bind it anew, as `out, state = net(x, state)`.
    """
    above = parents(source).get(body[0]) if body else None
    around = source.tree if above is None or isinstance(above, ast.Module) else above
    uses = _within(body, _names_in(around).get(name, _NONE), _USES)
    reads = _within(body, _host_reads(around), _USES) if uses else []
    if uses is None or reads is None:
        return False
    host = _on_host(reads)
    for each in uses:
        above = parents(source).get(each)
        if handed_on and isinstance(each.ctx, ast.Store) and _is_given_back(source, each):
            continue
        if not isinstance(each.ctx, ast.Load) or _meets(source, each, host):
            return False
        if isinstance(above, ast.Subscript) and above.value is each:
            if not isinstance(above.ctx, ast.Load):
                return False
            above = parents(source).get(above)
        if isinstance(above, ast.Attribute) and above.attr in (*FOR_THE_HOST, *_CHANGING):
            return False
    return bool(uses)


def _is_given_back(source: Source, bound: ast.Name) -> bool:
    """Whether a name is bound to what a call returns that was given the name itself."""
    statement = next((each for each in ancestors(source, bound) if isinstance(each, ast.stmt)), None)
    return (
        isinstance(statement, ast.Assign)
        and isinstance(statement.value, ast.Call)
        and any(
            isinstance(each, ast.Name) and each.id == bound.id
            for given in (*statement.value.args, *(each.value for each in statement.value.keywords))
            for each in walk(given)
        )
    )


_READS: Final = ("numpy", "tolist", "cpu")


_Node = TypeVar("_Node", bound="ast.expr | ast.stmt")
_Position: TypeAlias = "tuple[int, int]"
_Ordered: TypeAlias = "tuple[list[_Position], list[_Node]]"
"""Nodes by their positions, and the positions."""

_NONE: Final[_Ordered[ast.Name]] = ([], [])


def _ordered(nodes: Iterable[_Node]) -> _Ordered[_Node]:
    """Some nodes in the order in which they are written."""
    ordered = sorted(nodes, key=lambda each: (each.lineno, each.col_offset))
    return [(each.lineno, each.col_offset) for each in ordered], ordered


def _within(body: list[ast.stmt], nodes: _Ordered[_Node], most: int) -> list[_Node] | None:
    """Those of some nodes that statements which follow each other span; None if there are more than `most`."""
    if not body:
        return []
    decorators = getattr(body[0], "decorator_list", ())
    begin = min((each.lineno, each.col_offset) for each in (body[0], *decorators))
    end = body[-1].end_lineno or 0, body[-1].end_col_offset or 0
    first, last = bisect_left(nodes[0], begin), bisect_right(nodes[0], end)
    return None if last - first > most else nodes[1][first:last]


@of_tree(maxsize=64)
def _names_in(around: ast.AST) -> dict[str, _Ordered[ast.Name]]:
    """The uses of each name: a block may be long, and have a finding for each of its statements."""
    found: dict[str, list[ast.Name]] = {}
    for each in of_kind(around, ast.Name):
        found.setdefault(each.id, []).append(each)
    return {name: _ordered(uses) for name, uses in found.items()}


@of_tree(maxsize=64)
def _host_reads(around: ast.AST) -> _Ordered[ast.Assign]:
    """Assignments of what was taken to the host."""
    return _ordered(
        each
        for each in of_kind(around, ast.Assign)
        if any(isinstance(one, ast.Attribute) and one.attr in _READS for one in walk(each.value))
    )


def _on_host(assigned: Iterable[ast.Assign]) -> frozenset[str]:
    """Names that are given what was taken to the host."""
    return frozenset(to.id for each in assigned for to in each.targets if isinstance(to, ast.Name))


def _meets(source: Source, use: ast.Name, host: frozenset[str]) -> bool:
    """Whether the innermost expression statement around a use has also something that was taken to the host."""
    around = ancestors(source, use)
    statement = next((each for each in around if isinstance(each, ast.stmt)), None)
    if not isinstance(statement, (ast.Expr, ast.Assign, ast.AugAssign, ast.Return)):
        return False
    return any(
        (isinstance(each, ast.Attribute) and each.attr in _READS and each not in around)
        or (isinstance(each, ast.Name) and each.id in host and isinstance(each.ctx, ast.Load))
        for each in walk(statement)
    )


def _has_to(m: Machine, frame: Frame, call: ast.Call) -> bool:
    """Whether what a call gave is a tensor or a module for sure, as far as it can still be seen."""
    statement = parents(frame.source).get(call)
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target = statement.targets[0]
        if isinstance(target, ast.Name):
            return _is_movable(m, m.resolve(m.state.get(frame.scope, target.id)))
        if isinstance(target, ast.Attribute) and isinstance(frame.receiver, InstanceValue):
            return _is_movable(m, m.resolve(m.state.get(frame.receiver, target.attr)))
        return False
    made = _seen(m, frame.scope, call.func.id) if isinstance(call.func, ast.Name) else None
    return isinstance(made, ClassValue) and classes.is_module_class(m, made)


def _seen(m: Machine, scope: Scope | None, name: str) -> object:
    while scope is not None and name not in scope.names:
        scope = scope.parent
    return None if scope is None else m.resolve(m.state.get(scope, name))


def _is_movable(m: Machine, value: object) -> bool:
    return isinstance(value, TensorValue) or (
        isinstance(value, InstanceValue) and registry.is_module(m, value)
    )


def _of_module(m: Machine, node: ast.AST, stray: Operand, anchor: Operand) -> MovePlace | None:
    """Attribute in which an object keeps the stray's module, or the place behind the statement that names it."""
    if not stray.tensor.is_parameter or stray.step is None:
        return None
    moved = stray.step.kind != "built" and not isinstance(stray.device, Either)
    uses = [*(each.calls[-1:] for each in m.frames[1:]), (m.site(node),)]
    for number in reversed(range(len(m.frames))):
        frame, use = m.frames[number], uses[number]
        if not use or use[0].source is not frame.source:
            continue
        if isinstance(frame.receiver, InstanceValue) and _holds(m, frame.receiver, stray.tensor):
            continue
        if moved and not _only_sometimes(stray.step.site, use[0]):
            return None  # somebody has put it there on purpose
        found = _where_kept(m, number, stray, anchor) or _behind_binding(m, number, use[0], stray, anchor)
        if found is not None:
            return found
    return None


def _only_sometimes(moved: Site, use: Site) -> bool:
    """Whether something was moved under a condition that the use does not stand under."""
    around = ancestors(use.source, use.node)
    return any(
        isinstance(each, ast.If) and each not in around for each in ancestors(moved.source, moved.node)
    )


def _holds(m: Machine, value: object, tensor: TensorValue) -> bool:
    """Whether a value is a module that a tensor is registered in, or one of several modules of which one is."""
    if isinstance(value, Either):
        each = [m.resolve(one) for one in leaves(value)]
        return all(_is_movable(m, one) for one in each) and any(_holds(m, one, tensor) for one in each)
    return (
        isinstance(value, InstanceValue)
        and registry.is_module(m, value)
        and any(each is tensor for _, each, _ in registry.named(m, value))
    )


def _where_kept(m: Machine, number: int, stray: Operand, anchor: Operand) -> MovePlace | None:
    """`self.net = Net()` in the class of the object that runs."""
    frame = m.frames[number]
    owner = frame.receiver
    if not isinstance(owner, InstanceValue) or owner.cls is None or owner.cls.source is not frame.source:
        return None
    for name, value in entries_of(m, owner):
        calls = _assigned(owner.cls.node, name) if _holds(m, value, stray.tensor) else []
        if len(calls) != 1 or not isinstance(calls[0], ast.Call):
            continue
        inner, m.frames = m.frames, m.frames[: number + 1]
        try:
            target = device_expressions.on_self(m, anchor, calls[0])
        finally:
            m.frames = inner
        if target:
            return MovePlace(frame.source, calls[0], (), target)
    return None


def _assigned(node: ast.ClassDef, name: str) -> list[ast.expr]:
    """Assignments to an attribute of their object in the methods of a class."""
    return [
        each.value
        for each in walk(node)
        if isinstance(each, ast.Assign)
        and any(isinstance(target, ast.Attribute) and target.attr == name for target in each.targets)
    ]


def _behind_binding(m: Machine, number: int, use: Site, stray: Operand, anchor: Operand) -> MovePlace | None:
    """`model.to(device)` behind the statement that has given it that name; the same for `criterion.net`."""
    frame = m.frames[number]
    for name in sorted(frame.scope.names - {"_", "self"}):
        value = m.resolve(m.state.get(frame.scope, name))
        text = next(_texts(m, name, value, stray.tensor), "")
        statement = bound_by(frame.source, name, use.node) if text else None
        if statement is None:
            continue
        target = expression_in(m, number, anchor, (statement.end_lineno or 0) + 1)
        if target:
            return MovePlace(frame.source, statement, (text,), target, in_place=True)
    return None


def _texts(m: Machine, name: str, value: object, tensor: TensorValue) -> Iterator[str]:
    """Name of the module that a tensor is registered in, if a name stands for it or for its container."""
    if _holds(m, value, tensor):
        yield name
    elif isinstance(value, InstanceValue) and value.cls is not None and not registry.is_module(m, value):
        for attribute, kept in entries_of(m, value):
            if attribute.isidentifier() and _holds(m, kept, tensor):
                yield f"{name}.{attribute}"


Binding: TypeAlias = "ast.For | ast.AsyncFor | ast.Assign"


@of_tree(maxsize=64)
def bindings(home: ast.AST) -> dict[str, list[Binding]]:
    """The loops and assignments of a function, or a file, that bind each name."""
    found: dict[str, list[Binding]] = {}
    for each in walk(home):
        if not isinstance(each, (ast.For, ast.AsyncFor, ast.Assign)):
            continue
        targets = each.targets if isinstance(each, ast.Assign) else [each.target]
        for name in {one.id for to in targets for one in walk(to) if isinstance(one, ast.Name)}:
            found.setdefault(name, []).append(each)
    return found


@of_tree(maxsize=64)
def _assignments(home: ast.AST) -> dict[str, tuple[list[int], list[ast.Assign]]]:
    """Of each name: the lines at which its assignments end, and to each of these the latest that has ended there."""
    found: dict[str, tuple[list[int], list[ast.Assign]]] = {}
    for name, bound in bindings(home).items():
        assigned = sorted(
            (each for each in bound if isinstance(each, ast.Assign)), key=lambda each: each.end_lineno or 0
        )
        found[name] = ([each.end_lineno or 0 for each in assigned], list(accumulate(assigned, _later)))
    return found


def _later(one: ast.Assign, other: ast.Assign) -> ast.Assign:
    return other if other.lineno > one.lineno else one


def assigned_before(home: ast.AST, name: str, line: int) -> ast.Assign | None:
    """The last assignment of a name in a function, or a file, that ends before a line."""
    ends, latest = _assignments(home).get(name, ((), ()))
    count = bisect_left(ends, line)
    return latest[count - 1] if count else None


def bound_by(source: Source, name: str, use: ast.AST) -> ast.stmt | None:
    """The last statement before a use that binds a name, with all that is around it and not around the use."""
    around = ancestors(source, use)
    home = next((each for each in around if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef))), None)
    tree = source.tree if home is None else home
    statement: ast.stmt | None = assigned_before(tree, name, getattr(use, "lineno", 0))
    while statement is not None:
        above = parents(source).get(statement)
        if above is None or isinstance(above, ast.Module) or above in around:
            return statement
        statement = above if isinstance(above, ast.stmt) else None
    return None
