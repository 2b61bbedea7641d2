"""The whole catalog, from the parts."""

from __future__ import annotations

import warnings
from collections import defaultdict
from typing import Any

from catalog import overlay
from catalog.draft import Draft
from catalog.encode import operation_text, parameters_text
from catalog.layers import CONTAINERS, classes, constructor_text, flags, tensor_texts
from catalog.names import aliases, members
from catalog.native import Natives
from catalog.optimizers import optimizers
from catalog.public import callables, drafted, from_signature


def build() -> dict[str, Any]:
    """File name (without suffix) to content."""
    warnings.simplefilter("ignore")
    operations = _operations()
    files: dict[str, Any] = {}
    spaces: dict[str, dict[str, list[str]]] = defaultdict(dict)
    for name, record in operations.items():
        space, _, short = name.rpartition(".")
        spaces[space][short] = record
    labels = {}
    for name, variants in overlay.OVERLOADS.items():
        space, _, short = name.rpartition(".")
        labels[name] = " ".join(label for label, _, _ in variants)
        for label, parameters, effects in variants:
            spaces[space][f"{short}.{label}"] = [parameters, effects]
    files.update({f"operations/{space}": dict(sorted(records.items())) for space, records in spaces.items()})
    files["overloads"] = labels
    files["layers"] = {name: _layer(value) for name, value in classes()}
    files["optimizers"] = optimizers()
    files["names"] = members()
    files["aliases"] = aliases()
    return files


def _operations() -> dict[str, list[str]]:
    natives = Natives()
    found: dict[str, list[str]] = {}
    for name, value in callables():
        draft = drafted(name, value, natives)
        if draft is not None:
            _finish(draft)
            found[name] = operation_text(draft)
    for table in (overlay.WHOLE, overlay.HOST, overlay.MOVES, overlay.PYTHON):
        found.update({name: list(texts) for name, texts in table.items()})
    for cast, dtype in overlay.CASTS.items():
        found[f"torch.Tensor.{cast}"] = ["self~;memory_format=None", f"tensor {'yes' if dtype == 'float' else 'no'} rank=same dtype={dtype}"]
    return found


def _finish(draft: Draft) -> None:
    for (name, parameter), (role, _reason) in overlay.ROLES.items():
        if name == draft.name:
            for each in draft.parameters:
                each.role = role if each.name == parameter else each.role
    if draft.name.startswith("torch.Tensor."):
        draft.parameters = [each for each in draft.parameters if each.name != "out"]
        draft.writes = [each for each in draft.writes if each != "out"]
    short = draft.name.rpartition(".")[2]
    if short in overlay.SINGLE:
        draft.parameters = draft.parameters[:1]
        draft.parameters[0].role = "exact"
        draft.writes = []
        draft.rank = "scalar"
        draft.dtype = "same"


def _layer(value: Any) -> dict[str, Any]:
    record: dict[str, Any] = {"constructor": constructor_text(value)}
    tensors = tensor_texts(value)
    if tensors:
        record["tensors"] = " ".join(tensors)
    draft = from_signature("forward", value.forward)
    if draft is not None and [each.name for each in draft.parameters] != ["self", "input"] or value.__name__ not in CONTAINERS:
        assert draft is not None
        draft.parameters = [each for each in draft.parameters if each.name != "self"]
        draft.result = "tensor" if draft.result == "unknown" else draft.result
        record["forward"] = [parameters_text(draft.parameters), f"{draft.result} yes saves=?"]
    found = flags(value)
    if found:
        record["flags"] = found
    if value.__name__ in CONTAINERS:
        record["container"] = CONTAINERS[value.__name__]
    return record
