"""Cost of an analysis, in parsings.

    python benchmarks/cost.py FOLDER_OR_FILE... [--runs N] [--worst N]

Compared are the processor times (user and system) of `devls --check --no-cache --jobs 1` and of a process that only
reads the same files and parses them, in turns, because other work on the machine slows both. Two processes take a
fifth more in all, because each runs what its files import. Then each file by itself:
the time of its analysis, as one of many in a process, over that of its own parsing. Imported files that are run
on the way count for the file that was the first to import them.
"""

from __future__ import annotations

import argparse
import ast
import gc
import os
import resource
import statistics
import subprocess
import sys
import time
import warnings
from pathlib import Path

from devls import files
from devls.analysis import Analyzer
from devls.config import Config
from devls.project.workspace import Workspace

FLOOR = """
import ast, sys, warnings
warnings.simplefilter("ignore")
for path in sys.stdin.read().split("\\n"):
    with open(path, "rb") as file:
        text = file.read()
    try:
        ast.parse(text)
    except (SyntaxError, ValueError):
        pass
"""

ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
"""Installed packages have their modules compiled; so have both that are compared here, from the second run on."""

SMALL = 0.002
"""Seconds of parsing below which the ratio of a single file says more about what it imports than about itself."""


def python_files(targets: list[str]) -> list[Path]:
    """The files below the targets that `devls --check` would look at, by its own selection."""
    return [Path(path) for path in files.select(tuple(targets), lambda _: Config()).names]


def processor_seconds(command: list[str], text: str = "") -> float:
    """User and system time of one process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        command,
        input=text.encode(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
        env=ENVIRONMENT,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def whole(targets: list[str], paths: list[Path], runs: int) -> None:
    """Print what the command line costs over all files, in parsings of all files."""
    ratios = []
    for _ in range(runs):
        floor = processor_seconds([sys.executable, "-c", FLOOR], "\n".join(map(str, paths)))
        check = processor_seconds(
            [
                *(sys.executable, "-m", "devls", "--check", "--no-cache", "--jobs", "1"),
                *("--output-format", "json", *targets),
            ]
        )
        ratios.append(check / floor)
        print(f"parse {floor:8.2f} s   check {check:8.2f} s   {check / floor:6.1f} x", flush=True)
    print(f"median of {runs}: {statistics.median(ratios):.1f} x")


def each(targets: list[str], paths: list[Path], worst: int) -> None:
    """Print the files whose analysis costs most, in parsings of their own."""
    workspace = Workspace(files.select(tuple(targets), lambda _: Config()).roots)
    analyzer = Analyzer(workspace, lambda _: Config(), hovers=False)
    rows = []
    gc.disable()  # as the command line does; else single files pay for looking through all
    for path in paths:
        text = path.read_bytes()
        began = time.process_time()
        try:
            ast.parse(text)
        except (SyntaxError, ValueError):
            continue
        parsed = time.process_time()
        analyzer.analyze(str(path))
        cost = time.process_time() - parsed
        rows.append((cost / (parsed - began), cost, parsed - began, text.count(b"\n"), path))
    rows.sort(reverse=True)
    large = [row for row in rows if row[2] >= SMALL]
    above = sum(ratio > 40 for ratio, *_ in large)
    print(f"\nworst of {len(large)} files that parse for at least {SMALL * 1000:.0f} ms; {above} above 40 x")
    _table(large[:worst])
    print("\nworst of all")
    _table(rows[: worst // 2])
    print("\nmost time")
    _table(sorted(rows, key=lambda row: -row[1])[: worst // 2])


def _table(rows: list[tuple[float, float, float, int, Path]]) -> None:
    for ratio, cost, parse, lines, path in rows:
        print(f"{ratio:8.1f} x {cost * 1000:9.1f} ms {parse * 1000:7.1f} ms {lines:6} lines  {path}")


def main() -> None:
    """Measure."""
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("targets", nargs="+")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--worst", type=int, default=15)
    options = parser.parse_args()
    paths = python_files(options.targets)
    print(f"{len(paths)} files, {sum(path.read_bytes().count(b'%c' % 10) for path in paths)} lines")
    if options.runs:
        whole(options.targets, paths, options.runs)
    if options.worst:
        each(options.targets, paths, options.worst)


if __name__ == "__main__":
    main()
