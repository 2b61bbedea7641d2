"""Texts of hovers and hints, and the places without any."""

from __future__ import annotations

import ast
import gc
import re
from typing import TYPE_CHECKING

import pytest

from devls.analysis import RECORDINGS_KEPT, Analyzer
from devls.config import Config
from devls.engine.core.machine import Machine
from devls.lsp.features.inlay_hints import label, tooltip
from devls.project.workspace import Workspace
from torch_programs import Program, run_programs

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


def test_nothing_is_said_of_a_statement_that_does_not_parse(tmp_path: Path) -> None:
    text = "import torch\n\nx = torch.zeros(3)\nx = x.cuda(async=True)\ny = x + 1\n"
    (tmp_path / "old.py").write_text(text, "utf-8")
    analysis = Analyzer(Workspace((str(tmp_path),)), lambda _: Config()).analyze(str(tmp_path / "old.py"))
    start = text.index("x = x.cuda")
    assert [analysis.hover(each) for each in range(start, start + 16)] == [None] * 16
    found = analysis.hover(text.index("x + 1"))
    assert found is not None
    assert "**Tensor** on **?**" in found.markdown


def test_calls_of_one_function_are_told_apart(told) -> None:
    text = told("scores.softmax", 2)
    assert "- requires grad: yes (leaf: no) when called at line 19, or no when called at line 27" in text
    assert "**Tensor** on **cuda:0**\n" in text
    # Common parts of all of them are said once.
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


# The state at a place, held against torch that runs the same lines

STATES = {
    "a module is moved": """\
import torch
from torch import nn
model = nn.Linear(4, 2)
print(model)
model.to("cuda")
print(model)
model.cpu()
print(model)
""",
    "a tensor is not moved": """\
import torch
x = torch.zeros(3)
x.to("cuda")
print(x)
y = x.to("cuda")
x = x.cuda()
print(x, y)
x = x.cpu()
print(x)
""",
    "a flag is set and taken back": """\
import torch
w = torch.randn(3)
print(w)
w.requires_grad_()
print(w)
v = w * 2
print(v, v.detach())
w.requires_grad_(False)
print(w, v)
""",
    "a module changes its mode": """\
import torch
from torch import nn
net = nn.Sequential(nn.Linear(4, 4), nn.Dropout())
print(net)
net.eval()
print(net)
net.train()
print(net)
net.train(False)
print(net)
""",
    "a tensor is written in place": """\
import torch
w = torch.ones(3, requires_grad=True)
x = torch.zeros(3)
print(x)
x.add_(w)
print(x)
x.detach_()
print(x)
""",
    "a graph is freed": """\
import torch
w = torch.ones(3, requires_grad=True)
kept = (w * w).sum()
loss = (w * w).sum()
print(loss, kept)
kept.backward(retain_graph=True)
loss.backward()
print(loss, kept)
""",
    "a loop with a first round": """\
import torch
w = torch.ones(3, requires_grad=True)
total = torch.zeros(3)
x = torch.zeros(3)
for i in range(4):
    print(total, x)
    total = total + w
    print(total)
    x = x.cuda()
    print(x)
print(total, x)
""",
    "a loop that switches modes": """\
import torch
from torch import nn
net = nn.Linear(3, 1)
data = [torch.ones(3) for _ in range(3)]
for epoch in range(3):
    print(net)
    net.train()
    for x in data:
        out = net(x)
        print(out, net)
    net.eval()
    with torch.no_grad():
        seen = net(data[0])
        print(seen)
    print(net)
""",
    "a branch": """\
import torch
import sys
x = torch.zeros(3)
w = torch.ones(3)
if len(sys.argv) > 5:
    w.requires_grad_()
    x = x.cuda()
    print(w, x)
else:
    print(w, x)
print(w, x)
""",
    "a function that is called twice": """\
import torch
def scale(x, by):
    out = x * by
    print(out)
    return out
w = torch.ones(3, requires_grad=True)
a = scale(torch.ones(3), 2)
b = scale(w, 3)
print(a, b)
c = scale(torch.ones(3, device="cuda"), 4)
print(c)
""",
    "a function that changes what it is given": """\
import torch
from torch import nn
def prepare(model):
    print(model)
    model.to("cuda")
    for p in model.parameters():
        p.requires_grad_(False)
    model.eval()
    print(model)
    return model
net = nn.Linear(3, 3)
print(net, net.weight)
other = prepare(net)
print(net, other, net.weight)
""",
    "a step of training": """\
import torch
from torch import nn
device = "cuda"
net = nn.Linear(3, 1).to(device)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.ones(4, 3)
y = torch.ones(4, 1, device=device)
for _ in range(2):
    opt.zero_grad()
    z = x.to(device)
    loss = ((net(z) - y) ** 2).mean()
    print(loss)
    loss.backward()
    print(loss)
    opt.step()
value = loss.detach()
print(value, x, loss)
""",
}

