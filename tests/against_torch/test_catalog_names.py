"""Names, signatures and conversions of the catalog, held against torch; and how much of torch it covers."""

from __future__ import annotations

import importlib
import inspect
import json
import os
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from against_torch.catalog_coverage import surroundings_run, table, text
from against_torch.comparing import ERRORS
from checking import line_of
from devls.analysis import Analyzer
from devls.config import Config
from devls.engine.torch.tensors import numpy_dtypes
from devls.library import catalog, records, stubs
from devls.library.effects import Differentiable, Passing, Result
from devls.project.workspace import Workspace

DATA = Path(records.DATA)
NAMES = records.operations()


def _found(name: str) -> Any:
    """Objects of torch with a public name."""
    parts = name.split(".")
    value: Any = torch
    for index, part in enumerate(parts[1:], start=1):
        if not hasattr(value, part) and inspect.ismodule(value):
            importlib.import_module(".".join(parts[: index + 1]))
        value = getattr(value, part)
    return value


def test_every_row_is_read() -> None:
    assert all(catalog.operation(name) is not None for name in NAMES)


def test_every_row_exists_in_torch() -> None:
    overloads = {f"{name}.{label}" for name in NAMES for label in records.overload_labels(name)}
    for name in NAMES:
        if name not in overloads:
            assert _found(name) is not None, name


def test_python_signatures() -> None:
    """Functions written in Python have a signature to compare with: names, order, keyword-only, defaults given."""
    disagreements = []
    for name in NAMES:
        operation = catalog.operation(name)
        try:
            value = _found(name)
            signature = inspect.signature(value)
        except (AttributeError, ValueError, TypeError):
            continue
        assert operation is not None
        if (
            not inspect.isfunction(value)
            or "boolean_dispatch" in value.__qualname__
            or value.__name__.startswith("__")
        ):
            continue  # operators are not called by their parameters' names
        if any(each.passing in (Passing.REST, Passing.KEYWORDS) for each in operation.parameters):
            continue
        theirs = [each.name for each in signature.parameters.values() if each.kind not in (2, 4)]
        ours = [each.name for each in operation.parameters]
        if not any(each.kind in (2, 4) for each in signature.parameters.values()) and ours != theirs:
            disagreements.append(f"{name}: the catalog has {ours}, torch {theirs}")
    assert not disagreements, "\n".join(disagreements)


def test_existence() -> None:
    assert catalog.exists("torch.cuda.copy") is False
    assert catalog.exists("torch.cuda.is_avaliable") is False
    assert catalog.exists("torch.cuda.is_available") is True
    assert catalog.exists("torch.Tensor.requires_grad_") is True
    assert catalog.exists("torch.Tensor.require_grad") is False
    assert catalog.exists("torch.onnx") is True
    assert catalog.exists("somewhere.else.name") is None
    assert catalog.exists("torch.Tensor.__add__") is None  # private names are not listed
    for space in json.loads((DATA / "names.json").read_text(encoding="utf-8")):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            holder = _found(space) if space != "torch" else torch
        missing = {each for each in dir(holder) if each.isidentifier() and not each.startswith("_")} - (
            catalog.members(space) or frozenset()
        )
        # Imported by chance: a submodule appears on its package once anybody imports it.
        missing = {each for each in missing if not inspect.ismodule(getattr(holder, each, None))}
        assert not missing, f"{space}: {sorted(missing)}"


@pytest.mark.parametrize(
    ("name", "public"),
    [
        ("torch.nn.modules.linear.Linear", "torch.nn.Linear"),
        ("torch.nn.modules.conv.Conv2d", "torch.nn.Conv2d"),
        ("torch.nn.parameter.Parameter", "torch.nn.Parameter"),
        ("torch.optim.adam.Adam", "torch.optim.Adam"),
        ("torch.functional.einsum", "torch.einsum"),
        ("torch._tensor.Tensor.backward", "torch.Tensor.backward"),
        ("torch.autograd.grad_mode.no_grad", "torch.no_grad"),
        ("torch.autograd.gradcheck", "torch.autograd.gradcheck"),
        ("torch.utils.data.dataloader.DataLoader", "torch.utils.data.DataLoader"),
        ("numpy.mean", "numpy.mean"),
    ],
)
def test_canonical_names(name: str, public: str) -> None:
    assert catalog.canonical(name) == public


def test_every_alias_means_the_same_object() -> None:
    for alias, public in records.aliases().items():
        module, _, short = alias.rpartition(".")
        if not alias.startswith("torch._") and short in dir(importlib.import_module(module)):
            value = getattr(importlib.import_module(module), short)
            assert inspect.ismodule(value) or value is _found(public), alias


