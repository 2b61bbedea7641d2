"""Write programs of `tests/regression/` as files, to run and debug them, and a set that was edited so back into its page.

    lay_out.py set_aa/aa001 FOLDER     bug.py and fixed.py there, or the folders bug/ and fixed/; or clean.py, or clean/
    lay_out.py set_aa FOLDER           the set with its index.jsonl, as benchmarks/repair_rate.py reads it
    lay_out.py --back set_aa FOLDER    tests/regression/set_aa.md of what lies there; also for a set that is new

A correct program without its twin is `clean/NAME.py`, or the folder `clean/NAME`, in a set that is laid out, and a mistake
`cases/NAME/bug.py` and `fixed.py`, or folders of these names. Each line of the index is a JSON object with `id`, `kind` ("bug" or "clean"), and for
a mistake `class` and `bug_lines` (by file: lines from 1 of which a finding has to touch one); `known` lists "missed", "noisy".
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "server"), str(ROOT / "tests")]

import regression_sets  # noqa: E402  the path comes first
from checking import write_files  # noqa: E402


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("which", metavar="SET[/PROGRAM]")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--back", action="store_true", help="write the page of a set from its files")
    given = parser.parse_args()
    name, _, program = given.which.partition("/")
    page = regression_sets.FOLDER / f"{name}.md"
    if given.back:
        text = regression_sets.page_of(name, regression_sets.gather(name, given.folder))
        page.write_text(text, encoding="utf-8")
        print(page)
        return 0
    if not page.exists():
        parser.error(f"{page} does not exist")
    programs = regression_sets.read_set(page)
    if not program:
        regression_sets.lay_out(programs, given.folder)
        return 0
    found = next((each for each in programs if each.name == program), None)
    if found is None:
        parser.error(f"{page.name} has no program {program}")
    write_files(found.broken | found.correct, given.folder)
    for path, lines in found.lines.items():
        print(f"expected: {path}:{','.join(map(str, lines))} {found.mistake}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
