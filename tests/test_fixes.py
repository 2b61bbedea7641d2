"""Fixes keep the rest of the text, settle, leave out one of two that undo one another, and move what a helper has made."""

from __future__ import annotations

import ast
import io
import itertools
import random
import textwrap
import tokenize
from typing import TYPE_CHECKING, cast

import pytest

from checking import write_files
from devls.analysis import Analyzer, Diagnostic, Severity
from devls.cli.check import Check
from devls.cli.complaints import Complaints
from devls.cli.fixing import apply_fixes
from devls.config import Config
from devls.engine.core.events.events import Operand
from devls.project.workspace import Workspace
from devls.rules.device import wording
from devls.syntax.source import Source
from devls.text.edits import Applicability, Edit, Fix, Range, apply_edits
from devls.values.devices import CPU
from devls.values.history import Site, Step
from devls.values.value import TensorValue
from pages import Block, all_pages

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


BLOCKS = [
    block
    for page in all_pages()
    for block in page.blocks
    if block.fixed is not None and not block.fixed.by_hand and len(block.files) == 1
]


def with_windows_line_ends(text: str) -> str:
    return text.replace("\n", "\r\n")


def with_tabs(text: str) -> str:
    lines = []
    for line in text.splitlines(keepends=True):
        body = line.lstrip(" ")
        depth, rest = divmod(len(line) - len(body), 4)
        lines.append("\t" * depth + " " * rest + body)
    return "".join(lines)


def with_other_letters(text: str) -> str:
    """Letters of two, three and four bytes before everything, and in a function around it all."""
    return "# Größe 漢字 🎉\n" + text


def without_last_line_end(text: str) -> str:
    return text.removesuffix("\n")


WAYS = [with_windows_line_ends, with_tabs, with_other_letters, without_last_line_end]


def fixed(text: str, folder: Path) -> tuple[str, Check]:
    path = folder / "example.py"
    path.write_bytes(text.encode())
    workspace = Workspace((str(folder),))
    check = Check(Analyzer(workspace, lambda _: Config()), workspace, {str(path): "example.py"}, Complaints())
    check.run()
    apply_fixes(check, unsafe=True)
    return check.workspace.source(str(path)).text, check


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.id)
def test_fix_keeps_the_rest(block: Block, way: Callable[[str], str], tmp_path: Path) -> None:
    assert block.fixed is not None
    text, check = fixed(way(block.files[block.main]), tmp_path)
    ast.parse(text)
    wanted = block.fixed.files[block.fixed.main]
    if way is not with_tabs or "\t" in way(
        block.files[block.main]
    ):  # where nothing is indented nobody knows how
        wanted = way(wanted)
    assert text.rstrip("\r\n") == wanted.rstrip("\r\n")
    again = check.findings[str(tmp_path / "example.py")]
    assert not [each for each in again if each.rule == block.page.removesuffix(".md").replace("_", "-")]


def _remarks(text: str) -> list[str]:
    """The comments that `with_remarks` has put into a text, in order."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return [each.string for each in tokens if each.type == tokenize.COMMENT and "remark" in each.string]


def with_remarks(text: str) -> str:
    """A comment of its own behind each bracket that opens, on a line that ends there."""
    starts = list(itertools.accumulate(map(len, text.splitlines(keepends=True)), initial=0))
    places, depth = list[int](), 0
    for each in tokenize.generate_tokens(io.StringIO(text).readline):
        depth -= each.type == getattr(tokenize, "FSTRING_END", -1)
        if each.type == tokenize.OP and each.string in ("(", "[", "{") and not depth:
            places.append(starts[each.end[0] - 1] + each.end[1])
        depth += each.type == getattr(tokenize, "FSTRING_START", -1)
    for number, place in reversed(list(enumerate(places))):
        text = f"{text[:place]}  # remark {number}\n{text[place:]}"
    return text


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.id)
def test_safe_fixes_lose_no_comment(block: Block, tmp_path: Path) -> None:
    text = with_remarks(block.files[block.main])
    ast.parse(text)
    assert _remarks(text) == _remarks(_fixed(text, tmp_path, unsafe=False))


# Fixes that undo one another, or call for one another, are left out: who fixes again changes nothing


HEAD = """import torch
from torch import nn

model = nn.Linear(3, 3)
w = torch.ones(3, requires_grad=True)
x = torch.rand(2, 3)
opt = torch.optim.SGD([w, *model.parameters()], lr=0.1)
"""

WALKED_TWICE = """h = torch.rand(2, 3)
while True:
    h = torch.tanh(model(h))
    h.backward(torch.ones(2, 3))
    loss = h.sum()
    h.backward(torch.ones(2, 3))
