"""Positions in the client's unit, changes of a text, and findings that move along with it."""

from __future__ import annotations

import asyncio
import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

from devls.analysis import Analysis
from devls.lsp import convert, scheduler
from devls.lsp.convert import Positions
from devls.lsp.state import Documents, Snapshot
from devls.lsp.worker import Outcome
from devls.text.edits import Range
from devls.text.positions import LineIndex
from lsp.client import TIMEOUT, Client, vscode

UTF8, UTF16, UTF32 = (
    types.PositionEncodingKind.Utf8,
    types.PositionEncodingKind.Utf16,
    types.PositionEncodingKind.Utf32,
)

# All that protocol and Python might number lines differently by, and characters of each width.
texts = st.text(alphabet="ab \r\n\f\x1c\x85\u2028é漢😀", max_size=30)


@pytest.mark.parametrize(
    ("encoding", "column"), [(UTF8, 4 + 3 + 2 + 1), (UTF16, 2 + 1 + 1 + 1), (UTF32, 1 + 1 + 1 + 1)]
)
def test_columns_count_in_the_unit_agreed_on(encoding, column):
    text = "first\n😀漢é x\n"
    index, offset = LineIndex(text), text.index("x")
    positions = Positions(encoding)
    assert positions.position(index, offset) == types.Position(1, column)
    assert positions.offset(index, types.Position(1, column)) == offset


@pytest.mark.parametrize("encoding", [UTF8, UTF16, UTF32])
@pytest.mark.parametrize("text", ["ab\ncd\n", "a漢\ncd\n"])
def test_a_column_past_the_end_is_the_end_of_the_line(encoding, text):
    assert Positions(encoding).offset(LineIndex(text), types.Position(0, 99)) == 2


@pytest.mark.parametrize("encoding", [UTF8, UTF16, UTF32])
@given(text=texts, data=st.data())
def test_offsets_survive_the_way_to_the_client_and_back(encoding, text, data):
    index, positions = LineIndex(text), Positions(encoding)
    offset = data.draw(st.integers(0, len(text)))
    inside_line_end = 0 < offset < len(text) and text[offset - 1 : offset + 1] == "\r\n"
    if not inside_line_end:
        assert positions.offset(index, positions.position(index, offset)) == offset


@given(text=texts, new=texts, data=st.data())
def test_a_change_replaces_what_the_client_sees_there(text, new, data):
    boundaries = [each for each in range(len(text) + 1) if text[max(0, each - 1) : each + 1] != "\r\n"]
    start, end = sorted(data.draw(st.tuples(*[st.sampled_from(boundaries)] * 2)))
    place = Positions().range(LineIndex(text), Range(start, end))
    change = types.TextDocumentContentChangePartial(range=place, text=new)
    assert convert.apply_changes(text, [change], Positions()) == text[:start] + new + text[end:]


def test_each_change_counts_in_the_text_left_by_the_one_before():
    line = types.Range(types.Position(1, 0), types.Position(1, 1))
    changes = [
        types.TextDocumentContentChangeWholeDocument("a\nb\n"),
        types.TextDocumentContentChangePartial(types.Range(types.Position(0, 0), types.Position(0, 0)), "\n"),
        types.TextDocumentContentChangePartial(line, "x"),
    ]
    assert convert.apply_changes("whatever", changes, Positions()) == "\nx\nb\n"


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        ("one two three", "two"),
        ("one and two three", "two"),
        ("one two three four", "two"),
        ("two three", "two"),
        ("one to three", None),
        ("one three", None),
        ("", None),
    ],
)
def test_a_finding_moves_with_its_code(new, expected):
    old = "one two three"
    place = convert.moved(Range(4, 7), old, new)
    assert (new[place.start : place.end] if place else None) == expected


@given(before=texts, found=texts, after=texts, new_before=texts, new_after=texts)
def test_a_moved_range_covers_the_same_text(before, found, after, new_before, new_after):
    old, new = before + found + after, new_before + found + new_after
    place = convert.moved(Range(len(before), len(before) + len(found)), old, new)
    assert place is None or new[place.start : place.end] == found


