"""Whatever the client says, and whatever the engine is busy with, the server answers and stays as small as it was."""

from __future__ import annotations

import asyncio
import io
import json
import os
import sys
from pathlib import Path
from unittest.mock import ANY

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

from checking import holds_in_bounded_time
from devls.analysis import Analyzer
from devls.lsp import convert, protocol
from devls.lsp.convert import Positions
from devls.lsp.features import rule_names
from devls.lsp.protocol import Incoming
from devls.lsp.server import create_server
from devls.lsp.settings import Settings
from devls.lsp.worker import Buffers, Engine
from devls.syntax.layout import indent_unit
from devls.syntax.nodes import LOOKED_AT
from devls.syntax.remembering import EACH, of_texts
from devls.syntax.source import Source
from devls.text.positions import LineIndex
from lsp.client import TIMEOUT, Client, RequestError, vscode
from lsp.conftest import FAKE

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))

from strength_lsp import BOMBS

# -- messages


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    client = Client([sys.executable, "-m", "devls"], vscode(pull=False), tmp_path_factory.mktemp("folder"))
    yield client
    assert client.leave() == 0, client.log
    assert "Traceback" not in client.log, "what the client does wrong is told in a line"


def send(client, body, header=b"Content-Length: %d\r\n\r\n"):
    with client._sending:
        client.process.stdin.write(header % len(body) + body)
        client.process.stdin.flush()


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"{", -32700),
        (b"\xff", -32700),
        (b"[" * 100_000, -32700),
        (b"[]", -32600),
        (b"null", -32600),
        (b'{"jsonrpc": "1.0", "id": null, "method": "shutdown"}', -32600),
        (b'{"jsonrpc": "2.0", "id": {}, "method": "shutdown"}', -32600),
    ],
)
def test_what_is_no_message_is_refused(session, body, code):
    send(session, body)
    answer = session.wait(lambda: session._answers.pop(None, None))
    assert answer["error"]["code"] == code
    assert "devls" in session.information()


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("textDocument/hover", None, -32602),
        ("textDocument/hover", {"textDocument": {"uri": "file:///x.py"}}, -32602),
        (
            "textDocument/hover",
            {"textDocument": {"uri": "x"}, "position": {"line": -1, "character": 0}},
            -32602,
        ),
        ("textDocument/codeAction", {"jsonrpc": "2.0", "id": 1, "method": "shutdown"}, -32602),
        ("workspace/executeCommand", {"command": "devls.server.askTorch", "arguments": 3}, -32602),
        ("workspace/executeCommand", {"command": "none"}, -32602),
        ("initialize", {"processId": None, "capabilities": {}}, -32600),
        (3, {}, -32600),
    ],
)
def test_a_malformed_request_is_answered_with_an_error(session, method, params, code):
    with pytest.raises(RequestError, match=str(code)):
        session.request(method, params)
    assert "devls" in session.information()


@pytest.mark.parametrize("number", [{}, [], None, 1.5, True, -1, 10**40, "x", 999])
def test_any_number_may_be_cancelled(session, number):
    session.notify("$/cancelRequest", {"id": number})
    assert "devls" in session.information()
    assert "unknown message" not in session.log


@pytest.mark.parametrize(
    "wrong",
    [
        {"capabilities": {"workspace": [], "textDocument": 3, "general": {"positionEncodings": "utf-8"}}},
        {"capabilities": None, "processId": "x", "rootUri": [1], "locale": {}},
        {"workspaceFolders": 7, "trace": 5, "clientInfo": {"name": 3, "version": []}},
        {"capabilities": {"workspace": {"symbol": {"symbolKind": {"valueSet": [1, 999]}}}}},
        {
            "capabilities": {
                "textDocument": {"synchronization": {"willSave": {}}, "publishDiagnostics": {"tagSupport": 7}}
            }
        },
    ],
)
def test_the_rest_of_a_wrong_beginning_is_heeded(tmp_path, wrong):
    wrong = dict(wrong)
    client = Client(FAKE, wrong.pop("capabilities", vscode(pull=False)), tmp_path, **wrong)
    uri = client.open((tmp_path / "x.py").as_uri(), "wrong\n")
    assert len(client.pushed(uri, 1)) == 1
    assert client.leave() == 0
    assert "Traceback" not in client.log, client.log


