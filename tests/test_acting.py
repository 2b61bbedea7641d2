"""Which runs of functions and classes by themselves are worth their cost, going by what they do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from devls.engine.core.events.events import Revealed
from devls.engine.core.machine import Machine
from devls.engine.driver.entry_points import run_file
from devls.engine.driver.inlining import acts, touches
from devls.library.lookup import Library
from devls.project.modules import Modules
from devls.project.workspace import Workspace
from devls.syntax.source import Source

if TYPE_CHECKING:
    import ast
    from pathlib import Path

    from devls.engine.core.events.events import Event

BUILD = {
    "class": "return Net(depth)",
    "name": "net = Net(depth)\n    net.load_state_dict(weights.get())\n    return net",
    "docstring": "'''A model, on the device of its loss.'''\n    layers = []\n    layers.append(Block())\n    return Net(layers)",
    "several": "net = Net(depth)\n    return net, depth",
}
DO_MORE = {
    "moves": "net = Net(depth)\n    net.to('cuda')\n    return net",
    "device": "net = Net(depth, device=depth)\n    return net",
    "writes": "net = Net(depth)\n    nn.init.zeros_(net.weight)\n    return net",
    "makes": "net = Net(torch.zeros(depth))\n    return net",
    "trains": "net = Net(depth)\n    loss = net(depth).sum()\n    return loss.backward()",
    "calls": "net = Net(depth)\n    return net(weights)",
    "keeps": "net = Net(depth)\n    net.load_state_dict(weights.get())",
}


def _function(body: str) -> tuple[Source, ast.stmt]:
    source = Source("program.py", f"def make(depth, weights):\n    {body}\n")
    return source, source.tree.body[0]


@pytest.mark.parametrize("body", BUILD.values(), ids=BUILD)
def test_who_only_builds_a_model_and_hands_it_back_does_not_act(body: str) -> None:
    assert not acts(*_function(body))


@pytest.mark.parametrize("body", DO_MORE.values(), ids=DO_MORE)
def test_who_does_more_with_it_acts(body: str) -> None:
    assert acts(*_function(body))


def test_what_a_docstring_tells_of_is_not_done() -> None:
    assert not touches(*_function("'''Nothing is moved to a device.'''\n    return depth + 1"))
    assert touches(*_function("return depth.to('cuda')"))


DATA = """
import torch
from torch.utils.data import Dataset

def pad(x):
    return x

class Words(Dataset):
    def __init__(self, words):
        self.words = words

    def __getitem__(self, index):
        word = {body}
        reveal_value(word)
        return word
"""


def _revealed(folder: Path, text: str) -> list[str]:
    path = folder / "program.py"
    path.write_text(text)
    workspace = Workspace([str(folder)])
    told: list[Event] = []
    run_file(Machine(Library(), Modules(workspace), told.append), workspace.source(str(path)))
    return [each.text for each in told if isinstance(each, Revealed)]


@pytest.mark.parametrize(
    ("body", "is_run"),
    [
        ("self.words[index].upper()", False),
        ("self.words[index].to('cuda')", True),  # has to do with devices
        ("self.model(self.words[index])", True),  # with a model
        ("pad(self.words[index])", True),  # shows what a function of the file is given
    ],
)
def test_a_class_that_prepares_data_is_looked_at_where_that_can_tell_something(
    tmp_path: Path, body: str, *, is_run: bool
) -> None:
    assert bool(_revealed(tmp_path, DATA.format(body=body))) is is_run
