"""The pages for people say what is so: links lead somewhere, generated parts are fresh, examples are taken."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from devls import rules
from devls.analysis import Analyzer
from devls.cli.arguments import parse
from devls.cli.pages import rule_names
from devls.config import Config
from devls.project.workspace import Workspace
from devls.rules.rule import RULES
from devls.text.excerpt import LONGEST_MESSAGE

ROOT = Path(__file__).resolve().parent.parent
RULE_PAGES = sorted((ROOT / "server" / "devls" / "rules").glob("*/*.md"))
PAGES = [
    *sorted(ROOT.glob("*.md")),
    ROOT / "client" / "README.md",
    *sorted(ROOT.glob("docs/**/*.md")),
    *RULE_PAGES,
]

_FENCE = re.compile(
    r"^(?P<ticks>`{3,})(?P<info>[^`\n]*)\n(?P<text>.*?)^(?P=ticks)$", re.MULTILINE | re.DOTALL
)
_CODE = re.compile(r"`[^`\n]+`")
_LINK = re.compile(r"!?\[[^\]]*\]\((?P<target>[^)\s]+)\)")
_HEADING = re.compile(r"^#+ (?P<text>.+)$", re.MULTILINE)
_ELSEWHERE = re.compile(r"^[a-z]+:")

# A machine's own paths and the addresses of package mirrors help nobody else.
_OF_ONE_MACHINE = re.compile(
    r"(?<![\w./])/(?:home|root|Users|work|tmp|mnt|opt|var)/\S|[A-Z]:\\\\?Users|index-url|https?://(?:localhost|127\.|10\.|192\.168\.)"
)


def prose(text: str) -> str:
    """Without code, in which brackets mean something else."""
    return _CODE.sub("", _FENCE.sub("", text))


def anchor(heading: str) -> str:
    """The fragment under which a heading is found."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def blocks(path: Path, language: str) -> list[str]:
    return [each["text"] for each in _FENCE.finditer(path.read_text("utf-8")) if each["info"] == language]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for link in _LINK.finditer(prose(page.read_text("utf-8"))):
        if _ELSEWHERE.match(link["target"]):
            continue
        name, _, fragment = link["target"].partition("#")
        target = page.parent / name if name else page
        assert target.exists(), link["target"]
        if fragment:
            headings = [anchor(each["text"]) for each in _HEADING.finditer(target.read_text("utf-8"))]
            assert fragment in headings, link["target"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_nothing_is_of_one_machine(page: Path) -> None:
    found = _OF_ONE_MACHINE.search(page.read_text("utf-8"))
    assert found is None, found


def test_pages_and_rules_are_the_same() -> None:
    rules.load()
    assert [f"{path.parent.name}/{path.stem}" for path in RULE_PAGES] == sorted(
        f"{rule.family}/{rule.module}" for rule in RULES.values()
    )
    modules = {f"{path.parent.name}.{path.stem}" for path in RULE_PAGES}
    assert set(rules.MODULES) == modules
    assert sorted(rules.MODULES) == list(rules.MODULES)


def test_generated_files_are_up_to_date() -> None:
    ran = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "generate_docs.py"), "--check"],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_messages_are_short_and_of_all_rules() -> None:
    rules.load()
    text = (ROOT / "docs" / "messages.md").read_text("utf-8")
    parts = re.findall(r"^\*\*\[([\w-]+)\].*?\n\n((?:- .*\n)+)", text, re.MULTILINE)
    assert {name for name, _ in parts} == set(RULES)
    messages = [each.removeprefix("- ") for _, part in parts for each in part.splitlines()]
    assert not [each for each in messages if len(each) > LONGEST_MESSAGE]
    ends = re.compile(r"[.?!] (?=[A-Z`])")
    assert not [each for each in messages if len(ends.findall(_CODE.sub("x", each))) > 1]


def test_the_page_of_rules_shows_each_rule() -> None:
    rules.load()
    text = (ROOT / "docs" / "rules.md").read_text("utf-8")
    for rule in RULES.values():
        assert f"[{rule.name}](../server/devls/rules/{rule.family}/{rule.module}.md)" in text


def test_configuration_in_the_readme_is_understood(tmp_path: Path) -> None:
    found = blocks(ROOT / "README.md", "toml")
    assert found
    for text in found:
        (tmp_path / "pyproject.toml").write_text(text, "utf-8")
        config = Config.load(str(tmp_path), rule_names())
        assert config.root == str(tmp_path)
        assert config.problems == ()
        assert config.select


def test_commands_in_the_readme_are_understood() -> None:
    lines = [line for text in blocks(ROOT / "README.md", "console") for line in text.splitlines()]
    commands = [line.partition("#")[0].split()[2:] for line in lines if line.startswith("$ devls ")]
    assert len(commands) > 5
    for command in commands:
        parse(command)


