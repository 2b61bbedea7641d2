"""Findings reach the client: of the right version, complete, pushed or on request but never both."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from lsprotocol import types

from devls import analysis
from devls.lsp import convert
from devls.lsp.convert import Positions
from devls.lsp.features import diagnostics, synchronization
from devls.lsp.scheduler import GIVEN_UP
from devls.lsp.state import Documents
from devls.text import edits


@pytest.fixture(params=["pushed_to", "asking"])
def client(request):
    return request.getfixturevalue(request.param)


def findings(client, uri, version=1):
    """The findings in a version, in whichever way this client gets them."""
    if "diagnosticProvider" in client.server["capabilities"]:
        return client.pull(uri)
    return client.pushed(uri, version)


def place(diagnostic):
    start, end = diagnostic["range"]["start"], diagnostic["range"]["end"]
    return start["line"], start["character"], end["line"], end["character"]


def test_a_finding_has_all_that_the_editor_can_show(client, new_uri):
    uri = client.open(new_uri(client), "first\n  wrong\n")
    (found,) = findings(client, uri)
    data = found.pop("data")
    assert found == {
        "range": {"start": {"line": 1, "character": 2}, "end": {"line": 1, "character": 7}},
        "severity": 2,
        "code": "wrong-word",
        "codeDescription": {"href": "https://example.org/wrong-word"},
        "source": "devls",
        "message": "`wrong` is wrong",
        "relatedInformation": [
            {
                "location": {
                    "uri": uri,
                    "range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 5}},
                },
                "message": "the first word",
            }
        ],
    }
    assert data["rule"] == "wrong-word"
    assert [each["title"] for each in data["fixes"]] == ["Write right", "Remove it", "Think"]


def test_columns_count_utf16_units(client, new_uri):
    uri = client.open(new_uri(client), "😀漢 wrong\r\nwrong\r\n")
    assert [place(each) for each in findings(client, uri)] == [(0, 4, 0, 9), (1, 0, 1, 5)]


def test_findings_follow_the_unsaved_text(client, new_uri):
    uri = client.open(new_uri(client), "wrong\n")
    client.change(uri, "fine\n", 2)
    assert findings(client, uri, 2) == []
    client.change(uri, "fine\n wrong\n", 3)
    assert [place(each) for each in findings(client, uri, 3)] == [(1, 1, 1, 6)]


def test_changes_are_taken_in_where_the_client_made_them(client, new_uri):
    # A form feed and U+2028 end a line for str.splitlines, but not in the protocol.
    uri = client.open(new_uri(client), "a\f\u2028😀\n\nw\n")
    start, end = {"line": 2, "character": 1}, {"line": 2, "character": 1}
    client.edit(uri, 2, {"range": {"start": start, "end": end}, "text": "rong"})
    assert [place(each) for each in findings(client, uri, 2)] == [(2, 0, 2, 5)]


def test_a_document_that_is_no_file_is_analysed_too(client):
    uri = client.open("untitled:Untitled-1", "wrong\n")
    assert len(findings(client, uri)) == 1
    client.close(uri)


def test_a_document_in_another_language_is_left_alone(client, new_uri):
    other = client.open(new_uri(client, "notes.txt"), "wrong\n", language="plaintext")
    client.change(other, "wrong again\n", 2)
    client.close(other)
    uri = client.open(new_uri(client), "wrong\n")
    assert len(findings(client, uri)) == 1
    assert not [each for each in client.published if each["uri"] == other]


def test_related_places_may_be_in_other_files(client, new_uri):
    other = client.root / "ümlaut file.py"
    other.write_text("😀 there\n", "utf-8")
    other_uri = client.open(other.as_uri(), "\n😀 there\n")
    (client.root / "other.py").write_text("disk\n", "utf-8")
    text = f"wrong\nrelated {client.root / 'other.py'}\nrelated untitled:none\n"
    uri = client.open(new_uri(client), text.replace("\nrelated untitled:none", ""))
    (found,) = findings(client, uri)
    near = found["relatedInformation"][-1]
    assert near["location"]["uri"] == (client.root / "other.py").as_uri()
    assert near["message"] == "over there"
    client.close(other_uri)


def test_only_one_way_of_showing_findings_is_used(pushed_to, asking, new_uri):
    assert "diagnosticProvider" not in pushed_to.server["capabilities"]
    uri = asking.open(new_uri(asking), "wrong\n")
    assert asking.pull(uri)
    asking.close(uri)
    assert asking.published == []


def test_closing_takes_the_findings_back(pushed_to, new_uri):
    uri = pushed_to.open(new_uri(pushed_to), "wrong\n")
    assert pushed_to.pushed(uri, 1)
    pushed_to.close(uri)
    assert pushed_to.pushed(uri, None) == []


def test_a_closed_document_has_no_findings_on_request(asking, new_uri):
    assert asking.pull(new_uri(asking)) == []


def test_only_the_newest_version_is_shown(pushed_to, new_uri):
    """A burst of changes, with a different number of findings in each version."""
    uri = pushed_to.open(new_uri(pushed_to), "wrong\n")
    for version in range(2, 40):
        pushed_to.change(uri, "wrong\n" * version, version)
    assert len(pushed_to.pushed(uri, 39)) == 39
    seen = [(each["version"], len(each["diagnostics"])) for each in pushed_to.published if each["uri"] == uri]
    assert all(version == count for version, count in seen)
    assert seen == sorted(seen)


def shown(client, uri):
    return [(each["version"], len(each["diagnostics"])) for each in client.published if each["uri"] == uri]


def test_what_takes_long_is_pushed_later(pushed_to, new_uri):
    uri = pushed_to.open(new_uri(pushed_to), "wrong later wrong\n")
    pushed_to.wait(lambda: shown(pushed_to, uri) == [(1, 1), (1, 2)])
    pushed_to.change(uri, "wrong later fine\n", 2)
    pushed_to.wait(lambda: shown(pushed_to, uri)[2:] == [(2, 1)])
    # The whole finds nothing else: nothing is shown a second time.
    pushed_to.change(uri, "wrong wrong later wrong\n", 3)
    pushed_to.wait(lambda: shown(pushed_to, uri)[3:] == [(3, 2), (3, 3)])


def test_the_rest_is_for_the_newest_text_only(pushed_to, new_uri):
    uri = pushed_to.open(new_uri(pushed_to), "wrong\n")
    pushed_to.wait(lambda: shown(pushed_to, uri) == [(1, 1)])
    for version in (2, 3):
        pushed_to.change(uri, f"{'wrong ' * version}later wrong\n", version)
        pushed_to.wait(lambda version=version: (version, version) in shown(pushed_to, uri))
    pushed_to.wait(lambda: (3, 4) in shown(pushed_to, uri))
    assert (2, 3) not in shown(pushed_to, uri)


def test_who_asks_is_told_to_ask_for_the_rest(asking, new_uri):
    def refreshes():
        return sum(each["method"] == "workspace/diagnostic/refresh" for each in asking.asked)

    before = refreshes()
    uri = asking.open(new_uri(asking), "wrong later wrong\n")
    first = asking.pull(uri)
    assert len(first) == 1
    asking.wait(lambda: refreshes() > before)
    assert len(asking.pull(uri)) == 2


def test_an_analysis_of_an_old_text_is_given_up(pushed_to, new_uri, tmp_path):
    gate = tmp_path / "gate"
    uri = pushed_to.open(new_uri(pushed_to), f"wrong wait {gate}\n")
    pushed_to.wait(lambda: f"waiting for {gate}" in pushed_to.log)
    pushed_to.change(uri, "wrong wrong\n", 2)
    assert len(pushed_to.pushed(uri, 2)) == 2
    pushed_to.wait(lambda: f"gave up {gate}" in pushed_to.log)
    assert not [each for each in pushed_to.published if each["uri"] == uri and each["version"] == 1]


def test_another_document_gives_way_to_the_one_being_typed_in(pushed_to, new_uri, tmp_path):
    gate = tmp_path / "gate"
    typed = pushed_to.open(new_uri(pushed_to), "fine\n")
    assert pushed_to.pushed(typed, 1) == []
    slow = pushed_to.open(new_uri(pushed_to), f"wrong wait {gate}\n")
    pushed_to.wait(lambda: f"waiting for {gate}" in pushed_to.log)
    pushed_to.change(typed, "wrong\n", 2)
    assert len(pushed_to.pushed(typed, 2)) == 1
    gate.touch()
    assert len(pushed_to.pushed(slow, 1)) == 1


def test_hovers_do_not_keep_another_document_from_its_analysis(pushed_to, new_uri, tmp_path):
    gate = tmp_path / "gate"
    asked = pushed_to.open(new_uri(pushed_to), "fine\n")
    assert pushed_to.pushed(asked, 1) == []
    slow = pushed_to.open(new_uri(pushed_to), f"wrong wait {gate}\n")
    for number in range(1, GIVEN_UP + 1):
        pushed_to.wait(lambda number=number: pushed_to.log.count(f"waiting for {gate}") == number)
        assert pushed_to.hover(asked, 0, 0) is not None
        pushed_to.wait(lambda number=number: pushed_to.log.count(f"gave up {gate}") == number)
    pushed_to.wait(lambda: pushed_to.log.count(f"waiting for {gate}") == GIVEN_UP + 1)
    assert pushed_to.hover(asked, 0, 0) is None
    gate.touch()
    assert len(pushed_to.pushed(slow, 1)) == 1
    assert pushed_to.hover(asked, 0, 0) is not None


def test_a_request_waits_for_the_newest_text(asking, new_uri, tmp_path):
    gate = tmp_path / "gate"
    uri = asking.open(new_uri(asking), f"wrong wait {gate}\n")
    asked = asking.ask("textDocument/diagnostic", {"textDocument": {"uri": uri}})
    asking.wait(lambda: f"waiting for {gate}" in asking.log)
    asking.change(uri, "wrong wrong\n", 2)
    assert len(asking.answer(asked)["items"]) == 2


def test_a_cancelled_request_leaves_no_trace(asking, new_uri, tmp_path):
    gate = tmp_path / "gate"
    uri = asking.open(new_uri(asking), f"wrong wait {gate}\n")
    asked = asking.ask("textDocument/diagnostic", {"textDocument": {"uri": uri}})
    asking.notify("$/cancelRequest", {"id": asked})
    with pytest.raises(Exception, match="-32800"):
        asking.answer(asked)
    gate.touch()
    assert len(asking.pull(uri)) == 1


def test_a_crash_spoils_neither_the_next_version_nor_other_documents(client, new_uri):
    uri = client.open(new_uri(client), "wrong\n")
    assert len(findings(client, uri)) == 1
    client.change(uri, "wrong crash\n", 2)
    assert findings(client, uri, 2) == []
    other = client.open(new_uri(client), "wrong\n")
    assert len(findings(client, other)) == 1
    client.change(uri, "wrong\n", 3)
    assert len(findings(client, uri, 3)) == 1
    client.wait(lambda: "RuntimeError: told to crash" in client.log)


def test_standard_output_belongs_to_the_protocol(client, new_uri):
    uri = client.open(new_uri(client), "wrong noise\n")
    assert len(findings(client, uri)) == 1
    client.wait(
        lambda: all(
            f"noise {each}" in client.log for each in ("on sys.stdout", "on descriptor 1", "of a child")
        )
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "\ufeffwrong",
        "def (:\n  wrong\n\t(",
        "\x00wrong\x00",
        "wrong \ud800\n",
        "(" * 5000 + "wrong",
    ],
)
def test_strange_texts_are_survived(client, new_uri, text):
    uri = client.open(new_uri(client), text)
    assert len(findings(client, uri)) == text.count("wrong")


def test_a_huge_text_is_survived(client, new_uri):
    uri = client.open(new_uri(client), "fine = 1\n" * 200_000 + "wrong\n")
    assert [place(each) for each in findings(client, uri)] == [(200_000, 0, 200_000, 5)]
    at = {"line": 200_000, "character": 0}
    client.edit(uri, 2, {"range": {"start": at, "end": at}, "text": "\n"})
    assert [place(each) for each in findings(client, uri, 2)] == [(200_001, 0, 200_001, 5)]
    client.close(uri)


@pytest.fixture
def change_each_line(monkeypatch):
    """Makes a change in each line of a document by one message, and returns the text that it has then."""
    monkeypatch.setattr(synchronization, "changed", lambda *_: None)

    def change(count):
        documents = Documents()
        document = documents.open("untitled:x", 1, "x = 1\n" * count)
        server = SimpleNamespace(open_settings={}, documents=documents, positions=Positions())
        nowhere = [types.Range(types.Position(line, 0), types.Position(line, 1)) for line in range(count)]
        changes = [types.TextDocumentContentChangePartial(each, "y") for each in nowhere]
        identifier = types.VersionedTextDocumentIdentifier(2, "untitled:x")
        synchronization.did_change(server, types.DidChangeTextDocumentParams(identifier, changes))
        return document.snapshot.text

    return change


def test_all_changes_of_one_message_are_made_together(change_each_line, monkeypatch):
    """One by one, ten thousand of them take half a minute."""
    made = []
    apply_changes = convert.apply_changes

    def counted(text, changes, *given):
        made.append(len(changes))
        return apply_changes(text, changes, *given)

    monkeypatch.setattr(convert, "apply_changes", counted)
    assert change_each_line(10_000) == "y = 1\n" * 10_000
    assert made == [10_000]


def test_no_change_of_a_message_reads_the_whole_text_again(change_each_line):
    """Counted are the characters of texts that functions are given, and of texts whose methods are called."""
    expected, read = "y = 1\n" * 2_000, 0

    def look(frame, event, function):
        nonlocal read
        given = frame.f_locals.values() if event == "call" else [getattr(function, "__self__", None)]
        read += sum(len(each) for each in given if isinstance(each, str))
        assert read < 100 * len(expected)

    sys.setprofile(look)
    try:
        text = change_each_line(2_000)
    finally:
        sys.setprofile(None)
    assert text == expected
    assert read > len(expected)


def test_what_is_said_at_random_is_survived(tmp_path, monkeypatch):
    """Some of what `make fuzz-strength` says, while a file is open whose numbers and classes would grow without end."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "scripts"))
    strength_lsp = importlib.import_module("strength_lsp")
    growing = [each for each in strength_lsp.BOMBS if each.startswith(("a = 10", "class C0", "x = 'ab'"))]
    assert len(growing) == 3
    monkeypatch.setattr(strength_lsp, "BOMBS", growing)
    session = strength_lsp.Session(tmp_path, 1)
    session.go(80)
    assert session.errors > 5
    assert strength_lsp.finish(session) == 0
    assert "Traceback" not in session.client.log, session.client.log


