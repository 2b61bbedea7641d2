"""Reads of tensor contents by the host: numpy, plotting, Python numbers."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.engine.core import library_semantics, moments
from devls.engine.core.joins import Contents, Entries
from devls.engine.torch.tensors import creation, device_check
from devls.library.effects import Operation, Result
from devls.syntax.layout import ancestors
from devls.values.call_facts import GivenOnHost, ReadsByNumpy
from devls.values.conditions import Condition, Either, leaves
from devls.values.devices import CPU, NamedDevice
from devls.values.value import (
    FALSE,
    TRUE,
    Const,
    InstanceValue,
    Mapping,
    Sequence,
    Symbol,
    TensorValue,
    TupleValue,
)

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from devls.engine.core.events.events import Operand
    from devls.engine.core.invocation import Invocation
    from devls.engine.core.machine import Machine
    from devls.library.effects import Role
    from devls.values.value import FunctionValue


_OF_NUMBERS: Final = frozenset(
    "abs absolute add arccos arcsin arctan arctan2 cbrt ceil clip cos cosh deg2rad degrees divide exp exp2 expm1 floor hypot"
    " log log10 log1p log2 maximum minimum mod multiply negative power rad2deg radians rint round sign sin sinh sqrt square"
    " subtract tan tanh true_divide trunc".split()
)
"""Functions that make a number of numbers, with which tensors compute wherever they are."""


_TO_A_NUMBER: Final = frozenset(
    "all amax amin any argmax argmin average count_nonzero max mean median min nanmax nanmean nanmedian nanmin nanprod nanstd"
    " nansum nanvar prod ptp std sum var linalg.norm linalg.det linalg.cond".split()
)
"""Functions that come down to one number of numpy where they are not told an axis."""

_AT_A_PLACE: Final = frozenset({"nanpercentile", "nanquantile", "percentile", "quantile"})
"""Functions that come down to one number where the place that they are asked for is one."""

_WRAPS_AGAIN: Final = frozenset(
    "argmax argmin argpartition argwhere around clip cumprod cumsum delete diagflat diff ediff1d insert isneginf isposinf ptp real"
    " repeat reshape rollaxis round take transpose".split()
)
"""Functions that convert a tensor, and make a tensor again of what they have come to."""

_UNIVERSAL: Final = frozenset(
    "abs absolute add arccos arccosh arcsin arcsinh arctan arctan2 arctanh cbrt ceil conj conjugate copysign cos cosh deg2rad degrees divide equal exp exp2"
    " expm1 fabs float_power floor floor_divide fmax fmin fmod greater greater_equal heaviside hypot isfinite isinf isnan ldexp less less_equal log log10"
    " log1p log2 logaddexp logaddexp2 logical_and logical_not logical_or logical_xor matmul maximum minimum mod multiply negative not_equal positive power"
    " rad2deg radians reciprocal remainder rint sign signbit sin sinh sqrt square subtract tan tanh true_divide trunc".split()
)
"""Functions of numpy's that go element by element (`np.ufunc`): of a tensor they make one again, by `Tensor.__array_wrap__`."""

_ASKS_THE_TENSOR: Final = frozenset({"argsort", "nonzero", "squeeze", "swapaxes"})
"""Functions that hand over to the tensor's method of that name, which takes what they pass on: nothing is converted."""


def _is_number(value: object) -> bool:
    if isinstance(value, Either):
        return all(_is_number(each) for each in leaves(value))
    return isinstance(value, Const) or (isinstance(value, Symbol) and value.hint == "number")


def _may_be_number(value: object) -> bool:
    """Whether something may be a number: what is not known to hold several, such as an attribute of another library."""
    if isinstance(value, Symbol):
        return value.hint in ("", "number")
    if isinstance(value, InstanceValue):
        return value.library != "numpy.ndarray"
    if isinstance(value, Either):
        return all(_may_be_number(each) for each in leaves(value))
    return not isinstance(value, (TensorValue, TupleValue, Sequence, Mapping))


