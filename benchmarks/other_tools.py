"""Findings of other tools on the mistakes in the regression programs, beside those of devls.

usage: other_tools.py [--every N] [--tools FOLDER] [--timeout SECONDS]

Each tool reads all regression programs of one file, as they are, as they are meant, and those without a mistake. FOLDER is that of an
environment with the tools (`pip install torchfix ruff mypy pyright`); a tool that is not there is left out. The type checkers see the
torch of the Python that runs this. Each tool runs with its own default rules, TorchFix with all that it has.

- found: a message stands on a line where the mistake is made or fails, and the program as it is meant does not have that message;
- alarmed: a program without a mistake has a message.

Messages are errors and warnings; remarks (infos of devls, notes of mypy) do not count.

devls was mended with these programs, so that its figure is no measure of what it finds in others: tests/regression/README.md has
the figures of first sight. The other columns are those of tools that nobody has mended for them.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Final

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "server"), str(ROOT / "tests")]

from regression_sets import all_programs  # noqa: E402

if TYPE_CHECKING:
    from regression_sets import Program

_MESSAGE: Final = re.compile(
    r"^\s*(?P<file>[^:\n]+\.py):(?P<line>\d+)(?::\d+)?(?: -|:) (?P<text>.*)$", re.MULTILINE
)

_REMARKS: Final = ("info[", "note:")
"""How messages begin that are neither an error nor a warning."""

COMMANDS: Final = {
    "torchfix": ["torchfix", "--select", "ALL"],
    "ruff": ["ruff", "check", "--isolated", "--no-cache", "--output-format", "concise"],
    "mypy": [
        "mypy",
        "--python-executable",
        sys.executable,
        "--cache-dir",
        "/dev/null",
        "--no-error-summary",
        "--hide-error-context",
    ],
    "pyright": ["pyright", "--pythonpath", sys.executable, "--level", "error"],
}

Told = dict[str, list[tuple[int, str]]]
"""By file: lines and what is said of them."""


def main() -> int:
    """Print the table; returns the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--every", type=int, default=1, help="take every N-th program")
    parser.add_argument(
        "--tools", type=Path, default=Path(sys.executable).parent.parent, help="an environment"
    )
    parser.add_argument("--timeout", type=int, default=1200, help="seconds for one run of a tool")
    options = parser.parse_args()
    programs = [each for each in all_programs() if _is_one_file(each)][:: options.every]
    with tempfile.TemporaryDirectory() as folder:
        for each in programs:
            _lay_out(each, Path(folder))
        broken = [each for each in programs if each.broken]
        clean = [each for each in programs if not each.broken]
        print(f"{len(broken)} programs with a mistake, {len(clean)} without.\n")
        print("| tool | found | alarmed |\n|---|---|---|")
        for name, command in _present(options.tools).items():
            told = {
                kind: _run(command, Path(folder), kind, options.timeout) for kind in ("bug", "fixed", "clean")
            }
            found = sum(_is_found(each, told["bug"], told["fixed"]) for each in broken)
            alarmed = sum(bool(told["clean"].get(_name(each))) for each in clean)
            print(f"| {name} | {_share(found, len(broken))} | {_share(alarmed, len(clean))} |", flush=True)
    return 0


def _is_one_file(program: Program) -> bool:
    return all(len(files) <= 1 for files in (program.broken, program.correct))


def _name(program: Program) -> str:
    return f"{program.set}_{program.name}.py"


def _lay_out(program: Program, folder: Path) -> None:
    kinds = {"bug": program.broken, "fixed" if program.broken else "clean": program.correct}
    for kind, files in kinds.items():
        for text in files.values():
            (folder / kind).mkdir(exist_ok=True)
            (folder / kind / _name(program)).write_text(text, encoding="utf-8")


def _present(tools: Path) -> dict[str, list[str]]:
    """The commands to run, by what the table calls them."""
    found = {
        "devls": [
            sys.executable,
            "-m",
            "devls",
            "check",
            "--isolated",
            "--no-cache",
            "--output-format",
            "concise",
        ]
    }
    for name, (program, *arguments) in COMMANDS.items():
        path = tools / "bin" / program
        if path.exists():
            version = subprocess.run(
                [path, "--version"], capture_output=True, text=True, check=False
            ).stdout.split()
            number = next((each for each in version if each[:1].isdigit()), "")
            found[f"{name} {number}".strip()] = [str(path), *arguments]
    return found


def _run(command: list[str], folder: Path, kind: str, limit: int) -> Told:
    """Output of a tool for all files of a folder.

    Raises:
        subprocess.TimeoutExpired: if it takes too long.
    """
    ran = subprocess.run(
        [*command, kind], cwd=folder, capture_output=True, text=True, check=False, timeout=limit
    )
    told: Told = {}
    for each in _MESSAGE.finditer(ran.stdout):
        if each["text"].startswith(_REMARKS):
            continue
        told.setdefault(Path(each["file"]).name, []).append((int(each["line"]), each["text"]))
    return told


def _is_found(program: Program, bug: Told, fixed: Told) -> bool:
    name = _name(program)
    (lines,) = program.lines.values()
    before, after = (Counter(text for _, text in told.get(name, ())) for told in (bug, fixed))
    return any(line in lines and before[text] > after[text] for line, text in bug.get(name, ()))


def _share(count: int, of: int) -> str:
    return f"{count} of {of} ({count / max(1, of):.1%})"


if __name__ == "__main__":
    sys.exit(main())
