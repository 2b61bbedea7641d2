"""Outcome of running a draft, and the decision when the two disagree: torch, run."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from catalog.observe import Observed, attempt, is_inplace, minds, observe, run_all, walked_twice
from catalog.shapes import settle_dtype, settle_rank

if TYPE_CHECKING:
    from collections.abc import Callable

    from catalog.draft import Draft
    from catalog.samples import Call


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
    draft.fields = list(next((each.fields for each in observed if each.fields), ()))
    _differentiable(draft, function, runs)
    _saves(draft, function, runs)
    settle_dtype(draft, function, runs)
    settle_rank(draft, runs)
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
            draft.outputs = [
                "yes" if any(each.requires_grad[i] for each in graphs) else "no" for i in range(counts.pop())
            ]
    first = draft.parameters[0].name if draft.parameters else ""
    if draft.result in ("tensor", "view"):
        pairs = [(each.ranks[first][0], each.outputs[0].dim()) for each in observed if first in each.ranks]
        draft.rank = "same" if pairs and all(own == out for own, out in pairs) else "unknown"
        draft.dtype = (
            "same"
            if all(each.inputs[first][0].is_floating_point() for each in observed if first in each.inputs)
            else "float"
        )


def _result(draft: Draft, observed: list[Observed]) -> None:
    kinds = {each.result_type for each in observed}
    if draft.result not in ("unknown", "tensor", "tensors") or (
        draft.grounds in ("declared", "by hand") and draft.result != "unknown"
    ):
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
        if (
            draft.differentiable == "unknown"
            and outputs
            and not any(t.is_floating_point() or t.is_complex() for t in outputs)
        ):
            draft.differentiable, draft.saves = "no", []
        return
    if not any(any(each.requires_grad) for _, each in graphs):
        draft.differentiable = "no"
        draft.outputs = []
        return
    if draft.differentiable in ("no", "unknown"):
        draft.differentiable = _by_backward(
            draft, function, [call for call, each in graphs if any(each.requires_grad)]
        )
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
    again = [functools.partial(attempt, function, draft, call, hooks=False) for call, _ in graphs[:6]]
    saved = _minded(graphs, again, inplace=is_inplace(draft.name))
    draft.saves = sorted(saved)
    if (
        saved
        and not is_inplace(draft.name)
        and 2 * sum("internal" in each.saved for _, each in graphs) >= len(graphs)
    ):
        draft.saves.append("internal")
    if not saved:
        # A kept tensor may be no operand and no result: a mask, a copy.
        walks = [walked_twice(seen) for run in again if (seen := run()) is not None]
        hooked = 2 * sum(bool(each.saved) for _, each in graphs) >= len(graphs)
        draft.saves = ["internal"] * (2 * walks.count(False) > len(walks) or (not walks and hooked))
    draft.conditional, draft.own = [], []
    order = [each.name for each in draft.parameters]
    floats = [n for n in order if any(t.requires_grad for _, e in graphs for t in e.inputs.get(n, []))]
    if len(floats) < 2:
        return
    for name in sorted(saved):
        result = name.startswith("result")
        # An index or a mask may be saved for the gradient of what is put there, not of what it is put into.
        selects = name in ("index", "indices", "mask") and name not in floats
        if not result and not selects and name not in floats:
            continue
        alone = floats[0] if result or selects else name
        with_it = [
            call for call, each in graphs
            if name in each.saved and sum(1 for v in each.inputs.values() if any(t.requires_grad for t in v)) > 1
        ][:6]  # fmt: skip
        seen = [
            verdict
            for call in with_it
            if (one := attempt(function, draft, call, only=alone, hooks=False))
            and (verdict := minds(one, name)) is not None
        ]
        if seen and not any(seen):
            draft.conditional.append(name)
        elif seen and all(seen) and name in floats and _only_its_own(draft, function, with_it, name, floats):
            draft.own.append(name)


def _only_its_own(
    draft: Draft, function: Callable[..., Any], calls: list[Call], name: str, floats: list[str]
) -> bool:
    """Whether torch does not mind the operand `name` modified as long as others alone require grad."""
    verdicts = [
        minds(seen, name)
        for call in calls
        for only in floats
        if only != name and (seen := attempt(function, draft, call, only=only, hooks=False))
    ]
    return False in verdicts and True not in verdicts


def _minded(
    graphs: list[tuple[Call, Observed]], again: list[Callable[[], Observed | None]], *, inplace: bool
) -> set[str]:
    """The operands and outputs that backward needs unchanged, in at least half of the calls that have them.

    By trying; where that cannot be tried (expanded operands, views), by who owns the storage of what was saved.
    """
    names = {name for _, each in graphs for name in (*each.inputs, *each.result_names())}
    found = set()
    for name in names:
        verdicts = [
            verdict
            for run in again
            if (seen := run()) is not None and (verdict := minds(seen, name)) is not None
        ]
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
