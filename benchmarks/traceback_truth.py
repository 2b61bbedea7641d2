"""How often `devls traceback` names the cause, on real tracebacks of the regression programs.

usage: traceback_truth.py [--step N] [--list]

Each program with a mistake runs on torch with a stand-in accelerator. Of those that raise, the traceback goes to devls, which sees the
program's files as well. Counted: the mistake's line is named by the first candidate, by one of the first three, and the answers that
claim a cause for the traceback of another program.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "server"), str(ROOT / "tests")]

from checking import write_files  # noqa: E402
from devls.analysis import Analyzer  # noqa: E402
from devls.cli import pages  # noqa: E402
from devls.cli.traceback import Answer, answer, chosen, report_of  # noqa: E402
from regression_sets import Program, all_programs  # noqa: E402
from torch_programs import Outcome, run_programs  # noqa: E402
from torch_programs import Program as ToRun  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterable

    from devls.analysis import Diagnostic
    from devls.cli.report import Report

SHOWN = 3
_MAIN = ("main", "train", "run")


def main() -> int:
    """Print the figures; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--step", type=int, default=1, help="take every N-th program")
    parser.add_argument(
        "--list", action="store_true", help="print the programs whose cause is not named first"
    )
    options = parser.parse_args()
    programs = [each for each in all_programs() if each.broken][:: options.step]
    outcomes = run_programs([_to_run(each) for each in programs], accelerator=True)
    raising = [each for each in programs if outcomes[each.id].trace]
    counts = Counter[str]()
    for place, program in enumerate(raising):
        seen = _named(program, outcomes[program.id])
        counts[seen] += 1
        if options.list and seen != "first":
            print(f"{seen}: {program.id} {program.mistake}: {outcomes[program.id].raised[:120]}")
        other = outcomes[raising[place - 1].id]
        counts["claimed of another"] += _answered(program, other)[0].is_cause
    first, later = counts["first"], counts["among three"]
    print(
        f"{len(programs)} programs, {len(raising)} raise; the cause's line is named first in {first / len(raising):.1%}, among the"
        f" first three in {(first + later) / len(raising):.1%}; no cause is claimed in"
        f" {counts['nothing claimed'] / len(raising):.1%}; of another program's traceback one is claimed in"
        f" {counts['claimed of another'] / len(raising):.1%}"
    )
    return 0


def _files(program: Program) -> dict[str, str]:
    """The files as the program imports them: one of several files lies in a folder of its own."""
    return {_inside(name): text for name, text in program.broken.items()}


def _inside(name: str) -> str:
    return name.removeprefix("bug/")


def _to_run(program: Program) -> ToRun:
    """The program with the file last that is run: the one that no other imports."""
    files = _files(program)
    imported = {name for name in files for text in files.values() if _imports(text, name)}
    names = sorted(files, key=lambda name: (name not in imported, Path(name).stem in _MAIN, name))
    return ToRun(program.id, {name: files[name] for name in names})


def _imports(text: str, name: str) -> bool:
    module = name.removesuffix(".py").replace("/", ".").rpartition(".")[2]
    return re.search(rf"^\s*(?:from|import) .*\b{module}\b", text, re.MULTILINE) is not None


def _answered(program: Program, outcome: Outcome) -> tuple[Answer, Report]:
    raised = chosen(outcome.trace)
    if raised is None:
        message = f"no traceback is read from:\n{outcome.trace}"
        raise ValueError(message)
    with tempfile.TemporaryDirectory() as folder:
        files = Path(os.path.realpath(folder))
        write_files(_files(program), files)
        told, workspace = answer(
            raised,
            str(files),
            lambda space, config_for: Analyzer(space, config_for, hovers=False),
            pages.rule_names(),
        )
        return told, report_of(told, workspace, str(files))


def _named(program: Program, outcome: Outcome) -> str:
    """Where the mistake's line comes in the answer."""
    told, report = _answered(program, outcome)
    if not told.is_cause:
        return "nothing claimed"
    wanted = {(_inside(name), line) for name, lines in program.lines.items() for line in lines}
    for place, found in enumerate(report.diagnostics[:SHOWN]):
        if wanted & set(_lines(report, found)):
            return "among three" if place else "first"
    return "others named"


def _lines(report: Report, found: Diagnostic) -> Iterable[tuple[str, int]]:
    """The lines of a finding and of what it names beside."""
    for path, span in ((found.path, found.range), *((each.path, each.range) for each in found.related)):
        first, last = (report.position(path, each)[0] for each in (span.start, span.end))
        yield from ((report.name(path), line) for line in range(first, last + 1))


if __name__ == "__main__":
    sys.exit(main())
