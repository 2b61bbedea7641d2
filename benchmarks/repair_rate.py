"""How many broken programs run after devls has applied the first fix of each finding.

    python benchmarks/repair_rate.py FOLDER [--only WORD] [-v]

FOLDER (or several) holds `index.jsonl`, one JSON object per line with `id`, `kind` ("bug" for those that count), `class`, and
perhaps `family` and `error`, and the programs: `cases/<id>/bug.py`, or the modules in the folder `cases/<id>/bug` and those
below it, and `fixed` as they were meant.

Each program is fixed in rounds until nothing is left to apply, and then run on torch: those of the family `device` on
the stand-in accelerator (without one where their error is that there is none), the others on the CPU; where no family is
given, wherever the program that was meant runs and the one with the mistake raises. It counts as repaired if it had
findings, has none left, and runs to its end.

A program that raised nothing before has to run, be quiet, and be without its effect, where that can be measured. The
results of the intended program (tensors, numbers, gradients, modes of its modules) are compared with those of the
mistaken one. If they differ, those of the repaired one have to differ from the latter, too.
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
from regression_sets import with_main_last  # noqa: E402
from torch_programs import Outcome, Program, run_programs  # noqa: E402


@dataclass(frozen=True)
class Repair:
    """Outcome of one program."""

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


def read(folder: Path, which: str) -> dict[str, str]:
    """The files of a case: `which` is "bug", or "fixed"."""
    stem = folder / which
    if stem.is_dir():
        return with_main_last(
            {path.relative_to(stem).as_posix(): path.read_text() for path in sorted(stem.rglob("*.py"))}
        )
    return {f"{which}.py": stem.with_suffix(".py").read_text()}


LEFT_BEHIND = """
def _left_behind(names):
    import torch
    def shown(value, depth=2):
        if isinstance(value, torch.nn.Module):
            state = [shown(each, 0) for each in value.parameters()]
            return ("module", value.training, tuple(state))
        if isinstance(value, torch.Tensor):
            grad = value.grad if value.is_leaf else None
            inside = round(float(value.detach().double().sum()), 4) if value.numel() and not value.is_meta else 0
            return ("tensor", value.requires_grad, value.is_leaf, value.device.type, inside, grad is None)
        if isinstance(value, (bool, int, str, type(None))):
            return value
        if isinstance(value, float):
            return round(value, 4)
        if isinstance(value, (list, tuple)) and depth:
            return tuple(shown(each, depth - 1) for each in value)
        if isinstance(value, dict) and depth:
            return tuple((str(key), shown(each, depth - 1)) for key, each in value.items())
        return None
    found = {}
    for name, value in names.items():
        if not name.startswith("_"):
            try:
                found[name] = repr(shown(value))
            except Exception:
                pass
    return found
