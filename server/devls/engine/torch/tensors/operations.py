"""What library operations do to tensors."""

from __future__ import annotations

import ast
import functools
from typing import TYPE_CHECKING, Final

from devls.engine.checks import call_order, graph_checks, memory, transfers, uncalled
from devls.engine.core import library_semantics
from devls.engine.core.invocation import CHECKED_ROLES, Invocation
from devls.engine.core.transfer import CALLS, METHOD_CALLS
from devls.engine.evidence import batch_provenance
from devls.engine.python import builtins, operators, special_classes
from devls.engine.torch import optim, table
from devls.engine.torch.autograd import graph_construction
from devls.engine.torch.nn import calls as module_calls
from devls.engine.torch.nn import construction as module_construction
from devls.engine.torch.tensors import creation, device_check, host, numpy_dtypes, shape_rules, writes
from devls.engine.torch.tensors.shapes import dtype_name, result_dtype, result_shape
from devls.library import catalog
from devls.library.effects import Dtype, Operation, Passing, Rank, Result, Role
from devls.values.conditions import Either
from devls.values.devices import CPU, UNKNOWN_DEVICE
from devls.values.state import AMBIENT
from devls.values.value import (
    NONE,
    BoundMethod,
    Const,
    InstanceValue,
    LibraryName,
    Sequence,
    Symbol,
    TensorValue,
    TupleValue,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from devls.engine.core.events.events import Operand
    from devls.engine.core.machine import Machine
    from devls.values.conditions import Tree


@CALLS.of(LibraryName)
def _call_name(
    m: Machine,
    function: LibraryName,
    arguments: list[object],
    keywords: dict[str, object],
    node: ast.expr | None,
    nodes: list[ast.expr | None],
    keyword_nodes: dict[str, ast.expr],
) -> object:
    return _call_library(m, function.name, None, arguments, keywords, node, nodes, keyword_nodes)


@METHOD_CALLS.of(LibraryName)
def _call_bound(
    m: Machine,
    method: BoundMethod,
    arguments: list[object],
    keywords: dict[str, object],
    node: ast.expr | None,
    nodes: list[ast.expr | None],
    keyword_nodes: dict[str, ast.expr],
) -> object:
    name = method.function.name  # type: ignore[attr-defined]
    return _call_library(m, name, method, arguments, keywords, node, nodes, keyword_nodes)


def _call_library(
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
    if keywords or call_order.is_watched(name):
        call_order.before(m, call)
    run = _by_name(name)
    result = _call(m, call, method) if run is None else run(m, call)
    if name.startswith("numpy."):
        numpy_dtypes.made(m, call, result)
    return result


@functools.cache
def _by_name(name: str) -> Callable[[Machine, Invocation], object] | None:
    """Who runs the calls of a name, whatever it is called on and given; None for most of what computes with tensors."""
    run = table.SPECIAL.get(name) or table.by_prefix(name)
    if run is not None:
        return run
    if name.startswith("builtins."):
        return builtins.call
    if catalog.layer(name) is not None:
        return module_construction.construct
    return None if catalog.optimizer(name) is None else optim.construct


def _call(m: Machine, call: Invocation, method: BoundMethod | None) -> object:
    name, node, arguments, keywords = call.name, call.node, call.arguments, call.keywords
    if method is not None and isinstance(method.receiver, InstanceValue):
        if name.startswith("torch.nn.Module."):
            return module_calls.call_method(m, call)
        if m.library.optimizer(method.receiver.library) is not None:
            return optim.call_method(m, call, method.receiver, method.name)
    if m.library.reads_on_host(name):
        return host.read_all(m, call)
    operation = m.library.operation(name)
    if name in ("numpy.ndarray.to", "numpy.ndarray.cuda", "numpy.ndarray.cpu") and not m.alternatives_called:
        numpy_dtypes.moved(m, call)
        return m.unknown(node)
    if operation is None and name.startswith("numpy."):
        if name in ("numpy.random.default_rng", "numpy.random.RandomState"):
            return InstanceValue(None, "numpy.random.Generator", m.site(node))
        return host.array(m, node)
    if operation is not None and _of_something_else(method, operation, keywords):
        return unknown_call(m, call)
    if operation is not None:
        if operation.result in _OPAQUE or (not operation.parameters and m.library.surrounds(name)):
            return _opaque(m, operation, call)
        positional = [
            m.tensor_of(each, infer=False) is not None
            or (index > 0 and _is_sliced(call.nodes[index : index + 1]))
            for index, each in enumerate(arguments)
        ]
        operation = m.library.resolve(name, positional, list(keywords)) or operation
        return perform(m, operation, call)
    return unknown_call(m, call)


_OF_ANY: Final = frozenset({"*", "**", "axis", "keepdims", "dtype", "device", "out", "memory_format"})
"""Keywords that methods of tensors take beside their parameters, some of them under numpy's names."""


def _of_something_else(method: BoundMethod | None, operation: Operation, keywords: dict[str, object]) -> bool:
    """Whether what is merely taken for a tensor is asked for what no tensor's method takes: `loader.new(num_workers=0)`."""
    receiver = None if method is None else method.receiver
    if not keywords or not isinstance(receiver, TensorValue) or receiver.symbol is None:
        return False
    known = {each.name for each in operation.parameters}
    return receiver.symbol.hint != "tensor" and not known.issuperset(keywords.keys() - _OF_ANY)


def _is_sliced(nodes: list[ast.expr | None]) -> bool:
    """Whether an argument is cut out of something: `y[:, :2]` is no number, whatever `y` is."""
    node = nodes[0] if nodes else None
    if not isinstance(node, ast.Subscript):
        return False
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    return any(isinstance(each, ast.Slice) for each in parts)


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
"""What does not need the numbers of its operands."""

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
    if call.name.startswith("torch.nn.utils.") and call.arguments:
        module = m.resolve(call.arguments[0])
        if isinstance(module, InstanceValue):
            # `spectral_norm`, `weight_norm`: the weight is computed now, from parameters under other names.
            m.state.set(module, "#open", True)
            m.state.set(module, "weight", m.unknown(call.node))
    if operation.result is Result.WRAPPER and call.arguments:
        return call.arguments[0]
    return NONE if operation.result is Result.NONE else result


@library_semantics.unknown_call.answer
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
    """What an activation with `inplace=True` keeps for backward: some their result, all others a copy of the input.

    Args:
        name: of the function or the class, as torch spells it. The page of inplace-breaks-backward runs both kinds.
    """
    return [("result", None)] if name.lower().replace("_", "") in _KEEP_THEIR_RESULT else []


def perform(m: Machine, operation: Operation, call: Invocation) -> object:
    """Run a catalog operation on its arguments."""
    bound = call.bind(operation)
    for each in call.arguments:
        if type(each) is BoundMethod or type(each) is Sequence:
            uncalled.given(m, call)
            break
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
        if role in (Role.LIST, Role.COPIES):
            tensors, whole, all_tensors = _listed(m, value, node)
            complete = complete and (whole or all_tensors)
            if not whole:
                given[shape_rules.UNCOUNTED] = Const(True)
            others = Role.FREE if role is Role.COPIES else Role.EXACT
            operands += [
                (others if number else Role.EXACT, device_check.operand(m, each, each_node, parameter.name))
                for number, (each, each_node) in enumerate(tensors)
            ]
            open_operands = open_operands or not all_tensors
            continue
        resolved = m.resolve(value)
        infer = first or (isinstance(resolved, Symbol) and batch_provenance.in_tensors(m, resolved))
        first = False
        tensor = m.tensor_of(resolved, infer=infer)
        if tensor is None:
            if is_open(resolved):
                open_operands, complete = True, False
            continue
        if role is Role.FREE:
            free.append(device_check.operand(m, tensor, node, parameter.name))
        elif role in CHECKED_ROLES:
            operands.append((role, device_check.operand(m, tensor, node, parameter.name)))
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


def is_open(value: object) -> bool:
    """Whether a value in a tensor's place may stand for one, or hold some: of what comes of it little is known."""
    if isinstance(value, InstanceValue):
        return not value.library.startswith("numpy")
    return isinstance(value, (Symbol, Either, BoundMethod)) and not operators.is_number(value)


def _listed(
    m: Machine, value: object, node: ast.expr | None
) -> tuple[list[tuple[TensorValue, ast.expr | None]], bool, bool]:
    """The tensors of a sequence argument; whether these are all, one by one; whether nothing else is in it."""
    from devls.engine.core.joins import Contents  # noqa: PLC0415  one use

    value = m.resolve(value)
    nodes = list(node.elts) if isinstance(node, (ast.List, ast.Tuple)) else []
    if any(isinstance(each, ast.Starred) for each in nodes):
        nodes = []
    items: list[object] = []
    whole, of_all = True, -1
    if isinstance(value, TupleValue):
        items = list(value.items)
    elif isinstance(value, Sequence):
        contents = m.state.get(value, "#items")
        if isinstance(contents, Contents):
            items = [*(contents.items or ())]
            if contents.element is not None:
                of_all = len(items)  # here all of several stand for themselves
                items.append(contents.element)
            whole = contents.items is not None and contents.element is None
    elif isinstance(value, TensorValue) or (isinstance(value, Symbol) and value.hint == "tensor"):
        items = [value]
    else:
        items = (special_classes.items(m, value) if isinstance(value, InstanceValue) else None) or []
        if not items:
            return [], False, False
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
            device_check.check(m, node, short, operands, layer=layer)
        return host.convert(m, operation, node, operands)
    in_place = result is Result.SELF and bool(operation.writes)
    device, anchor, conflict = device_check.check(
        m, node, short, graph_construction.first_exact(operands) if in_place else operands, layer=layer
    )
    memory.compared(m, node, short.strip("_"), [each for _, each in operands])
    tensors = [each.tensor for _, each in operands]
    if m.notes.of(transfers.TransferNotes).copies_under_way and result not in _LOOKS_AT_NOTHING:
        for _, each in operands:
            transfers.read(m, node, each.tensor, each.text)
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
    if result is Result.NEW and call is not None and "out" in call.keywords:
        # A factory that fills what it is given makes nothing.
        filled = m.tensor_of(call.keywords["out"], infer=False)
        return m.unknown(node) if filled is None else filled
    if result in (Result.NEW, Result.LIKE, Result.CPU_TENSOR):
        return creation.created(
            m, operation, node, given, tensors + [each.tensor for each in free or ()], dtype, call
        )
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
    written = [name for name in operation.writes if name in given and name != "out"]
    if result is Result.SELF and tensors and not operation.writes:
        return tensors[0]
    if "inplace" in given and not layer and m.resolve(given["inplace"]) == Const(True) and tensors:
        # `F.relu(x, inplace=True)`: the same as the method that ends in `_`.
        return writes.written(
            m, node, f"{short}_", operands[0][1], operation, operands, needs, kept_in_place(short)
        )
    if result is Result.SELF and tensors:
        target = operands[0][1]
        return writes.written(
            m,
            node,
            short,
            target,
            operation,
            operands,
            needs,
            graph_construction.saved_names(m, operation, operands),
        )
    shape, nonscalar = result_shape(m, operation, tensors, given, complete=complete)
    if not nonscalar and shape is None and layer:
        nonscalar = operation.rank in (Rank.SAME, Rank.UNKNOWN) and operation.name not in _OF_ANY_RANK
    elif not nonscalar and shape is None and operation.rank is Rank.UNKNOWN:
        nonscalar = short in _ADD_A_DIMENSION or (
            short not in LOSE_DIMENSIONS and any(each.nonscalar for each in tensors[:1])
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
    if not conflict and not layer and "out" in given:
        device = _check_out(m, node, short, given.get("out"), anchor, device)
        common["device"] = device
    out = m.tensor_of(given["out"], infer=False) if "out" in given else None
    if out is not None and out.shape != shape:
        out.shape, out.nonscalar = None, False  # resized to what comes out
    for name in written:
        target_value = m.tensor_of(given[name], infer=False)
        if target_value is not None and result is not Result.SELF:
            writes.touch(m, target_value, node)
    if result is Result.TENSORS:
        return graph_construction.many(
            m, operation, node, tensors, operands, needs, known, common, more_inputs, open_edge=open_operands
        )
    if result is Result.VIEWS:
        common["inference"] = inference or (bool(tensors) and tensors[0].inference)
        views = [
            graph_construction.one(
                m,
                operation,
                node,
                tensors,
                operands,
                needs,
                known,
                common,
                more_inputs,
                view=True,
                open_edge=open_operands,
            )
        ]
        graph_checks.view_made(m, views[0], "several")
        sequence = m.new_list((), node, "list")
        from devls.engine.core.joins import Contents  # noqa: PLC0415  one use

        m.state.set(sequence, "#items", Contents(None, views[0]))
        return sequence
    itself: bool | None = False
    if result is Result.VIEW and tensors:
        itself = shape_rules.is_itself(operation.name, tensors[0], shape)
        if itself:
            return tensors[0]
    if result is Result.VIEW and tensors:
        common["inference"] = tensors[0].inference and short not in graph_construction.MAY_COPY
    made = graph_construction.one(
        m,
        operation,
        node,
        tensors,
        operands,
        needs,
        known,
        common,
        more_inputs,
        view=result is Result.VIEW,
        open_edge=open_operands,
    )
    if result is Result.VIEW and tensors:
        graph_checks.view_made(m, made)
        if short in ("expand", "expand_as", "broadcast_to"):
            graph_checks.expanded(m, tensors[0], made)
    if training is None and tensors:
        itself = None
    if itself is None and made.leaf != m.is_leaf(tensors[0]) and m.requires_grad(tensors[0]) is not False:
        made.leaf = None
    return made


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


_OF_ANY_RANK = frozenset({"torch.nn.PReLU.forward"})
"""Other layers with weights raise on 0-dim inputs, or (embeddings) add a dimension: what comes out of them has one."""


_ADD_A_DIMENSION = frozenset(
    {"unsqueeze", "stack", "cat", "concat", "hstack", "vstack", "repeat", "tile", "flatten", "outer"}
)


LOSE_DIMENSIONS = frozenset(
    "squeeze select take item dot vdot inner matmul __matmul__ mv index_select gather max min median mode sum mean prod std var"
    " norm any all argmax argmin einsum tensordot bilinear det logdet trace dist pairwise_distance cosine_similarity unbind"
    " diagonal diag reshape view masked_select forward apply logsumexp amax amin nansum nanmean aminmax quantile kthvalue"
    " matrix_norm frobenius_norm nuclear_norm cond matrix_rank slogdet vecdot multi_dot lstsq corrcoef cov trapezoid trapz"
    " cholesky_ex inv_ex ldl_factor_ex lu_factor_ex solve_ex hash_tensor squeeze_copy unbind_copy slice_inverse resize_as_"
    " new new_tensor".split()
)
"""Operations whose result, or a part of it, may have no dimensions although their operand has some; torch is asked in the tests."""
