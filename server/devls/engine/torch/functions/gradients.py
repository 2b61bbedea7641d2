"""Operations on graphs and gradients: detach, flags, backward, `autograd.grad`, grad modes, the gradient scaler."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.engine.core import moments, training_moments
from devls.engine.core.events.events import BackwardWithoutGraph, GraphCutHidden
from devls.engine.core.joins import Contents
from devls.engine.python import classes, narrowing
from devls.engine.torch import optim
from devls.engine.torch.autograd import backward as backward_pass
from devls.engine.torch.autograd import graph_construction
from devls.engine.torch.tensors import attributes as tensor_attributes
from devls.engine.torch.tensors import device_check, host, operations
from devls.library.effects import Differentiable, Operation, Result, Role
from devls.values.conditions import negation
from devls.values.graph import Node, Storage
from devls.values.history import Site, Step
from devls.values.state import AMBIENT
from devls.values.value import (
    FALSE,
    NONE,
    FunctionValue,
    InstanceValue,
    Sequence,
    Symbol,
    TensorValue,
    TupleValue,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from devls.engine.core.invocation import Invocation
    from devls.engine.core.machine import Machine


def detach(m: Machine, call: Invocation) -> object:
    tensor = m.tensor_of(call.argument(0, "input"))
    if tensor is None:
        return m.unknown(call.node)
    return tensor_attributes.detached(m, call.node, tensor, f"`{m.text(call.node)}` is outside the graph")


def detach_(m: Machine, call: Invocation) -> object:
    tensor = m.tensor_of(call.argument(0, "input"))
    if tensor is None:
        return m.unknown(call.node)
    graph_construction.perhaps_the_base_too(m, tensor, wanted=False)
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
        moments.grad_asked_for(m, call.node, "requires_grad_()", tensor.dtype, None)
        moments.written_in_place(
            m, call.node, m.text(call.receiver_node or call.node), tensor, "requires grad"
        )
    step = m.state.get(tensor, "grad_step", tensor.grad_step)
    if (
        wanted is True
        and m.requires_grad(tensor) is False
        and tensor.shape == ()
        and isinstance(step, Step)
        and step.kind in ("cut", "number")
    ):
        event = GraphCutHidden(
            m.site(call.node),
            m.frame.statement,
            "requires_grad_()",
            m.text(call.receiver_node or call.node),
            step,
        )
        if step.kind == "cut":
            m.emit(event)
        else:
            m.state.set(tensor, "hides a cut", event)  # numbers may start a graph of their own
    tensor_attributes.note_flag_taken(m, tensor, call.node, call.receiver_node, wanted)
    if tensor.is_parameter:
        training_moments.parameter_flag_set(m, tensor, call.node, wanted)
    graph_construction.begins(m, tensor, wanted=wanted)
    graph_construction.perhaps_the_base_too(m, tensor, wanted=wanted)
    m.state.set(tensor, "requires_grad", wanted)
    if wanted is False and tensor.is_parameter:
        m.state.set(tensor, "#frozen at", m.site(call.node))
    if wanted is True:
        m.state.set(tensor, "grad_step", Step(f"`{m.text(call.node)}`", m.site(call.node), kind="requires"))
    return tensor


def retain_grad(m: Machine, call: Invocation) -> object:
    tensor = m.tensor_of(call.receiver)
    if tensor is not None:
        m.state.set(tensor, "retains", m.fresh_number())
    return NONE


_OLD_RETAIN: Final = "retain_variables"
"""The name of `retain_graph` before torch 0.2: torch raises at that call, and nothing that comes after is to blame."""


def _is_of_another_kind(m: Machine, call: Invocation) -> bool:
    """Whether the result of a backward is kept, of something unknown: torch's has none, that of other frameworks has gradients."""
    receiver, statement = m.resolve(call.receiver), m.frame.statement
    symbol = receiver.symbol if isinstance(receiver, TensorValue) else receiver
    return isinstance(symbol, Symbol) and isinstance(statement, ast.Assign) and statement.value is call.node


