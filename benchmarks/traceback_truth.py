"""How often `devls traceback` names the cause, on real tracebacks of the regression programs.

usage: traceback_truth.py [--step N] [--list] [--bench FOLDER] [--only WORD]

Each program with a mistake runs on torch with a stand-in accelerator: the regression programs, or those of a FOLDER that holds
`index.jsonl` and the programs it names. Left out are those whose corrected twins do not run to their end, on it or on the CPU.
Of those that raise, the traceback goes to devls, which sees the program's files as well.
Counted: the mistake's line is named by the first candidate, by one of the first three (candidates, and then places that the
values came by, each for itself); the first candidate's first fix makes the program
run; and the answers that claim a cause for the traceback of another program.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "server"), str(ROOT / "tests")]

from checking import write_files  # noqa: E402
from devls.analysis import Analyzer  # noqa: E402
from devls.cli import pages  # noqa: E402
from devls.cli.traceback import Answer, answer, chosen, report_of  # noqa: E402
from devls.text.edits import apply_edits  # noqa: E402
from executed_fixes import Begin, run_beside_twins  # noqa: E402
from regression_sets import Program, all_programs, gather  # noqa: E402
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
    parser.add_argument("--bench", type=Path, help="the programs of a folder instead")
    parser.add_argument("--only", default="", help="only programs whose id or mistake contains this")
    options = parser.parse_args()
    known = gather(options.bench.name, options.bench) if options.bench else all_programs()
    named = [each for each in known if each.broken and options.only in f"{each.id} {each.mistake}"]
    programs = named[:: options.step]
    begun = run_beside_twins({each.id: (_ordered(_files(each)), _ordered(_twin(each))) for each in programs})
    outcomes = {name: each.outcome for name, each in begun.items()}
    left_out = [each for each in programs if begun[each.id].left_out]
    raising = [each for each in programs if outcomes[each.id].trace and each not in left_out]
    counts = Counter[str]()
    cured: dict[str, dict[str, str]] = {}
    for place, program in enumerate(raising):
        told, report = _answered(program, outcomes[program.id])
        seen = _named(program, told, report)
        counts[seen] += 1
        files = _files_after_fix(program, told, report)
        if files:
            cured[program.id] = files
        if options.list and seen != "first":
            print(f"{seen}: {program.id} {program.mistake}: {outcomes[program.id].raised[:120]}")
        other = outcomes[raising[place - 1].id]
        claimed = _answered(program, other)[0]
        if claimed.candidates or claimed.trail:
            counts["claimed of another"] += 1
            if options.list:
                print(f"claimed of another: {program.id}, of the traceback of {raising[place - 1].id}")
    ran = _run_cured(cured, begun)
    if options.list:
        for program in left_out:
            print(f"left out: {program.id} {program.mistake}: {begun[program.id].left_out}")
        for program in raising:
            if ran.get(program.id, "no fix"):
                print(f"not cured: {program.id} {program.mistake}: {ran.get(program.id, 'no fix')[:120]}")
    _print(len(programs), len(left_out), len(raising), counts, [*ran.values()].count(""))
    return 0


def _print(programs: int, left_out: int, raising: int, counts: Counter[str], ran: int) -> None:
    first, later = counts["first"], counts["among three"]
    print(
        f"{programs} programs, {left_out} left out, {raising} raise; the cause's line is named first in {first / raising:.1%}, among the"
        f" first three in {(first + later) / raising:.1%}; the first cure makes {ran / raising:.1%} run; no cause is claimed in"
        f" {counts['nothing claimed'] / raising:.1%}; of another program's traceback one is claimed in"
        f" {counts['claimed of another'] / raising:.1%}"
    )


def _files_after_fix(program: Program, told: Answer, report: Report) -> dict[str, str]:
    """The files after the first fix of the first candidate; empty where there is none."""
    fixes = report.diagnostics[0].fixes if told.is_cause else ()
    if not fixes:
        return {}
    path = fixes[0].path or report.diagnostics[0].path
    files = _files(program)
    name = max((each for each in files if path.endswith(f"/{each}")), key=len)
    return {**files, name: apply_edits(files[name], fixes[0].edits)}


def _run_cured(cured: dict[str, dict[str, str]], begun: dict[str, Begin]) -> dict[str, str]:
    """Errors that the programs raise after their fix, by id; empty where they run."""
    outcomes = dict[str, Outcome]()
    for place in (True, False):
        programs = [
            ToRun(name, _ordered(files), setting=begun[name].setting)
            for name, files in cured.items()
            if begun[name].accelerator is place
        ]
        outcomes |= run_programs(programs, accelerator=place) if programs else {}
    return {name: each.raised or each.died for name, each in outcomes.items()}


def _files(program: Program) -> dict[str, str]:
    """The files as the program imports them: one of several files lies in a folder of its own."""
    return {_inside(name): text for name, text in program.broken.items()}


def _twin(program: Program) -> dict[str, str]:
    return {name.removeprefix("fixed/"): text for name, text in program.correct.items()}


def _inside(name: str) -> str:
    return name.removeprefix("bug/")


def _ordered(files: dict[str, str]) -> dict[str, str]:
    """The files with the one last that is run: the one that no other imports."""
    imported = {name for name in files for text in files.values() if _imports(text, name)}
    names = sorted(files, key=lambda name: (name not in imported, Path(name).stem in _MAIN, name))
    return {each: files[each] for each in names}


def _imports(text: str, name: str) -> bool:
    module = name.removesuffix(".py").replace("/", ".").rpartition(".")[2]
    return re.search(rf"^\s*(?:from|import) .*\b{module}\b", text, re.MULTILINE) is not None


def _answered(program: Program, outcome: Outcome) -> tuple[Answer, Report]:
    raised = chosen(outcome.trace)
    if raised is None:
        message = f"no traceback is read from:\n{outcome.trace}"
        raise ValueError(message)
    own = tuple(each for each in raised.frames if not each.path.startswith(str(ROOT)))
    raised = replace(raised, frames=own)  # who starts the program, and the stand-in, are no part of it
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


def _named(program: Program, told: Answer, report: Report) -> str:
    """Rank of the mistake's line in the answer."""
    wanted = {(_inside(name), line) for name, lines in program.lines.items() for line in lines}
    for place, found in enumerate(report.diagnostics[:SHOWN]):
        if wanted & set(_lines(report, found)):
            return "among three" if place else "first"
    left = SHOWN - len(report.diagnostics)
    for place, step in enumerate(told.trail[: max(0, left)]):
        if (report.name(step.path), step.line) in wanted:
            return "among three" if place or report.diagnostics else "first"
    return "others named" if told.is_cause else "nothing claimed"


def _lines(report: Report, found: Diagnostic) -> Iterable[tuple[str, int]]:
    """The lines of a finding, of what it names beside, and of its first fix."""
    named = [(found.path, found.range), *((each.path, each.range) for each in found.related)]
    named += [(fix.path or found.path, edit.range) for fix in found.fixes[:1] for edit in fix.edits]
    for path, span in named:
        first, last = (report.position(path, each)[0] for each in (span.start, span.end))
        yield from ((report.name(path), line) for line in range(first, last + 1))


if __name__ == "__main__":
    sys.exit(main())
