"""What running says about a draft, and who is right when the two disagree: torch, run."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch
from catalog.draft import Draft
from catalog.observe import Observed, TooSlowError, minds, observe, walked_twice
from catalog.samples import Call
from torch.utils._pytree import tree_map

# The rank of these depends on sizes or indices, so a handful of samples proves nothing.
RANK_FROM_VALUES = {
    "squeeze", "select", "select_copy", "squeeze_copy", "narrow", "unfold", "diagonal", "as_strided", "matmul", "mv", "inner",
    "tensordot", "einsum", "kron", "atleast_1d", "index_select", "unflatten", "movedim", "moveaxis", "vecdot", "cross",
    "__matmul__", "__rmatmul__", "expand_as", "view_as", "reshape_as", "where", "multi_dot", "solve", "take_along_dim",
    "__imatmul__", "chain_matmul", "sum_to_size", "diag", "cov", "corrcoef", "unsqueeze", "unsqueeze_copy",
}  # fmt: skip
SIZED = {"view", "reshape", "expand", "broadcast_to", "repeat", "tile", "view_copy", "expand_copy", "resize_", "resize"}


def run_all(function: Callable[..., Any], draft: Draft, calls: list[Call]) -> list[tuple[Call, Observed]]:
    """The calls that torch accepts, with what they did."""
    found = []
    for call in calls:
        try:
            found.append((call, observe(function, draft, call, inplace=is_inplace(draft.name))))
        except (Exception, TooSlowError):  # noqa: BLE001 - samples of a sibling need not fit
            continue
    return found


def is_inplace(name: str) -> bool:
    short = name.rpartition(".")[2]
    if short.startswith("__"):
        return short.startswith("__i") and short not in ("__invert__", "__index__", "__int__")
    return short.endswith("_") and not name.startswith("torch.nn.init") and not name.startswith("torch.nn.utils")


def settle(draft: Draft, function: Callable[..., Any], calls: list[Call]) -> bool:
    """Correct `draft` by running it; False if nothing ran."""
    runs = run_all(function, draft, calls)
    if not runs:
        return False
    if draft.parameter("return_indices"):
        runs = [(call, each) for call, each in runs if each.result_type == "Tensor"] or runs
    observed = [each for _, each in runs]
    _result(draft, observed)
    _writes(draft, observed)
    _differentiable(draft, function, runs)
    _saves(draft, function, runs)
    _dtype(draft, function, runs)
    _rank(draft, runs)
    return True


def settle_runs(draft: Draft, observed: list[Observed]) -> None:
    """Result kind, writes, graph, rank and dtype of a layer's call, by what its runs did."""
    _result(draft, observed)
    _writes(draft, observed)
    graphs = [each for each in observed if each.input_needs_grad and each.outputs]
    yes = any(any(each.requires_grad) for each in graphs)
    draft.differentiable = "yes" if yes else "no" if graphs else "unknown"
    if draft.result == "tensors":
        counts = {len(each.outputs) for each in graphs}
        if len(counts) == 1:
            draft.outputs = ["yes" if any(each.requires_grad[i] for each in graphs) else "no" for i in range(counts.pop())]
    first = draft.parameters[0].name if draft.parameters else ""
    if draft.result in ("tensor", "view"):
        pairs = [(each.ranks[first][0], each.outputs[0].dim()) for each in observed if first in each.ranks]
        draft.rank = "same" if pairs and all(own == out for own, out in pairs) else "unknown"
        draft.dtype = "same" if all(each.inputs[first][0].is_floating_point() for each in observed if first in each.inputs) else "float"


def _result(draft: Draft, observed: list[Observed]) -> None:
    kinds = {each.result_type for each in observed}
    if draft.result not in ("unknown", "tensor", "tensors") or draft.grounds in ("declared", "by hand") and draft.result != "unknown":
        return
    some = [each for each in observed if each.outputs]
    aliased = bool(some) and all(all(each.aliases) for each in some)
    if kinds == {"NoneType"}:
        draft.result = "none"
    elif kinds <= {"int", "float", "complex", "bool"}:
        draft.result = "number"
    elif kinds <= {"Tensor", "Parameter"}:
        itself = bool(some) and all(all(each.is_input) for each in some)
        draft.result = "self" if itself else "view" if aliased else "tensor"
    elif some:
        draft.result = "views" if aliased else "tensors"