def scalar(m: Machine, call: Invocation) -> object:
    """`numpy.float64(x)`: a number of a number, and an array of anything else."""
    given = m.resolve(call.arguments[0]) if call.arguments else Const(0)
    if _is_number(given):
        return Symbol(("number", m.fresh_number()), "a number", hint="number")
    if call.short_name in _FLOATS and isinstance(given, TensorValue) and not given.nonscalar:
        return m.unknown(
            call.node
        )  # numbers of Python's own kind are made of what `float` takes, wherever that is
    return m.unknown(call.node) if _may_be_number(given) else read_all(m, call)


_FLOATS: Final = frozenset({"float64", "double"})
"""Types of numpy that are Python's `float`."""


def is_scalar(m: Machine, call: Invocation) -> object:
    """`numpy.isscalar(x)`: no tensor is one, and no array."""
    value = m.resolve(call.argument(0, "element"))
    if isinstance(value, Const):
        return FALSE if value.value is None else TRUE
    return (
        FALSE
        if isinstance(value, (TensorValue, TupleValue, Sequence, InstanceValue))
        else m.unknown(call.node)
    )


def result_of_numpy(m: Machine, call: Invocation) -> object:
    """Result of a function of numpy's: an array, or a number if a method of one goes over all of it."""
    owner, _, short = call.name.rpartition(".")
    if owner == "numpy.ndarray" and not call.keywords:
        if short == "item" or (short in _TO_A_NUMBER and len(call.arguments) == 1):
            return Symbol(("number", m.fresh_number()), "a number", hint="number")
        if short == "tolist":
            return m.unknown(call.node)
    return array(m, call.node, call.arguments)


def array(m: Machine, node: ast.AST, given: Iterable[object] = ()) -> InstanceValue:
    """A numpy array, computed of what is given."""
    result = InstanceValue(None, "numpy.ndarray", m.site(node))
    for each in given:
        source = each if isinstance(each, TensorValue) else m.state.get(each, "read from")
        if isinstance(source, TensorValue):
            m.state.set(result, "read from", source)
            break
    return result


def convert(m: Machine, operation: Operation, node: ast.expr, operands: list[tuple[Role, Operand]]) -> object:
    """`.numpy()`, `.tolist()`, `.item()`."""
    if operation.result is Result.HOST_ARRAY:
        if operands:
            read(
                m,
                node,
                f".{operation.name.rpartition('.')[2]}()",
                operands[0][1],
                node if isinstance(node, ast.Call) else None,
            )
        return array(m, node, [each.tensor for _, each in operands])
    for _, each in operands:
        moments.contents_read(m, node, each.tensor, each.text)
        moments.host_waits(m, node, each.device)
    if operation.result is Result.HOST_LIST:
        number = Symbol(("list", m.fresh_number()), "a list of numbers", hint="number")
        m.state.set(number, "read at", m.site(node))
    else:
        number = Symbol(("number", m.fresh_number()), m.text(node), hint="number", site=m.site(node))
    if operands:
        m.state.set(number, "read from", operands[0][1].tensor)
    return number


@library_semantics.number_computed.answer
def passed_on(m: Machine, result: object, *numbers: object) -> None:
    """A value computed from a number that was read from a tensor was read from it, too."""
    if not isinstance(result, Symbol):
        return
    parts = [leaf for number in numbers for leaf in leaves(number)]
    for each in parts:
        if type(each) is not Symbol:
            continue
        source = m.state.get(each, "read from")
        if isinstance(source, TensorValue):
            m.state.set(result, "read from", source)
            if any(isinstance(part, Symbol) and not _surely_number(m, part) for part in parts):
                m.state.set(result, MAY_BE_TENSOR, True)
            m.state.set(result, "read at", each.site or m.state.get(each, "read at"))
            return