def backward(m: Machine, call: Invocation) -> object:
    if _is_of_another_kind(m, call):
        for each in call.arguments[1:]:
            m.escape(each)
        return m.unknown(call.node)
    tensor = m.tensor_of(call.receiver)
    if tensor is None:
        return NONE
    number = tensor.symbol
    read = None if number is None else number.site or m.state.get(number, "read at")
    if (
        number is not None
        and isinstance(read, Site)
        and isinstance(m.state.get(number, "read from"), TensorValue)
        and m.state.get(number, host.MAY_BE_TENSOR) is None
    ):
        shown = number.text if number.site is not None else read.text
        cut = Step(f"`{shown}` is a Python number", read, kind="cut")
        text = m.text(call.receiver_node or call.node)
        m.emit(BackwardWithoutGraph(m.site(call.node), m.frame.statement, text, cut, is_number=True))
        backward_pass.open_backward(m, call.node)
        return NONE
    retain = call.keyword(m, _OLD_RETAIN if _OLD_RETAIN in call.keywords else "retain_graph")
    if retain is None and len(call.arguments) > 2:
        retain = m.resolve(call.arguments[2])
    keep = _keeps_graph(m, call, retain)
    gradient = call.argument(1, "gradient")
    given = call.argument(4, "inputs")
    asked = given is not None and m.resolve(given) != NONE
    towards = _tensors_in(m, given) if asked else None
    _check_first_gradient(
        m, call, (tensor, call.receiver_node), (gradient, call.argument_node(1, "gradient"))
    )
    backward_pass.backward(
        m,
        call.node,
        tensor,
        call.receiver_node,
        retain=None if asked and towards is None else keep,
        has_gradient=gradient is not None and m.resolve(gradient) != NONE,
        only=towards,
        call_=call,
    )
    m.state.set("backward", "last", (m.site(call.node), m.frame.statement, m.frame.scope, m.fresh_number()))
    return NONE