_RECORDER = """
_seen = {}
def _see(line, column, value):
    import torch as t
    def freed(node, met=None):
        met = set() if met is None else met
        if node is None or node in met:
            return False
        met.add(node)
        try:
            for name in dir(node):
                if name.startswith("_saved_"):
                    getattr(node, name)
        except RuntimeError:
            return True
        return any(freed(each, met) for each, _ in node.next_functions)
    if isinstance(value, t.Tensor):
        told = ("tensor", value.device.type, value.requires_grad, freed(value.grad_fn))
    elif isinstance(value, t.nn.Module):
        told = ("module", next(value.parameters()).device.type, value.training, None)
    else:
        return value
    _seen.setdefault(f"{line}:{column}", set()).add(told)
    return value
"""


class _Recording(ast.NodeTransformer):
    """Has each name of a program told of as it is read, and as it was bound."""

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if isinstance(node.ctx, ast.Store):
            return node
        return _seeing(node, node)

    def visit_Assign(self, node: ast.Assign) -> list[ast.stmt]:
        node.value = self.visit(node.value)
        told = [
            ast.Expr(_seeing(each, ast.Name(each.id, ast.Load())))
            for each in node.targets
            if isinstance(each, ast.Name)
        ]
        return [node, *told]


def _seeing(place: ast.Name, value: ast.expr) -> ast.expr:
    arguments: list[ast.expr] = [ast.Constant(place.lineno), ast.Constant(place.col_offset), value]
    return ast.Call(ast.Name("_see", ast.Load()), arguments, [])


def _recorded(code: str) -> str:
    return _RECORDER + ast.unparse(ast.fix_missing_locations(_Recording().visit(ast.parse(code))))


@pytest.fixture(scope="module")
def states() -> dict[str, dict[str, set[tuple[str, str, bool, bool | None]]]]:
    """Observations of torch at each name of each program."""
    programs = [
        Program(f"{name}{way}", {"program.py": _recorded(code.replace("> 5", way))}, effect="_seen")
        for name, code in STATES.items()
        for way in ("> 5", "< 5")
    ]
    found = run_programs(programs, accelerator=True)
    assert not [each.raised for each in found.values() if each.raised]
    both: dict[str, dict[str, set[tuple[str, str, bool, bool | None]]]] = {name: {} for name in STATES}
    for name, each in found.items():
        for place, seen in ast.literal_eval(each.effect).items():
            both[name[:-3]].setdefault(place, set()).update(seen)
    return both


def _contradictions(told: str, seen: set[tuple[str, str, bool, bool | None]]) -> list[str]:
    """Statements of a hover that torch does not make."""
    told = told.partition("This call returns")[0]
    wrong: list[str] = []
    devices = {each[1] for each in seen}
    place = re.search(r"\*\*(?:Tensor|Parameter|Module)\*\*.* on (.*)", told.split("\n")[0])
    if place is not None and (said := set(re.findall(r"\b(cuda|cpu)\b", place[1]))) and said != devices:
        wrong.append(f"on {sorted(said)}, torch: {sorted(devices)}")
    for pattern, words, answers in (
        (r"requires grad: (.*)", ("yes", "no"), {each[2] for each in seen if each[0] == "tensor"}),
        (r"mode: (.*)", ("train", "eval"), {each[2] for each in seen if each[0] == "module"}),
    ):
        line = re.search(pattern, told)
        text = re.sub(r"\(leaf[^)]*\)|not known", "", line[1]) if line else ""
        flags = {words.index(each) == 0 for each in re.findall(r"\b(yes|no|train|eval)\b", text)}
        if flags and flags != answers and not ("not known" in (line[0] if line else "") and flags < answers):
            wrong.append(f"{line[0] if line else ''}, torch: {sorted(answers)}")
    freed = {each[3] for each in seen if each[0] == "tensor"}
    if "graph: freed" in told and freed != {True}:
        wrong.append(f"freed, torch: {freed}")
    return wrong


