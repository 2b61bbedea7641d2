"""One public callable out of its overloads."""

from __future__ import annotations

from catalog.draft import NO_DEFAULT, Draft, DraftParameter

DIFFERENTIABLE_ORDER = ("yes", "unknown", "zero", "fails", "no")


def merged(
    name: str, overloads: list[tuple[str, Draft]], *, method: bool, principal: str | None = None
) -> Draft:
    """The record of `name`: the richest overload's signature, the most careful effects of all.

    The richest has most tensor parameters, then most parameters; `principal` names another overload instead.
    """
    renamed = [(label, _public(draft, method=method)) for label, draft in overloads]
    chosen = next((d for label, d in renamed if label == principal), None) or max(
        (d for _, d in renamed), key=lambda d: (len(d.tensors()), len(d.parameters))
    )
    others = [d for _, d in renamed if d is not chosen]
    parameters = [each.copy() for each in chosen.parameters]
    for index, parameter in enumerate(parameters):
        if parameter.default is NO_DEFAULT and any(
            index >= len(o.parameters) or o.parameters[index].name != parameter.name for o in others
        ):
            parameter.default = None
        elsewhere = [
            d
            for o in others
            if (d := o.parameter(parameter.name)) is not None and d.default is not NO_DEFAULT
        ]
        if parameter.default is NO_DEFAULT and elsewhere:
            parameter.default = elsewhere[0].default
    known = {each.name for each in parameters}
    for other in others:
        for parameter in other.parameters:
            if parameter.name not in known:
                known.add(parameter.name)
                default = None if parameter.default is NO_DEFAULT else parameter.default
                parameters.append(parameter.copy(passing="keyword", default=default))
    order = {"either": 0, "rest": 1, "keyword": 2, "keywords": 3}
    _spread_sizes(parameters, method=method)
    parameters.sort(key=lambda each: order[each.passing])
    chosen.name, chosen.parameters = name, parameters
    same = [d for d in others if d.result == chosen.result]
    for other in same:
        if DIFFERENTIABLE_ORDER.index(other.differentiable) < DIFFERENTIABLE_ORDER.index(
            chosen.differentiable
        ):
            chosen.differentiable = other.differentiable
        if chosen.saves is not None and other.saves is not None:
            chosen.saves = sorted({*chosen.saves, *other.saves})
        chosen.synchronizes |= other.synchronizes
        if not chosen.outputs:
            chosen.outputs = other.outputs
    if any(d.rank == "reduced" for d in same) and chosen.rank != "broadcast":
        chosen.rank = "reduced"
    if chosen.parameter("out"):
        chosen.writes = [*chosen.writes, "out"]
    return chosen


def _public(draft: Draft, *, method: bool) -> Draft:
    """`self` is called `input` by functions, and comes first in methods."""
    names = {each.name for each in draft.parameters}
    if method:
        draft.parameters.sort(key=lambda each: each.name != "self")
    elif "self" in names and "input" not in names:
        for each in draft.parameters:
            each.name = "input" if each.name == "self" else each.name
        draft.writes = ["input" if each == "self" else each for each in draft.writes]
        if draft.saves is not None:
            draft.saves = ["input" if each == "self" else each for each in draft.saves]
    return draft


def _spread_sizes(parameters: list[DraftParameter], *, method: bool) -> None:
    """`zeros(2, 3)` and `x.view(2, 3)`: a size list that is the only positional argument may be spread."""
    positional = [
        p for p in parameters if p.passing in ("either", "rest?") and not (method and p.name == "self")
    ]
    for parameter in parameters:
        if parameter.passing == "rest?":
            parameter.passing = "rest" if len(positional) == 1 else "either"
