"""A language client for tests: speaks the protocol over pipes, remembers what the server said, never sleeps."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

SERVER_PATH = Path(__file__).parents[2] / "server"
CAPABILITIES = Path(__file__).parent / "data" / "vscode-client-capabilities.json"
TIMEOUT = 60  # seconds after which a test that waits has failed; generous, since nothing is measured


def vscode(*, pull: bool) -> dict[str, Any]:
    """Capabilities of a real VS Code; without `pull`, those of a client that does not ask for diagnostics."""
    capabilities = json.loads(CAPABILITIES.read_text("utf-8"))["capabilities"]
    if not pull:
        del capabilities["textDocument"]["diagnostic"]
    return capabilities


def cell(uri: str, language: str = "python") -> dict[str, Any]:
    """A cell as a notebook lists it."""
    return {"kind": 1 if language == "markdown" else 2, "document": uri}


def text_of(uri: str, language: str, text: str, version: int = 1) -> dict[str, Any]:
    """A cell's text as it is opened."""
    return {"uri": uri, "languageId": language, "version": version, "text": text}


class RequestError(Exception):
    """The server answered a request with an error."""


class Client:
    def __init__(
        self, command: Sequence[str], capabilities: dict[str, Any], root: Path | None, **options: Any
    ):
        self.settings: dict[str, Any] = options.pop("settings", {})
        says_initialized = options.pop("says_initialized", True)
        self.root = root
        self.published: list[dict[str, Any]] = []
        self.asked: list[dict[str, Any]] = []  # the server's own requests
        self.said: list[dict[str, Any]] = []  # its other notifications
        self.texts: dict[str, dict[int, str]] = {}  # of each version of each document
        self._answers: dict[int, dict[str, Any]] = {}
        self._news = threading.Condition()
        self._sending = threading.Lock()
        self._next = 0
        self._gone = False
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(
                [str(SERVER_PATH), str(SERVER_PATH.parent / "tests"), os.environ.get("PYTHONPATH", "")]
            ),
        }
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
        )
        self.log = ""
        self._readers = [threading.Thread(target=each, daemon=True) for each in (self._read, self._read_log)]
        for reader in self._readers:
            reader.start()
        folders = [{"uri": root.as_uri(), "name": root.name}] if root else None
        self.server = self.request(
            "initialize",
            {
                "processId": os.getpid(),
                "rootUri": root.as_uri() if root else None,
                "workspaceFolders": folders,
                "capabilities": capabilities,
                "clientInfo": {"name": "test", "version": "1"},
                **options,
            },
        )
        if says_initialized:
            self.notify("initialized", {})

    # -- talking

    def notify(self, method: str, params: Any) -> None:
        self._send({"method": method, "params": params})

    def ask(self, method: str, params: Any) -> int:
        """Send a request and return its id, for `answer`."""
        with self._news:
            self._next += 1
            number = self._next
        self._send({"id": number, "method": method, "params": params})
        return number

    def answer(self, number: int) -> Any:
        message = self.wait(lambda: self._answers.pop(number, None))
        if "error" in message:
            raise RequestError(message["error"])
        return message["result"]

    def request(self, method: str, params: Any = None) -> Any:
        return self.answer(self.ask(method, params))

    def wait(self, condition: Callable[[], Any]) -> Any:
        """Wait until `condition` is true, looking each time the server said something."""
        found = None

        def met() -> bool:
            nonlocal found
            found = condition()
            return bool(found) or self._gone

        with self._news:
            if not self._news.wait_for(met, TIMEOUT) or not found:
                raise AssertionError(f"waited in vain; the server's log:\n{self.log}")
        return found

    # -- documents

    def open(self, uri: str, text: str, version: int = 1, language: str = "python") -> str:
        self.texts.setdefault(uri, {})[version] = text
        item = {"uri": uri, "languageId": language, "version": version, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": item})
        return uri

    def change(self, uri: str, text: str, version: int) -> None:
        """Replace the whole text."""
        self.texts[uri][version] = text
        self.edit(uri, version, {"text": text})

    def edit(self, uri: str, version: int, *changes: dict[str, Any]) -> None:
        document = {"uri": uri, "version": version}
        self.notify("textDocument/didChange", {"textDocument": document, "contentChanges": list(changes)})

    def close(self, uri: str) -> None:
        self.notify("textDocument/didClose", {"textDocument": {"uri": uri}})

    def open_notebook(self, uri: str, *cells: tuple[str, str], version: int = 1) -> list[str]:
        """Open a notebook of cells, each its language (`markdown` for prose) and its text; return their URIs."""
        uris = [
            f"{uri.replace('file://', 'vscode-notebook-cell:')}#C{number}" for number in range(len(cells))
        ]
        made = [cell(each, language) for each, (language, _) in zip(uris, cells, strict=True)]
        texts = [text_of(each, *made) for each, made in zip(uris, cells, strict=True)]
        notebook = {"uri": uri, "notebookType": "jupyter-notebook", "version": version, "cells": made}
        self.notify("notebookDocument/didOpen", {"notebookDocument": notebook, "cellTextDocuments": texts})
        return uris

    def change_cells(self, uri: str, version: int, **changes: Any) -> None:
        """Change a notebook; `changes` are those of the protocol's `cells`."""
        document = {"uri": uri, "version": version}
        self.notify(
            "notebookDocument/didChange", {"notebookDocument": document, "change": {"cells": changes}}
        )

    def close_notebook(self, uri: str, cells: Sequence[str]) -> None:
        texts = [{"uri": each} for each in cells]
        self.notify(
            "notebookDocument/didClose", {"notebookDocument": {"uri": uri}, "cellTextDocuments": texts}
        )

    def pushed(self, uri: str, version: int | None) -> list[dict[str, Any]]:
        """Wait for the diagnostics of a version to be published; return the latest of them."""
        return self.wait(lambda: self._latest(uri, version))["diagnostics"]

    def pushed_where(
        self, uri: str, condition: Callable[[list[dict[str, Any]]], bool]
    ) -> list[dict[str, Any]]:
        """Wait until the latest published diagnostics fulfil a condition."""

        def latest() -> dict[str, Any] | None:
            found = [each for each in self.published if each["uri"] == uri]
            return found[-1] if found and condition(found[-1]["diagnostics"]) else None

        return self.wait(latest)["diagnostics"]

    def pull(self, uri: str) -> list[dict[str, Any]]:
        return self.request("textDocument/diagnostic", {"textDocument": {"uri": uri}})["items"]

    def hover(self, uri: str, line: int, character: int) -> dict[str, Any] | None:
        position = {"line": line, "character": character}
        return self.request("textDocument/hover", {"textDocument": {"uri": uri}, "position": position})

    def actions(
        self, uri: str, diagnostics: list[dict[str, Any]], only: list[str] | None = None
    ) -> list[dict[str, Any]]:
        nowhere = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}
        spread = diagnostics[0]["range"] if diagnostics else nowhere
        context = {"diagnostics": diagnostics, **({"only": only} if only is not None else {})}
        return self.request(
            "textDocument/codeAction", {"textDocument": {"uri": uri}, "range": spread, "context": context}
        )

    def information(self) -> str:
        return self.request("workspace/executeCommand", {"command": "devls.server.debugInformation"})

    def configure(self, settings: dict[str, Any], folder: str = "") -> None:
        """Change the settings, of one folder or in general, and wait until they are in force."""
        self.settings[folder] = settings
        self.notify("workspace/didChangeConfiguration", {"settings": None})
        expected = f"{json.dumps(settings, sort_keys=True)}\n"
        deadline = time.monotonic() + TIMEOUT
        while expected not in self.information():
            assert time.monotonic() < deadline, self.log

    # -- leaving

    def leave(self, *, politely: bool = True) -> int:
        """Say goodbye, or just hang up; return the server's exit status."""
        if politely:
            self.request("shutdown")
            self.notify("exit", None)
        self.process.stdin.close()
        status = self.process.wait(TIMEOUT)
        for reader in self._readers:
            reader.join(TIMEOUT)
        self.process.stdout.close()
        self.process.stderr.close()
        return status

    # -- the pipes

    def _latest(self, uri: str, version: int | None) -> dict[str, Any] | None:
        found = [each for each in self.published if each["uri"] == uri and each.get("version") == version]
        return found[-1] if found else None

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        with self._sending:
            self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
            self.process.stdin.flush()

    def _read(self) -> None:
        stream = self.process.stdout
        while header := stream.readline():
            length = 0
            while header.strip():
                name, _, value = header.partition(b":")
                assert name.lower() in {b"content-length", b"content-type"}, f"not the protocol: {header!r}"
                if name.lower() == b"content-length":
                    length = int(value)
                header = stream.readline()
            self._take(json.loads(stream.read(length)))
        with self._news:
            self._gone = True
            self._news.notify_all()

    def _read_log(self) -> None:
        for line in self.process.stderr:
            with self._news:
                self.log += line.decode("utf-8", "replace")
                self._news.notify_all()

    def _take(self, message: dict[str, Any]) -> None:
        with self._news:
            if "method" not in message:
                self._answers[message["id"]] = message
            elif "id" in message:
                self.asked.append(message)
            elif message["method"] == "textDocument/publishDiagnostics":
                self.published.append(message["params"])
            else:
                self.said.append(message)
            self._news.notify_all()
        if "method" in message and "id" in message:
            with contextlib.suppress(OSError, ValueError):  # the server may have left, or we have
                self._send({"id": message["id"], "result": self._reply(message)})

    def _reply(self, message: dict[str, Any]) -> Any:
        if message["method"] == "workspace/configuration":
            return [self.settings.get(each.get("scopeUri", "")) for each in message["params"]["items"]]
        answers = {"workspace/applyEdit": {"applied": True}, "window/showDocument": {"success": True}}
        return answers.get(message["method"])