"""

COLLECTED = """losses = []
loss = 0
for _ in range(3):
    loss = loss + (w**2).sum()
    loss.backward()
    losses.append(loss)
total = torch.tensor(losses, requires_grad=True)
total.sum().backward()
"""

CARRIED = """loss = (w * w).sum()
hidden = torch.zeros(2, 3, requires_grad=True)
while True:
    loss = h.exp().sum()
    loss.backward()
    loss = loss + model(x).pow(2).mean()
    h = torch.tanh(model(h))
"""

CUT_BY_HAND = """for _ in range(3):
    loss = (w * x).sum()
    loss = loss.detach()
    loss.backward()
"""

STARTS = [
    "h = torch.rand(2, 3)",
    "h = model(x)",
    "loss = (w * w).sum()",
    "loss = torch.zeros(())",
    "losses = []",
    "total = 0.0",
]
STEPS = [
    "h = torch.tanh(model(h))",
    "h = h.exp()",
    "h = h.detach()",
    "h.backward(torch.ones(2, 3))",
    "h += 1",
    "h.data = h + 1",
    "loss = loss * loss",
    "loss = h.exp().sum()",
    "loss = loss + model(x).pow(2).mean()",
    "loss = loss.clone()",
    "loss = loss.detach()",
    "loss.requires_grad_()",
    "loss.backward()",
    "loss.backward(retain_graph=True)",
    "losses.append(loss)",
    "losses.append(loss.item())",
    "loss = torch.tensor(losses).sum()",
    "loss = torch.stack(losses).mean()",
    "total = total + loss",
    "total.backward()",
    "opt.step()",
    "opt.zero_grad()",
    "x.cuda()",
    "x = x.cuda()",
]


def _generated(seed: int) -> str:
    chosen = random.Random(str(seed))  # noqa: S311  the same programs each time
    body = [f"    {chosen.choice(STEPS)}\n" for _ in range(chosen.randint(3, 8))]
    starts = "".join(f"{each}\n" for each in chosen.sample(STARTS, 2))
    return f"{starts}{chosen.choice(['while True:', 'for _ in range(3):'])}\n{''.join(body)}"


def _fixed(text: str, folder: Path, *, unsafe: bool = True) -> str:
    write_files({"example.py": text}, folder)
    workspace = Workspace((str(folder),))
    path = str(folder / "example.py")
    check = Check(Analyzer(workspace, lambda _: Config()), workspace, {path: "example.py"}, Complaints())
    check.run()
    assert path in check.analyses
    apply_fixes(check, unsafe=unsafe)
    return workspace.source(path).text


def _assigned_to_themselves(text: str) -> int:
    return sum(
        isinstance(each, ast.Assign) and ast.unparse(each.targets[0]) == ast.unparse(each.value)
        for each in ast.walk(ast.parse(text))
    )


@pytest.mark.parametrize("program", [WALKED_TWICE, COLLECTED, CARRIED, CUT_BY_HAND])
def test_fixing_again_changes_nothing(program: str, tmp_path: Path) -> None:
    once = _fixed(HEAD + program, tmp_path)
    assert _fixed(once, tmp_path) == once
    assert not _assigned_to_themselves(once)


def test_the_other_fixes_of_a_file_are_applied(tmp_path: Path) -> None:
    once = _fixed(HEAD + "y = torch.rand(2)\ny.cuda()\n" + CARRIED, tmp_path)
    assert "y = y.cuda()" in once


@pytest.mark.parametrize("part", range(5))
def test_fixing_generated_programs_ends(part: int, tmp_path: Path) -> None:
    for seed in range(part * 30, part * 30 + 30):
        program = HEAD + _generated(seed)
        once = _fixed(program, tmp_path)
        assert _fixed(once, tmp_path) == once, seed
        assert not _assigned_to_themselves(once), seed


# A tensor of a helper is moved where the helper is called: it takes no `device` of ours


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


@pytest.mark.parametrize(
    ("made", "wanted"),
    [
        ("Variable(torch.zeros(2))", "Variable(torch.zeros(2, device=x.device))"),
        ("nn.Parameter(torch.zeros(2))", "nn.Parameter(torch.zeros(2).to(x.device))"),
        ("torch.FloatTensor(2)", "torch.FloatTensor(2).to(x.device)"),
        ("torch.Tensor([1.0, 2.0])", "torch.Tensor([1.0, 2.0]).to(x.device)"),
        ("torch.from_numpy(a)", "torch.from_numpy(a).to(x.device)"),
    ],
)
def test_what_takes_no_device_is_given_none(made: str, wanted: str, tmp_path: Path) -> None:
    head = "import torch\nfrom torch import nn\nfrom torch.autograd import Variable\n"
    program = f"{head}def f(x, a):\n    x = x.to('cuda')\n    return x + {made}\n"
    assert _fixed(program, tmp_path) == program.replace(made, wanted)


# A name that only a loop binds may be unbound behind it


LOOPED = """import torch
from torch import nn


