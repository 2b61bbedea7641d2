"""The server as an editor starts it, with what it really finds."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

import pytest

from lsp.client import SERVER_PATH, TIMEOUT, Client, vscode

COMMAND = [sys.executable, "-m", "devls"]
SCRIPT = """import torch
from library import make

x = make()
y = torch.ones(2); emoji = "😀漢"; z = x + y
"""
LIBRARY = """import torch

def make():
    return torch.zeros(2, device="cuda")
"""


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    client = Client(COMMAND, vscode(pull=True), tmp_path_factory.mktemp("folder"))
    yield client
    assert client.leave() == 0, client.log
    assert "Traceback" not in client.log, client.log


@pytest.fixture
def script(client):
    (client.root / "library.py").write_text(LIBRARY, "utf-8")
    uri = client.open((client.root / "script.py").as_uri(), SCRIPT)
    yield uri
    client.close(uri)


def codes(diagnostics):
    return [each["code"] for each in diagnostics]


def test_a_finding_a_hover_and_a_repair(client, script):
    (found,) = client.pull(script)
    assert found["code"] == "mixed-devices"
    column = len(SCRIPT.splitlines()[4].split("x + y")[0].encode("utf-16-le")) // 2
    assert found["range"]["start"] == {"line": 4, "character": column}
    assert {each["location"]["uri"] for each in found["relatedInformation"]} >= {
        (client.root / "library.py").as_uri(),
        script,
    }
    assert "cuda" in client.hover(script, 4, column)["contents"]["value"]
    repair, *_, silence, _ = client.actions(script, [found])
    for version, action in ((2, repair), (4, silence)):
        (change,) = action["edit"]["documentChanges"]
        (edit,) = change["edits"]
        client.edit(script, version, {"range": edit["range"], "text": edit["newText"]})
        assert client.pull(script) == []
        client.change(script, SCRIPT, version + 1)
        assert codes(client.pull(script)) == ["mixed-devices"]


UNKNOWN = "import json\njson.loads\njson.dumps\nnothing_known\n"


def hovered(client, uri, line, character):
    """A hover that comes by and by: the first one takes as long as jedi does to be imported."""
    deadline = time.monotonic() + TIMEOUT
    while (told := client.hover(uri, line, character)) is None:
        assert time.monotonic() < deadline, client.log
    return told


def test_hovers_have_signatures_of_what_devls_does_not_know_where_they_are_wanted(client):
    uri = client.open((client.root / "unknown.py").as_uri(), UNKNOWN)
    for settings in ({}, {"signatures": False}, {"signatures": True, "trusted": False}):
        client.configure(settings)
        assert client.hover(uri, 2, 6) is None
    client.configure({"signatures": True})
    told = hovered(client, uri, 2, 6)
    assert "def dumps(obj" in told["contents"]["value"]
    assert "Serialize ``obj``" in told["contents"]["value"]
    assert told["range"] == {"start": {"line": 2, "character": 5}, "end": {"line": 2, "character": 10}}
    assert "def loads(s" in hovered(client, uri, 1, 6)["contents"]["value"]
    assert client.hover(uri, 3, 2) is None
    client.configure({})
    client.close(uri)


def test_typing_in_the_library_changes_the_findings_in_the_script(client, script):
    assert codes(client.pull(script)) == ["mixed-devices"]
    library = client.open((client.root / "library.py").as_uri(), LIBRARY)
    client.change(library, LIBRARY.replace("cuda", "cpu"), 2)
    client.pull(library)
    client.notify("textDocument/didSave", {"textDocument": {"uri": library}})
    assert client.pull(script) == []
    client.close(library)


def test_half_typed_code_keeps_the_findings_around_it(client, script):
    for version, typed in enumerate(("def (", "x = torch.zeros(", "if x:\n", '"""', "class A(nn.Module"), 2):
        client.change(script, f"{SCRIPT}\n{typed}\n", version)
        assert codes(client.pull(script)) == ["mixed-devices"], typed


def test_a_burst_of_typing_leaves_nothing_behind(client, script):
    """Analyses are given up all the time, in the middle of the library too; the last one must be as good as new."""
    for version in range(2, 60):
        client.change(script, SCRIPT + "#" * version, version)
        client.hover(script, 4, 0)
        client.notify("textDocument/didSave", {"textDocument": {"uri": script}})
    assert codes(client.pull(script)) == ["mixed-devices"]


