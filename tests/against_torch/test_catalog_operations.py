"""The catalog's rows for functions and methods, held against torch: each disagreement names the row and what torch did."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from against_torch.catalog_runs import Row, minds, rows, walked_twice
from devls.library.effects import Differentiable, Dtype, Passing, Rank, Result, Role

if TYPE_CHECKING:
    from collections.abc import Iterator

    from against_torch.catalog_runs import Call, Observed

# Written with operations on what `requires_grad=` was given to, so that the result is no leaf.
NO_LEAF = ("torch.signal.windows.cosine", "torch.signal.windows.exponential", "torch.signal.windows.gaussian")
# They write without counting a version.
UNCOUNTED = ("torch.Tensor.apply_", "torch.Tensor.map_", "torch.Tensor.map2_")
GRAPH = (Differentiable.YES, Differentiable.ZERO, Differentiable.FAILS)


def _report(disagreements: list[str]) -> None:
    assert not disagreements, f"{len(disagreements)} rows disagree with torch:\n" + "\n".join(disagreements)


def test_which_results_require_grad() -> None:
    found = []
    for row in rows().values():
        runs = row.in_graph()
        says = row.operation.differentiable
        if not runs or says is Differentiable.UNKNOWN or row.operation.result in (Result.NEW, Result.LIKE):
            continue
        does = any(any(seen.requires_grad) for _, seen in runs)
        if does != (says in GRAPH):
            found.append(f"{row.name}: the catalog says {says.value}, torch's results require grad: {does}")
        for index, output in enumerate(row.operation.outputs):
            flags = [
                seen.requires_grad[index]
                for _, seen in runs
                if len(seen.requires_grad) == len(row.operation.outputs)
            ]
            if flags and any(flags) != (output in GRAPH):
                found.append(
                    f"{row.name}: output {index}: the catalog says {output.value}, torch: {any(flags)}"
                )
    _report(found)


def test_zero_and_missing_derivatives() -> None:
    found = []
    wanted = {Differentiable.YES: "gradient", Differentiable.FAILS: "fails", Differentiable.ZERO: "zero"}
    for row in rows().values():
        verdict = wanted.get(row.operation.differentiable)
        verdicts = (
            {each for call, _ in row.in_graph() if (each := _backward(row, call))} if verdict else set()
        )
        # Of a function that is flat here and there, some samples have no gradient.
        wrong = verdict not in verdicts or (verdict != "gradient" and "gradient" in verdicts)
        if verdicts and wrong and not (verdict == "gradient" and len(row.in_graph()) < 2):
            found.append(f"{row.name}: the catalog says {verdict}, torch's backward: {sorted(verdicts)}")
    _report(found)


def _backward(row: Row, call: Call) -> str:
    """Result of backward through the call, one operand alone requiring grad counted; "" when nothing tells."""
    found = {
        _one_backward(row, call, only) for only in (None, *(each.name for each in row.operation.parameters))
    }
    return next((each for each in ("gradient", "fails", "zero") if each in found), "")


def _one_backward(row: Row, call: Call, only: str | None) -> str:
    seen = row.again(call, only)
    if seen is None or not seen.roots() or not seen.leaves():
        return ""
    try:
        gradients = seen.gradients()
    except RuntimeError as error:
        return "fails" if "is not implemented" in str(error) else ""
    if row.inplace:
        gradients = gradients[:1]  # what is written over a copy of an operand may be the other operand
    some = [each for each in gradients if each is not None and each.numel()]
    return "" if not some else "gradient" if any(bool((each != 0).any()) for each in some) else "zero"


def test_shared_memory() -> None:
    found = []
    for row in rows().values():
        runs = [
            seen for _, seen in row.plain() if seen.outputs and all(each.numel() for each in seen.outputs)
        ]
        if not runs:
            continue
        shared = [all(seen.aliases) for seen in runs]
        result = row.operation.result
        if result in (Result.VIEW, Result.VIEWS) and not any(shared):
            found.append(f"{row.name}: the catalog says {result.value}, torch's result shares no memory")
        if result in (Result.NEW, Result.LIKE) and any(shared):
            found.append(f"{row.name}: the catalog says {result.value}, torch's result shares memory")
        if result is Result.TENSOR and all(shared) and len(shared) > 1:
            found.append(f"{row.name}: the catalog says {result.value}, torch's result always shares memory")
        if result is Result.SELF and not all(all(seen.is_input) for seen in runs):
            found.append(f"{row.name}: the catalog says self, torch returned another object")
        if result is not Result.SELF and all(all(seen.is_input) and seen.written for seen in runs):
            found.append(f"{row.name}: the catalog says {result.value}, torch returned the operand, modified")
    _report(found)


def test_what_is_written() -> None:
    found = []
    for row in rows().values():
        if row.name.startswith("torch.nn.init.") or row.name in UNCOUNTED:
            continue  # under no_grad, and described so
        says = set(row.operation.writes) - {"out"}
        does = set().union(*(seen.written for _, seen in row.runs)) - {"out"}
        never = all(not tensor.numel() for _, seen in row.runs for tensor in seen.outputs)
        if says != does and not never:
            found.append(
                f"{row.name}: the catalog says {sorted(says)} is written, torch wrote {sorted(does)}"
            )
    _report(found)


def test_what_backward_needs_unchanged() -> None:
    """Modify one operand (or result) after the call: backward raises if, and mostly only if, it was saved."""
    found = []
    for row in rows().values():
        operation = row.operation
        runs = [(call, seen) for call, seen in row.in_graph() if any(seen.requires_grad) and not _mode(call)]
        if operation.saves is None or operation.differentiable is not Differentiable.YES or not runs:
            continue
        names = {each for _, seen in runs for each in (*seen.inputs, *seen.result_names())}
        names -= {operation.parameters[0].name} if row.inplace else set()
        for name in sorted(names):
            raised = [verdict for call, _ in runs if (verdict := _minds(row, call, name)) is not None]
            if name in operation.saves and raised and not any(raised):
                found.append(f"{row.name}: the catalog says {name} is saved, torch does not mind it modified")
            if name not in operation.saves and len(raised) >= min(2, len(runs)) and all(raised):
                excused = (
                    _for_others(row, runs, name) is not False
                    and not operation.saves_only_if_other_requires_grad
                )
                if not excused:
                    found.append(
                        f"{row.name}: the catalog does not say that {name} is saved, torch minds it modified"
                    )
        first = _first_saved(row)
        verdict = _for_others(row, runs, first) if first else None
        takers = [each for each in operation.parameters if each.role is not Role.OTHER]
        if (
            operation.saves_only_if_other_requires_grad
            and len(takers) == 1
            and takers[0].passing is not Passing.REST
        ):
            found.append(f"{row.name}: the catalog says {first} is saved for others only, there are none")
        if verdict is not None and verdict != operation.saves_only_if_other_requires_grad:
            found.append(f"{row.name}: is {first} saved only for the gradient of others? torch: {verdict}")
    _report(found)


def test_what_an_operand_is_saved_for_is_its_own_gradient() -> None:
    """`hypot` needs each operand for that operand's gradient alone: writing it is harmless when only others learn."""
    found, asked = [], 0
    for row in rows().values():
        operation = row.operation
        if operation.differentiable is not Differentiable.YES or operation.saves_only_if_other_requires_grad:
            continue
        for name in operation.saves or ():
            runs = [
                (call, seen) for call, seen in row.in_graph() if any(seen.requires_grad) and not _mode(call)
            ]
            others = {
                verdict
                for call, seen in runs
                for only, tensors in seen.inputs.items()
                if only != name and any(each.requires_grad for each in tensors)
                if (verdict := _minds(row, call, name, only)) is not None
            }
            alone = {each for call, _ in runs if (each := _minds(row, call, name, name)) is not None}
            says = name in operation.saves_only_if_itself_requires_grad
            asked += says
            if len(others) == 1 and len(alone) == 1 and says != (alone == {True} and others == {False}):
                found.append(f"{row.name}: {name} only for its own gradient? the catalog: {says}")
    assert asked > 10
    _report(found)


