"""Output formats."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import jsonschema
import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Ran

SARIF = json.loads(Path(__file__).with_name("schemas").joinpath("sarif-2.1.0.json").read_text("utf-8"))

POSITION = {
    "type": "object",
    "properties": {"line": {"type": "integer", "minimum": 1}, "column": {"type": "integer", "minimum": 1}},
    "required": ["line", "column"],
    "additionalProperties": False,
}
RANGE = {
    "type": "object",
    "properties": {"start": POSITION, "end": POSITION},
    "required": ["start", "end"],
    "additionalProperties": False,
}
LOCATION = {
    "type": "object",
    "properties": {"path": {"type": "string"}, "range": RANGE},
    "required": ["path"],
    "additionalProperties": False,
}
# After proto/rdf/reviewdog.proto.
RDJSON = {
    "type": "object",
    "properties": {
        "source": {"type": "object", "required": ["name"]},
        "diagnostics": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "message": {"type": "string"},
                    "location": LOCATION,
                    "severity": {"enum": ["ERROR", "WARNING", "INFO"]},
                    "code": {"type": "object", "required": ["value"]},
                    "suggestions": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "properties": {"range": RANGE, "text": {"type": "string"}},
                            "required": ["range", "text"],
                            "additionalProperties": False,
                        },
                    },
                    "related_locations": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "properties": {"message": {"type": "string"}, "location": LOCATION},
                            "required": ["location"],
                            "additionalProperties": False,
                        },
                    },
                },
                "required": ["message", "location"],
                "additionalProperties": False,
            },
        },
    },
    "required": ["diagnostics"],
    "additionalProperties": False,
}
# After https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format.
GITLAB = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {
            "description": {"type": "string", "minLength": 1},
            "check_name": {"type": "string"},
            "fingerprint": {"type": "string", "minLength": 1},
            "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
            "location": {
                "type": "object",
                "properties": {
                    "path": {"type": "string", "pattern": "^[^./]"},
                    "lines": {
                        "type": "object",
                        "properties": {"begin": {"type": "integer", "minimum": 1}},
                        "required": ["begin"],
                    },
                },
                "required": ["path", "lines"],
            },
        },
        "required": ["description", "check_name", "fingerprint", "severity", "location"],
    },
}

PROGRAM = 'origin\né = "ß😀" + bad\nhint\nstuck\nx.to(d)\n'


@pytest.fixture
def shown(devls: Callable[..., Ran]) -> Callable[..., str]:
    """Output of a format for some files."""

    def call(output_format: str, *argv: str, **files: str) -> str:
        for name, text in (files or {"a": PROGRAM}).items():
            Path(f"{name}.py").write_text(text, encoding="utf-8")
        return devls("check", "--output-format", output_format, *argv).out

    return call


def sarif(text: str) -> dict[str, Any]:
    """The one run of a valid log."""
    log = json.loads(text)
    jsonschema.validators.validator_for(SARIF)(SARIF).validate(log)
    (run,) = log["runs"]
    return dict(run)


def test_sarif(shown: Callable[..., str]) -> None:
    run = sarif(shown("sarif"))
    bad, hint, stuck, moved = run["results"]
    place = bad["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "a.py", "uriBaseId": "%SRCROOT%"}
    assert place["region"] == {"startLine": 2, "startColumn": 12, "endLine": 2, "endColumn": 15}
    assert [each["level"] for each in (bad, hint, stuck)] == ["error", "note", "warning"]
    (flow,) = bad["codeFlows"][0]["threadFlows"]
    assert [each["location"]["message"]["text"] for each in flow["locations"]] == [
        "created on the CPU",
        "`bad` is wrong",
    ]
    assert bad["relatedLocations"][0]["physicalLocation"]["region"]["startLine"] == 1
    (change,) = bad["fixes"][0]["artifactChanges"]
    assert change["replacements"] == [{"deletedRegion": place["region"], "insertedContent": {"text": "good"}}]
    assert "fixes" not in hint
    assert moved["fixes"][0]["properties"] == {"applicability": "safe"}


def test_sarif_describes_the_rules(shown: Callable[..., str]) -> None:
    run = sarif(shown("sarif"))
    rules = run["tool"]["driver"]["rules"]
    assert [each["ruleId"] for each in run["results"]] == [
        rules[each["ruleIndex"]]["id"] for each in run["results"]
    ]
    (mixed,) = [each for each in rules if each["id"] == "mixed-devices"]
    assert mixed["help"]["markdown"].startswith("# mixed-devices\n")
    assert mixed["helpUri"] == "https://rules/mixed-devices"
    assert mixed["defaultConfiguration"] == {"level": "error"}
    assert mixed["properties"]["tags"] == ["device"]


def test_sarif_of_nothing_and_of_odd_files(shown: Callable[..., str], devls: Callable[..., Ran]) -> None:
    assert sarif(shown("sarif", a="good\n"))["results"] == []
    Path("a b%ä.py").write_text("bad\n")
    Path("half.py").write_text("x = (\n")
    Path("binary.py").write_bytes(b"\0")
    run = sarif(devls("check", "--output-format", "sarif").out)
    places = [each["locations"][0]["physicalLocation"] for each in run["results"]]
    assert [each["artifactLocation"]["uri"] for each in places] == [
        "a%20b%25%C3%A4.py",
        "binary.py",
        "half.py",
    ]
    assert ["region" in each for each in places] == [True, False, True]
    Path("sub").mkdir()
    outside = sarif(devls("check", "../half.py", "--output-format", "sarif", here="sub").out)
    assert outside["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].startswith(
        "file:///"
    )


def test_sarif_of_a_notebook_names_cells(devls: Callable[..., Ran]) -> None:
    """A region would be one of the file, which is JSON."""
    cell = {
        "cell_type": "code",
        "source": "x = 1\nbad",
        "metadata": {},
        "outputs": [],
        "execution_count": None,
    }
    Path("a.ipynb").write_text(
        json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
    )
    (found,) = sarif(devls("check", "--output-format", "sarif").out)["results"]
    (place,) = found["locations"]
    assert "region" not in place["physicalLocation"]
    assert place["logicalLocations"] == [{"name": "cell 1, line 2", "kind": "element"}]
    (told,) = json.loads(devls("check", "--output-format", "gitlab").out)
    assert told["description"] == "`bad` is wrong (cell 1, line 2)"
    assert told["location"] == {"path": "a.ipynb", "lines": {"begin": 1}}
    rdjson = json.loads(devls("check", "--output-format", "rdjson").out)
    jsonschema.validate(rdjson, RDJSON)
    assert rdjson["diagnostics"][0]["location"] == {"path": "a.ipynb"}


def marks(text: str) -> list[str]:
    return [each["partialFingerprints"]["devls/v1"] for each in sarif(text)["results"]]


def test_fingerprints_survive_edits_elsewhere(shown: Callable[..., str]) -> None:
    before = marks(shown("sarif", a="bad\nx = bad\nstuck\n"))
    assert len(set(before)) == 3
    assert marks(shown("sarif", a="# new\n\nif x:\n    bad\n\ny = 3 + bad\nstuck\n")) == before
    assert marks(shown("sarif", a="bad\nx = bad\n")) == before[:2]


def test_gitlab(shown: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    found = json.loads(shown("gitlab"))
    jsonschema.validate(found, GITLAB)
    assert [each["severity"] for each in found] == ["major", "info", "minor", "minor"]
    assert found[0]["location"] == {"path": "a.py", "lines": {"begin": 2, "end": 2}}
    assert len({each["fingerprint"] for each in found}) == 4
    assert json.loads(shown("gitlab", a="good\n")) == []
    # A job that works in a folder of the project.
    monkeypatch.setenv("CI_PROJECT_DIR", str(Path.cwd().parent))
    assert json.loads(shown("gitlab"))[0]["location"]["path"] == f"{Path.cwd().name}/a.py"


def test_junit(shown: Callable[..., str]) -> None:
    root = ET.fromstring(shown("junit", a=PROGRAM, b="bad\n", c="good\n"))  # noqa: S314  our own
    assert root.attrib == {"name": "devls", "tests": "5", "failures": "5", "errors": "0"}
    assert [(each.get("name"), each.get("tests")) for each in root] == [("a.py", "4"), ("b.py", "1")]
    case = root[0][0]
    assert case.attrib == {"name": "mixed-devices (a.py:2:12)", "classname": "a.py"}
    assert case[0].attrib == {"type": "error", "message": "`bad` is wrong"}
    assert case[0].text is not None
    assert "a.py:1:1: created on the CPU" in case[0].text.splitlines()


def test_junit_of_nothing_has_a_test_that_passes(shown: Callable[..., str]) -> None:
    root = ET.fromstring(shown("junit", a="good\n"))  # noqa: S314  our own
    assert (root.get("tests"), root.get("failures")) == ("1", "0")
    assert list(root[0][0]) == []


def test_junit_can_be_parsed_whatever_a_file_is_called(devls: Callable[..., Ran]) -> None:
    Path("a\x1b<&\"'\n.py").write_text("bad\n")
    (suite,) = ET.fromstring(devls("check", "--output-format", "junit").out)  # noqa: S314  our own
    assert suite.get("name") == "a\\x1b<&\"'\\n.py"


def test_rdjson(shown: Callable[..., str]) -> None:
    found = json.loads(shown("rdjson"))
    jsonschema.validate(found, RDJSON)
    bad = found["diagnostics"][0]
    # Two bytes for é, two for ß, four for the face.
    assert bad["location"] == {
        "path": "a.py",
        "range": {"start": {"line": 2, "column": 17}, "end": {"line": 2, "column": 20}},
    }
    assert bad["suggestions"] == [{"range": bad["location"]["range"], "text": "good"}]
    assert bad["related_locations"][0]["message"] == "created on the CPU"
    assert [each["severity"] for each in found["diagnostics"]] == ["ERROR", "INFO", "WARNING", "WARNING"]


# -- The page of findings: all there, well-formed, and nothing of a program unescaped.

VOID = frozenset({"meta", "input"})


class Page(HTMLParser):
    """The elements of a page; fails where they are not closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {}
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        for each in set(self.open):
            self.texts.setdefault(each, []).append(data)

    def text(self, tag: str) -> str:
        return "".join(self.texts.get(tag, []))

    def count(self, tag: str) -> int:
        return sum(each == tag for each, _ in self.elements)


