"""Effects of library operations on tensors."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from devls.engine.core import limits, moments, priors
from devls.engine.core.invocation import CHECKED_ROLES, Invocation
from devls.engine.core.joins import Contents
from devls.engine.python import classes, operators
from devls.engine.torch.autograd import graph_construction
from devls.engine.torch.tensors import creation, device_check, host, shape_rules, shapes, writes
from devls.engine.torch.tensors.shapes import dtype_name, result_dtype
from devls.library.effects import Dtype, Operation, Parameter, Passing, Result, Role
from devls.values.conditions import Either
from devls.values.devices import CPU, UNKNOWN_DEVICE
from devls.values.facts import fact
from devls.values.state import AMBIENT
from devls.values.value import BoundMethod, Const, InstanceValue, Sequence, Symbol, TensorValue, TupleValue

if TYPE_CHECKING:
    from devls.engine.core.events.events import Operand
    from devls.engine.core.machine import Machine
    from devls.values.conditions import Tree


_LOOKS_AT_NOTHING = frozenset(
    {
        Result.NUMBER,
        Result.SHAPE,
        Result.STRING,
        Result.NONE,
        Result.VIEW,
        Result.VIEWS,
        Result.LIKE,
        Result.NEW,
    }
)
"""Kinds of results that do not need the numbers of the operands."""

MODULES: Final = frozenset({Result.MODULE, Result.CPU_MODULE})
OPAQUE = MODULES | {Result.OBJECT, Result.RANGE, Result.MODE, Result.WRAPPER, Result.TRANSFORM, Result.CALL}

_ON_HOST = frozenset({Result.HOST_ARRAY, Result.HOST_SCALAR, Result.HOST_LIST})

_CREATES = frozenset({Result.NEW, Result.LIKE, Result.CPU_TENSOR})

_NO_TENSOR = OPAQUE | {Result.NUMBER, Result.SHAPE, Result.STRING, Result.NONE, Result.UNKNOWN}


def _check_out(
    m: Machine, node: ast.expr, operation: str, out: object, anchor: Operand | None, device: Tree
) -> Tree:
    """`out=`: what is written has to be where the result is made, a 0-dim tensor on the CPU too."""
    if out is None or anchor is None or anchor.device != device:
        return device
    for each in m.alternatives(out):
        items = each.items if isinstance(each, TupleValue) else (each,)
        nodes = _out_nodes(node)
        for index, item in enumerate(items):
            tensor = m.tensor_of(m.resolve(item), infer=False)
            if tensor is None:
                continue
            where = nodes[index] if len(nodes) == len(items) else None
            written = device_check.operand(m, tensor, where, "out")
            checked, _, conflict = device_check.check(
                m, node, operation, [(Role.EXACT, anchor), (Role.EXACT, written)]
            )
            if conflict:
                return checked
    return device


def _out_nodes(node: ast.expr) -> list[ast.expr]:
    given = next((each.value for each in getattr(node, "keywords", ()) if each.arg == "out"), None)
    if isinstance(given, (ast.Tuple, ast.List)):
        return given.elts
    return [] if given is None else [given]


_KEEP_THEIR_RESULT: Final = frozenset("relu leakyrelu elu celu selu rrelu".split())


def kept_in_place(name: str) -> list[tuple[str, TensorValue | None]]:
    """Tensor that an activation with `inplace=True` keeps for backward.

    Some keep their result, all others a copy of the input.

    Args:
        name: of the function or the class, as torch spells it. The page of inplace-breaks-backward runs both kinds.
    """
    return [("result", None)] if name.lower().replace("_", "") in _KEEP_THEIR_RESULT else []


def perform(m: Machine, operation: Operation, call: Invocation) -> object:
    """Run a catalog operation on its arguments."""
    bound = call.bind(operation)
    for each in call.arguments:
        if type(each) is BoundMethod or type(each) is Sequence:
            moments.operands_given(m, call)
            break
    found = _Given(given=_by_parameter(m, bound), complete="*" not in call.keywords)
    found.open = call.may_bring_tensors(operation)
    first = True
    for parameter, value, node in bound:
        if parameter.role in (Role.LIST, Role.COPIES):
            _take_list(m, found, parameter, value, node)
        elif parameter.role is not Role.OTHER:
            _take_one(m, found, parameter, value, node, first=first)
            first = False
    return compute(
        m,
        operation,
        call.node,
        found.operands,
        found.given,
        open_operands=found.open,
        complete=found.complete,
        free=found.free,
        call=call,
    )


@dataclass(eq=False, repr=False)
class _Given:
    """Arguments of a call, by the operation's parameters."""

    given: dict[str, object]  # by parameter
    complete: bool  # whether all operands are seen: what `*more` brings along is not
    operands: list[tuple[Role, Operand]] = field(default_factory=list)
    free: list[Operand] = field(default_factory=list)  # those that may be anywhere
    open: bool = False  # whether what is not seen may be a tensor


