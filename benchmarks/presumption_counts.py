"""How often each presumption is met, and how often it decides: over specs and pages, regression programs and packages.

usage: presumption_counts.py [--packages FOLDER] [--only GROUP] [--write] [--list]

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
    """Entries that one program meets; an empty dict stands for a package, whose folder is the name."""
    group, name, files = task
    found = counted(files) if files else counted_below(Path(name), _readable(Path(name)))
    return group, name, found.met, found.decided


def _readable(package: Path) -> list[Path]:
    """The files of a package, without links that lead nowhere."""
    return sorted(each for each in package.rglob("*.py") if each.is_file())


def packages_in(text: str) -> str:
    """The line that says which packages a table that was written before counts."""
    return next((line for line in text.splitlines() if line.startswith(_PACKAGES)), "")


_PACKAGES = "Packages: "

Column = dict[Key, str]
"""Of one group: what stands in the table for each entry."""


def column(results: list[tuple[set[Key], set[Key]]]) -> Column:
    """How many programs of a group meet each entry, and in how many it decides."""
    return {
        key: f"{sum(key in met for met, _ in results)} / {sum(key in decided for _, decided in results)}"
        for key in map(key_of, entries())
    }


def columns(text: str) -> dict[str, Column]:
    """Counts of each group in a table that was written before."""
    found: dict[str, Column] = {group: {} for group in GROUPS}
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == len(GROUPS) + 2 and "/" in cells[-1]:
            for group, cell in zip(GROUPS, cells[2:], strict=True):
                found[group][cells[1], cells[0]] = cell
    return found


def table(counts: dict[str, Column], packages: str) -> str:
    """The counts as Markdown."""
    lines = [
        "# How often each presumption is met",
        "",
        "Programs (of packages: packages) that meet an entry / in which it decides. Made by `presumption_counts.py --write`.",
        *(["", packages] if packages else []),
        "",
        f"| Entry | Event | {' | '.join(GROUPS)} |",
        "|---|---|---|---|---|",
    ]
    lines += [
        f"| {key[1]} | {key[0]} | {' | '.join(counts[group].get(key, '0 / 0') for group in GROUPS)} |"
        for key in sorted(map(key_of, entries()))
    ]
    return "\n".join(lines) + "\n"


def main() -> int:
    """Print or write the table; returns the exit status."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--packages", type=Path, help="count packages, too: those in a folder")
    parser.add_argument("--only", choices=GROUPS, help="leave the other columns as they were written")
    parser.add_argument("--write", action="store_true", help="write the table")
    parser.add_argument("--list", action="store_true", help="print the first programs that meet each entry")
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    tasks = [task for task in programs() if options.only in (None, task[0])]
    if options.packages is not None and options.only in (None, GROUPS[2]):
        folders = (each for each in sorted(options.packages.iterdir()) if each.is_dir())
        tasks += [(GROUPS[2], str(each), {}) for each in folders]
    found: dict[str, list[tuple[str, set[Key], set[Key]]]] = defaultdict(list)
    with multiprocessing.get_context("fork").Pool(options.processes, maxtasksperchild=200) as pool:
        for group, name, met, decided in pool.imap_unordered(count, tasks, chunksize=1):
            found[group].append((name, met, decided))
    written = OUT.read_text(encoding="utf-8") if OUT.exists() else ""
    counts, packages = columns(written), packages_in(written)
    if GROUPS[2] in found:
        packages = f"{_PACKAGES}{', '.join(sorted(Path(name).name for name, _, _ in found[GROUPS[2]]))}."
    for group, results in found.items():
        counts[group] = column([(met, decided) for _, met, decided in results])
    if options.write:
        OUT.write_text(table(counts, packages), encoding="utf-8")
    else:
        print(table(counts, packages))
    if options.list:
        _list(found)
    return 0


def _list(found: dict[str, list[tuple[str, set[Key], set[Key]]]]) -> None:
    """Print for each entry the first programs in which it decides, or which meet it."""
    for key in sorted(map(key_of, entries())):
        for group, results in found.items():
            met = sorted(name for name, met, _ in results if key in met)
            decided = sorted(name for name, _, decided in results if key in decided)
            print(*key, group, *(f"[{name}]" for name in (decided or met)[:3]))


if __name__ == "__main__":
    sys.exit(main())
