"""Ranks and dtypes of results, as the samples show them."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import torch
from torch.utils._pytree import tree_map

from catalog.observe import attempt
from catalog.samples import Call

if TYPE_CHECKING:
    from collections.abc import Callable

    from catalog.draft import Draft
    from catalog.observe import Observed

# The rank of these depends on sizes or indices, so a handful of samples proves nothing.
RANK_FROM_VALUES = {
    "squeeze", "select", "select_copy", "squeeze_copy", "narrow", "unfold", "diagonal", "as_strided", "matmul", "mv", "inner",
    "tensordot", "einsum", "kron", "atleast_1d", "index_select", "unflatten", "movedim", "moveaxis", "vecdot", "cross",
    "__matmul__", "__rmatmul__", "expand_as", "view_as", "reshape_as", "where", "multi_dot", "solve", "take_along_dim",
    "__imatmul__", "chain_matmul", "sum_to_size", "diag", "cov", "corrcoef", "unsqueeze", "unsqueeze_copy",
}  # fmt: skip
SIZED = {
    "view",
    "reshape",
    "expand",
    "broadcast_to",
    "repeat",
    "tile",
    "view_copy",
    "expand_copy",
    "resize_",
    "resize",
}


def settle_dtype(draft: Draft, function: Callable[..., Any], runs: list[tuple[Call, Observed]]) -> None:
    """How the result's dtype follows, by what floats and integers gave."""
    if draft.dtype != "unknown":
        return
    outs = [tensor for _, each in runs for tensor in each.outputs]
    if not outs or draft.result in ("new", "like"):
        return
    if draft.parameter("dtype") is not None:
        draft.dtype = "argument-or-same"
        return
    floats = [
        each
        for _, each in runs
        if each.outputs and any(t.is_floating_point() for v in each.inputs.values() for t in v)
    ]
    if all(t.dtype == torch.bool for t in outs):
        draft.dtype = "bool"
    elif floats and all(t.dtype == torch.int64 for t in outs):
        draft.dtype = "int"
    elif draft.result == "tensors" and len({t.is_floating_point() for t in outs}) > 1:
        plain = all(t.dtype in (torch.int64, _widest(each)) for each in floats for t in each.outputs)
        ordered = all(
            t.dtype == (torch.int64 if kind == "no" else _widest(each))
            for each in floats for kind, t in zip(draft.outputs, each.outputs, strict=False)
        )  # fmt: skip
        draft.dtype = "indices" if plain and ordered and draft.outputs else "unknown"
    elif floats and all(t.is_complex() for each in floats if not _any_complex(each) for t in each.outputs):
        draft.dtype = "complex" if any(not _any_complex(each) for each in floats) else "unknown"
    elif floats and all(t.dtype == _widest(each) for each in floats for t in each.outputs):
        draft.dtype = _of_integers(draft, function, runs)
        if _of_complex(draft, function, runs):
            draft.dtype = "real" if draft.dtype == "same" else "unknown"


def _widest(seen: Observed) -> torch.dtype:
    """Dtype that the floating (and complex) operands of a call promote to."""
    kinds = [t.dtype for v in seen.inputs.values() for t in v if t.is_floating_point() or t.is_complex()]
    return functools.reduce(torch.promote_types, kinds)


def _any_complex(seen: Observed) -> bool:
    return any(t.is_complex() for v in seen.inputs.values() for t in v)


def _of_complex(draft: Draft, function: Callable[..., Any], runs: list[tuple[Call, Observed]]) -> bool:
    """Whether complex operands give a result that is not complex."""

    def turned(value: Any) -> Any:
        if isinstance(value, torch.Tensor) and value.dtype == torch.float32 and value.layout == torch.strided:
            return value.detach().to(torch.complex64)
        return value

    for call, _ in runs[:4]:
        seen = attempt(function, draft, Call(tree_map(turned, call.args), tree_map(turned, call.kwargs)))
        if seen is not None and seen.outputs and _any_complex(seen):
            return not all(t.is_complex() for t in seen.outputs)
    return False


def _of_integers(draft: Draft, function: Callable[..., Any], runs: list[tuple[Call, Observed]]) -> str:
    """Floating when integers become so, else as the operands."""

    def whole(value: Any) -> Any:
        if isinstance(value, torch.Tensor) and value.is_floating_point() and value.layout == torch.strided:
            return value.detach().abs().add(1).to(torch.int64)
        return value

    for call, _ in runs[:4]:
        seen = attempt(function, draft, Call(tree_map(whole, call.args), tree_map(whole, call.kwargs)))
        if seen is not None and seen.outputs:
            if seen.outputs[0].is_floating_point():
                return "float"
            break
    return (
        "promoted" if len(draft.tensors()) > 1 and draft.result not in ("self", "view", "views") else "same"
    )


def settle_rank(draft: Draft, runs: list[tuple[Call, Observed]]) -> None:
    """How the result's rank follows, where the samples are varied enough to tell."""
    short = draft.name.rpartition(".")[2]
    if draft.result in ("self", "new", "like"):
        draft.rank = "same" if draft.result == "self" else draft.rank
        return
    if short in SIZED:
        draft.rank = "sizes"
        return
    if short in RANK_FROM_VALUES:
        draft.rank = "unknown"
        return
    seen = [(call, each) for call, each in runs if each.outputs and each.ranks]
    if not seen:
        return
    reduction = draft.parameter("reduction")
    if reduction is not None and isinstance(reduction.default, str):
        draft.rank = "reduction"
        return
    first = next((p.name for p in draft.parameters if p.role != "other"), "")
    firsts = [
        (
            max(each.ranks.get(first, [0])),
            max(max(r) for r in each.ranks.values()),
            {t.dim() for t in each.outputs},
        )
        for _, each in seen
    ]
    if any(len(ranks) != 1 for *_, ranks in firsts):
        draft.rank = "unknown"
        return
    triples = [(own, largest, ranks.pop()) for own, largest, ranks in firsts]
    if draft.rank == "reduced" or (
        draft.parameter("dim") is not None and draft.parameter("keepdim") is not None
    ):
        plain = [
            out
            for (call, _), (_, _, out) in zip(seen, triples, strict=True)
            if len(call.args) == 1 and not call.kwargs
        ]
        draft.rank = (
            "reduced"
            if draft.parameter("dim") is not None
            and draft.parameter("dim").default is None
            and all(out == 0 for out in plain)
            else "unknown"
        )  # type: ignore[union-attr]
    elif draft.pointwise or len(triples) > 1 or triples[0][0] > 1:
        if all(own == out for own, _, out in triples) and len(draft.tensors()) == 1:
            draft.rank = "same"
        elif draft.pointwise and all(largest == out for _, largest, out in triples):
            draft.rank = "broadcast"
        elif all(own == out for own, _, out in triples):
            draft.rank = "same"
        elif all(out == 0 for *_, out in triples) and draft.parameter("dim") is None:
            draft.rank = "scalar"
        elif all(out > 0 for *_, out in triples):
            draft.rank = "some"
        else:
            draft.rank = "unknown"