@pytest.mark.parametrize("uri", ["untitled:Untitled-1", "vscode-notebook-cell:/a.ipynb#X", "git:/a.py?x"])
def test_a_document_that_is_no_file_is_known_by_its_uri(uri):
    assert convert.path_of(uri) == uri


def test_a_file_is_known_by_its_path():
    assert convert.path_of("file:///a%20b/%E6%BC%A2.py") == "/a b/漢.py"
    assert convert.path_of("file:///a/./b/../c.py") == "/a/c.py"
    assert convert.path_of(convert.uri_of("/a b/漢.py")) == "/a b/漢.py"


# Which analyses are to be soon, and which are whole


class Engine:
    """Leaves something for later whenever it may."""

    def __init__(self):
        self.asked = []

    def analyze(self, path, cancelled, *, soon):
        assert not cancelled()
        self.asked.append(soon)
        return Outcome(Analysis(path, Snapshot(path, 1, "").source, partial=soon), {})


class Worker:
    def submit(self, call):
        done = asyncio.get_running_loop().create_future()
        done.set_result(call())
        return done


def asked(changes, *, in_parts=True):
    """Whether each analysis of a document that is changed so often, without a pause, was to be soon."""

    async def scenario():
        documents, engine = Documents(), Engine()
        document = documents.open("file:///x.py", 1, "")
        made = scheduler.Scheduler(documents, Worker(), engine, lambda *_: None)
        made.in_parts = in_parts
        running = asyncio.ensure_future(made.run())
        for _ in range(changes):
            made.invalidate(document, 0)
            await made.settle(document)
        running.cancel()
        return engine.asked, document.due is not None

    return asyncio.run(scenario())


def test_each_change_is_answered_soon_and_the_rest_is_planned():
    assert asked(3) == ([True, True, True], True)


def test_who_cannot_be_told_of_the_rest_gets_whole_answers():
    assert asked(2, in_parts=False) == ([False, False], False)


def test_the_rest_does_not_wait_for_ever(monkeypatch):
    monkeypatch.setattr(scheduler, "REST_PATIENCE", -1.0)
    assert asked(4) == ([True, False, True, False], False)


def test_the_rest_is_whole(monkeypatch):
    monkeypatch.setattr(scheduler, "REST_DELAY", 0.0)

    async def scenario():
        documents, engine, ended = Documents(), Engine(), asyncio.Event()
        document = documents.open("file:///x.py", 1, "")
        again = []

        def finished(_document, _before, follows):
            again.append(follows)
            if follows:
                ended.set()

        made = scheduler.Scheduler(documents, Worker(), engine, finished)
        running = asyncio.ensure_future(made.run())
        made.invalidate(document, 0)
        await asyncio.wait_for(ended.wait(), 60)
        running.cancel()
        return engine.asked, again

    assert asyncio.run(scenario()) == ([True, False], [False, True])


# Torch's statements, in hovers and when asked: with the torch that the tests run on


COMMAND = [sys.executable, "-m", "devls"]
PROGRAM = """import torch

x = torch.ones(2, 3, device="cuda", requires_grad=True)
y = torch.ones(2, 3)
z = x + y
a = y * 2
b = y.to("cuda")
"""


def started(tmp_path_factory, **settings):
    client = Client(
        COMMAND,
        vscode(pull=True),
        tmp_path_factory.mktemp("folder"),
        settings={"": {"interpreter": sys.executable, **settings}},
    )
    uri = client.open((client.root / "train.py").as_uri(), PROGRAM)
    return client, uri


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    client, uri = started(tmp_path_factory)
    yield client, uri
    assert client.leave() == 0, client.log
    assert "Traceback" not in client.log, client.log


def hover(client, uri, line, character):
    return client.hover(uri, line, character)["contents"]["value"]