def test_a_module_that_appears_is_found(client):
    uri = client.open(
        (client.root / "early.py").as_uri(),
        "import torch\nfrom late import w\nx = torch.ones(2, device='cuda') + w\n",
    )
    assert client.pull(uri) == []
    late = client.root / "late.py"
    late.write_text("import torch\nw = torch.ones(2)\n", "utf-8")
    client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": late.as_uri(), "type": 1}]})
    assert codes(client.pull(uri)) == ["mixed-devices"]
    client.close(uri)


def test_a_rule_can_be_turned_off_in_the_editor(client, script):
    assert codes(client.pull(script)) == ["mixed-devices"]
    client.configure({"levels": {"mixed-devices": "off"}})
    assert client.pull(script) == []
    client.configure({})
    assert codes(client.pull(script)) == ["mixed-devices"]


def test_a_change_that_is_not_saved_shows_in_the_files_that_use_it(client, script):
    """The client is told to ask again, and only then."""
    assert codes(client.pull(script)) == ["mixed-devices"]
    library = client.open((client.root / "library.py").as_uri(), LIBRARY)
    client.pull(library)

    def refreshes():
        return sum(each["method"] == "workspace/diagnostic/refresh" for each in client.asked)

    before = refreshes()
    client.change(library, LIBRARY.replace(', device="cuda"', ""), 2)
    client.wait(lambda: refreshes() > before)
    assert client.pull(script) == []
    client.close(library)


def test_a_call_that_is_typed_in_another_file_changes_the_findings(client):
    """As on the command line: what other files give to a function is asked, as they are now."""
    text = "import torch\n\ndef scaled(x: torch.Tensor, device):\n    return x * torch.tensor([1.0, 2.0])\n"
    caller = "from scaling import scaled\n\ndef run(model, x):\n    return scaled(model(x).cpu(), 1)\n"
    (client.root / "calling.py").write_text(caller, "utf-8")
    (client.root / "scaling.py").write_text(text, "utf-8")
    uri = client.open((client.root / "scaling.py").as_uri(), text)
    assert client.pull(uri) == []
    other = client.open((client.root / "calling.py").as_uri(), caller)
    client.pull(other)

    def refreshes():
        return sum(each["method"] == "workspace/diagnostic/refresh" for each in client.asked)

    def comes_to(expected):
        """The client asks as often as it is told to: an answer may come in parts."""
        known = refreshes()
        while codes(client.pull(uri)) != expected:
            client.wait(lambda known=known: refreshes() > known)
            known = refreshes()

    client.change(other, caller.replace(".cpu()", ""), 2)
    comes_to(["tensor-created-off-device"])
    client.change(other, caller, 3)
    comes_to([])
    client.close(other)
    client.close(uri)


def test_a_long_program_is_answered_in_two_parts(client):
    def refreshes():
        return sum(each["method"] == "workspace/diagnostic/refresh" for each in client.asked)

    lines = "    x = x * 2\n" * 250
    text = (
        "import torch\n\ndef place(x):\n    moves = 1\n    return x.cuda() if moves else x\n\ndef main():\n    x = torch.ones(2)\n"
        f"{lines}    return x + place(x)\n\nmain()\n"
    )
    uri = client.open((client.root / "long.py").as_uri(), text)
    (found,) = client.pull(uri)
    before = refreshes()
    end = {"line": 3, "character": 13}
    client.edit(uri, 2, {"range": {"start": {"line": 3, "character": 12}, "end": end}, "text": "0\n\n"})
    (first,) = client.pull(uri)  # what takes long has not been looked at again; it stands where its code is
    assert first["range"]["start"] == {**found["range"]["start"], "line": found["range"]["start"]["line"] + 2}
    client.wait(lambda: refreshes() > before)
    assert client.pull(uri) == []
    client.close(uri)


ACTS = """import torch

net = torch.nn.Linear(2, 2)

@torch.no_grad()
def act(x):
    return net(x).sum()
"""
LEARNS = """import torch
from acting import act

loss = act(torch.ones(2))
loss.backward()
"""


def test_a_repair_of_another_file_is_an_edit_of_that_file(client):
    (client.root / "acting.py").write_text(ACTS, "utf-8")
    learns = client.open((client.root / "learns.py").as_uri(), LEARNS)
    (found,) = client.pull(learns)
    assert found["code"] == "backward-without-graph"
    uri = (client.root / "acting.py").as_uri()
    repair, *_ = client.actions(learns, [found])
    (change,) = repair["edit"]["documentChanges"]
    assert change["textDocument"]["uri"] == uri
    assert [each["range"]["start"]["line"] for each in change["edits"]] == [4]

    acts = client.open(uri, ACTS)
    repair, *_ = client.actions(learns, [found])
    (change,) = repair["edit"]["documentChanges"]
    assert change["textDocument"] == {"uri": acts, "version": 1}
    # Its places are those of the text that the analysis has seen.
    client.change(acts, "# more\n" + ACTS, 2)
    assert not any(
        "documentChanges" in each.get("edit", {}) and uri in str(each["edit"])
        for each in client.actions(learns, [found])
    )
    client.close(acts)
    client.close(learns)