def _mode(call: Call) -> bool:
    values = [*call.args, *call.kwargs.values()]
    return any(isinstance(each, str) and each not in ("mean", "sum", "none") for each in values)


def _first_saved(row: Row) -> str:
    """The first saved operand that can require grad; "" if there is none."""
    inputs = row.runs[0][1].inputs
    names = [
        each.name
        for each in row.operation.parameters
        if any(t.is_floating_point() for t in inputs.get(each.name, []))
    ]
    return next((name for name in names if name in (row.operation.saves or ())), "")


def _for_others(row: Row, runs: list[tuple[Call, Observed]], name: str) -> bool | None:
    """Whether torch does not mind `name` modified when it alone (for a result: the first operand) requires grad.

    None when the calls do not tell, or not with one voice.
    """
    alone = row.operation.parameters[0].name if name.startswith("result") else name
    several = [
        call for call, seen in runs if sum(any(t.requires_grad for t in v) for v in seen.inputs.values()) > 1
    ]
    known = {each for call in several if (each := _minds(row, call, name, alone)) is not None}
    return not known.pop() if len(known) == 1 else None


def _minds(row: Row, call: Call, name: str, only: str | None = None) -> bool | None:
    seen = row.again(call, only, hooks=False)
    return None if seen is None else minds(seen, name)


