"""Operations that the vocabulary of effects cannot say: one named function each."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.interpreter import (
    batches,
    checkpoints,
    classes_special,
    constructors,
    contexts,
    custom_functions,
    distributions,
    frameworks,
    graph_checks,
    host,
    mappings,
    mixing,
    modes,
    modules,
    narrowing,
    observations,
    optimizers,
    placement,
    presumed,
    tensor_attributes,
    training,
)
from devls.interpreter.events import BackwardWithoutGraph, GraphCopied, GraphCutHidden
from devls.interpreter.joins import Contents, Entries
from devls.interpreter.shapes import dtype_name
from devls.library.effects import Differentiable, Operation, Result, Role
from devls.values.conditions import ACCELERATOR_PRESENT, Either, negation
from devls.values.devices import CPU, CUDA, UNKNOWN_DEVICE, KnownDevice, NamedDevice, describe
from devls.values.graph import Node, Storage
from devls.values.history import Site, Step
from devls.values.state import AMBIENT
from devls.values.value import (
    FALSE,
    NONE,
    TRUE,
    BoundMethod,
    ClassValue,
    Const,
    DeviceValue,
    FunctionValue,
    InstanceValue,
    LibraryName,
    Mapping,
    NativeFunction,
    PartialValue,
    Sequence,
    Symbol,
    TensorValue,
    TupleValue,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from devls.interpreter.invocation import Invocation
    from devls.interpreter.machine import Machine

# Tensors


def to(m: Machine, call: Invocation) -> object:
    receiver = m.resolve(call.receiver)
    tensor = m.tensor_of(receiver)
    return m.unknown(call.node) if tensor is None else placement.move_tensor(m, call, tensor)


def type_(m: Machine, call: Invocation) -> object:
    """`x.type(dtype)`, `x.type(torch.cuda.FloatTensor)`."""
    tensor = m.tensor_of(call.receiver)
    if tensor is None or len(call.arguments) < 2:
        return Symbol(("string", m.fresh_number()), "a type", hint="string")
    wanted = m.resolve(call.arguments[1])
    if isinstance(wanted, LibraryName) and wanted.name.startswith("torch.cuda."):
        return _moved(m, call, tensor, CUDA)
    return placement.move_tensor(m, call, tensor)


def cast(m: Machine, call: Invocation) -> object:
    """`x.half()`: `x.to(torch.float16)`."""
    from devls.interpreter.invocation import Invocation as Call  # noqa: PLC0415  one use

    tensor = m.tensor_of(call.receiver)
    if tensor is None:
        return m.unknown(call.node)
    dtype = LibraryName(f"torch.{_CASTS[call.short_name]}")
    moved = Call(
        "torch.Tensor.to", [tensor, dtype], {}, call.node, [call.receiver_node, None], {}, is_method=True
    )
    return placement.move_tensor(m, moved, tensor)


_CASTS: Final = {"half": "float16", "float": "float32", "double": "float64", "bfloat16": "bfloat16"}


def type_as(m: Machine, call: Invocation) -> object:
    """`x.type_as(other)`: dtype and device of the other."""
    tensor = m.tensor_of(call.receiver)
    other = m.tensor_of(call.argument(1, "other")) if call.argument(1, "other") is not None else None
    if tensor is None:
        return m.unknown(call.node)
    return _moved(m, call, tensor, UNKNOWN_DEVICE if other is None else m.device(other))


def _moved(m: Machine, call: Invocation, tensor: TensorValue, device: object) -> TensorValue:
    from devls.interpreter.invocation import Invocation as Call  # noqa: PLC0415  one use

    moved = Call(
        "torch.Tensor.to",
        [tensor, DeviceValue(device)],
        {},
        call.node,
        [call.receiver_node, None],
        {},
        is_method=True,
    )
    return placement.move_tensor(m, moved, tensor)


def detach(m: Machine, call: Invocation) -> object:
    tensor = m.tensor_of(call.receiver)
    if tensor is None:
        return m.unknown(call.node)
    return tensor_attributes.detached(m, call.node, tensor, f"`{m.text(call.node)}` is outside the graph")


def detach_(m: Machine, call: Invocation) -> object:
    tensor = m.tensor_of(call.receiver)
    if tensor is None:
        return m.unknown(call.node)
    m.state.set(tensor, "requires_grad", False)
    m.state.set(tensor, "leaf", True)
    m.state.set(tensor, "node", None)
    m.state.set(tensor, "grad_step", Step(f"`{m.text(call.node)}` cut it off", m.site(call.node), kind="cut"))
    return tensor


def requires_grad_(m: Machine, call: Invocation) -> object:
    tensor = m.tensor_of(call.receiver)
    if tensor is None:
        return call.receiver
    flag = call.argument(1, "requires_grad")
    wanted = True if flag is None else m.truth(flag)
    if wanted is True:
        observations.requires_grad(m, call.node, "requires_grad_()", tensor.dtype, None)
        graph_checks.used_in_place(
            m, call.node, m.text(call.receiver_node or call.node), tensor, "requires grad"
        )
    step = m.state.get(tensor, "grad_step", tensor.grad_step)
    if (
        wanted is True
        and m.requires_grad(tensor) is False
        and tensor.shape == ()
        and isinstance(step, Step)
        and step.kind == "cut"
    ):
        m.emit(
            GraphCutHidden(
                m.site(call.node),
                m.frame.statement,
                "requires_grad_()",
                m.text(call.receiver_node or call.node),
                step,
            )
        )
    if m.requires_grad(tensor) is None and wanted is True and not isinstance(m.node(tensor), Node):
        # Nobody asks this of a tensor that has a graph already.
        m.state.set(tensor, "leaf", True)
        m.state.set(tensor, "node", None)
    m.state.set(tensor, "requires_grad", wanted)
    if wanted is True:
        m.state.set(tensor, "grad_step", Step(f"`{m.text(call.node)}`", m.site(call.node), kind="requires"))
    return tensor


def retain_grad(m: Machine, call: Invocation) -> object:
    tensor = m.tensor_of(call.receiver)
    if tensor is not None:
        m.state.set(tensor, "retains", m.fresh_number())
    return NONE


def backward(m: Machine, call: Invocation) -> object:
    tensor = m.tensor_of(call.receiver)
    if tensor is None:
        return NONE
    number = tensor.symbol
    if (
        number is not None
        and number.site is not None
        and isinstance(m.state.get(number, "read from"), TensorValue)
    ):
        cut = Step(f"`{number.text}` is a Python number", number.site, kind="cut")
        text = m.text(call.receiver_node or call.node)
        m.emit(BackwardWithoutGraph(m.site(call.node), m.frame.statement, text, cut, is_number=True))
        training.open_backward(m, call.node)
        return NONE
    retain = call.keyword(m, "retain_graph")
    if retain is None and len(call.arguments) > 2:
        retain = m.resolve(call.arguments[2])
    keep = _keeps_graph(m, call, retain)
    gradient = call.argument(1, "gradient")
    training.backward(
        m,
        call.node,
        tensor,
        call.receiver_node,
        retain=keep,
        has_gradient=gradient is not None and m.resolve(gradient) != NONE,
    )
    m.state.set("backward", "last", (m.site(call.node), m.frame.statement, m.frame.scope, m.fresh_number()))
    return NONE


def _keeps_graph(m: Machine, call: Invocation, retain: object) -> object:
    """Whether a backward leaves the graph: True, False, or None; remembers when gradients get graphs of their own."""
    create = call.keyword(m, "create_graph")
    keep: object = False
    for given in (retain, create):
        if given is not None and given != NONE:
            decided = m.truth(given)
            keep = True if decided is True else keep if decided is False else None
    if create not in (None, NONE, FALSE):
        m.state.set("backward", "creates", True)
    return keep


def autograd_backward(m: Machine, call: Invocation) -> object:
    first = m.resolve(call.argument(0, "tensors"))
    roots = first.items if isinstance(first, TupleValue) else [first]
    if isinstance(first, Sequence):
        contents = m.state.get(first, "#items")
        roots = list(contents.items or ()) if isinstance(contents, Contents) else []
    for root in roots:
        tensor = m.tensor_of(root)
        if tensor is not None:
            keep = _keeps_graph(m, call, call.keyword(m, "retain_graph"))
            training.backward(
                m,
                call.node,
                tensor,
                call.argument_node(0, "tensors"),
                retain=None if len(roots) > 1 else keep,
                has_gradient=True,
            )
    return NONE


def _asks_constants(m: Machine, call: Invocation, targets: Iterable[TensorValue | None]) -> bool:
    """Report the first tensor that requires no grad and whose gradient is asked for."""
    for each in targets:
        if each is None or each.symbol is not None or m.requires_grad(each) is not False:
            continue
        if m.state.get(each, "#escaped") is not None:
            continue
        node = call.argument_node(1, "inputs")
        step = m.state.get(each, "grad_step", each.grad_step)
        text = m.text(node) if node is not None else "the input"
        cut = step if isinstance(step, Step) else None
        m.emit(BackwardWithoutGraph(m.site(call.node), m.frame.statement, text, cut, is_input=True))
        return True
    return False


def autograd_grad(m: Machine, call: Invocation) -> object:
    """`torch.autograd.grad(outputs, inputs)`: walks the graph, fills no `.grad`."""
    outputs = m.resolve(call.argument(0, "outputs"))
    create = call.keyword(m, "create_graph")
    retain = call.keyword(m, "retain_graph")
    creates = create is not None and m.truth(create) is not False
    keeps = creates if retain is None or retain == NONE else m.truth(retain)
    items = outputs.items if isinstance(outputs, TupleValue) else None
    if items is None and isinstance(outputs, Sequence):
        contents = m.state.get(outputs, "#items")
        items = contents.items if isinstance(contents, Contents) else ()
    inputs = m.resolve(call.argument(1, "inputs"))
    wanted = inputs.items if isinstance(inputs, TupleValue) else None
    if isinstance(inputs, Sequence):
        contents = m.state.get(inputs, "#items")
        wanted = contents.items if isinstance(contents, Contents) and contents.element is None else None
    listed = not isinstance(inputs, Sequence) or wanted is not None
    targets = (
        [m.tensor_of(each) for each in (wanted if wanted is not None else [inputs])] if listed else [None]
    )
    if _asks_constants(m, call, targets):
        return m.unknown(call.node)
    for root in items if items is not None else [outputs]:
        tensor = m.tensor_of(root)
        if tensor is not None:
            training.backward(
                m,
                call.node,
                tensor,
                call.argument_node(0, "outputs"),
                retain=keeps if keeps in (True, False) else None,
                has_gradient=(items is not None and len(items) > 1)
                or call.argument(2, "grad_outputs") not in (None, NONE),
                accumulate=False,
                only=[each for each in targets if each is not None]
                if all(each is not None for each in targets)
                else None,
            )
    if not listed:
        return m.unknown(call.node)
    grads: list[object] = []
    for each in wanted if wanted is not None else [inputs]:
        tensor = m.tensor_of(each)
        if tensor is None:
            grads.append(m.unknown())
            continue
        needs = None if creates else False
        grads.append(
            TensorValue(
                device=m.device(tensor),
                requires_grad=needs,
                leaf=negation(needs),
                dtype=tensor.dtype,
                shape=tensor.shape,
                nonscalar=tensor.nonscalar,
                storage=Storage(),
                origin=m.site(call.node),
                device_step=tensor.device_step,
                node=Node("torch.autograd.grad", (), m.site(call.node), (), keeps=None, open=True)
                if creates
                else None,
            )
        )
    return TupleValue(tuple(grads))


def numpy_(m: Machine, call: Invocation) -> object:
    tensor = m.tensor_of(call.receiver)
    if tensor is None:
        return m.unknown(call.node)
    if call.keyword(m, "force") != TRUE:
        node = call.node if isinstance(call.node, ast.Call) else None
        host.read(m, call.node, ".numpy()", mixing.operand(m, tensor, call.receiver_node), node)
    return host.array(m, call.node)


def size(m: Machine, call: Invocation) -> object:
    tensor = m.tensor_of(call.receiver)
    if tensor is None:
        return m.unknown(call.node)
    shape = tensor_attributes.get(m, call.node, call.receiver_node, tensor, "shape")
    if len(call.arguments) == 1 and not call.keywords:
        return shape
    index = m.resolve(call.argument(1, "dim"))
    if (
        isinstance(shape, TupleValue)
        and isinstance(index, Const)
        and isinstance(index.value, int)
        and -len(shape.items) <= index.value < len(shape.items)
    ):
        return shape.items[index.value]
    key = index if isinstance(index, Const) else m.fresh_number()
    return Symbol(("size", id(tensor), key), "a size", hint="number", named=True)


def dim(m: Machine, call: Invocation) -> object:
    tensor = m.tensor_of(call.receiver)
    if tensor is not None and tensor.rank is not None:
        return Const(tensor.rank)
    return Symbol(("ndim", id(tensor)), "ndim", hint="number")


def new_tensor(m: Machine, call: Invocation) -> object:
    """`x.new_tensor(data)`: a copy outside any graph, by default where `x` is and of its dtype."""
    from devls.interpreter.invocation import Invocation as Call  # noqa: PLC0415  one use

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


def tensor_(m: Machine, call: Invocation) -> object:
    """`torch.tensor(data)`: a copy outside any graph, on the default device."""
    from devls.interpreter import operations  # noqa: PLC0415  a cycle otherwise

    data = m.resolve(call.argument(0, "data")) if call.argument(0, "data") is not None else NONE
    operation = Operation("torch.tensor", (), Result.NEW)
    given = {
        key: value for key, value in call.keywords.items() if key in ("device", "dtype", "requires_grad")
    }
    dtype = dtype_name(m.resolve(given["dtype"])) if "dtype" in given else None
    result = operations.created(m, operation, call.node, given, [], dtype or "?", call)
    shape, guessed = literal(m, data)
    result.shape = shape
    result.nonscalar = bool(shape) or isinstance(data, (TupleValue, Sequence))  # a list has a dimension
    result.dtype = dtype or guessed
    if result.requires_grad is True:
        observations.requires_grad(
            m, call.node, "requires_grad=True", result.dtype, call.argument_node(0, "data")
        )
    source = _graph_source(m, data)
    if source is None and result.requires_grad is True:
        # Numbers may start a graph of their own: whether that hides a cut shows in backward.
        read = _number_source(m, data)
        if read is not None:
            step = Step(f"`{' '.join(read.text.split())}` reads the number, not the graph", read, kind="cut")
            event = GraphCutHidden(
                m.site(call.node), m.frame.statement, f"{call.short_name}(...)", m.text(call.node), step
            )
            m.state.set(result, "hides a cut", event)
    if source is not None:
        before = m.state.get(source, "grad_step", source.grad_step)
        result.grad_step = Step(
            f"`{call.short_name}(...)` copies the numbers, not the graph",
            m.site(call.node),
            before if isinstance(before, Step) else None,
            kind="cut",
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
    tensor = m.tensor_of(data, infer=False)
    if tensor is not None:
        result.shape, result.nonscalar = tensor.shape, tensor.nonscalar
        if "device" not in call.keywords:
            # A copy of a tensor stays where the tensor is.
            result.device = m.device(tensor)
            result.device_step = tensor.device_step
    return result


def _graph_source(m: Machine, data: object) -> TensorValue | None:
    tensor = m.tensor_of(data, infer=False)
    if tensor is not None:
        return tensor if m.requires_grad(tensor) is True else None
    items: tuple[object, ...] = ()
    if isinstance(data, TupleValue):
        items = data.items
    elif isinstance(data, Sequence):
        contents = m.state.get(data, "#items")
        if isinstance(contents, Contents):
            items = (*(contents.items or ()), contents.element)
    for each in items:
        found = _graph_source(m, m.resolve(each)) if each is not None else None
        if found is not None:
            return found
    return None


def _number_source(m: Machine, data: object) -> Site | None:
    """Where a number among `data` was read from the result of a graph."""
    if isinstance(data, Symbol):
        source = m.state.get(data, "read from")
        if isinstance(source, TensorValue) and m.requires_grad(source) is True and m.is_leaf(source) is False:
            return data.site
        return None
    items: tuple[object, ...] = ()
    if isinstance(data, TupleValue):
        items = data.items
    elif isinstance(data, Sequence):
        contents = m.state.get(data, "#items")
        if isinstance(contents, Contents):
            items = contents.items or ()
    return next((found for each in items if (found := _number_source(m, m.resolve(each))) is not None), None)


def literal(m: Machine, data: object) -> tuple[tuple[int | None, ...] | None, str | None]:
    """Shape and dtype of literal data."""
    if isinstance(data, Const):
        kind = {bool: "bool", int: "int64", float: "float32", complex: "complex64"}.get(type(data.value))
        return ((), kind) if kind is not None else (None, None)
    if isinstance(data, Symbol):
        return (
            ((), None)
            if data.hint == "number" and data.named is False and data.text == "a number"
            else (None, None)
        )
    items: tuple[object, ...] | None = None
    if isinstance(data, TupleValue):
        items = data.items
    elif isinstance(data, Sequence):
        contents = m.state.get(data, "#items")
        if isinstance(contents, Contents):
            items = contents.items
            if items is None or contents.element is not None:
                inner = m.resolve(contents.element)
                shape, kind = literal(m, inner) if inner is not None else (None, None)
                return ((None, *shape) if shape is not None else None), kind
    if items is None:
        return None, None
    if not items:
        return (0,), "float32"
    shape, kind = literal(m, m.resolve(items[0]))
    kinds = {literal(m, m.resolve(each))[1] for each in items}
    if "float32" in kinds:
        kind = "float32"
    if None in kinds:
        kind = None
    return ((len(items), *shape) if shape is not None else None), kind


def as_tensor(m: Machine, call: Invocation) -> object:
    """`torch.as_tensor(data)`: a tensor stays itself, moved where asked."""
    data = m.resolve(call.argument(0, "data")) if call.argument(0, "data") is not None else NONE
    tensor = m.tensor_of(data, infer=False)
    if tensor is not None:
        device = narrowing.device_of(m, call.keywords["device"]) if "device" in call.keywords else None
        return tensor if device is None else _moved(m, call, tensor, device)
    if isinstance(data, Symbol) and data.hint == "" and "device" not in call.keywords:
        return m.unknown(call.node)
    return tensor_(m, call)


def from_numpy(m: Machine, call: Invocation) -> object:
    from devls.interpreter import operations  # noqa: PLC0415  a cycle otherwise

    result = operations.created(m, Operation(call.name, (), Result.CPU_TENSOR), call.node, {}, [], "?", call)
    result.dtype = None
    result.nonscalar = True
    result.shape = None
    return result


def variable(m: Machine, call: Invocation) -> object:
    """`Variable(tensor)`: since torch 0.4 the tensor itself."""
    tensor = m.tensor_of(call.arguments[0]) if call.arguments else None
    if tensor is None:
        return m.unknown(call.node)
    if call.keyword(m, "requires_grad") == TRUE:
        m.state.set(tensor, "requires_grad", True)
    return tensor


def parameter(m: Machine, call: Invocation) -> object:
    """`nn.Parameter(data)`: a leaf that shares the data."""
    given = call.argument(0, "data")
    data = m.tensor_of(given) if given is not None else None
    flag = call.argument(1, "requires_grad")
    wanted: object = True if flag is None else m.truth(flag)
    device = CPU if data is None else m.device(data)
    step = m.state.get(data, "device_step", data.device_step) if data is not None else None
    if data is not None and wanted is True:
        observations.requires_grad(m, call.node, "a Parameter", data.dtype, None)
    if (
        data is not None
        and data.symbol is None
        and m.requires_grad(data) is True
        and m.is_leaf(data) is False
        and _in_forward(m)
    ):
        cut = Step(
            f"`{call.short_name}(...)` starts a new graph", m.site(call.node), data.grad_step, kind="cut"
        )
        text = m.text(call.nodes[0]) if call.nodes and call.nodes[0] is not None else m.text(call.node)
        m.emit(GraphCutHidden(m.site(call.node), m.frame.statement, f"{call.short_name}(...)", text, cut))
        return data  # go on as if the graph went on
    return TensorValue(
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


def _in_forward(m: Machine) -> bool:
    """Whether a module computes: elsewhere a Parameter made of others may be meant to start anew."""
    return m.grad_enabled() is True and any(
        each.function is not None and each.function.name == "forward" and each.receiver is not None
        for each in m.frames
    )


def deepcopy(m: Machine, call: Invocation) -> object:
    """`copy.deepcopy(x)`: new tensors and modules; torch refuses tensors that are no leaves."""
    value = m.resolve(call.arguments[0]) if call.arguments else NONE
    return _copied(m, value, call, {})


def _copied(
    m: Machine, value: object, call: Invocation, seen: dict[int, object], attribute: str = ""
) -> object:
    value = m.resolve(value)
    if id(value) in seen:
        return seen[id(value)]
    if isinstance(value, TensorValue):
        if m.is_leaf(value) is False and m.requires_grad(value) is True and value.symbol is None:
            given = call.nodes[0]
            alone = given if m.resolve(call.arguments[0]) is value else None
            text = m.text(given or call.node)
            kept = m.state.get(value, "kept at")
            place, kept_value = kept if isinstance(kept, tuple) else (None, None)
            m.emit(
                GraphCopied(
                    m.site(call.node),
                    m.frame.statement,
                    text,
                    attribute,
                    alone,
                    value.origin,
                    place,
                    kept_value,
                )
            )
        result: object = TensorValue(
            device=m.device(value),
            requires_grad=m.requires_grad(value),
            leaf=True,
            dtype=value.dtype,
            shape=value.shape,
            nonscalar=value.nonscalar,
            storage=Storage(),
            is_parameter=value.is_parameter,
            origin=m.site(call.node),
            device_step=m.state.get(value, "device_step", value.device_step),  # type: ignore[arg-type]
            grad_step=value.grad_step,
        )
        seen[id(value)] = result
        return result
    if isinstance(value, InstanceValue) and (modules.is_module(m, value) or value.cls is not None):
        copied = InstanceValue(value.cls, value.library, m.site(call.node))
        seen[id(value)] = copied
        for name, each in modules.entries(m, value):
            modules.set_slot(m, copied, name, _copied(m, each, call, seen, attribute or name))
        contents = m.state.get(value, "#children")
        if isinstance(contents, Contents):
            items = (
                None
                if contents.items is None
                else tuple(_copied(m, each, call, seen) for each in contents.items)
            )
            element = None if contents.element is None else _copied(m, contents.element, call, seen)
            m.state.set(copied, "#children", Contents(items, element))
        for slot in ("#buffers", "training", "#given", "#open", "#inplace", "built in forward"):
            kept = m.state.get(value, slot)
            if kept is not None:
                m.state.set(copied, slot, kept)
        return copied
    if isinstance(value, Sequence):
        contents = m.state.get(value, "#items")
        made = m.new_list((), call.node, value.kind)
        if isinstance(contents, Contents):
            items = (
                None
                if contents.items is None
                else tuple(_copied(m, each, call, seen, attribute) for each in contents.items)
            )
            m.state.set(made, "#items", Contents(items, contents.element))
        return made
    if isinstance(value, Mapping):
        entries = m.state.get(value, "#entries")
        if isinstance(entries, Entries):
            return m.new_dict(
                {key: _copied(m, each, call, seen, attribute) for key, each in entries.known.items()},
                entries.rest,
            )
    if isinstance(value, TupleValue):
        return TupleValue(tuple(_copied(m, each, call, seen, attribute) for each in value.items))
    return value if isinstance(value, Const) else m.unknown(call.node)


# Devices and modes


def device(m: Machine, call: Invocation) -> object:
    """`torch.device(...)`."""
    given = call.argument(0, "device") or call.keywords.get("type")
    if given is None:
        return DeviceValue(UNKNOWN_DEVICE)
    resolved = m.resolve(given)
    if isinstance(resolved, Const) and isinstance(resolved.value, str):
        placement.check_device_string(m, call.node, resolved.value, call.argument_node(0, "device"))
    index = call.argument(1, "index")
    found = narrowing.device_of(m, resolved)
    if index is not None and isinstance(found, KnownDevice):
        number = m.resolve(index)
        found = (
            KnownDevice(found.type, number.value)
            if isinstance(number, Const) and isinstance(number.value, int)
            else found
        )
    if isinstance(resolved, Symbol) and resolved.hint == "string" and not isinstance(found, NamedDevice):
        found = NamedDevice(resolved.key, resolved.text)
    return DeviceValue(UNKNOWN_DEVICE if found is None else found, origin=m.site(call.node))


def accelerator_present(_m: Machine, _call: Invocation) -> object:
    return narrowing.as_value(Either(ACCELERATOR_PRESENT, True, False))


def mps_present(m: Machine, _call: Invocation) -> object:
    del m
    return narrowing.test_of("mps present", "mps is available")


def device_count(_m: Machine, _call: Invocation) -> object:
    return Symbol("device count", "torch.cuda.device_count()", hint="number", named=True)


def current_device(m: Machine, _call: Invocation) -> object:
    index = m.state.get(AMBIENT, "cuda index")
    return DeviceValue(CUDA) if index is None else index


def current_accelerator(_m: Machine, _call: Invocation) -> object:
    return DeviceValue(NamedDevice("current accelerator", "torch.accelerator.current_accelerator()"))


def set_cuda_device(m: Machine, call: Invocation) -> object:
    m.state.set(AMBIENT, "cuda index", call.argument(0, "device"))
    return NONE


def set_default_device(m: Machine, call: Invocation) -> object:
    found = narrowing.device_of(m, call.arguments[0]) if call.arguments else CPU
    m.state.set(AMBIENT, "device", found)
    m.state.set(AMBIENT, "default set", m.site(call.node))
    m.sets_default_device = True
    return NONE


def set_default_tensor_type(m: Machine, call: Invocation) -> object:
    value = m.resolve(call.arguments[0]) if call.arguments else NONE
    name = value.name if isinstance(value, LibraryName) else str(getattr(value, "value", ""))
    m.state.set(
        AMBIENT, "device", CUDA if "cuda" in name else CPU if name.startswith("torch.") else UNKNOWN_DEVICE
    )
    return NONE


def grad_mode(m: Machine, call: Invocation) -> object:
    """`torch.no_grad()`, `torch.set_grad_enabled(flag)`: a context manager; the latter acts at once."""
    if call.arguments and isinstance(m.resolve(call.arguments[0]), FunctionValue):
        from devls.interpreter import classes  # noqa: PLC0415  a cycle otherwise

        function = m.resolve(call.arguments[0])
        assert isinstance(function, FunctionValue)  # noqa: S101  just looked
        return classes.replaced(function, grad_mode=classes.GRAD_MODES[call.name])
    instance = InstanceValue(None, call.name, m.site(call.node))
    if call.arguments or call.keywords:
        m.state.set(
            instance, "#argument", call.arguments[0] if call.arguments else next(iter(call.keywords.values()))
        )
    statement = m.frame.statement
    if (
        call.short_name == "set_grad_enabled"
        and isinstance(statement, ast.Expr)
        and statement.value is call.node
        and call.arguments
    ):
        m.state.set(AMBIENT, "grad", m.truth(call.arguments[0]))
        m.state.set(AMBIENT, "grad set", m.site(call.node))
    return instance


def is_grad_enabled(m: Machine, _call: Invocation) -> object:
    value = narrowing.as_value(m.grad_enabled())
    return m.unknown() if value is None else value


def instance(m: Machine, call: Invocation) -> object:
    """An object of a library class of which only the first argument matters."""
    result = InstanceValue(None, call.name, m.site(call.node))
    if call.arguments:
        m.state.set(result, "#argument", call.arguments[0])
    for key, value in call.keywords.items():
        m.state.set(result, key, value)
    return result


def is_tensor(m: Machine, call: Invocation) -> object:
    return narrowing.is_instance(
        m, call.arguments[0] if call.arguments else NONE, LibraryName("torch.Tensor")
    )


# Data, functions and other libraries


def data_loader(m: Machine, call: Invocation) -> object:
    result = InstanceValue(None, "torch.utils.data.DataLoader", m.site(call.node))
    dataset = call.argument(0, "dataset")
    observations.loader_made(m, call)
    m.state.set(result, "dataset", m.unknown() if dataset is None else dataset)
    if "collate_fn" in call.keywords:
        m.state.set(result, "collate_fn", call.keywords["collate_fn"])
    return result


def tensor_dataset(m: Machine, call: Invocation) -> object:
    result = InstanceValue(None, "torch.utils.data.TensorDataset", m.site(call.node))
    m.state.set(result, "dataset items", tuple(call.arguments))
    return result


def random_split(m: Machine, call: Invocation) -> object:
    result = m.new_list((), call.node)
    part = InstanceValue(None, "torch.utils.data.Subset", m.site(call.node))
    m.state.set(part, "#argument", call.arguments[0] if call.arguments else m.unknown())
    m.state.set(result, "#items", Contents(None, part))
    return result


def checkpoint(m: Machine, call: Invocation) -> object:
    """`checkpoint(function, *args)`: the function's result, its graph not walked into."""
    from devls.interpreter import calls  # noqa: PLC0415  a cycle otherwise

    keywords = {
        key: value
        for key, value in call.keywords.items()
        if key not in ("use_reentrant", "preserve_rng_state")
    }
    if not call.arguments:
        return m.unknown(call.node)
    observations.checkpointed(m, call)
    return calls.call(m, call.arguments[0], call.arguments[1:], keywords, call.node, call.nodes[1:])