def _check_first_gradient(
    m: Machine,
    call: Invocation,
    output: tuple[TensorValue, ast.expr | None],
    gradient: tuple[object, ast.expr | None],
) -> None:
    """The gradient that a backward begins with has to be where the output is, unless it has no dimensions."""
    given = m.resolve(gradient[0])
    tensor = given if isinstance(given, TensorValue) else None
    if tensor is not None:
        operands = [
            (Role.EXACT, device_check.operand(m, *output)),
            (Role.ELEMENT, device_check.operand(m, tensor, gradient[1])),
        ]
        device_check.check(m, call.node, call.name, operands)


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
    if len(roots) == 1 and (alone := m.tensor_of(roots[0])) is not None:
        gradients = (call.argument(1, "grad_tensors"), call.argument_node(1, "grad_tensors"))
        _check_first_gradient(m, call, (alone, call.argument_node(0, "tensors")), gradients)
    for root in roots:
        tensor = m.tensor_of(root)
        if tensor is not None:
            keep = _keeps_graph(m, call, call.keyword(m, "retain_graph"))
            backward_pass.backward(
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
        m.emit(
            BackwardWithoutGraph(
                m.site(call.node), m.frame.statement, text, cut, is_input=True, made=each.origin
            )
        )
        m.state.set(each, "requires_grad", True)  # go on as if it were mended
        return True
    return False


def _asks_what_came_later(
    m: Machine, call: Invocation, outputs: object, targets: Iterable[TensorValue | None]
) -> bool:
    """Report the first tensor whose gradient is asked for of something that had been computed before it was made."""
    if any(call.keyword(m, name) not in (None, FALSE) for name in ("allow_unused", "materialize_grads")):
        return False
    root = None if isinstance(outputs, (TupleValue, Sequence)) else m.tensor_of(outputs)
    start = None if root is None else m.node(root)
    if root is None or not isinstance(start, Node) or root.view_of is not None or root.may_share is not None:
        return False
    for each in targets:
        if each is None or each.symbol is not None or each.view_of is not None or each.may_share is not None:
            continue
        node = m.node(each)
        began = node.serial if isinstance(node, Node) else each.serial
        if (
            began <= start.serial
            or each.sides is not None
            or each.is_parameter
            or m.requires_grad(each) is not True
        ):
            continue
        place, of = call.argument_node(1, "inputs"), call.argument_node(0, "outputs")
        text, earlier = (m.text(one) if one is not None else "" for one in (place, of))
        event = BackwardWithoutGraph(
            m.site(call.node),
            m.frame.statement,
            text,
            None,
            is_input=True,
            came_before=earlier or "the output",
        )
        m.emit(event)
        return True
    return False


def _items_of(m: Machine, value: object) -> tuple[object, ...] | None:
    """Contents of a tuple or a list, if all of it is seen."""
    if isinstance(value, TupleValue):
        return value.items
    contents = m.state.get(value, "#items") if isinstance(value, Sequence) else None
    return contents.items if isinstance(contents, Contents) and contents.element is None else None


def _may_end_before_leaves(m: Machine, inputs: object) -> bool:
    """Whether some of the inputs, not all of which are seen, may be computed: what lies behind those keeps its graph."""
    contents = m.state.get(inputs, "#items") if isinstance(inputs, Sequence) else None
    if not isinstance(contents, Contents) or contents.element is None:
        return False
    tensors = (m.tensor_of(each, infer=False) for each in (*(contents.items or ()), contents.element))
    return any(each is not None and m.is_leaf(each) is not True for each in tensors)


def _tensors_in(m: Machine, given: object) -> list[TensorValue] | None:
    """The tensors that somebody asks gradients for: one, or a list of them. None if they are not all seen."""
    value = m.resolve(given)
    items = _items_of(m, value)
    tensors = [m.tensor_of(each, infer=False) for each in (items if items is not None else [value])]
    found = [each for each in tensors if each is not None]
    return found if len(found) == len(tensors) else None


def autograd_grad(m: Machine, call: Invocation) -> object:
    """`torch.autograd.grad(outputs, inputs)`: walks the graph, fills no `.grad`."""
    training_moments.gradients_asked(m, call)
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
    if keeps is False and _may_end_before_leaves(m, inputs):
        keeps = None
    wanted = _items_of(m, inputs)
    listed = not isinstance(inputs, Sequence) or wanted is not None
    targets = (
        [m.tensor_of(each) for each in (wanted if wanted is not None else [inputs])] if listed else [None]
    )
    if _asks_constants(m, call, targets) or _asks_what_came_later(m, call, outputs, targets):
        return m.unknown(call.node)
    if items is None and (alone := m.tensor_of(outputs)) is not None:
        gradients = (call.argument(2, "grad_outputs"), call.argument_node(2, "grad_outputs"))
        _check_first_gradient(m, call, (alone, call.argument_node(0, "outputs")), gradients)
    for root in items if items is not None else [outputs]:
        tensor = m.tensor_of(root)
        if tensor is not None:
            backward_pass.backward(
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
    roots = tuple(items) if items is not None else (outputs,)
    return TupleValue(
        tuple(
            _gradient_of(m, call, each, roots, creates=creates)
            for each in (wanted if wanted is not None else [inputs])
        )
    )


def _gradient_of(
    m: Machine, call: Invocation, value: object, roots: tuple[object, ...], *, creates: bool
) -> object:
    """The gradient of one input: where that is, and in a graph of its own if one is created."""
    tensor = m.tensor_of(value)
    if tensor is None:
        return m.unknown()
    needs = None if creates else False
    return TensorValue(
        device=m.device(tensor),
        requires_grad=needs,
        leaf=negation(needs),
        dtype=tensor.dtype,
        shape=tensor.shape,
        nonscalar=tensor.nonscalar,
        storage=Storage(),
        origin=m.site(call.node),
        device_step=tensor.device_step,
        grad_step=None
        if creates
        else Step(
            "`grad(...)` records no graph of its gradients without `create_graph=True`",
            m.site(call.node),
            kind="cut",
            of=roots,
        ),
        node=Node("torch.autograd.grad", (), m.site(call.node), (), keeps=None, open=True)
        if creates
        else None,
    )


def grad_mode(m: Machine, call: Invocation) -> object:
    """`torch.no_grad()`, `torch.set_grad_enabled(flag)`: a context manager; the latter acts at once."""
    if call.arguments and isinstance(m.resolve(call.arguments[0]), FunctionValue):
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
        and isinstance(statement, (ast.Expr, ast.Assign))
        and statement.value is call.node
        and (flag := call.argument(0, "mode")) is not None
    ):
        m.state.set(AMBIENT, "grad", m.truth(flag))
        m.state.set(AMBIENT, "grad set", m.site(call.node))
    return instance


def is_grad_enabled(m: Machine, _call: Invocation) -> object:
    value = narrowing.as_value(m.grad_enabled())
    return m.unknown() if value is None else value


def clip(m: Machine, _call: Invocation) -> object:
    """`clip_grad_norm_`: changes gradients in place, returns the norm."""
    return Symbol(("norm", m.fresh_number()), "the norm")


def scaler_scale(m: Machine, call: Invocation) -> object:
    """`scaler.scale(loss)`."""
    tensor = m.tensor_of(call.arguments[1]) if len(call.arguments) > 1 else None
    if tensor is None:
        return m.unknown(call.node)
    if isinstance(call.receiver, InstanceValue) and optim.is_disabled_scaler(m, call.receiver):
        return tensor
    operation = Operation("torch.amp.GradScaler.scale", (), Result.TENSOR, Differentiable.YES, saves=None)
    result = operations.compute(
        m,
        operation,
        call.node,
        [(Role.ELEMENT, device_check.operand(m, tensor, call.nodes[1] if len(call.nodes) > 1 else None))],
        {},
    )
    if isinstance(result, TensorValue):
        result.shape, result.nonscalar = tensor.shape, tensor.nonscalar
        result.symbol = tensor.symbol
    return result


def scaler_step(m: Machine, call: Invocation) -> object:
    optimizer = m.resolve(call.arguments[1]) if len(call.arguments) > 1 else NONE
    if isinstance(optimizer, InstanceValue) and m.library.optimizer(optimizer.library) is not None:
        optim.step(m, optimizer, call.node)
    elif isinstance(optimizer, Symbol) and isinstance(call.node, ast.Call):
        optim.symbol_method(m, call.node, optimizer, "step")
    return NONE