def _writes(draft: Draft, observed: list[Observed]) -> None:
    names = {each.name for each in draft.parameters}
    for name in sorted(set().union(*(each.written for each in observed)) & names - {"out"}):
        if name not in draft.writes:
            draft.writes.append(name)


def _differentiable(draft: Draft, function: Callable[..., Any], runs: list[tuple[Call, Observed]]) -> None:
    graphs = [(call, each) for call, each in runs if each.input_needs_grad and each.outputs]
    outputs = [output for _, each in runs for output in each.outputs]
    if not graphs:
        if draft.differentiable == "unknown" and outputs and not any(t.is_floating_point() or t.is_complex() for t in outputs):
            draft.differentiable, draft.saves = "no", []
        return
    if not any(any(each.requires_grad) for _, each in graphs):
        draft.differentiable = "no"
        draft.outputs = []
        return
    if draft.differentiable in ("no", "unknown"):
        draft.differentiable = _by_backward(draft, function, [call for call, each in graphs if any(each.requires_grad)])
    counts = {len(each.outputs) for _, each in graphs}
    if draft.result == "tensors" and len(counts) == 1:
        flags = [any(each.requires_grad[i] for _, each in graphs) for i in range(counts.pop())]
        if len(flags) > 1 or draft.outputs:
            draft.outputs = [draft.differentiable if flag else "no" for flag in flags]


def _by_backward(draft: Draft, function: Callable[..., Any], calls: list[Call]) -> str:
    zeros = 0
    failed = False
    for call in calls:
        names = [None, *(each.name for each in draft.parameters if each.role != "other")]
        for only in names:
            try:
                seen = observe(function, draft, call, only=only, inplace=is_inplace(draft.name))
                gradients = seen.gradients()
            except (RuntimeError, NotImplementedError) as error:
                # Perhaps only one of its operands has no formula: then go on with each alone.
                failed = failed or "is not implemented" in str(error)
                continue
            if any(each is not None and bool((each != 0).any()) for each in gradients):
                return "yes"
            zeros += any(each is not None and each.numel() > 0 for each in gradients)
            break
    return "fails" if failed else "zero" if zeros > 1 else "yes"


def _saves(draft: Draft, function: Callable[..., Any], runs: list[tuple[Call, Observed]]) -> None:
    graphs = [(call, each) for call, each in runs if any(each.requires_grad)]
    if draft.differentiable == "no":
        draft.saves = []
        return
    if not graphs:
        return
    plain = [(call, each) for call, each in graphs if not _has_mode(call)]
    graphs = plain or graphs
    again = [functools.partial(_alone, function, draft, call, None) for call, _ in graphs[:6]]
    saved = _minded(graphs, again, inplace=is_inplace(draft.name))
    draft.saves = sorted(saved)
    if saved and not is_inplace(draft.name) and 2 * sum("internal" in each.saved for _, each in graphs) >= len(graphs):
        draft.saves.append("internal")
    if not saved:
        # What is kept may be no operand and no result: a mask, a copy.
        walks = [walked_twice(seen) for run in again if (seen := run()) is not None]
        hooked = 2 * sum(bool(each.saved) for _, each in graphs) >= len(graphs)
        draft.saves = ["internal"] * (2 * walks.count(False) > len(walks) or (not walks and hooked))
    draft.conditional = []
    order = [each.name for each in draft.parameters]
    floats = [n for n in order if any(t.requires_grad for _, e in graphs for t in e.inputs.get(n, []))]
    if len(floats) < 2:
        return
    for name in sorted(saved):
        result = name.startswith("result")
        if not result and name not in floats:
            continue
        alone = floats[0] if result else name
        with_it = [
            call for call, each in graphs
            if name in each.saved and sum(1 for v in each.inputs.values() if any(t.requires_grad for t in v)) > 1
        ][:6]  # fmt: skip
        seen = [verdict for call in with_it if (one := _alone(function, draft, call, alone)) and (verdict := minds(one, name)) is not None]
        if seen and not any(seen):
            draft.conditional.append(name)