def first_argument(_m: Machine, call: Invocation) -> object:
    """Returns what it is given, for our purposes: `torch.compile`, `tqdm`."""
    if call.arguments:
        return call.arguments[0]
    return next(iter(call.keywords.values()), NONE)


def chain(m: Machine, call: Invocation) -> object:
    """`itertools.chain(a, b)`: the items of each."""
    from devls.interpreter import iteration  # noqa: PLC0415  a cycle otherwise

    found: list[object] = []
    whole = "*" not in call.keywords
    for value, node in zip(call.arguments, call.nodes, strict=False):
        items = iteration.items(m, value, node)
        if items is None:
            whole = False
            found.append(iteration.element(m, value, node, 0))
        else:
            found += items
    result = m.new_list((), call.node, "iterator")
    m.state.set(
        result, "#items", Contents(tuple(found)) if whole else Contents(None, m.any_of((*found, m.unknown())))
    )
    return result


def identity_decorator(m: Machine, call: Invocation) -> object:
    """A decorator factory that changes nothing that matters: `functools.wraps(f)`."""
    del m, call
    return NativeFunction("identity", lambda arguments, _keywords: arguments[0] if arguments else NONE)


def compile_(m: Machine, call: Invocation) -> object:
    if call.arguments:
        return call.arguments[0]
    return identity_decorator(m, call)


