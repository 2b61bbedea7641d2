"""What library operations do to tensors."""

from __future__ import annotations

import ast
import math
from typing import TYPE_CHECKING, Final

from devls.interpreter import (
    accumulation,
    batches,
    builtins,
    graph_checks,
    host,
    mixing,
    modules,
    not_results,
    observations,
    optimizers,
    placement,
    protocols,
    resizing,
    special,
    training,
)
from devls.interpreter.events import DeviceCompared, GradModeWithoutEffect, Operand, ResultDiscarded
from devls.interpreter.events_calls import ComputedForNothing
from devls.interpreter.invocation import CHECKED_ROLES, Invocation
from devls.interpreter.narrowing import device_of
from devls.interpreter.shapes import can_require_grad, dtype_name, result_dtype, result_shape, sizes
from devls.library.effects import Differentiable, Dtype, Operation, Passing, Rank, Result, Role
from devls.values.conditions import Either, Tree, any_of, both, leaves, negation
from devls.values.devices import CPU, UNKNOWN_DEVICE, KnownDevice
from devls.values.graph import Node, Saved, Storage
from devls.values.history import Step
from devls.values.state import AMBIENT
from devls.values.value import (
    NONE,
    BoundMethod,
    Const,
    DeviceValue,
    InstanceValue,
    LibraryName,
    Mapping,
    Sequence,
    Symbol,
    TensorValue,
    TupleValue,
)

if TYPE_CHECKING:
    from devls.interpreter.machine import Machine


def call_library(
    m: Machine,
    name: str,
    method: BoundMethod | None,
    arguments: list[object],
    keywords: dict[str, object],
    node: ast.expr | None,
    nodes: list[ast.expr | None],
    keyword_nodes: dict[str, ast.expr],
) -> object:
    """Call something of torch, numpy, Python or any other library."""
    if node is None:
        node = m.placeholder()
    if method is not None:
        arguments = [method.receiver, *arguments]
        nodes = [method.receiver_node, *nodes]
    call = Invocation(name, arguments, keywords, node, nodes, keyword_nodes, method is not None)
    protocols.before(m, call)
    run = special.SPECIAL.get(name) or special.by_prefix(name)
    if run is not None:
        return run(m, call)
    if name.startswith("builtins."):
        return builtins.call(m, call)
    if m.library.layer(name) is not None:
        return modules.construct(m, call)
    if m.library.optimizer(name) is not None:
        return optimizers.construct(m, call)
    if method is not None and isinstance(method.receiver, InstanceValue):
        if name.startswith("torch.nn.Module."):
            return modules.call_method(m, call)
        if m.library.optimizer(method.receiver.library) is not None:
            return optimizers.call_method(m, call, method.receiver, method.name)
    if m.library.reads_on_host(name):
        return host.read_all(m, call)
    operation = m.library.operation(name)
    if operation is None and name.startswith("numpy."):
        if name in ("numpy.random.default_rng", "numpy.random.RandomState"):
            return InstanceValue(None, "numpy.random.Generator", m.site(node))
        return host.array(m, node)
    if operation is not None:
        if operation.result in _OPAQUE or (not operation.parameters and m.library.surrounds(name)):
            return _opaque(m, operation, call)
        positional = [m.tensor_of(each, infer=False) is not None for each in arguments]
        operation = m.library.resolve(name, positional, list(keywords)) or operation
        return perform(m, operation, call)
    return unknown_call(m, call)


_OPAQUE = frozenset(
    {Result.OBJECT, Result.MODE, Result.WRAPPER, Result.TRANSFORM, Result.CALL, Result.MODULE}
)


def _opaque(m: Machine, operation: Operation, call: Invocation) -> object:
    """What is no operation on tensors: of some it is known that they leave alone what they are given."""
    harmless = operation.result in (Result.NUMBER, Result.STRING, Result.OBJECT) and not operation.writes
    if operation.result in (Result.NUMBER, Result.STRING):
        return compute(m, operation, call.node, [], {})
    if operation.result is Result.MODULE:
        return Symbol(
            ("module", m.fresh_number()), f"{call.short_name}(...)", site=m.site(call.node), hint="module"
        )
    if call.short_name[:1].isupper():
        return unknown_call(m, call)
    if harmless:
        return m.unknown(call.node)
    result = unknown_call(m, call)
    if operation.result is Result.WRAPPER and call.arguments:
        return call.arguments[0]
    return NONE if operation.result is Result.NONE else result


def unknown_call(m: Machine, call: Invocation) -> object:
    """A library function that nobody described."""
    for value in (*call.arguments, *call.keywords.values()):
        m.escape(value)
    blur_graphs(m, call.arguments)
    if call.name.rpartition(".")[2][:1].isupper():
        # By convention a class: an object of it, whose parts we do not know.
        instance = InstanceValue(None, call.name, m.site(call.node))
        if call.arguments:
            m.state.set(instance, "#argument", call.arguments[0])
        m.state.set(instance, "#escaped", True)
        return instance
    return m.unknown(call.node, f"{call.short_name}(...)")


def blur_graphs(m: Machine, arguments: list[object]) -> None:
    """Unknown code may have run backward on what it was given."""
    for value in arguments:
        for each in m.alternatives(value):
            if isinstance(each, TensorValue) and m.requires_grad(each) is not False:
                m.state.set(each, "#escaped", True)


# Performing one operation


_KEEP_THEIR_RESULT: Final = frozenset("relu leakyrelu elu celu selu rrelu".split())