CONVERSIONS = {
    "item": float, "tolist": float, "numpy": np.ndarray, "__bool__": bool, "__float__": float, "__int__": int,
    "__array__": np.ndarray, "__repr__": str, "__complex__": complex, "is_nonzero": bool, "dim": int, "numel": int,
    "size": torch.Size, "nelement": int, "data_ptr": int, "is_contiguous": bool,
}  # fmt: skip
KINDS = {
    Result.HOST_SCALAR: (float, int, bool, complex), Result.HOST_ARRAY: (np.ndarray,), Result.STRING: (str,),
    Result.HOST_LIST: (float, list), Result.NUMBER: (int, bool, float), Result.SHAPE: (torch.Size, tuple),
}  # fmt: skip


@pytest.mark.parametrize("short", sorted(CONVERSIONS))
def test_conversions(short: str) -> None:
    operation = catalog.operation(f"torch.Tensor.{short}")
    assert operation is not None
    result = getattr(torch.tensor(1.5), short)()
    assert isinstance(result, CONVERSIONS[short])
    assert isinstance(result, KINDS[operation.result])
    assert operation.differentiable is Differentiable.NO


def test_numpy_refuses_what_requires_grad() -> None:
    """Meaning of `host_reader`, on the functions of numpy that take one array."""
    tensor = torch.ones(3, requires_grad=True)
    for name in (
        "numpy.asarray",
        "numpy.array",
        "numpy.exp",
        "numpy.sort",
        "numpy.stack",
        "numpy.linalg.norm",
    ):
        assert catalog.host_reader(name)
        function: Any = np
        for part in name.split(".")[1:]:
            function = getattr(function, part)
        with pytest.raises((RuntimeError, TypeError), match=r"requires grad|__array__|\w"):
            function([tensor] if name.endswith("stack") else tensor)
    assert not catalog.host_reader("numpy.zeros")
    assert not catalog.host_reader("math.sqrt")


def test_numpy_names_exist() -> None:
    gone = {
        "numpy.in1d",
        "numpy.trapz",
        "numpy.trapezoid",
        "numpy.linalg.matrix_norm",
        "numpy.linalg.vector_norm",
        "numpy.linalg.svdvals",
    }
    for name in stubs.names("numpy"):
        value: Any = np
        for part in name.split(".")[1:]:
            value = getattr(value, part, None)
        assert value is not None or name in gone, name


def test_overloads_are_chosen_by_what_is_given() -> None:
    def chosen(name: str, positional: list[bool], keywords: list[str]) -> str:
        operation = catalog.resolve(name, positional, keywords)
        assert operation is not None
        return operation.name

    assert chosen("torch.max", [True], []) == "torch.max"
    assert chosen("torch.max", [True, False], []) == "torch.max.dim"
    assert chosen("torch.max", [True], ["dim"]) == "torch.max.dim"
    assert chosen("torch.max", [True, True], []) == "torch.max.other"
    assert chosen("torch.Tensor.max", [True, False], ["keepdim"]) == "torch.Tensor.max.dim"
    assert chosen("torch.where", [True], []) == "torch.where.nonzero"
    assert chosen("torch.where", [True, True, True], []) == "torch.where"
    assert chosen("torch.where", [True, False, False], []) == "torch.where"
    assert chosen("torch.pow", [True, False], []) == "torch.pow"
    assert chosen("torch.pow", [True, True], []) == "torch.pow.tensor"
    assert chosen("torch.trapezoid", [True], ["dx"]) == "torch.trapezoid"
    assert (
        chosen("torch.trapezoid", [True, True], [])
        == chosen("torch.trapezoid", [True], ["x"])
        == "torch.trapezoid.x"
    )
    assert chosen("torch.unique", [True], ["return_counts"]) == "torch.unique.counts"
    assert chosen("torch.normal", [False, False, False], []) == "torch.normal.size"
    assert chosen("torch.nn.functional.max_pool2d", [True, False], ["return_indices"]).endswith("indices")


def test_old_names_and_what_replaces_them() -> None:
    for old, new in records.deprecated().items():
        assert _found(old) is not None
        for word in new.split():
            if word.startswith("torch."):
                assert _found(word) is not None, (old, word)
    assert catalog.deprecated("torch.cholesky") == "torch.linalg.cholesky"
    assert catalog.deprecated("torch.add") is None


