"""Programs that torch runs as they are, and as devls makes them with its fixes.

A program runs on the stand-in accelerator, or on the CPU where the one that was meant runs there only, or the mistake shows
there only.
"""

from __future__ import annotations

import difflib
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from checking import write_files
from devls.analysis import Analyzer, Severity
from devls.cli.check import Check
from devls.cli.complaints import Complaints
from devls.cli.fixing import apply_fixes
from devls.config import Config
from devls.project.workspace import Workspace
from devls.tracebacks.errors import Family, family_of
from regression_sets import CLEAN, importable, with_main_last
from torch_programs import Outcome, Program, run_programs

if TYPE_CHECKING:
    from collections.abc import Iterable

    from devls.analysis import Diagnostic
    from regression_sets import Program as Case

LIMIT: Final = 20
"""Seconds for one program."""
AT_ONCE: Final = 2

_NOT_PRETENDED: Final = "with arguments from the 'cuda' backend"
"""Errors of the stand-in accelerator where it cannot help, as in inference mode."""

_IMPORTS: Final = """
import copy, itertools, math, os, random, time
from pathlib import Path
import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, autograd, nn, optim
from torch.cuda.amp import GradScaler, autocast
from torch.nn.utils import clip_grad_norm_
from torch.optim.lr_scheduler import CosineAnnealingLR
from torch.utils.data import DataLoader, Dataset, TensorDataset
tqdm = lambda items, **_: items
"""
_TRAINING: Final = f"""{_IMPORTS}
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
batch_size, nz, num_epochs, n_steps = 4, 6, 2, 2
latent_dim, zdim, epochs = nz, nz, num_epochs
x = images = reals = torch.randn(batch_size, 1, 28, 28)
y = labels = torch.randint(0, 10, (batch_size,))
loader = [(images, labels)] * 2
model = nn.Sequential(nn.Flatten(), nn.Linear(784, 10)).to(device)
loss_fn = nn.CrossEntropyLoss()
G = netG = nn.Sequential(nn.Flatten(), nn.Linear(nz, 784), nn.Unflatten(1, (1, 28, 28))).to(device)
D = netD = nn.Sequential(nn.Flatten(), nn.Linear(784, 1), nn.Sigmoid()).to(device)
"""
_REGRESSION: Final = f"""{_TRAINING}
x, y = torch.randn(batch_size, 3), torch.randn(batch_size, 1)
loader = [(x, y)] * 2
model, loss_fn = nn.Linear(3, 1).to(device), nn.MSELoss()
"""
_NAMED: Final = f"""{_TRAINING}
loader = [{{"image": images, "label": labels % 3, "id": [str(each) for each in range(batch_size)]}}] * 2
model = nn.Sequential(nn.Flatten(), nn.Linear(784, 3)).to(device)
"""
_COORDINATES: Final = f"""{_REGRESSION}
x = t = torch.linspace(0, 1, batch_size).view(-1, 1)
loader = [(x, y)] * 2
model = pinn = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1)).to(device)
"""
_ALSO_CALLED: Final = """
X, Y, batch, dev = x, y, batch_size, device
net = classifier = backbone = encoder = resnet = model
build_model = lambda *_, **__: copy.deepcopy(model)
opt = optimizer = optim.SGD(model.parameters(), lr=0.1)
optG = g_opt = optim.SGD(G.parameters(), lr=0.1)
optD = d_opt = optim.SGD(D.parameters(), lr=0.1)
criterion = loss_func = loss_function = ce = loss_fn
train_loader = trainloader = train_dl = dataloader = val_loader = testloader = loader
get_batch = lambda *_: loader[0]
"""
SETTINGS: Final = (
    _IMPORTS,
    *(each + _ALSO_CALLED for each in (_TRAINING, _REGRESSION, _NAMED, _COORDINATES)),
)
"""Code in front of a fragment, which supplies the names that it leaves out: the first in which the one that was meant runs."""

SAFE: Final = "--fix"
ALL: Final = "--fix --unsafe-fixes"
WAYS: Final = (SAFE, ALL)


@dataclass(frozen=True)
class Fixed:
    """A program after its fixes."""

    files: dict[str, str]
    rules: tuple[str, ...]
    """Of the findings that are left."""
    applied: int
    """How many fixes were applied."""
    edits: int
    """How many places of the text were changed."""


@dataclass
class Story:
    """Outcome of one program."""

    case: Case
    files: dict[str, str]
    found: tuple[Diagnostic, ...]
    fixed: dict[str, Fixed]
    before: Outcome = field(default_factory=Outcome)
    after: dict[str, Outcome] = field(default_factory=dict)
    left_out: str = ""
    """Why it was not run."""

    @property
    def rules(self) -> set[str]:
        return {each.rule for each in self.found}

    @property
    def family(self) -> Family | None:
        """Meaning of torch's message before the fixes."""
        return family_of(self.before.raised) if self.before.raised else None

    def ran(self, way: str) -> bool:
        """Whether it ran to its end after fixes."""
        return not self.after[way].raised and not self.after[way].died

    def is_cured(self, way: str) -> bool:
        """Whether it runs; where it ran before, whether what was found is gone without more."""
        return self.ran(way) and (bool(self.before.raised) or not self.rules & {*self.fixed[way].rules})

    def is_silenced(self, way: str) -> bool:
        """Whether torch raises what a finding has told of, and nothing is said of it any longer."""
        raised, family = self.after[way].raised, self.family
        told = {each.rule for each in self.found if "raises" in each.message}
        if not told or not raised or not self.before.raised:
            return False
        if family is None:
            return _kind(raised) == _kind(self.before.raised) and not told & {*self.fixed[way].rules}
        leads = {*family.rules}
        return family_of(raised) is family and bool(told & leads) and not leads & {*self.fixed[way].rules}

    def is_broken(self, way: str) -> bool:
        """Whether it ran before, and does not after fixes."""
        return not self.before.raised and not self.ran(way)