class Field(nn.Module):
    def __init__(self):
        super().__init__()
        self.start, self.end = nn.Parameter(torch.ones(2)), nn.Parameter(torch.ones(2))

    def forward(self, rows):
        found = torch.stack(rows).cpu()
        for row in rows[1:]:
            begun = self.start.view(1, 2)
        return found + self.end.view(1, 2)
"""


@pytest.mark.parametrize(
    ("program", "wanted"),
    [
        (LOOPED, "found.to(next(self.parameters()).device)"),
        (LOOPED.replace("for row in rows[1:]", "if True"), "found.to(begun.device)"),
        (LOOPED.replace("        return", "            return"), "found.to(begun.device)"),
    ],
)
def test_a_name_that_only_a_loop_binds_is_not_read_behind_it(
    program: str, wanted: str, tmp_path: Path
) -> None:
    assert wanted in _fixed(program, tmp_path)


# Nothing is moved as a matter of course of which nobody knows whether it is a tensor


FED = """import torch
def feed(net, loader, optimizer, criterion, device):
    net.to(device)
    for inputs, wanted in loader:
        LOSS
        loss.backward()
        optimizer.step()
"""


@pytest.mark.parametrize(
    ("loss", "safety"),
    [
        ("loss = net(inputs)", Applicability.UNSAFE),
        ("loss = net(inputs) + torch.sum(inputs)", Applicability.SAFE),
        ("loss = criterion(net(inputs), wanted.to(device))", Applicability.SAFE),
    ],
)
def test_what_only_a_model_is_given_may_be_no_tensor(
    loss: str, safety: Applicability, tmp_path: Path
) -> None:
    path = tmp_path / "example.py"
    path.write_text(FED.replace("LOSS", loss))
    found = Analyzer(Workspace((str(tmp_path),)), lambda _: Config()).analyze(str(path))
    fed = [each for each in found.diagnostics if each.rule == "input-off-module-device"]
    assert [fix.applicability for each in fed for fix in each.fixes] == [safety]


# A module that was saved whole, and is not moved, has to be where its inputs are


RESTORED = """import sys
import torch
model = torch.load("model.pt", weights_only=False)
model.eval()
def evaluate(batches):
    for batch in batches:
        if "--cuda" in sys.argv:
            batch = batch.cuda()
        print(model(batch))
"""


@pytest.mark.parametrize(
    ("program", "safety"),
    [
        (RESTORED, Applicability.UNSAFE),
        (RESTORED.replace("model.eval()", "model = model.cuda()"), Applicability.SAFE),
    ],
)
def test_a_module_that_nobody_moves_is_not_safely_read_to_the_host(
    program: str, safety: Applicability, tmp_path: Path
) -> None:
    path = tmp_path / "example.py"
    path.write_text(program)
    found = Analyzer(Workspace((str(tmp_path),)), lambda _: Config()).analyze(str(path))
    loads = [each for each in found.diagnostics if each.rule == "load-without-map-location"]
    assert [fix.applicability for each in loads for fix in each.fixes] == [safety]


def test_a_module_that_says_itself_where_it_is_is_not_read_to_the_host(tmp_path: Path) -> None:
    """Its attribute stays as it was saved, and its inputs go there."""
    path = tmp_path / "example.py"
    path.write_text(RESTORED.replace("model(batch)", "model(batch.to(model.device))"))
    found = Analyzer(Workspace((str(tmp_path),)), lambda _: Config()).analyze(str(path))
    loads = [each for each in found.diagnostics if each.rule == "load-without-map-location"]
    assert [each.fixes for each in loads] == [()]


# A mode is set once, before the loop that evaluates


TRAINED = """import torch
def report(trial):
    print(trial)