HELPER = """import torch

def total(x):
    w = torch.ones(2, device="cpu")
    return (x * w).sum()
"""
CALLER = """import torch
from helper import total

x = torch.zeros(2, device="cuda")
loss = total(x)
"""


def test_a_finding_in_an_unopened_file_is_shown_at_the_call(client):
    """Whoever looks at the caller sees it; once the other file is open, it stands there alone."""
    helper = client.root / "helper.py"
    helper.write_text(HELPER, "utf-8")
    uri = client.open((client.root / "caller.py").as_uri(), CALLER)
    (found,) = client.pull(uri)
    assert found["code"] == "mixed-devices"
    assert found["range"]["start"] == {"line": 4, "character": 7}
    assert found["message"].startswith("helper.py, line 5: ")
    assert found["relatedInformation"][0]["location"]["uri"] == helper.as_uri()
    titles = [each["title"] for each in client.actions(uri, [found])]
    assert not [each for each in titles if "disable" in each], titles
    other = client.open(helper.as_uri(), HELPER)
    assert codes(client.pull(other)) == ["mixed-devices"]
    assert client.pull(uri) == []
    client.close(other)
    assert codes(client.pull(uri)) == ["mixed-devices"]
    client.close(uri)


def test_inlay_hints_follow_the_text_and_the_setting(client):
    text = 'import torch\nx = torch.ones(2, requires_grad=True)\ny = x.to("cuda")\n'
    uri = client.open((client.root / "hints.py").as_uri(), text)
    everything = {"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 0}}

    def hints(within=everything):
        asked = {"textDocument": {"uri": uri}, "range": within}
        return [
            (each["position"]["line"], each["label"])
            for each in client.request("textDocument/inlayHint", asked)
        ]

    assert hints() == []
    client.configure({"inlayHints": "device"})
    assert hints() == [(1, ": cpu"), (2, ": cuda")]
    client.configure({"inlayHints": "device-and-gradient"})
    client.change(uri, text + "z = y.sum()\n", 2)
    assert hints() == [(1, ": cpu ∇ (2,)"), (2, ": cuda ∇ (2,)"), (3, ": cuda ∇ ()")]
    assert hints({"start": {"line": 2, "character": 0}, "end": {"line": 2, "character": 9}}) == [
        (2, ": cuda ∇ (2,)")
    ]
    client.configure({})
    client.close(uri)


LOSS = """import torch
from torch import nn

model = nn.Linear(4, 2)
head = nn.Linear(2, 1)
x = torch.zeros(3, 4)
x.to("cuda")
loss = head(model(x).detach()).sum()
loss.backward()
"""


def execute(client, command, *arguments):
    return client.request("workspace/executeCommand", {"command": command, "arguments": list(arguments)})


@pytest.fixture
def with_pages(tmp_path):
    """A client that shows pages."""
    client = Client(COMMAND, vscode(pull=True), tmp_path, initializationOptions={"pages": True})
    yield client
    assert client.leave() == 0, client.log


def test_a_finding_is_told_as_a_page(with_pages):
    client = with_pages
    uri = client.open((client.root / "loss.py").as_uri(), LOSS)
    found = next(each for each in client.pull(uri) if each["code"] == "discarded-transfer")
    (explain,) = (each for each in client.actions(uri, [found]) if "explain" in each["title"])
    page = execute(client, explain["command"]["command"], *explain["command"]["arguments"])
    assert page["rule"] == "discarded-transfer"
    assert page["page"].startswith("# discarded-transfer")
    assert [(each["place"], each["code"]) for each in page["steps"]][:1] == [
        ("loss.py:6", "x = torch.zeros(3, 4)")
    ]
    assert [each for each in page["fixes"][0]["diff"] if each[0] in "+-"] == [
        '-x.to("cuda")',
        '+model.to("cuda")',
        '+x = x.to("cuda")',
    ]
    assert execute(client, "devls.server.mend", *page["arguments"], 0) is True
    (asked,) = (each for each in client.asked if each["method"] == "workspace/applyEdit")
    (change,) = asked["params"]["edit"]["documentChanges"]
    assert [each["newText"] for each in change["edits"]] == ['model.to("cuda")\n', "x = "]
    assert execute(client, "devls.server.mend", *page["arguments"], 99) is False
    assert execute(client, "devls.server.explain", uri, "discarded-transfer", 0, 0) is None
    assert execute(client, "devls.server.explain", 3) is None


def test_the_map_is_drawn_of_the_text_as_it_is(with_pages):
    client = with_pages
    uri = client.open((client.root / "loss.py").as_uri(), LOSS)
    (lens,) = client.request("textDocument/codeLens", {"textDocument": {"uri": uri}})
    assert lens["range"]["start"] == {"line": 8, "character": 0}
    drawn = execute(client, lens["command"]["command"], *lens["command"]["arguments"])
    assert drawn["title"] == "loss.py"
    assert ">head<" in drawn["drawing"]
    assert 'class="cut"' not in drawn["drawing"] or ">model<" in drawn["drawing"]
    client.configure({"codeLens": False})
    assert client.request("textDocument/codeLens", {"textDocument": {"uri": uri}}) == []


def test_the_link_of_a_rule_opens_a_page_that_is_there(client, script):
    (found,) = client.pull(script)
    page = Path(url2pathname(urlsplit(found["codeDescription"]["href"]).path))
    assert page.read_text("utf-8").startswith("# mixed-devices")
    assert client.request("textDocument/codeLens", {"textDocument": {"uri": script}}) == []
    (explain,) = (each for each in client.actions(script, [found]) if "explain" in each["title"])
    assert execute(client, explain["command"]["command"], *explain["command"]["arguments"]) is None
    shown = [each for each in client.asked if each["method"] == "window/showDocument"]
    assert [each["params"]["uri"] for each in shown] == [found["codeDescription"]["href"]]


WORKSPACE = {
    "train.py": """import torch
from model import build, move
from lib.batches import batches

device = torch.device("cuda")
model = build(device)
for x in batches():
    move(x, device)
    print(model(x))
print(model.weight + torch.ones(3))
""",
    "model.py": """import torch
from torch import nn


def build(device):
    model = nn.Linear(3, 3)
    model.to(device)
    return model


def move(x, device):
    x.to(device)
""",
    "lib/batches.py": """import torch


def batches():
    return [torch.ones(2, 3) for _ in range(3)]
""",
    "other.py": "import torch\n\nw = torch.ones(3, requires_grad=True)\nloss = (w * 2).sum()\nloss.backward()\nloss.backward()\n",
    "left_out/old.py": "import torch\n\ntorch.ones(3).cuda()\n",
    "build/made.py": "import torch\n\ntorch.ones(3).cuda()\n",
    "half.py": "import torch\n\nx = torch.ones(3)\nx.cuda()\ny = (\n",
    ".gitignore": "build/\n",
    "pyproject.toml": '[tool.devls]\nexclude = ["left_out"]\n[tool.devls.levels]\nbackward-twice = "info"\n',
}
CHECK, CLEAR = "devls.server.checkWorkspace", "devls.server.clearWorkspaceCheck"


@pytest.fixture(params=[False, True], ids=["pushed", "asked for"])
def project(request, tmp_path):
    """A client in a folder with several files, and whether it asks for diagnostics."""
    root = tmp_path / "work"
    for name, text in WORKSPACE.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, "utf-8")
    client = Client(COMMAND, vscode(pull=request.param), root)
    client.asks = request.param
    yield client
    assert client.leave() == 0, client.log
    assert "Traceback" not in client.log, client.log