def _kind(raised: str) -> str:
    return raised[:60]


def fixed_stories(cases: Iterable[Case]) -> list[Story]:
    """The cases with what is found in them, and as fixes leave them; nothing is run yet."""
    return [_fixed_story(each) for each in cases]


def _fixed_story(case: Case) -> Story:
    files = with_main_last(importable(case.broken or case.correct))
    ways: dict[str, Fixed] = {}
    found: tuple[Diagnostic, ...] = ()
    for way in WAYS:
        with tempfile.TemporaryDirectory() as folder:
            write_files(files, Path(folder))
            workspace = Workspace((folder,))
            names = {str(Path(folder) / name): name for name in files}
            check = Check(Analyzer(workspace, lambda _: Config()), workspace, names, Complaints())
            check.run()
            found = _loud(check)
            done = apply_fixes(check, unsafe=way == ALL)
            texts = {name: check.workspace.source(path).text for path, name in names.items()}
            places = sum(_changed_places(files[name], texts[name]) for name in files)
            left = tuple(each.rule for each in _loud(check))
            ways[way] = Fixed(texts, left, sum(done.counts.values()), places)
    return Story(case, files, found, ways)


def _loud(check: Check) -> tuple[Diagnostic, ...]:
    return tuple(
        each for found in check.findings.values() for each in found if each.severity is not Severity.INFO
    )


def _changed_places(before: str, after: str) -> int:
    compared = difflib.SequenceMatcher(None, before.splitlines(), after.splitlines(), autojunk=False)
    return sum(tag != "equal" for tag, *_ in compared.get_opcodes())


@dataclass(frozen=True)
class Begin:
    """How a program ran as it is, where its corrected twin runs to its end."""

    outcome: Outcome
    accelerator: bool
    """Whether it ran on the stand-in accelerator, or else on the CPU."""
    left_out: str
    """Why the outcome says nothing of the program's mistake; empty where it does."""
    setting: str = ""


def run_beside_twins(programs: dict[str, tuple[dict[str, str], dict[str, str]]]) -> dict[str, Begin]:
    """Run programs, each beside its corrected twin; fragments in a setting."""
    begun = _beside_twins(programs, "")
    for setting in SETTINGS:
        without = {name: programs[name] for name, each in begun.items() if "with NameError" in each.left_out}
        tried = _beside_twins(without, setting)
        begun |= {name: each for name, each in tried.items() if not each.left_out}
    return begun


def _beside_twins(
    programs: dict[str, tuple[dict[str, str], dict[str, str]]], setting: str
) -> dict[str, Begin]:
    files, meant = ({name: pair[place] for name, pair in programs.items()} for place in (0, 1))
    on = {True: (_run(meant, setting, accelerator=True), _run(files, setting, accelerator=True))}
    again = [
        name
        for name in files
        if on[True][0][name].raised
        or not on[True][1][name].raised
        or _NOT_PRETENDED in on[True][1][name].raised
    ]
    on[False] = (
        _run({name: meant[name] for name in again}, setting, accelerator=False),
        _run({name: files[name] for name in again}, setting, accelerator=False),
    )
    begun = dict[str, Begin]()
    for name in files:
        right, wrong = on[True][0][name], on[True][1][name]
        place = True
        if name in again:
            here, there = on[False][0][name], on[False][1][name]
            shown_there_only = there.raised and not wrong.raised
            if not _ends(here) and (_ends(right) or shown_there_only or _NOT_PRETENDED in wrong.raised):
                place, right, wrong = False, here, there
        left_out = f"the program itself: {wrong.died}" if wrong.died else ""
        if _ends(right):
            left_out = f"as it is meant, it ends with {_ends(right)[:90]}"
        begun[name] = Begin(wrong, place, left_out, setting)
    return begun


def run_stories(stories: list[Story]) -> None:
    """Run what can be run, before and after fixes, and say of the others why not."""
    changed = [each for each in stories if each.case.broken or any(_texts_differ(each, way) for way in WAYS)]
    for each in stories:
        each.left_out = "" if each in changed else "correct, and left as it is"
    begun = run_beside_twins(
        {each.case.id: (each.files, with_main_last(importable(each.case.correct))) for each in changed}
    )
    places: dict[tuple[bool, str], list[Story]] = {}
    for each in changed:
        begin = begun[each.case.id]
        each.before, each.left_out = begin.outcome, begin.left_out
        if not each.left_out:
            places.setdefault((begin.accelerator, begin.setting), []).append(each)
    for (accelerator, setting), there in places.items():
        for way in WAYS:
            done = _run(
                {each.case.id: each.fixed[way].files for each in there if _texts_differ(each, way)},
                setting,
                accelerator=accelerator,
            )
            for each in there:
                each.after[way] = done.get(each.case.id, each.before)


def _ends(outcome: Outcome) -> str:
    return outcome.raised or outcome.died


def _texts_differ(story: Story, way: str) -> bool:
    return story.fixed[way].files != story.files


def _run(programs: dict[str, dict[str, str]], setting: str, *, accelerator: bool) -> dict[str, Outcome]:
    if not programs:
        return {}
    return run_programs(
        [Program(name, files, setting=setting) for name, files in programs.items()],
        accelerator=accelerator,
        at_once=AT_ONCE,
        limit=LIMIT,
    )


def is_mistake(story: Story) -> bool:
    """Whether the program has a mistake that was found."""
    return story.case.mistake != CLEAN and bool(story.found)
