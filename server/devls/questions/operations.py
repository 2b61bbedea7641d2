"""Calls of torch's operations and layers on made-up operands."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.library.effects import REQUIRED, Passing, Role
from devls.questions.building import NoQuestionError
from devls.questions.tensors import made, sizes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from devls.engine.core.machine import Machine
    from devls.library.effects import Operation, Parameter
    from devls.values.value import TensorValue

_SPACES = ("torch.nn.functional", "torch", "torch.Tensor", "torch.linalg", "torch.special", "torch.fft")

_OPERATORS = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "div": "/", "floordiv": "//", "mod": "%", "pow": "**",
    "matmul": "@", "and": "&", "or": "|", "xor": "^", "eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">",
    "ge": ">=",
}  # fmt: skip

# Stand-ins for required arguments that the analysis did not tell: the plainest that torch takes with the shapes below.
_ARGUMENTS = {
    "dim": "0", "dims": "(0,)", "dim0": "0", "dim1": "1", "axis": "0", "size": "(2, 2)", "shape": "(2, 2)", "p": "2",
    "kernel_size": "1", "stride": "1", "padding": "0", "output_size": "1", "n": "1", "k": "1", "chunks": "2",
    "norm_type": "2", "fill_value": "1.0", "value": "1.0", "normalized_shape": "(2,)", "num_groups": "1",
    "reduce": "'sum'", "num_samples": "1", "upscale_factor": "1", "threshold": "0.5", "index": "0", "start": "0",
    "length": "1", "split_size": "1", "split_size_or_sections": "1", "steps": "1", "end": "1", "shifts": "1",
    "exponent": "2", "repeats": "1", "train": "False", "training": "False", "bins": "2", "pad": "(0, 0)",
    "dtype": "torch.float32", "max_norm": "1.0", "log_input": "False",
}  # fmt: skip

# Shapes and dtypes of operations that do not take just any two tensors of two by two.
_SHAPES: dict[str, dict[str, tuple[tuple[int, ...], str]]] = {
    "bmm": {"input": ((2, 2, 2), ""), "mat2": ((2, 2, 2), "")},
    "baddbmm": {"input": ((2, 2, 2), ""), "batch1": ((2, 2, 2), ""), "batch2": ((2, 2, 2), "")},
    "mv": {"vec": ((2,), "")},
    "addmv": {"input": ((2,), ""), "vec": ((2,), "")},
    "dot": {"input": ((2,), ""), "tensor": ((2,), ""), "other": ((2,), "")},
    "conv1d": {"input": ((1, 2, 4), ""), "weight": ((2, 2, 1), ""), "bias": ((2,), "")},
    "conv2d": {"input": ((1, 2, 4, 4), ""), "weight": ((2, 2, 1, 1), ""), "bias": ((2,), "")},
    "conv3d": {"input": ((1, 2, 4, 4, 4), ""), "weight": ((2, 2, 1, 1, 1), ""), "bias": ((2,), "")},
    "conv_transpose1d": {"input": ((1, 2, 4), ""), "weight": ((2, 2, 1), ""), "bias": ((2,), "")},
    "conv_transpose2d": {"input": ((1, 2, 4, 4), ""), "weight": ((2, 2, 1, 1), ""), "bias": ((2,), "")},
    "cross_entropy": {"input": ((2, 3), ""), "target": ((2,), "int64"), "weight": ((3,), "")},
    "nll_loss": {"input": ((2, 3), ""), "target": ((2,), "int64"), "weight": ((3,), "")},
    "embedding": {"input": ((2,), "int64"), "weight": ((2, 2), "")},
    "gather": {"index": ((2, 2), "int64")},
    "scatter": {"index": ((2, 2), "int64"), "src": ((2, 2), "")},
    "scatter_": {"index": ((2, 2), "int64"), "src": ((2, 2), "")},
    "scatter_add": {"index": ((2, 2), "int64")},
    "scatter_add_": {"index": ((2, 2), "int64")},
    "index_select": {"index": ((2,), "int64")},
    "index_add": {"index": ((2,), "int64")},
    "index_add_": {"index": ((2,), "int64")},
    "index_copy_": {"index": ((2,), "int64")},
    "take_along_dim": {"indices": ((2, 2), "int64")},
    "masked_fill": {"mask": ((2, 2), "bool")},
    "masked_fill_": {"mask": ((2, 2), "bool")},
    "masked_select": {"mask": ((2, 2), "bool")},
    "masked_scatter": {"mask": ((2, 2), "bool")},
    "where": {"condition": ((2, 2), "bool")},
    "scaled_dot_product_attention": {
        "query": ((1, 2, 2), ""), "key": ((1, 2, 2), ""), "value": ((1, 2, 2), ""), "attn_mask": ((1, 2, 2), ""),
    },
    "grid_sample": {"input": ((1, 1, 2, 2), ""), "grid": ((1, 2, 2, 2), "")},
    "layer_norm": {"weight": ((2,), ""), "bias": ((2,), "")},
    "batch_norm": {"running_mean": ((2,), ""), "running_var": ((2,), ""), "weight": ((2,), ""), "bias": ((2,), "")},
    "linear": {"weight": ((2, 2), ""), "bias": ((2,), "")},
    "multinomial": {"input": ((2, 2), "")},
    "outer": {"input": ((2,), ""), "vec2": ((2,), "")},
    "bincount": {"input": ((2,), "int64"), "weights": ((2,), "")},
    "one_hot": {"input": ((2,), "int64"), "tensor": ((2,), "int64")},
    "triplet_margin_loss": {},
}  # fmt: skip


def needed(operation: str, parameter: str) -> tuple[tuple[int, ...], str] | None:
    """Shape and dtype that a parameter of an operation has to have, if not just any will do."""
    return _SHAPES.get(operation, {}).get(parameter)


def find(machine: Machine, short: str) -> Operation | None:
    """The operation that the analysis calls by its last name."""
    spaces = ("torch.Tensor", *_SPACES) if short.endswith("_") else _SPACES
    for space in spaces:
        found = machine.library.operation(f"{space}.{short}")
        if found is not None:
            return found
    return None


def operator(short: str) -> tuple[str, bool]:
    """The sign of an operator's method, and whether it is the in-place one: `__iadd__` is `+`, True."""
    inner = short.strip("_")
    if not short.startswith("__"):
        return "", False
    if inner in _OPERATORS:
        return _OPERATORS[inner], False
    if inner[:1] == "r" and inner[1:] in _OPERATORS:
        return _OPERATORS[inner[1:]], False
    if inner[:1] == "i" and inner[1:] in _OPERATORS:
        return _OPERATORS[inner[1:]], True
    return "", False


