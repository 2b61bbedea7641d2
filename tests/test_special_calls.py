"""Whatever the engine runs by itself is called in every way that Python lets a call be written: it never fails."""

from __future__ import annotations

import ast
import builtins as builtins_of_python
from typing import TYPE_CHECKING

import pytest

from devls import analysis  # noqa: F401  the engine's modules know each other, and begin there
from devls.engine.checks import call_arguments
from devls.engine.core.machine import Machine
from devls.engine.driver.entry_points import run_file
from devls.engine.python import builtins
from devls.engine.torch import table
from devls.engine.torch.nn import methods as module_methods
from devls.engine.torch.tensors import dispatch
from devls.library import records
from devls.library.lookup import Library
from devls.project.modules import Modules
from devls.project.workspace import Workspace
from devls.values.conditions import Condition, Either
from devls.values.value import BoundMethod, LibraryName, Symbol

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

VALUES = """\
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)

    def forward(self, x):
        return self.layer(x)

tensor = torch.ones(2, 2, requires_grad=True)
parameter = nn.Parameter(tensor)
net = Net()
layer = nn.Linear(2, 2)
stack = nn.Sequential(layer)
optimizer = torch.optim.SGD(net.parameters(), 0.1)
number, text, data, none, whole = 3, "cpu", b"a", None, 10 ** 30
items, pair, entries, some = [tensor, 1], (1, tensor), {"a": tensor}, {1, 2}
device = torch.device("cuda")
unknown = tensor if device.type else 3
rows = iter([tensor])
"""

NAMES = (
    "tensor parameter net Net layer stack optimizer number text data none whole items pair entries some device unknown rows"
).split()


def engine(folder: Path) -> tuple[Machine, dict[str, object]]:
    """A machine that has run a program, and values that it has made."""
    path = folder / "values.py"
    path.write_text(VALUES, encoding="utf-8")
    workspace = Workspace((str(folder),))
    machine = Machine(Library(), Modules(workspace, lambda _: (), None), lambda _: None)
    run_file(machine, workspace.source(str(path)))
    assert not machine.cuts
    scope = machine.frames[0].scope
    found = {name: machine.state.get(scope, name) for name in NAMES}
    found["symbol"] = Symbol(("some symbol",), "symbol", named=True)
    found["library"] = LibraryName("torch.nn.Linear")
    return machine, found


def ways(values: dict[str, object]) -> Iterator[tuple[list[object], dict[str, object]]]:
    """Arguments and keywords of calls: none, stars, keywords alone, one of each kind, two, and many."""
    unknown = Symbol(("more",), "more")
    yield [], {}
    for stars in ({"*"}, {"**"}, {"*", "**"}):
        yield [], dict.fromkeys(stars, unknown)
    yield [], {"a": unknown}
    for name in (
        "input",
        "self",
        "device",
        "other",
        "dtype",
        "dim",
        "size",
        "params",
        "function",
        "iterable",
    ):
        yield [], {name: values["tensor"]}
        yield [], {name: values["none"]}
    for each in values.values():
        yield [each], {}
        yield [values["tensor"], each], {}
        yield [values["symbol"], each], {"a": each, "*": unknown}
        yield [values["net"], each, each], {}
    yield list(values.values()), {}
    yield [], dict(values)


def names() -> list[str]:
    """All names that the engine has functions of its own for, and those of the library's operations."""
    own = {*table.SPECIAL, *(f"builtins.{each}" for each in builtins._FUNCTIONS), *call_arguments._CALLS}
    own |= {f"torch.nn.Module.{each}" for each in module_methods._METHODS}
    own |= {
        "torch.distributions.Normal",
        "torch.nn.init.zeros_",
        "tqdm.x.tqdm",
        "torch.optim.lr_scheduler.StepLR",
    }
    own |= {
        "torch.optim.lr_scheduler.StepLR.step",
        "torch.nn.Linear.__init__",
        "numpy.zeros",
        "numpy.ndarray.to",
    }
    own |= {
        f"torch.optim.SGD.{each}"
        for each in ("step", "zero_grad", "state_dict", "load_state_dict", "add_param_group")
    }
    return sorted(own)


