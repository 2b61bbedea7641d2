"""Repairs offered for findings."""

from __future__ import annotations

import copy

import pytest
from lsprotocol import types

from devls.lsp.features import code_actions
from devls.text.edits import Edit, Range, apply_edits
from devls.text.positions import LineIndex


@pytest.fixture
def client(pushed_to):
    return pushed_to


def applied(text, uri, version, edit):
    """The text after a workspace edit of this document alone, as a client with UTF-16 columns applies it."""
    (change,) = edit["documentChanges"]
    assert change["textDocument"] == {"uri": uri, "version": version}
    index = LineIndex(text)

    def offset(position):
        return index.offset_from_utf16(position["line"], position["character"])

    return apply_edits(
        text,
        [
            Edit(Range(offset(each["range"]["start"]), offset(each["range"]["end"])), each["newText"])
            for each in change["edits"]
        ],
    )


def test_each_fix_is_offered_the_first_preferred(client, new_uri):
    text = "😀 wrong\n"
    uri = client.open(new_uri(client), text)
    found = client.pushed(uri, 1)
    actions = client.actions(uri, found)
    assert [(each["title"], each["kind"], each.get("isPreferred", False)) for each in actions] == [
        ("Write right", "quickfix", True),
        ("Remove it", "quickfix", False),
        ("devls: disable wrong-word for this line", "quickfix", False),
        ("devls: disable wrong-word for this file", "quickfix", False),
    ]
    assert all(each["diagnostics"] == found for each in actions)
    assert applied(text, uri, 1, actions[0]["edit"]) == "😀 right\n"
    assert applied(text, uri, 1, actions[1]["edit"]) == "😀 \n"


def test_a_finding_can_be_silenced_where_it_stands(client, new_uri):
    text = "fine = 1\nx = '漢' + wrong\nfine = 2\n"
    uri = client.open(new_uri(client), text)
    *_, silence, _ = client.actions(uri, client.pushed(uri, 1))
    lines = applied(text, uri, 1, silence["edit"]).splitlines()
    assert lines[0::2] == text.splitlines()[0::2]
    assert lines[1].startswith("x = '漢' + wrong")
    assert "devls: ignore[wrong-word]" in lines[1]


def test_findings_of_an_older_text_are_not_repaired(client, new_uri):
    uri = client.open(new_uri(client), "wrong\n")
    found = client.pushed(uri, 1)
    client.change(uri, "x\nwrong\n", 2)
    assert client.actions(uri, found) == []
    assert client.actions(uri, client.pushed(uri, 2))


def test_actions_do_not_wait_for_the_analysis(client, new_uri, tmp_path):
    uri = client.open(new_uri(client), "wrong\n")
    found = client.pushed(uri, 1)
    gate = tmp_path / "gate"
    client.open(new_uri(client), f"wait {gate}\n")
    client.wait(lambda: f"waiting for {gate}" in client.log)
    assert client.actions(uri, found)
    gate.touch()


def test_the_findings_of_others_are_left_to_them(client, new_uri):
    uri = client.open(new_uri(client), "wrong\n")
    (found,) = client.pushed(uri, 1)
    for change in ({"source": "another"}, {"data": None}, {"data": "theirs"}, {"data": {}}):
        other = copy.deepcopy(found) | change
        assert client.actions(uri, [other]) == []


@pytest.mark.parametrize(
    ("only", "titles"),
    [
        (["quickfix"], 4),
        (["refactor"], 0),
        (["source"], 1),
        (["source.fixAll"], 1),
        (["source.fixAll.devls"], 1),
        (["source.fixAll.ruff"], 0),
        (["source.organizeImports"], 0),
        (["quickfix", "source.fixAll"], 5),
        ([], 0),
    ],
)
def test_only_what_is_asked_for_is_offered(client, new_uri, only, titles):
    uri = client.open(new_uri(client), "wrong\n")
    assert len(client.actions(uri, client.pushed(uri, 1), only)) == titles


