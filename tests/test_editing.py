"""State kept while a file is edited never shows: each analysis equals that of the text seen for the first time."""

from __future__ import annotations

import ast
import contextlib
import gc
import random

import pytest

from devls.analysis import Analysis, AnalysisCancelled, Analyzer
from devls.config import Config
from devls.engine.core import limits
from devls.engine.driver import entry_points, fingerprint, incremental, resumption
from devls.engine.driver.checkpoints import SetDelta, SetSnapshot
from devls.project.workspace import Workspace
from devls.syntax.live import LiveSource
from devls.syntax.recovery import parse_tolerantly
from regression_sets import all_programs

FILES = sorted((f"{each.set}/{path}", text) for each in all_programs() for path, text in each.files.items())
PROGRAM = """
import torch
from torch import nn
from helper import place, scale

DEVICE = torch.device("cuda")

class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.first = nn.Linear(width, width)
        self.shift = torch.zeros(width)

    def forward(self, x):
        x = self.first(x)
        return self.extra(x) + self.shift

    def extra(self, x):
        mask = torch.ones(x.shape)
        return x * mask

class Wide(Net):
    def forward(self, x):
        return super().forward(x) * 2

def batch(size):
    return torch.randn(size, 8)

def train(model, steps):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    losses = []
    for _ in range(steps):
        loss = model(batch(4).to(DEVICE)).sum()
        loss.backward()
        optimizer.step()
        losses.append(loss)
    return losses

def validate(model):
    return model(place(batch(2))).mean().numpy()

if __name__ == "__main__":
    net = Net(8).to(DEVICE)
    train(net, 3)
    print(validate(net))
"""
HELPER = """
import torch

def scale(x):
    return x * torch.ones(3)

def place(x):
    return scale(x).cuda()
"""
TYPED = (
    "x = 1",
    "x = x.cpu()",
    "loss.backward()",
    "return x",
    "y = x + torch.ones(2)",
    "self.z = torch.zeros(3)",
    "if x:",
    "for i in range(3):",
    "z = x.detach().numpy()",
    "x =",
    "foo(",
    "# a note",
    "",
    '"""',
    "def more(a):",
    "class More:",
    "@torch.no_grad()",
)


def edited(text: str, rng: random.Random) -> str:
    """The text after somebody has typed a line or a character, or taken one away."""
    lines = text.split("\n")
    at, what = rng.randrange(len(lines)), rng.random()
    line = lines[at]
    place = rng.randrange(len(line) + 1)
    if what < 0.35:
        lines.insert(at, line[: len(line) - len(line.lstrip())] + rng.choice(TYPED))
    elif what < 0.5:
        del lines[at]
    elif what < 0.85:
        lines[at] = line[:place] + rng.choice("abx0 (.,=)'#:") + line[place:]
    else:
        lines[at] = line[:place] + line[place + 1 :]
    return "\n".join(lines)


def script(text: str, seed: int, length: int) -> list[str]:
    """Texts that somebody goes through who types, and now and then takes it all back."""
    rng = random.Random(seed)  # noqa: S311  typing is no secret
    texts = [text]
    for _ in range(length):
        texts.append(text if rng.random() < 0.3 else edited(texts[-1], rng))
    return texts[1:]


def told(analysis: Analysis) -> list[object]:
    return [
        (
            each.rule,
            each.message,
            each.path,
            each.range,
            each.related,
            each.fixes,
            each.severity,
            each.confidence,
        )
        for each in (*analysis.diagnostics, *analysis.elsewhere)
    ]


def anew(texts: dict[str, str], path: str) -> Analysis:
    workspace = Workspace()
    for each, text in texts.items():
        workspace.open(each, text)
    return Analyzer(workspace, lambda _: Config()).analyze(path)


def interrupted(analyzer: Analyzer, path: str, most: int) -> None:
    """Begin an analysis, and give it up when somebody types on."""
    asked = iter(range(most))
    with contextlib.suppress(AnalysisCancelled):
        analyzer.analyze(path, cancelled=lambda: next(asked, None) is None)


