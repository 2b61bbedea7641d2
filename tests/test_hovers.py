"""What a hover says, and of what it says nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from devls.analysis import Analyzer
from devls.config import Config
from devls.project.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = """\
import torch
from torch import nn
from torch.utils.data import DataLoader
from shapes import widths

device = torch.device("cuda")
model = nn.Linear(4, 2).to(device)
optimizer = torch.optim.Adam(model.parameters())
loader = DataLoader([torch.ones(4)], batch_size=widths[0])


def predict(batch):
    scores = model(batch)
    return scores.softmax(1)


def train():
    for batch in loader:
        predict(batch.to(device)).sum().backward()
        optimizer.step()
        optimizer.zero_grad()


@torch.no_grad()
def validate():
    for batch in loader:
        print(predict(batch.to(device)).argmax(1), len(widths))


train()
validate()
kept = {"best": torch.zeros(3), "epoch": 4}
made = dict(epoch=4)
"""


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory):
    folder: Path = tmp_path_factory.mktemp("hovers")
    (folder / "shapes.py").write_text("widths = [4, 2]\n", "utf-8")
    (folder / "train.py").write_text(PROGRAM, "utf-8")
    analysis = Analyzer(Workspace((str(folder),)), lambda _: Config()).analyze(str(folder / "train.py"))

    def ask(text: str, within: int = 0) -> str | None:
        found = analysis.hover(PROGRAM.index(text) + within)
        return None if found is None else found.markdown

    return ask


@pytest.mark.parametrize(
    ("text", "within"),
    [
        ("torch.device", 1),
        ("DataLoader([", 40),
        ("widths[0]", 1),
        ("len(widths)", 1),
        ("len(widths)", 5),
        ("made = dict(", 8),
    ],
)
def test_nothing_is_said_of_what_has_no_device_and_no_graph(told, text: str, within: int) -> None:
    assert told(text, within) is None


def test_calls_of_one_function_are_told_apart(told) -> None:
    text = told("scores.softmax", 2)
    assert "- requires grad: yes (leaf: no) when called at line 19, or no when called at line 27" in text
    assert "**Tensor** on **cuda:0**\n" in text
    # What is the same in all of them is said once.
    assert "- requires grad: no\n" in told("batch)\n    return", 1)


def test_the_name_of_what_is_called_stands_for_its_result(told) -> None:
    assert told("softmax", 1).startswith("`scores.softmax(1)`: **Tensor** on **cuda:0**")
    assert told("nn.Linear", 4).startswith("`nn.Linear(4, 2)`: **Module** `Linear`")


def test_loaders_optimizers_and_containers_of_tensors_are_told(told) -> None:
    assert "its batches are on the **cpu**" in told("loader:", 1)
    assert told("optimizer.step()", 1) == "`optimizer`: **Optimizer** `Adam`"
    assert "'best': Tensor device=cpu" in told('{"best"', 0)


def test_backward_tells_what_it_reaches_and_step_what_it_uses(told) -> None:
    assert told("sum().backward", 7).splitlines()[-1] == "- gradients reach model (line 7): 2"
    assert told("optimizer.step()", 11).splitlines()[-1] == "- gradients have come to model (line 7): 2"


def test_a_loss_tells_what_was_cut(tmp_path: Path) -> None:
    text = (
        "import torch\n"
        "one, two = torch.nn.Linear(2, 1), torch.nn.Linear(2, 1)\n"
        "x = torch.ones(3, 2)\n"
        "loss = one(x).mean() + two(x).detach().mean()\n"
    )
    (tmp_path / "a.py").write_text(text, "utf-8")
    analysis = Analyzer(Workspace((str(tmp_path),)), lambda _: Config()).analyze(str(tmp_path / "a.py"))
    found = analysis.hover(text.index("one(x).mean() +") + 14)
    assert found is not None
    lines = found.markdown.splitlines()
    assert "- not two (line 2): `two(x).detach()` is outside the graph (line 4)" in lines
