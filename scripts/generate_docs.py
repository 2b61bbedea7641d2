"""Write what is generated: the index of rules, the page of rules, the README's example, and what there is of settings.

    python scripts/generate_docs.py [--check]

Sources: the rules' pages, the registered rules, what the analyzer offers for the examples on the pages, and a run of the
command line on an example. A generated part of a page stands between `<!-- generated: NAME -->` and `<!-- end -->`.
`--check` writes nothing and fails if a file differs.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import re
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "server")]

from checking import analyze  # noqa: E402  the path comes first
from devls.__main__ import main as devls  # noqa: E402
from devls.cli.pages import pages as rules  # noqa: E402
from devls.rules.rule import RULES as RULE_NAMES  # noqa: E402
from devls.settings import SETTINGS, schema  # noqa: E402
from devls.text.edits import Applicability  # noqa: E402
from pages import RULES, read_page  # noqa: E402

if TYPE_CHECKING:
    from devls.cli.style import Page

INDEX = RULES / "index.py"
PAGES = (ROOT / "README.md", ROOT / "docs" / "rules.md", ROOT / "docs" / "settings.md")
SCHEMA = ROOT / "docs" / "devls.schema.json"
EXAMPLE = "examples/classifier.py"

_PART = re.compile(r"(?<=<!-- generated: )(?P<name>[\w-]+) -->\n.*?(?=<!-- end -->)", re.DOTALL)
_FAMILIES = {
    "device": "Devices",
    "autograd": "Autograd",
    "training": "Training",
    "comments": "Comments",
}


def rule_index() -> str:
    """The module that names every rule's module: one for each page."""
    names = sorted(f'    "{page.parent.name}.{page.stem}",\n' for page in RULES.glob("*/*.md"))
    head, _, _ = INDEX.read_text(encoding="utf-8").partition("MODULES")
    return f"{head}MODULES: Final = (\n{''.join(names)})\n"


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
        name = f"[{rule.name}](../{page.relative_to(ROOT).as_posix()})"
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


def setting_table() -> str:
    """All settings, with an example of each."""
    lines = ["| Setting | | Example |", "|---|---|---|"]
    lines += [f"| `{each.name}` | {each.summary} | `{each.example}` |" for each in SETTINGS]
    return "\n".join(lines) + "\n"


def setting_schema() -> str:
    """The JSON schema of the settings."""
    return json.dumps(schema(RULE_NAMES), indent=2) + "\n"


def check_output() -> str:
    """The output of a check of one example where no terminal is.

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
    makers = {"rules": rule_table, "check": check_output, "settings": setting_table}
    return _PART.sub(lambda part: f"{part['name']} -->\n{makers[part['name']]()}", text)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="fail if a file is out of date")
    check = parser.parse_args().check
    os.chdir(ROOT)  # paths are printed as seen from here
    after = {INDEX: rule_index(), SCHEMA: setting_schema()} | {
        page: wanted(page.read_text(encoding="utf-8")) for page in PAGES
    }
    stale = [path for path, text in after.items() if path.read_text(encoding="utf-8") != text]
    for path in stale:
        if not check:
            path.write_text(after[path], encoding="utf-8")
        print("out of date:" if check else "wrote", path.relative_to(ROOT).as_posix())
    if check and stale:
        print("run: python scripts/generate_docs.py")
        return 1
    if not stale:
        print("up to date")
    return 0


if __name__ == "__main__":
    sys.exit(main())