def kept_in_place(name: str) -> list[tuple[str, TensorValue | None]]:
    """What an activation with `inplace=True` keeps for backward: some their result, all others a copy of the input.

    Args:
        name: of the function or the class, as torch spells it. The page of inplace-breaks-backward runs both kinds.
    """
    return [("result", None)] if name.lower().replace("_", "") in _KEEP_THEIR_RESULT else []


def perform(m: Machine, operation: Operation, call: Invocation) -> object:
    """Run a catalog operation on its arguments."""
    bound = call.bind(operation)
    given: dict[str, object] = {}
    for parameter, value, _ in bound:
        if parameter.passing is Passing.REST:
            before = given.get(parameter.name)
            given[parameter.name] = TupleValue(
                (*(before.items if isinstance(before, TupleValue) else ()), value)
            )
        else:
            given[parameter.name] = value
    operands: list[tuple[Role, Operand]] = []
    free: list[Operand] = []
    open_operands = False
    # What `*more` brings along we do not see.
    complete = "*" not in call.keywords
    first = True
    for parameter, value, node in bound:
        role = parameter.role
        if role is Role.OTHER:
            continue
        if role is Role.LIST:
            tensors, whole, all_tensors = _listed(m, value, node)
            complete = complete and (whole or all_tensors)
            if not whole:
                given[resizing.UNCOUNTED] = Const(True)
            operands += [
                (Role.EXACT, mixing.operand(m, each, each_node, parameter.name))
                for each, each_node in tensors
            ]
            open_operands = open_operands or not all_tensors
            continue
        resolved = m.resolve(value)
        infer = first or (isinstance(resolved, Symbol) and batches.in_tensors(m, resolved))
        first = False
        tensor = m.tensor_of(resolved, infer=infer)
        if tensor is None:
            if isinstance(resolved, (Symbol, Either)) and not _is_number(resolved):
                open_operands, complete = True, False
            continue
        if role is Role.FREE:
            free.append(mixing.operand(m, tensor, node, parameter.name))
        elif role in CHECKED_ROLES:
            operands.append((role, mixing.operand(m, tensor, node, parameter.name)))
    return compute(
        m,
        operation,
        call.node,
        operands,
        given,
        open_operands=open_operands,
        complete=complete,
        free=free,
        call=call,
    )


def _is_number(value: object) -> bool:
    """Whether a value that is not known is a Python number at any rate."""
    return all(
        isinstance(each, Const) or (isinstance(each, Symbol) and each.hint in ("number", "string", "bool"))
        for each in leaves(value)
    )


def _listed(
    m: Machine, value: object, node: ast.expr | None
) -> tuple[list[tuple[TensorValue, ast.expr | None]], bool, bool]:
    """The tensors of a sequence argument; whether these are all, one by one; whether nothing else is in it."""
    from devls.interpreter.joins import Contents  # noqa: PLC0415  one use

    value = m.resolve(value)
    nodes = list(node.elts) if isinstance(node, (ast.List, ast.Tuple)) else []
    if any(isinstance(each, ast.Starred) for each in nodes):
        nodes = []
    items: list[object] = []
    whole = True
    if isinstance(value, TupleValue):
        items = list(value.items)
    elif isinstance(value, Sequence):
        contents = m.state.get(value, "#items")
        if isinstance(contents, Contents):
            items = [*(contents.items or ())]
            if contents.element is not None:
                items.append(contents.element)
            whole = contents.items is not None and contents.element is None
    elif isinstance(value, TensorValue):
        items = [value]
    else:
        return [], False, False
    all_tensors = bool(items)
    found: list[tuple[TensorValue, ast.expr | None]] = []
    for index, item in enumerate(items):
        for each in m.alternatives(item):
            tensor = m.tensor_of(each, infer=True)
            if tensor is None:
                whole = all_tensors = False
            else:
                found.append((tensor, nodes[index] if index < len(nodes) else node))
    return found, whole, all_tensors