def test_of_many_findings_so_many_are_shown(client, new_uri):
    uri = client.open(new_uri(client), "wrong\n" * (diagnostics.MOST_SHOWN + 500))
    *shown, last = findings(client, uri)
    assert [place(each)[0] for each in shown] == list(range(diagnostics.MOST_SHOWN - 1))
    assert (last["message"], last["severity"]) == ("501 more findings in this file are not shown", 3)
    assert place(last)[0] == diagnostics.MOST_SHOWN - 1
    assert client.actions(uri, [last]) == []
    client.change(uri, "wrong\n" * diagnostics.MOST_SHOWN, 2)
    assert {each.get("code") for each in findings(client, uri, 2)} == {"wrong-word"}


def test_the_gravest_findings_are_shown():
    levels = [analysis.Severity.INFO, analysis.Severity.WARNING, analysis.Severity.ERROR]
    found = [
        (analysis.Diagnostic("a", levels[n % 3], "", "", edits.Range(n, n)), None)
        for n in range(diagnostics.MOST_SHOWN * 2)
    ]
    shown, places = diagnostics.most_grave(found)
    starts = [each.range.start for each, _ in shown]
    assert starts == sorted(starts)
    assert len(starts) == diagnostics.MOST_SHOWN - 1
    assert {each.severity for each, _ in shown} == {analysis.Severity.WARNING, analysis.Severity.ERROR}
    assert sorted(starts + [each.start for each in places]) == list(range(len(found)))