def partial(m: Machine, call: Invocation) -> object:
    if not call.arguments:
        return m.unknown(call.node)
    return PartialValue(call.arguments[0], tuple(call.arguments[1:]), dict(call.keywords))


def initialize(m: Machine, call: Invocation) -> object:
    """`nn.init.*`: writes under no_grad of its own, returns the tensor."""
    tensor = m.tensor_of(call.arguments[0]) if call.arguments else None
    if tensor is None:
        return m.unknown(call.node)
    training.touch(m, tensor, call.node)
    return tensor


def clip(m: Machine, _call: Invocation) -> object:
    """`clip_grad_norm_`: changes gradients in place, returns the norm."""
    return Symbol(("norm", m.fresh_number()), "the norm")


def scheduler(m: Machine, call: Invocation) -> object:
    """A learning-rate scheduler keeps the optimizer, and touches no gradient."""
    result = InstanceValue(None, call.name, m.site(call.node))
    optimizer = call.argument(0, "optimizer")
    if optimizer is not None:
        m.state.set(result, "#optimizer", optimizer)
        m.state.set(m.resolve(optimizer), "has stepped", None)
    return result


def scaler_scale(m: Machine, call: Invocation) -> object:
    """`scaler.scale(loss)`."""
    from devls.interpreter import operations  # noqa: PLC0415  a cycle otherwise

    tensor = m.tensor_of(call.arguments[1]) if len(call.arguments) > 1 else None
    if tensor is None:
        return m.unknown(call.node)
    operation = Operation("torch.amp.GradScaler.scale", (), Result.TENSOR, Differentiable.YES, saves=None)
    result = operations.compute(
        m,
        operation,
        call.node,
        [(Role.ELEMENT, mixing.operand(m, tensor, call.nodes[1] if len(call.nodes) > 1 else None))],
        {},
    )
    if isinstance(result, TensorValue):
        result.shape, result.nonscalar = tensor.shape, tensor.nonscalar
        result.symbol = tensor.symbol
    return result