def hover_with_torch(client, uri, line, character):
    """The hover once torch has answered: nobody waits for its import, so that the first one may come without."""
    deadline = time.monotonic() + TIMEOUT
    while "*torch 2" not in (text := hover(client, uri, line, character)):
        assert time.monotonic() < deadline, client.log
    return text


def ask(client, uri, found):
    (action,) = [each for each in client.actions(uri, [found]) if each["title"] == "Ask torch"]
    return client.request("workspace/executeCommand", action["command"])


def test_the_answer_to_a_finding(session):
    client, uri = session
    (found,) = client.pull(uri)
    text = ask(client, uri, found)
    assert "says:* `RuntimeError: Expected all tensors to be on the same device" in text
    assert '```python\nimport torch\ny = torch.ones((2, 3))\nx = torch.ones((2, 3), device="cuda"' in text
    shown = client.wait(lambda: next((m for m in client.said if m["method"] == "window/showMessage"), None))
    assert "confirms this: RuntimeError" in shown["params"]["message"]
    # From then on it stands in the hover, below what devls knows.
    both = hover(client, uri, 4, 6)
    assert both.index("**Tensor**") < both.index("Expected all tensors")


def test_an_operation_is_asked_about_with_operands_like_those_of_the_program(session):
    client, uri = session
    text = hover_with_torch(client, uri, 5, 6)
    assert "`Tensor device=cpu requires_grad=False is_leaf=True shape=(2, 3) dtype=float32`" in text
    assert "r = y * 2" in text


def test_what_moving_returns(session):
    client, uri = session
    text = hover_with_torch(client, uri, 6, 7)
    assert "{'moved is y': False, 'y is on': 'cpu'}" in text


def test_nothing_is_asked_of_a_name_or_for_a_finding_that_is_gone(session):
    client, uri = session
    assert "*torch" not in hover(client, uri, 4, 0)
    arguments = {"command": "devls.server.askTorch", "arguments": [uri, "mixed-devices", 1]}
    assert client.request("workspace/executeCommand", arguments) is None
    assert (
        client.request("workspace/executeCommand", {"command": "devls.server.askTorch", "arguments": []})
        is None
    )


@pytest.mark.parametrize("settings", [{"probe": {"enable": False}}, {"trusted": False}])
def test_switched_off_nothing_is_asked(tmp_path_factory, settings):
    client, uri = started(tmp_path_factory, **settings)
    (found,) = client.pull(uri)
    assert "Ask torch" not in [each["title"] for each in client.actions(uri, [found])]
    hover(client, uri, 5, 6)
    line = PROGRAM.splitlines()[found["range"]["start"]["line"]]
    offset = PROGRAM.index(line) + found["range"]["start"]["character"]
    arguments = [uri, found["code"], offset]
    command = {"command": "devls.server.askTorch", "arguments": arguments}
    assert client.request("workspace/executeCommand", command) is None
    assert "torch: not asked yet" in client.information()
    assert client.leave() == 0


def test_without_a_torch_it_is_said_once_and_costs_nothing(tmp_path_factory):
    client, uri = started(tmp_path_factory, interpreter="/no/such/python")
    (found,) = client.pull(uri)
    assert "cannot start /no/such/python" in ask(client, uri, found)
    for line in (4, 5, 6):
        assert "*torch" not in hover(client, uri, line, 6)
    assert "Ask torch" not in [each["title"] for each in client.actions(uri, [found])]
    assert "cannot start /no/such/python" in client.information()
    assert client.leave() == 0
    assert client.log.count("cannot start") == 1


def test_another_interpreter_is_asked_when_the_settings_say_so(tmp_path_factory):
    client, uri = started(tmp_path_factory, interpreter="/no/such/python")
    (found,) = client.pull(uri)
    ask(client, uri, found)
    client.configure({"interpreter": sys.executable})
    (found,) = client.pull(uri)
    assert "Expected all tensors" in ask(client, uri, found)
    assert f"that of {sys.executable}" in client.information()
    assert client.leave() == 0