def compute(
    m: Machine,
    operation: Operation,
    node: ast.expr,
    operands: list[tuple[Role, Operand]],
    given: dict[str, object],
    *,
    open_operands: bool = False,
    complete: bool = True,
    free: list[Operand] | None = None,
    call: Invocation | None = None,
    layer: bool = False,
    more_inputs: list[TensorValue] | None = None,
) -> object:
    """The effect and result of an operation on operands that are already known."""
    short = operation.name.rpartition(".")[2]
    result = operation.result
    if result in (Result.HOST_ARRAY, Result.HOST_SCALAR, Result.HOST_LIST):
        if len(operands) > 1:  # `torch.equal`
            mixing.check(m, node, short, operands, layer=layer)
        return host.convert(m, operation, node, operands)
    in_place = result is Result.SELF and bool(operation.writes)
    device, anchor, conflict = mixing.check(
        m, node, short, _first_exact(operands) if in_place else operands, layer=layer
    )
    tensors = [each.tensor for _, each in operands]
    if result in (Result.NUMBER, Result.SHAPE):
        hint = "number" if result is Result.NUMBER else ""
        return Symbol(("number", m.fresh_number()), f"{short}()", hint=hint or "number", named=True)
    if result is Result.STRING:
        return Symbol(("string", m.fresh_number()), short, hint="string")
    if result is Result.NONE:
        return Const(None)
    if result is Result.UNKNOWN or result in _OPAQUE:
        return m.unknown(node)
    dtype = dtype_name(m.resolve(given["dtype"])) if "dtype" in given else None
    if result in (Result.NEW, Result.LIKE, Result.CPU_TENSOR):
        return created(m, operation, node, given, tensors + [each.tensor for each in free or ()], dtype, call)
    if result is Result.SELF and free:
        # The source of `copy_` may be anywhere, but its graph comes along.
        operands = [*operands, *((Role.FREE, each) for each in free)]
        tensors = [each.tensor for _, each in operands]
    needs, cut = _needs_grad(m, operation, tensors + (more_inputs or []), open_operands=open_operands)
    written = [name for name in operation.writes if name in given and name != "out"]
    if result is Result.SELF and tensors and not operation.writes:
        return tensors[0]
    if "inplace" in given and not layer and m.resolve(given["inplace"]) == Const(True) and tensors:
        # `F.relu(x, inplace=True)`: the same as the method that ends in `_`.
        return training.written(
            m, node, f"{short}_", operands[0][1], operation, operands, needs, kept_in_place(short)
        )
    if result is Result.SELF and tensors:
        target = operands[0][1]
        return training.written(
            m, node, short, target, operation, operands, needs, saved_names(m, operation, operands)
        )
    shape, nonscalar = result_shape(m, operation, tensors, given, complete=complete)
    if not nonscalar and shape is None and operation.rank is Rank.UNKNOWN:
        nonscalar = short in _ADD_A_DIMENSION or (
            short not in _LOSE_DIMENSIONS and any(each.nonscalar for each in tensors[:1])
        )
    if anchor is None and open_operands:
        device = UNKNOWN_DEVICE
    elif (
        open_operands
        and not conflict
        and anchor is not None
        and device == CPU
        and not anchor.tensor.nonscalar
    ):
        device = UNKNOWN_DEVICE  # a 0-dim CPU tensor with something unknown: the other decides
    step = (
        m.state.get(anchor.tensor, "device_step", anchor.tensor.device_step) if anchor is not None else None
    )
    inference = m.state.get(AMBIENT, "inference", False) is True
    common = {
        "device": device,
        "dtype": _dtype(m, operation, operands, dtype, given, complete=complete),
        "shape": shape,
        "nonscalar": nonscalar,
        "device_step": step,
        "inference": inference,
    }
    for name in written:
        target_value = m.tensor_of(given[name], infer=False)
        if target_value is not None and result is not Result.SELF:
            training.touch(m, target_value, node)
    if result is Result.TENSORS:
        return _many(
            m, operation, node, tensors, operands, needs, cut, common, more_inputs, open_edge=open_operands
        )
    if result is Result.VIEWS:
        views = [
            _one(
                m,
                operation,
                node,
                tensors,
                operands,
                needs,
                cut,
                common,
                more_inputs,
                view=True,
                open_edge=open_operands,
            )
        ]
        graph_checks.view_made(m, views[0], "several")
        sequence = m.new_list((), node, "list")
        from devls.interpreter.joins import Contents  # noqa: PLC0415  one use

        m.state.set(sequence, "#items", Contents(None, views[0]))
        return sequence
    itself: bool | None = False
    if result is Result.VIEW and tensors:
        itself = resizing.is_itself(operation.name, tensors[0], shape)
        if itself:
            return tensors[0]
    if result is Result.VIEW and tensors:
        common["inference"] = tensors[0].inference and short not in _MAY_COPY
    made = _one(
        m,
        operation,
        node,
        tensors,
        operands,
        needs,
        cut,
        common,
        more_inputs,
        view=result is Result.VIEW,
        open_edge=open_operands,
    )
    if result is Result.VIEW and tensors:
        graph_checks.view_made(m, made)
        if short in ("expand", "expand_as", "broadcast_to"):
            graph_checks.expanded(m, tensors[0], made)
    if itself is None and made.leaf != m.is_leaf(tensors[0]) and m.requires_grad(tensors[0]) is not False:
        made.leaf = None
    return made


_SELECTORS = frozenset({"index", "indices", "mask", "condition"})


def _dtype(
    m: Machine,
    operation: Operation,
    operands: list[tuple[Role, Operand]],
    dtype: str | None,
    given: dict[str, object],
    *,
    complete: bool,
) -> str | None:
    if operation.dtype in (Dtype.BOOL, Dtype.INT):
        return result_dtype(operation, [], dtype)
    if not complete or m.state.get(AMBIENT, "autocast", False) is True:
        return None
    values = [each.tensor for _, each in operands if each.parameter not in _SELECTORS]
    names = {each.parameter for _, each in operands}
    numbers = [
        m.resolve(given[parameter.name])
        for parameter in operation.parameters
        if parameter.role is Role.ELEMENT and parameter.name in given and parameter.name not in names
    ]
    return result_dtype(operation, values, dtype, [each for each in numbers if each != Const(None)])


_ADD_A_DIMENSION = frozenset(
    {"unsqueeze", "stack", "cat", "concat", "hstack", "vstack", "repeat", "tile", "flatten", "outer"}
)
_LOSE_DIMENSIONS = frozenset(
    "squeeze select take item dot vdot inner matmul __matmul__ mv index_select gather max min median mode sum mean prod std var"
    " norm any all argmax argmin einsum tensordot bilinear det logdet trace dist pairwise_distance cosine_similarity unbind"
    " diagonal diag reshape view masked_select forward apply logsumexp amax amin nansum nanmean aminmax quantile kthvalue".split()
)
"""Operations whose result may have no dimensions although their operand has some."""


