"""Questions of kept runs are asked again: each edit here changes a finding without changing the code that led to it."""

from __future__ import annotations

import pytest

from devls.analysis import Analyzer
from devls.config import Config
from devls.engine.driver import incremental
from devls.project.workspace import Workspace
from test_editing import anew, told

LOSSES = """



def classification(logits, target, weight=None):
        weight.to(logits.device)
"""
USER = """
from losses import classification

def epoch(net, batches):
    loss = classification(net(batches), 1, torch.ones(3))
"""
VALIDATES = """
        loss.backward()
def validate(model):
    return model(place(batch(2))).mean().numpy()
if __name__ == "__main__":
"""
FRAGMENT = """
z = x.detach().numpy()
x.to(device)
y = x.to(device)
"""
UNBOUND = """
x.cuda()
def place(x):
    z = x.detach().numpy()
"""
SAMPLE = """
def sample(dim, device="cpu"):
    shift = torch.randn(dim)
    shift.cuda()
    return torch.randn(1, 5, dim, device=device) + shift
"""
PREDICTS = """
import torch
    for x in loader:
def predict(model, loader, device, samples=5):
    for x in loader:
        draws = torch.stack([model(x) for _ in range(samples)])
"""
DOUBLED = PREDICTS.replace("def predict", "def predict(model, loader, device, samples=5):\ndef predict")
TRAINS = '''
class Classifier(nn.Module):
    """
def train(epochs: int = 2) -> None:
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(epochs):
            loss.backward()
            optimizer.step()
'''
DEFAULT = "import torch\ntorch.set_default_device('cuda')\n"
DEFAULT_USER = """
import model
from data import sample

def epoch(net):
    print(net(sample(8)).item())
"""
ADDED = """
import torch
from torch import nn

class Net(nn.Module):
    def forward(self, x):
        return x + torch.ones(2)
"""
SAYS_MODEL = "import model\n"
CHOOSES = "import torch\nfrom model import Net\n\ndevice = torch.device('cuda' if torch.cuda.is_available() else 'cpu')\n"

CASES = {
    "a script that imports it": (
        {"model.py": ADDED, "data.py": SAYS_MODEL, "train.py": CHOOSES},
        "train.py",
        "from model import Net\n",
        "",
    ),
    "a place in another file": ({"losses.py": LOSSES, "train.py": USER}, "losses.py", "\n\n\n", "\n\n"),
    "a word of the text": ({"a.py": VALIDATES}, "a.py", "        loss.backward()\n", ""),
    "a use at the top": ({"a.py": FRAGMENT}, "a.py", "y = x.to(", "y = x.tox("),
    "a name that the file binds": ({"a.py": UNBOUND}, "a.py", "detach", "deta.ch"),
    "a line put before a fix": (
        {"a.py": SAMPLE},
        "a.py",
        "    shift.cuda",
        "        out = net(x)\n    shift.cuda",
    ),
    "a quote that opens": (
        {"a.py": SAMPLE.replace("    shift.cuda()\n", "")},
        "a.py",
        "def sample",
        '        """\ndef sample',
    ),
    "a quote that goes": ({"a.py": TRAINS}, "a.py", '    """\n', ""),
    "a line that is doubled": ({"a.py": PREDICTS}, "a.py", PREDICTS, DOUBLED),
    "a default device of a module": (
        {"model.py": DEFAULT, "data.py": SAMPLE, "train.py": DEFAULT_USER},
        "train.py",
        "    print",
        "    y.sum().backward()\n    print",
    ),
}


@pytest.mark.parametrize(
    ("texts", "path", "old", "new"), [pytest.param(*each, id=name) for name, each in CASES.items()]
)
def test_what_was_read_is_asked_about_again(texts, path, old, new, monkeypatch, tmp_path):
    monkeypatch.setattr(incremental, "LONG", 0)
    texts = {str(tmp_path / name): text for name, text in texts.items()}
    edited = str(tmp_path / path)
    assert old in texts[edited]
    after = texts[edited].replace(old, new, 1)
    for before, now in ((texts[edited], after), (after, texts[edited])):
        follow({**texts, edited: before}, edited, now)


def follow(texts: dict[str, str], path: str, text: str) -> None:
    """Edit a file, and compare what is shown of all with what is found by those who know nothing."""
    workspace = Workspace(editing=True)
    for each, known in texts.items():
        workspace.open(each, known)
    analyzer = Analyzer(workspace, lambda _: Config())
    shown = {each: told(analyzer.analyze(each)) for each in texts}
    texts[path] = text
    workspace.open(path, text)
    for each in analyzer.changed(path) & texts.keys():
        shown[each] = told(analyzer.analyze(each))
    assert shown == {each: told(anew(texts, each)) for each in texts}


MODEL = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(8, 3)
        self.spare = nn.Linear(8, 3)

    def forward(self, x):
        return self.head(x)

seen = Net()(unknown).sum()
plot(seen)
"""
TRAINED = """
import torch
from model import Net

net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    net(torch.randn(4, 8)).sum().backward()
    optimizer.step()
"""


@pytest.mark.parametrize("setting", ["", "torch.set_default_device('cuda')\n"])
def test_whoever_runs_a_module_first_a_file_comes_to_the_same(setting, tmp_path):
    texts = {
        str(tmp_path / "model.py"): MODEL + setting,
        str(tmp_path / "train.py"): TRAINED + DEFAULT_USER + SAMPLE,
    }
    workspace = Workspace()
    for path, text in texts.items():
        workspace.open(path, text)
    analyzer = Analyzer(workspace, lambda _: Config(), hovers=False)
    first, second = (told(analyzer.analyze(str(tmp_path / "train.py"))) for _ in range(2))
    assert first == second


def test_a_file_that_is_closed_is_asked_no_more(tmp_path):
    model, data = str(tmp_path / "model.py"), str(tmp_path / "data.py")
    texts = {model: ADDED, data: SAYS_MODEL}
    workspace = Workspace(editing=True)
    for path, text in texts.items():
        workspace.open(path, text)
    analyzer = Analyzer(workspace, lambda _: Config())
    before = told(analyzer.analyze(model))
    workspace.close(data)
    assert model in analyzer.changed(data)
    found = told(analyzer.analyze(model))
    assert found == told(anew({model: ADDED}, model))
    assert found != before


def test_a_run_that_is_kept_goes_on_asking_about_other_files(tmp_path):
    model, data = str(tmp_path / "model.py"), str(tmp_path / "data.py")
    workspace = Workspace(editing=True)
    workspace.open(model, ADDED)
    workspace.open(data, SAYS_MODEL)
    analyzer = Analyzer(workspace, lambda _: Config())
    for text in (ADDED, f"{ADDED}# a note\n"):
        workspace.open(model, text)
        analyzer.changed(model)
        analyzer.analyze(model)
    workspace.open(data, "import models\n")
    assert model in analyzer.changed(data)


def test_a_question_is_asked_again_when_the_run_that_asked_it_is_over(tmp_path):
    made, user = str(tmp_path / "made.py"), tmp_path / "user.py"
    text = "import torch\nout = net(torch.ones(2))\nprint(out.numpy())\n"
    user.write_text("import torch\nimport made\ntorch.ones(3)\n")
    workspace = Workspace((str(tmp_path),), editing=True)
    workspace.open(made, text)
    analyzer = Analyzer(workspace, lambda _: Config())
    analyzer.analyze(str(user))  # it runs the other file, and keeps nothing of how
    workspace.open(made, text.replace("numpy", "choose"))
    assert str(user) in analyzer.changed(made)
