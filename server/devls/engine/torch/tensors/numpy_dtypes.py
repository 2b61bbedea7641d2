"""Dtypes of numpy's arrays: torch takes them over."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.engine.core import library_semantics
from devls.engine.core.events.events import InvalidDevice
from devls.engine.torch.tensors.creation import literal
from devls.syntax.layout import ancestors
from devls.syntax.nodes import walk
from devls.values.history import Site
from devls.values.value import Const, InstanceValue, LibraryName, Sequence, TupleValue

if TYPE_CHECKING:
    from devls.engine.core.invocation import Invocation
    from devls.engine.core.machine import Machine
    from devls.engine.core.machine_types import Frame

_DOUBLE: Final = frozenset(
    "zeros ones empty eye identity linspace logspace geomspace rand randn random random_sample normal uniform standard_normal"
    " beta gamma exponential".split()
)
"""Functions that make 64-bit floating point numbers by default."""

_DRAWN: Final = frozenset(
    "beta chisquare dirichlet exponential gamma gumbel laplace logistic lognormal multivariate_normal normal rayleigh standard_cauchy"
    " standard_t triangular uniform weibull".split()
)
"""Functions and methods that draw 64-bit floating point numbers, and take no dtype."""

_DTYPE_SECOND: Final = frozenset("array asarray zeros ones empty identity".split())
"""Functions that take a dtype behind their data or their shape."""

_KEEPS: Final = frozenset("reshape copy flatten ravel transpose squeeze clip repeat take swapaxes".split())

_DTYPES: Final = frozenset(
    "float16 float32 float64 complex64 complex128 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool".split()
)
_SAME: Final = {
    "builtins.float": "float64", "builtins.int": "int64", "builtins.bool": "bool", "double": "float64", "single": "float32",
    "half": "float16", "bool_": "bool", "float": "float64", "int": "int64", "f4": "float32", "f8": "float64",
}  # fmt: skip


SHARED: Final = frozenset(
    "H T all any argmax argmin argsort char clip conj cumprod cumsum data device diagonal dot dtype flatten imag index item"
    " itemsize mT max mean min multinomial name names nbytes ndim nonzero outer prod put ravel real repeat reshape resize round shape"
    " size sort split squeeze std sum swapaxes take tolist trace transpose type values var view".split()
)
"""The public attributes of tensors that objects of some class of numpy have as well."""


@library_semantics.lacks_attribute.answer
def lacks(m: Machine, value: InstanceValue, name: str) -> bool:
    """Whether no object of numpy has an attribute, which tensors have: `hasattr(x, "cpu")`."""
    return (
        value.library == "numpy.ndarray"
        and name not in SHARED
        and m.library.exists(f"torch.Tensor.{name}") is True
    )


def made(m: Machine, call: Invocation, result: object) -> None:
    """A function of numpy has returned `result`."""
    if not isinstance(result, InstanceValue) or result.library != "numpy.ndarray":
        return
    found = _dtype(m, call)
    if found is not None:
        m.state.set(result, "dtype", found)
    if _has_dimension(m, call):
        m.state.set(result, _DIMENSION, True)
    if call.is_method and isinstance(of := m.resolve(call.receiver), InstanceValue):
        m.state.set(result, _GIVEN, m.state.get(of, _GIVEN) or of.origin)


_DIMENSION: Final = "#has a dimension"
"""The slot of an array that is certainly no single number."""

_GIVEN: Final = "#given"
"""The slot of an array that says where the first one was made that it comes of by methods."""

_LINES_UP: Final = frozenset("stack concatenate vstack hstack dstack column_stack arange linspace".split())


def has_dimension(m: Machine, value: object) -> bool:
    """Whether something is an array that is certainly no single number: torch takes such a one from the CPU nowhere else."""
    return isinstance(value, InstanceValue) and m.state.get(value, _DIMENSION) is True


def _has_dimension(m: Machine, call: Invocation) -> bool:
    if call.short_name in _LINES_UP:
        return True
    if call.short_name in ("array", "asarray") or (call.is_method and call.short_name in ("astype", "copy")):
        of = m.resolve(call.arguments[0]) if call.arguments else None
        return isinstance(of, (TupleValue, Sequence)) or has_dimension(m, of)
    return False


def moved(m: Machine, call: Invocation) -> None:
    """`array.to(device)`: arrays are on the CPU, and have no such method."""
    if _is_one_of_its_kinds(m, m.resolve(call.receiver)):
        return
    node = call.receiver_node
    plain = isinstance(node, (ast.Name, ast.Attribute, ast.Subscript))
    m.emit(
        InvalidDevice(
            m.site(call.node),
            m.frame.statement,
            f"a numpy array has no method `{call.short_name}`",
            f"torch.from_numpy({m.text(node)})" if plain and node is not None else "",
            node,
        )
    )


def _is_one_of_its_kinds(m: Machine, array: object) -> bool:
    """Whether it depends on an option of its object what a method does with an array that it was given.

    A caller that gives it arrays decides the test: one option says whether there are arrays, and how to use them.
    """
    origin = m.state.get(array, _GIVEN) or getattr(array, "origin", None)
    made = origin.calls if isinstance(origin, Site) else ()
    return any(
        frame.undecided and frame.calls != made[: len(frame.calls)] and _asks_its_object(frame)
        for frame in m.frames
    )


def _asks_its_object(frame: Frame) -> bool:
    """Whether what runs of a method stands under a test of an attribute of its object."""
    if frame.statement is None or not isinstance(frame.receiver, InstanceValue):
        return False
    return any(
        isinstance(each, ast.Attribute) and isinstance(each.value, ast.Name) and each.value.id == "self"
        for above in ancestors(frame.source, frame.statement)
        if isinstance(above, ast.If)
        for each in walk(above.test)
    )


def dtype_of(m: Machine, value: object) -> str | None:
    """The dtype of an array, if that is known."""
    value = m.resolve(value)
    if not isinstance(value, InstanceValue) or value.library != "numpy.ndarray":
        return None
    found = m.state.get(value, "dtype")
    return found if isinstance(found, str) else None


def _dtype(m: Machine, call: Invocation) -> str | None:
    short = call.short_name
    if short == "astype":
        return _named(m, call.argument(1, "dtype"))
    if "dtype" in call.keywords:
        return _named(m, call.keywords["dtype"])
    if call.is_method and call.name.startswith("numpy.ndarray."):
        return dtype_of(m, call.receiver) if short in _KEEPS else None
    if short in _DTYPE_SECOND and len(call.arguments) > 1:
        return _named(m, call.arguments[1])
    if short in ("array", "asarray") and call.arguments:
        kind = dtype_of(m, call.arguments[0]) or literal(m, m.resolve(call.arguments[0]))[1]
        return "float64" if kind == "float32" and dtype_of(m, call.arguments[0]) is None else kind
    if short in _DRAWN and call.name.startswith("numpy.random."):
        return "float64"
    return "float64" if short in _DOUBLE and len(call.arguments) < 3 else None


def _named(m: Machine, value: object) -> str | None:
    value = m.resolve(value)
    if isinstance(value, Const) and isinstance(value.value, str):
        name = value.value
    elif isinstance(value, LibraryName):
        name = value.name.removeprefix("numpy.")
    else:
        return None
    name = _SAME.get(name, name)
    return name if name in _DTYPES else None
