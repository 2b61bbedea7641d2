"""How many broken programs run after devls has applied the first fix of each finding.

    python benchmarks/repair_rate.py FOLDER [--only WORD] [-v]

FOLDER holds `index.jsonl`, one JSON object per line with `id`, `kind` ("bug" for those that count), `class`, `family`
and `error`, and the programs: `cases/<id>/bug.py`, or the modules `cases/<id>/bug/*.py`, and `fixed` as they were meant.

Each program is fixed in rounds until nothing is left to apply, and then run on torch: those of the family `device` on
the stand-in accelerator (without one where their error is that there is none), the others on the CPU. It counts as
repaired if it had findings, has none left, and runs to its end. What raised nothing before has to run, and be quiet.
"""

from __future__ import annotations

import argparse
import ast
import json
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "server"), str(ROOT / "tests")]

from checking import write_files  # noqa: E402  the path comes first
from devls.analysis import Analyzer, Severity  # noqa: E402
from devls.cli.check import Check  # noqa: E402
from devls.cli.complaints import Complaints  # noqa: E402
from devls.cli.fixing import apply_fixes  # noqa: E402
from devls.config import Config  # noqa: E402
from devls.project.workspace import Workspace  # noqa: E402
from torch_programs import Outcome, Program, run_programs  # noqa: E402


@dataclass(frozen=True)
class Repair:
    """What became of one program."""

    files: dict[str, str]
    found: tuple[str, ...]
    left: tuple[str, ...]
    unfixed: tuple[str, ...]
    """Of what was found, the rules that offered nothing."""


def repair(files: dict[str, str]) -> Repair:
    """Apply the first fix of each finding, as often as it helps."""
    with tempfile.TemporaryDirectory() as folder:
        write_files(files, Path(folder))
        workspace = Workspace((folder,))
        names = {str(Path(folder) / name): name for name in files}
        check = Check(Analyzer(workspace, lambda _: Config()), workspace, names, Complaints())
        check.run()
        loud = [
            each for found in check.findings.values() for each in found if each.severity is not Severity.INFO
        ]
        apply_fixes(check, unsafe=True)
        left = [
            f"{each.rule}: {each.message}"
            for found in check.findings.values()
            for each in found
            if each.severity is not Severity.INFO
        ]
        texts = {name: check.workspace.source(path).text for path, name in names.items()}
    return Repair(
        texts,
        tuple(each.rule for each in loud),
        tuple(left),
        tuple(each.rule for each in loud if not each.fixes),
    )


def program(files: dict[str, str]) -> dict[str, str]:
    """The files with the one that is run at the end: the guarded one, or the one that nobody imports."""
    imported = {
        name.split(".")[0]
        for text in files.values()
        for node in ast.walk(ast.parse(text))
        for name in (
            [each.name for each in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    roots = [name for name in files if Path(name).stem not in imported] or list(files)
    main = next((name for name in roots if "__main__" in files[name]), roots[-1])
    return {**{name: text for name, text in files.items() if name != main}, main: files[main]}


def read(folder: Path, which: str) -> dict[str, str]:
    """The files of a case: `which` is "bug", or "fixed"."""
    stem = folder / which
    if stem.is_dir():
        return program({path.name: path.read_text() for path in sorted(stem.glob("*.py"))})
    return {f"{which}.py": stem.with_suffix(".py").read_text()}


def needs_accelerator(case: dict[str, Any]) -> bool:
    missing = ("not compiled with CUDA", "is_available() is False")
    return case.get("family") == "device" and not any(each in (case.get("error") or "") for each in missing)


def run(cases: list[dict[str, Any]], files: dict[str, dict[str, str]]) -> dict[str, Outcome]:
    outcomes: dict[str, Outcome] = {}
    for accelerator in (False, True):
        chosen = [case["id"] for case in cases if needs_accelerator(case) == accelerator]
        outcomes |= run_programs(
            [Program(each, files[each]) for each in chosen if each in files], accelerator=accelerator
        )
    return outcomes


def verdict(done: Repair, before: dict[str, str], outcome: Outcome, meant: Outcome) -> str:
    if not done.found:
        return "missed"
    if outcome.raised and outcome.raised == meant.raised and not done.left:
        return "repaired"  # as far as it can be run here: the program that was meant stops there, too
    if outcome.raised or outcome.died:
        return "no fix" if done.files == before else "still raises"
    if done.left:
        return "no fix" if done.files == before else "finding left"
    return "repaired"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="", help="only cases whose id or class contains this")
    parser.add_argument("--min", type=float, default=0.0, help="fail below this share of those found")
    parser.add_argument("-v", "--verbose", action="store_true", help="show what was changed")
    options = parser.parse_args()
    rows = [json.loads(line) for line in (options.folder / "index.jsonl").read_text().splitlines() if line]
    cases = [
        row
        for row in rows
        if row["kind"] == "bug" and options.only in f"{row['id']} {row['class']}" and not row.get("unfair")
    ]
    before = {case["id"]: read(options.folder / "cases" / case["id"], "bug") for case in cases}
    meant = {case["id"]: read(options.folder / "cases" / case["id"], "fixed") for case in cases}
    done = {name: repair(files) for name, files in before.items()}
    outcomes = run(cases, {name: each.files for name, each in done.items()})
    wanted = run(cases, meant)
    counts: Counter[tuple[str, str]] = Counter()
    for case in cases:
        name = case["id"]
        word = verdict(done[name], before[name], outcomes[name], wanted[name])
        counts[case.get("family", ""), word] += 1
        said = [*done[name].left, *[f"no fix for {each}" for each in done[name].unfixed]]
        if outcomes[name].raised and word != "repaired":
            said.append(f"line {outcomes[name].line}: {outcomes[name].raised}"[:160])
        print(f"{name:42} {word:13} {' | '.join(said)[:300] if word != 'repaired' else ''}".rstrip())
        if options.verbose:
            show(before[name], done[name].files)
    families = sorted({family for family, _ in counts})
    words = ["repaired", "no fix", "finding left", "still raises", "missed"]
    print(f"\n{'':12}" + "".join(f"{word:>14}" for word in words))
    for family in families:
        print(f"{family:12}" + "".join(f"{counts[family, word]:14}" for word in words))
    found = sum(number for (_, word), number in counts.items() if word != "missed")
    good = sum(number for (_, word), number in counts.items() if word == "repaired")
    print(f"repaired {good} of {found} found: {good / max(1, found):.1%}")
    return int(good < options.min * found)


def show(before: dict[str, str], after: dict[str, str]) -> None:
    import difflib  # noqa: PLC0415  with --verbose only

    for name, text in before.items():
        lines = difflib.unified_diff(
            text.splitlines(), after[name].splitlines(), name, name, lineterm="", n=1
        )
        print("\n".join(f"    {line}" for line in lines))


if __name__ == "__main__":
    sys.exit(main())
