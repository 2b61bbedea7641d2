"""What is written by hand of the libraries around torch: every file reads, in one vocabulary, and is found by name."""

from __future__ import annotations

import pytest

from checking import line_of
from devls.analysis import Analyzer
from devls.config import Config
from devls.library import catalog, stubs
from devls.library.effects import Result
from devls.library.lookup import Library
from devls.project.workspace import Workspace

FILES = sorted(path.stem for path in stubs._FOLDER.glob("*.toml"))


@pytest.mark.parametrize("root", FILES)
def test_every_row_reads(root: str) -> None:
    rows = stubs._entries(root)
    assert rows
    for name in rows:
        described = catalog.operation(name) or catalog.layer(name)
        assert described is not None, name
        assert name.startswith(f"{root}.")


@pytest.mark.parametrize(
    ("name", "result"),
    [
        ("transformers.AutoModelForCausalLM.from_pretrained", Result.MODULE),
        ("transformers.GPT2LMHeadModel.from_pretrained", Result.MODULE),
        ("transformers.AutoTokenizer.from_pretrained", Result.OBJECT),
        ("transformers.Trainer", Result.OBJECT),
        ("transformers.Trainer.train", Result.CALL),
        ("accelerate.Accelerator.prepare", Result.CALL),
        ("accelerate.Accelerator.autocast", Result.MODE),
        ("lightning.Trainer.fit", Result.CALL),
        ("timm.create_model", Result.CPU_MODULE),
        ("torchvision.models.resnet18", Result.CPU_MODULE),
        ("torchvision.models.ResNet18_Weights", Result.OBJECT),
        ("torchvision.datasets.MNIST", Result.OBJECT),
        ("torchvision.ops.nms", Result.TENSOR),  # what is written out goes before patterns
        ("torchmetrics.functional.accuracy", Result.CALL),
        ("torchmetrics.Accuracy", Result.OBJECT),
        ("tqdm.contrib.tqdm", Result.WRAPPER),
        ("pandas.read_csv", Result.OBJECT),
        ("PIL.Image.open", Result.OBJECT),
        ("peft.get_peft_model", Result.WRAPPER),
    ],
)
def test_what_calls_give(name: str, result: Result) -> None:
    described = catalog.operation(name)
    assert described is not None
    assert described.result is result


@pytest.mark.parametrize(
    ("name", "reads"),
    [
        ("sklearn.preprocessing.StandardScaler.fit_transform", True),
        ("sklearn.preprocessing.StandardScaler", False),
        ("sklearn.metrics.accuracy_score", True),
        ("skimage.metrics.structural_similarity", True),
        ("imageio.imwrite", True),
        ("imageio.imread", False),
        ("pandas.DataFrame", True),
        ("pandas.read_csv", False),
        ("matplotlib.pyplot.plot", True),
        ("matplotlib.pyplot.subplots_adjust", False),
        ("numpy.mean", True),
        ("numpy.shape", False),
        ("PIL.Image.fromarray", True),
        ("PIL.Image.open", False),
    ],
)
def test_what_turns_tensors_into_arrays(name: str, reads: bool) -> None:
    assert catalog.host_reader(name) is reads


def test_packages_that_are_read_from_their_source() -> None:
    library = Library()
    assert library.knows("numpy")
    assert library.knows("sklearn")
    assert not library.knows("timm")  # what its stub says holds where it is not installed
    assert not library.knows("torchmetrics")


def _found(text: str) -> list[tuple[str, int]]:
    workspace = Workspace(("/nowhere",))
    workspace.open("/nowhere/program.py", text)
    analysis = Analyzer(workspace, lambda _path: Config(), hovers=False).analyze("/nowhere/program.py")
    return [(each.rule, line_of(text, each.range.start)) for each in analysis.diagnostics]


def test_an_estimator_wants_the_host() -> None:
    text = """\
import torch
from sklearn.preprocessing import StandardScaler

x = torch.ones(3, 2, device="cuda:0")
StandardScaler().fit_transform(x.cpu())
StandardScaler().fit_transform(x)
"""
    assert _found(text) == [("host-read-on-device", 6)]


def test_models_of_which_no_code_is_seen() -> None:
    """What a factory makes on the CPU and nobody moves is there; of others nobody knows where they compute."""
    text = """\
import timm
import torch
from transformers import AutoModel, AutoTokenizer
from tqdm.contrib import tqdm

backbone = timm.create_model("resnet18", pretrained=True)
backbone(torch.zeros(1, 3, 8, 8, device="cuda:0"))
tokenizer = AutoTokenizer.from_pretrained("x")
language = AutoModel.from_pretrained("x", device_map="auto")
for batch in tqdm([torch.zeros(1, device="cuda:0")]):
    language(batch, **tokenizer("text", return_tensors="pt"))
    batch + torch.zeros(3, device="cpu")
"""
    assert _found(text) == [("input-off-module-device", 7), ("mixed-devices", 12)]


def test_what_a_tokenizer_gives_moves_in_place() -> None:
    """`.to` of a mapping of tensors that is no tensor, `generate`, `device_map=`, a Trainer: nothing is known, nothing is said."""
    text = """\
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, BatchEncoding, Trainer, TrainingArguments

tokenizer = AutoTokenizer.from_pretrained("x")
placed = AutoModelForCausalLM.from_pretrained("x", device_map="auto")
inputs = tokenizer(["a text"], return_tensors="pt")
inputs.to("cuda:0")
placed.generate(**inputs, max_new_tokens=5)
placed(**inputs).logits.argmax(-1).cpu().numpy()
moved = tokenizer(["a text"], return_tensors="pt").to("cuda:0")
own = AutoModelForCausalLM.from_pretrained("x")
own.to(torch.device("cuda:0"))
own(**moved, labels=moved["input_ids"]).loss.backward()
Trainer(model=own, args=TrainingArguments("out"), train_dataset=[]).train()
BatchEncoding({"input_ids": torch.zeros(1, 3, dtype=torch.long)}).to("cuda:0")
moved["input_ids"] + torch.zeros(3)
"""
    assert _found(text) == [("mixed-devices", 16)]


def test_attention_with_weights_apart_takes_an_empty_joint_one() -> None:
    """What is not used may be anywhere."""
    text = """\
import torch
import torch.nn.functional as F

q, w = torch.rand(2, 1, 4, device="cuda:0"), torch.rand(4, 4, device="cuda:0")
apart = {"use_separate_proj_weight": True, "q_proj_weight": w, "k_proj_weight": w, "v_proj_weight": w}
b = torch.zeros(12, device="cuda:0")
F.multi_head_attention_forward(q, q, q, 4, 1, torch.empty([0]), b, None, None, False, 0.0, w, b[:4], **apart)
F.multi_head_attention_forward(q, q, q.cpu(), 4, 1, torch.empty([0]), b, None, None, False, 0.0, w, b[:4], **apart)
"""
    assert _found(text) == [("mixed-devices", 8)]
