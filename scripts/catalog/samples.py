"""Calls to run: torch's own operator samples, and a few by hand for what they leave out.

Source: `torch.testing._internal.common_methods_invocations.op_db` (needs expecttest). Everything is seeded, on the
CPU and small.
"""

from __future__ import annotations

import itertools
import operator
import warnings
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import torch
from torch.testing._internal.common_methods_invocations import op_db
from torch.utils._pytree import tree_map

from catalog.samples_more import more_samples

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PER_OPERATION = 16
SKIPPED_PREFIXES = ("_", "ops.", "masked.", "jiterator", "torch.ops", "sparse.")
# They cost seconds, and what they do is known from their declarations.
SLOW = {
    "linalg.lu_factor_ex",
    "linalg.ldl_factor_ex",
    "cartesian_prod",
    "stft",
    "istft",
    "svd_lowrank",
    "pca_lowrank",
    "ormqr",
}


@dataclass
class Call:
    """A call; the tensors among the arguments are leaves."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any] = field(default_factory=dict)

    def fresh(self) -> Call:
        """The same with copies of the tensors, whether they require grad kept."""
        return Call(tree_map(_copy, self.args), tree_map(_copy, self.kwargs))


def _copy(value: Any) -> Any:
    if (
        not isinstance(value, torch.Tensor)
        or value.layout != torch.strided
        or (value.dim() and 0 in value.stride())
    ):
        return value
    return value.detach().clone().requires_grad_(value.requires_grad)


def calls() -> dict[str, tuple[Callable[..., Any], list[Call]]]:
    """Function and calls, by canonical name."""
    torch.manual_seed(0)
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    found: dict[str, tuple[Callable[..., Any], list[Call]]] = {}
    for info in op_db:
        key = public_name(info.name)
        if key is None or not info.dtypes or info.name in SLOW:
            continue
        samples = list(_samples(info))
        if not samples:
            continue
        _add(found, key, _by_name(key) or info.op, samples)
        method = info.name if "." not in info.name else info.name.rpartition(".")[2]
        if info.method_variant is not None:
            _add(found, f"torch.Tensor.{method}", info.method_variant, samples)
        if info.inplace_variant is not None and hasattr(torch.Tensor, f"{method}_"):
            _add(found, f"torch.Tensor.{method}_", info.inplace_variant, samples)
        for alias in info.aliases:
            _add(found, public_name(alias.name) or alias.name, alias.op, samples)
            for suffix in ("", "_"):
                method_name = f"torch.Tensor.{alias.name}{suffix}"
                _add(found, method_name, _by_name(method_name), samples)
    _hand_written(found)
    for name, several in more_samples().items():
        function = _by_name(name)
        if function is not None and name not in found:
            _add(found, name, function, [Call(args, kwargs) for args, kwargs in several])
    _same_name(found)
    return found


REPLACED = {
    "torch.nn.functional.embedding",
    "torch.nn.functional.embedding_bag",
    "torch.where",
    "torch.einsum",
    "torch.polygamma",
    "torch.special.polygamma",
}  # arguments in another order there


def synonyms() -> dict[str, str]:
    """Names that torch says are other names of an operation: "torch.subtract" is "torch.sub"."""
    found = {}
    for info in op_db:
        main = public_name(info.name)
        for alias in info.aliases:
            other = public_name(alias.name)
            if main and other and main.startswith("torch.") and not main.startswith("torch.Tensor."):
                found[other] = main
                for suffix in ("", "_"):
                    short = main.rpartition(".")[2]
                    if (
                        "." not in alias.name
                        and hasattr(torch.Tensor, alias.name + suffix)
                        and hasattr(torch.Tensor, short + suffix)
                    ):
                        found[f"torch.Tensor.{alias.name}{suffix}"] = f"torch.Tensor.{short}{suffix}"
                        found[f"torch.{alias.name}{suffix}"] = f"torch.{short}{suffix}"
    return found


def _add(
    found: dict[str, Any], name: str, function: Any, samples: list[Call], *, first: bool = False
) -> None:
    if function is None:
        return
    if name in REPLACED:
        found.pop(name, None)
    if name in found:
        known = found[name][1]
        known[:] = [*samples, *known] if first else [*known, *samples]
    else:
        found[name] = (function, list(samples))


def public_name(name: str) -> str | None:
    """The canonical name of an entry of torch's operator database."""
    if name.startswith(SKIPPED_PREFIXES) and not (name.startswith("__") and name.endswith("__")):
        return None
    if name.startswith(("nn.functional.", "linalg.", "fft.", "special.", "signal.windows.")):
        return f"torch.{name}"
    return f"torch.{name}" if hasattr(torch, name) and not name.startswith("__") else f"torch.Tensor.{name}"


