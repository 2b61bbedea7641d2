"""What torch says, in hovers and when asked: with the torch that the tests run on."""

from __future__ import annotations

import sys
import time

import pytest

from lsp.client import TIMEOUT, Client, vscode

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