def test_a_newer_kind_is_left_out_alone(tmp_path):
    capabilities = vscode(pull=False)
    capabilities["workspace"]["symbol"]["symbolKind"]["valueSet"] += [999]
    client = Client(FAKE, capabilities, tmp_path, settings={"probe": {"enable": False}})
    client.configure({"select": ["all"]})
    assert "not heeded: capabilities.workspace.symbol.symbolKind.valueSet" in client.log
    assert client.leave() == 0


@pytest.mark.parametrize("parameters", [None, 3, []])
def test_a_beginning_of_nothing_is_refused_and_may_be_made_anew(parameters):
    async def talk():
        server = create_server()
        sent = Sent()
        server.protocol.set_writer(sent)
        message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": parameters}
        server.protocol.handle_message(message)
        assert sent.messages.pop()["error"] == {
            "code": -32602,
            "message": ANY,
            "data": {"retry": False},
        }
        assert "capabilities" in begun(server).messages.pop()["result"]

    asyncio.run(talk())


def test_a_client_that_does_not_say_that_it_is_initialized_is_served(tmp_path):
    client = Client(FAKE, vscode(pull=False), tmp_path, says_initialized=False)
    uri = client.open((tmp_path / "x.py").as_uri(), "wrong\n")
    assert len(client.pushed(uri, 1)) == 1
    client.notify("initialized", {})
    assert len(client.pushed(client.open((tmp_path / "y.py").as_uri(), "wrong\n"), 1)) == 1
    assert client.leave() == 0
    assert "didOpen came before `initialized`" in client.log
    assert "refused a message (initialized)" in client.log


def test_a_text_that_is_too_long_is_not_analyzed(session):
    huge = (session.root / "huge.py").as_uri()
    session.open(huge, "import torch\ntorch.device('cuad')\n" + "x = 1\n" * 1_000_000)
    good = session.open((session.root / "beside.py").as_uri(), "import torch\ntorch.device('cuad')\n")
    assert len(session.pushed(good, 1)) == 1
    assert session.hover(huge, 0, 8) is None
    assert "huge.py is not analyzed: it is larger than 5 MB" in session.log
    session.change(huge, "import torch\ntorch.device('cuad')\n", 2)
    assert len(session.pushed(huge, 2)) == 1
    session.close(huge)
    session.close(good)


@pytest.mark.parametrize(
    "grows", ["a = 10\n" + "a = a * a\n" * 30, "a = 'ab'\n" + "a = a + a\n" * 60, "a = 2 ** 10**9\n"]
)
def test_what_a_program_makes_large_stops_no_server(grows, tmp_path):
    client = Client([sys.executable, "-m", "devls"], vscode(pull=False), tmp_path)
    uri = client.open((tmp_path / "x.py").as_uri(), grows + "import torch\ntorch.device('cuad')\n")
    assert [each["code"] for each in client.pushed(uri, 1)] == ["invalid-device"]
    assert client.hover(uri, 0, 0) is None
    assert client.leave() == 0


def processor_seconds(client):
    """Seconds that the server's process has spent so far, all of its threads together."""
    fields = Path(f"/proc/{client.process.pid}/stat").read_text("ascii").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells of another process how long it has run")
@pytest.mark.parametrize("bomb", BOMBS, ids=range(len(BOMBS)))
def test_what_is_hard_to_analyze_keeps_no_other_question_waiting(bomb, tmp_path):
    """Answers come within 100 ms on an idle machine; here a second of the processor is the limit."""
    client = Client([sys.executable, "-m", "devls"], vscode(pull=False), tmp_path)
    client.information()
    uri = client.open((tmp_path / "bomb.py").as_uri(), bomb)
    waits = []
    while not waits or not any(each["uri"] == uri for each in client.published):
        began = processor_seconds(client)
        assert "devls" in client.information()
        waits.append(processor_seconds(client) - began)
    assert max(waits) < 1.0
    assert client.leave() == 0


@pytest.mark.parametrize(
    "line",
    [
        "# devls: ignore[" * 20_000,
        "# devls:" * 20_000,
        "#" + " \t" * 50_000,
        "# devls: ignore [" + "[a, " * 50_000,
    ],
    ids=range(4),
)
def test_whether_a_rule_is_named_in_a_long_comment_is_told_in_one_look(line):
    asked = rule_names._IN_COMMENT, rule_names._DIRECTIVE
    assert holds_in_bounded_time(lambda: [each.search(line + "]") for each in asked] == [None, None])


@pytest.mark.parametrize(
    "text",
    ['"""' * 50_001, "'" * 50_000, '"' + "\\" * 50_000, "[" * 50_000, "#" * 50_000, "a-" * 50_000],
    ids=range(6),
)
def test_settings_are_split_into_words_in_one_look(text):
    assert holds_in_bounded_time(
        lambda: sum(len(each) for each in rule_names._TOKEN.findall(text)) == len(text)
    )


