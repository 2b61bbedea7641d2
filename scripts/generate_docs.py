"""Write the generated parts of README.md: the table of rules, and what a check prints.

    python scripts/generate_docs.py [--check]

Sources: the registered rules, their pages, what the analyzer offers for the examples on the pages, and a run of the
command line on an example. A part stands between `<!-- generated: NAME -->` and `<!-- end -->`. `--check` writes
nothing and fails if a part differs.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import re
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "server")]

from checking import analyze  # noqa: E402  the path comes first
from devls.__main__ import main as devls  # noqa: E402
from devls.cli.pages import Page  # noqa: E402
from devls.cli.pages import pages as rules  # noqa: E402
from devls.text.edits import Applicability  # noqa: E402
from pages import RULES, read_page  # noqa: E402

README = ROOT / "README.md"
EXAMPLE = "examples/classifier.py"

_PART = re.compile(r"(?<=<!-- generated: )(?P<name>[\w-]+) -->\n.*?(?=<!-- end -->)", re.DOTALL)
_FAMILIES = {
    "device": "Devices",
    "autograd": "Autograd",
    "training": "Training",
    "comments": "Comments",
}


def rule_table() -> str:
    """One table per family: name, what it finds, level, fix."""
    lines = []
    family = ""
    for rule in rules():
        if rule.family != family:
            family = rule.family
            lines += ["", f"**{_FAMILIES[family]}** (`{family}`)", ""]
            lines += ["| Rule | What it finds | Level | Fix |", "|---|---|---|---|"]
        page = _path(rule)
        name = f"[{rule.name}]({page.relative_to(ROOT).as_posix()})"
        what = rule.summary.replace("|", r"\|")
        lines.append(f"| {name} | {what} | {rule.level} | {offered(rule.name, page)} |")
    return "\n".join(lines[1:]) + "\n"


def offered(rule: str, page: Path) -> str:
    """How safe the preferred fixes are that the rule offers in the examples of its page."""
    found: set[Applicability] = set()
    for block in read_page(page).blocks:
        if not block.marks:
            continue
        with tempfile.TemporaryDirectory() as folder:
            for diagnostics in analyze(block.files, Path(folder)).values():
                found |= {
                    each.fixes[0].applicability for each in diagnostics if each.rule == rule and each.fixes
                }
    words = {Applicability.SAFE: "safe", Applicability.UNSAFE: "unsafe"}
    return ", ".join(word for kind, word in words.items() if kind in found) or "no"


def check_output() -> str:
    """What a check of one example prints where no terminal is.

    Raises:
        RuntimeError: if devls itself failed.
    """
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        status = devls(["--check", EXAMPLE])
    if status > 1:
        message = f"`devls --check {EXAMPLE}` ended with {status}"
        raise RuntimeError(message)
    text = "\n".join(line.rstrip() for line in printed.getvalue().splitlines())
    return f"```console\n$ devls --check {EXAMPLE}\n{text}\n```\n"


def _path(rule: Page) -> Path:
    return RULES / rule.family / f"{rule.name.replace('-', '_')}.md"


def wanted(text: str) -> str:
    """`text` with its generated parts as they should be.

    Raises:
        KeyError: for a part that nothing here makes.
    """
    makers = {"rules": rule_table, "check": check_output}
    return _PART.sub(lambda part: f"{part['name']} -->\n{makers[part['name']]()}", text)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="fail if a part is out of date")
    check = parser.parse_args().check
    os.chdir(ROOT)  # paths are printed as seen from here
    before = README.read_text(encoding="utf-8")
    after = wanted(before)
    if before == after:
        print("up to date")
        return 0
    if check:
        print(f"out of date: {README.name} (python scripts/generate_docs.py)")
        return 1
    README.write_text(after, encoding="utf-8")
    print(f"wrote {README.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
