"""What differs between the oldest supported torch and this one, as `scripts/compare_versions.py` found it."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

from devls.library import catalog, records
from probe.test_facts import FACTS

VERSIONS: dict[str, Any] = json.loads(
    Path(records.__file__).with_name("data").joinpath("versions.json").read_text(encoding="utf-8")
)


def _there(name: str) -> bool:
    """Whether this torch has an attribute."""
    space, _, short = name.rpartition(".")
    try:
        holder: Any = importlib.import_module(space)
    except ImportError:
        module, _, last = space.rpartition(".")
        holder = getattr(importlib.import_module(module), last, None)
    return hasattr(holder, short)


def test_names_are_in_one_version_only() -> None:
    assert VERSIONS["torch"].startswith("2.4")
    assert [each for each in VERSIONS["removed"] if _there(each)] == []
    assert [each for each in VERSIONS["added"] if not _there(each)] == []


def test_what_an_older_torch_has_is_no_slip() -> None:
    assert "torch.align_tensors" in VERSIONS["removed"]
    assert all(catalog.exists(each) is not False for each in VERSIONS["removed"])
    assert catalog.exists("torch.align_tensor") is False


def test_rows_and_facts_that_differ_are_there() -> None:
    names = {fact.name: fact for fact in FACTS}
    for name, (_, now) in VERSIONS["facts"].items():
        assert names[name].raises == (now != "runs")
    assert all(catalog.operation(each) is not None for each in VERSIONS["rows"])