def scaler_step(m: Machine, call: Invocation) -> object:
    optimizer = m.resolve(call.arguments[1]) if len(call.arguments) > 1 else NONE
    if isinstance(optimizer, InstanceValue) and m.library.optimizer(optimizer.library) is not None:
        optimizers.step(m, optimizer, call.node)
    elif isinstance(optimizer, Symbol) and isinstance(call.node, ast.Call):
        optimizers.symbol_method(m, call.node, optimizer, "step")
    return NONE


def nothing(_m: Machine, _call: Invocation) -> object:
    return NONE


def dataclass_fields(m: Machine, call: Invocation) -> object:
    """`dataclasses.fields(x)`: objects with a name each."""
    owner = m.resolve(call.arguments[0]) if call.arguments else NONE
    cls = owner.cls if isinstance(owner, InstanceValue) else owner
    if not isinstance(cls, ClassValue) or cls.dataclass_fields is None:
        return m.unknown(call.node)
    found: list[object] = []
    for name, _, _ in cls.dataclass_fields:
        each = InstanceValue(None, "dataclasses.Field", m.site(call.node))
        m.state.set(each, "name", Const(name))
        found.append(each)
    return TupleValue(tuple(found))


def parse_args(m: Machine, call: Invocation) -> object:
    """`parser.parse_args()`: options that the user of the program chooses."""
    receiver = call.receiver if call.is_method else None
    return Symbol(("options", id(receiver)), _target_name(m, "args"), named=True, plausible=True)