def _by_parameter(m: Machine, bound: list[tuple[Parameter, object, ast.expr | None]]) -> dict[str, object]:
    """The arguments by parameter; those of `*rest` are one tuple."""
    given: dict[str, object] = {}
    rests: dict[str, list[object]] = {}
    for parameter, value, _ in bound:
        if parameter.passing is Passing.REST:
            rests.setdefault(parameter.name, []).append(value)
        else:
            given[parameter.name] = value
    for name, rest in rests.items():
        given[name] = m.new_tuple(tuple(rest))
    return given


def _take_list(m: Machine, found: _Given, parameter: Parameter, value: object, node: ast.expr | None) -> None:
    """The tensors of a list are operands, each by itself."""
    tensors, whole, all_tensors = _listed(m, value, node)
    found.complete = found.complete and (whole or all_tensors)
    if not whole:
        found.given[shape_rules.UNCOUNTED] = Const(True)
    others = Role.FREE if parameter.role is Role.COPIES else Role.EXACT
    found.operands += [
        (others if number else Role.EXACT, device_check.operand(m, each, each_node, parameter.name))
        for number, (each, each_node) in enumerate(tensors)
    ]
    found.open = found.open or not all_tensors


_NUMBERS_TOO: Final = frozenset({"high", "max", "min", "q", "repeats", "scale", "std", "zero_point"})
"""Parameters for a tensor on the operation's device which torch takes a number for as well: what is unknown may be one."""


def _take_one(
    m: Machine, found: _Given, parameter: Parameter, value: object, node: ast.expr | None, *, first: bool
) -> None:
    """An argument that is a tensor is an operand."""
    resolved = m.resolve(value)
    surely = first or (parameter.role is Role.EXACT and parameter.name not in _NUMBERS_TOO)
    infer = surely or (isinstance(resolved, Symbol) and priors.is_in_tensors(m, resolved))
    tensor = m.tensor_of(resolved, infer=infer)
    if tensor is None:
        if is_open(resolved):
            found.open, found.complete = True, False
    elif parameter.role is Role.FREE:
        found.free.append(device_check.operand(m, tensor, node, parameter.name))
    elif parameter.role in CHECKED_ROLES:
        found.operands.append((parameter.role, device_check.operand(m, tensor, node, parameter.name)))


def is_open(value: object) -> bool:
    """Whether a value in a tensor's place may stand for one, or hold some: of what comes of it little is known."""
    if isinstance(value, InstanceValue):
        return not value.library.startswith("numpy")
    return isinstance(value, (Symbol, Either, BoundMethod)) and not operators.is_number(value)


def _listed(
    m: Machine, value: object, node: ast.expr | None
) -> tuple[list[tuple[TensorValue, ast.expr | None]], bool, bool]:
    """The tensors of a sequence argument; whether these are all, one by one; whether nothing else is in it."""
    value = m.resolve(value)
    items, of_all, whole = _items(m, value)
    if not items and not isinstance(value, (TupleValue, Sequence)):
        return [], False, False
    nodes = list(node.elts) if isinstance(node, (ast.List, ast.Tuple)) else []
    if any(isinstance(each, ast.Starred) for each in nodes):
        nodes = []
    all_tensors = bool(items)
    found: list[tuple[TensorValue, ast.expr | None]] = []
    for index, item in enumerate(items):
        choices = m.alternatives(item)
        whole = whole and len(choices) == 1  # one of several is one item
        if (
            len(choices) > 1
            and index != of_all
            and all(isinstance(each, (TensorValue, Symbol)) for each in choices)
        ):
            choices = [item]  # which of them it is may decide where others of the list are
        for each in choices:
            tensor = m.tensor_of(each, infer=True)
            if tensor is None:
                whole = all_tensors = False
            else:
                found.append((tensor, nodes[index] if index < len(nodes) else node))
    return found, whole, all_tensors


