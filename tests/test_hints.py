"""Hints behind names: what they say, and of what they say nothing. torch runs the same program, and agrees."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.analysis import Analyzer
from devls.config import Config
from devls.lsp.features.inlay_hints import label, tooltip
from devls.project.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = """\
import torch
from torch import nn

device = "cuda" if torch.cuda.is_available() else "cpu"


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 2)

    def forward(self, x: torch.Tensor, scale=2.0):
        h = self.fc(x)
        return h * scale


def twice(t):
    return t * 2


def unknown(thing, other=3):
    kept = thing
    return kept


model = Net()
x = torch.zeros(8, 4)
count = 3
out = model(x)
first, second = x, out.detach()
for row in x:
    total: torch.Tensor = out.sum()
with torch.no_grad() as mode:
    frozen = model(x)
twice(x)
twice(torch.zeros(2, device="meta"))
moved = x.to(device)
w = torch.zeros(3)
w.requires_grad_()
again = w
"""

HINTS = {
    "x: torch.Tensor": " cpu (8, 4)",
    "h": ": cpu (8, 2)",
    "model": ": cpu",
    "x": ": cpu (8, 4)",
    "out": ": cpu ∇ (8, 2)",
    "first": ": cpu (8, 4)",
    "first, second": ": cpu (8, 2)",
    "for row": ": cpu (4,)",
    "total: torch.Tensor": " cpu ∇ ()",
    "frozen": ": cpu (8, 2)",
    "moved": ": cuda or cpu (8, 4)",
    "w": ": cpu (3,)",
    "again": ": cpu ∇ (3,)",
}


def found(folder: Path, text: str):
    path = str(folder / "program.py")
    workspace = Workspace((str(folder),), editing=True)
    workspace.open(path, text)
    return Analyzer(workspace, lambda _path: Config()).analyze(path)


def before(text: str, offset: int) -> str:
    """The line up to a hint."""
    return text[:offset].splitlines()[-1].strip().removeprefix("def forward(self, ")


def test_hints_tell_what_is_known_where_a_name_is_bound(tmp_path: Path) -> None:
    told = found(tmp_path, PROGRAM).hints(lambda: False)
    assert told is not None
    assert {before(PROGRAM, each.offset): label(each, gradient=True) for each in told} == HINTS
    short = {before(PROGRAM, each.offset): label(each, gradient=False) for each in told}
    assert short["out"] == ": cpu"
    (of_out,) = (each for each in told if before(PROGRAM, each.offset) == "out")
    assert tooltip(of_out) == "on cpu, requires a gradient, of shape (8, 2)"


def test_torch_agrees(tmp_path: Path) -> None:
    """Values as the program leaves them; `h`, `row` and parameters are gone by then, and `w` has changed."""
    import torch  # noqa: PLC0415  only this test runs it

    left: dict[str, object] = {}
    exec(compile(PROGRAM, "program.py", "exec"), left)  # noqa: S102  the program above
    told = found(tmp_path, PROGRAM).hints(lambda: False)
    said = {before(PROGRAM, each.offset): each for each in told or ()}
    for name in ("x", "out", "first", "frozen", "moved", "again"):
        value = left[name]
        assert isinstance(value, torch.Tensor)
        assert value.device.type in said[name].device
        assert value.requires_grad == said[name].gradient
        assert str(tuple(value.shape)) == said[name].shape


def test_hints_are_given_up_when_the_text_changes(tmp_path: Path) -> None:
    analysis = found(tmp_path, PROGRAM)
    assert analysis.hints(lambda: True) is None
    assert analysis.hints(lambda: False)