def compare(texts: dict[str, str], edits: list[tuple[str, str]], hovers: int) -> None:
    """SetDelta files, and compare what is found with what somebody finds who knows nothing; answers on the way may be in parts."""
    workspace = Workspace(editing=True)
    for each, text in texts.items():
        workspace.open(each, text)
    analyzer = Analyzer(workspace, lambda _: Config())
    for path in texts:
        analyzer.analyze(path)
    rng = random.Random(0)  # noqa: S311
    for path, text in edits:
        texts[path] = text
        workspace.open(path, text)
        stale = analyzer.changed(path)
        while rng.random() < 0.6:
            analyzer.analyze(path, soon=True)
            if rng.random() < 0.3:
                interrupted(analyzer, path, rng.randrange(12))
        if rng.random() < 0.2:
            continue  # with the next edit
        for each, now in texts.items():
            fresh = anew(texts, each)
            if each not in stale and each != path:
                # Nobody analyzes it again, and nobody has to.
                assert told(analyzer.analyze(each)) == told(fresh), (each, text)
                continue
            found = analyzer.analyze(each)
            assert told(found) == told(fresh), (each, text)
            for offset in rng.sample(range(len(now)), min(hovers, len(now))):
                assert found.hover(offset) == fresh.hover(offset), (each, text, offset)


@pytest.mark.parametrize("seed", range(6))
def test_two_files_that_are_edited(seed, tmp_path):
    program, helper = str(tmp_path / "program.py"), str(tmp_path / "helper.py")
    edits = [(program, each) for each in script(PROGRAM, seed, 14)]
    edits += [(helper, each) for each in script(HELPER, seed, 8)]
    random.Random(seed).shuffle(edits)  # noqa: S311
    compare({program: PROGRAM, helper: HELPER}, edits, 6)