def _needs_grad(
    m: Machine, operation: Operation, tensors: list[TensorValue], *, open_operands: bool
) -> tuple[Tree, Step | None]:
    """Whether the result requires grad; and if operands did but it does not, why."""
    wanted: Tree = False
    for each in tensors:
        if can_require_grad(each.dtype) is False:
            continue
        wanted = any_of(wanted, m.requires_grad(each))
    if open_operands:
        wanted = any_of(wanted, None)
    if operation.differentiable is Differentiable.NO:
        return False, None
    enabled = m.grad_enabled()
    needs = both(enabled, wanted)
    if operation.differentiable is Differentiable.UNKNOWN and needs is not False:
        needs = both(needs, None)
    return needs, None


def grad_step(
    m: Machine, operation: Operation, node: ast.expr, tensors: list[TensorValue], needs: Tree
) -> Step | None:
    """Why a result requires grad, or which operation cut it off."""
    first = next((each for each in tensors if m.requires_grad(each) is True), None)
    if first is not None:
        before = m.state.get(first, "grad_step", first.grad_step)
        if needs is False:
            short = operation.name.rpartition(".")[2]
            what = (
                f"`{short}` has no gradient"
                if operation.differentiable is Differentiable.NO
                else "no graph is recorded here: grad mode is off"
            )
            return Step(what, m.site(node), before, kind="cut")  # type: ignore[arg-type]
        return before  # type: ignore[return-value]
    for each in tensors:
        step = m.state.get(each, "grad_step", each.grad_step)
        if isinstance(step, Step) and step.kind == "cut":
            return step
    return None


def saved_names(
    m: Machine, operation: Operation, operands: list[tuple[Role, Operand]]
) -> list[tuple[str, TensorValue | None]] | None:
    """What backward will need: (name, tensor), the tensor None for the result; None if unknown."""
    if operation.saves is None:
        return None
    found: list[tuple[str, TensorValue | None]] = []
    for name in operation.saves:
        if name.startswith("result"):
            found.append((name, None))
            continue
        for _, each in operands:
            if each.parameter != name:
                continue
            # What a factor is saved for is the gradient of the other factors; a bias is none.
            if operation.saves_only_if_other_requires_grad and not any(
                m.wants_gradient(other.tensor) is True
                for _, other in operands
                if other is not each and other.parameter in operation.saves
            ):
                continue
            if operation.saves_for_what_is_put and not any(
                m.wants_gradient(other.tensor) is True for _, other in operands[1:]
            ):
                continue
            found.append((name, each.tensor))
    return found


def record(
    m: Machine,
    operation: Operation,
    node: ast.expr,
    operands: list[tuple[Role, Operand]],
    needs: Tree,
    result: TensorValue,
    more_inputs: list[TensorValue] | None = None,
    *,
    open_edge: bool = False,
) -> Node | None:
    """The graph node of a result that may require grad."""
    if needs is False:
        return None
    names = saved_names(m, operation, operands)
    saved: list[Saved] = []
    for name, tensor in names or ():
        kept = result if tensor is None else tensor
        if kept.storage is not None:
            saved.append(Saved(kept, kept.storage, m.version(kept), name))
    if needs is True and saved:
        for _, operand in operands:
            if any(operand.tensor is each.tensor for each in saved):
                graph_checks.saved_for_backward(m, node, operand)
    inputs = tuple(
        each
        for each in (*(each.tensor for _, each in operands), *(more_inputs or ()))
        if m.requires_grad(each) is not False
    )
    # A Python number is saved too: `x * 2` cannot be walked twice; `x % 2` can, its gradient needs no divisor.
    with_number = (
        operation.saves_only_if_other_requires_grad
        and len(operands) == 1
        and operation.name.rpartition(".")[2] not in ("fmod", "remainder", "__mod__")
    )
    internal = "internal" in (operation.saves or ())  # something of its own, as a dropout mask
    keeps: bool | None = None if names is None else bool(saved) or with_number or internal
    if (
        keeps is False
        and operation.saves
        and any(m.requires_grad(each) not in (True, False) for each in inputs)
    ):
        keeps = None  # it depends on whether the other operand requires grad
    gradient = {Differentiable.ZERO: "zero", Differentiable.FAILS: "fails"}.get(
        operation.differentiable, "yes"
    )
    return Node(
        operation.name,
        inputs,
        m.site(node),
        tuple(saved),
        keeps,
        # What may require grad for all we know does so because of an operand that we do not see.
        open_edge or needs is None or any(each.symbol is not None for each in inputs),
        gradient,
        tuple(m.node(each) for each in inputs),  # type: ignore[misc]
    )


def _first_exact(operands: list[tuple[Role, Operand]]) -> list[tuple[Role, Operand]]:
    """The operands of a write: what is written stays where it is, even if it is a 0-dim tensor on the CPU."""
    return [(Role.EXACT, operands[0][1]), *operands[1:]] if operands else operands


_MAY_COPY = frozenset({"contiguous", "reshape", "reshape_as", "flatten", "ravel", "unflatten"})


def _one(
    m: Machine,
    operation: Operation,
    node: ast.expr,
    tensors: list[TensorValue],
    operands: list[tuple[Role, Operand]],
    needs: Tree,
    cut: Step | None,
    common: dict[str, object],
    more_inputs: list[TensorValue] | None,
    *,
    view: bool,
    open_edge: bool = False,
) -> TensorValue:
    base = tensors[0] if view and tensors else None
    if can_require_grad(common["dtype"]) is False and common["dtype"] is not None:  # type: ignore[arg-type]
        needs = False
    if operation.name.rpartition(".")[2] in _MAY_COPY:
        base = None  # a view or a copy: nothing may be concluded from sharing memory
    may_share = view and base is None and bool(tensors)
    result = TensorValue(
        # Without a graph a view still requires grad where its base does, and a copy does not.
        requires_grad=None
        if may_share and m.grad_enabled() is not True and m.requires_grad(tensors[0]) is not False
        else needs,
        leaf=negation(needs),
        storage=base.storage if base is not None else Storage(),
        view_of=(base.view_of or base) if base is not None else None,
        may_share=tensors[0].view_of or tensors[0].may_share or tensors[0] if may_share else None,
        origin=m.site(node),
        grad_step=cut or grad_step(m, operation, node, tensors + (more_inputs or []), needs),
        **common,  # type: ignore[arg-type]
    )
    result.node = record(m, operation, node, operands, needs, result, more_inputs, open_edge=open_edge)
    return result