def loaded_config(m: Machine, call: Invocation) -> object:
    """A configuration read from a file: each entry is something that somebody chose."""
    return Symbol(
        ("config", m.source.path, call.node.lineno, call.node.col_offset),
        _target_name(m, "config"),
        named=True,
        plausible=True,
    )


def _target_name(m: Machine, default: str) -> str:
    statement = m.frame.statement
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
        return statement.targets[0].id
    return default


def load(m: Machine, call: Invocation) -> object:
    """`torch.load(path, map_location=...)`: whatever was saved, where it was or where it is mapped."""
    where = call.keywords.get("map_location", call.arguments[1] if len(call.arguments) > 1 else None)
    symbol = Symbol(("loaded", m.fresh_number()), "the checkpoint", site=m.site(call.node))
    if where is None or m.resolve(where) == NONE:
        checkpoints.loaded(m, call, symbol)
        return symbol
    device_ = narrowing.device_of(m, where)
    if device_ is None or isinstance(m.resolve(where), (FunctionValue, LibraryName)):
        return symbol
    return TensorValue(
        device=device_,
        requires_grad=None,
        leaf=None,
        storage=Storage(),
        origin=m.site(call.node),
        device_step=Step(f"loaded to `{describe(device_)}`", m.site(call.node), kind="loaded"),
        symbol=symbol,
    )