@pytest.mark.parametrize(
    "text", [pytest.param(text, id=path) for path, text in FILES[:: max(1, len(FILES) // 9)]]
)
def test_programs_by_others_that_are_edited(text, tmp_path, monkeypatch):
    monkeypatch.setattr(incremental, "LONG", 0)  # they are short, and would be analyzed as a whole
    name = str(tmp_path / "program.py")
    compare({name: text}, [(name, each) for each in script(text, 7, 6)], 3)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(text, id=path)
        for path, text in [*FILES[:: max(1, len(FILES) // 12)], ("PROGRAM", PROGRAM)]
    ],
)
def test_the_tree_is_that_of_the_text(text):
    for seed in range(4):
        source = LiveSource("program.py", text)
        for each in script(text, seed, 25):
            source.edit(each)
            assert source.text == each
            tree, problems = parse_tolerantly(each)
            assert ast.dump(source.tree, include_attributes=True) == ast.dump(
                tree, include_attributes=True
            ), each
            assert bool(source.problems) == bool(problems)


def test_code_that_is_nested_too_deep_to_be_compared():
    def text(depth: int, name: str) -> str:
        return f"def f(x):\n    return x\n\n{name} = {'-' * depth}f(1)\n"

    source = LiveSource("program.py", text(600, "y"))
    for depth, name in ((600, "y"), (600, "z"), (5, "z"), (600, "y")):
        source.edit(text(depth, name) + "# a note")
        assert [type(each) for each in source.tree.body] == [ast.FunctionDef, ast.Assign]
        assert source.slice(source.tree.body[-1]) == f"{name} = {'-' * depth}f(1)"


LONG = PROGRAM.replace("if __name__", "# and so on\n" * 200 + "if __name__")


@pytest.mark.parametrize("seed", range(4))
def test_long_files_that_are_edited(seed, tmp_path):
    """Long enough for a first answer to be about the edited function only."""
    program, helper = str(tmp_path / "program.py"), str(tmp_path / "helper.py")
    edits = [(program, each) for each in script(LONG, seed, 14)]
    edits += [(helper, each) for each in script(HELPER, seed, 3)]
    random.Random(seed).shuffle(edits)  # noqa: S311
    compare({program: LONG, helper: HELPER}, edits, 1)


AT_THE_TOP = (
    *("_zz = torch.zeros(3)", "_zz.cuda()", "_zz + torch.ones(3, device='cuda')", "SCALE = 0.5", "import os"),
    *(
        "model = nn.Linear(3, 3)",
        "model.cuda()",
        "model.eval()",
        "y = model(torch.ones(3))",
        "y.sum().backward()",
    ),
    *("opt = torch.optim.SGD(model.parameters(), lr=0.1)", "opt.step()", "losses = []", "losses.append(y)"),
    *("print(y.numpy())", "torch.set_default_device('cuda')", "del losses", "z = [_zz]", "w = z[0].cuda()"),
    *(
        "def spare(x):\n    return x.cuda() + torch.ones(2)",
        "if SCALE:\n    _zz = _zz.cpu()",
        "DEVICE = 'cpu'",
    ),
)


@pytest.mark.parametrize("seed", range(3))
def test_statements_come_and_go_at_the_top(seed, tmp_path, monkeypatch):
    """The program runs on from them, and what follows only if it can see them."""
    known: list[frozenset[str] | None] = []
    skip = resumption.Walk._skip

    def counted(walk, *others):
        known.append(walk.differs)
        skip(walk, *others)

    monkeypatch.setattr(resumption.Walk, "_skip", counted)
    edit_at_the_top(seed, tmp_path)
    assert known


@pytest.mark.parametrize("items", [20, 30, 40])
def test_programs_with_too_much_to_keep_run_as_a_whole(items, tmp_path, monkeypatch):
    """A checkpoint for each statement would hold what all statements before it have left."""
    heavy: list[int] = []
    forget = resumption.Walk._forget

    def counted(walk):
        heavy.append(walk.first)
        forget(walk)

    monkeypatch.setattr(limits, "ITEMS_OF_CHECKPOINTS", items)
    monkeypatch.setattr(resumption.Walk, "_forget", counted)
    edit_at_the_top(items, tmp_path)
    assert heavy


def edit_at_the_top(seed, tmp_path):
    """Edit statements at the top of a long file, and compare."""
    program, helper = str(tmp_path / "program.py"), str(tmp_path / "helper.py")
    rng = random.Random(seed)  # noqa: S311
    lines, put, edits = LONG.split("\n"), list[str](), list[tuple[str, str]]()
    for _ in range(30):
        if put and rng.random() < 0.4:
            lines.remove(put.pop(rng.randrange(len(put))))
        else:
            put.append(rng.choice(AT_THE_TOP))
            tops = [
                at for at, line in enumerate(lines) if line.startswith(("class", "def", "#", "if", "DEVICE"))
            ]
            lines.insert(rng.choice([*tops[:8], tops[-1]]), put[-1])
        edits.append((program, "\n".join(lines)))
    compare({program: LONG, helper: HELPER}, edits, 0)


def answers(tmp_path, *texts: str) -> list[list[tuple[str, str]]]:
    """Findings soon after each edit, and in the end: rules, and the text that they are about."""
    found, partial = answers_told(tmp_path, *texts)
    assert partial == [False, *[True] * (len(texts) - 1), False]
    return found


def answers_told(tmp_path, *texts: str) -> tuple[list[list[tuple[str, str]]], list[bool]]:
    """The same, and which of them were not whole."""
    path = str(tmp_path / "program.py")
    workspace = Workspace(editing=True)
    analyzer = Analyzer(workspace, lambda _: Config())
    found, partial = list[list[tuple[str, str]]](), list[bool]()
    for number, text in enumerate((*texts, texts[-1])):
        workspace.open(path, text)
        analyzer.changed(path)
        analysis = analyzer.analyze(path, soon=number < len(texts))
        partial.append(analysis.partial)
        found.append([(each.rule, text[each.range.start : each.range.end]) for each in analysis.diagnostics])
    return found, partial


def test_the_first_answer_keeps_what_was_found_elsewhere(tmp_path):
    before, soon, whole = answers(tmp_path, LONG, LONG.replace("size, 8)", "size,\n        9)\n"))
    assert before
    assert soon == before == whole


def test_the_first_answer_tells_of_the_edited_function(tmp_path):
    text = LONG.replace(
        "        return x * mask",
        "        torch.ones(3, requires_grad=True).numpy()\n        return x * mask",
    )
    before, soon, whole = answers(tmp_path, LONG, text)
    assert {*soon} == {*whole}
    assert len(soon) == len(before) + 1


def test_an_edit_that_is_taken_back_leaves_nothing_of_what_was_found_meanwhile(tmp_path):
    text = LONG.replace(
        "        return x * mask",
        "        torch.ones(3, requires_grad=True).numpy()\n        return x * mask",
    )
    before, found, soon, whole = answers(tmp_path, LONG, text, LONG)
    assert len(found) == len(before) + 1
    assert soon == before == whole


def test_what_is_edited_itself_is_not_told_of_before_it_is_run(tmp_path):
    text = LONG.replace("return model(place(batch(2))).mean().numpy()", "return model(place(batch(2))).numpy")
    before, soon, whole = answers(tmp_path, LONG, text)
    gone = [each for each in before if "numpy" in each[1]]
    assert gone
    assert soon == whole == [each for each in before if each not in gone]


SPARE = LONG.replace("def batch(size):", "def spare(x):\n    return x\n\ndef batch(size):")
OTHER = SPARE.replace(
    "def spare(x):\n    return x", "def spare(x):\n    return torch.ones(3, requires_grad=True).numpy()"
)


def test_definitions_that_come_and_go_are_told_of_at_once(tmp_path):
    (before, soon, whole), partial = answers_told(tmp_path, LONG, OTHER)
    assert len(soon) == len(before) + 1
    assert soon == whole
    (before, soon, whole), partial_too = answers_told(tmp_path, OTHER, LONG)
    assert len(before) == len(soon) + 1
    assert soon == whole
    assert not any((*partial, *partial_too))


def test_definitions_that_the_program_needs_are_told_of_later(tmp_path):
    text = LONG.replace("def train(model, steps):", "def train(model, steps=2):\n    model.cpu()")
    before, soon, whole = answers(tmp_path, LONG, text)
    assert soon == [each for each in before if each in soon]
    assert whole != soon


def test_a_comment_that_silences_what_is_run_later(tmp_path):
    line = "        optimizer.step()"
    silenced = LONG.replace("        losses.append(loss)", "        losses.append(loss)  # devls: ignore")
    assert silenced != LONG
    before, soon, whole = answers(tmp_path, silenced, silenced.replace(line, f"{line}\n        loss"))
    assert soon == before == whole


def test_only_what_has_seen_a_change_is_run_again(tmp_path):
    path = str(tmp_path / "program.py")
    workspace = Workspace(editing=True)
    analyzer = Analyzer(workspace, lambda _: Config())
    text = PROGRAM.replace('if __name__ == "__main__":', "def main():")

    def repeated(text: str) -> int:
        workspace.open(path, text)
        analyzer.changed(path)
        analyzer.analyze(path)
        return analyzer.repeated(path)

    everything = repeated(text)
    assert everything > 8
    assert repeated(text.replace("x * mask", "x * mask  # here")) == 0
    assert repeated(text) == 0
    # `train`, and `main` that calls it.
    assert repeated(text.replace("losses = []", "losses = list()")) == 2
    assert repeated(text.replace("losses = []", "losses = (")) == 2


LEFT_IN_EVAL = """
import torch
from torch import nn
from data import loader

def report(total):
    print(total)

def again(step):
    return again(step)

def other(x):
    return x.cpu()

def main():
    model = nn.Linear(3, 3)
    model.eval()
    for index, batch in enumerate(loader):
        again(index)
    report(3)

main()
"""


def test_when_a_model_may_have_been_trained_is_no_change_of_what_a_program_leaves(tmp_path):
    path = str(tmp_path / "program.py")
    workspace = Workspace(editing=True)
    analyzer = Analyzer(workspace, lambda _: Config())
    for text, runs in ((LEFT_IN_EVAL, 5), (LEFT_IN_EVAL.replace("print(total)", "print(2 * total)"), 3)):
        workspace.open(path, text)
        analyzer.changed(path)
        analyzer.analyze(path)
        assert analyzer.repeated(path) == runs


SUM = """
import torch
from torch import nn

class Sum:
    def __init__(self, device):
        self.model = nn.Linear(3, 3).to(device)
        self.device = device
        self.total = torch.zeros(3)

    def update(self, x):
        self.total += self.model(x.to(self.device)).detach().sum(0)

class Other(Sum):
    def start(self):
        return self.device

def place(kept, device):
    return kept
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return kept", "kept.total = kept.total.to(device)"),
        ("return self.device", "self.total = torch.zeros(3, device=self.device)"),
    ],
)
def test_what_others_put_into_an_attribute_is_seen_when_it_is_written(tmp_path, old, new):
    path = str(tmp_path / "program.py")
    workspace = Workspace(editing=True)
    analyzer = Analyzer(workspace, lambda _: Config())
    found = []
    for text in (SUM, SUM.replace(old, new), SUM):
        workspace.open(path, text)
        analyzer.changed(path)
        found.append([each.rule for each in analyzer.analyze(path).diagnostics])
    assert found == [["tensor-created-off-device"], [], ["tensor-created-off-device"]]


def test_an_edit_is_asked_about_by_the_lines_around_it():
    """`asks_the_same` looks at a few lines, and says what the whole texts would say."""
    rng = random.Random(5)  # noqa: S311
    parts = [
        "np",
        " ",
        "\n",
        ".",
        "(",
        "import",
        "nn",
        "is_tensor",
        "cuda",
        "x.a = ",
        "\n\n",
        "\r\n",
        "=",
        "dev",
        "ice",
    ]
    told = set[bool]()
    for _ in range(1000):
        before = "".join(rng.choices(parts, k=rng.randrange(14)))
        begin = rng.randrange(len(before) + 1)
        put = "".join(rng.choices(parts, k=rng.randrange(3)))
        after = before[:begin] + put + before[begin + rng.randrange(4) :]
        source = LiveSource("program.py", before)
        same = entry_points.asks_the_same(before, after, source.edit(after))
        assert same is all(ask(before) == ask(after) for ask in entry_points.ASKED), (before, after)
        told.add(same)
    assert told == {True, False}


@pytest.mark.parametrize("seed", range(20))
def test_items_of_earlier_moments_stay_what_they_were(seed):
    rng = random.Random(seed)  # noqa: S311
    now, moments = set(), []
    for _ in range(60):
        now = now | {rng.randrange(200) for _ in range(rng.randrange(3))}
        before = moments[-1][0] if moments else None
        moments.append(
            (SetSnapshot(dict.fromkeys(now), len(now)) if before is None else before.later(now), now)
        )
        if rng.random() < 0.1:  # an edit: back to an earlier moment, or another past for those that follow it
            at = rng.randrange(len(moments))
            if rng.random() < 0.5:
                now = moments[at][1]
                moments.append((moments[at][0], now))
                continue
            then = frozenset(moments[at][1])
            edit = SetDelta(then, then - {rng.randrange(200)} | {rng.randrange(200)})
            moments[at:] = [(each.edited(edit), (was | edit.come) - edit.gone) for each, was in moments[at:]]
            now = moments[-1][1]
    assert [each.items for each, _ in moments] == [frozenset(was) for _, was in moments]
    assert moments[3][0].holds_the_same(moments[3][0].later(set(moments[3][1])))


def test_each_statement_keeps_its_own_names_only(tmp_path):
    workspace = Workspace((str(tmp_path),), editing=True)
    path = str(tmp_path / "long.py")
    text = "import torch\nx0 = torch.ones(2)\n" + "".join(f"x{n} = x{n - 1}\n" for n in range(1, 400))
    analyzer = Analyzer(workspace, lambda _: Config())
    for each in (text, f"{text}y = x0\n"):
        workspace.open(path, each)
        analyzer.changed(path)
        analyzer.analyze(path)
    held = [each for each in gc.get_objects() if isinstance(each, frozenset) and {"x1", "x150"} <= each]
    assert len(held) < 20


def test_objects_that_are_linked_are_compared_up_to_a_depth(tmp_path):
    workspace = Workspace((str(tmp_path),), editing=True)
    path = str(tmp_path / "linked.py")
    linked = "import torch\nclass Node:\n    def __init__(self, rest): self.rest = rest\nhead = None\n" + (
        "head = Node(head)\n" * 600
    )
    end = "x = torch.ones(2) + torch.ones(2, device='cuda')\n"
    analyzer = Analyzer(workspace, lambda _: Config())
    for text in (linked + end, f"{linked}y = 1\n{end}", f"{linked}head = Node(3)\n{end}"):
        workspace.open(path, text)
        analyzer.changed(path)
        assert [each.rule for each in analyzer.analyze(path).diagnostics] == ["mixed-devices"]


def test_functions_that_see_the_same_names_are_compared_once(tmp_path, monkeypatch):
    told = []
    tell = fingerprint._Teller.tell
    monkeypatch.setattr(fingerprint._Teller, "tell", lambda *given: told.append(0) or tell(*given))

    def cost(count):
        workspace = Workspace((str(tmp_path),), editing=True)
        path = str(tmp_path / "local.py")
        classes = "".join(
            f"    class C{n}(C{n - 1}):\n        def get(self): return super(C{n}, self).get()\n"
            for n in range(1, count)
        )
        base = "    class C0:\n        def get(self): return 1\n"
        workspace.open(
            path, f"import torch\ndef make():\n{base}{classes}    return C{count - 1}()\nheld = make()\n"
        )
        told.clear()
        Analyzer(workspace, lambda _: Config()).analyze(path)
        return len(told)

    few, more = cost(50), cost(200)
    assert 50 < few < more < 6 * few
