"""Make the pages of the documentation site, of the README, the pages of rules, and what else there is to read.

    python scripts/build_site.py [FOLDER]

The README is divided at its headings. Links lead to the page that a file or a heading has become, or to the repository. `make site`
has MkDocs make the site of them (mkdocs.yml).
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "server")]

from devls.cli.pages import pages as rules  # noqa: E402  the path comes first
from devls.cli.unchecked import PAGES as FILE_PAGES  # noqa: E402

REPOSITORY: Final = "https://github.com/devls/devls/blob/main"
README: Final = "README.md"

SECTIONS: Final = {
    "": "index.md",
    "On the command line": "index.md",
    "Install": "install.md",
    "VS Code": "editors.md",
    "Neovim": "editors.md",
    "Any other client": "editors.md",
    "Use": "use.md",
    "In a large program, and in CI": "use.md",
    "Ask torch": "use.md",
    "Rules": "index.md",
    "Configuration": "use.md",
    "What does devls believe?": "how.md",
    "How it works": "how.md",
    "Limits": "limits.md",
    "Development": "index.md",
}
"""Which page each section of the README is on."""

TITLES: Final = {"editors.md": "Editors", "how.md": "How it works"}
"""Of the pages that do not begin with a heading of their own."""

FILES: Final = {
    "client/README.md": "vscode.md",
    "docs/settings.md": "settings.md",
    "docs/questions.md": "questions.md",
    "docs/ci.md": "ci.md",
    "docs/rules.md": "rules/index.md",
    "docs/messages.md": "messages.md",
    "docs/notes.md": "notes.md",
    "docs/life_of_a_finding.md": "life_of_a_finding.md",
    "ARCHITECTURE.md": "architecture.md",
    "CHANGELOG.md": "changelog.md",
}
SCORES: Final = "scores.md"

_HEADING: Final = re.compile(r"^(#+) (.+)$")
_FENCE: Final = re.compile(r"^(`{3,}).*?^\1$", re.MULTILINE | re.DOTALL)
_LINK: Final = re.compile(r"(?<=\]\()(?P<target>[^)\s:]+)(?=\))")


@dataclass
class Page:
    """One page of the site."""

    source: str
    """The file that links are to be understood from, as seen from the root."""
    text: str


def divided(text: str) -> dict[str, str]:
    """The README by heading, in order; what stands above the first one is under an empty name."""
    sections = {"": ""}
    name, fenced = "", False
    for line in text.splitlines(keepends=True):
        fenced ^= line.startswith("```")
        heading = None if fenced else _HEADING.match(line)
        if heading and len(heading[1]) > 1:
            name = heading[2]
            sections[name] = ""
        sections[name] += line
    return sections


def anchor(heading: str) -> str:
    """The fragment of a heading, as GitHub and MkDocs have it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def raised(text: str) -> str:
    """A section whose own heading is the title of a page, and those below it one higher."""
    return re.sub(r"^#(#+ )", r"\1", text, flags=re.MULTILINE)


def scores() -> str:
    """All figures that the repository has, as they stand there."""
    parts = [
        "# Score sheet\n\nFigures of measurements that anybody can repeat: each table says which script has made it.\n"
    ]
    found = (path.read_text("utf-8") for path in sorted((ROOT / "benchmarks").glob("*.md")))
    parts += [re.sub(r"^(#+ )", r"#\1", text, flags=re.MULTILINE) for text in found]
    return "\n".join(parts)


def pages() -> dict[str, Page]:
    """All pages of the site, by name.

    Raises:
        KeyError: if the README has a section that belongs to no page.
    """
    made = {to: Page(file, (ROOT / file).read_text("utf-8")) for file, to in FILES.items()}
    for name, text in divided((ROOT / README).read_text("utf-8")).items():
        to = SECTIONS[name]
        title = TITLES.get(to)
        first = to not in made
        page = made.setdefault(to, Page(README, f"# {title}\n\n" if title else ""))
        page.text += raised(text) if first and not title and name else text
    for rule in (*rules(), *FILE_PAGES.values()):
        name = f"rules/{rule.family}/{rule.name.replace('-', '_')}.md"
        made[name] = Page(f"server/devls/{name}", rule.markdown)
    made[SCORES] = Page("benchmarks/scores.md", scores())
    return made


def linked(page: Page, name: str, made: dict[str, Page]) -> str:
    """The text of a page with links to where the site has things."""
    known = {each.source: to for to, each in made.items() if each.source != README}
    known[README] = "index.md"
    headings = {anchor(heading): to for heading, to in SECTIONS.items()}
    here = os.path.dirname(name)  # noqa: PTH120  of a name on the site

    def moved(link: re.Match[str]) -> str:
        target, hash_, fragment = link["target"].partition("#")
        file = os.path.normpath(os.path.join(os.path.dirname(page.source), target)) if target else page.source  # noqa: PTH118, PTH120
        to = headings.get(fragment, "index.md") if file == README else known.get(file)
        if file.startswith("docs/") and not file.endswith(".md"):
            to = file.removeprefix("docs/")  # pictures, and the schema
        if to is None:
            return f"{REPOSITORY}/{file}{hash_}{fragment}"
        return f"{os.path.relpath(to, here or '.')}{hash_}{fragment}"

    fences = [*_FENCE.finditer(page.text)]
    starts = [0, *(each.end() for each in fences)]
    ends = [*(each.start() for each in fences), len(page.text)]
    prose = [_LINK.sub(moved, page.text[start:end]) for start, end in zip(starts, ends, strict=True)]
    codes = [*(each[0] for each in fences), ""]
    return "".join(part for pair in zip(prose, codes, strict=True) for part in pair)


def main() -> int:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build" / "pages")
    shutil.rmtree(folder, ignore_errors=True)
    made = pages()
    for name, page in made.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(linked(page, name, made), encoding="utf-8")
    shutil.copytree(ROOT / "docs" / "images", folder / "images")
    shutil.copy(ROOT / "docs" / "devls.schema.json", folder)
    print(f"{len(made)} pages in {folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