from torch import nn
model = nn.Sequential(nn.Linear(4, 64), nn.Dropout(0.5), nn.Linear(64, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(3):
    optimizer.zero_grad()
    model(torch.randn(8, 4)).pow(2).mean().backward()
    optimizer.step()
for trial in range(2):
    BODY
    with torch.no_grad():
        for batch in torch.randn(5, 8, 4):
            error = model(batch).mean()
"""


@pytest.mark.parametrize(
    ("body", "before"),
    [
        ("print(trial)", "for trial"),
        ("report(trial)", "for batch"),
    ],
)
def test_a_mode_is_set_before_the_loop_that_evaluates(body: str, before: str, tmp_path: Path) -> None:
    path = tmp_path / "example.py"
    path.write_text(TRAINED.replace("BODY", body))
    found = Analyzer(Workspace((str(tmp_path),)), lambda _: Config()).analyze(str(path))
    ((fix,),) = [each.fixes for each in found.diagnostics if each.rule == "eval-mode-forgotten"]
    lines = apply_edits(path.read_text(), fix.edits).splitlines()
    assert lines[[each.strip() for each in lines].index("model.eval()") + 1].strip().startswith(before)


# Findings that a fix must not bring


class Scripted:
    """A check of one file whose findings are those of the words in its text."""

    def __init__(self, text: str, fixes: dict[str, tuple[str, ...]]) -> None:
        self.workspace, self.texts = self, {"example.py": text}
        self._fixes = fixes
        """Replacements of a word, for each word that is found."""
        self.run()

    def source(self, path: str) -> Source:
        return Source(path, self.texts[path])

    def change(self, sources: dict[str, Source]) -> None:
        self.texts |= {path: source.text for path, source in sources.items()}
        self.run()

    def run(self) -> None:
        text = self.texts["example.py"]
        self.analyses = {"example.py": None}
        self.findings = {
            "example.py": [
                Diagnostic(word, Severity.ERROR, word, "example.py", place, (), _changes(place, become))
                for word, become in self._fixes.items()
                for place in [Range(text.find(word), text.find(word) + len(word))]
                if word in text
            ]
        }


def _changes(place: Range, become: tuple[str, ...]) -> tuple[Fix, ...]:
    return tuple(Fix(each, (Edit(place, each),), Applicability.SAFE) for each in become)


@pytest.mark.parametrize(
    ("fixes", "left"),
    [
        ({"one": ("two", "three"), "two": ()}, "three\nfour\n"),  # the second way brings nothing
        ({"one": ("two",), "two": ()}, "one\nfour\n"),
        ({"one": ("two",), "two": ("three",)}, "three\nfour\n"),  # what is new is mended as well
        ({"one": ("two",), "two": ("three",), "three": ()}, "one\nfour\n"),
        ({"one": ("two",), "four": ("five",), "two": ()}, "one\nfive\n"),  # the other one is kept
    ],
)
def test_a_fix_that_brings_a_new_finding_is_withdrawn(fixes: dict[str, tuple[str, ...]], left: str) -> None:
    check = Scripted("one\nfour\n", fixes)
    apply_fixes(cast("Check", check), unsafe=False)
    assert check.texts["example.py"] == left


LEFT_OUT = {
    "a chain that moves what it makes": (
        """
        import torch

        def shown(images, device="cpu"):
            shift = torch.tensor([0.5]).view(1, -1, 1, 1).to(device)
            return images * shift

        net = torch.nn.Linear(3, 3).cuda()
        shown(net(torch.ones(2, 3).cuda()))
        """,
        "tensor-created-off-device",
        "Create it with",
    ),
    "states of generators": (
        """
        import torch

        def resume(net: torch.nn.Linear, path, device):
            saved = torch.load(path)
            net.load_state_dict(saved["net"])
            net.to(device)
            torch.set_rng_state(saved["random"])
        """,
        "load-without-map-location",
        "map_location=device",
    ),
    "a dict has no device": (
        """
        import torch
        from torch import nn

        class Loss(nn.Module):
            def forward(self, data, few=False):
                if few:
                    return torch.zeros(3)
                return data.new_zeros(3) + data["x"]
        """,
        "result-off-device",
        "device=data.device",
    ),
    "a tensor that is to be trained": (
        """
        import torch
        from torch import nn

        class Scaled(nn.Module):
            def __init__(self, n):
                super().__init__()
                self.weight = torch.randn(n) * 0.1
                self.weight.requires_grad = True

            def forward(self, x):
                return x * self.weight

        net = Scaled(3).cuda()
        net(torch.ones(3).cuda())
        """,
        "unregistered-tensor",
        "as a buffer",
    ),
}


@pytest.mark.parametrize("name", LEFT_OUT)
def test_a_fix_that_cures_nothing_is_left_out(name: str, tmp_path: Path) -> None:
    text, rule, without = LEFT_OUT[name]
    (tmp_path / "program.py").write_text(textwrap.dedent(text), encoding="utf-8")
    analyzer = Analyzer(Workspace((str(tmp_path),)), lambda _: Config())
    found = [each for each in analyzer.analyze(str(tmp_path / "program.py")).diagnostics if each.rule == rule]
    assert found
    titles = [fix.title for each in found for fix in each.fixes]
    assert not [each for each in titles if without in each]
