"""The whole catalog, from the parts."""

from __future__ import annotations

import warnings
from collections import defaultdict
from typing import TYPE_CHECKING, Any

import torch

from catalog import corrections, overlay, overloads
from catalog.draft import NO_DEFAULT, Draft, DraftParameter
from catalog.encode import operation_text
from catalog.layers import layer_classes, layer_record
from catalog.names import aliases, members
from catalog.native import Natives
from catalog.optimizers import optimizers
from catalog.public import callables, drafted
from catalog.samples import Call, calls, synonyms
from catalog.settle import settle
from catalog.surroundings import COLLECTIVES, surroundings
from devls.library.effects import REQUIRED, Operation
from devls.library.records import LARGE, decoded_operation

if TYPE_CHECKING:
    from collections.abc import Callable


def build() -> dict[str, Any]:
    """File name (without suffix) to content."""
    warnings.simplefilter("ignore")
    files: dict[str, Any] = {}
    records: dict[str, dict[str, list[str]]] = defaultdict(dict)
    labels = {}
    for name, record in _operations().items():
        space, _, short = name.rpartition(".")
        file, key = (space, short) if space in LARGE else ("others", name)
        records[file][key] = record
        variants = overloads.OVERLOADS.get(name, ())
        if variants:
            labels[name] = " ".join(label for label, _, _ in variants)
        for label, parameters, effects in variants:
            records[file][f"{key}.{label}"] = [parameters, effects]
    files.update({f"operations/{file}": dict(sorted(found.items())) for file, found in records.items()})
    files["about"] = {"torch": torch.__version__.partition("+")[0]}
    files["surroundings"] = surroundings()
    files["deprecated"] = dict(sorted(corrections.DEPRECATED.items()))
    files["overloads"] = dict(sorted(labels.items()))
    files["layers"] = {name: layer_record(value) for name, value in layer_classes()}
    files["optimizers"] = optimizers()
    files["names"] = members()
    files["aliases"] = aliases()
    return files


def _operations() -> dict[str, list[str]]:
    natives = Natives()
    samples = calls()
    drafts: dict[str, Draft] = {}
    for name, value in callables():
        if name in overlay.PYTHON:
            draft: Draft | None = from_text(name, *overlay.PYTHON[name])
        else:
            draft = drafted(name, value, natives)
        if draft is not None:
            drafts[name] = finished(draft, samples)
    _as_their_synonyms(drafts)
    found = {name: operation_text(draft) for name, draft in drafts.items()}
    final = {**overlay.WHOLE, **overlay.HOST, **overlay.MOVES, **COLLECTIVES}
    for spaces in surroundings().values():
        for space, names in spaces.items():
            for short in names.split():
                found.pop(f"{space}.{short}", None)
    for name in sorted(final):
        found[name] = operation_text(from_text(name, *final[name]))
    for cast, dtype in overlay.CASTS.items():
        effects = f"tensor {'yes' if dtype == 'float' else 'no'} rank=same dtype={dtype}"
        found[f"torch.Tensor.{cast}"] = ["self~;*;memory_format=None", effects]
    return found


def _as_their_synonyms(drafts: dict[str, Draft]) -> None:
    """A composite that only calls another operation has that one's device check and rank."""
    for name, main in synonyms().items():
        one, other = drafts.get(name), drafts.get(main)
        if one is not None and other is not None and len(one.tensors()) == len(other.tensors()):
            for mine, its in zip(one.tensors(), other.tensors(), strict=True):
                mine.role = its.role
            one.rank, one.dtype, one.saves, one.conditional = (
                other.rank,
                other.dtype,
                one.saves,
                one.conditional,
            )


def from_text(name: str, parameters: str, effects: str) -> Draft:
    """A draft from the text of a record."""
    operation: Operation = decoded_operation(name, parameters, effects)
    return Draft(
        name,
        [
            DraftParameter(
                each.name,
                each.role.value,
                each.passing.value,
                NO_DEFAULT if each.default is REQUIRED else each.default,
            )
            for each in operation.parameters
        ],
        operation.result.value,
        operation.differentiable.value,
        [each.value for each in operation.outputs],
        None if operation.saves is None else list(operation.saves),
        list(operation.saves or ()) if operation.saves_only_if_other_requires_grad else [],
        list(operation.saves_only_if_itself_requires_grad),
        list(operation.writes),
        operation.rank.value,
        operation.dtype.value,
        operation.synchronizes,
        grounds="by hand",
    )


def finished(draft: Draft, samples: dict[str, tuple[Callable[..., Any], list[Call]]]) -> Draft:
    """The draft with the overlay's corrections and what running shows."""
    short = draft.name.rpartition(".")[2]
    _roles(draft)
    if draft.name.startswith("torch.Tensor."):
        draft.parameters = [each for each in draft.parameters if each.name != "out"]
        draft.writes = [each for each in draft.writes if each != "out"]
    function, to_run = samples.get(draft.name, (None, []))
    if short in overloads.SINGLE:
        draft.parameters = draft.parameters[:1]
        draft.parameters[0].role = "exact"
        draft.writes = []
        to_run = [call for call in to_run if len(call.args) == 1 and not call.kwargs]
    by_hand = (draft.rank, draft.dtype) if draft.grounds == "by hand" else ("unknown", "unknown")
    saves, conditional = draft.saves, draft.conditional
    if function is not None and to_run:
        settle(draft, function, to_run)
    if draft.grounds == "by hand" and conditional:
        draft.saves, draft.conditional = saves, conditional
    if short in corrections.BROADCASTING:
        draft.rank = "broadcast"
        if draft.dtype in ("same", "float") and "div__" not in short:
            draft.dtype = "promoted"  # the samples' numbers are floats
    draft.rank = by_hand[0] if by_hand[0] != "unknown" else corrections.RANKS.get(short, draft.rank)
    draft.dtype = by_hand[1] if by_hand[1] != "unknown" else corrections.DTYPES.get(short, draft.dtype)
    if short in overloads.SINGLE:
        draft.rank, draft.dtype = "scalar", "same"
    if draft.dtype == "unknown" and short not in corrections.DTYPES:
        draft.dtype = {"new": "argument", "like": "argument-or-same"}.get(draft.result, "unknown")
    if draft.name in corrections.SAVES:
        draft.saves, draft.conditional = corrections.SAVES[draft.name], []
    if short in corrections.ZERO and draft.result == "tensor":
        draft.differentiable, draft.saves = "zero", []
    if short in corrections.NEVER:
        draft.differentiable, draft.saves = "no", []
    if draft.result in corrections.WITHOUT_GRAPH:
        draft.differentiable, draft.saves, draft.outputs = "no", [], []
    if draft.name.startswith("torch.nn.init."):
        # They run under no_grad: a leaf may be given, and no graph is touched.
        draft.result, draft.differentiable, draft.saves, draft.writes = (
            corrections.INIT_RESULT.get(short, "self"),
            "yes",
            [],
            [],
        )
        draft.rank = draft.dtype = "same"
    if draft.result == "tensors" and not draft.fields:
        named = getattr(torch.return_types, short, None) or getattr(
            torch.return_types, f"linalg_{short}", None
        )
        draft.fields = list(getattr(named, "__match_args__", ()))
    draft.deprecated = corrections.DEPRECATED.get(draft.name, "")
    return draft


def _roles(draft: Draft) -> None:
    for each in draft.parameters:
        role, _reason = corrections.ROLES.get((draft.name, each.name), (each.role, ""))
        each.role = role