@pytest.mark.parametrize("name", STATES)
def test_the_state_at_a_place_is_that_of_torch(name, states, tmp_path) -> None:
    code = STATES[name]
    (tmp_path / "program.py").write_text(code, "utf-8")
    analysis = Analyzer(Workspace((str(tmp_path),)), lambda _: Config()).analyze(str(tmp_path / "program.py"))
    index = analysis.source.index
    wrong: list[str] = []
    told = 0
    for place, seen in states[name].items():
        line, column = map(int, place.split(":"))
        found = analysis.hover(index.line_start(line - 1) + column)
        if found is not None and found.range.start == index.line_start(line - 1) + column:
            told += 1
            wrong += [f"{place}: {each}" for each in _contradictions(found.markdown, seen)]
    assert not wrong, "\n".join(wrong)
    assert told >= min(len(states[name]), 3), "silence is no wrong answer, and no answer"


def test_there_are_sixty_places(states) -> None:
    assert len(states) >= 12
    assert sum(map(len, states.values())) >= 60


def test_rounds_and_freed_graphs_are_told_apart(tmp_path) -> None:
    def told(name: str, text: str, within: int) -> str:
        code = STATES[name]
        (tmp_path / "program.py").write_text(code, "utf-8")
        path = str(tmp_path / "program.py")
        found = Analyzer(Workspace((str(tmp_path),)), lambda _: Config()).analyze(path)
        hover = found.hover(code.index(text) + within)
        assert hover is not None
        return hover.markdown

    rounds = told("a loop with a first round", "print(total, x)", 6)
    assert "no in the first round of the loop at line 5, or yes (leaf: no) in later rounds" in rounds
    assert "graph" not in told("a graph is freed", "print(loss, kept)", 6)
    assert "graph: freed by the backward at line 7" in told("a graph is freed", "backward()\nprint(loss", 17)


CALLS = {
    "x.detach()": ("w.detach()", "y = w.detach()", "y.data_ptr() == w.data_ptr() and not y.requires_grad"),
    "flag": ("v.requires_grad_()", "y = v.requires_grad_()", "y is v and v.requires_grad"),
    "read": ("(w * w).sum().item()", "y = (w * w).sum().item()", "type(y) is float"),
    "eval": (
        "net.eval()",
        "y = net.eval(); z = net(torch.ones(1, 4))",
        "y is net and not net[1].training and z.requires_grad and bool((z != 0).all())",
    ),
    "train": ("net.train()", "net.eval(); y = net.train()", "y is net and net[1].training"),
    "freeze": (
        "net.requires_grad_(False)",
        "y = net.requires_grad_(False)",
        "y is net and not any(p.requires_grad for p in net.parameters())",
    ),
    "clear": (
        "net.zero_grad()",
        "net(torch.ones(1, 4)).sum().backward(); net.zero_grad()",
        "all(p.grad is None for p in net.parameters())",
    ),
    "forward": (
        "net.forward(torch.ones(1, 4))",
        "n = []; net.register_forward_hook(lambda *a: n.append(1)); net.forward(torch.ones(1, 4)); net(torch.ones(1, 4))",
        "len(n) == 1",
    ),
    "step": (
        "opt.step()",
        """\
b = net[0].bias.detach().clone()
opt.step()
c = net[0].bias.detach().clone()
net(torch.ones(1, 4)).sum().backward()
opt.step()
""",
        "bool((b == c).all()) and bool((c != net[0].bias).any())",
    ),
    "opt zero": (
        "opt.zero_grad()",
        "f = lambda: net(torch.ones(1, 4)).sum().backward(); net.eval(); f(); g = net[0].bias.grad.clone(); f()",
        "bool((net[0].bias.grad == 2 * g).all()) and opt.zero_grad() is None and net[0].bias.grad is None",
    ),
    "backward": (
        "(w * w).sum().backward()",
        "k = (w * w).sum(); k.backward(retain_graph=True); k.backward()",
        "bool((w.grad == 4 * w).all())",
    ),
    "no_grad": (
        "torch.no_grad()",
        "exec('with torch.no_grad():\\n    y = w * 2')",
        "not y.requires_grad and w.requires_grad and net.training",
    ),
    "inference": (
        "torch.inference_mode()",
        """\
with torch.inference_mode():
    y = torch.ones(3)
z = y.clone() * w
try:
    y * w
except RuntimeError as error:
    r = "Inference tensors cannot be saved" in str(error)
""",
        "y.is_inference() and r and z.requires_grad",
    ),
    "enable": (
        "torch.enable_grad()",
        "exec('with torch.no_grad(), torch.enable_grad():\\n    y = w * 2')",
        "y.requires_grad",
    ),
    "parallel": (
        "nn.DataParallel(net)",
        "y = nn.DataParallel(net)",
        "y.module is net and all(k.startswith('module.') for k in y.state_dict())",
    ),
}
_BEFORE_CALLS = """\
import torch
from torch import nn
w = torch.ones(3, requires_grad=True)
v = torch.zeros(3)
net = nn.Sequential(nn.Linear(4, 4), nn.Dropout())
opt = torch.optim.SGD(net.parameters(), lr=0.1)
"""