def _many(
    m: Machine,
    operation: Operation,
    node: ast.expr,
    tensors: list[TensorValue],
    operands: list[tuple[Role, Operand]],
    needs: Tree,
    cut: Step | None,
    common: dict[str, object],
    more_inputs: list[TensorValue] | None,
    *,
    open_edge: bool = False,
) -> TupleValue:
    first: Node | None = None
    results: list[object] = []
    for each in operation.outputs or (operation.differentiable,):
        differs = each is Differentiable.NO
        result = TensorValue(
            requires_grad=False if differs else needs,
            leaf=True if differs else negation(needs),
            storage=Storage(),
            origin=m.site(node),
            grad_step=cut or grad_step(m, operation, node, tensors, False if differs else needs),
            **({**common, "dtype": "int64"} if differs else common),  # type: ignore[arg-type]
        )
        if not differs:
            # The outputs of one operation share its node: walking one frees it for all.
            if first is None:
                first = record(m, operation, node, operands, needs, result, more_inputs, open_edge=open_edge)
            result.node = first
        results.append(result)
    return TupleValue(tuple(results))


def created(
    m: Machine,
    operation: Operation,
    node: ast.expr,
    given: dict[str, object],
    tensors: list[TensorValue],
    dtype: str | None,
    call: Invocation | None,
) -> TensorValue:
    """A new leaf: `zeros`, `randn`, `zeros_like`, `from_numpy`."""
    short = operation.name.rpartition(".")[2]
    wanted = device_of(m, given["device"]) if "device" in given else None
    _check_device(m, node, given.get("device"), call)
    like = next(iter(tensors), None)
    step_before: Step | None = None
    if wanted is None and operation.result is Result.LIKE and like is not None:
        device = m.device(like)
        step_before = m.state.get(like, "device_step", like.device_step)  # type: ignore[assignment]
        step = step_before
        if step is None:
            step = Step(f"`{short}` gives it the device of its argument", m.site(node), kind="derived")
    elif wanted is None and operation.result is Result.LIKE:
        device = UNKNOWN_DEVICE  # where its argument is, which we do not see
        step = Step(f"`{short}` gives it the device of its argument", m.site(node), kind="derived")
    elif wanted is None:
        ambient = m.default_device()
        device = CPU if operation.result is Result.CPU_TENSOR or ambient is None else ambient
        where = "the CPU" if device == CPU else str(device)
        step = Step(
            f"created on {where}: `{m.text(node)}`",
            m.site(node),
            kind="created" if device == CPU else "placed",
        )
    else:
        device = wanted
        step = Step(f"created on {_where(device)}", m.site(node), kind="placed")
        template = m.resolve(given["device"])
        if (
            isinstance(template, DeviceValue)
            and template.step is not None
            and template.step.kind == "created"
        ):
            step = template.step  # it is where another stands that nobody gave a device
    grad: Tree = False
    if "requires_grad" in given:
        grad = m.truth(given["requires_grad"])
    shape, nonscalar = created_shape(m, operation, given, like, call)
    kind = dtype if "dtype" not in given else dtype or "?"
    if (kind is None and operation.dtype is Dtype.UNKNOWN and "fill_value" in given) or short == "arange":
        kind = dtype or _dtype_of_numbers(
            m, [given[name] for name in ("fill_value", "start", "end", "step") if name in given]
        )
    elif kind is None:
        kind = (
            like.dtype
            if like is not None and operation.result is Result.LIKE
            else result_dtype(operation, tensors, dtype)
        )
    if grad is True and operation.name != "torch.tensor":
        observations.requires_grad(m, node, "requires_grad=True", None if kind == "?" else kind, None)
    result = TensorValue(
        device=device,
        requires_grad=grad,
        leaf=True,
        dtype=None if kind == "?" else kind,
        shape=shape,
        nonscalar=nonscalar,
        storage=Storage(),
        origin=m.site(node),
        device_step=step,
        grad_step=Step("created with requires_grad=True", m.site(node), kind="requires")
        if grad is True
        else None,
        inference=m.state.get(AMBIENT, "inference", False) is True,
    )
    if isinstance(step, Step) and step.kind == "created":
        m.state.set(step, "made", result)
    return result


def _check_device(m: Machine, node: ast.expr, value: object, call: Invocation | None) -> None:
    value = m.resolve(value)
    if call is not None and isinstance(value, Const) and isinstance(value.value, str):
        placement.check_device_string(m, node, value.value, call.keyword_nodes.get("device"))


def _dtype_of_numbers(m: Machine, values: list[object]) -> str | None:
    """What `full` and `arange` make of the numbers they are given."""
    kinds = {type(each.value) if isinstance(each := m.resolve(value), Const) else None for value in values}
    if float in kinds:
        return "float32"
    return "int64" if kinds == {int} else "bool" if kinds == {bool} else None


