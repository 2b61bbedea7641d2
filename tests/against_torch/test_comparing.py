"""Comparison of engine and torch: its contents and its limits."""

from __future__ import annotations

import importlib
import inspect
import json
import re
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch
from torch import distributed

import devls.analysis
import devls.engine.core.machine  # noqa: F401  the whole of it, before its parts
from against_torch.comparing import Figures, Run, contradictions, run_on_torch
from devls.engine.checks import device_selection
from devls.engine.torch.tensors import host, numpy_dtypes
from devls.engine.torch.tensors.shapes import LOSE_DIMENSIONS
from devls.library import catalog, records
from devls.library.effects import Rank
from devls.library.lookup import Library
from probe.test_facts import FACTS

if TYPE_CHECKING:
    from collections.abc import Iterator


HANDLED = """\
import torch

x, y = torch.ones(3), torch.ones(3, device="cuda:0")
try:
    z = x + 1
except RuntimeError:
    z = x + y
"""
RUN = frozenset({1, 3, 4, 5})


def test_a_handler_that_was_not_run_may_be_wrong() -> None:
    figures = Figures()
    assert not list(contradictions(HANDLED, [Run("", 0, {}, (), RUN)], figures))
    assert figures.programs == 1


def test_a_handler_that_some_run_came_through_is_right() -> None:
    """If torch had run it without an error, the report would be a false alarm."""
    runs = [Run("", 0, {}, (), RUN), Run("", 0, {}, (), RUN | {7})]
    (found,) = contradictions(HANDLED, runs, Figures())
    assert found.startswith("false alarm mixed-devices, line 7")


def test_what_stands_elsewhere_is_not_excused_by_a_try() -> None:
    text = HANDLED.replace("    z = x + y\n", "    z = x\nw = x + y\n")
    (found,) = contradictions(text, [Run("", 0, {}, (), RUN)], Figures())
    assert found.startswith("false alarm mixed-devices, line 8")


def test_what_a_loop_sees_of_a_generator_that_raised_is_of_before() -> None:
    """The engine goes on: what it says of the last round stands behind what torch has refused."""
    text = """\
import torch

x, y = torch.ones(3, requires_grad=True), torch.ones(3, device="cuda:0")


def parts(a, b):
    yield a
    yield a + b
    yield a.detach()


for each in parts(x, y):
    reveal_value(each)
"""
    programs = {"raises": text, "runs": text.replace(', device="cuda:0"', "")}
    for name, runs in run_on_torch(programs).items():
        assert not list(contradictions(programs[name], runs, Figures()))


def test_torch_says_which_lines_it_ran_and_survives_a_program() -> None:
    """Of a program that ends the process nothing is known; those beside it are run all the same."""
    runs = run_on_torch({"ends it": "import os\nos._exit(3)\n", "handled": HANDLED})
    assert runs["ends it"] == []
    (run,) = runs["handled"]
    assert not run.raised
    assert run.ran - {0} == RUN  # what is told before the first line has the number 0
    figures = Figures()
    assert not list(contradictions("", [], figures))
    assert (figures.programs, figures.died) == (0, 1)


def test_a_program_leaves_no_default_device_behind() -> None:
    """Copies of what is on a device would go to the default one."""
    leaves = """\
import torch

with torch.device("cpu"):
    torch.set_default_device("cuda:0")


def parts():
    with torch.device("cuda:0"):
        yield torch.ones(2)


first = next(parts())
kept = parts()
next(kept)
"""
    copies = """\
import torch

x = torch.tensor(torch.ones(2, device="cuda:0"))
reveal_value(x)
y = torch.ones(2)
reveal_value(y)
"""
    (run,) = run_on_torch({"leaves": leaves, "copies": copies})["copies"]
    assert [each["device"] for each in run.shown.values()] == ["cuda:0", "cpu"]


# Differences between the oldest supported torch and this one, as `scripts/compare_versions.py` found them


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


# Assumptions of the engine about objects of numpy, and about tensors that processes hand on


def test_what_tensors_share_with_objects_of_numpy() -> None:
    spaces = (np, np.random, np.polynomial, np.ma)
    classes = {each for space in spaces for each in vars(space).values() if inspect.isclass(each)}
    assert np.ndarray in classes
    of_numpy = {name for each in classes if not issubclass(each, BaseException) for name in dir(each)}
    shared = {name for name in of_numpy & set(dir(torch.Tensor)) if not name.startswith("_")}
    assert {"shape", "dtype"} <= shared
    assert shared <= numpy_dtypes.SHARED
    assert not {"cpu", "detach", "numpy", "to", "requires_grad"} & numpy_dtypes.SHARED


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("name", sorted(host._UNIVERSAL))
def test_functions_that_go_element_by_element_make_tensors_of_tensors(name: str) -> None:
    function = getattr(np, name)
    assert isinstance(function, np.ufunc)
    whole = name in ("logical_and", "logical_or", "logical_xor", "logical_not")
    tensor = torch.ones(3, dtype=torch.bool) if whole else torch.full((3,), 0.5)
    operands = [tensor] * function.nin if name != "ldexp" else [tensor, tensor.int()]
    with np.errstate(all="ignore"):
        made = function(*operands)
    assert isinstance(made, torch.Tensor)


# Assumptions of the interpreter about tensors that processes hand on to each other


def test_cards_hand_on_what_is_on_cuda() -> None:
    """NCCL takes tensors from CUDA only, and is what torch takes for them."""
    assert distributed.broadcast.__module__.startswith(device_selection.OF_PROCESSES)
    assert distributed.Backend.backend_capability["nccl"] == ["cuda"]
    assert distributed.Backend.default_device_backend_map["cuda"] == "nccl"


# Results without dimensions, of operands that have some: a 0-dim tensor on the CPU is no mix of devices


PLACES = {
    "torch": torch,
    "torch.linalg": torch.linalg,
    "torch.special": torch.special,
    "torch.fft": torch.fft,
    "torch.nn.functional": torch.nn.functional,
    "torch.Tensor": torch.Tensor,
}
_NO_OPERATION = re.compile(r"^[A-Z_]|save|load|import|export|storage|share|file|^set_|profil|script")


def inputs() -> Iterator[tuple[Any, ...]]:
    vector, matrix = torch.rand(3), torch.rand(3, 3)
    yield from (
        (vector,),
        (matrix,),
        (torch.eye(3) * 2,),
        (vector, vector),
        (matrix, matrix),
        (matrix, vector),
    )
    yield from (
        (vector, 0),
        (torch.rand(1),),
        (torch.arange(3), torch.arange(3)),
        (matrix, 2),
        (vector, torch.tensor(1.0)),
    )


def has_none(result: object) -> bool:
    parts = result if isinstance(result, (tuple, list)) else (result,)
    return any(isinstance(each, torch.Tensor) and each.ndim == 0 for each in parts)


def test_what_may_lose_its_dimensions() -> None:
    """Every function and method of which the catalog does not say what rank its result has."""
    library, asked, unknown = Library(), 0, set()
    for place, holder in PLACES.items():
        for short in dir(holder):
            operation = None if _NO_OPERATION.search(short) else library.operation(f"{place}.{short}")
            if operation is None or operation.rank is not Rank.UNKNOWN or short in LOSE_DIMENSIONS:
                continue
            asked += 1
            for given in inputs():
                try:
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore")
                        result = getattr(holder, short)(*given)
                except Exception:  # noqa: BLE001, S112  many of these want something else
                    continue
                if has_none(result):
                    unknown.add(short)
    assert asked > 100
    assert not unknown
