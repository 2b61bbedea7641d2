"""Which findings stay when a definition is deleted: code that people have on the screen lacks some of it.

usage: deletion.py [--every N] [--show]

Of every N-th regression program of one file whose mistake is found, one definition at a time is deleted, here and in its corrected
twin: a device, a loader, a dataset, the class of a model, or an import. Its lines stay, blank. A definition that holds a line where
the mistake is made or fails is left, and so is one that the twin does not have.

- stays: a finding still touches a line where the mistake is made or fails;
- quiet: the corrected twin with the same deletion has no finding.

devls was mended with these programs. What it knows of one by its definitions alone is what this shows.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import io
import json
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "server"), str(ROOT / "tests")]

from devls.cli import arguments  # noqa: E402  the path comes first
from devls.cli.main import run  # noqa: E402
from regression_sets import all_programs  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator

    from regression_sets import Program

_OMISSIONS: Final = ("missing", "misplaced", "without", "not-called", "incomplete")
"""The line beside will do for a statement that is missing."""


def main() -> int:
    """Print the table; returns the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--every", type=int, default=5, help="take every N-th program")
    parser.add_argument(
        "--show", action="store_true", help="print what was lost, and which twins are not quiet"
    )
    options = parser.parse_args()
    usable = [
        each
        for each in all_programs()
        if each.broken and len(each.broken) == len(each.correct) == 1 and "missed" not in each.known
    ]
    tried, stays, quiet = Counter[str](), Counter[str](), Counter[str]()
    with tempfile.TemporaryDirectory() as folder:
        for program in usable[:: options.every]:
            (broken,), (correct,) = program.broken.values(), program.correct.values()
            for kind, first, last, name in _definitions(broken):
                lost = _without(broken, first, last)
                twin = _same_in(correct, broken, first, last)
                if twin is None or {*range(first, last + 1)} & _lines(program):
                    continue
                findings = _findings(lost, Path(folder))
                kept = any(_places(each) & _lines(program) for each in findings)
                noise = _findings(twin, Path(folder))
                tried[kind] += 1
                stays[kind] += int(kept)
                quiet[kind] += int(not noise)
                if options.show and not kept:
                    print(f"lost: {program.id} without {kind} {name}: {program.mistake}", flush=True)
                for each in noise if options.show else ():
                    print(
                        f"loud: {program.id} without {kind} {name}: {each['code']} {each['message']}",
                        flush=True,
                    )
    print("| deleted | times | finding stays | twin is quiet |\n|---|---|---|---|")
    for kind in (*sorted(tried), ""):
        n, kept, silent = (
            (tried[kind], stays[kind], quiet[kind]) if kind else (tried.total(), stays.total(), quiet.total())
        )
        print(f"| {kind or 'all'} | {n} | {_share(kept, n)} | {_share(silent, n)} |")
    return 0


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.1%}" if whole else "-"


def _lines(program: Program) -> set[int]:
    slack = int(any(word in program.mistake for word in _OMISSIONS))
    return {
        line + beside
        for lines in program.lines.values()
        for line in lines
        for beside in range(-slack, slack + 1)
    }


def _definitions(text: str) -> Iterator[tuple[str, int, int, str]]:
    """Definitions to delete: the kind, the first and the last line, and the name that each binds."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return
    for node in ast.walk(tree):
        kind, name = _kind(node)
        if kind and isinstance(node, ast.stmt):
            first = min((each.lineno for each in getattr(node, "decorator_list", ())), default=node.lineno)
            yield kind, first, node.end_lineno or first, name


def _kind(node: ast.AST) -> tuple[str, str]:
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return "import", node.names[0].asname or node.names[0].name
    if isinstance(node, ast.ClassDef):
        bases = [ast.unparse(each).rpartition(".")[2] for each in node.bases]
        if any(each.endswith("Dataset") for each in bases):
            return "dataset", node.name
        return ("model", node.name) if any(each.endswith("Module") for each in bases) else ("", "")
    if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Name):
        return "", ""
    name = node.targets[0].id
    made = ast.unparse(node.value.func).rpartition(".")[2] if isinstance(node.value, ast.Call) else ""
    if made == "device" or name in ("device", "DEVICE"):
        return "device", name
    if made == "DataLoader":
        return "loader", name
    return ("dataset", name) if made.endswith("Dataset") else ("", "")


def _without(text: str, first: int, last: int) -> str:
    """A text with lines blank; a block of which nothing would be left keeps a `pass`."""
    lines = text.split("\n")
    indent = lines[first - 1][: len(lines[first - 1]) - len(lines[first - 1].lstrip())]
    lines[first - 1 : last] = [f"{indent}pass" if indent else "", *[""] * (last - first)]
    return "\n".join(lines)


def _same_in(correct: str, broken: str, first: int, last: int) -> str | None:
    """The corrected twin without the same lines; None if it does not have them."""
    lines, wanted = correct.split("\n"), broken.split("\n")[first - 1 : last]
    for at in range(len(lines) - len(wanted) + 1):
        if lines[at : at + len(wanted)] == wanted:
            return _without(correct, at + 1, at + len(wanted))
    return None


def _findings(text: str, folder: Path) -> list[dict[str, Any]]:
    """Errors and warnings of a program."""
    path = folder / "main.py"
    path.write_text(text, encoding="utf-8")
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        run(arguments.parse(["--check", "--output-format", "json", "--no-cache", "--jobs", "1", str(path)]))
    return [each for each in json.loads(shown.getvalue()) if each["severity"] != "info"]


def _places(finding: dict[str, Any]) -> set[int]:
    """Lines of a finding and what belongs to it."""
    return {each["location"]["row"] for each in (finding, *finding.get("related", ()))}


if __name__ == "__main__":
    sys.exit(main())