def test_headers_may_be_spelled_in_any_way(session):
    body = b'{"jsonrpc": "2.0", "id": "other spelling", "method": "no/such"}'
    send(session, body, b"X: 1\r\ncontent-length:%d\r\n\r\n")
    assert session.wait(lambda: session._answers.pop("other spelling", None))["error"]["code"] == -32601


@pytest.mark.parametrize(
    "stray",
    [
        b"X",
        b"Content-Length: +4\r\n\r\nnull",
        b"Content-Length: 4.0\r\n\r\nnull",
        b"Content-Length: 0_4\r\n\r\nnull",
        b"\r\n\r\n{}",
    ],
)
def test_what_no_length_was_said_of_is_passed_over(session, stray):
    number = f"behind {stray}"
    body = json.dumps({"jsonrpc": "2.0", "id": number, "method": "no/such"}).encode()
    send(session, body, stray + b"Content-Length:%d\r\n\r\n")
    assert session.wait(lambda: session._answers.pop(number, None))["error"]["code"] == -32601


def test_a_message_that_is_too_long_is_skipped(monkeypatch):
    monkeypatch.setattr(protocol, "LONGEST", 10)
    incoming = Incoming(io.BytesIO(b"Content-Length: 100000\r\n" + b"x" * 100_000 + b"rest"))
    assert incoming.readline() == b"Content-Length: 100000\r\n"
    assert incoming.read(100_000) == b"null"
    assert incoming.read(4) == b"rest"
    assert incoming.read(10**9) == b""


@pytest.mark.parametrize(
    "uri",
    ["file://[x/y.py", "file:///%00.py", "file:///" + "a" * 5000, "", ":", "file:", "http://[::1", "\ud800"],
)
def test_any_uri_is_taken(session, uri):
    session.open(uri, "import torch\n")
    session.change(uri, "import torch as t\n", 2)
    assert session.hover(uri, 0, 0) is None
    assert session.actions(uri, []) == []
    session.close(uri)
    good = session.open((session.root / "good.py").as_uri(), "import torch\ntorch.device('cuad')\n")
    assert len(session.pushed(good, 1)) == 1
    session.close(good)


@pytest.mark.parametrize("arguments", [None, [], [1], [None] * 9, [[{}], {}, []]])
def test_commands_take_any_arguments(session, arguments):
    given = {} if arguments is None else {"arguments": arguments}
    run = "workspace/executeCommand"
    assert "devls" in session.request(run, {"command": "devls.server.debugInformation", **given})
    assert session.request(run, {"command": "devls.server.askTorch", **given}) is None


class Sent:
    """Messages that a server in this process has sent."""

    def __init__(self):
        self.messages = []

    def write(self, data):
        self.messages.append(json.loads(data.partition(b"\r\n\r\n")[2]))


def begun(server):
    sent = Sent()
    server.protocol.set_writer(sent)
    message = {"jsonrpc": "2.0", "id": 1, "method": "initialize"}
    server.protocol.handle_message({**message, "params": {"processId": None, "capabilities": {}}})
    return sent


def test_nothing_is_done_before_the_beginning_and_after_the_end():
    async def talk():
        server = create_server()
        sent = Sent()
        server.protocol.set_writer(sent)
        request = {"jsonrpc": "2.0", "id": 7, "method": "shutdown"}
        server.protocol.handle_message(request)
        assert sent.messages.pop()["error"]["code"] == -32002
        sent = begun(server)
        server.protocol.handle_message(request)
        assert sent.messages.pop()["result"] is None
        server.protocol.handle_message(request)
        assert sent.messages.pop()["error"]["code"] == -32600

    asyncio.run(talk())


def test_an_answer_may_come_too_late(caplog):
    async def talk():
        server = create_server()
        sent = begun(server)
        asked = asyncio.ensure_future(server.workspace_configuration_async(types.ConfigurationParams([])))
        await asyncio.sleep(0)
        asked.cancel()
        await asyncio.sleep(0)
        number = sent.messages[-1]["id"]
        assert number in server.protocol._request_futures
        server.protocol.handle_message({"jsonrpc": "2.0", "id": number, "result": []})
        assert not server.protocol._request_futures

    asyncio.run(talk())
    assert "Traceback" not in caplog.text


