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
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "server"), str(ROOT / "tests")]

from devls.engine.evidence.presumptions import entries  # noqa: E402
from presumption_programs import (  # noqa: E402
    REGRESSION,
    SPECS,
    Key,
    counted,
    counted_below,
    key_of,
    programs,
)

GROUPS = (SPECS, REGRESSION, "packages")
OUT = Path(__file__).with_suffix(".md")


def count(task: tuple[str, str, dict[str, str]]) -> tuple[str, str, set[Key], set[Key]]:
    """What one program meets; an empty dict stands for a package, whose folder is the name."""
    group, name, files = task
    found = counted(files) if files else counted_below(Path(name), sorted(Path(name).rglob("*.py")))
    return group, name, found.met, found.decided


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
    for entry in sorted(entries(), key=key_of):
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
