"""Nothing grows with the number of edits, or of runs: what is kept of texts and paths that are gone is bounded."""

from __future__ import annotations

import functools
import importlib
import inspect
import pkgutil
from typing import TYPE_CHECKING

import pytest

import devls
from devls import analysis
from devls.config import Config
from devls.project import definitions, mentions, modules
from devls.project.workspace import Workspace
from devls.values.conditions import Condition
from devls.values.state import State

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

KEPT = 40
EDITS = 200

OF_DATA = {"decoded_parameters", "_operations"}
"""Caches of what the catalog says: it is as large as it is."""


def caches() -> Iterator[functools._lru_cache_wrapper[object]]:
    """What remembers the results of functions, in all modules but those of the probe."""
    for found in pkgutil.walk_packages(devls.__path__, "devls."):
        if ".probe" in found.name or found.name.endswith("__main__"):
            continue
        module = importlib.import_module(found.name)
        for each in vars(module).values():
            if isinstance(each, functools._lru_cache_wrapper) and each.__module__ == found.name:
                yield each


def test_what_is_remembered_of_texts_is_bounded() -> None:
    unbounded = {
        f"{each.__module__}.{each.__name__}"
        for each in caches()
        if each.cache_parameters()["maxsize"] is None and inspect.signature(each).parameters
    }
    assert {each for each in unbounded if each.rpartition(".")[2] not in OF_DATA} == set()


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bounds that few edits come to."""
    for module in (analysis, definitions, modules):
        monkeypatch.setattr(module, "NAMES_KEPT", KEPT)
    monkeypatch.setattr(mentions, "NAMES_FOLLOWED", KEPT)


@pytest.mark.usefixtures("small")
def test_edits_leave_nothing(tmp_path: Path) -> None:
    path = str(tmp_path / "program.py")
    workspace = Workspace((str(tmp_path),), editing=True)
    analyzer = analysis.Analyzer(workspace, lambda _: Config(), installed=definitions.Definitions(()))
    for number in range(EDITS):
        text = (
            f"import torch\nimport lib{number}.a\nfrom . import b{number}\n"
            f"def f{number}(x, y: Kind{number}):\n    return x.cuda() + torch.ones(2) + lib{number}.c(x)\n"
        )
        workspace.open(path, text)
        analyzer.changed(path)
        found = analyzer.analyze(path)
    assert [each.rule for each in found.diagnostics] == ["tensor-created-off-device"]
    kept = analyzer._modules
    looked = sum(map(len, kept._uses.values()))
    assert looked < 3 * KEPT
    assert len(kept._searches) <= 3 * KEPT
    assert len(kept.installed._found) <= KEPT


@pytest.mark.usefixtures("small")
def test_names_that_nobody_asks_for_any_more_are_not_looked_for(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text("n0, n1")
    asked = mentions.Mentions(Workspace((str(tmp_path),)))
    for number in range(EDITS):
        asked.begin(str(path))
        asked.of(f"n{number}", str(path))
        assert not asked.changed(str(path)) or number < 2
    (project,) = asked._projects.values()
    assert len(project.naming) <= KEPT + 1
    asked.of("n1", str(path))
    assert asked.changed(str(path)) == {str(path)}


def test_asking_what_a_path_has_decided_costs_what_was_decided() -> None:
    state = State()
    for number in range(5_000):
        state.set(number, "slot", number)
    known = Condition.fresh("known")
    state.assume(known, value=True)
    below = state.fork()
    for _ in range(1_000):  # runs that leave nothing
        before = state.fork()
        inner = state.fork()
        state.assume(Condition.fresh("of a run"), value=False)
        assert [value for _, value in state.assumptions()] == [True, False]
        state.restore(inner)
        state.abandon(before)
    work = state.work
    assert state.assumptions() == [(known, True)]
    assert state.work - work < 10
    state.restore(below)
    assert state.assumptions() == [(known, True)]