def test_nothing_is_kept_of_messages_that_are_done():
    async def talk():
        server = create_server()
        begun(server)
        uri = "untitled:x"
        item = {"uri": uri, "languageId": "python", "version": 1, "text": "x = 1\n"}
        saved = asyncio.Event()
        server.engine.stale = frozenset
        for number in range(20):
            for method, params in (
                ("textDocument/didOpen", {"textDocument": item}),
                (
                    "textDocument/didChange",
                    {"textDocument": {"uri": uri, "version": number}, "contentChanges": [{"text": "x"}]},
                ),
                ("textDocument/didSave", {"textDocument": {"uri": uri}}),
            ):
                server.protocol.handle_message({"jsonrpc": "2.0", "method": method, "params": params})
        loop = asyncio.get_running_loop()
        server.worker.submit(lambda: loop.call_soon_threadsafe(saved.set))
        await saved.wait()
        while server.protocol._request_futures:  # noqa: ASYNC110  nobody tells when they are gone
            await asyncio.sleep(0)
        assert not server.workspace.text_documents
        server.stop_analyzing()

    asyncio.run(asyncio.wait_for(talk(), TIMEOUT))


# -- edits


def place(line, character):
    return types.Range(types.Position(line, character), types.Position(line, character))


def test_many_changes_are_made_in_one_pass(monkeypatch):
    text, read = "x = 1\n" * 10_000, 0

    def counted(made):
        def counting(given):
            nonlocal read
            read += len(given)
            assert read < 10 * len(text), "the whole text is divided again and again"
            return made(given)

        return counting

    for name in ("LineIndex", "_lines"):
        monkeypatch.setattr(convert, name, counted(getattr(convert, name)))
    changes = [types.TextDocumentContentChangePartial(place(line, 0), "y") for line in range(10_000)]
    assert convert.apply_changes(text, changes, Positions()) == "yx = 1\n" * 10_000
    assert read >= len(text)


texts = st.text(alphabet="ab \r\n\f\x85é漢😀", max_size=12)
positions = st.builds(types.Position, st.integers(0, 6), st.integers(0, 6))
parts = st.builds(types.TextDocumentContentChangePartial, st.builds(types.Range, positions, positions), texts)


@given(
    text=texts,
    changes=st.lists(parts | st.builds(types.TextDocumentContentChangeWholeDocument, texts), max_size=5),
    encoding=st.sampled_from(list(types.PositionEncodingKind)),
)
def test_changes_made_together_are_those_made_one_by_one(text, changes, encoding):
    units, expected = Positions(encoding), text
    for change in changes:
        if isinstance(change, types.TextDocumentContentChangePartial):
            index = LineIndex(expected)
            start = units.offset(index, change.range.start)
            end = max(start, units.offset(index, change.range.end))
            expected = expected[:start] + change.text + expected[end:]
        else:
            expected = change.text
    assert convert.apply_changes(text, changes, units) == expected


class Queue:
    """A worker that waits until it is told to go on, and the engine behind it."""

    def __init__(self):
        self.calls, self.done = [], []

    def post(self, call):
        self.calls.append(call)

    def go(self):
        while self.calls:
            self.calls.pop(0)()
        done, self.done = self.done, []
        return done

    def open(self, path, text):
        self.done.append(("open", path, text))

    def close(self, path):
        self.done.append(("close", path))

    def reset(self, settings, buffers):
        self.done.append(("reset", settings, dict(buffers)))


def test_of_texts_that_wait_only_the_last_is_read():
    queue = Queue()
    buffers = Buffers(queue, queue)
    assert [buffers.open("a", "1"), buffers.open("a", "2"), buffers.open("b", "3")] == [True, False, True]
    assert queue.go() == [("open", "a", "2"), ("open", "b", "3")]
    buffers.open("a", "4")
    assert queue.go() == [("open", "a", "4")]


def test_a_text_is_not_read_before_the_closing_or_the_new_beginning_that_it_follows():
    queue = Queue()
    buffers = Buffers(queue, queue)
    buffers.open("a", "1")
    buffers.close("a")
    buffers.open("a", "2")
    assert queue.go() == [("open", "a", "1"), ("close", "a"), ("open", "a", "2")]
    buffers.open("a", "3")
    buffers.reset("settings", {"a": "3"})
    buffers.open("a", "4")
    assert queue.go() == [("open", "a", "3"), ("reset", "settings", {"a": "3"}), ("open", "a", "4")]


# -- what is remembered