def test_what_can_be_walked_twice() -> None:
    """A second backward raises if, and only if, something was saved."""
    found = []
    for row in rows().values():
        operation = row.operation
        if operation.saves is None or operation.differentiable is not Differentiable.YES or row.inplace:
            continue
        raised = [
            verdict
            for call, _ in row.in_graph()
            if not _mode(call) and (verdict := _twice(row, call)) is not None
        ]
        if not raised:
            continue
        if operation.saves and not any(raised):
            found.append(f"{row.name}: the catalog says {operation.saves} saved, torch walks it twice")
        if not operation.saves and 2 * sum(raised) > len(raised):
            found.append(f"{row.name}: the catalog says nothing is saved, torch refuses to walk it twice")
    _report(found)


def _twice(row: Row, call: Call) -> bool | None:
    seen = row.again(call, hooks=False)
    walks = None if seen is None else walked_twice(seen)
    return None if walks is None else not walks


def test_ranks() -> None:
    found = []
    for row in rows().values():
        for call, seen in row.plain():
            wrong = _wrong_rank(row, call, seen)
            if wrong:
                found.append(f"{row.name}: the catalog says rank {row.operation.rank.value}, {wrong}")
                break
    _report(found)


def _wrong_rank(row: Row, call: Call, seen: Observed) -> str:
    outputs = seen.outputs
    ranks = seen.ranks
    rank = row.operation.rank
    if not outputs or not ranks:
        return ""
    tensors = [each for each in row.operation.parameters if each.name in ranks]
    own = max(ranks[tensors[0].name]) if tensors else 0
    largest = max(max(each) for each in ranks.values())
    out = {each.dim() for each in outputs}
    given = {each.name for each in row.operation.parameters[: len(call.args)]} | set(call.kwargs)
    expected = {
        Rank.SAME: {own},
        Rank.BROADCAST: {largest},
        Rank.SCALAR: {0},
        Rank.REDUCED: set() if "dim" in given else {0},
        Rank.REDUCTION: {0} if call.kwargs.get("reduction", "mean") != "none" else set(),
    }.get(rank, set())
    if rank is Rank.SOME:
        return "" if all(out) else f"torch gave ranks {sorted(out)}"
    return f"torch gave ranks {sorted(out)} for {own} ({largest})" if expected and out != expected else ""


def test_dtypes() -> None:
    found = []
    for row in rows().values():
        outputs = [each for _, seen in row.plain() for each in seen.outputs]
        says = row.operation.dtype
        if not outputs:
            continue
        wrong = {
            Dtype.BOOL: any(each.dtype != torch.bool for each in outputs),
            Dtype.INT: any(each.is_floating_point() or each.dtype == torch.bool for each in outputs),
            Dtype.FLOAT: any(not each.is_floating_point() and not each.is_complex() for each in outputs),
        }.get(says, False)
        if wrong and "dtype" not in {name for call, _ in row.runs for name in call.kwargs}:
            found.append(
                f"{row.name}: the catalog says {says.value}, torch gave {sorted({str(t.dtype) for t in outputs})}"
            )
    _report(found)


def test_factories() -> None:
    found = []
    for row in rows().values():
        if row.operation.result not in (Result.NEW, Result.LIKE, Result.CPU_TENSOR):
            continue
        names = {each.name for each in row.operation.parameters}
        for call, seen in row.runs:
            if any(seen.requires_grad) and not call.kwargs.get("requires_grad") and not seen.input_needs_grad:
                found.append(f"{row.name}: torch's result requires grad unasked")
                break
        asked = list(_asked_for_grad(row)) if "requires_grad" in names and row.name not in NO_LEAF else []
        if (
            "requires_grad" in names
            and asked
            and not all(each.is_leaf and each.requires_grad for each in asked)
        ):
            found.append(
                f"{row.name}: the catalog has requires_grad=, torch's result is no leaf that requires grad"
            )
    _report(found)


def _asked_for_grad(row: Row) -> Iterator[torch.Tensor]:
    for call, _ in row.runs[:3]:
        fresh = call.fresh()
        try:
            result = row.function(*fresh.args, **{**fresh.kwargs, "requires_grad": True})
        except (RuntimeError, TypeError):
            continue  # integers cannot require grad
        if isinstance(result, torch.Tensor):
            yield result
