"""What the catalog says of what is no operation on tensors, held against calling it."""

from __future__ import annotations

from against_torch.catalog_coverage import surroundings_run, table, text
from devls.library import catalog, records
from devls.library.effects import Result

# What may come back for each word of the catalog: "callable" and "mode" are what an object can also be.
FITTING = {
    Result.NUMBER: {"number"},
    Result.STRING: {"string"},
    Result.SHAPE: {"shape", "object"},  # a tuple of numbers
    Result.NONE: {"none"},
    Result.OBJECT: {"object", "callable", "mode", "none", "string"},
    Result.MODE: {"mode", "callable", "object", "none"},
    Result.WRAPPER: {"callable", "object"},
    Result.TRANSFORM: {"callable", "object"},
    Result.CALL: {"tensors", "object", "callable", "mode"},
    Result.NEW: {"tensors"},
    Result.CPU_TENSOR: {"tensors", "object"},
    Result.TENSOR: {"tensors"},
}


def test_what_comes_back() -> None:
    found = []
    for name, kind in surroundings_run().items():
        operation = catalog.surrounding(name) or catalog.operation(name)
        assert operation is not None, name
        if not kind.startswith("!") and kind not in FITTING[operation.result]:
            found.append(f"{name}: the catalog says {operation.result.value}, torch gave: {kind}")
    assert not found, "\n".join(found)


def test_no_tensors_come_back() -> None:
    """Of the kinds that say so."""
    harmless = {
        name: kind
        for name, kind in surroundings_run().items()
        if records.surroundings().get(name) == "object no"
    }
    assert len(harmless) > 250
    assert [name for name, kind in harmless.items() if kind == "tensors"] == []


def test_described_once() -> None:
    twice = [name for name in records.surroundings() if records.operation(name) is not None]
    assert twice == []


def test_coverage() -> None:
    found = table()
    print(text(found))
    public = sum(len(row.public) for row in found)
    assert sum(len(row.unclassified) for row in found) <= 0.05 * public
    assert sum(len(row.not_run) for row in found) <= 0.3 * public
