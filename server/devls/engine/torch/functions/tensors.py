"""Tensors made from Python data, from numpy or from other tensors."""

from __future__ import annotations

import ast
import math
from typing import TYPE_CHECKING

from devls.engine.core import moments, priors, tensor_facts
from devls.engine.core.events.events import GraphCutHidden
from devls.engine.core.invocation import Invocation as Call
from devls.engine.core.joins import Contents
from devls.engine.python import constant_folding, narrowing
from devls.engine.torch.functions import moves
from devls.engine.torch.tensors import attributes as tensor_attributes
from devls.engine.torch.tensors import creation, numpy_dtypes
from devls.engine.torch.tensors.shapes import dtype_name
from devls.library.effects import Dtype, Operation, Rank, Result
from devls.syntax.nodes import walk
from devls.values.conditions import Condition, Either
from devls.values.devices import CPU, UNKNOWN_DEVICE
from devls.values.graph import Node, Storage
from devls.values.history import Site, Step
from devls.values.state import AMBIENT
from devls.values.value import (
    NONE,
    Const,
    DeviceValue,
    InstanceValue,
    Sequence,
    Symbol,
    TensorValue,
    TupleValue,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from devls.engine.core.invocation import Invocation
    from devls.engine.core.machine import Machine


def new_tensor(m: Machine, call: Invocation) -> object:
    """`x.new_tensor(data)`: a copy outside any graph, by default where `x` is and of its dtype."""
    receiver = m.tensor_of(call.receiver)
    made = Call(
        "torch.tensor", call.arguments[1:], call.keywords, call.node, call.nodes[1:], call.keyword_nodes
    )
    result = tensor_(m, made)
    if receiver is not None and isinstance(result, TensorValue):
        if "device" not in call.keywords:
            result.device = m.device(receiver)
            result.device_step = receiver.device_step
        if "dtype" not in call.keywords:
            result.dtype = receiver.dtype
    return result


def causal_mask(m: Machine, call: Invocation) -> object:
    """`Transformer.generate_square_subsequent_mask(n, device=None, dtype=None)`: a new square, on the CPU if nothing is said."""
    at = 1 if call.is_method else 0
    given = {
        name: value
        for index, name in enumerate(("device", "dtype"), at + 1)
        if (value := call.argument(index, name)) is not None
    }
    given["n"] = call.argument(at, "sz")
    square = m.library.operation("torch.eye")
    parameters = square.parameters if square is not None else ()
    operation = Operation("torch.eye", parameters, Result.NEW, rank=Rank.SIZES, dtype=Dtype.ARGUMENT)
    return creation.created(
        m, operation, call.node, given, [], dtype_name(m.resolve(given.get("dtype", NONE))), call
    )


def tensor_(m: Machine, call: Invocation) -> object:
    """`torch.tensor(data)`: a copy outside any graph, on the default device."""
    data = m.resolve(call.argument(0, "data")) if call.argument(0, "data") is not None else NONE
    operation = Operation("torch.tensor", (), Result.NEW)
    given = {
        key: value for key, value in call.keywords.items() if key in ("device", "dtype", "requires_grad")
    }
    asked = m.resolve(given.get("dtype", NONE))
    dtype = dtype_name(asked)
    result = creation.created(m, operation, call.node, given, [], dtype or "?", call)
    shape, guessed = creation.literal(m, data)
    if guessed is None and type(data) is Either and m.program_runs:
        guessed = creation.literal(m, m.resolve(priors.by_default(m, data)))[
            1
        ]  # as it is without any arguments
    if guessed is None and dtype is None:
        guessed = numpy_dtypes.dtype_of(m, data)
        m.state.set(result, "#from numpy", guessed is not None)
    result.shape = shape
    # A list has a dimension.
    result.nonscalar = (
        bool(shape) or isinstance(data, (TupleValue, Sequence)) or numpy_dtypes.has_dimension(m, data)
    )
    result.dtype = guessed if asked == NONE else dtype
    if isinstance(data, Const) and isinstance(data.value, bool):
        m.state.assume(Condition(("truth", id(result)), "a tensor's truth"), value=data.value)
    if result.requires_grad is True:
        moments.grad_asked_for(
            m, call.node, "requires_grad=True", result.dtype, call.argument_node(0, "data")
        )
    _note_cut(m, call, data, result)
    _place_copy(m, call, data, result, named="device" in given)
    return result


def _note_cut(m: Machine, call: Invocation, data: object, result: TensorValue) -> None:
    """Remember that a copy of numbers has left a graph behind; one that requires grad hides that."""
    _cut_by_numpy(m, data, result)
    source = _graph_source(m, data)
    read = _number_source(m, data) if source is None else None
    if read is not None:
        # Numbers may start a graph of their own: whether that hides a cut shows in backward.
        sources = tuple(_read_from(m, data))
        text = " ".join(read.text.split())
        step = Step(f"`{text}` reads the number, not the graph", read, kind="number", of=sources)
        if result.requires_grad is True:
            event = GraphCutHidden(
                m.site(call.node), m.frame.statement, f"{call.short_name}(...)", m.text(call.node), step
            )
            m.state.set(result, "hides a cut", event)
        else:
            result.grad_step = step
    if source is None:
        return
    before = m.state.get(source, "grad_step", source.grad_step)
    result.grad_step = Step(
        f"`{call.short_name}(...)` copies the numbers{' of each' if source is not data else ''}, not the graph",
        m.site(call.node),
        before if isinstance(before, Step) else None,
        kind="cut",
        of=tuple(_read_from(m, data)),
    )
    if result.requires_grad is True:
        m.emit(
            GraphCutHidden(
                m.site(call.node),
                m.frame.statement,
                f"{call.short_name}(...)",
                m.text(call.node),
                result.grad_step,
            )
        )


def _place_copy(m: Machine, call: Invocation, data: object, result: TensorValue, *, named: bool) -> None:
    """A copy of a tensor stays where the tensor is, unless a device is named."""
    if isinstance(data, Either) and narrowing.may_compare_tensors(data.condition) and not named:
        # An operand of the comparison may be a tensor: then a copy of the answer stays on its device.
        result.device, result.device_step = UNKNOWN_DEVICE, None
    tensor = m.tensor_of(data, infer=isinstance(data, Symbol) and is_given_as_tensor(data))
    if (
        tensor is None
        and isinstance(data, Symbol)
        and (data.hint == "tensor" or data.part_of is not None)
        and not named
        and not narrowing.is_no_tensor(m, data)
    ):
        # An array, or a tensor, which it follows; so what a batch is unpacked into.
        result.device, result.device_step = UNKNOWN_DEVICE, None
    if tensor is not None:
        result.shape, result.nonscalar = tensor.shape, tensor.nonscalar
        if "device" not in call.keywords and m.state.get(AMBIENT, "device") is None:
            result.device = m.device(tensor)
            result.device_step = tensor.device_step


def _graph_source(m: Machine, data: object, entered: set[int] | None = None) -> TensorValue | None:
    """A tensor with a graph among what a tensor is made of; what stands there several times is looked into once."""
    entered = set() if entered is None else entered
    if id(data) in entered:
        return None
    entered.add(id(data))
    tensor = m.tensor_of(data, infer=False)
    if tensor is not None:
        if tensor.symbol is not None and narrowing.is_no_tensor(m, tensor.symbol):
            return None
        return tensor if m.requires_grad(tensor) is True else None
    for each in _items_in(m, data):
        found = _graph_source(m, m.resolve(each), entered)
        if found is not None:
            return found
    return None


def _read_from(m: Machine, data: object, depth: int = 3) -> Iterator[TensorValue]:
    """The tensors that are in `data`, or that numbers in it were read from."""
    for each in m.alternatives(data):
        source = m.state.get(each, "read from") if isinstance(each, (Symbol, InstanceValue)) else each
        if isinstance(source, TensorValue):
            yield source
        elif depth:
            for item in _items_in(m, each):
                yield from _read_from(m, item, depth - 1)


def _items_in(m: Machine, data: object) -> tuple[object, ...]:
    """Contents of a tuple or a list."""
    if isinstance(data, TupleValue):
        return data.items
    contents = m.state.get(data, "#items") if isinstance(data, Sequence) else None
    if not isinstance(contents, Contents):
        return ()
    return (*(contents.items or ()), *(() if contents.element is None else (contents.element,)))


def _number_source(m: Machine, data: object, entered: set[int] | None = None) -> Site | None:
    """Place at which a number among `data` was read from a graph's result; repeated data is searched once."""
    entered = set() if entered is None else entered
    if id(data) in entered:
        return None
    entered.add(id(data))
    if isinstance(data, Symbol):
        source = m.state.get(data, "read from")
        if isinstance(source, TensorValue) and _carries_graph(m, source):
            read = data.site or m.state.get(data, "read at")
            return read if isinstance(read, Site) else None
        return None
    items = (data.then, data.otherwise) if isinstance(data, Either) else _items_in(m, data)
    sources = (_number_source(m, m.resolve(each), entered) for each in items)
    return next((found for found in sources if found is not None), None)


def _carries_graph(m: Machine, tensor: TensorValue) -> bool:
    """Whether a tensor is in a graph, or is if its model, of which no code is seen, is trained: that shows later."""
    wanted = m.requires_grad(tensor)
    if isinstance(wanted, Either):
        return wanted.then is True
    return wanted is True and m.is_leaf(tensor) is False


def sparse(m: Machine, call: Invocation) -> object:
    """`torch.sparse_coo_tensor(indices, values)`: by default where the values are; their graph goes through it."""
    values = m.resolve(call.argument(1 if call.short_name == "sparse_coo_tensor" else 2, "values"))
    tensor = m.tensor_of(values, infer=False)
    if tensor is None and isinstance(values, (Symbol, Either)):
        return m.unknown(call.node)
    if tensor is not None and m.requires_grad(tensor) is not False:
        return m.unknown(call.node)
    given = {
        key: value for key, value in call.keywords.items() if key in ("device", "dtype", "requires_grad")
    }
    if tensor is not None:
        given.setdefault("device", DeviceValue(m.device(tensor)))
    dtype = dtype_name(m.resolve(given.get("dtype", NONE))) or (None if tensor is None else tensor.dtype)
    operation = Operation(call.name, (), Result.NEW)
    return creation.created(m, operation, call.node, given, [], dtype or "?", call)


def as_tensor(m: Machine, call: Invocation) -> object:
    """`torch.as_tensor(data)`: a tensor stays itself, moved where asked."""
    data = m.resolve(call.argument(0, "data")) if call.argument(0, "data") is not None else NONE
    tensor = m.tensor_of(data, infer=isinstance(data, Symbol) and is_given_as_tensor(data))
    if tensor is not None:
        device = (
            narrowing.device_of(m, call.keywords["device"])
            if "device" in call.keywords
            else m.state.get(AMBIENT, "device")
        )
        dtype = call.keywords.get("dtype") or (
            call.argument(1, "dtype") if call.short_name == "as_tensor" else None
        )
        if device is None and (dtype is None or m.resolve(dtype) == NONE):
            return tensor
        return moves.placed(m, call, tensor, None if device is None else DeviceValue(device), dtype)
    if isinstance(data, Symbol) and data.hint in ("", "tensor") and "device" not in call.keywords:
        return m.unknown(call.node)
    return tensor_(m, call)


def is_given_as_tensor(data: Symbol) -> bool:
    """Whether somebody gives a tensor, as the annotation says; what is only used like one may be an array as well."""
    written = data.site.node if data.site is not None else None
    return data.hint == "tensor" and isinstance(written, ast.arg) and written.annotation is not None


def from_numpy(m: Machine, call: Invocation) -> object:
    result = creation.created(m, Operation(call.name, (), Result.CPU_TENSOR), call.node, {}, [], "?", call)
    result.dtype = numpy_dtypes.dtype_of(m, call.argument(0, "ndarray"))
    result.nonscalar = True
    result.shape = None
    m.state.set(result, "#from numpy", True)
    _cut_by_numpy(m, m.resolve(call.argument(0, "ndarray")), result)
    return result


def _cut_by_numpy(m: Machine, data: object, result: TensorValue) -> None:
    """What was computed by numpy was cut where numpy was given a tensor without its graph."""
    source = m.state.get(data, "read from") if isinstance(data, InstanceValue) else None
    step = m.state.get(source, "grad_step", source.grad_step) if isinstance(source, TensorValue) else None
    if isinstance(step, Step) and step.kind == "cut" and result.requires_grad is False:
        result.grad_step = step


def numel(m: Machine, call: Invocation) -> object:
    """`x.numel()`: how many elements, where all sizes are known."""
    tensor = m.tensor_of(call.argument(0, "input"), infer=False) if call.arguments else None
    known = (
        [] if tensor is None or tensor.shape is None else [size for size in tensor.shape if size is not None]
    )
    if tensor is None or tensor.shape is None or len(known) != len(tensor.shape):
        return Symbol(("number", m.fresh_number()), f"{call.short_name}()", hint="number", named=True)
    return constant_folding.kept(math.prod(known)) or m.unknown(call.node)


def is_kind(m: Machine, call: Invocation) -> object:
    """`x.is_floating_point()`, `x.is_complex()`: as the dtype says, where it is known."""
    tensor = m.tensor_of(call.arguments[0], infer=False) if call.arguments else None
    if tensor is None or tensor.dtype is None or tensor.dtype == "float":
        return narrowing.test_of(("fresh", m.fresh_number()), call.short_name)
    prefixes = ("float", "bfloat") if call.short_name == "is_floating_point" else ("complex",)
    return Const(tensor.dtype.startswith(prefixes))


def variable(m: Machine, call: Invocation) -> object:
    """`Variable(tensor)`: since torch 0.4 a new leaf that shares the memory, outside the graph."""
    tensor = m.tensor_of(call.arguments[0]) if call.arguments else None
    if tensor is None:
        return m.unknown(call.node)
    flag = call.argument(1, "requires_grad")
    wanted = False if flag is None else m.truth(flag)
    if wanted is True:
        moments.grad_asked_for(m, call.node, "requires_grad=True", tensor.dtype, None)
    before = m.state.get(tensor, "grad_step", tensor.grad_step)
    kind = "requires" if wanted is True else "cut"
    told = (
        "created with requires_grad=True"
        if wanted is True
        else "`Variable(...)` starts anew, outside the graph"
    )
    step = Step(told, m.site(call.node), before if isinstance(before, Step) else None, kind=kind)
    return TensorValue(
        device=m.device(tensor),
        requires_grad=wanted,
        leaf=True,
        dtype=tensor.dtype,
        shape=tensor.shape,
        nonscalar=tensor.nonscalar,
        storage=tensor.storage,
        origin=m.site(call.node),
        device_step=tensor.device_step,
        grad_step=step,
    )


def _made_for_it(m: Machine, data: TensorValue, expression: ast.expr | None) -> bool:
    """Whether all leaves behind a tensor were made in one expression: nobody has them, so nobody misses their gradients."""
    if expression is None:
        return False
    here, ahead, seen = set(walk(expression)), [m.node(data)], set[Node]()
    while ahead:
        node = ahead.pop()
        if not isinstance(node, Node):
            return False
        seen.add(node)
        for tensor in node.inputs:
            if m.requires_grad(tensor) is False:
                continue
            if m.is_leaf(tensor) is not True:
                ahead += [each for each in (m.node(tensor),) if each not in seen]
            elif tensor.origin is None or tensor.origin.node not in here:
                return False
    return True


def _replaces_its_source(m: Machine, call: Invocation) -> bool:
    """Whether the attribute that a Parameter is assigned to is in what it is made of: `self.mean = Parameter(0.9 * self.mean + x)`."""
    statement = m.frame.statement
    if not isinstance(statement, ast.Assign) or statement.value is not call.node:
        return False
    texts = {m.text(each) for each in statement.targets if isinstance(each, ast.Attribute)}
    return any(isinstance(each, ast.Attribute) and m.text(each) in texts for each in walk(statement.value))


def parameter(m: Machine, call: Invocation) -> object:
    """`nn.Parameter(data)`: a leaf that shares the data."""
    given = call.argument(0, "data")
    data = m.tensor_of(given) if given is not None else None
    flag = call.argument(1, "requires_grad")
    wanted: object = True if flag is None else m.truth(flag)
    device = CPU if data is None else m.device(data)
    step = m.state.get(data, "device_step", data.device_step) if data is not None else None
    if data is not None and wanted is True:
        moments.grad_asked_for(m, call.node, "a Parameter", data.dtype, None)
    if (
        data is not None
        and data.symbol is None
        and m.requires_grad(data) is True
        and m.is_leaf(data) is False
        and _in_forward(m)
        and not _replaces_its_source(m, call)
        and not _made_for_it(m, data, call.nodes[0] if call.nodes else None)
    ):
        cut = Step(
            f"`{call.short_name}(...)` starts a new graph", m.site(call.node), data.grad_step, kind="cut"
        )
        text = m.text(call.nodes[0]) if call.nodes and call.nodes[0] is not None else m.text(call.node)
        m.emit(GraphCutHidden(m.site(call.node), m.frame.statement, f"{call.short_name}(...)", text, cut))
        m.state.set(data, tensor_facts.TAKEN_FOR_PARAMETER, True)
        return data  # go on as if the graph went on
    result = TensorValue(
        device=device,
        requires_grad=wanted,
        leaf=True,
        dtype=data.dtype if data is not None else None,
        shape=data.shape if data is not None else None,
        nonscalar=data.nonscalar if data is not None else False,
        storage=data.storage if data is not None else Storage(),
        is_parameter=True,
        origin=m.site(call.node),
        device_step=Step(
            f"a parameter made by `{m.text(call.node)}`",
            m.site(call.node),
            step if isinstance(step, Step) else None,
            kind="built",
        ),
        grad_step=Step("a parameter", m.site(call.node), kind="requires"),
    )
    if data is not None and data.symbol is None and wanted is True:
        m.state.set(data, tensor_attributes.PARAMETER_OF, result)
    return result


def _in_forward(m: Machine) -> bool:
    """Whether a module computes: elsewhere a Parameter made of others may be meant to start anew."""
    return m.grad_enabled() is True and any(
        each.function is not None and each.function.name == "forward" and each.receiver is not None
        for each in m.frames
    )