def call(operation: Operation, given: Mapping[str, str], filler: str) -> str:
    """A call with these arguments by name, and with plain ones for whatever else is required.

    Raises:
        NoQuestionError: for a required argument that nothing plain is known for.
    """
    space, _, short = operation.name.rpartition(".")
    words: list[str] = []
    by_name = False
    for parameter in operation.parameters:
        value = given.get(parameter.name)
        if value is None:
            if parameter.default is not REQUIRED or parameter.passing is Passing.KEYWORDS:
                by_name = True
                continue
            value = _plain(parameter, short, filler)
        if parameter.passing is Passing.KEYWORD or (by_name and parameter.passing is Passing.EITHER):
            words.append(f"{parameter.name}={value}")
        else:
            words.append(value)
    if space == "torch.Tensor":
        receiver = words[0] if words[0].isidentifier() else f"({words[0]})"
        return f"{receiver}.{short}({', '.join(words[1:])})"
    return f"{operation.name}({', '.join(words)})"


def _plain(parameter: Parameter, short: str, filler: str) -> str:
    special = needed(short, parameter.name)
    if special is not None:
        return made(special[0], dtype=special[1])
    if parameter.role is Role.LIST:
        return f"[{filler}, {filler}]"
    if parameter.role is not Role.OTHER:
        return filler
    if parameter.name in _ARGUMENTS:
        return _ARGUMENTS[parameter.name]
    raise NoQuestionError(f"`{short}` needs `{parameter.name}`, and nothing is known of it")


