"""`tensor[index]` and `tensor[index] = value`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.engine.core import moments, tensor_facts
from devls.engine.core.moments import Mismatch
from devls.engine.core.transfer import ITEM_WRITES, ITEMS
from devls.engine.torch.autograd import graph_construction
from devls.engine.torch.checkpoints import is_read_from_load
from devls.engine.torch.tensors import device_check, writes
from devls.library.effects import Operation, Result, Role
from devls.syntax.nodes import bound_in
from devls.values.conditions import Either, any_of, both, negation
from devls.values.devices import CPU
from devls.values.graph import Node, Storage
from devls.values.history import Step
from devls.values.value import Const, Sequence, Symbol, TensorValue, TupleValue

if TYPE_CHECKING:
    from devls.engine.core.machine import Machine
    from devls.values.conditions import Tree


_NESTED = 2
"""Tuples within an index that are searched; data may hold itself twice, over and over."""


def _index_tensors(
    m: Machine, index: object, node: ast.expr, depth: int = _NESTED
) -> list[tuple[TensorValue, ast.expr]]:
    index = m.resolve(index)
    if isinstance(index, TensorValue):
        return [(index, node)]
    if isinstance(index, TupleValue) and depth:
        nodes = list(node.elts) if isinstance(node, ast.Tuple) else []
        return [
            found
            for number, item in enumerate(index.items)
            for found in _index_tensors(m, item, nodes[number] if number < len(nodes) else node, depth - 1)
        ]
    if isinstance(index, Either):
        tensor = m.tensor_of(index, infer=False)
        return [] if tensor is None else [(tensor, node)]
    return []


_INTEGERS = frozenset({"int64", "int32", "int16", "int8", "uint8"})


def _is_advanced(m: Machine, index: object, node: ast.expr) -> bool | None:
    """Whether an index selects by tensors or lists, and so copies; None when it is not known."""
    if isinstance(node, ast.Slice):
        return False
    parts = node.elts if isinstance(node, ast.Tuple) else [node]
    values = index.items if isinstance(index, TupleValue) else (index,)
    unknown = False
    for part, value in zip(parts, values, strict=False):
        resolved = m.resolve(value)
        if isinstance(part, ast.Slice) or isinstance(resolved, Const):
            continue
        if isinstance(resolved, TensorValue) and resolved.shape == () and resolved.dtype in _INTEGERS:
            continue  # as good as the number in it
        if (
            isinstance(resolved, TensorValue)
            and resolved.shape is None
            and not resolved.nonscalar
            and resolved.dtype != "bool"
        ):
            unknown = True
            continue
        if isinstance(resolved, (TensorValue, Sequence)):
            return True
        if isinstance(resolved, Symbol) and resolved.hint == "number":
            continue
        unknown = True
    return None if unknown else False


@ITEMS.of(TensorValue)
def get(m: Machine, node: ast.Subscript, tensor: TensorValue, index: object) -> object:
    """A view for numbers and slices, a copy for index tensors."""
    if not tensor.shape and not tensor.nonscalar and isinstance(index, Const) and type(index.value) is int:
        moments.number_indexed(m, node, tensor)
        if tensor.shape == ():
            return m.unknown(node)  # torch raises: nothing is to be told of what comes of it
    if tensor.symbol is not None and tensor.symbol.hint != "tensor" and isinstance(index, Const):
        text = f"{tensor.symbol.text}[{index.value!r}]"
        part = tensor_facts.part(m, tensor, ("item", index.value), text)
        if type(index.value) is not str or not is_read_from_load(tensor.symbol.key):
            return part
        # A file holds numbers, names and lists beside tensors: use has to tell.
        entry = Symbol(("item", tensor.symbol.key, index), text, device=m.device(tensor))
        m.inferred.setdefault(entry, part)
        return entry
    indices = tuple(_index_tensors(m, index, node.slice))
    for each, where in indices:
        _check_index(m, node, tensor, each, where)
    advanced = _is_advanced(m, index, node.slice)
    shape = _shape(m, tensor, index, node.slice, advanced=advanced)
    needs = both(m.grad_enabled(), m.requires_grad(tensor))
    result = TensorValue(
        device=m.device(tensor),
        requires_grad=needs,
        leaf=negation(needs),
        dtype=tensor.dtype,
        shape=shape,
        nonscalar=_surely_nonscalar(node.slice) or any(map(_has_dimensions, (each for each, _ in indices))),
        storage=tensor.storage if advanced is False else Storage(),
        view_of=(tensor.view_of or tensor) if advanced is False else None,
        origin=m.site(node),
        device_step=m.state.get(tensor, "device_step", tensor.device_step),  # type: ignore[arg-type]
        grad_step=tensor.grad_step,
        inference=tensor.inference and advanced is False,
        symbol=Symbol(("row", id(tensor), m.fresh_number()), "an item")
        if tensor.symbol is not None and tensor.symbol.hint != "tensor"
        else None,
    )
    owner = m.state.get(tensor, "grad of")
    if isinstance(owner, TensorValue):
        m.state.set(result, "grad of", owner)
    if shape is None and _is_number(m.resolve(index)):
        m.state.set(result, ONE_OF, True)
    if needs is not False:
        name = "torch.Tensor.index" if advanced else "torch.Tensor.select"
        result.node = Node(
            name,
            (tensor,),
            m.site(node),
            (),
            keeps=True if advanced else None if advanced is None else False,
            edges=(m.node(tensor),),  # type: ignore[arg-type]
        )
    graph_construction.view_made(m, result)
    return result


ONE_OF: Final = "#one of"
"""The slot of what a number has chosen from a tensor of which it is not known how many dimensions it has: it may have none."""


def _is_number(index: object) -> bool:
    return (isinstance(index, Const) and type(index.value) is int) or (
        isinstance(index, Symbol) and index.hint == "number"
    )


def _has_dimensions(index: TensorValue) -> bool:
    """Whether an index is of one dimension or more: so is what it chooses, then."""
    return bool(index.nonscalar or index.shape)


def _surely_nonscalar(node: ast.expr) -> bool:
    """Whether a slice keeps a dimension, or `None` makes one."""
    parts = node.elts if isinstance(node, ast.Tuple) else [node]
    return any(
        isinstance(part, ast.Slice) or (isinstance(part, ast.Constant) and part.value is None)
        for part in parts
    )


def _check_index(m: Machine, node: ast.AST, tensor: TensorValue, index: TensorValue, where: ast.expr) -> None:
    """An index on an accelerator cannot index a CPU tensor; the other way round is fine."""
    owner = node.value if isinstance(node, ast.Subscript) else None
    table, by = device_check.operand(m, tensor, owner), device_check.operand(m, index, where)
    step = device_check.step_of(m, tensor)
    made_here = step is not None and step.kind == "created"
    unmoved = index.symbol is not None and index.device == m.device(index)
    if unmoved and not made_here and device_check.step_of(m, index) is None:
        return  # an argument that nobody has moved
    comparison = device_check.compare_devices(m, m.device(index), m.device(tensor))
    if comparison.verdict not in device_check.CONFLICTS or comparison.left == CPU:
        return
    if comparison.right != CPU:
        return
    if index.shape == () or m.state.get(index, ONE_OF) is True:
        return
    if made_here:  # the table strays: who made it might have looked where what selects from it is
        moments.mismatch_found(m, Mismatch(node, "index", table, by, device_check.turned(comparison)))
    else:
        moments.mismatch_found(m, Mismatch(node, "index", by, table, comparison))


def _shape(
    m: Machine, tensor: TensorValue, index: object, node: ast.expr, *, advanced: bool | None
) -> tuple[int | None, ...] | None:
    if tensor.shape is None or advanced is None:
        return None
    parts = node.elts if isinstance(node, ast.Tuple) else [node]
    values = index.items if isinstance(index, TupleValue) and isinstance(node, ast.Tuple) else (index,)
    if any(isinstance(part, ast.Starred) for part in parts):
        return None
    left = list(tensor.shape)
    result: list[int | None] = []
    taking = [_takes(m, *each) for each in zip(parts, values, strict=False)]
    for number, (part, value) in enumerate(zip(parts, values, strict=False)):
        resolved = m.resolve(value)
        if resolved == Const(None) and not isinstance(part, ast.Slice):
            result.append(1)
            continue
        if taking[number] is None:
            if advanced or taking.count(None) > 1 or sum(each is True for each in taking) > len(tensor.shape):
                return None
            while len(left) > sum(each is True for each in taking[number:]):
                result.append(left.pop(0))
            continue
        selected = _selected(m, resolved)
        if selected is not None:
            taken, sizes_ = selected
            if (
                len(left) < taken
                or sizes_ is None
                or sum(_selected(m, m.resolve(each)) is not None for each in values) > 1
            ):
                return None
            del left[:taken]
            result += sizes_
            continue
        if not left:
            return None
        size = left.pop(0)
        if isinstance(part, ast.Slice):
            result.append(_slice_length(part, size))
    return (*result, *left)


def _takes(m: Machine, part: ast.expr, value: object) -> bool | None:
    """Whether a part of an index takes a dimension; None if it is the `...` that takes what the others leave."""
    resolved = m.resolve(value)
    if isinstance(part, ast.Slice) or not isinstance(resolved, Const):
        return True
    return None if resolved.value is ... else resolved.value is not None


def _selected(m: Machine, index: object) -> tuple[int, list[int | None] | None] | None:
    """Dimensions that an index tensor or list takes and gives: a number, and sizes if they are known."""
    if isinstance(index, TensorValue):
        if index.shape == () and index.dtype in _INTEGERS:
            return None
        if index.dtype == "bool":
            return (len(index.shape), [None]) if index.shape else (0, None)
        return 1, None if index.shape is None or index.dtype is None else list(index.shape)
    if isinstance(index, Sequence):
        items = getattr(m.state.get(index, "#items"), "items", None)
        known = items is not None and all(
            isinstance(each, Const) and type(each.value) is int for each in items
        )
        return 1, [len(items)] if known and items is not None else None
    return None


def _slice_length(part: ast.Slice, size: int | None) -> int | None:
    """How much a slice with literal bounds leaves of a dimension."""
    if part.lower is None and part.upper is None and part.step is None:
        return size
    bounds = [_literal(each) for each in (part.lower, part.upper, part.step)]
    if size is None or any(each is ... for each in bounds) or bounds[2] == 0:
        return None
    return len(range(*slice(*bounds).indices(size)))


def _literal(node: ast.expr | None) -> object:
    """The number that stands there, None for nothing, `...` for what has to be computed."""
    if node is None:
        return None
    sign = -1 if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) else 1
    if isinstance(node, ast.UnaryOp) and sign == -1:
        node = node.operand
    return sign * node.value if isinstance(node, ast.Constant) and type(node.value) is int else ...


_COPY = Operation("torch.Tensor.__setitem__", (), Result.SELF)


@ITEM_WRITES.of(TensorValue)
def set_(
    m: Machine,
    target: ast.Subscript,
    tensor: TensorValue,
    index: object,
    value: object,
    node: ast.expr | None,
) -> None:
    """A copy into a view (any device), or index_put (values of the same device, indices of any)."""
    if _is_put_into_structure(m, target, tensor, index, value):
        return
    other = m.tensor_of(value, infer=False)
    indices = _index_tensors(m, index, target.slice)
    # Numbers, also those in tensors, choose a view, into which anything is copied from anywhere.
    puts = _is_advanced(m, index, target.slice) is True
    if other is not None and indices and puts and other.nonscalar and not _is_mask(indices):
        device_check.check(
            m,
            target,
            "index_put",
            [
                (Role.EXACT, device_check.operand(m, tensor, target.value)),
                (Role.EXACT, device_check.operand(m, other, node)),
            ],
        )
    needs = m.requires_grad(other) if other is not None else None if _may_be_tensor(m, value) else False
    operand = device_check.operand(m, tensor, target.value)
    operands = [(Role.FREE, operand)]
    if other is not None:
        operands.append((Role.FREE, device_check.operand(m, other, node)))
        _filled(m, device_check.step_of(m, tensor), m.device(other))
    writes.written(
        m,
        target,
        "item assignment",
        operand,
        _COPY,
        operands,
        any_of(m.requires_grad(tensor), both(m.grad_enabled(), needs)),
        [],
    )


def _is_put_into_structure(
    m: Machine, target: ast.Subscript, tensor: TensorValue, index: object, value: object
) -> bool:
    """Whether what may be a structure of tensors is one, since a part of it is replaced: that was done here."""
    if tensor.symbol is None or tensor.symbol.hint == "tensor":
        return False
    if not is_part_replaced(m, target, index, value):
        return False
    key = ("item", index.value) if isinstance(index, Const) else None
    tensor_facts.replace_part(m, tensor, key, m.resolve(value))
    return True


def is_part_replaced(m: Machine, target: ast.Subscript, index: object, value: object) -> bool:
    """Whether `owner[index] = value` puts something into a dict or a list, and copies nothing into a tensor.

    Names are keys of dicts, and nobody moves a part of a tensor to put it back where it was.
    """
    named = isinstance(index, Const) and type(index.value) is str
    if named or isinstance(target.slice, ast.Slice):
        return named
    return _is_moved(m, value) or _is_walked(m, target)


def _is_walked(m: Machine, target: ast.Subscript) -> bool:
    """Whether an item is written under a key that the running loop takes from the same thing: `for k, v in batch.items(): batch[k] = ...`."""
    loop = m.loops[-1].node if m.loops else None
    if not isinstance(loop, ast.For) or not isinstance(target.slice, ast.Name):
        return False
    walked = loop.iter
    if isinstance(walked, ast.Call) and isinstance(walked.func, ast.Attribute):
        walked = walked.func.value if walked.func.attr in ("items", "keys") else walked
    return target.slice.id in bound_in(loop.target) and m.text(walked) == m.text(target.value)


def _is_moved(m: Machine, value: object) -> bool:
    """Whether something was moved from another device on some path, as far as is known."""
    return any(
        isinstance(each, TensorValue)
        and isinstance(before := m.state.get(each, "moved from"), TensorValue)
        and m.device(before) != m.device(each)
        for each in m.alternatives(value)
    )


def _filled(m: Machine, step: object, device: Tree) -> None:
    """A tensor made on the CPU, like one that is somewhere else, gets copies of the latter's items, one by one."""
    if (
        m.loops
        and isinstance(step, Step)
        and step.kind == "created"
        and m.state.get(step, "sized like") is not None
    ):
        m.state.set(step, "filled from", device)


def _may_be_tensor(m: Machine, value: object) -> bool:
    """Whether a value that is not known may be a tensor with a graph."""
    resolved = m.resolve(value)
    return isinstance(resolved, Either) or (
        isinstance(resolved, Symbol)
        and resolved.hint not in ("number", "string", "bool", "list", "dtype", "device")
    )


def _is_mask(indices: list[tuple[TensorValue, ast.expr]]) -> bool:
    return any(each.dtype == "bool" for each, _ in indices)