def function_apply(m: Machine, call: Invocation) -> object:
    """`MyFunction.apply(...)`: the class's forward decides the numbers, its backward the graph."""
    from devls.interpreter import operations  # noqa: PLC0415  a cycle otherwise

    operation = Operation("torch.autograd.Function.apply", (), Result.TENSOR, Differentiable.YES, saves=None)
    observations.function_applied(m, call)
    custom_functions.applied(m, call)
    operands = []
    open_operands = False
    for value, node in zip(call.arguments[1:], call.nodes[1:], strict=False):
        tensor = m.tensor_of(value, infer=False)
        if tensor is not None:
            operands.append((Role.FREE, mixing.operand(m, tensor, node)))
        elif isinstance(m.resolve(value), Symbol):
            open_operands = True
    if not operands:
        return m.unknown(call.node)
    return operations.compute(
        m, operation, call.node, operands, {}, open_operands=open_operands, complete=False
    )


def data_parallel(m: Machine, call: Invocation) -> object:
    """A wrapper that calls the module it was given."""
    result = InstanceValue(None, call.name, m.site(call.node))
    if call.arguments:
        m.state.set(result, "#wrap", call)
        m.state.set(result, "#wrapped", call.arguments[0])
        modules.set_slot(m, result, "module", call.arguments[0])
    return result