def shown(client, opened=()):
    """Problems that an editor lists, by file."""
    found = {each["uri"]: each["diagnostics"] for each in client.published}
    if client.asks:
        found = {uri: told for uri, told in found.items() if uri not in opened}
        found |= {uri: client.pull(uri) for uri in opened}
    names = {uri: Path(url2pathname(urlsplit(uri).path)).relative_to(client.root).as_posix() for uri in found}
    levels = {1: "error", 2: "warning", 3: "info"}
    return {
        names[uri]: sorted(
            (each["range"]["start"]["line"] + 1, each["code"], levels[each["severity"]], each["message"])
            for each in told
        )
        for uri, told in found.items()
        if told
    }


def checked(client, opened=None):
    """Findings of the command line for the same texts, by file; syntax errors are told by the editor's own Python
    support.
    """
    for name, text in (opened or {}).items():
        (client.root / name).write_text(text, "utf-8")
    command = [*COMMAND, "--check", "--no-cache", "--output-format", "json", "--ignore", "syntax-error", "."]
    environment = {**os.environ, "PYTHONPATH": str(SERVER_PATH)}
    ran = subprocess.run(
        command, cwd=client.root, env=environment, capture_output=True, text=True, check=False
    )
    found = {}
    for each in json.loads(ran.stdout):
        place = each["location"]["row"], each["code"], each["severity"], each["message"]
        found.setdefault(each["filename"], []).append(place)
    return {name: sorted(told) for name, told in found.items()}


