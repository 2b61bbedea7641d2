"""Write what is generated: the index of rules, the pages of rules and of messages, the README's example, and what there is of settings.

    python scripts/generate_docs.py [--check]

Sources: the rules' pages, the registered rules, what the analyzer offers for the examples on the pages, and a run of the
command line on an example. A generated part of a page stands between `<!-- generated: NAME -->` and `<!-- end -->`.
`--check` writes nothing and fails if a file differs.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
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
from forms import read_forms  # noqa: E402
from pages import RULES, read_page  # noqa: E402

if TYPE_CHECKING:
    from devls.analysis import Diagnostic
    from devls.cli.formats import Page

INDEX = RULES / "index.py"
PAGES = (
    ROOT / "README.md",
    *(ROOT / "docs" / name for name in ("messages.md", "rules.md", "settings.md")),
)
SCHEMA = ROOT / "docs" / "devls.schema.json"
EXAMPLE = "examples/classifier.py"

_PART = re.compile(r"(?<=<!-- generated: )(?P<name>[\w-]+) -->\n.*?(?=<!-- end -->)", re.DOTALL)
_OF_ONE_PROGRAM = re.compile(
    r"`[^`]*`|\d+|\bthe parameters of [\w.]+|on (?:cuda|mps|the CPU)\S*(?: or on (?:cuda|mps|the CPU)\S*)*| whenever an accelerator is used"
)
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
    found = {each.fixes[0].applicability for each in examples(page) if each.rule == rule and each.fixes}
    words = {Applicability.SAFE: "safe", Applicability.UNSAFE: "unsafe"}
    return ", ".join(word for kind, word in words.items() if kind in found) or "no"


@functools.cache
def examples(page: Path) -> tuple[Diagnostic, ...]:
    """Findings in the examples of a page."""
    return tuple(each for block in read_page(page).blocks if block.marks for each in found_in(block.files))


def found_in(files: dict[str, str]) -> list[Diagnostic]:
    """Findings in files of a folder of their own."""
    with tempfile.TemporaryDirectory() as folder:
        return [each for found in analyze(files, Path(folder)).values() for each in found]


def message_list() -> str:
    """Each message of each rule, as it reads in one of the examples: those of the rules' pages first."""
    told: dict[str, dict[str, str]] = {rule.name: {} for rule in rules()}
    pages = [*map(_path, rules()), *sorted((ROOT / "tests" / "classics").glob("*.md"))]
    found = [each for page in pages for each in examples(page)]
    found += [each for form in read_forms() for each in found_in({"example.py": form.broken})]
    for each in found:
        told.get(each.rule, {}).setdefault(_without_names(each.message), each.message)
    lines = []
    for rule in rules():
        lines += [f"**[{rule.name}](../{_path(rule).relative_to(ROOT).as_posix()})**", ""]
        lines += [*(f"- {message}" for message in told[rule.name].values()), ""]
    return "\n".join(lines)


def _without_names(message: str) -> str:
    """Parts of a message that hold for other code, lines and devices."""
    return _OF_ONE_PROGRAM.sub("...", message)


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
    makers = {
        "rules": rule_table,
        "messages": message_list,
        "check": check_output,
        "settings": setting_table,
    }
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