def test_everything_safe_is_fixed_at_once_in_the_newest_text(client, new_uri):
    uri = client.open(new_uri(client), "wrong\n")
    client.pushed(uri, 1)
    text = "wrong 漢 wrong\n😀wrong wrong\n"
    client.change(uri, text, 2)
    (action,) = client.actions(uri, [], ["source.fixAll.devls"])
    assert action["kind"] == "source.fixAll.devls"
    assert applied(text, uri, 2, action["edit"]) == text.replace("wrong", "right")


def test_nothing_to_fix_is_no_action(client, new_uri):
    uri = client.open(new_uri(client), "fine\n")
    assert client.actions(uri, [], ["source.fixAll"]) == []
    assert client.actions(new_uri(client), [], ["source.fixAll"]) == []


def with_fixes(*fixes):
    """A finding with fixes, each an applicability and edits `(line, start, end, text)`."""
    data = [
        {
            "title": "Repair",
            "applicability": applicability,
            "edits": [
                {
                    "range": {
                        "start": {"line": line, "character": start},
                        "end": {"line": line, "character": end},
                    },
                    "newText": text,
                }
                for line, start, end, text in edits
            ],
        }
        for applicability, *edits in fixes
    ]
    nowhere = types.Range(types.Position(0, 0), types.Position(0, 0))
    return types.Diagnostic(nowhere, "", data={"fixes": data})


@pytest.mark.parametrize(
    ("findings", "texts"),
    [
        ([[("safe", (0, 0, 1, "a"))], [("safe", (0, 1, 2, "b"))]], ["a", "b"]),
        ([[("safe", (0, 0, 2, "a"))], [("safe", (0, 1, 3, "b"))]], ["a"]),
        ([[("safe", (0, 1, 3, "a"))], [("safe", (0, 0, 2, "b"))]], ["a"]),
        ([[("safe", (0, 0, 0, "a"))], [("safe", (0, 0, 0, "b"))]], ["a"]),
        ([[("safe", (0, 0, 3, "a"))], [("safe", (0, 1, 1, "b"))]], ["a"]),
        ([[("safe", (0, 0, 1, "a"))], [("safe", (1, 0, 1, "b"))]], ["a", "b"]),
        # Two that need the same import; the whole of a fix is left out, or none of it.
        (
            [[("safe", (0, 0, 0, "i"), (1, 0, 1, "a"))], [("safe", (0, 0, 0, "i"), (2, 0, 1, "b"))]],
            ["i", "a", "b"],
        ),
        ([[("safe", (1, 0, 1, "a"))], [("safe", (1, 0, 1, "b"), (2, 0, 1, "c"))]], ["a"]),
        # Only what is preferred, and only if it is safe.
        ([[("unsafe", (0, 0, 1, "a")), ("safe", (0, 0, 1, "b"))], [("display", (1, 0, 1, "c"))], []], []),
    ],
)
def test_safe_fixes_that_get_in_each_others_way_wait_for_the_next_round(findings, texts):
    edits = code_actions._compatible(with_fixes(*each) for each in findings)
    assert [each.new_text for each in edits] == texts


def test_fixes_that_cannot_be_made_are_left_out():
    findings = [with_fixes(("safe", (line, 0, 1, "a"))) for line in (0, 1, 2)]
    edits = code_actions._compatible(findings, lambda edits: edits[0].range.start.line != 1)
    assert [each.range.start.line for each in edits] == [0, 2]


# Findings that the analysis of one document has in another


@pytest.fixture
def pair(pushed_to, new_uri):
    """A library that is open, and a script whose analysis finds a word in it."""
    library, script = new_uri(pushed_to), new_uri(pushed_to)
    path = library.removeprefix("file://")
    pushed_to.open(library, "fine\nwrong\n")
    pushed_to.open(script, f"elsewhere {path}\n")
    yield library, script
    pushed_to.close(script)
    pushed_to.close(library)


def lines(diagnostics):
    return sorted(each["range"]["start"]["line"] for each in diagnostics)


def test_what_both_find_is_shown_once(pushed_to, pair):
    library, script = pair
    assert pushed_to.pushed(script, 1) == []
    # Shown again when the script was analysed, for there is a new one among its findings.
    pushed_to.wait(lambda: sum(each["uri"] == library for each in pushed_to.published) == 2)
    assert lines(pushed_to.pushed(library, 1)) == [1]


