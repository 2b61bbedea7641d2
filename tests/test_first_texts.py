"""The misunderstandings that devls began with, each held as a check."""

from __future__ import annotations

from typing import TYPE_CHECKING

from checking import line_of, write_files
from devls.analysis import Analysis, Analyzer
from devls.config import Config
from devls.project.workspace import Workspace
from devls.text.edits import apply_edits

if TYPE_CHECKING:
    from pathlib import Path

    from devls.analysis import Diagnostic


def run(text: str, folder: Path) -> Analysis:
    write_files({"train.py": text}, folder)
    return Analyzer(Workspace((str(folder),)), lambda _path: Config()).analyze(str(folder / "train.py"))


def only(analysis: Analysis, rule: str) -> Diagnostic:
    (found,) = analysis.diagnostics
    assert found.rule == rule
    return found


def fixed(analysis: Analysis, diagnostic: Diagnostic) -> str:
    return apply_edits(analysis.source.text, diagnostic.fixes[0].edits)


def test_a_dropped_transfer_of_a_tensor_is_reported_and_of_a_module_is_not(tmp_path: Path) -> None:
    analysis = run(
        "import torch\n"
        "device = torch.device('cuda' if torch.cuda.is_available() else 'cpu')\n"
        "model = torch.nn.Linear(10, 1)\n"
        "model.to(device)\n"
        "x = torch.randn(4, 10)\n"
        "x.to(device)\n",
        tmp_path,
    )
    found = only(analysis, "discarded-transfer")
    assert line_of(analysis.source.text, found.range.start) == 6
    assert fixed(analysis, found).endswith("x = x.to(device)\n")


def test_tensors_on_two_devices_are_reported_with_both_origins(tmp_path: Path) -> None:
    analysis = run(
        "import torch\n"
        "a = torch.tensor([1.0, 2.0], device='cuda')\n"
        "b = torch.tensor([3.0, 4.0])\n"
        "c = a + b\n",
        tmp_path,
    )
    found = only(analysis, "mixed-devices")
    assert line_of(analysis.source.text, found.range.start) == 4
    assert {line_of(analysis.source.text, each.range.start) for each in found.related} == {2, 3}
    assert "`b` is on the CPU" in found.message
    assert "`a` is on cuda" in found.message


def test_numpy_of_a_tensor_that_requires_grad_offers_detach(tmp_path: Path) -> None:
    analysis = run(
        "import torch\nw = torch.tensor([1.0, 2.0], requires_grad=True)\narray = (w * 2).numpy()\n", tmp_path
    )
    found = only(analysis, "numpy-on-grad")
    assert "(w * 2).detach().numpy()" in fixed(analysis, found)


def test_the_gradient_of_a_non_leaf_offers_retain_grad(tmp_path: Path) -> None:
    analysis = run(
        "import torch\n"
        "w = torch.tensor([1.0, 2.0], requires_grad=True)\n"
        "x = w * 3\n"
        "x.sum().backward()\n"
        "print(x.grad)\n",
        tmp_path,
    )
    found = only(analysis, "grad-of-non-leaf")
    assert "x.retain_grad()\nx.sum().backward()" in fixed(analysis, found)


def test_a_second_backward_is_explained(tmp_path: Path) -> None:
    analysis = run(
        "import torch\n"
        "w = torch.tensor([1.0, 2.0], requires_grad=True)\n"
        "loss = (w**2).sum()\n"
        "loss.backward()\n"
        "loss.backward()\n",
        tmp_path,
    )
    found = only(analysis, "backward-twice")
    assert line_of(analysis.source.text, found.range.start) == 5
    told = {line_of(analysis.source.text, each.range.start): each.message for each in found.related}
    assert "freed" in told[4]
    assert "pow" in told[3]


def test_moving_a_module_with_and_without_assignment_is_explained_as_the_same(tmp_path: Path) -> None:
    text = (
        "import torch\n"
        "device = torch.device('cuda')\n"
        "model = torch.nn.Linear(10, 1)\n"
        "model.to(device)\n"
        "model = model.to(device)\n"
    )
    analysis = run(text, tmp_path)
    assert analysis.diagnostics == ()
    hovers = [analysis.hover(offset) for offset in (text.index(".to(") + 2, text.rindex(".to(") + 2)]
    for found in hovers:
        assert found is not None
        assert "in place, and returns the module itself" in found.markdown
        assert "`model = model.to(device)` and `model.to(device)` alone do the same" in found.markdown


def test_a_layer_that_is_new_in_each_forward_is_on_the_cpu_only_if_nobody_places_it(tmp_path: Path) -> None:
    model = (
        "import torch\nfrom torch import nn\n"
        "class Model(nn.Module):\n    def forward(self, x):\n        return LAYER(x)\n"
    )
    told = {
        made: only(run(model.replace("LAYER", made), tmp_path), "layer-created-in-forward").message
        for made in ("nn.Linear(4, 4)", "nn.Linear(4, 4, device=x.device)", "nn.Linear(4, 4).to(x.device)")
    }
    assert [each.endswith("and on the CPU") for each in told.values()] == [True, False, False]