def _minded(graphs: list[tuple[Call, Observed]], again: list[Callable[[], Observed | None]], *, inplace: bool) -> set[str]:
    """The operands and outputs that backward needs unchanged, in at least half of the calls that have them.

    By trying; where that cannot be tried (expanded operands, views), by who owns the storage of what was saved.
    """
    names = {name for _, each in graphs for name in (*each.inputs, *each.result_names())}
    found = set()
    for name in names:
        verdicts = [verdict for run in again if (seen := run()) is not None and (verdict := minds(seen, name)) is not None]
        if inplace and graphs[0][1].inputs and name == next(iter(graphs[0][1].inputs)):
            continue  # it is the result
        if not verdicts:
            verdicts = [name in each.saved for _, each in graphs if each.named(name)]
        if verdicts and 2 * sum(verdicts) >= len(verdicts):
            found.add(name)
    return found


def _has_mode(call: Call) -> bool:
    values = [*call.args, *call.kwargs.values()]
    return any(isinstance(each, str) and each not in ("mean", "sum", "none") for each in values)


def _alone(function: Callable[..., Any], draft: Draft, call: Call, name: str | None) -> Observed | None:
    try:
        return observe(function, draft, call, only=name, inplace=is_inplace(draft.name), hooks=False)
    except (Exception, TooSlowError):  # noqa: BLE001 - not every operation takes a single differentiable input
        return None


def _dtype(draft: Draft, function: Callable[..., Any], runs: list[tuple[Call, Observed]]) -> None:
    if draft.dtype != "unknown":
        return
    outs = [tensor for _, each in runs for tensor in each.outputs]
    if not outs or draft.result in ("new", "like"):
        return
    if draft.parameter("dtype") is not None:
        draft.dtype = "argument-or-same"
        return
    floats = [
        each for _, each in runs if each.outputs and any(t.is_floating_point() for v in each.inputs.values() for t in v)
    ]
    if all(t.dtype == torch.bool for t in outs):
        draft.dtype = "bool"
    elif floats and all(t.dtype in (torch.int64, torch.int32) for t in outs):
        draft.dtype = "int"
    elif draft.result == "tensors" and len({t.is_floating_point() for t in outs}) > 1:
        return
    elif floats and all(t.is_floating_point() or t.is_complex() for t in outs):
        draft.dtype = _of_integers(draft, function, runs)


def _of_integers(draft: Draft, function: Callable[..., Any], runs: list[tuple[Call, Observed]]) -> str:
    """"float" when integers become floating, else as the operands."""

    def whole(value: Any) -> Any:
        if isinstance(value, torch.Tensor) and value.is_floating_point():
            return value.detach().abs().add(1).to(torch.int64)
        return value

    for call, _ in runs[:4]:
        try:
            seen = observe(function, draft, Call(tree_map(whole, call.args), tree_map(whole, call.kwargs)))
        except (Exception, TooSlowError):  # noqa: BLE001 - many operations refuse integers
            continue
        if seen.outputs:
            if seen.outputs[0].is_floating_point():
                return "float"
            break
    return "promoted" if len(draft.tensors()) > 1 and draft.result not in ("self", "view", "views") else "same"


def _rank(draft: Draft, runs: list[tuple[Call, Observed]]) -> None:
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
    firsts = [(max(each.ranks.get(first, [0])), max(max(r) for r in each.ranks.values()), {t.dim() for t in each.outputs}) for _, each in seen]
    if any(len(ranks) != 1 for *_, ranks in firsts):
        draft.rank = "unknown"
        return
    triples = [(own, largest, ranks.pop()) for own, largest, ranks in firsts]
    if draft.rank == "reduced" or draft.parameter("dim") is not None and draft.parameter("keepdim") is not None:
        plain = [out for (call, _), (_, _, out) in zip(seen, triples, strict=True) if len(call.args) == 1 and not call.kwargs]
        draft.rank = "reduced" if draft.parameter("dim") is not None and draft.parameter("dim").default is None and all(out == 0 for out in plain) else "unknown"  # type: ignore[union-attr]
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