def test_what_only_the_other_finds_is_shown_and_taken_back(pushed_to, new_uri):
    # The library is analysed under settings that look for another word.
    pushed_to.configure({"select": ["odd"]})
    library, script = new_uri(pushed_to), new_uri(pushed_to)
    path = library.removeprefix("file://")
    pushed_to.open(library, "wrong\nodd\n")
    assert lines(pushed_to.pushed(library, 1)) == [1]
    pushed_to.open(script, f"elsewhere {path}\n")
    assert lines(pushed_to.pushed_where(library, lambda found: len(found) == 2)) == [0, 1]

    # While the script has not been looked at again, its finding moves along.
    pushed_to.change(library, "\nwrong\nodd\n", 2)
    assert lines(pushed_to.pushed(library, 2)) == [1, 2]
    shown = [each for each in pushed_to.published if each["uri"] == library and each["version"] == 2]
    assert [lines(each["diagnostics"]) for each in shown] == [[1, 2]] * len(shown)

    # The script is looked at again when the library changes.
    pushed_to.change(library, "\nodd\nwrong wrong\n", 3)
    assert lines(pushed_to.pushed_where(library, lambda found: len(found) == 3)) == [1, 2, 2]

    pushed_to.close(script)
    assert lines(pushed_to.pushed_where(library, lambda found: len(found) == 1)) == [1]
    pushed_to.close(library)
    pushed_to.configure({})


def test_a_client_that_asks_is_told_to_ask_again(asking, new_uri):
    library, script = new_uri(asking), new_uri(asking)
    path = library.removeprefix("file://")
    asking.configure({"select": ["odd"]})
    asking.open(library, "wrong\nodd\n")
    assert lines(asking.pull(library)) == [1]
    refreshes = sum(each["method"] == "workspace/diagnostic/refresh" for each in asking.asked)
    asking.open(script, f"elsewhere {path}\n")
    asking.wait(
        lambda: sum(each["method"] == "workspace/diagnostic/refresh" for each in asking.asked) > refreshes
    )
    assert lines(asking.pull(library)) == [0, 1]


def test_a_rule_is_silenced_in_the_whole_file_below_what_comes_first(client, new_uri):
    for text, first in (("wrong\r\n", 0), ("#!/usr/bin/python\n# coding: utf-8\nwrong\n", 2)):
        uri = client.open(new_uri(client), text)
        *_, silence = client.actions(uri, client.pushed(uri, 1))
        lines = applied(text, uri, 1, silence["edit"]).splitlines()
        assert lines[first] == "# devls: ignore-file[wrong-word]"
        assert [each for each in lines if each != lines[first]] == text.splitlines()
    text = "# devls: ignore-file[other]\nwrong\n"
    uri = client.open(new_uri(client), text)
    *_, silence = client.actions(uri, client.pushed(uri, 1))
    assert applied(text, uri, 1, silence["edit"]).startswith("# devls: ignore-file[other, wrong-word]\n")


def test_all_of_a_rule_are_fixed_and_one_alone_is_not_offered_so(client, new_uri):
    text = "wrong\nfine\nwrong\n"
    uri = client.open(new_uri(client), text)
    actions = client.actions(uri, client.pushed(uri, 1)[:1])
    (every,) = [each for each in actions if each["title"] == "devls: fix all wrong-word in this file"]
    assert applied(text, uri, 1, every["edit"]) == "right\nfine\nright\n"
    uri = client.open(new_uri(client), "wrong\n")
    titles = [each["title"] for each in client.actions(uri, client.pushed(uri, 1))]
    assert not [each for each in titles if "fix all" in each]


def test_the_same_cure_of_two_findings_is_offered_once(client, new_uri):
    uri = client.open(new_uri(client), "wrong + wrong\n")
    found = client.pushed(uri, 1)
    assert len(found) == 2
    actions = client.actions(uri, found)
    (silence,) = [each for each in actions if "this line" in each["title"]]
    assert silence["diagnostics"] == found
    assert len([each for each in actions if each["title"] == "Write right"]) == 2