def test_what_is_said_of_calls_is_so() -> None:
    programs = [
        Program(name, {"program.py": f"{_BEFORE_CALLS}{code}\n"}, effect=effect)
        for name, (_, code, effect) in CALLS.items()
    ]
    found = run_programs(programs, accelerator=False)
    assert {name: each.raised or each.effect for name, each in found.items()} == dict.fromkeys(CALLS, "True")


@pytest.mark.parametrize("name", CALLS)
def test_calls_are_told_of(name, tmp_path) -> None:
    call = CALLS[name][0]
    code = f"{_BEFORE_CALLS}{call}\n"
    (tmp_path / "program.py").write_text(code, "utf-8")
    analysis = Analyzer(Workspace((str(tmp_path),)), lambda _: Config()).analyze(str(tmp_path / "program.py"))
    start = len(_BEFORE_CALLS)
    method = call[: call.rindex("(")].rindex(".") + 2
    if name == "forward":
        method = call.index(".forward") + 2
    found = analysis.hover(start + method)
    assert found is not None
    words = {"no_grad": "no graph", "inference": "inference tensor", "enable": "again", "parallel": ".module"}
    expected = words.get(name, f"`{call}` ")
    assert expected in found.markdown, found.markdown


HINTED = """\
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
    told = found(tmp_path, HINTED).hints(lambda: False)
    assert told is not None
    assert {before(HINTED, each.offset): label(each, gradient=True) for each in told} == HINTS
    short = {before(HINTED, each.offset): label(each, gradient=False) for each in told}
    assert short["out"] == ": cpu"
    (of_out,) = (each for each in told if before(HINTED, each.offset) == "out")
    assert tooltip(of_out) == "on cpu, requires a gradient, of shape (8, 2)"


def test_torch_agrees(tmp_path: Path) -> None:
    """Values as the program leaves them; `h`, `row` and parameters are gone by then, and `w` has changed."""
    import torch  # noqa: PLC0415  only this test runs it

    left: dict[str, object] = {}
    exec(compile(HINTED, "program.py", "exec"), left)  # noqa: S102  the program above
    told = found(tmp_path, HINTED).hints(lambda: False)
    said = {before(HINTED, each.offset): each for each in told or ()}
    for name in ("x", "out", "first", "frozen", "moved", "again"):
        value = left[name]
        assert isinstance(value, torch.Tensor)
        assert value.device.type in said[name].device
        assert value.requires_grad == said[name].gradient
        assert str(tuple(value.shape)) == said[name].shape


def test_hints_are_given_up_when_the_text_changes(tmp_path: Path) -> None:
    analysis = found(tmp_path, HINTED)
    assert analysis.hints(lambda: True) is None
    assert analysis.hints(lambda: False)


def test_values_of_the_files_last_asked_about_are_kept(tmp_path: Path) -> None:
    """Files that are open as they are on the disk, and that have been imported before."""
    paths = [tmp_path / f"part{number}.py" for number in range(RECORDINGS_KEPT + 3)]
    for each in paths:
        each.write_text(HINTED, "utf-8")
    program = tmp_path / "program.py"
    program.write_text("".join(f"import {each.stem}\n" for each in paths), "utf-8")
    workspace = Workspace((str(tmp_path),), editing=True)
    analyzer = Analyzer(workspace, lambda _path: Config())
    for each in (program, *paths):
        workspace.open(str(each), each.read_text("utf-8"))
        analyzer.changed(str(each))
        analyzer.analyze(str(each))
    before = machines()
    kept = [analyzer.analyze(str(each)) for each in paths]
    assert machines() == before, "an analysis keeps none"
    for analysis in kept:
        assert "cuda" in analysis.hover(HINTED.index("moved")).markdown
    assert machines() == before + RECORDINGS_KEPT


def machines() -> int:
    gc.collect()
    return sum(isinstance(each, Machine) and bool(vars(each)) for each in gc.get_objects())