def _items(m: Machine, value: object) -> tuple[list[object], int, bool]:
    """The items of a sequence; the place of one that stands for all others, or -1; whether these are all, one by one."""
    if isinstance(value, TupleValue):
        return list(value.items), -1, True
    if isinstance(value, Sequence):
        contents = m.state.get(value, "#items")
        if not isinstance(contents, Contents):
            return [], -1, True
        items = [*(contents.items or ())]
        of_all = -1
        if contents.element is not None:
            of_all = len(items)  # here all of several stand for themselves
            items.append(contents.element)
        return items, of_all, contents.items is not None and contents.element is None
    if isinstance(value, TensorValue) or (isinstance(value, Symbol) and value.hint == "tensor"):
        return [value], -1, True
    return (classes.named_items(m, value) if isinstance(value, InstanceValue) else None) or [], -1, True


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
    m.state.work += limits.WORK_OF_OPERATION
    short, result = operation.name.rpartition(".")[2], operation.result
    if result in _ON_HOST:
        if len(operands) > 1:  # `torch.equal`
            device_check.check(m, node, short, operands, layer=layer)
        return host.convert(m, operation, node, operands)
    in_place = result is Result.SELF and bool(operation.writes)
    checked = graph_construction.first_exact(operands) if in_place else operands
    device, anchor, conflict = device_check.check(m, node, short, checked, layer=layer)
    moments.computed(m, node, short, operands, reads=result not in _LOOKS_AT_NOTHING)
    if result in _NO_TENSOR:
        return _no_tensor(m, result, node, short)
    if result in _CREATES:
        return _created(m, operation, node, operands, given, free, call)
    if result is Result.SELF and free:
        # The source of `copy_` may be anywhere, but its graph comes along.
        operands = [*operands, *((Role.FREE, each) for each in free)]
    tensors = [each.tensor for _, each in operands]
    training = _training(m, operation, given) if operation.name in _DROPOUTS else True
    if training is False and tensors:
        return tensors[0]  # dropout that is off hands through what it is given
    needs, known = graph_construction.needs_grad(
        m, operation, tensors + (more_inputs or []), open_operands=open_operands
    )
    work = _Work(operation, node, operands, given, tensors, needs, known, more_inputs, open_operands, layer)
    if result is Result.SELF and tensors and not operation.writes:
        return tensors[0]
    if tensors and (result is Result.SELF or _is_told_in_place(m, work)):
        return _written(m, work)
    common = _common(m, work, device, anchor, complete=complete, conflict=conflict)
    _write_others(m, work, common["shape"])
    if result is Result.TENSORS:
        return graph_construction.many(
            m, operation, node, tensors, operands, needs, known, common, more_inputs, open_edge=open_operands
        )
    if result is Result.VIEWS:
        return _views(m, work, common)
    return _one(m, work, common, training)


@fact
class _Work:
    """One computation: what is computed, of what, and whether that goes into the graph."""

    operation: Operation
    node: ast.expr
    operands: list[tuple[Role, Operand]]
    given: dict[str, object]
    tensors: list[TensorValue]
    needs: Tree  # whether the result requires grad
    known: graph_construction.Wanted
    more_inputs: list[TensorValue] | None
    open_operands: bool
    layer: bool

    @property
    def short(self) -> str:
        """The name of the operation without its module."""
        return self.operation.name.rpartition(".")[2]


def _no_tensor(m: Machine, result: Result, node: ast.expr, short: str) -> object:
    """Result of an operation that gives no tensor, or an unknown value."""
    if result in (Result.NUMBER, Result.SHAPE):
        return Symbol(("number", m.fresh_number()), f"{short}()", hint="number", named=True)
    if result is Result.STRING:
        return Symbol(("string", m.fresh_number()), short, hint="string")
    return Const(None) if result is Result.NONE else m.unknown(node)


def _created(
    m: Machine,
    operation: Operation,
    node: ast.expr,
    operands: list[tuple[Role, Operand]],
    given: dict[str, object],
    free: list[Operand] | None,
    call: Invocation | None,
) -> object:
    """Result of a factory; one that fills an argument makes nothing."""
    if operation.result is Result.NEW and call is not None and "out" in call.keywords:
        filled = m.tensor_of(call.keywords["out"], infer=False)
        return m.unknown(node) if filled is None else filled
    tensors = [each.tensor for _, each in operands] + [each.tensor for each in free or ()]
    return creation.created(m, operation, node, given, tensors, _dtype_given(m, given), call)


def _dtype_given(m: Machine, given: dict[str, object]) -> str | None:
    return dtype_name(m.resolve(given["dtype"])) if "dtype" in given else None


def _is_told_in_place(m: Machine, work: _Work) -> bool:
    """Whether it is `F.relu(x, inplace=True)`: the same as the method that ends in `_`."""
    return "inplace" in work.given and not work.layer and m.resolve(work.given["inplace"]) == Const(True)


def _written(m: Machine, work: _Work) -> TensorValue:
    """An operation in place, by its name or as it is told."""
    operation, operands = work.operation, work.operands
    saved: list[tuple[str, TensorValue | None]] | None
    if _is_told_in_place(m, work):
        how, saved = f"{work.short}_", kept_in_place(work.short)
    else:
        how, saved = work.short, graph_construction.saved_names(m, operation, operands)
    return writes.written(m, work.node, how, operands[0][1], operation, operands, work.needs, saved)


