"""The programs of this repository, and which presumptions each of them meets."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from checking import write_files
from devls.analysis import Analyzer
from devls.config import Config
from devls.engine.evidence import judgement
from devls.engine.evidence.presumptions import VETO, WHOLE, Presumption, Side
from devls.project.workspace import Workspace
from pages import all_pages
from regression_sets import all_programs
from specs_reader import all_specs
from test_across_files import read as read_projects

if TYPE_CHECKING:
    from collections.abc import Iterator

    from devls.engine.evidence.judgement import Judgement

SPECS, REGRESSION = "specs and pages", "regression programs"

Key = tuple[str, str]
"""Of an entry: the event, and its own name."""


def key_of(entry: Presumption) -> Key:
    """Identity of an entry."""
    return entry.about.__name__, entry.id


class Counts(judgement.Observer):
    """The entries that programs meet, and those that decide there: without them a finding would be told, or be surer."""

    def __init__(self) -> None:
        self.met: set[Key] = set()
        self.decided: set[Key] = set()

    def judged(self, asked: list[Presumption], judgement: Judgement) -> None:
        """Note what holds in a case."""
        del asked
        vetoes = [entry for entry in judgement.applied if entry.weight == VETO]
        for entry in judgement.applied:
            self.met.add(key_of(entry))
            if entry.side is Side.AGAINST:
                if len(vetoes) == 1:
                    self.decided.add(key_of(entry))
            elif not vetoes and judgement.weight >= WHOLE > judgement.weight - entry.weight:
                self.decided.add(key_of(entry))


def programs() -> Iterator[tuple[str, str, dict[str, str]]]:
    """Group, name and files of each program."""
    for spec in all_specs():
        yield SPECS, f"tests/specs/{spec.id}", spec.files
    for page in all_pages():
        for block in page.blocks:
            yield SPECS, f"rules/{block.id}", block.files
    for project in read_projects():
        yield SPECS, f"tests/projects/{project.id}", project.files
    for program in all_programs():
        if program.broken:
            yield REGRESSION, f"tests/regression/{program.id} broken", program.broken
        yield REGRESSION, f"tests/regression/{program.id} correct", program.correct


def counted(files: dict[str, str]) -> Counts:
    """Entries that the files of a program meet."""
    with tempfile.TemporaryDirectory() as folder:
        write_files(files, Path(folder))
        return counted_below(Path(folder), [Path(folder) / each for each in files if each.endswith(".py")])


def counted_below(root: Path, paths: list[Path]) -> Counts:
    """Entries that files below a folder meet, all together."""
    found = Counts()
    analyzer = Analyzer(Workspace((str(root),)), lambda _path: Config(), hovers=False)
    with judgement.observed_by(found):
        for path in paths:
            analyzer.analyze(str(path))
    return found