def object_setattr(m: Machine, call: Invocation) -> object:
    receiver = m.resolve(call.arguments[0]) if call.arguments else NONE
    if len(call.arguments) >= 3:
        name = m.resolve(call.arguments[1])
        if isinstance(receiver, InstanceValue) and isinstance(name, Const) and isinstance(name.value, str):
            m.state.set(receiver, name.value, call.arguments[2])
    return NONE


def super_init(m: Machine, call: Invocation) -> object:
    """`super().__init__(...)` of a library class."""
    receiver = m.resolve(call.receiver)
    if isinstance(receiver, InstanceValue):
        modules.library_init(m, receiver, call.arguments[1:], call.keywords, call.node)
    return NONE


# Methods of what we know only by name


def symbol_to(m: Machine, call: Invocation) -> object:
    owner = call.receiver
    checkpoints.moved(m, call)
    if not isinstance(owner, Symbol):
        return to(m, call)
    if presumed.is_module_like(m, owner) or presumed.assigned_to_module_name(m, call.node):
        presumed.module_moved(m, owner, call.node, placement.target_of(m, call)[0])
        return owner
    result = to(m, call)
    if isinstance(result, TensorValue):
        text = owner.text if call.receiver_node is None else m.text(call.receiver_node)
        batches.part_moved(m, owner, m.device(result), call.node, text)
    return result


def symbol_mode(m: Machine, call: Invocation) -> object:
    m.state.set(call.receiver, "is module", True)
    given = m.resolve(call.argument(1, "mode") or TRUE)
    modes.changed(m, call.receiver, call.node, FALSE if call.short_name == "eval" else given)
    return call.receiver


def symbol_step(m: Machine, call: Invocation) -> object:
    if isinstance(call.receiver, Symbol) and isinstance(call.node, ast.Call):
        optimizers.symbol_method(m, call.node, call.receiver, call.short_name)
    for value in call.arguments[1:]:
        m.escape(value)
    return m.unknown(call.node)


def symbol_item(m: Machine, call: Invocation) -> object:
    """`x.item()`: a Python number, whether `x` is a tensor or an array."""
    return Symbol(("number", m.fresh_number()), m.text(call.node), hint="number", site=m.site(call.node))


def symbol_parameters(m: Machine, call: Invocation) -> object:
    owner = call.receiver
    assert isinstance(owner, Symbol)  # noqa: S101  bound so
    m.state.set(owner, "is module", True)
    result = m.new_list((), call.node, "iterator")
    item = Symbol(
        ("parameter of", owner.key),
        f"a parameter of {owner.text}",
        named=owner.named,
        hint="tensor",
        plausible=True,
        site=owner.site,
    )
    m.state.set(result, "#items", Contents(None, item))
    return result


_TENSOR: dict[str, Callable[[Machine, Invocation], object]] = {
    "to": to, "cuda": to, "cpu": to, "xpu": to, "type": type_, "type_as": type_as, "detach": detach, "detach_": detach_,
    "requires_grad_": requires_grad_, "retain_grad": retain_grad, "backward": backward, "numpy": numpy_, "__array__": numpy_,
    **dict.fromkeys(_CASTS, cast), "size": size, "dim": dim, **dict.fromkeys(
        "float double half bfloat16 long int short bool byte char cfloat cdouble".split(), to
    ),
    "new_tensor": new_tensor,
}  # fmt: skip

