"""What a helper made is moved where the helper is called: it takes no `device` of ours."""

from __future__ import annotations

import ast

import pytest

from devls.engine.core.events.events import Operand
from devls.rules.device import wording
from devls.syntax.source import Source
from devls.text.edits import apply_edits
from devls.values.devices import CPU
from devls.values.history import Site, Step
from devls.values.value import TensorValue

PROGRAM = """import torch
def initial(batch):
    return torch.zeros(batch, 4)
h = initial(2)
"""


@pytest.mark.parametrize(
    ("line", "wanted"), [(3, "torch.zeros(batch, 4, device=x.device)"), (4, "initial(2).to(x.device)")]
)
def test_only_the_factory_takes_a_device(line: int, wanted: str) -> None:
    source = Source("example.py", PROGRAM)
    calls = {each.lineno: each for each in ast.walk(source.tree) if isinstance(each, ast.Call)}
    step = Step("created on the CPU", Site(source, calls[3]), kind="created", takes_device=True)
    stray = Operand(None, TensorValue(), CPU, "h", step)
    edit = wording._made_there(source, calls[line], "x.device", stray)
    assert edit is not None
    assert apply_edits(PROGRAM, [edit]).splitlines()[line - 1].endswith(wanted)


def test_what_the_catalog_gives_no_device_is_moved() -> None:
    source = Source("example.py", PROGRAM)
    call = next(each for each in ast.walk(source.tree) if isinstance(each, ast.Call))
    stray = Operand(None, TensorValue(), CPU, "h", Step("created", Site(source, call), kind="created"))
    edit = wording._made_there(source, call, "x.device", stray)
    assert edit is not None
    assert edit.text == ".to(x.device)"