def test_a_check_of_the_workspace_says_what_the_command_line_says(project):
    text = WORKSPACE["other.py"].replace("loss.backward()\n", "loss.backward()\nx = loss.cuda() + w\n", 1)
    opened = {"other.py": text, "train.py": WORKSPACE["train.py"]}
    uris = {name: project.open((project.root / name).as_uri(), each) for name, each in opened.items()}
    counted = execute(project, CHECK, "progress")
    if not project.asks:
        project.pushed(uris["other.py"], 1)
        project.pushed(uris["train.py"], 1)
    seen = shown(project, uris.values())
    assert seen == checked(project, opened)
    assert set(seen) == {"other.py", "train.py", "model.py", "half.py"}
    assert counted == {"files": 5, "findings": sum(map(len, seen.values()))}
    told = [each["params"] for each in project.said if each["method"] == "$/progress"]
    assert {each["token"] for each in told} == {"progress"}
    assert [each["value"]["kind"] for each in told] == ["begin", *["report"] * 5, "end"]
    # Without the check, what is found in a file that is not open is told at the call again.
    asked = len(project.asked)
    execute(project, CLEAR)
    if project.asks:
        refresh = "workspace/diagnostic/refresh"
        project.wait(lambda: [each for each in project.asked[asked:] if each["method"] == refresh])
    else:
        project.pushed_where(
            uris["train.py"], lambda told: [each for each in told if "model.py, line" in each["message"]]
        )
    seen = shown(project, uris.values())
    assert set(seen) == {"other.py", "train.py"}


def test_a_file_that_is_opened_and_closed_is_shown_once(project):
    execute(project, CHECK)
    before = shown(project)
    assert before == checked(project)
    model = (project.root / "model.py").as_uri()
    project.open(model, WORKSPACE["model.py"])
    if project.asks:  # what was published is taken back
        assert project.pushed_where(model, lambda told: not told) == []
    else:  # what it shows now is said of its own version, after what was published is taken back
        project.pushed(model, 1)
    assert shown(project, [model]) == before
    project.close(model)
    project.wait(lambda: said_last(project, model))
    assert shown(project) == before


def said_last(client, uri):
    """The diagnostics of a file that is not open, if those were published last."""
    latest = [each for each in client.published if each["uri"] == uri][-1]
    return latest["diagnostics"] if latest.get("version") is None else []


def test_what_changes_on_disk_is_checked_again_until_the_check_is_withdrawn(project):
    execute(project, CHECK)
    model = project.root / "model.py"
    model.write_text(WORKSPACE["model.py"].replace("    model.to(device)\n", ""), "utf-8")
    changed = {"changes": [{"uri": model.as_uri(), "type": 2}]}
    project.notify("workspace/didChangeWatchedFiles", changed)
    project.pushed_where(model.as_uri(), lambda told: told and told[0]["range"]["start"]["line"] == 10)
    assert "train.py" not in shown(project)  # it adds what `build` returns
    assert shown(project) == checked(project)
    execute(project, CLEAR)
    assert shown(project) == {}
    assert codes_published(project) == {}


def codes_published(client):
    latest = {each["uri"]: each["diagnostics"] for each in client.published}
    return {uri: told for uri, told in latest.items() if told}


def test_a_cancelled_check_publishes_nothing(project):
    for number in range(30):
        (project.root / f"more{number}.py").write_text(WORKSPACE["other.py"], "utf-8")
    asked = {"command": CHECK, "arguments": ["mine"]}
    number = project.ask("workspace/executeCommand", asked)
    project.wait(lambda: [each for each in project.said if each["method"] == "$/progress"])
    project.notify("window/workDoneProgress/cancel", {"token": "mine"})
    assert project.answer(number) is None
    told = [each["params"]["value"] for each in project.said if each["method"] == "$/progress"]
    assert told[-1] == {"kind": "end", "message": "cancelled"}
    assert codes_published(project) == {}


def test_a_check_shows_a_progress_of_its_own_where_the_client_has_none(project):
    execute(project, CHECK)
    (created,) = (each for each in project.asked if each["method"] == "window/workDoneProgress/create")
    told = [each["params"] for each in project.said if each["method"] == "$/progress"]
    assert {each["token"] for each in told} == {created["params"]["token"]}