def test_what_is_remembered_of_texts_is_bounded_by_their_size():
    made = []

    @of_texts(3 * (10 + EACH))
    def make(text):
        made.append(text[0])
        return len(text)

    for letter in "abcad":
        assert make(letter * 10) == 10
    assert made == ["a", "b", "c", "d"]
    make("a" * 10)
    make("b" * 10)  # the oldest one, gone
    make("e" * 1000)  # too long to be remembered
    make("e" * 1000)
    assert made == ["a", "b", "c", "d", "b", "e", "e"]


def test_a_run_has_looked_at_nothing_but_the_file():
    """Of a module made up for a walk nobody would take note that it is gone, so that it would be kept for ever."""
    source = Source("a.py", "def f():\n\treturn 1\n")
    LOOKED_AT.clear()
    assert indent_unit(source) == "\t"
    assert type(next(iter(LOOKED_AT), None)).__name__ != "Module"
    assert not any(type(each).__name__ == "Module" for each in LOOKED_AT)


# -- an engine that is busy with something else


def test_a_hover_does_not_wait_for_the_analysis_of_another_file(pushed_to, new_uri, tmp_path):
    gate = tmp_path / "gate"
    quick = pushed_to.open(new_uri(pushed_to), "wrong\n")
    pushed_to.pushed(quick, 1)
    slow = pushed_to.open(new_uri(pushed_to), f"wait {gate}\n")
    pushed_to.wait(lambda: f"waiting for {gate}" in pushed_to.log)
    assert pushed_to.hover(quick, 0, 1)["contents"]["value"] == "**wrong**"
    gate.touch()
    pushed_to.pushed(slow, 1)


def test_who_asks_for_findings_comes_first(asking, new_uri, tmp_path):
    gate = tmp_path / "gate"
    slow = asking.open(new_uri(asking), f"wait {gate}\n")
    asking.wait(lambda: f"waiting for {gate}" in asking.log)
    quick = asking.open(new_uri(asking), "wrong\n")
    assert len(asking.pull(quick)) == 1
    gate.touch()
    asking.pull(slow)


# However the client leaves, the server ends


@pytest.mark.parametrize(("politely", "status"), [(True, 0), (False, 1)])
def test_the_server_ends_in_the_middle_of_an_analysis(tmp_path, politely, status):
    client = Client(FAKE, vscode(pull=True), tmp_path)
    gate = tmp_path / "gate"
    client.open((tmp_path / "x.py").as_uri(), f"wait {gate}\n")
    client.wait(lambda: f"waiting for {gate}" in client.log)
    assert client.leave(politely=politely) == status
    assert "Traceback" not in client.log, client.log


def test_exit_without_shutdown_is_a_failure(tmp_path):
    client = Client(FAKE, vscode(pull=False), tmp_path)
    client.notify("exit", None)
    assert client.leave(politely=False) == 1
    assert "Traceback" not in client.log, client.log


def test_nonsense_is_survived(tmp_path):
    client = Client(FAKE, vscode(pull=False), tmp_path)
    client.notify("textDocument/didOpen", {"nonsense": True})
    client.notify(
        "textDocument/didChange",
        {"textDocument": {"uri": "file:///no.py", "version": 1}, "contentChanges": []},
    )
    client.notify("devls/nonsense", {})
    with pytest.raises(Exception, match="-326"):
        client.request("devls/nonsense", {})
    uri = client.open((tmp_path / "x.py").as_uri(), "wrong\n")
    assert len(client.pushed(uri, 1)) == 1
    assert client.leave() == 0
    assert "window/showMessage" not in {each["method"] for each in client.said}


def test_what_cannot_be_noted_of_a_change_costs_what_was_kept_and_nothing_else(tmp_path, monkeypatch):
    model, program = str(tmp_path / "model.py"), str(tmp_path / "program.py")
    text = "import torch\ndef size():\n    return 3\n"
    engine = Engine(Analyzer)
    buffers = {
        model: text,
        program: "import torch\nfrom model import size\ntorch.ones(size()).cuda().numpy()\n",
    }
    engine.reset(Settings((str(tmp_path),)), buffers)

    def found():
        told = engine.analyze(program, lambda: False).analysis.diagnostics
        return [(each.rule, each.range.start) for each in told]

    before = found()
    with monkeypatch.context() as broken:
        broken.setattr(Analyzer, "changed", lambda _self, _path: {}["no such key"])
        engine.open(program, f"import torch\n{buffers[program]}")
        assert engine.stale() == {model, program}
    assert [(rule, start - len("import torch\n")) for rule, start in found()] == before != []
    engine.open(program, buffers[program])
    assert found() == before
