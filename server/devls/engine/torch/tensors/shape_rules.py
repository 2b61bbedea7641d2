"""Sizes of results whose sizes are not those of an operand: views, joins, products, selections.

The catalog says how many dimensions a result has; here is what each of them measures, as far as the sizes and the
arguments are known. Names are the last part of an operation's name, or "Linear.forward" for a layer.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Final

from devls.values.value import Const, Sequence, Symbol, TensorValue, TupleValue
from devls.values.weights import NAMES_KEPT

if TYPE_CHECKING:
    from collections.abc import Callable

    from devls.engine.core.machine import Machine

    Shape = tuple[int | None, ...]
    Given = dict[str, object]
    Rule = Callable[[Machine, list[TensorValue], Given], Shape | None]


def number(m: Machine, value: object) -> int | None:
    """A plain number given as an argument."""
    value = m.resolve(value)
    if isinstance(value, Const) and type(value.value) is int:
        return value.value
    return None


def numbers(m: Machine, value: object) -> list[int | None] | None:
    """The sizes or dimensions that an argument lists; None if it may be a list that we do not see."""
    value = m.resolve(value)
    if isinstance(value, TupleValue):
        if len(value.items) == 1 and isinstance(m.resolve(value.items[0]), (TupleValue, Sequence)):
            return numbers(m, value.items[0])
        only = m.resolve(value.items[0]) if len(value.items) == 1 else None
        if isinstance(only, Symbol) and (only.hint != "number" or only.text == "a shape"):
            return None
        return [number(m, each) for each in value.items]
    if isinstance(value, Sequence):
        contents = m.state.get(value, "#items")
        items = getattr(contents, "items", None)
        if items is not None and getattr(contents, "element", None) is None:
            return [number(m, each) for each in items]
        return None
    found = number(m, value)
    return None if found is None else [found]


def _position(
    m: Machine, given: Given, names: tuple[str, ...], rank: int, default: int | None = None
) -> int | None:
    found = next((number(m, given[name]) for name in names if name in given), default)
    if found is None or not -rank <= found < rank:
        return None
    return found % rank


def _tensor(m: Machine, given: Given, name: str) -> TensorValue | None:
    return m.tensor_of(given[name], infer=False) if name in given else None


UNCOUNTED: Final = "(uncounted)"
"""Given where a list of tensors is not known item by item, only what its items are like."""

_DIM: Final = ("dim", "axis")


def _along(m: Machine, tensors: list[TensorValue], given: Given) -> Shape | None:
    """`take_along_dim`: as many dimensions as the index has, where a dimension is named."""
    index = _tensor(m, given, "indices")
    if index is None or index.shape is None or "dim" not in given:
        return None
    return (None,) * max(len(index.shape), len(_first(tensors) or ()))


def _first(tensors: list[TensorValue]) -> Shape | None:
    return tensors[0].shape if tensors else None


def blurred(tensors: list[TensorValue]) -> Shape | None:
    """As many dimensions, of sizes that we do not know."""
    shape = _first(tensors)
    return None if shape is None else (None,) * len(shape)


def _swapped(m: Machine, tensors: list[TensorValue], given: Given) -> Shape | None:
    shape = _first(tensors)
    if shape is None:
        return None
    one = _position(m, given, ("dim0", "axis0"), len(shape))
    two = _position(m, given, ("dim1", "axis1"), len(shape))
    if one is None or two is None:
        return blurred(tensors)
    sizes = list(shape)
    sizes[one], sizes[two] = sizes[two], sizes[one]
    return tuple(sizes)


def _reversed(_m: Machine, tensors: list[TensorValue], _given: Given) -> Shape | None:
    shape = _first(tensors)
    return None if shape is None else tuple(reversed(shape))


def _last_two_swapped(_m: Machine, tensors: list[TensorValue], _given: Given) -> Shape | None:
    shape = _first(tensors)
    return None if shape is None or len(shape) < 2 else (*shape[:-2], shape[-1], shape[-2])


def _permuted(m: Machine, tensors: list[TensorValue], given: Given) -> Shape | None:
    shape = _first(tensors)
    order = numbers(m, given["dims"]) if "dims" in given else None
    if shape is None or order is None or len(order) != len(shape):
        return blurred(tensors)
    if any(each is None or not -len(shape) <= each < len(shape) for each in order):
        return blurred(tensors)
    return tuple(shape[each] for each in order if each is not None)


def _narrowed(m: Machine, tensors: list[TensorValue], given: Given) -> Shape | None:
    shape = _first(tensors)
    dim = None if shape is None else _position(m, given, _DIM, len(shape))
    if shape is None or dim is None:
        return blurred(tensors)
    return (*shape[:dim], number(m, given.get("length")), *shape[dim + 1 :])


def _parted(m: Machine, tensors: list[TensorValue], given: Given) -> Shape | None:
    shape = _first(tensors)
    dim = None if shape is None else _position(m, given, _DIM, len(shape), 0)
    if shape is None or dim is None:
        return blurred(tensors)
    return (*shape[:dim], _size_of_part(m, shape[dim], given), *shape[dim + 1 :])


def _size_of_part(m: Machine, whole: int | None, given: Given) -> int | None:
    """The size that all parts have; None where the last is shorter, or that is not known."""
    size = m.resolve(given.get("split_size", given.get("split_size_or_sections")))
    count = m.resolve(given.get("chunks"))
    if not whole:
        return None
    if isinstance(size, Const) and type(size.value) is int and size.value > 0:
        return size.value if whole % size.value == 0 else None
    if isinstance(count, Const) and type(count.value) is int and count.value > 0:
        return whole // count.value if whole % count.value == 0 else None
    return None


def _without_dim(default: int | None) -> Rule:
    def rule(m: Machine, tensors: list[TensorValue], given: Given) -> Shape | None:
        shape = _first(tensors)
        dim = None if shape is None else _position(m, given, _DIM, len(shape), default)
        keep = m.resolve(given.get("keepdim", Const(False)))
        if shape is None or dim is None or not isinstance(keep, Const):
            return () if shape == () else None
        return (*shape[:dim], *((1,) if keep.value else ()), *shape[dim + 1 :])

    return rule


def _unsqueezed(m: Machine, tensors: list[TensorValue], given: Given) -> Shape | None:
    shape = _first(tensors)
    dim = None if shape is None else _position(m, given, _DIM, len(shape) + 1)
    return None if shape is None or dim is None else (*shape[:dim], 1, *shape[dim:])


def _squeezed(m: Machine, tensors: list[TensorValue], given: Given) -> Shape | None:
    shape = _first(tensors)
    if shape is None:
        return None
    if "dim" not in given:
        return None if None in shape else tuple(each for each in shape if each != 1)
    dim = _position(m, given, _DIM, len(shape))
    if dim is None or shape[dim] is None:
        return None
    return (*shape[:dim], *shape[dim + 1 :]) if shape[dim] == 1 else shape


def _product(sizes: Shape) -> int | None:
    result = 1
    for each in sizes:
        if each is None:
            return None
        result *= each
    return result


def _flattened(m: Machine, tensors: list[TensorValue], given: Given, first: int = 0) -> Shape | None:
    shape = _first(tensors)
    if shape is None:
        return None
    if not shape:
        return (1,)
    start = _position(m, given, ("start_dim",), len(shape), first)
    end = _position(m, given, ("end_dim",), len(shape), -1)
    if start is None or end is None or start > end:
        return None
    return (*shape[:start], _product(shape[start : end + 1]), *shape[end + 1 :])


def _flatten_layer(m: Machine, tensors: list[TensorValue], given: Given) -> Shape | None:
    return _flattened(m, tensors, given, first=1)


def _viewed(m: Machine, tensors: list[TensorValue], given: Given) -> Shape | None:
    sizes = next((numbers(m, given[name]) for name in ("size", "shape") if name in given), None)
    if sizes is None or sizes.count(-1) > 1:
        return None
    if -1 not in sizes:
        return tuple(sizes)
    shape = _first(tensors)
    whole = None if shape is None else _product(shape)
    known = _product(tuple(each for each in sizes if each != -1))
    rest = whole // known if whole is not None and known else None
    return tuple(rest if each == -1 else each for each in sizes)


def _expanded(m: Machine, tensors: list[TensorValue], given: Given) -> Shape | None:
    sizes, shape = numbers(m, given.get("size")), _first(tensors)
    if sizes is None:
        return None
    if -1 not in sizes:
        return tuple(sizes)
    if shape is None or len(shape) > len(sizes):
        return tuple(None if each == -1 else each for each in sizes)
    padded = (None,) * (len(sizes) - len(shape)) + shape
    return tuple(old if each == -1 else each for each, old in zip(sizes, padded, strict=True))


def _like_other(m: Machine, _tensors: list[TensorValue], given: Given) -> Shape | None:
    other = _tensor(m, given, "other")
    return None if other is None else other.shape


def _joined(m: Machine, tensors: list[TensorValue], given: Given) -> Shape | None:
    shape = _first(tensors)
    if shape is None or any(each.shape is None or len(each.shape) != len(shape) for each in tensors):
        return None
    if UNCOUNTED in given:
        return _parted(m, tensors, given)
    dim = _position(m, given, _DIM, len(shape), 0)
    if dim is None:
        return blurred(tensors)
    sizes = [None if each.shape is None else each.shape[dim] for each in tensors]
    whole = sum(each for each in sizes if each is not None)
    return (*shape[:dim], None if None in sizes else whole, *shape[dim + 1 :])


def _stacked(m: Machine, tensors: list[TensorValue], given: Given) -> Shape | None:
    shape = _first(tensors)
    dim = None if shape is None else _position(m, given, _DIM, len(shape) + 1, 0)
    return (
        None
        if shape is None or dim is None
        else (*shape[:dim], None if UNCOUNTED in given else len(tensors), *shape[dim:])
    )


def multiplied(left: Shape | None, right: Shape | None) -> Shape | None:
    """The shape of a matrix product."""
    if left is None or right is None or not left or not right:
        return None
    if len(left) == 1 and len(right) == 1:
        return ()
    if len(left) == 1:
        return (*right[:-2], right[-1])
    if len(right) == 1:
        return left[:-1]
    batch = left[:-2] if len(left) >= len(right) else right[:-2]
    if len(left) > 2 and len(right) > 2 and left[:-2] != right[:-2]:
        batch = (None,) * len(batch)
    return (*batch, left[-2], right[-1])


def _matmul(_m: Machine, tensors: list[TensorValue], _given: Given) -> Shape | None:
    return multiplied(tensors[0].shape, tensors[1].shape) if len(tensors) == 2 else None


def _of_rank(rank: int) -> Rule:
    """A product that takes operands of its own ranks only, `mm`, `bmm` and `mv`: whatever they are, its result has that many dimensions."""

    def rule(m: Machine, tensors: list[TensorValue], given: Given) -> Shape | None:
        return _matmul(m, tensors, given) or (None,) * rank

    return rule


def _rmatmul(_m: Machine, tensors: list[TensorValue], _given: Given) -> Shape | None:
    return multiplied(tensors[1].shape, tensors[0].shape) if len(tensors) == 2 else None


def _linear(m: Machine, tensors: list[TensorValue], given: Given) -> Shape | None:
    shape = _first(tensors)
    if shape is None or not shape:
        return None
    weight = _tensor(m, given, "weight")
    if weight is not None:
        return (
            (*shape[:-1], weight.shape[0])
            if weight.shape is not None and len(weight.shape) == 2
            else (*shape[:-1], None)
        )
    return (*shape[:-1], number(m, given.get("out_features")))


def _embedding(m: Machine, tensors: list[TensorValue], given: Given) -> Shape | None:
    index = _tensor(m, given, "input")
    if index is None or index.shape is None:
        return None
    weight = _tensor(m, given, "weight")
    if weight is not None:
        return (*index.shape, weight.shape[-1] if weight.shape else None)
    del tensors
    return (*index.shape, number(m, given.get("embedding_dim")))


def _one_hot(m: Machine, _tensors: list[TensorValue], given: Given) -> Shape | None:
    """A dimension more than the index has, of as many places as there are classes (-1: as the numbers ask for)."""
    index = _tensor(m, given, "input")
    count = number(m, given.get("num_classes"))
    return (
        None
        if index is None or index.shape is None
        else (*index.shape, None if count is None or count < 0 else count)
    )


def _index_selected(m: Machine, tensors: list[TensorValue], given: Given) -> Shape | None:
    shape = _first(tensors)
    dim = None if shape is None else _position(m, given, _DIM, len(shape))
    if shape is None or dim is None:
        return blurred(tensors)
    index = _tensor(m, given, "index")
    count = index.shape[0] if index is not None and index.shape else None
    return (*shape[:dim], count, *shape[dim + 1 :])


def _as_index(m: Machine, _tensors: list[TensorValue], given: Given) -> Shape | None:
    index = _tensor(m, given, "index")
    return None if index is None else index.shape


def _rank_kept(_m: Machine, tensors: list[TensorValue], _given: Given) -> Shape | None:
    return blurred(tensors)


def _unknown(_m: Machine, _tensors: list[TensorValue], _given: Given) -> Shape | None:
    return None


def _places(m: Machine, tensors: list[TensorValue], given: Given) -> Shape | None:
    """`nonzero`: a row for each place, a number in it for each dimension."""
    del m, tensors
    return None if "as_tuple" in given else (None, None)


def _one_dimension(_m: Machine, _tensors: list[TensorValue], _given: Given) -> Shape | None:
    return (None,)


def _repeated(m: Machine, tensors: list[TensorValue], given: Given) -> Shape | None:
    times = next((numbers(m, given[name]) for name in ("repeats", "dims") if name in given), None)
    shape = _first(tensors)
    if times is None or shape is None:
        return None
    count = max(len(times), len(shape))
    padded_times = (1,) * (count - len(times)) + tuple(times)
    padded = (1,) * (count - len(shape)) + shape
    return tuple(
        None if one is None or n is None else one * n for one, n in zip(padded, padded_times, strict=True)
    )


def _outer(_m: Machine, tensors: list[TensorValue], _given: Given) -> Shape | None:
    if len(tensors) != 2 or any(each.shape is None or len(each.shape) != 1 for each in tensors):
        return None
    return tuple(None if each.shape is None else each.shape[0] for each in tensors)


def _top(m: Machine, tensors: list[TensorValue], given: Given) -> Shape | None:
    shape = _first(tensors)
    dim = None if shape is None else _position(m, given, _DIM, len(shape), -1)
    if shape is None or dim is None:
        return blurred(tensors)
    return (*shape[:dim], number(m, given.get("k")), *shape[dim + 1 :])


def _as_searched(_m: Machine, tensors: list[TensorValue], given: Given) -> Shape | None:
    """As large as what is searched for, which follows what is searched; a number has no shape."""
    sure = len(tensors) == 2 and given.get("sorter") is None
    return tensors[1].shape if sure else None


_BLURRED = (
    "adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d adaptive_max_pool2d adaptive_max_pool3d"
    " avg_pool1d avg_pool2d avg_pool3d bilinear cholesky_solve constant_pad_nd conv1d conv2d conv3d conv_tbc"
    " conv_transpose1d conv_transpose2d conv_transpose3d cumulative_trapezoid diff fft fft2 fftn fractional_max_pool2d"
    " fractional_max_pool3d glu grid_sample grid_sampler_2d grid_sampler_3d hfft hfft2 hfftn ifft ifft2 ifftn ihfft ihfft2"
    " ihfftn interpolate irfft irfft2 irfftn rfft rfft2 rfftn kron ldl_solve lp_pool1d lp_pool2d lp_pool3d lu_solve max_pool1d"
    " max_pool2d max_pool3d max_unpool1d max_unpool2d max_unpool3d moveaxis movedim multinomial narrow_copy pad permute_copy"
    " pinv pinverse pixel_shuffle pixel_unshuffle rot90 scaled_dot_product_attention solve_triangular t_copy tensorinv"
    " transpose_copy triangular_solve upsample upsample_bilinear upsample_nearest resize_as orgqr householder_product"
    " gradient lu lu_unpack qr unravel_index adjoint gru_cell lstm_cell rnn_tanh_cell rnn_relu_cell to_sparse data"
)  # fmt: skip

RULES: Final[dict[str, Rule]] = {
    **dict.fromkeys(_BLURRED.split(), _rank_kept),
    "searchsorted": _as_searched,
    **dict.fromkeys(("bincount", "embedding_bag", "multi_head_attention_forward", "tensordot"), _unknown),
    **dict.fromkeys(("bucketize",), _rank_kept),
    "transpose": _swapped, "swapaxes": _swapped, "swapdims": _swapped, "t": _reversed, "T": _reversed, "mT": _last_two_swapped,
    "H": _reversed, "mH": _last_two_swapped, "permute": _permuted, "narrow": _narrowed, "chunk": _parted, "split": _parted,
    "split_with_sizes": _parted, "tensor_split": _parted, "hsplit": _rank_kept, "vsplit": _rank_kept, "dsplit": _rank_kept,
    "unsafe_chunk": _parted, "unsafe_split": _parted, "split_with_sizes_copy": _parted, "broadcast_tensors": _unknown,
    "unbind": _without_dim(0), "select": _without_dim(None), "max.dim": _without_dim(None), "min.dim": _without_dim(None),
    "median.dim": _without_dim(None), "nanmedian.dim": _without_dim(None), "mode": _without_dim(-1), "kthvalue": _without_dim(-1),
    "logsumexp": _without_dim(None),
    "unsqueeze": _unsqueezed, "squeeze": _squeezed, "flatten": _flattened, "ravel": _flattened, "Flatten.forward": _flatten_layer,
    "view": _viewed, "reshape": _viewed, "expand": _expanded, "broadcast_to": _expanded, "view_as": _like_other,
    "reshape_as": _like_other, "expand_as": _like_other, "cat": _joined, "concat": _joined, "concatenate": _joined,
    "stack": _stacked, "column_stack": _unknown, "hstack": _unknown, "vstack": _unknown, "dstack": _unknown, "row_stack": _unknown,
    "matmul": _matmul, "__matmul__": _matmul, "__rmatmul__": _rmatmul, "mm": _of_rank(2), "bmm": _of_rank(3), "mv": _of_rank(1),
    "linear": _linear, "Linear.forward": _linear, "one_hot": _one_hot, "embedding": _embedding, "Embedding.forward": _embedding,
    "index_select": _index_selected, "gather": _as_index, "take_along_dim": _along, "repeat": _repeated, "tile": _repeated, "outer": _outer, "ger": _outer,
    "nonzero": _places, "argwhere": _places, "masked_select": _one_dimension, "topk": _top, "take": _as_index,
}  # fmt: skip

KEPT_BY_LAYERS: Final = frozenset(
    "AlphaDropout BatchNorm1d BatchNorm2d BatchNorm3d CELU CrossMapLRN2d Dropout Dropout1d Dropout2d Dropout3d ELU"
    " FeatureAlphaDropout GELU GroupNorm Hardshrink Hardsigmoid Hardswish Hardtanh Identity InstanceNorm1d InstanceNorm2d"
    " InstanceNorm3d LayerNorm LazyBatchNorm1d LazyBatchNorm2d LazyBatchNorm3d LeakyReLU LocalResponseNorm LogSigmoid"
    " LogSoftmax Mish PReLU RMSNorm RReLU ReLU ReLU6 SELU SiLU Sigmoid Softmax Softmax2d Softmin Softplus Softshrink"
    " Softsign SyncBatchNorm Tanh Tanhshrink Threshold".split()
)
"""Layers whose result is as large as their input."""


@functools.lru_cache(maxsize=NAMES_KEPT)
def rule_for(name: str, *, keeps_rank: bool) -> Rule | None:
    """The rule of an operation or of a layer's forward; None where the catalog's word on dimensions is all there is."""
    parts = name.split(".")
    if parts[-1] == "forward":
        layer = parts[-2]
        unlike = keeps_rank and layer not in KEPT_BY_LAYERS
        return RULES.get(f"{layer}.forward") or (_rank_kept if unlike else None)
    return RULES.get(parts[-1]) or RULES.get(".".join(parts[-2:]))


def parameter_shape(m: Machine, layer: str, name: str, given: Given) -> Shape | None:
    """The shape of a tensor that a layer registers."""

    def size(key: str) -> int | None:
        return number(m, given.get(key))

    short = layer.rpartition(".")[2]
    if short in ("Linear", "LazyLinear"):
        return (size("out_features"), size("in_features")) if name == "weight" else (size("out_features"),)
    if short == "Embedding":
        return (size("num_embeddings"), size("embedding_dim"))
    if short.startswith(("BatchNorm", "SyncBatchNorm", "InstanceNorm")):
        return () if name == "num_batches_tracked" else (size("num_features"),)
    if short == "LayerNorm":
        found = numbers(m, given["normalized_shape"]) if "normalized_shape" in given else None
        return None if found is None else tuple(found)
    if short == "GroupNorm":
        return (size("num_channels"),)
    if short.startswith("Conv") and name == "bias":
        return (size("out_channels"),)
    return None


_ALWAYS_ITSELF: Final = frozenset({"real", "conj", "resolve_conj", "resolve_neg", "positive", "__pos__"})


def is_itself(name: str, tensor: TensorValue, shape: Shape | None) -> bool | None:
    """Whether an operation that makes views returns the tensor it was given; None when that is not known."""
    short = name.removesuffix(".forward").rpartition(".")[2]
    if short in _ALWAYS_ITSELF:
        return None if tensor.dtype is None or tensor.dtype.startswith("complex") else True
    if short == "contiguous":
        return None
    if short in ("flatten", "Flatten"):
        return None if shape is None or tensor.shape is None else len(shape) == len(tensor.shape) > 0
    if short.startswith("atleast_"):
        return None if tensor.shape is None else len(tensor.shape) >= int(short[8])
    return False
