"""However the client leaves, the server ends."""

from __future__ import annotations

import pytest

from lsp.client import Client, vscode
from lsp.conftest import FAKE


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