# Layers: the class by its name, its constructor from the shape of its own tensors, and the shape of what it takes.


def layer_of(machine: Machine, tensor: TensorValue) -> str:
    """The library class that registered a parameter; empty if it is not known."""
    node = tensor.origin.node if tensor.origin is not None else None
    if not isinstance(node, ast.Call):
        return ""
    last = (
        node.func.attr
        if isinstance(node.func, ast.Attribute)
        else node.func.id
        if isinstance(node.func, ast.Name)
        else ""
    )
    return last if machine.library.layer(f"torch.nn.{last}") is not None else ""


def layer(
    name: str, parameter: str, shape: tuple[int | None, ...] | None
) -> tuple[str, tuple[int, ...], str]:
    """A layer's construction, and shape and dtype of an input it takes, from the shape of one of its parameters.

    Raises:
        NoQuestionError: for a class that nothing is written down for.
    """
    known = sizes(shape, 0) if shape is not None and parameter.startswith("weight") else ()
    build = f"torch.nn.{name}"
    if name == "Linear":
        out, features = known if len(known) == 2 else (2, 2)
        return f"{build}({features}, {out})", (2, features), ""
    if name.startswith("Conv") and name[-1] == "d":
        rank = int(name[-2])
        channels = known[:2] if len(known) == rank + 2 else (2, 2)
        out, features = channels if "Transpose" not in name else channels[::-1]
        kernel = known[2] if len(known) == rank + 2 else 1
        return f"{build}({features}, {out}, {kernel})", (1, features, *(max(4, kernel),) * rank), ""
    if name.startswith(("BatchNorm", "InstanceNorm")):
        features = known[0] if known else 2
        return f"{build}({features})", (2, features, *(2,) * (int(name[-2]) if name[-2] != "1" else 0)), ""
    if name in ("Embedding", "EmbeddingBag"):
        count, width = known if len(known) == 2 else (2, 2)
        return f"{build}({count}, {width})", (2, 2), "int64"
    if name in ("LSTM", "GRU", "RNN"):
        return f"{build}(2, 2)", (1, 1, 2), ""
    if name in ("LSTMCell", "GRUCell", "RNNCell"):
        return f"{build}(2, 2)", (2, 2), ""
    if name in ("LayerNorm", "RMSNorm", "PReLU"):
        features = known[-1] if known else 2
        return f"{build}({features})", (2, features), ""
    if name == "GroupNorm":
        return f"{build}(1, 2)", (2, 2), ""
    if name == "Bilinear":
        return f"{build}(2, 2, 2)", (2, 2), ""
    if name == "TransformerEncoderLayer":
        return f"{build}(2, 1)", (2, 1, 2), ""
    raise NoQuestionError(f"no plain `{name}` is known")


LEAF: Final = "w = torch.ones((2, 2), requires_grad=True)"


def uses(machine: Machine, operation: str, otherwise: str = "w * w") -> tuple[str, str]:
    """A leaf `w`, and an operation on it that keeps something for backward: this one, where it takes just a tensor."""
    parts = operation.removesuffix(".forward").split(".")
    if machine.library.layer(f"torch.nn.{parts[-1]}") is not None:
        try:
            build, shape, dtype = layer(parts[-1], "", None)
        except NoQuestionError:
            return LEAF, otherwise
        if not dtype and parts[-1] not in ("LSTM", "GRU", "RNN", "LSTMCell"):
            return f"layer = {build}\nw = {made(shape, requires_grad=True)}", "layer(w)"
        return LEAF, otherwise
    found = find(machine, parts[-1].strip("_") or "mul")
    if found is None or not found.saves or parts[-1].endswith("_"):
        return LEAF, otherwise
    given = {each: "w" for each in found.saves if not each.startswith("result")}
    try:
        return LEAF, call(found, given, "w")
    except NoQuestionError:
        return LEAF, otherwise