@pytest.fixture
def page(devls: Callable[..., Ran]) -> Callable[..., Page]:
    def call(**files: str) -> Page:
        for name, text in files.items():
            Path(f"{name}.py").write_text(text, encoding="utf-8")
        ran = devls("check", "--output-format", "html")
        assert ran.out.startswith("<!doctype html>\n")
        assert ran.out.endswith("</html>\n")
        return Page(ran.out)

    return call


def test_each_finding_has_its_code_its_story_and_its_fix(page: Callable[..., Page]) -> None:
    found = page(a="origin\n\nx = bad + 1\n", b="x.to(d)\n", c="good\n")
    assert found.count("article") == 2
    assert found.text("header") == "devls\n2 findings in 2 of 3 files.\n"
    assert [each for each in found.texts["h2"] if each.strip()] == ["a.py", "b.py"]
    assert "1origin" in found.text("li")
    assert "created on the CPU" in found.text("li")
    assert "+x = good + 1" in found.text("pre")
    assert "-x = bad + 1" in found.text("pre")
    assert "bad" in found.text("mark")
    assert "safe" in found.text("small")
    assert ("a", {"href": "https://rules/mixed-devices"}) in found.elements


def test_nothing_found(page: Callable[..., Page]) -> None:
    found = page(a="good\n")
    assert found.text("header") == "devls\nNothing found in 1 file.\n"
    assert found.count("article") == 0


def test_a_program_is_text(page: Callable[..., Page], devls: Callable[..., Ran]) -> None:
    Path("<b>&.py").write_text("'</pre><script>alert(1)</script>\x1b', bad\n", encoding="utf-8")
    found = page(a="bad  # \u202e\n")
    assert found.count("script") == 1
    assert "<b>&.py" in found.text("h2")
    assert "'</pre><script>alert(1)</script>\\x1b', bad" in found.text("pre")
    assert "\\u202e" in found.text("pre")
    raw = devls("check", "--output-format", "html").out
    assert "\x1b" not in raw
    assert "\u202e" not in raw


def test_it_loads_nothing(devls: Callable[..., Ran]) -> None:
    Path("a.py").write_text("bad\n")
    text = devls("check", "--output-format", "html").out
    assert not {"src", "srcset", "action"} & {name for _, each in Page(text).elements for name in each}
    assert "@import" not in text
    assert "url(" not in text


def test_files_that_cannot_be_read_or_parsed(page: Callable[..., Page]) -> None:
    Path("binary.py").write_bytes(b"\0")
    found = page(half="x = (\n")
    assert found.count("article") == 2
    assert "the file is not checked" in found.text("p")