def _common(
    m: Machine, work: _Work, device: Tree, anchor: Operand | None, *, complete: bool, conflict: bool
) -> dict[str, object]:
    """Common properties of all results of a computation."""
    operation, given = work.operation, work.given
    shape, nonscalar = shapes.shape_of_result(
        m, operation, work.tensors, given, complete=complete, layer=work.layer
    )
    if anchor is None:
        device, step = UNKNOWN_DEVICE if work.open_operands else device, None
    else:
        step = device_check.step_of(m, anchor.tensor)
        if work.open_operands and not conflict and device == CPU and not anchor.tensor.nonscalar:
            device = UNKNOWN_DEVICE  # a 0-dim CPU tensor with something unknown: the other decides
    common = {
        "device": device,
        "dtype": _dtype(m, operation, work.operands, _dtype_given(m, given), given, complete=complete),
        "shape": shape,
        "nonscalar": nonscalar,
        "device_step": step,
        "inference": m.state.get(AMBIENT, "inference", False) is True,
    }
    if not conflict and not work.layer and "out" in given:
        common["device"] = _check_out(m, work.node, work.short, given.get("out"), anchor, device)
    return common


def _write_others(m: Machine, work: _Work, shape: object) -> None:
    """Writes of an operation beside its result: `out=`, which takes on the shape, and other operands."""
    operation, given = work.operation, work.given
    out = m.tensor_of(given["out"], infer=False) if "out" in given else None
    if out is not None and out.shape != shape:
        out.shape, out.nonscalar = None, False  # resized to what comes out
    for name in operation.writes:
        if name in given and name != "out":
            target = m.tensor_of(given[name], infer=False)
            if target is not None and operation.result is not Result.SELF:
                writes.touch(m, target, work.node)


def _views(m: Machine, work: _Work, common: dict[str, object]) -> object:
    """A list of views, one of which stands for all."""
    tensors = work.tensors
    common["inference"] = common["inference"] or (bool(tensors) and tensors[0].inference)
    view = _made(m, work, common, view=True)
    graph_construction.view_made(m, view, "several")
    sequence = m.new_list((), work.node, "list")
    m.state.set(sequence, "#items", Contents(None, view))
    return sequence


def _one(m: Machine, work: _Work, common: dict[str, object], training: bool | None) -> TensorValue:
    """The one tensor that comes of an operation: a view, what it is given, or something new."""
    operation, tensors = work.operation, work.tensors
    itself: bool | None = False
    is_view = operation.result is Result.VIEW
    if is_view and tensors:
        itself = shape_rules.is_itself(operation.name, tensors[0], common["shape"])  # type: ignore[arg-type]
        if itself:
            return tensors[0]
        common["inference"] = tensors[0].inference and work.short not in graph_construction.MAY_COPY
    made = _made(m, work, common, view=is_view)
    if is_view and tensors:
        graph_construction.view_made(m, made)
        if work.short in ("expand", "expand_as", "broadcast_to"):
            graph_construction.expanded_view(m, tensors[0], made)
    if training is None and tensors:
        itself = None
    if itself is None and made.leaf != m.is_leaf(tensors[0]) and m.requires_grad(tensors[0]) is not False:
        made.leaf = None
    return made


def _made(m: Machine, work: _Work, common: dict[str, object], *, view: bool) -> TensorValue:
    return graph_construction.one(
        m,
        work.operation,
        work.node,
        work.tensors,
        work.operands,
        work.needs,
        work.known,
        common,
        work.more_inputs,
        view=view,
        open_edge=work.open_operands,
        arguments=work.given,
    )


_DROPOUTS: Final = frozenset(
    f"{space}.{name}"
    for space in ("torch", "torch.nn.functional")
    for name in ("dropout", "alpha_dropout", "feature_dropout", "feature_alpha_dropout")
)


def _training(m: Machine, operation: Operation, given: dict[str, object]) -> bool | None:
    """Whether a function that drops something does so: None when that is not known."""
    name = "train" if "train" in given else "training"
    default = next((each.default for each in operation.parameters if each.name == name), True)
    flag = m.truth(given[name]) if name in given else default
    return flag if isinstance(flag, bool) else None


_SELECTORS = frozenset({"index", "indices", "mask", "condition"})

_PROMOTING: Final = frozenset({Dtype.PROMOTED, Dtype.COMPLEX, Dtype.FLOAT})
"""Rules by which the dtypes of numbers count as well."""


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
    if operation.dtype not in _PROMOTING:
        return result_dtype(operation, values, dtype)
    names = {each.parameter for _, each in operands}
    numbers = [
        m.resolve(given[parameter.name])
        for parameter in operation.parameters
        if parameter.role is Role.ELEMENT and parameter.name in given and parameter.name not in names
    ]
    return result_dtype(operation, values, dtype, [each for each in numbers if each != Const(None)])
