"""Shapes and dtypes, as far as devices and gradients need them, and whether a result has dimensions where nothing else says so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from devls.engine.core import library_semantics
from devls.engine.torch.tensors import shape_rules
from devls.library.effects import Dtype, Operation, Rank, Result
from devls.values.value import MANY, Const, LibraryName, Sequence, Symbol, TupleValue

if TYPE_CHECKING:
    from devls.engine.core.machine import Machine
    from devls.library.effects import Operation
    from devls.values.value import TensorValue


Shape = tuple["int | None", ...]

FLOATS = frozenset({"float16", "float32", "float64", "bfloat16", "float", "complex64", "complex128"})
_DTYPE_NAMES = {
    "torch.float": "float32",
    "torch.double": "float64",
    "torch.half": "float16",
    "torch.long": "int64",
    "torch.int": "int32",
    "torch.short": "int16",
    "torch.cfloat": "complex64",
    "torch.cdouble": "complex128",
}
_PYTHON_DTYPES = {"builtins.float": "float32", "builtins.int": "int64", "builtins.bool": "bool"}
_DTYPES = frozenset(
    "float16 float32 float64 bfloat16 complex64 complex128 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool".split()
)


@library_semantics.dtype_name.answer
def dtype_name(value: object) -> str | None:
    """The dtype that a value given as `dtype=` means."""
    if isinstance(value, LibraryName):
        name = _DTYPE_NAMES.get(value.name) or _PYTHON_DTYPES.get(value.name)
        if name is not None:
            return name
        short = value.name.removeprefix("torch.")
        return short if short in _DTYPES else None
    return None


def can_require_grad(dtype: str | None) -> bool | None:
    """Only floating and complex tensors can; None when the dtype is not known."""
    return None if dtype is None else dtype in FLOATS


def sizes(m: Machine, values: list[object]) -> Shape | None:
    """The shape that size arguments give: `zeros(2, n)`, `zeros((2, n))`, `zeros(x.shape)`."""
    if not values:
        return ()
    if len(values) == 1:
        value = m.resolve(values[0])
        if isinstance(value, TupleValue):
            return tuple(_size(m, item) for item in value.items)
        if isinstance(value, Sequence):
            contents = m.state.get(value, "#items")
            items = getattr(contents, "items", None)
            if items is not None and getattr(contents, "element", None) is None:
                return tuple(_size(m, item) for item in items)
            return None
        if isinstance(value, Const):
            return (_size(m, value),)
        if isinstance(value, Symbol) and value.hint == "number":
            return None if value.text == "a shape" or value.text.endswith((".shape", ".size()")) else (None,)
        return None
    return tuple(_size(m, each) for each in values)


def _size(m: Machine, value: object) -> int | None:
    value = m.resolve(value)
    if isinstance(value, Const) and isinstance(value.value, int) and value.value >= 0:
        return value.value
    return None


def broadcast(a: Shape | None, b: Shape | None) -> Shape | None:
    """The shape of an elementwise result."""
    if a is None or b is None:
        return None
    if len(a) < len(b):
        a, b = b, a
    b = (1,) * (len(a) - len(b)) + b
    # An unknown size is 1 or that of the other.
    return tuple(
        y if x == 1 or (x is None and y != 1) else x if y in (1, x, None) else None
        for x, y in zip(a, b, strict=True)
    )


def result_shape(
    m: Machine,
    operation: Operation,
    tensors: list[TensorValue],
    given: dict[str, object],
    *,
    complete: bool,
) -> tuple[Shape | None, int]:
    """The shape of a result, and whether it has at least one dimension for sure (or MANY elements)."""
    rank = operation.rank
    first = tensors[0] if tensors else None
    rule = shape_rules.rule_for(operation.name, keeps_rank=rank is Rank.SAME)
    if rule is not None:
        found = (
            rule(m, tensors, given)
            if complete
            else shape_rules.blurred(tensors)
            if rank is Rank.SAME
            else None
        )
        kept = _has_dimensions(operation.name, rank, first) if first is not None else False
        return found, kept if found is None else bool(found)
    if rank is Rank.SCALAR:
        return (), False
    if rank is Rank.SAME and first is not None:
        return first.shape, first.nonscalar
    if rank is Rank.BROADCAST:
        nonscalar = max((each.nonscalar for each in tensors), default=False)
        if not complete or not tensors:
            return None, nonscalar
        shape: Shape | None = ()
        for each in tensors:
            shape = broadcast(shape, each.shape)
        return shape, nonscalar
    if rank is Rank.REDUCED and first is not None:
        return _reduced(m, first, given)
    if rank is Rank.REDUCTION:
        reduction = m.resolve(given.get("reduction")) if "reduction" in given else Const("mean")
        if isinstance(reduction, Const):
            return ((), False) if reduction.value != "none" else _unreduced(operation, tensors)
        return None, False
    if rank is Rank.SOME:
        return None, True
    return None, False


def _unreduced(operation: Operation, tensors: list[TensorValue]) -> tuple[Shape | None, int]:
    """A loss with `reduction="none"`: one number per target, or per element."""
    per_target = "binary" not in operation.name and any(
        name in operation.name for name in ("cross_entropy", "CrossEntropyLoss", "nll_loss", "NLLLoss")
    )
    first, second = (*tensors[:2], None, None)[:2]
    if first is None or second is None or first.shape is None or second.shape is None:
        if not per_target:
            return None, MANY if any(each.nonscalar for each in tensors[:2]) else False
        # Nobody asks for the losses of one sample.
        return None, MANY if first is not None and first.nonscalar and (
            second is None or second.shape != ()
        ) else False
    if per_target:
        found = second.shape if len(second.shape) == len(first.shape) - 1 else None
        return found, MANY if found else False
    if len(first.shape) != len(second.shape):
        return None, False
    shape = broadcast(first.shape, second.shape)
    return shape, MANY if shape else False


_KEEP_DIMENSIONS = frozenset(
    "expand expand_as broadcast_to repeat tile transpose swapaxes swapdims permute movedim moveaxis narrow chunk split"
    " split_with_sizes tensor_split unfold roll flip rot90 pad".split()
)
"""Operations of which the result has dimensions if the operand has some, whatever sizes they are given."""


def _has_dimensions(name: str, rank: Rank, first: TensorValue) -> int:
    """Whether a result has dimensions although their sizes are not known."""
    if rank is Rank.SOME:
        return True
    return first.nonscalar if rank is Rank.SAME or name.rpartition(".")[2] in _KEEP_DIMENSIONS else False


def _reduced(m: Machine, first: TensorValue, given: dict[str, object]) -> tuple[Shape | None, int]:
    dim = next((given[name] for name in ("dim", "axis") if name in given), None)
    dim = None if dim is None else m.resolve(dim)
    if dim is None or dim == Const(None):
        return (), False
    keep = m.resolve(given["keepdim"]) if "keepdim" in given else Const(False)
    if (
        first.shape is not None
        and isinstance(dim, Const)
        and isinstance(dim.value, int)
        and isinstance(keep, Const)
    ):
        position = dim.value + len(first.shape) if dim.value < 0 else dim.value
        if 0 <= position < len(first.shape):
            before, after = first.shape[:position], first.shape[position + 1 :]
            return ((*before, 1, *after) if keep.value else (*before, *after)), False
    dims = shape_rules.numbers(m, dim)
    if (
        first.shape is not None
        and dims
        and isinstance(keep, Const)
        and not any(each is None for each in dims)
    ):
        gone = {each % len(first.shape) for each in dims if each is not None} if first.shape else set[int]()
        kept = [1 if n in gone else size for n, size in enumerate(first.shape) if keep.value or n not in gone]
        return tuple(kept), False
    # A tensor with a dimension 1 has a dimension 0 too, which stays: that of the samples.
    if isinstance(dim, Const) and isinstance(dim.value, int) and dim.value not in (0, -1):
        return None, first.nonscalar or True
    return None, isinstance(keep, Const) and bool(keep.value)


_ORDER = ("bool", "int", "float", "complex")


def _kind(dtype: str) -> str:
    if dtype.startswith(("float", "bfloat")):
        return "float"
    if dtype.startswith(("int", "uint")):
        return "int"
    return "complex" if dtype.startswith("complex") else "bool"


_WIDTHS = (
    "bool",
    "uint8",
    "int8",
    "int16",
    "int32",
    "int64",
    "float16",
    "bfloat16",
    "float32",
    "float64",
    "complex64",
    "complex128",
)


def promote(a: str | None, b: str | None) -> str | None:
    """The dtype of two tensors of dimensions together; None when it is not plain."""
    if a == b:
        return a
    if a not in _WIDTHS or b not in _WIDTHS:
        return None
    if {a, b} == {"float16", "bfloat16"}:
        return "float32"
    if {a, b} == {"uint8", "int8"}:
        return "int16"
    if {a, b} == {"float64", "complex64"}:
        return "complex128"
    return max(a, b, key=_WIDTHS.index)


def promoted(tensors: list[TensorValue], numbers: list[object]) -> str | None:
    """The dtype of an operation on tensors and Python numbers.

    0-dim tensors count only where their kind (bool < int < float < complex) is higher than that of the tensors with
    dimensions, and numbers only where theirs is higher than that of all tensors.
    """
    known = {each.dtype for each in tensors}
    if len(known) != 1 and any(each.shape is None and not each.nonscalar for each in tensors):
        return None
    large: list[str | None] = [each.dtype for each in tensors if each.nonscalar or each.shape]
    small: list[str | None] = [each.dtype for each in tensors if not (each.nonscalar or each.shape)]
    plain: list[str | None] = [_number_dtype(each) for each in numbers]
    found: str | None = None
    for group in (large, small, plain):
        if not group:
            continue
        of_group = group[0]
        for each in group[1:]:
            of_group = promote(of_group, each)
        if (
            group is not large
            and found is not None
            and of_group is None
            and _kind(found) in ("float", "complex")
        ):
            continue
        if of_group is None or of_group == "float":
            return found if found is not None and _kind(found) == "complex" else None
        if found is None:
            found = of_group
        elif _ORDER.index(_kind(of_group)) > _ORDER.index(_kind(found)):
            found = promote(found, of_group)
    return found


def _number_dtype(value: object) -> str | None:
    kinds = {bool: "bool", int: "int64", float: "float32", complex: "complex64"}
    return kinds.get(type(value.value)) if isinstance(value, Const) else None


_COUNTING = frozenset({"sum", "prod", "cumsum", "cumprod", "nansum"})
"""Of integers and bools these make int64."""


_COMPLEX_OF = {
    "float32": "complex64",
    "float64": "complex128",
    "complex64": "complex64",
    "complex128": "complex128",
}
REAL_OF = {"complex64": "float32", "complex128": "float64"}


def result_dtype(
    operation: Operation, tensors: list[TensorValue], dtype: str | None, numbers: list[object] | None = None
) -> str | None:
    """The dtype of a result; `dtype` is what `dtype=` gave, `numbers` are Python operands."""
    rule = operation.dtype
    first = tensors[0].dtype if tensors else None
    if rule in _FIXED:
        return _FIXED[rule]
    if rule in (Dtype.PROMOTED, Dtype.COMPLEX, Dtype.FLOAT):
        return _promoted_to(rule, promoted(tensors, numbers or []) if tensors else None)
    if rule is Dtype.INDICES:
        return first
    if rule is Dtype.ARGUMENT:
        return dtype or "float32"
    if rule is Dtype.REAL:
        if operation.result is Result.TENSORS and first is not None and first.startswith("complex"):
            return None  # some of them are complex, some are not
        return dtype or (REAL_OF.get(first, first) if first is not None else None)
    if rule is Dtype.ARGUMENT_OR_SAME:
        counts = operation.name.rpartition(".")[2] in _COUNTING
        if dtype is None and first is not None and counts and can_require_grad(first) is False:
            return "int64"
        return dtype or first
    return dtype or first if rule is Dtype.SAME else None


_FIXED: Final = {Dtype.BOOL: "bool", Dtype.INT: "int64"}


def _promoted_to(rule: Dtype, first: str | None) -> str | None:
    """The dtype of a result that follows from what its operands are promoted to."""
    if rule is Dtype.PROMOTED:
        return first
    if rule is Dtype.COMPLEX:
        return _COMPLEX_OF.get(first) if first is not None else None
    return "float" if first is None else first if first in FLOATS else "float32"


# Whether the result of an operation has dimensions, where nothing else says so


def shape_of_result(
    m: Machine,
    operation: Operation,
    tensors: list[TensorValue],
    given: dict[str, object],
    *,
    complete: bool,
    layer: bool,
) -> tuple[tuple[int | None, ...] | None, int]:
    """The shape of a result, and whether it has dimensions for sure; `complete`: all operands are seen."""
    shape, nonscalar = result_shape(m, operation, tensors, given, complete=complete)
    if nonscalar or shape is not None:
        return shape, nonscalar
    if layer:
        return shape, operation.rank in (Rank.SAME, Rank.UNKNOWN) and operation.name not in _OF_ANY_RANK
    if operation.rank is Rank.UNKNOWN:
        short = operation.name.rpartition(".")[2]
        return shape, short in _ADD_A_DIMENSION or (
            short not in LOSE_DIMENSIONS and any(each.nonscalar for each in tensors[:1])
        )
    return shape, nonscalar


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