SPECIAL: dict[str, Callable[[Machine, Invocation], object]] = {
    **constructors.CONSTRUCTORS,
    **{f"torch.Tensor.{name}": run for name, run in _TENSOR.items()},
    "torch.autograd.Variable": variable, "torch.tensor": tensor_, "torch.as_tensor": as_tensor, "torch.asarray": as_tensor, "torch.from_numpy": from_numpy,
    "torch.device": device, "torch.nn.Parameter": parameter, "torch.nn.parameter.Parameter": parameter,
    "torch.autograd.grad": autograd_grad, "torch.autograd.backward": autograd_backward,
    "torch.cuda.is_available": accelerator_present, "torch.accelerator.is_available": accelerator_present,
    "torch.backends.mps.is_available": mps_present, "torch.mps.is_available": mps_present,
    "torch.cuda.device_count": device_count, "torch.cuda.current_device": current_device,
    "torch.accelerator.current_accelerator": current_accelerator, "torch.cuda.set_device": set_cuda_device,
    "torch.set_default_device": set_default_device, "torch.set_default_tensor_type": set_default_tensor_type,
    "torch.is_grad_enabled": is_grad_enabled, "torch.is_tensor": is_tensor,
    "torch.Generator": instance, "torch.nn.Module.__init__": super_init, "torch.cuda.device": instance, "torch.autocast": instance, "torch.amp.autocast": instance, "torch.cuda.amp.autocast": instance,
    "torch.amp.autocast_mode.autocast": instance, "torch.amp.GradScaler": instance, "torch.cuda.amp.GradScaler": instance,
    "torch.amp.grad_scaler.GradScaler": instance, "contextlib.nullcontext": instance, "contextlib.suppress": instance,
    "dataclasses.dataclass": instance, "dataclasses.field": instance, "dataclasses.fields": dataclass_fields, "pydantic.Field": instance, "attr.s": instance,
    "torch.utils.data.DataLoader": data_loader, "torch.utils.data.TensorDataset": tensor_dataset,
    "torch.utils.data.random_split": random_split, "torch.utils.data.Subset": instance,
    "torch.utils.checkpoint.checkpoint": checkpoint, "torch.compile": compile_, "torch.jit.script": compile_,
    "torch.jit.trace": first_argument, "tqdm.tqdm": first_argument, "tqdm.auto.tqdm": first_argument,
    "tqdm.notebook.tqdm": first_argument, "rich.progress.track": first_argument, "typing.cast": lambda _m, call: call.arguments[-1],
    "functools.partial": partial, "functools.wraps": identity_decorator, "functools.lru_cache": identity_decorator,
    "itertools.cycle": first_argument, "itertools.islice": first_argument, "itertools.chain": chain,
    "contextlib.ExitStack.enter_context": contexts.enter_on_stack, "contextlib.AsyncExitStack.enter_context": contexts.enter_on_stack,
    "collections.namedtuple": classes_special.named_tuple, "dataclasses.replace": classes_special.replaced,
    **dict.fromkeys(mappings.NAMESPACES, mappings.namespace),
    "copy.deepcopy": deepcopy, "copy.copy": first_argument, "collections.OrderedDict": lambda m, call: _builtin(m, call, "dict"),
    "collections.deque": lambda m, call: _builtin(m, call, "list"),
    "collections.defaultdict": lambda m, call: _default_dict(m, call),  # noqa: PLW0108  defined below
    "torch.nn.utils.clip_grad_norm_": clip, "torch.nn.utils.clip_grad_value_": clip,
    "torch.amp.GradScaler.scale": scaler_scale, "torch.cuda.amp.GradScaler.scale": scaler_scale,
    "torch.amp.GradScaler.step": scaler_step, "torch.cuda.amp.GradScaler.step": scaler_step,
    "torch.amp.GradScaler.unscale_": nothing, "torch.cuda.amp.GradScaler.unscale_": nothing,
    "torch.amp.GradScaler.update": nothing, "torch.cuda.amp.GradScaler.update": nothing,
    "argparse.ArgumentParser.parse_args": parse_args, "argparse.ArgumentParser.parse_known_args": parse_args,
    "yaml.safe_load": loaded_config, "yaml.load": loaded_config, "json.load": loaded_config, "omegaconf.OmegaConf.load": loaded_config,
    "torch.load": load, "torch.autograd.Function.apply": function_apply,
    "torch.nn.DataParallel": data_parallel, "torch.nn.parallel.DataParallel": data_parallel,
    "torch.nn.parallel.DistributedDataParallel": data_parallel,
    "builtins.object.__setattr__": object_setattr, "super().__init__": super_init,
    "torch.manual_seed": nothing, "torch.cuda.manual_seed_all": nothing, "torch.cuda.empty_cache": nothing,
    "torch.cuda.synchronize": nothing, "torch.save": nothing, "builtins.print": nothing,
    "symbol.to": symbol_to, "symbol.cuda": symbol_to, "symbol.cpu": symbol_to, "symbol.detach": detach, "symbol.eval": symbol_mode,
    "symbol.train": symbol_mode, "symbol.step": symbol_step, "symbol.zero_grad": symbol_step, "symbol.parameters": symbol_parameters,
    "symbol.numpy": numpy_, "symbol.item": symbol_item,
}  # fmt: skip


def _builtin(m: Machine, call: Invocation, name: str) -> object:
    from devls.interpreter import builtins  # noqa: PLC0415  a cycle otherwise

    call.name = f"builtins.{name}"
    return builtins.call(m, call)


def _default_dict(m: Machine, call: Invocation) -> object:
    """`defaultdict(list)`: every missing key holds what the factory makes."""
    from devls.interpreter import calls  # noqa: PLC0415  a cycle otherwise

    rest = calls.call(m, call.arguments[0], [], {}, call.node) if call.arguments else None
    return m.new_dict({}, rest, call.node)


for _name in (
    "torch.no_grad", "torch.inference_mode", "torch.enable_grad", "torch.set_grad_enabled", "torch.autograd.no_grad",
    "torch.autograd.enable_grad", "torch.autograd.grad_mode.no_grad", "torch.autograd.inference_mode", "torch.autograd.set_grad_enabled",
):  # fmt: skip
    SPECIAL[_name] = grad_mode


SPECIAL.update(frameworks.METHODS)
SPECIAL[frameworks.ACCELERATOR] = instance


def by_prefix(name: str) -> Callable[[Machine, Invocation], object] | None:
    """Families of names that share one treatment."""
    if name.startswith(distributions.PREFIX):
        return distributions.call
    if name.startswith("torch.nn.init."):
        return initialize
    if name.startswith("tqdm.") and name.endswith((".tqdm", ".tqdm_notebook")):
        return first_argument
    if name.startswith("torch.optim.lr_scheduler."):
        return scheduler if name.count(".") == 3 else nothing
    return None


__all__ = ["FALSE", "SPECIAL", "BoundMethod", "ClassValue", "by_prefix"]