@pytest.mark.parametrize("name", ["eig", "symeig", "lstsq", "solve", "matrix_rank"])
def test_removed_functions_only_raise(name: str) -> None:
    matrix = torch.eye(2)
    with pytest.raises(RuntimeError, match="removed"):
        getattr(torch, name)(*([matrix, matrix] if name in ("lstsq", "solve") else [matrix]))


@pytest.mark.parametrize("name", ["autocast", "GradScaler"])
def test_old_mixed_precision_warns(name: str) -> None:
    with pytest.warns(FutureWarning, match="deprecated"):
        getattr(torch.cuda.amp, name)()


def test_data_is_fresh() -> None:
    """Generating the catalog anew gives what is shipped, for the torch it was generated from."""
    about = json.loads((DATA / "about.json").read_text(encoding="utf-8"))
    if torch.__version__.split("+")[0] != about["torch"]:
        assert not os.environ.get("CI"), (
            "the checks of the project run with the torch the catalog was made from"
        )
        pytest.skip(f"the catalog was made from torch {about['torch']}, this is {torch.__version__}")
    sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))
    from generate_catalog import wanted_files  # noqa: PLC0415  found there

    for name, wanted in wanted_files().items():
        assert (DATA / name).read_text(encoding="utf-8") == wanted, f"{name}: run scripts/generate_catalog.py"


# Catalog entries that are no operations on tensors, compared with calls of them


# Types of results for each word of the catalog: "callable" and "mode" are what an object can also be.
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


# The catalog's roles, held against torch with a pretended accelerator: what may not stay behind on the CPU


# The lengths are copied to the host by some implementations and not by others: the catalog lets them be anywhere.
# The joint weight of an attention whose weights are apart is an empty tensor, which nothing reads.
UNDECIDED = {
    "torch.nn.functional.ctc_loss",
    "torch.ctc_loss",
    "torch.nn.functional.multi_head_attention_forward",
}


def _answer(script: str) -> Any:
    path = Path(__file__).with_name(script)
    run = subprocess.run(
        [sys.executable, "-W", "ignore", str(path)], capture_output=True, text=True, check=True, timeout=300
    )
    return json.loads(run.stdout.splitlines()[-1])


def test_roles() -> None:
    answer = _answer("catalog_devices.py")
    print(f"{answer['tried']} parameters of operations tried on another device than the rest")
    wrong = [
        f"{name}: the catalog says {parameter} is {role}, torch refuses it elsewhere: {refused}"
        for name, parameter, role, refused in answer["disagreements"]
        if name not in UNDECIDED
    ]
    assert not wrong, "\n".join(wrong)
    assert answer["tried"] > 800


def _reported(text: str) -> set[int]:
    """The lines on which devls finds tensors that may not meet."""
    workspace = Workspace(("/nowhere",))
    workspace.open("/nowhere/program.py", text)
    analysis = Analyzer(workspace, lambda _path: Config(), hovers=False).analyze("/nowhere/program.py")
    return {
        line_of(text, each.range.start) for each in analysis.diagnostics if each.rule in ERRORS["device"][1]
    }


def test_one_tensor_left_on_the_cpu() -> None:
    """Each of torch's operator samples, with each of its tensors left behind in turn: devls says what torch says."""
    programs = _answer("mixed_devices.py")
    agreed, wrong = 0, []
    for each in programs:
        lines, reported = each["text"].splitlines(), _reported(each["text"])
        for number, refused in each["verdicts"].items():
            if (int(number) in reported) == refused:
                agreed += 1
            else:
                wrong.append(f"{each['name']}: torch refuses: {refused}: {lines[int(number) - 1]}")
    share = agreed / (agreed + len(wrong))
    print(
        f"{len(programs)} operations, {agreed + len(wrong)} calls: the same verdict for {share:.2%}",
        *wrong,
        sep="\n",
    )
    assert len(programs) > 180
    assert share >= 0.99


_GIVEN = {
    "beta": (1, 1),
    "chisquare": (2,),
    "dirichlet": ([1, 1],),
    "gamma": (1,),
    "multivariate_normal": ([0, 0], [[1, 0], [0, 1]]),
    "standard_t": (2,),
    "triangular": (0, 1, 2),
    "weibull": (1,),
}
"""Arguments without which a draw is none."""


@pytest.mark.parametrize("name", sorted(numpy_dtypes._DRAWN))
def test_numpy_draws_doubles(name: str) -> None:
    for source in (np.random, np.random.default_rng(0), np.random.RandomState(0)):
        assert getattr(source, name)(*_GIVEN.get(name, ()), size=3).dtype == np.float64