MAY_BE_NUMBER: Final = "#may be a number"
"""The slot of an item of an array, which is a number of numpy if the array has one dimension: tensors take those as they are."""

MAY_BE_TENSOR: Final = "#may be a tensor"
"""The slot of what a number was combined with something unknown to: a loss that is scaled by a number is a tensor."""


def _surely_number(m: Machine, value: Symbol) -> bool:
    if m.state.get(value, MAY_BE_TENSOR) is True:
        return False
    return value.hint == "number" or m.state.get(value, "read from") is not None


def read(
    m: Machine,
    node: ast.expr,
    how: str,
    operand: Operand,
    conversion: ast.Call | None,
    *,
    inside: bool = False,
) -> None:
    """A conversion to numpy: an error off the host, and for what requires grad while grad mode is on."""
    moments.contents_read(m, node, operand.tensor, operand.text)
    comparison = device_check.compare_devices(m, operand.device, CPU)
    moments.host_read(m, node, how, operand, comparison, conversion, inside=inside)
    if isinstance(comparison.left, NamedDevice) and not comparison.left.chosen:
        # An argument's own device: whoever calls decides.
        _shown_on_host(m, device_check.parameter_of(operand.device), operand.device, surely=how == ".numpy()")
        if how == ".numpy()":  # and has decided: from here on it is known
            m.state.assume(Condition(("device type", comparison.left.key, "cpu"), ""), value=True)


def _shown_on_host(
    m: Machine, given: Hashable | None, device: object = None, *, surely: bool = False
) -> None:
    """A value that a function hands to numpy is on the host: so are the other results of its lines with it.

    If it does so `surely`, because torch refuses anything else, the function works on the host.
    """
    function = m.frame.function
    if given is None or function is None or not _always_comes_to(m, function):
        return
    asked = isinstance(device, NamedDevice) and Condition(("device type", device.key, "cuda"), "")
    if not asked or m.state.assumed(asked) is None:
        m.call_facts.add(GivenOnHost(given))
        if surely:
            m.call_facts.add(ReadsByNumpy(function.definition))


def _always_comes_to(m: Machine, function: FunctionValue) -> bool:
    """Whether the statement that runs stands in a function's body, or in a loop or a `with` there, and under no test."""
    body, statement = function.node.body, m.frame.statement
    if not isinstance(body, list) or statement is None:
        return False
    if statement in body:
        return True
    around = ancestors(function.source, statement)
    inside = around[: around.index(function.node)] if function.node in around else [function.node]
    return all(isinstance(each, (ast.For, ast.With)) for each in inside)


def read_all(m: Machine, call: Invocation) -> object:
    """A function that converts every tensor it is given."""
    short = call.name.removeprefix("numpy.") if call.name.startswith("numpy.") else call.short_name
    how = f"np.{short}" if call.name.startswith("numpy.") else short
    if (
        short in _ASKS_THE_TENSOR
        and call.arguments
        and m.tensor_of(call.arguments[0], infer=False) is not None
    ):
        return m.unknown(call.node)
    for value, node in zip(call.arguments, call.nodes, strict=False):
        symbol = m.resolve(value)
        if isinstance(symbol, Symbol):
            tensor = m.inferred.get(symbol)
            _shown_on_host(
                m, device_check.parameter_behind(symbol.key), None if tensor is None else m.device(tensor)
            )
        for tensor, where in _tensors(m, value, node):
            inside = m.resolve(value) is not tensor
            read(m, where or call.node, how, device_check.operand(m, tensor, where), None, inside=inside)
            break
    if (
        short in _OF_NUMBERS
        and call.arguments
        and all(_is_number(m.resolve(each)) for each in call.arguments)
    ):
        return Symbol(("number", m.fresh_number()), "a number", hint="number")
    if (
        short in _OF_NUMBERS
        and call.arguments
        and all(_may_be_number(m.resolve(each)) for each in call.arguments)
    ):
        return m.unknown(call.node)  # an array of arrays, a number of numbers
    if call.name.startswith("numpy."):
        first = call.arguments[0] if call.arguments else None
        if short in _WRAPS_AGAIN and first is not None and m.tensor_of(first, infer=False) is not None:
            return m.unknown(call.node)
        if short in _UNIVERSAL and any(_may_be_tensor(m.resolve(each)) for each in call.arguments):
            return _wrapped_again(m, call, short)
        if short in _AT_A_PLACE and len(call.arguments) == 2 and not call.keywords:
            place = m.resolve(call.arguments[1])
            if _is_number(place):
                return Symbol(("number", m.fresh_number()), "a number", hint="number")
            if _may_be_number(place):
                return m.unknown(call.node)
        if short in _TO_A_NUMBER and len(call.arguments) == 1 and not call.keywords:
            return Symbol(("number", m.fresh_number()), "a number", hint="number")
        return array(m, call.node, [m.resolve(each) for each in call.arguments])
    return m.unknown(call.node)


