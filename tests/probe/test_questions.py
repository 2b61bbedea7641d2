"""Torch confirms what devls says: the programs made of findings show what is claimed, and only where it is so."""

from __future__ import annotations

import ast
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from checking import write_files
from devls import questions, rules
from devls.analysis import Analyzer, Diagnostic
from devls.config import Config
from devls.engine.core.events.events import DevicesMixed
from devls.probe.client import Probe
from devls.probe.experiment import Experiment, Verdict, judge
from devls.probe.protocol import Answer
from devls.project.workspace import Workspace
from devls.questions.building import NOT_WRITTEN
from devls.questions.tensors import name_for
from devls.questions.unwritten import UNWRITTEN
from devls.rules.rule import RULES
from pages import Block, all_pages

if TYPE_CHECKING:
    from collections.abc import Iterator

BLOCKS = [block for page in all_pages() for block in page.blocks]
MARKED = [block for block in BLOCKS if block.marks]
QUIET = [block for block in BLOCKS if not block.marks] + [b.fixed for b in MARKED if b.fixed is not None]


@pytest.fixture(scope="module")
def probe() -> Iterator[Probe]:
    made = Probe(sys.executable)
    yield made
    made.close()


def findings(files: dict[str, str], folder: Path) -> list[Diagnostic]:
    write_files(files, folder)
    analyzer = Analyzer(Workspace((str(folder),)), lambda _path: Config(), hovers=False, questions=True)
    return [each for name in files for each in analyzer.analyze(str(folder / name)).diagnostics]


def experiment_of(found: Diagnostic) -> Experiment:
    assert found.question is not None
    return found.question


def test_every_rule_can_be_asked_about_or_there_is_a_reason() -> None:
    rules.load()
    mixed = {name for name, rule in RULES.items() if rule.on is DevicesMixed}
    assert not (set(questions.BUILDERS) | set(questions.NOT_CONFIRMABLE)) - set(RULES)
    assert not set(questions.BUILDERS) & set(questions.NOT_CONFIRMABLE)
    missing = set(RULES) - set(questions.BUILDERS) - set(questions.NOT_CONFIRMABLE) - mixed
    assert not missing, (
        f"{missing}: add a builder to a table BUILDERS in devls/questions/ (scripts/new_rule.py writes a stub), "
        "or the reason why torch cannot be asked to NOT_CONFIRMABLE"
    )
    assert len(questions.NOT_CONFIRMABLE) * 10 <= len(RULES)