_SIZED = frozenset(
    {"zeros", "ones", "rand", "randn", "empty", "full", "new_zeros", "new_ones", "new_empty", "new_full"}
)
_ONE_DIMENSION = frozenset(
    {"arange", "range", "linspace", "logspace", "randperm", "hann_window", "hamming_window"}
)
_MATRIX = frozenset({"eye", "tril_indices", "triu_indices"})


def created_shape(
    m: Machine,
    operation: Operation,
    given: dict[str, object],
    like: TensorValue | None,
    call: Invocation | None,
) -> tuple[tuple[int | None, ...] | None, bool]:
    """The shape of a factory's result."""
    short = operation.name.rpartition(".")[2]
    if short.endswith("_like") and like is not None:
        return like.shape, like.nonscalar
    if short in _ONE_DIMENSION:
        return (_length(m, short, given),), True
    if short == "eye":
        rows = resizing.number(m, given.get("n"))
        return (rows, resizing.number(m, given["m"]) if "m" in given else rows), True
    if short in _MATRIX:
        return (None, None), True
    if call is None:
        return None, False
    skip = 1 if call.is_method else 0
    if short in _SIZED:
        if "size" in call.keywords:
            shape = sizes(m, [call.keywords["size"]])
        else:
            values = call.arguments[skip:]
            shape = sizes(m, values[:1] if short in ("full", "new_full") else values)
        # A shape that is not known is hardly ever that of a scalar.
        return shape, shape != ()
    if short == "randint":
        for value in (call.keywords.get("size"), *call.arguments[skip:]):
            resolved = m.resolve(value) if value is not None else None
            if isinstance(resolved, (TupleValue, Sequence)):
                return sizes(m, [resolved]), True
        return None, True
    if short in ("normal", "from_numpy", "frombuffer", "Tensor", "FloatTensor", "LongTensor"):
        return None, True
    return None, False


def _length(m: Machine, short: str, given: dict[str, object]) -> int | None:
    if short in ("linspace", "logspace"):
        return resizing.number(m, given.get("steps"))
    if short == "randperm":
        return resizing.number(m, given.get("n"))
    if short != "arange":
        return None
    bounds = [m.resolve(given[name]) for name in ("start", "end", "step") if name in given]
    numbers = [
        each.value for each in bounds if isinstance(each, Const) and isinstance(each.value, (int, float))
    ]
    if len(numbers) != len(bounds) or not numbers:
        return None
    start, end, step = (
        (0, *numbers, 1) if len(numbers) == 1 else (*numbers, 1) if len(numbers) == 2 else numbers
    )
    return max(0, math.ceil((end - start) / step)) if step else None


def _where(device: Tree) -> str:
    from devls.values.devices import describe  # noqa: PLC0415  one use

    return f"`{describe(device)}`"


# Operators


def binary(
    m: Machine,
    node: ast.expr | ast.stmt,
    method: str,
    left_node: ast.expr,
    left: object,
    right_node: ast.expr,
    right: object,
) -> object:
    """`left op right`, and whether it scaled something."""
    result = _binary(m, node, method, left_node, left, right_node, right)
    accumulation.scaled(m, method, result, right)
    return result


def _binary(
    m: Machine,
    node: ast.expr | ast.stmt,
    method: str,
    left_node: ast.expr,
    left: object,
    right_node: ast.expr,
    right: object,
) -> object:
    """`left op right`: tensors through the catalog, constants folded, the rest unknown."""
    left, right = m.resolve(left), m.resolve(right)
    if isinstance(left, Const) and isinstance(right, Const):
        folded = _fold(method, left.value, right.value)
        if folded is not None:
            return folded
    not_results.operands(m, node, ((left, left_node), (right, right_node)))
    a, b = m.tensor_of(left, infer=False), m.tensor_of(right, infer=False)
    if a is None and b is None:
        return _without_tensors(m, node, method, left_node, left, right_node, right)
    if a is None and isinstance(left, InstanceValue) and left.cls is not None:
        return _without_tensors(m, node, method, left_node, left, right_node, right)
    operation = m.library.operation(f"torch.Tensor.{method}")
    if operation is None:
        return m.unknown(node)
    anchor_node = node if isinstance(node, ast.expr) else left_node
    operands: list[tuple[Role, Operand]] = []
    exact = "matmul" in method
    open_operands = False
    names = ("input", "other")
    parameters = [each.name for each in operation.parameters]
    if len(parameters) >= 2:
        names = (parameters[0], parameters[1])
    for tensor, value, side, name in ((a, left, left_node, names[0]), (b, right, right_node, names[1])):
        found = tensor
        if (
            found is None
            and isinstance(value, Symbol)
            and (batches.in_tensors(m, value) or m.state.get(value, "has shape") is True)
        ):
            # What has a shape and meets a tensor is one.
            found = m.as_tensor(value)
        if found is not None:
            operands.append((Role.EXACT if exact else Role.ELEMENT, mixing.operand(m, found, side, name)))
        elif isinstance(value, (Symbol, Either)):
            open_operands = open_operands or not _is_number(value)
        elif isinstance(value, InstanceValue) and not value.library.startswith("numpy"):
            open_operands = True
    if a is not None and host.mixed_with_array(
        m, anchor_node, method, mixing.operand(m, a, left_node), right
    ):
        return m.unknown(node)
    given: dict[str, object] = {"self": left, "other": right, "input": left, names[0]: left, names[1]: right}
    if method.startswith("__i") and method not in ("__invert__", "__index__", "__int__") and a is not None:
        mixing.check(m, node, method, _first_exact(operands))
        needs, _cut = _needs_grad(
            m, operation, [each.tensor for _, each in operands], open_operands=open_operands
        )
        target = next((each for _, each in operands if each.tensor is a), operands[0][1])
        return training.written(
            m, anchor_node, method, target, operation, operands, needs, saved_names(m, operation, operands)
        )
    return compute(
        m, operation, anchor_node, operands, given, open_operands=open_operands, complete=not open_operands
    )


