"""Libraries around torch: what frameworks take care of is not reported, and what is written by hand of them reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from checking import analyze, line_of
from devls.analysis import Analyzer, Severity
from devls.config import Config
from devls.library import catalog, stubs
from devls.library.effects import Result
from devls.library.lookup import Library
from devls.project.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path


PROGRAMS = {
    "accelerate_loop": """
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

accelerator = Accelerator(gradient_accumulation_steps=2, mixed_precision="fp16")
data = DataLoader(TensorDataset(torch.randn(64, 8), torch.randint(0, 3, (64,))), batch_size=16)
model = nn.Sequential(nn.Linear(8, 16), nn.Dropout(0.1), nn.Linear(16, 3))
optimizer = torch.optim.AdamW(model.parameters())
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1)
model, optimizer, data, scheduler = accelerator.prepare(model, optimizer, data, scheduler)
for epoch in range(3):
    model.train()
    total = 0.0
    for x, y in data:
        with accelerator.accumulate(model):
            loss = nn.functional.cross_entropy(model(x), y)
            accelerator.backward(loss)
            if accelerator.sync_gradients:
                accelerator.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()
        total += loss.item()
    model.eval()
    with torch.no_grad():
        for x, y in data:
            guesses = accelerator.gather_for_metrics(model(x).argmax(dim=1))
    accelerator.print(total)
accelerator.unwrap_model(model)
""",
    "ignite_engine": """
import torch
from ignite.engine import Engine, Events, create_supervised_evaluator
from ignite.metrics import Accuracy
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3)).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
data = DataLoader(TensorDataset(torch.randn(64, 8), torch.randint(0, 3, (64,))), batch_size=16)


def update(engine, batch):
    model.train()
    optimizer.zero_grad()
    x, y = batch[0].to(device), batch[1].to(device)
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
    return loss.item()


trainer = Engine(update)
evaluator = create_supervised_evaluator(model, metrics={"accuracy": Accuracy()}, device=device)


@trainer.on(Events.EPOCH_COMPLETED)
def evaluate(engine):
    evaluator.run(data)


trainer.run(data, max_epochs=2)
""",
    "lightning_manual": """
import pytorch_lightning as pl
import torch
from torch import nn


class Gan(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.automatic_optimization = False
        self.make, self.judge = nn.Linear(4, 8), nn.Linear(8, 1)
        self.register_buffer("fixed", torch.randn(2, 4))

    def training_step(self, batch, batch_idx):
        make_optimizer, judge_optimizer = self.optimizers()
        z = torch.randn(batch.shape[0], 4).type_as(batch)
        fake = self.make(z)
        judge_loss = self.judge(fake.detach()).mean() - self.judge(batch).mean()
        judge_optimizer.zero_grad()
        self.manual_backward(judge_loss)
        judge_optimizer.step()
        make_loss = -self.judge(fake).mean()
        make_optimizer.zero_grad()
        self.manual_backward(make_loss)
        make_optimizer.step()
        self.log_dict({"make": make_loss, "judge": judge_loss})

    def configure_optimizers(self):
        return torch.optim.Adam(self.make.parameters()), torch.optim.Adam(self.judge.parameters())


pl.Trainer(max_epochs=1).fit(Gan())
""",
    "lightning_module": """
import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Classifier(L.LightningModule):
    def __init__(self, width: int = 16):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Linear(8, width), nn.ReLU(), nn.Dropout(0.1), nn.Linear(width, 3))
        self.outputs = []

    def forward(self, x):
        return self.net(x)

    def training_step(self, batch, batch_idx):
        x, y = batch
        noise = torch.randn(x.shape, device=self.device)
        loss = nn.functional.cross_entropy(self(x + noise), y)
        self.log("loss", loss)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        out = self(x)
        self.outputs.append(out)
        self.log("val", nn.functional.cross_entropy(out, y))

    def predict_step(self, batch, batch_idx):
        return self(batch[0]).cpu().numpy()

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=1e-3)


data = TensorDataset(torch.randn(64, 8), torch.randint(0, 3, (64,)))
trainer = L.Trainer(max_epochs=1, accelerator="gpu", devices=1)
trainer.fit(Classifier(), DataLoader(data, batch_size=16), DataLoader(data, batch_size=16))
model = Classifier.load_from_checkpoint("last.ckpt")
model.eval()
""",
    "skorch_net": """
import numpy as np
import torch
from skorch import NeuralNetClassifier
from torch import nn


class Net(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.hidden, self.out = nn.Linear(8, width), nn.Linear(width, 2)
        self.dropout = nn.Dropout(0.5)

    def forward(self, x):
        return torch.softmax(self.out(self.dropout(torch.relu(self.hidden(x)))), dim=-1)


net = NeuralNetClassifier(Net, max_epochs=2, lr=0.1, device="cuda", criterion=nn.CrossEntropyLoss)
data = np.random.rand(64, 8).astype(np.float32)
net.fit(data, np.random.randint(0, 2, 64))
print(net.predict_proba(data))
""",
    "transformers_trainer": """
import numpy as np
import torch
from torch import nn
from transformers import AutoModelForSequenceClassification, AutoTokenizer, Trainer, TrainingArguments


class WeightedTrainer(Trainer):
    def __init__(self, *args, weights=None, **kwargs):
        super().__init__(*args, **kwargs)
        self.weights = weights

    def compute_loss(self, model, inputs, return_outputs=False, **kwargs):
        labels = inputs.pop("labels")
        outputs = model(**inputs)
        weight = self.weights.to(outputs.logits.device)
        loss = nn.functional.cross_entropy(outputs.logits, labels, weight=weight)
        return (loss, outputs) if return_outputs else loss


def compute_metrics(prediction):
    logits, labels = prediction
    return {"accuracy": (np.argmax(logits, axis=-1) == labels).mean()}


tokenizer = AutoTokenizer.from_pretrained("some/model")
model = AutoModelForSequenceClassification.from_pretrained("some/model", num_labels=2)
arguments = TrainingArguments(output_dir="out", num_train_epochs=1)
trainer = WeightedTrainer(
    model=model, args=arguments, compute_metrics=compute_metrics, weights=torch.tensor([1.0, 2.0])
)
trainer.train()
with torch.no_grad():
    inputs = tokenizer("hello", return_tensors="pt").to(model.device)
    print(model(**inputs).logits.argmax(-1).tolist())
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_quiet(name: str, tmp_path: Path) -> None:
    found = analyze({"program.py": PROGRAMS[name]}, tmp_path)["program.py"]
    assert [f"{each.rule}: {each.message}" for each in found if each.severity is not Severity.INFO] == []


def test_there_are_some() -> None:
    assert len(PROGRAMS) == 6


PLAIN = """
import torch
from torch import nn


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(8, 3)


model = Classifier()
optimizer = torch.optim.Adam(model.parameters())
for x, y in [(torch.randn(4, 8), torch.randint(0, 3, (4,)))] * 3:
    loss = nn.functional.cross_entropy(model.net(x), y)
    loss.backward()
    optimizer.step()
"""


def test_the_same_without_a_framework_is_reported(tmp_path: Path) -> None:
    found = analyze({"plain.py": PLAIN}, tmp_path)["plain.py"]
    assert [each.rule for each in found] == ["missing-zero-grad"]


FILES = sorted(stubs._files())


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
        ("tqdm.auto.trange", Result.RANGE),
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
    """A model of a factory that nobody moves is on the CPU; of others nobody knows where they compute."""
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
    """An unused model may be anywhere."""
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