def test_what_has_no_program_is_a_word_of_the_engine() -> None:
    engine = Path(questions.__file__).parent.parent / "engine"
    said = {
        node.value
        for path in engine.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    for event, (field, words) in UNWRITTEN.items():
        assert any(field in vars(each).get("__annotations__", {}) for each in event.__mro__)
        assert words <= said


@pytest.mark.parametrize("block", MARKED, ids=lambda block: block.id)
def test_what_a_page_calls_wrong_is_confirmed(block: Block, probe: Probe, tmp_path: Path) -> None:
    found = findings(block.files, tmp_path)
    assert found
    for each in found:
        experiment = experiment_of(each)
        said = probe.conduct(experiment)
        unwritten = experiment.why_not == NOT_WRITTEN  # a stub: allowed while a rule is new
        if unwritten or (experiment.why_not and each.rule not in questions.BUILDERS):
            assert said.verdict is Verdict.NOT_RUN
            continue
        assert said.verdict is Verdict.CONFIRMED, f"{said.says}\n{said.snippet}"
        # And the same program done right is not: the question could have had another answer.
        done_right = probe.conduct(replace(experiment, code=experiment.control))
        assert done_right.verdict is Verdict.REFUTED, f"{done_right.says}\n{experiment.control}"


@pytest.mark.parametrize("block", QUIET, ids=lambda block: block.id)
def test_what_a_page_calls_right_is_not_confirmed(block: Block, probe: Probe, tmp_path: Path) -> None:
    for each in findings(block.files, tmp_path):
        assert probe.conduct(experiment_of(each)).verdict is not Verdict.CONFIRMED


VALUES = """\
import torch

def check(device):
    labels = torch.zeros(5, dtype=torch.int64)
    logits = torch.ones(5, 7, device="cuda:1", requires_grad=True)
    return torch.nn.functional.cross_entropy(logits, labels)

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(12, 3)

    def forward(self, x):
        return self.fc(x)

net = Net().cuda()
net(torch.ones(4, 12))
check(None)
"""


def test_questions_are_filled_with_the_values_of_the_finding(tmp_path: Path) -> None:
    codes = [experiment_of(each).code for each in findings({"values.py": VALUES}, tmp_path)]
    assert any("torch.nn.Linear(12, 3)" in code and '.to("cuda")' in code for code in codes), codes
    assert any('device="cuda:1"' in code and "dtype=torch.int64" in code for code in codes), codes
    assert any("requires_grad=True" in code for code in codes), codes
    for code in codes:
        assert "import values" not in code


HOSTILE = """\
import torch

x = torch.ones(2, device="cuda")
y = torch.ones(2)
z = x + (__import__("os").system("touch mark"), y)[1]
torch.device("gpu'); __import__('os').system('touch mark'); ('")
w = {"__import__('os')": y}["__import__('os')"] * x
"""


def test_nothing_of_the_program_gets_into_a_question_but_checked_names(tmp_path: Path) -> None:
    found = findings({"hostile.py": HOSTILE}, tmp_path)
    assert {each.rule for each in found} >= {"invalid-device", "mixed-devices"}
    for each in found:
        tree = ast.parse(experiment_of(each).code)
        names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        assert names <= {"torch", "a", "b", "x", "y"}, names


@pytest.mark.parametrize(
    ("experiment", "answer", "verdict", "says"),
    [
        (Experiment(why_not="no"), None, Verdict.NOT_RUN, "no"),
        (Experiment("c", "E", "t"), None, Verdict.NOT_RUN, "gone"),
        (Experiment("c", "E|F", "a|t"), Answer(1, raised="F", text="text"), Verdict.CONFIRMED, "F: text"),
        (Experiment("c", "E", "a"), Answer(1, raised="E", text="text"), Verdict.NOT_RUN, "E: text"),
        (Experiment("c", "E", "a"), Answer(1, raised="F", text="a"), Verdict.NOT_RUN, "F: a"),
        (Experiment("c", "E", "a"), Answer(1, value="None"), Verdict.REFUTED, "nothing is raised"),
        (Experiment("c", "E", "a"), Answer(1, died="timeout"), Verdict.NOT_RUN, "timeout"),
        (Experiment("c", shows="x", value="1"), Answer(1, value="1"), Verdict.CONFIRMED, "`x` is 1"),
        (Experiment("c", shows="x", value="1"), Answer(1, value="2"), Verdict.REFUTED, "`x` is 2"),
        (Experiment("c", shows="x", value="1"), Answer(1, raised="E"), Verdict.NOT_RUN, "E"),
        (Experiment("c"), Answer(1, value="2"), Verdict.NOT_RUN, "2"),
    ],
)
def test_verdicts(experiment: Experiment, answer: Answer | None, verdict: Verdict, says: str) -> None:
    said = judge(experiment, answer, torch="2", problem="gone")
    assert said.verdict is verdict
    assert says in said.says


@pytest.mark.parametrize("name", ["moved", "str", "r", "torch2", "x0", "print", "each"])
def test_names_of_the_program_are_never_those_that_a_question_needs(
    name: str, probe: Probe, tmp_path: Path
) -> None:
    """`moved = moved.to(...)` would say of any tensor that it is what comes back."""
    text = f"import torch\n{name} = torch.ones(2)\ny = {name}.to('cuda')\n"
    write_files({"a.py": text}, tmp_path)
    analyzer = Analyzer(Workspace((str(tmp_path),)), lambda _path: Config(), questions=True)
    found = analyzer.analyze(str(tmp_path / "a.py")).hover(text.index(".to(") + 1)
    assert found is not None
    experiment = found.question()
    assert experiment is not None
    said = probe.conduct(experiment)
    assert "False" in said.says, said
    assert "'cpu'" in said.says, said


@pytest.mark.parametrize(
    ("left", "right"), [("self.a", "self.b"), ("b", "self.y"), ("self.x", "a"), ("str", "a")]
)
def test_two_operands_are_never_called_the_same(left: str, right: str, probe: Probe, tmp_path: Path) -> None:
    text = (
        "import torch\nclass C:\n    def f(self):\n"
        f"        {left} = torch.ones(2)\n        {right} = torch.ones(2, device='cuda')\n        return {left} + {right}\n"
    )
    (found,) = findings({"a.py": text}, tmp_path)
    said = probe.conduct(experiment_of(found))
    assert said.verdict is Verdict.CONFIRMED, f"{said.says}\n{said.snippet}"


def test_a_name_that_stands_in_for_another_is_free() -> None:
    assert name_for("x", "y") == "x"
    assert name_for("int", "y") == "y"
    assert name_for("not one", "y", ("y",)) == "y2"
    assert name_for("y", "y", ("y", "y2")) == "y3"