def _without_tensors(
    m: Machine,
    node: ast.expr | ast.stmt,
    method: str,
    left_node: ast.expr,
    left: object,
    right_node: ast.expr,
    right: object,
) -> object:
    from devls.interpreter import calls  # noqa: PLC0415  a cycle otherwise

    for value, name in ((left, method), (right, method.replace("__", "__r", 1))):
        if isinstance(value, InstanceValue):
            found = calls.method_of(m, value, name)
            if found is not None:
                other = right if value is left else left
                return calls.call(m, found, [other], {}, node if isinstance(node, ast.expr) else None)
    if (
        isinstance(left, (Sequence, TupleValue))
        and isinstance(right, (Sequence, TupleValue))
        and "add" in method
    ):
        from devls.interpreter import iteration  # noqa: PLC0415  a cycle otherwise

        items_a, items_b = iteration.items(m, left, left_node), iteration.items(m, right, right_node)
        if items_a is not None and items_b is not None:
            both_ = (*items_a, *items_b)
            return TupleValue(both_) if isinstance(left, TupleValue) else m.new_list(both_, left_node)
    if isinstance(left, Sequence) and "mul" in method:
        return _repeated(m, left, right, left_node)
    if isinstance(left, Mapping) and "or" in method:
        return left
    for value in (left, right):
        if isinstance(value, Symbol) and batches.in_tensors(m, value):
            return _inferred(m, node, method, left_node, left, right_node, right)
    numeric = all(
        isinstance(each, Const) or (isinstance(each, Symbol) and each.hint == "number")
        for each in (left, right)
    )
    if numeric:
        named = all(
            isinstance(each, Const) or (isinstance(each, Symbol) and each.named) for each in (left, right)
        )
        from devls.interpreter.narrowing import key_of  # noqa: PLC0415  one use

        return Symbol((method, key_of(m, left), key_of(m, right)), "a number", hint="number", named=named)
    # One of several numbers is a number as well, although we cannot say which.
    several = all(_is_arithmetic(leaf) for each in (left, right) for leaf in leaves(each))
    hint = "number" if several else ""
    return Symbol(("operator", m.fresh_number()), m.text(node), site=m.site(node), hint=hint)


def _is_arithmetic(value: object) -> bool:
    if isinstance(value, Const):
        return isinstance(value.value, (int, float))
    return isinstance(value, Symbol) and value.hint == "number"


def _repeated(m: Machine, left: Sequence, times: object, node: ast.expr) -> object:
    """`[item] * n`."""
    from devls.interpreter.joins import Contents  # noqa: PLC0415  one use

    contents = m.state.get(left, "#items")
    if not isinstance(contents, Contents):
        return left
    whole = contents.items is not None and contents.element is None
    if (
        whole
        and contents.items
        and isinstance(times, Const)
        and isinstance(times.value, int)
        and times.value * len(contents.items) <= 64
    ):
        return m.new_list(contents.items * max(0, times.value), node)
    result = m.new_list((), node)
    m.state.set(result, "#items", Contents(None, m.any_of((*(contents.items or ()), contents.element))))
    return result


def _inferred(
    m: Machine,
    node: ast.expr | ast.stmt,
    method: str,
    left_node: ast.expr,
    left: object,
    right_node: ast.expr,
    right: object,
) -> object:
    def known(value: object) -> object:
        return m.as_tensor(value) if isinstance(value, Symbol) and batches.in_tensors(m, value) else value

    return binary(m, node, method, left_node, known(left), right_node, known(right))


def _fold(method: str, left: object, right: object) -> Const | None:
    if not isinstance(left, (int, float, str)) or not isinstance(right, (int, float, str)):
        return None
    try:
        if isinstance(left, str) or isinstance(right, str):
            return (
                Const(left + right)
                if "add" in method and isinstance(left, str) and isinstance(right, str)
                else None
            )
        kind = method.strip("_").removeprefix("i") if method.startswith("__i") else method.strip("_")
        result = _folded(kind, left, right)
    except (ArithmeticError, ValueError, TypeError):
        return None
    return None if result is None or isinstance(result, complex) else Const(result)


def _folded(kind: str, left: float, right: float) -> object:
    """The result of an operator on numbers; None where it is not worth computing."""
    if kind == "add":
        return left + right
    if kind == "sub":
        return left - right
    if kind == "mul":
        return left * right
    if kind == "truediv":
        return left / right
    if kind == "floordiv":
        return left // right
    if kind == "mod":
        return left % right
    if kind == "pow" and abs(right) < 64 and abs(left) < 1e6:
        return left**right
    return None


def unary(m: Machine, node: ast.expr, method: str, operand_node: ast.expr, value: object) -> object:
    """`-x`, `+x`, `~x`."""
    tensor = m.tensor_of(value, infer=isinstance(value, Symbol) and batches.in_tensors(m, value))
    if tensor is None:
        if isinstance(value, Symbol):
            return Symbol((method, value.key), f"-{value.text}", hint=value.hint, named=value.named)
        return m.unknown(node)
    operation = m.library.operation(f"torch.Tensor.{method}")
    if operation is None:
        return m.unknown(node)
    name = operation.parameters[0].name if operation.parameters else "input"
    return compute(m, operation, node, [(Role.ELEMENT, mixing.operand(m, tensor, operand_node, name))], {})