# Hovers: what is known of the expression under the cursor


def test_a_hover_says_what_is_known_and_where(pushed_to, new_uri):
    uri = pushed_to.open(new_uri(pushed_to), "x = '😀漢é' + value\n")
    assert pushed_to.hover(uri, 0, 13) == {
        "contents": {"kind": "markdown", "value": "**value**"},
        "range": {"start": {"line": 0, "character": 13}, "end": {"line": 0, "character": 18}},
    }
    assert pushed_to.hover(uri, 0, 16)["contents"]["value"] == "**value**"
    assert pushed_to.hover(uri, 0, 11) is None
    assert pushed_to.hover(uri, 99, 0) is None


def test_a_hover_is_about_the_text_as_it_is_now(pushed_to, new_uri):
    uri = pushed_to.open(new_uri(pushed_to), "before\n")
    assert pushed_to.hover(uri, 0, 0)["contents"]["value"] == "**before**"
    pushed_to.change(uri, "after\n", 2)
    assert pushed_to.hover(uri, 0, 0)["contents"]["value"] == "**after**"


def test_a_hover_does_not_wait_for_ever(pushed_to, new_uri, tmp_path):
    gate = tmp_path / "gate"
    uri = pushed_to.open(new_uri(pushed_to), f"wait {gate}\n")
    assert pushed_to.hover(uri, 0, 0) is None
    gate.touch()
    pushed_to.pushed(uri, 1)
    assert pushed_to.hover(uri, 0, 0)["contents"]["value"] == "**wait**"


def test_a_hover_that_fails_says_nothing(pushed_to, new_uri):
    for text in ("crash-hover\n", "crash\n"):
        assert pushed_to.hover(pushed_to.open(new_uri(pushed_to), text), 0, 0) is None


def test_a_document_that_is_not_open_has_no_hover(pushed_to, new_uri):
    assert pushed_to.hover(new_uri(pushed_to), 0, 0) is None
