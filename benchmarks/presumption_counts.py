"""How often each presumption is met, and how often it decides: over specs and pages, regression programs and packages.

usage: presumption_counts.py [--packages FOLDER] [--write] [--list]

An entry is met by a file if it holds in some case there, and decides one if without it the finding would be told, or be
surer. FOLDER holds packages, each in a folder of its own. With `--write` the table goes to `presumption_counts.md` beside this
script; with `--list` the first programs that meet each entry are printed.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "server"), str(ROOT / "tests")]

from checking import write_files  # noqa: E402
from devls.analysis import Analyzer  # noqa: E402
from devls.config import Config  # noqa: E402
from devls.engine.evidence import judgement  # noqa: E402
from devls.engine.evidence.presumptions import VETO, WHOLE, Presumption, Side, entries  # noqa: E402
from devls.project.workspace import Workspace  # noqa: E402
from pages import all_pages  # noqa: E402
from regression_sets import all_programs  # noqa: E402
from specs_reader import all_specs  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator

    from devls.engine.evidence.judgement import Judgement

GROUPS = ("specs and pages", "regression programs", "packages")
OUT = Path(__file__).with_suffix(".md")

Key = tuple[str, str, str]
"""Of an entry: the event, the aspect, its own name."""


def key_of(entry: Presumption) -> Key:
    """What an entry is told apart by."""
    return entry.about.__name__, entry.aspect, entry.id


class Counts(judgement.Observer):
    """The entries that the present program meets, and those that decide there."""

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


_COUNTS = Counts()


def programs() -> Iterator[tuple[str, str, dict[str, str]]]:
    """Group, name and files of each program that lies in this repository."""
    for spec in all_specs():
        yield GROUPS[0], f"tests/specs/{spec.id}", spec.files
    for page in all_pages():
        for number, block in enumerate(page.blocks):
            yield GROUPS[0], f"{block.id} {number}", block.files
    for program in all_programs():
        if program.broken:
            yield GROUPS[1], f"{program.id} broken", program.broken
        yield GROUPS[1], f"{program.id} correct", program.correct


def count(task: tuple[str, str, dict[str, str]]) -> tuple[str, str, set[Key], set[Key]]:
    """Analyze the files of one program; an empty dict stands for a package, whose folder is the name."""
    group, name, files = task
    if not judgement.observed():
        judgement.observe(_COUNTS)
    _COUNTS.met, _COUNTS.decided = set(), set()
    if files:
        with tempfile.TemporaryDirectory() as folder:
            write_files(files, Path(folder))
            _analyze(Path(folder), [Path(folder) / each for each in files if each.endswith(".py")])
    else:
        _analyze(Path(name), sorted(Path(name).rglob("*.py")))
    return group, name, _COUNTS.met, _COUNTS.decided


def _analyze(root: Path, paths: list[Path]) -> None:
    analyzer = Analyzer(Workspace((str(root),)), lambda _path: Config(), hovers=False)
    for path in paths:
        try:
            analyzer.analyze(str(path))
        except Exception as error:  # noqa: BLE001  the others count
            print(f"{path}: {error}", file=sys.stderr)


def table(met: dict[Key, dict[str, list[str]]], decided: dict[Key, dict[str, list[str]]]) -> str:
    """The counts as Markdown: for each entry and group, the programs that meet it and those where it decides."""
    lines = [
        "# How often each presumption is met",
        "",
        "Programs (of packages: packages) that meet an entry / in which it decides. Made by `presumption_counts.py --write`.",
        "",
        f"| Entry | Event | {' | '.join(GROUPS)} |",
        "|---|---|---|---|---|",
    ]
    for entry in entries():
        key = key_of(entry)
        event = f"{key[0]}, {key[1]}" if key[1] else key[0]
        cells = " | ".join(f"{len(met[key][group])} / {len(decided[key][group])}" for group in GROUPS)
        lines.append(f"| {entry.id} | {event} | {cells} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    """Print or write the table; returns the exit status."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--packages", type=Path, help="a folder of packages")
    parser.add_argument("--write", action="store_true", help="write the table")
    parser.add_argument("--list", action="store_true", help="print the first programs that meet each entry")
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    tasks = list(programs())
    if options.packages is not None:
        folders = (each for each in sorted(options.packages.iterdir()) if each.is_dir())
        tasks += [(GROUPS[2], str(each), {}) for each in folders]
    met: dict[Key, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    decided: dict[Key, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    with multiprocessing.get_context("fork").Pool(options.processes, maxtasksperchild=200) as pool:
        for group, name, here, there in pool.imap(count, tasks, chunksize=1):
            for key in here:
                met[key][group].append(name)
            for key in there:
                decided[key][group].append(name)
    text = table(met, decided)
    if options.write:
        OUT.write_text(text, encoding="utf-8")
    else:
        print(text)
    if options.list:
        for key in sorted(met):
            for group in GROUPS:
                print(*key, group, *(f"[{each}]" for each in (decided[key][group] or met[key][group])[:3]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