def test_the_life_of_a_finding_names_files_that_exist() -> None:
    page = ROOT / "docs" / "life_of_a_finding.md"
    named = set(re.findall(r"`((?:\w+/)*\w+\.py)`", page.read_text("utf-8")))
    assert len(named) > 20
    assert not [each for each in named if not (ROOT / "server" / "devls" / each).exists()]


def test_the_life_of_a_finding_names_the_files_of_its_trace(tmp_path: Path) -> None:
    page = ROOT / "docs" / "life_of_a_finding.md"
    example = tmp_path / "example.py"
    example.write_text(blocks(page, "py")[0], "utf-8")
    script = ROOT / "scripts" / "trace_statements.py"
    ran = subprocess.run(
        [sys.executable, str(script), str(example), "6", "7"], capture_output=True, text=True, check=True
    )
    said = re.search(r"at most (\d+)", page.read_text("utf-8"))
    found = re.search(r"^(\d+) crossings", ran.stdout, re.MULTILINE)
    assert said is not None
    assert found is not None, ran.stdout
    assert int(found[1]) <= int(said[1])
    for line, heading in (6, "x = x.to(device)"), (7, "x + w"):
        section = page.read_text("utf-8").partition(f"## `{heading}`\n")[2].partition("\n## ")[0]
        named = set(re.findall(r"`((?:\w+/)*\w+\.py)`", section))
        traced = set(re.findall(r"[\w/]+\.py", "".join(re.findall(rf"(?m)^{line}: .*", ran.stdout))))
        assert len(named) > 5
        assert named <= traced


def test_questions_are_answered_by_the_hovers_that_the_page_quotes(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "questions.md").read_text("utf-8")
    (program,) = blocks(ROOT / "docs" / "questions.md", "python")
    path = tmp_path / "train.py"
    path.write_text(program, "utf-8")
    analysis = Analyzer(Workspace((str(tmp_path),)), lambda _: Config()).analyze(str(path))
    assert analysis.diagnostics == ()
    quoted = re.findall(r"^On `(\w+)` in line (\d+):\n\n((?:>.*\n)+)", page, re.MULTILINE)
    assert len(quoted) == 10
    for word, line, quote in quoted:
        offset = analysis.source.index.offset(int(line) - 1, 0)
        found = analysis.hover(program.index(word, offset))
        assert found is not None, (word, line)
        assert found.markdown.strip() == re.sub(r"(?m)^> ?", "", quote).strip()


def test_the_changelog_links_to_the_web_only() -> None:
    """It is packed with the extension, in which no other page is."""
    text = prose((ROOT / "CHANGELOG.md").read_text("utf-8"))
    assert not [each["target"] for each in _LINK.finditer(text) if not _ELSEWHERE.match(each["target"])]


def test_make_runs_all_that_tries_to_knock_devls_over() -> None:
    target = (ROOT / "Makefile").read_text("utf-8").split("\nfuzz-strength:")[1].split("\n\n")[0]
    scripts = sorted(each.name for each in (ROOT / "scripts").glob("strength_*.py"))
    assert sorted({*re.findall(r"scripts/(\w+\.py)", target)}) == scripts
    for script, options in re.findall(r"scripts/(\w+\.py)(.*)", target):
        text = (ROOT / "scripts" / script).read_text("utf-8")
        assert all(f'"{each}"' in text for each in re.findall(r"--[\w-]+", options))


def test_the_pages_of_the_site_lead_to_one_another(tmp_path: Path) -> None:
    """`make site` has MkDocs look as well; here it need not be installed."""
    built = [sys.executable, ROOT / "scripts" / "build_site.py", tmp_path]
    subprocess.run(built, check=True, capture_output=True)
    navigation = re.findall(r"[\w/]+\.md", (ROOT / "mkdocs.yml").read_text("utf-8").partition("nav:")[2])
    pages = {path: path.read_text("utf-8") for path in tmp_path.rglob("*.md")}
    assert {str(path.relative_to(tmp_path)) for path in pages if path.parent == tmp_path} == {
        each for each in navigation if "/" not in each
    }
    assert len(pages) > len(RULE_PAGES) + 10
    for path, text in pages.items():
        assert text.startswith("# "), path
        for link in _LINK.finditer(prose(text)):
            name, _, fragment = link["target"].partition("#")
            if _ELSEWHERE.match(name):
                continue
            target = path.parent / name if name else path
            assert target.exists(), (path, link["target"])
            headings = (
                [anchor(each["text"]) for each in _HEADING.finditer(target.read_text("utf-8"))]
                if fragment
                else []
            )
            assert not fragment or fragment in headings, (path, link["target"])