def _wrapped_again(m: Machine, call: Invocation, short: str) -> object:
    """The new leaf on the host that a universal function makes of tensors and numbers; next to an array it may be an array."""
    given = [m.resolve(each) for each in call.arguments]
    tensors = [each for each in given if isinstance(each, TensorValue) and _is_taken(m, each)]
    if call.keywords or len(tensors) + sum(map(_is_number, given)) < len(given):
        return m.unknown(call.node)
    made = creation.created(m, Operation(call.name, (), Result.CPU_TENSOR), call.node, {}, [], None, call)
    made.shape = None
    made.nonscalar = short != "matmul" and any(each.nonscalar for each in tensors)
    return made


def _is_taken(m: Machine, tensor: TensorValue) -> bool:
    """Whether numpy surely takes a tensor: on the host, and outside of a graph that is recorded."""
    recorded = m.grad_enabled() is not False and m.requires_grad(tensor) is True
    return tensor.symbol is None and m.device(tensor) == CPU and not recorded


def _may_be_tensor(value: object) -> bool:
    if isinstance(value, Either):
        return any(map(_may_be_tensor, leaves(value)))
    return isinstance(value, TensorValue) or (
        isinstance(value, Symbol) and value.hint in ("", "tensor", "tensor!")
    )


def _tensors(
    m: Machine, value: object, node: ast.expr | None, entered: set[int] | None = None
) -> list[tuple[TensorValue, ast.expr | None]]:
    """The tensors that a value is or holds; a container that it holds several times is searched once."""
    value = m.resolve(value)
    if isinstance(value, TensorValue):
        return [(value, node)]
    entered = set() if entered is None else entered
    if id(value) in entered:
        return []
    entered.add(id(value))
    return [found for item in _held(m, value) for found in _tensors(m, item, node, entered)]


def _held(m: Machine, value: object) -> tuple[object, ...]:
    """Items of a container."""
    if isinstance(value, TupleValue):
        return value.items
    if isinstance(value, Sequence):
        contents = m.state.get(value, "#items")
        if isinstance(contents, Contents):
            return (*(contents.items or ()), *(() if contents.element is None else (contents.element,)))
    if isinstance(value, Mapping):
        entries = m.state.get(value, "#entries")
        if isinstance(entries, Entries):
            return tuple(entries.known.values())
    return ()


def mixed_with_array(
    m: Machine, node: ast.expr, tensor: TensorValue, tensor_node: ast.expr | None, other: object
) -> bool:
    """`tensor + array`: torch lets numpy do it, which converts the tensor."""
    if not (isinstance(other, InstanceValue) and other.library == "numpy.ndarray"):
        return False
    if m.state.get(other, MAY_BE_NUMBER) is True:
        return False
    read(m, node, "arithmetic with a numpy array", device_check.operand(m, tensor, tensor_node), None)
    return True