def _samples(info: Any) -> Iterator[Call]:
    dtypes = info.dtypes
    dtype = next((d for d in (torch.float32, torch.complex64) if d in dtypes), None) or min(dtypes, key=str)
    grad = dtype.is_floating_point or dtype.is_complex
    try:
        raw = list(itertools.islice(info.sample_inputs("cpu", dtype, requires_grad=grad), PER_OPERATION))
    except Exception:  # noqa: BLE001  a few generators cannot make differentiable samples
        raw = list(itertools.islice(info.sample_inputs("cpu", dtype), PER_OPERATION))
    for sample in raw:
        yield Call((sample.input, *sample.args), sample.kwargs)


def _by_name(name: str) -> Callable[..., Any] | None:
    value: Any = torch
    for part in name.split(".")[1:]:
        value = getattr(value, part, None)
    return value if callable(value) else None


def floating(*shape: int, grad: bool = True) -> torch.Tensor:
    return torch.rand(shape).add(0.1).requires_grad_(grad)


def _hand_written(found: dict[str, Any]) -> None:
    """Functions that torch's operator database leaves out, called plainly."""
    labels = torch.tensor([0, 2, 1])
    spectrum = torch.tensor([[0.2, 0.8], [0.6, 0.4]])
    table: dict[str, list[Call]] = {
        "torch.nn.functional.softmax": [Call((floating(3, 4), 1))],
        "torch.nn.functional.log_softmax": [Call((floating(3, 4), 1))],
        "torch.nn.functional.softmin": [Call((floating(3, 4), 1))],
        "torch.nn.functional.relu": [Call((floating(3, 4),))],
        "torch.nn.functional.sigmoid": [Call((floating(3, 4),))],
        "torch.nn.functional.tanh": [Call((floating(3, 4),))],
        "torch.nn.functional.l1_loss": [Call((floating(3), floating(3, grad=False)))],
        "torch.nn.functional.affine_grid": [Call((floating(1, 2, 3), (1, 1, 4, 4)))],
        "torch.nn.functional.fold": [Call((floating(1, 4, 9), (4, 4), (2, 2)))],
        "torch.nn.functional.gumbel_softmax": [Call((floating(3, 4),))],
        "torch.nn.functional.lp_pool1d": [Call((floating(1, 2, 8), 2, 2))],
        "torch.nn.functional.lp_pool2d": [Call((floating(1, 2, 8, 8), 2, 2))],
        "torch.nn.functional.multilabel_soft_margin_loss": [Call((floating(3, 4), torch.ones(3, 4)))],
        "torch.nn.functional.triplet_margin_with_distance_loss": [Call((floating(3, 4), floating(3, 4), floating(3, 4)))],
        "torch.nn.functional.upsample": [Call((floating(1, 2, 4, 4),), {"scale_factor": 2})],
        "torch.nn.functional.embedding": [Call((labels, floating(5, 3)))],
        "torch.nn.functional.embedding_bag": [Call((torch.tensor([[0, 2, 1]]), floating(5, 3)))],
        "torch.nn.functional.dropout": [Call((floating(3, 4),)), Call((floating(3, 4), 0.2))],
        "torch.where": [
            Call((torch.tensor([True, False, True]), floating(3), floating(3))),
            Call((torch.tensor([True, False, True]), floating(3), 1.0)),
            Call((torch.rand(2, 3) > 0.5, floating(3), floating(2, 1))),
        ],
        "torch.einsum": [
            Call(("ij,jk->ik", floating(2, 3), floating(3, 2))), Call(("bij,bjk->bik", floating(2, 2, 3), floating(2, 3, 2))),
        ],
        "torch.polygamma": [Call((1, floating(3)))],
        "torch.special.polygamma": [Call((1, floating(3)))],
        "torch.dropout": [Call((floating(3, 4), 0.5, True))],
        "torch.alpha_dropout": [Call((floating(3, 4), 0.5, True))],
        "torch.feature_dropout": [Call((floating(1, 3, 4), 0.5, True))],
        "torch.istft": [Call((torch.rand(9, 17, dtype=torch.complex64).requires_grad_(), 16), {"window": torch.ones(16)})],
        "torch.poisson": [Call((floating(3),))],
        "torch.kl_div": [Call((floating(3), floating(3, grad=False)))],
        "torch.lstm_cell": [
            Call((floating(2, 3), (floating(2, 4), floating(2, 4)), floating(16, 3), floating(16, 4))),
        ],
        "torch.gru_cell": [Call((floating(2, 3), floating(2, 4), floating(12, 3), floating(12, 4)))],
        "torch.conv_tbc": [Call((floating(5, 2, 3), floating(2, 3, 4), floating(4)))],
        "torch.nn.functional.conv_tbc": [Call((floating(5, 2, 3), floating(2, 3, 4), floating(4)))],
        "torch.nn.functional.lp_pool3d": [Call((floating(1, 1, 4, 4, 4), 2, 2))],
        "torch.Tensor.random_": [Call((floating(3),))],
        "torch.Tensor.fill_diagonal_": [Call((floating(3, 3), 1.0))],
        "torch.Tensor.__neg__": [Call((floating(3, 3),))],
        "torch.Tensor.__pos__": [Call((floating(3, 3),))],
        "torch.Tensor.__abs__": [Call((floating(3, 3),))],
        "torch.Tensor.__rtruediv__": [Call((floating(3, 3), 2.0))],
        "torch.Tensor.__rdiv__": [Call((floating(3, 3), 2.0))],
        "torch.Tensor.__rpow__": [Call((floating(3, 3), 2.0))],
        "torch.Tensor.__rfloordiv__": [Call((floating(3, 3), 2.0))],
        "torch.Tensor.__invert__": [Call((labels,))],
        **{
            f"torch.Tensor.__{prefix}{each}__": [Call((labels.clone(), torch.tensor([1, 1, 0])))]
            for each in ("and", "or", "xor", "lshift", "rshift") for prefix in ("", "r", "i")
        },
        "torch.Tensor.__rsub__": [Call((floating(3, 3), 2.0))],
        "torch.nn.functional.dropout1d": [Call((floating(1, 2, 4),))],
        "torch.nn.functional.margin_ranking_loss": [Call((floating(3), floating(3), torch.ones(3)))],
        "torch.nn.functional.one_hot": [Call((labels, 4))],
        "torch.nn.functional.cross_entropy": [
            Call((floating(3, 4), labels)), Call((floating(3, 4), labels), {"weight": torch.rand(4)}),
            Call((floating(3, 4), torch.rand(3, 4))), Call((floating(3, 4), labels), {"label_smoothing": 0.1}),
        ],
        "torch.nn.functional.multi_head_attention_forward": [
            Call((
                floating(3, 2, 4), floating(3, 2, 4), floating(3, 2, 4), 4, 2, floating(12, 4), floating(12), None, None,
                False, 0.0, floating(4, 4), floating(4),
            )),
        ],
        "torch.nn.functional.scaled_dot_product_attention": [
            Call((floating(1, 2, 4, 4), floating(1, 2, 4, 4), floating(1, 2, 4, 4))),
        ],
        "torch.stft": [Call((floating(64), 16), {"return_complex": True, "window": torch.ones(16)})],
        "torch.cdist": [Call((floating(3, 2), floating(4, 2)))],
        "torch.fill": [Call((floating(3), floating()))],
        "torch.fill_": [Call((floating(3), floating()))],
        "torch.Tensor.fill_": [Call((floating(3), floating()))],
        "torch.cartesian_prod": [Call((floating(3), floating(2)))],
        "torch.nn.utils.rnn.pad_sequence": [Call(([floating(3, 2), floating(2, 2)],))],
        "torch.nn.utils.parameters_to_vector": [Call(([floating(3, 2), floating(2)],))],
        "torch.nn.utils.get_total_norm": [Call(([floating(3, 2), floating(2)],))],
        "torch.Tensor.copy_": [Call((torch.rand(3), floating(3)))],
        "torch.Tensor.expand_as": [Call((floating(1, 3), floating(2, 3)))],
        "torch.chain_matmul": [Call((floating(2, 3), floating(3, 2)))],
        "torch.broadcast_tensors": [Call((floating(1, 3), floating(2, 3)))],
        "torch.Tensor.data": [],
        "torch.unique": [Call((torch.tensor([1.0, 1.0, 2.0]).requires_grad_(),))],
        "torch.Tensor.unique": [Call((torch.tensor([1.0, 1.0, 2.0]).requires_grad_(),))],
        "torch.Tensor.type_as": [Call((floating(3), torch.rand(3, dtype=torch.float64)))],
        "torch.nn.functional.kl_div": [Call((floating(2, 2), spectrum))],
        "torch.autograd.grad": [],
    }  # fmt: skip
    for short in ("cpu", "float", "double", "half", "bfloat16", "int", "long", "bool", "cfloat"):
        table[f"torch.Tensor.{short}"] = [Call((floating(3),))]
    for short in (
        "uniform_", "normal_", "xavier_uniform_", "xavier_normal_", "kaiming_uniform_", "kaiming_normal_",
        "trunc_normal_", "orthogonal_", "zeros_", "ones_", "eye_",
    ):  # fmt: skip
        table[f"torch.nn.init.{short}"] = [Call((floating(3, 3),))]
    table["torch.nn.init.constant_"] = [Call((floating(3, 3), 0.5))]
    for name, samples in table.items():
        function = _by_name(name)
        if function is not None and samples:
            _add(found, name, function, samples, first=True)
    for symbol, function in (
        ("add", operator.add), ("sub", operator.sub), ("mul", operator.mul), ("truediv", operator.truediv),
        ("pow", operator.pow), ("matmul", operator.matmul), ("mod", operator.mod), ("floordiv", operator.floordiv),
        ("lt", operator.lt), ("gt", operator.gt), ("le", operator.le), ("ge", operator.ge), ("eq", operator.eq), ("ne", operator.ne),
    ):  # fmt: skip
        pair = [Call((floating(3, 3), floating(3, 3)))]
        scalar = [] if symbol == "matmul" else [Call((floating(3, 3), 2.0))]
        _add(found, f"torch.Tensor.__{symbol}__", function, pair + scalar)
        if hasattr(torch.Tensor, f"__i{symbol}__") and symbol != "matmul":
            _add(found, f"torch.Tensor.__i{symbol}__", getattr(operator, f"i{symbol}"), pair + scalar)


def _same_name(found: dict[str, Any]) -> None:
    """The same samples for functions, methods and operators of the same name: `torch.special.exp2`, `Tensor.exp2`."""
    by_short: dict[str, list[Call]] = defaultdict(list)
    for name, (_, samples) in found.items():
        by_short[name.rpartition(".")[2]].extend(samples)
    from catalog.public import callables  # noqa: PLC0415  it imports torch's namespaces, only needed here

    for name, function in callables():
        short = name.rpartition(".")[2]
        if name in found or short.startswith("__"):
            continue
        for candidate in (short, short.removesuffix("_"), f"{short}_"):
            if candidate in by_short and not name.startswith(
                ("torch.cuda", "torch.random", "torch.autograd")
            ):
                _add(found, name, function, by_short[candidate][:PER_OPERATION])
                break
