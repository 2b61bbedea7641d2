"""Entry of the batch that a stray is a part of: all parts of it that stayed behind are moved there."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.engine.checks import move_places
from devls.engine.core import limits
from devls.engine.core.events.events import Cause, MovePlace
from devls.engine.core.joins import Entries
from devls.engine.torch.tensors import device_check
from devls.syntax.layout import ancestors, block_of, parents
from devls.syntax.nodes import walk
from devls.values.devices import CPU
from devls.values.value import LibraryName, Mapping, TensorValue

if TYPE_CHECKING:
    from devls.engine.core.events.events import Operand
    from devls.engine.core.machine import Machine
    from devls.engine.core.machine_types import Frame
    from devls.syntax.source import Source

_CAUSES: Final = (Cause.LAYER_INPUT, Cause.OTHER, Cause.CREATED)
_LOOPS: Final = (ast.For, ast.AsyncFor)
_FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def boundary(m: Machine, node: ast.AST, stray: Operand, anchor: Operand, cause: Cause) -> MovePlace | None:
    """The loop or the assignment to several names that gave the stray a name, in the outermost function that has it."""
    if cause not in _CAUSES or stray.step is None or stray.tensor.is_parameter:
        return None
    if anchor.device == CPU:
        return None  # what has been moved did not stay behind: what is computed of it stays with it
    for number, frame in enumerate(m.frames):
        calls = m.frames[number + 1].calls if number + 1 < len(m.frames) else (m.site(node),)
        if not calls or calls[-1].source is not frame.source:
            continue
        own = stray.node if number + 1 == len(m.frames) else None
        named = {each.id for each in walk(own or calls[-1].node) if isinstance(each, ast.Name)}
        many = len(frame.scope.names) > limits.NAMES_TRIED
        for name in sorted(frame.scope.names & named if many else frame.scope.names):
            if _strays(m, frame, name, stray, named):
                found = _where_bound(m, number, name, calls[-1].node, stray, anchor)
                if found is not None:
                    return found
    return None


def _strays(m: Machine, frame: Frame, name: str, stray: Operand, named: set[str]) -> bool:
    """Whether a name stands for the stray, or is named where it is made of what the name stands for."""
    value = m.resolve(m.state.get(frame.scope, name))
    if isinstance(value, Mapping):
        return name in named and _all_stray(m, value, stray)
    return (
        isinstance(value, TensorValue)
        and not value.is_parameter
        and m.device(value) == stray.device
        and (value is stray.tensor or (name in named and device_check.step_of(m, value) is stray.step))
    )


def _all_stray(m: Machine, batch: Mapping, stray: Operand) -> bool:
    """Whether a dict holds nothing but tensors that stayed behind, the stray among them."""
    entries = m.state.get(batch, "#entries")
    values = [m.resolve(each) for each in entries.known.values()] if isinstance(entries, Entries) else []
    return (
        isinstance(entries, Entries)
        and entries.rest is None
        and all(isinstance(each, TensorValue) and m.device(each) == stray.device for each in values)
        and any(
            isinstance(each, TensorValue)
            and (each is stray.tensor or device_check.step_of(m, each) is stray.step)
            for each in values
        )
    )


def _where_bound(
    m: Machine, number: int, name: str, use: ast.AST, stray: Operand, anchor: Operand
) -> MovePlace | None:
    """Behind what has bound a name, or behind the statement that moves another part of the batch."""
    frame = m.frames[number]
    source, whole = frame.source, isinstance(m.resolve(m.state.get(frame.scope, name)), Mapping)
    binding = _binding(source, name, use, several=whole)
    if binding is None:
        return None
    target = binding.target if isinstance(binding, _LOOPS) else binding.targets[0]
    names = [each.id for each in walk(target) if isinstance(each, ast.Name)]
    body = _lives_in(source, binding)
    if not move_places.stays_with_torch(source, body, name) or any(
        _moved_at_use(source, body, each) for each in names
    ):
        return None
    if _goes_to_numpy(m, frame, body, name):
        return _at_the_use(m, number, name, use, anchor)
    parts = tuple(
        each
        for each in ([name] if whole else names)
        if each == name
        or (
            _is_part(m, frame, each, stray)
            and move_places.stays_with_torch(source, body, each)
            and not _goes_to_numpy(m, frame, body, each)
        )
    )
    for each in names:
        value = m.resolve(m.state.get(frame.scope, each))
        beside = _moved_in(source, body, each)
        if beside is not None and isinstance(value, TensorValue) and m.device(value) == anchor.device:
            return MovePlace(source, beside[0], parts, beside[1])
    statement: ast.stmt = binding.body[0] if isinstance(binding, _LOOPS) else binding
    line = statement.lineno if isinstance(binding, _LOOPS) else (statement.end_lineno or 0) + 1
    device = move_places.expression_in(m, number, anchor, line)
    if not device or device.split(".")[0] in names:
        return None
    return MovePlace(source, statement, parts, device, first=isinstance(binding, _LOOPS), mapping=whole)


def _binding(source: Source, name: str, use: ast.AST, *, several: bool) -> move_places.Binding | None:
    """The loop around a use, or the assignment of several names before it, that has bound a name last."""
    around = ancestors(source, use)
    function = next((each for each in around if isinstance(each, _FUNCTIONS)), None)
    home = source.tree if function is None else function
    last: move_places.Binding | None = move_places.assigned_before(home, name, getattr(use, "lineno", 0))
    for each in around:
        if isinstance(each, _FUNCTIONS):
            break
        if (
            isinstance(each, _LOOPS)
            and (last is None or each.lineno > last.lineno)
            and any(isinstance(one, ast.Name) and one.id == name for one in walk(each.target))
        ):
            last = each
    if isinstance(last, _LOOPS):
        return last
    if (
        isinstance(last, ast.Assign)
        and len(last.targets) == 1
        and (several or isinstance(last.targets[0], ast.Tuple))
    ):
        above = parents(source).get(last)
        return last if above is None or isinstance(above, ast.Module) or above in around else None
    return None


def _lives_in(source: Source, binding: ast.stmt) -> list[ast.stmt]:
    """The statements that a binding is for."""
    if isinstance(binding, _LOOPS):
        return binding.body
    block = block_of(source, binding) or [binding]
    return block[block.index(binding) + 1 :]


def _at_the_use(m: Machine, number: int, name: str, use: ast.AST, anchor: Operand) -> MovePlace | None:
    """The argument itself, of a call in a function that wants the tensor on the host as well."""
    given = [*use.args, *(each.value for each in use.keywords)] if isinstance(use, ast.Call) else []
    argument = next((each for each in given if isinstance(each, ast.Name) and each.id == name), None)
    target = move_places.expression_in(m, number, anchor, use.lineno) if isinstance(use, ast.Call) else ""
    if argument is None or not target:
        return None
    return MovePlace(m.frames[number].source, argument, (name,), target)


def _goes_to_numpy(m: Machine, frame: Frame, body: list[ast.stmt], name: str) -> bool:
    """Whether a name, or a part of what it stands for, is given to a function of a library that makes an array of it."""
    above = parents(frame.source)
    for each in (node for top in body for node in walk(top)):
        if isinstance(each, ast.Name) and each.id == name:
            part: ast.AST | None = each
            while isinstance(around := above.get(part), (ast.Subscript, ast.List, ast.Tuple, ast.keyword)):  # type: ignore[arg-type]
                part = around
            if (
                isinstance(around, ast.Call)
                and around.func is not part
                and _makes_array(m, frame, around.func)
            ):
                return True
    return False


def _makes_array(m: Machine, frame: Frame, function: ast.expr) -> bool:
    """Whether a function, `plt.imshow`, is one of a library that converts to numpy what it is given."""
    names: list[str] = []
    while isinstance(function, ast.Attribute):
        names.append(function.attr)
        function = function.value
    root = m.resolve(m.state.get(frame.scope, function.id)) if isinstance(function, ast.Name) else None
    if root is None and isinstance(function, ast.Name):
        root = m.resolve(m.state.get(frame.scope.globals, function.id))
    name = ".".join([root.name, *reversed(names)]) if isinstance(root, LibraryName) else ""
    return bool(name) and m.library.reads_on_host(m.library.canonical(name))


def _is_part(m: Machine, frame: Frame, name: str, stray: Operand) -> bool:
    """Whether a name stands for a tensor that has stayed where the stray is."""
    value = m.resolve(m.state.get(frame.scope, name))
    return isinstance(value, TensorValue) and not value.is_parameter and m.device(value) == stray.device


def _moved_at_use(source: Source, body: list[ast.stmt], name: str) -> bool:
    """Whether the author moves a part of the batch where it is used: so the others may be."""
    for each in (node for top in body for node in walk(top)):
        if isinstance(each, ast.Name) and each.id == name:
            above = parents(source).get(each)
            if isinstance(above, ast.Attribute) and above.attr in ("to", "cuda"):
                call = parents(source).get(above)
                statement = next((one for one in ancestors(source, each) if isinstance(one, ast.stmt)), None)
                pairs = _assigned(statement) if statement is not None else []
                if not any(value is call and source.slice(to) == name for to, value in pairs):
                    return True
    return False


def _moved_in(source: Source, body: list[ast.stmt], name: str) -> tuple[ast.stmt, str] | None:
    """`images = images.to(device)`: the statement, and what it gives to `.to`."""
    for each, (to, value) in ((one, pair) for one in body for pair in _assigned(one)):
        if not isinstance(value, ast.Call):
            continue
        function, given = value.func, [*value.args, *value.keywords]
        if not isinstance(function, ast.Attribute) or function.attr != "to" or not given:
            continue
        if source.slice(to) == name == source.slice(function.value):
            return each, source.text[source.range(given[0]).start : source.range(given[-1]).end]
    return None


def _assigned(statement: ast.stmt) -> list[tuple[ast.expr, ast.expr]]:
    """Pairs of target and value in an assignment: of `x, y = x.to(device), y.to(device)` two."""
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return []
    target, value = statement.targets[0], statement.value
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        return [*zip(target.elts, value.elts, strict=True)]
    return [(target, value)]