def failures(machine: Machine, name: str, receiver: object, values: dict[str, object]) -> set[str]:
    """How calls of a name fail, unbound or as a method of something."""
    found: set[str] = set()
    method = (
        None if receiver is None else BoundMethod(LibraryName(name), receiver, None, name.rpartition(".")[2])
    )
    node = ast.parse("f(a)").body[0].value  # type: ignore[attr-defined]
    for arguments, keywords in ways(values):
        for of_nodes in (None, node.args[0]):
            nodes = [of_nodes] * len(arguments)
            below = machine.state.fork()
            machine.steps_left, machine.state.work = 1_000, 0
            try:
                dispatch.call_library(machine, name, method, arguments, dict(keywords), node, nodes, {})
            except Exception as error:  # noqa: BLE001  whatever it is, it is what we look for
                trace = error.__traceback__
                while trace.tb_next is not None:
                    trace = trace.tb_next
                found.add(f"{name}: {error!r} at {trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}")
            machine.state.restore(below)
            del machine.frames[1:]
    return found


def test_unbound(tmp_path: Path) -> None:
    machine, values = engine(tmp_path)
    found: set[str] = set()
    for name in names():
        found |= failures(machine, name, None, values)
    assert not found, "\n".join(sorted(found))


@pytest.mark.parametrize("name", ["net", "tensor", "optimizer", "items", "text"])
def test_unbound_with_what_a_path_decides(tmp_path: Path, name: str) -> None:
    machine, values = engine(tmp_path)
    condition = Condition.fresh("some path")
    decided = {name: Either(condition, values[name], values["number"])}
    given = {each: values[each] for each in ("tensor", "net", "symbol", "none")} | decided
    found: set[str] = set()

    def call_each() -> None:
        for each in names():
            found.update(failures(machine, each, None, given))

    machine.branch(Either(condition, True, False), call_each, lambda: None)
    assert not found, "\n".join(sorted(found))


@pytest.mark.parametrize("receiver", [*NAMES, "symbol"])
def test_methods(tmp_path: Path, receiver: str) -> None:
    machine, values = engine(tmp_path)
    few = {each: values[each] for each in ("tensor", "net", "number", "items", "none", "symbol")}
    found: set[str] = set()
    for name in names():
        found |= failures(machine, name, values[receiver], few)
    assert not found, "\n".join(sorted(found))


@pytest.mark.parametrize("part", range(8))
def test_operations(tmp_path: Path, part: int) -> None:
    machine, values = engine(tmp_path)
    few = {each: values[each] for each in ("tensor", "net", "number", "items", "pair", "none", "symbol")}
    found: set[str] = set()
    for name in sorted({*records.operations(), *records.layers(), *records.optimizers()})[part::8]:
        found |= failures(machine, name, None, few)
    assert not found, "\n".join(sorted(found))


FORMS = (
    *("#()", "#(*a)", "#(**k)", "#(*a, **k)", "#(*(), **{})", "#(*[x, *a])"),
    *("#(a, *a, a=a, **k)", "#(**{'a': x})", "#(#)", "#(x, *a)", "x.to(#)"),
)
"""Calls that a program writes: without arguments, with stars that hold nothing, something or what nobody knows."""

PARTS = 12


def written(name: str) -> str | None:
    """The name in a program that imports its module; None for what only the engine calls so."""
    top, _, rest = name.partition(".")
    if top == "builtins":
        return rest
    return name if rest and top.isidentifier() and top != "symbol" else None


@pytest.mark.parametrize("part", range(PARTS))
def test_calls_as_programs_write_them(tmp_path: Path, part: int) -> None:
    called = [each for name in names() if (each := written(name)) is not None]
    assert {"torch.Tensor.to", "accelerate.Accelerator.prepare", "dict.get", "len"} <= set(called)
    mine = called[part::PARTS]
    imports = sorted(
        {each.partition(".")[0] for each in called if "." in each} - set(dir(builtins_of_python))
    )
    lines = [f"import {', '.join(imports)}", "x = torch.ones(2)"]
    calls = [form.replace("#", each) for each in mine for form in FORMS]
    lines += [f"def f{number}(a, k, x=x):\n    return {call}" for number, call in enumerate(calls)]
    path = tmp_path / "calls.py"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    workspace = Workspace((str(tmp_path),))
    machine = Machine(Library(), Modules(workspace, lambda _: (), None), lambda _: None)
    run_file(machine, workspace.source(str(path)))
    assert not [each for each in machine.cuts.values() if each.failed]