# Statements


_PURE_MOVES = frozenset(
    {
        "to",
        "cuda",
        "cpu",
        "xpu",
        "detach",
        "clone",
        "float",
        "double",
        "half",
        "long",
        "int",
        "bool",
        "contiguous",
        "type",
        "type_as",
        "requires_grad",
        "bfloat16",
    }
)


def result_dropped(m: Machine, statement: ast.Expr, node: ast.Call, value: object) -> None:
    """An expression statement whose value goes nowhere."""
    resolved = m.resolve(value)
    if isinstance(resolved, InstanceValue) and resolved.library in (
        "torch.no_grad",
        "torch.enable_grad",
        "torch.inference_mode",
    ):
        m.emit(
            GradModeWithoutEffect(
                m.site(node), statement, "not entered", resolved.library.rpartition(".")[2], node
            )
        )
        return
    if isinstance(node.func, ast.Attribute) and node.func.attr not in _PURE_MOVES:
        _computed_for_nothing(m, statement, node, node.func, resolved)
    if not isinstance(node.func, ast.Attribute) or node.func.attr not in _PURE_MOVES:
        return
    if not isinstance(resolved, TensorValue) or not isinstance(
        node.func.value, (ast.Name, ast.Attribute, ast.Subscript)
    ):
        return  # nobody could use a temporary anyway: it is made for the effect
    receiver = m.resolve(m.state.get(resolved, "moved from"))
    if not isinstance(receiver, TensorValue) or (
        receiver.symbol is not None
        and receiver.symbol.hint != "tensor"
        and not m.state.get(receiver, "is tensor")
    ):
        return
    m.emit(
        ResultDiscarded(
            m.site(node),
            statement,
            node.func.attr,
            m.text(node.func.value),
            node.func.value,
            moved=node.func.attr in ("to", "cuda", "cpu", "xpu"),
            tensor=receiver,
        )
    )


_FOR_THE_EFFECT: Final = frozenset({"matmul", "mm", "bmm", "requires_grad_", "item", "tolist", "contiguous"})
"""What is also called for the time it takes, or to see whether it can be done."""


def _computed_for_nothing(
    m: Machine, statement: ast.Expr, node: ast.Call, function: ast.Attribute, result: object
) -> None:
    """`x.squeeze(0)` as a statement: a new tensor that nobody gets."""
    name = function.attr
    if (
        name.endswith("_")
        or name in _FOR_THE_EFFECT
        or not isinstance(function.value, (ast.Name, ast.Attribute))
    ):
        return
    if not isinstance(result, TensorValue) or result.origin is None or result.origin.node is not node:
        return
    operation = m.library.operation(f"torch.Tensor.{name}")
    if operation is None or operation.result not in (Result.TENSOR, Result.VIEW) or operation.writes:
        return
    m.muted += 1
    receiver = m.resolve(m.eval(function.value))
    m.muted -= 1
    if not isinstance(receiver, TensorValue) or (
        receiver.symbol is not None and receiver.symbol.hint != "tensor"
    ):
        return
    text = m.text(function.value)
    m.emit(ComputedForNothing(m.site(node), statement, name, function.value, text, receiver))


def devices_compared(m: Machine, node: ast.Compare, left: object, right: object) -> None:
    """`x.device == "cuda"` never holds, nor does `== torch.device("cuda")`, nor `is`."""
    if len(node.ops) != 1:
        return
    if isinstance(node.ops[0], (ast.Is, ast.IsNot)):
        _identity_of_devices(m, node, left, right)
        return
    if not isinstance(node.ops[0], (ast.Eq, ast.NotEq)):
        return
    sign = "==" if isinstance(node.ops[0], ast.Eq) else "!="
    for side, other, side_node, other_node in (
        (left, right, node.left, node.comparators[0]),
        (right, left, node.comparators[0], node.left),
    ):
        if not isinstance(side, DeviceValue) or not isinstance(side_node, ast.Attribute):
            continue
        problem = replacement = ""
        text, wanted = m.text(side_node), m.text(other_node)
        if isinstance(other, Const) and isinstance(other.value, str) and side.of_tensor:
            problem = f"a torch.device never equals a string: `{wanted}`"
            replacement = (
                f"str({text}) {sign} {wanted}" if ":" in other.value else f"{text}.type {sign} {wanted}"
            )
        elif side.of_tensor and isinstance(other, DeviceValue) and not other.of_tensor:
            device = other.device
            if isinstance(device, KnownDevice) and device.is_accelerator and device.index is None:
                problem = f"the device of a tensor has an index, and never equals `{wanted}`, which has none"
                replacement = f'{text}.type {sign} "{device.type}"'
        if problem:
            m.emit(DeviceCompared(m.site(node), m.frame.statement, text, problem, replacement))
            return


def _identity_of_devices(m: Machine, node: ast.Compare, left: object, right: object) -> None:
    if (
        isinstance(left, DeviceValue)
        and isinstance(right, DeviceValue)
        and (left.of_tensor or right.of_tensor)
    ):
        sign = "==" if isinstance(node.ops[0], ast.Is) else "!="
        problem = "`.device` is a new object at each access, identical to nothing"
        replacement = f"{m.text(node.left)} {sign} {m.text(node.comparators[0])}"
        m.emit(DeviceCompared(m.site(node), m.frame.statement, m.text(node.left), problem, replacement))


__all__ = ["LibraryName", "binary", "call_library", "perform", "unary"]