"""


def needs_accelerator(case: dict[str, Any]) -> bool:
    missing = ("not compiled with CUDA", "is_available() is False")
    return case.get("family") == "device" and not any(each in (case.get("error") or "") for each in missing)


def run(files: dict[str, dict[str, str]], accelerated: dict[str, bool]) -> dict[str, Outcome]:
    """Run programs, each where it belongs."""
    outcomes: dict[str, Outcome] = {}
    for accelerator in (False, True):
        outcomes |= run_programs(
            [
                Program(name, text, LEFT_BEHIND, "_left_behind(dict(globals()))")
                for name, text in files.items()
                if accelerated[name] == accelerator
            ],
            accelerator=accelerator,
        )
    return outcomes


def places(
    cases: list[dict[str, Any]], before: dict[str, dict[str, str]], meant: dict[str, dict[str, str]]
) -> dict[str, bool]:
    """Whether each case belongs on the accelerator: as its family says, or where only the mistake raises."""
    found = {case["id"]: needs_accelerator(case) for case in cases if "family" in case}
    open_ = [case["id"] for case in cases if "family" not in case]
    if open_:
        both = {
            accelerator: [
                run({name: files[name] for name in open_}, dict.fromkeys(open_, accelerator))
                for files in (before, meant)
            ]
            for accelerator in (False, True)
        }
        for name in open_:
            raised = {each: tuple(bool(one[name].raised) for one in both[each]) for each in both}
            found[name] = raised[False] != (True, False) and (
                raised[True] == (True, False) or raised[False][1]
            )
    return found


def verdict(done: Repair, before: dict[str, str], ran: dict[str, Outcome]) -> str:
    """Outcome of a case; `ran` is what the programs "bug", "done" and "fixed" did."""
    outcome, meant = ran["done"], ran["fixed"]
    if not done.found:
        return "missed"
    if outcome.raised and outcome.raised == meant.raised and not done.left:
        return "repaired"  # as far as it can be run here: the program that was meant stops there, too
    if outcome.raised or outcome.died:
        return "no fix" if done.files == before else "still raises"
    if done.left:
        return "no fix" if done.files == before else "finding left"
    if not ran["bug"].raised and effect_left(ran):
        return "effect left"
    return "repaired"


def effect_left(ran: dict[str, Outcome]) -> bool:
    """Whether something shows the mistake, and shows it still."""
    try:
        left = {name: ast.literal_eval(each.effect) for name, each in ran.items()}
    except (ValueError, SyntaxError):
        return False
    telling = [name for name, value in left["fixed"].items() if left["bug"].get(name, value) != value]
    return bool(telling) and all(left["done"].get(name) == left["bug"][name] for name in telling)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path, nargs="+")
    parser.add_argument("--only", default="", help="only cases whose id or class contains this")
    parser.add_argument("--min", type=float, default=0.0, help="fail below this share of those found")
    parser.add_argument("-v", "--verbose", action="store_true", help="show what was changed")
    options = parser.parse_args()
    counts: Counter[tuple[str, str]] = Counter()
    for folder in options.folder:
        counts += measured(folder, only=options.only, verbose=options.verbose)
    families = sorted({family for family, _ in counts})
    words = ["repaired", "no fix", "finding left", "effect left", "still raises", "missed"]
    print(f"\n{'':12}" + "".join(f"{word:>14}" for word in words))
    for family in families:
        print(f"{family:12}" + "".join(f"{counts[family, word]:14}" for word in words))
    found = sum(number for (_, word), number in counts.items() if word != "missed")
    good = sum(number for (_, word), number in counts.items() if word == "repaired")
    print(f"repaired {good} of {found} found: {good / max(1, found):.1%}")
    return int(good < options.min * found)


def measured(folder: Path, *, only: str, verbose: bool) -> Counter[tuple[str, str]]:
    """Repair and run the cases of one folder."""
    rows = [json.loads(line) for line in (folder / "index.jsonl").read_text().splitlines() if line]
    cases = [
        row
        for row in rows
        if row["kind"] == "bug" and only in f"{row['id']} {row['class']}" and not row.get("unfair")
    ]
    before = {case["id"]: read(folder / "cases" / case["id"], "bug") for case in cases}
    meant = {case["id"]: read(folder / "cases" / case["id"], "fixed") for case in cases}
    done = {name: repair(files) for name, files in before.items()}
    accelerated = places(cases, before, meant)
    programs = {"bug": before, "done": {name: each.files for name, each in done.items()}, "fixed": meant}
    ran = {which: run(files, accelerated) for which, files in programs.items()}
    counts: Counter[tuple[str, str]] = Counter()
    for case in cases:
        name = case["id"]
        word = verdict(done[name], before[name], {which: each[name] for which, each in ran.items()})
        counts[case.get("family", folder.name), word] += 1
        outcome = ran["done"][name]
        said = [*done[name].left, *[f"no fix for {each}" for each in done[name].unfixed]]
        if outcome.raised and word != "repaired":
            said.append(f"line {outcome.line}: {outcome.raised}"[:160])
        print(f"{name:42} {word:13} {' | '.join(said)[:300] if word != 'repaired' else ''}".rstrip())
        if verbose:
            show(before[name], done[name].files)
    return counts


def show(before: dict[str, str], after: dict[str, str]) -> None:
    import difflib  # noqa: PLC0415  with --verbose only

    for name, text in before.items():
        lines = difflib.unified_diff(
            text.splitlines(), after[name].splitlines(), name, name, lineterm="", n=1
        )
        print("\n".join(f"    {line}" for line in lines))


if __name__ == "__main__":
    sys.exit(main())
