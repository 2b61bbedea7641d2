"""Whether `devls --check` comes to its end on whatever Python there is, in time and in memory.

    python benchmarks/many_lines.py FOLDER... [--lines N] [--seconds N]
    python benchmarks/many_lines.py FOLDER... --same

Each folder is checked in batches of some hundred thousand lines, each in a process of its own that has so many seconds of
wall-clock time. A text that stands in several files is checked once. Printed are, for each batch and for all, lines, processor
seconds (and what only parsing takes), peak memory, files that devls failed on, and files of which some part was cut short because
its steps were used up. Exit status 1 if devls failed on a file, or took over 20 seconds for one.

With `--same` the command line checks each batch four times: with another hash seed and in another order, and with a cache that is
empty and then full. Exit status 1 if any of them prints other findings.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import hashlib
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SUFFIX = ".py"

SLOW = 20.0
"""Seconds of processor time that no file may take."""


@dataclass
class Total:
    """Totals of all batches."""

    lines: int = 0
    files: int = 0
    seconds: float = 0.0
    parsing: float = 0.0
    findings: int = 0
    peak: int = 0
    cut: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    slow: list[tuple[float, str]] = field(default_factory=list)

    def add(self, told: dict[str, Any]) -> None:
        """Count a batch that has come to its end."""
        self.lines += told["lines"]
        self.files += told["files"]
        self.seconds += told["seconds"]
        self.parsing += told["parsing"]
        self.findings += told["findings"]
        self.peak = max(self.peak, told["peak"])
        self.cut += told["cut"]
        self.failed += told["failed"]
        self.slow = sorted([*self.slow, *map(tuple, told["slow"])], reverse=True)[:10]


def batches(folder: Path, lines: int, seen: set[bytes]) -> list[list[str]]:
    """The Python files below a folder, in order, so many lines at a time; those with texts that were `seen` are left out."""
    found: list[list[str]] = [[]]
    count = 0
    for path in sorted(folder.rglob(f"*{SUFFIX}")):
        if not path.is_file():
            continue
        text = path.read_bytes()
        digest = hashlib.sha256(text).digest()
        if digest in seen:
            continue
        seen.add(digest)
        count += text.count(b"\n")
        found[-1].append(str(path))
        if count >= lines:
            found.append([])
            count = 0
    return [each for each in found if each]


def check(folder: str, paths: list[str]) -> dict[str, Any]:
    """Check files of a folder in this process."""
    from devls.analysis import Analyzer  # noqa: PLC0415  the parent only waits
    from devls.cli import check as checking  # noqa: PLC0415
    from devls.cli.complaints import Complaints  # noqa: PLC0415
    from devls.config import Config  # noqa: PLC0415
    from devls.project.workspace import Workspace  # noqa: PLC0415

    cut: dict[str, None] = {}
    failed: list[str] = []
    times: list[tuple[float, str]] = []

    class Told(Complaints):
        def say(self, message: str) -> None:
            if "devls itself failed" in message:
                failed.append(message)

    parsing = 0.0
    for path in paths:
        text = Path(path).read_bytes()
        began = time.process_time()
        with contextlib.suppress(SyntaxError, ValueError, RecursionError, MemoryError):
            ast.parse(text)
        parsing += time.process_time() - began
    workspace = Workspace([folder])
    analyzer = Analyzer(workspace, lambda _: Config(), hovers=False)
    analyze = analyzer.analyze

    def timed(path: str) -> Any:
        began = time.process_time()
        try:
            found = analyze(path)
        finally:
            times.append((time.process_time() - began, path))
        cut.update(dict.fromkeys(each.path for each in found.cuts if not each.failed))
        return found

    analyzer.analyze = timed  # type: ignore[method-assign,assignment]
    began = time.process_time()
    checked = checking.Check(analyzer, workspace, {each: each for each in paths}, Told())
    checked.run()
    return {
        "files": len(paths),
        "lines": sum(Path(each).read_bytes().count(b"\n") for each in paths),
        "seconds": time.process_time() - began,
        "parsing": parsing,
        "findings": sum(map(len, checked.findings.values())),
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "cut": list(cut),
        "failed": failed,
        "slow": sorted(times, reverse=True)[:10],
    }


def batch(folder: str, paths: list[str], seconds: int, total: Total) -> None:
    """Check one batch in a process of its own, and tell how it went."""
    place = f"{folder}: {Path(paths[0]).relative_to(folder)} ..."
    try:
        ran = subprocess.run(
            [sys.executable, __file__, "--batch", folder],
            input="\n".join(paths),
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        total.failed.append(f"not done in {seconds} s: {place}")
        print(f"not done in {seconds} s  {place}", flush=True)
        return
    if ran.returncode:
        total.failed.append(f"exit status {ran.returncode}: {place}\n{ran.stderr[-1500:]}")
        print(f"exit status {ran.returncode}  {place}", flush=True)
        return
    told = json.loads(ran.stdout.splitlines()[-1])
    total.add(told)
    print(
        f"{told['lines']:8} lines {told['seconds']:7.1f} s {told['seconds'] / max(told['parsing'], 0.001):5.1f} x"
        f" {told['peak']:5} MB {told['findings']:4} findings {len(told['cut']):3} cut {len(told['failed']):2} failed  {place}",
        flush=True,
    )


def said(folder: str, given: list[str], changed: dict[str, str], seconds: int) -> str:
    """The findings of the command line, in an order of their own; after a space why there are none."""
    try:
        ran = subprocess.run(
            [sys.executable, "-m", "devls", "--check", "--output-format", "json", *given],
            cwd=folder,
            env={**os.environ, **changed},
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )
        return json.dumps(sorted(json.dumps(each) for each in json.loads(ran.stdout)))
    except (subprocess.TimeoutExpired, ValueError) as error:
        return f" {type(error).__name__}"


def same(folder: str, paths: list[str], seconds: int, total: Total) -> None:
    """Check one batch in four ways, and tell whether they agree."""
    shuffled = random.Random(len(paths)).sample(paths, len(paths))
    with tempfile.TemporaryDirectory() as place:
        cached = {"PYTHONHASHSEED": "0", "DEVLS_CACHE_DIR": place}
        ways: dict[str, tuple[list[str], dict[str, str]]] = {
            "the first": (["--no-cache", *paths], {"PYTHONHASHSEED": "0"}),
            "another seed and order": (["--no-cache", *shuffled], {"PYTHONHASHSEED": "1"}),
            "an empty cache": (paths, cached),
            "a full cache": (paths, cached),
        }
        found = {}
        for way, (given, changed) in ways.items():
            found[way] = said(folder, given, changed, seconds)
    place = f"{folder}: {Path(paths[0]).relative_to(folder)} ..."
    other = [way for way in found if found[way] != found["the first"]]
    total.failed += [f"{way} differs: {place}" for way in other]
    total.files += len(paths)
    total.lines += sum(Path(each).read_bytes().count(b"\n") for each in paths)
    none = [way for way in found if found[way].startswith(" ")]
    total.failed += [f"{way} came to no end ({found[way][1:]}): {place}" for way in none]
    count = len(json.loads(found["the first"])) if "the first" not in none else 0
    total.findings += count
    print(f"{len(paths):6} files {count:5} findings, {len(other)} of 3 ways differ  {place}", flush=True)


def main() -> int:
    """Measure."""
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", nargs="*")
    parser.add_argument("--lines", type=int, default=200_000)
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--batch", metavar="FOLDER", help=argparse.SUPPRESS)
    parser.add_argument("--same", action="store_true", help="compare seeds, orders, and caches")
    options = parser.parse_args()
    if options.batch:
        print(json.dumps(check(options.batch, sys.stdin.read().splitlines())))
        return 0
    total, seen, run = Total(), set[bytes](), same if options.same else batch
    for folder in options.folders:
        for paths in batches(Path(folder), options.lines, seen):
            run(folder, paths, options.seconds, total)
    print(
        f"\n{total.files} files, {total.lines} lines, {total.seconds:.0f} s, {total.seconds / max(total.parsing, 0.001):.1f} x"
        f" their parsing, at most {total.peak} MB, {total.findings} findings; {len(total.cut)} files cut short"
    )
    for seconds, path in total.slow:
        print(f"{seconds:8.1f} s  {path}")
    print(f"{len(total.failed)} failed")
    for each in total.failed:
        print(f"  {each}")
    return int(bool(total.failed) or any(seconds > SLOW for seconds, _ in total.slow))


if __name__ == "__main__":
    sys.exit(main())
