"""Say to the server what no client should: `python scripts/strength_lsp.py --count 20000`. Edit like no author: `--edits 5000`.

Random requests, valid ones and malformed ones, edits and settings, while files are open that are hard to analyse. Prints how long
the answers took, in milliseconds, and how much memory the server has. Exit status 1 if it left, or did not answer, or forgot
what a file says.

With `--edits`, the cells of a notebook are edited at random instead, beside two folders whose modules share their names and that
have settings of their own. In pauses the diagnostics are compared with those of a fresh analysis of the same texts; syntax errors
are left out, because a text that is mended says what else is wrong by what it was before.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "server"), str(ROOT / "tests")]

from devls.analysis import Analyzer, Diagnostic, merge  # noqa: E402
from devls.lsp.settings import Settings  # noqa: E402
from devls.project.workspace import Workspace  # noqa: E402
from devls.syntax.notebook import NotebookSource  # noqa: E402
from lsp import client as lsp_client  # noqa: E402
from lsp.client import Client, cell, text_of, vscode  # noqa: E402

PATIENCE = 30.0
"""Seconds after which a request counts as not answered."""

ENGINE_PATIENCE = 120.0
"""Seconds until the engine is done with what it was given before."""

MEMORY = "VmRSS"

PLAIN = "import torch\n\na = torch.ones(2, device='cuda')\nb = torch.ones(2)\nc = a + b\n"

BOMBS = (
    "a = 10\n" + "a = a * a\n" * 30,
    "x = 'ab' * 10**9 + 'c'\ny = [x] * 10**9\nz = 2 ** 10**9\n",
    "".join(f"{' ' * 4 * n}for v{n} in range(10):\n" for n in range(9)) + " " * 36 + "x = v0\n",
    "if a == 0:\n    b = 0\n" + "".join(f"elif a == {n}:\n    b = {n}\n" for n in range(400)),
    "class C0: pass\n" + "".join(f"class C{n}(C{n - 1}): pass\n" for n in range(1, 500)) + "C499().x\n",
    "match a:\n" + "".join(f"    case {n}:\n        b = {n}\n" for n in range(2000)),
    "t = ()\n" + "t = (t, t)\n" * 60 + "print(t)\n",
    "x = " + "(" * 5000 + ")" * 5000 + "\n",
    "x = " + "-" * 20000 + "1\n",
    "def f(n):\n    return f(n - 1) + f(n - 2)\n" * 50 + "f(40)\n",
    "import torch\n" + "".join(f"def f{n}(x):\n    return f{n + 1}(x) + f{n + 1}(x)\n" for n in range(60)),
    "import torch\nx = torch.ones(1)\n" + "x = x + x\n" * 5000,
    "x = '" + "a" * 300000 + "'\n" + "x = f'{x}{x}'\n" * 40,
)

URIS = (
    "file://[x/y.py", "file:///%00.py", "file:///" + "a" * 5000, "", ":", "untitled:Untitled-1", "file:", "http://[::1",
    "file:///tmp/%ff%fe.py", "file:///dev/zero", "file:///proc/self/mem", "vscode-notebook-cell:/x#1", "\ud800", "file://host/share",
)  # fmt: skip

METHODS = (
    "textDocument/hover", "textDocument/codeAction", "textDocument/diagnostic", "workspace/executeCommand", "shutdown ", "",
    "textDocument/definition", "$/unknown", "initialize", "workspace/symbol", "textDocument/didOpen", "notebookDocument/didOpen",
)  # fmt: skip

COMMANDS = ("devls.server.debugInformation", "devls.server.askTorch", "no.such", "", "devls.explain")


class Session:
    """One server, and what is said to it."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.random = random.Random(seed)
        self.client = Client([sys.executable, "-m", "devls"], vscode(pull=True), folder)
        self.took: dict[str, list[float]] = defaultdict(list)
        self.errors = 0
        self.versions: dict[str, int] = {}
        self.bombs = [self.open(folder / f"bomb{n}.py", text) for n, text in enumerate(BOMBS)]
        self.plain = self.open(folder / "plain.py", PLAIN)

    def open(self, path: Path, text: str) -> str:
        uri = path.as_uri()
        self.versions[uri] = 1
        return self.client.open(uri, text)

    def timed(self, kind: str, method: str, params: object, patience: float = PATIENCE) -> object:
        """Send a request, wait for its answer and note how long that took; returns the message."""
        client, began = self.client, time.perf_counter()
        number = client.ask(method, params)
        with client._news:
            answered = client._news.wait_for(lambda: number in client._answers or client._gone, patience)
            message = client._answers.pop(number, None)
        self.took[kind].append((time.perf_counter() - began) * 1000)
        if not answered or message is None:
            print(f"no answer to {method} {str(params)[:200]}\n{client.log[-3000:]}")
            raise SystemExit(1)
        self.errors += "error" in message
        return message

    def nonsense(self, depth: int = 2) -> object:
        """Any JSON."""
        pick = self.random.choice
        leaves = (None, True, -1, 10**30, 1.5, "", "x", "\0", [], {}, pick(URIS), float("1e308"), "9" * 50)
        if depth == 0 or self.random.random() < 0.4:
            return pick(leaves)
        keys = (
            "uri",
            "textDocument",
            "position",
            "range",
            "line",
            "jsonrpc",
            "id",
            "contentChanges",
            "x",
            "text",
            "version",
        )
        if self.random.random() < 0.3:
            return [self.nonsense(depth - 1) for _ in range(3)]
        return {pick(keys): self.nonsense(depth - 1) for _ in range(3)}

    def uri(self) -> str:
        return self.random.choice([self.plain, *self.bombs, self.random.choice(URIS)])

    def place(self) -> dict[str, int]:
        return {
            "line": self.random.choice((0, 1, 4, 10**6, -1)),
            "character": self.random.choice((0, 4, 10**9, -1)),
        }

    # -- what may be said

    def hover(self) -> None:
        self.timed(
            "hover", "textDocument/hover", {"textDocument": {"uri": self.uri()}, "position": self.place()}
        )

    def action(self) -> None:
        params = {"textDocument": {"uri": self.uri()}, "range": {"start": self.place(), "end": self.place()}}
        context = {
            "diagnostics": [],
            "only": self.random.choice((None, ["quickfix"], ["source.fixAll.devls"])),
        }
        self.timed("code action", "textDocument/codeAction", {**params, "context": context})

    def command(self) -> None:
        arguments = self.random.choice(
            (None, [], [1], [self.plain, "mixed-devices", 0], [[{}]], {}, [None] * 9)
        )
        self.timed(
            "command",
            "workspace/executeCommand",
            {"command": self.random.choice(COMMANDS), "arguments": arguments},
        )

    def malformed(self) -> None:
        self.timed("malformed", self.random.choice(METHODS), self.nonsense())

    def notification(self) -> None:
        method = self.random.choice(
            ("textDocument/didChange", "textDocument/didClose", "workspace/didChangeConfiguration", "$/cancelRequest", "$/setTrace",
             "notebookDocument/didChange", "workspace/didChangeWatchedFiles", "textDocument/didSave", "initialized ", "x")
        )  # fmt: skip
        self.client.notify(method, self.nonsense())

    def edit(self) -> None:
        uri = self.random.choice([*self.bombs, self.random.choice(URIS)])
        version = self.versions[uri] = self.versions.get(uri, 0) + 1
        start, end = self.place(), self.place()
        self.client.edit(
            uri,
            version,
            {
                "range": {"start": start, "end": end},
                "text": self.random.choice(("", "x", "\n", "(", "'", "\r")),
            },
        )

    def documents(self) -> None:
        uri = self.random.choice(URIS)
        if self.random.random() < 0.5:
            self.client.open(uri, self.random.choice((PLAIN, *BOMBS)))
        else:
            self.client.close(uri)

    def bytes(self) -> None:
        body = self.random.choice(
            (b"{", b"[]", b"null", b'"x"', b"[" * 5000, b"\xff\xfe", b'{"jsonrpc": "2.0"}', b'{"id": 1}', b"1" * 5000,
             b'{"jsonrpc": "2.0", "id": {}, "method": "shutdown"}', b'{"jsonrpc": "2.0", "id": 77777, "method": 3}')
        )  # fmt: skip
        header = self.random.choice(
            (b"Content-Length: %d", b"content-length:%d", b"X: 1\r\nContent-Length: %d")
        )
        with self.client._sending:
            self.client.process.stdin.write(header % len(body) + b"\r\n\r\n" + body)
            self.client.process.stdin.flush()

    def go(self, count: int) -> None:
        kinds = (
            self.hover,
            self.action,
            self.command,
            self.malformed,
            self.notification,
            self.edit,
            self.documents,
            self.bytes,
        )
        weights = (6, 4, 3, 4, 3, 3, 1, 2)
        for _ in range(count):
            self.random.choices(kinds, weights)[0]()
            self.client.published.clear()
            self.client.asked.clear()

    def memory(self) -> str:
        status = Path(f"/proc/{self.client.process.pid}/status")
        lines = status.read_text("ascii").splitlines() if status.exists() else []
        return next(
            (f"{int(line.split()[1]) // 1024} MB" for line in lines if line.startswith(MEMORY)), "unknown"
        )


MODULE = """import torch
from torch import nn

class Net(nn.Module):
    def __init__(self, dim=8):
        super().__init__()
        self.head = nn.Linear(dim, 3)

    def forward(self, x):
        mask = torch.ones(3)
        return self.head(x) * mask

def build(device):
    net = Net()
    net.to(device)
    return net
"""

PROGRAM = """import torch
from model import build

device = torch.device("cuda")
net = build(device)
x = torch.randn(4, 8)
x.to(device)
y = x.to(device)
loss = net(y).sum()
loss.backward()
print(loss.numpy())
"""

CELLS = (
    "import torch\nfrom model import build",
    "device = 'cuda'\nnet = build(device)",
    "x = torch.randn(4, 8)\nx.to(device)",
    "out = net(x)\nloss = out.sum()",
    "loss.backward()\nloss.numpy()",
)

LINES = (
    "x.to(device)", "x = x.to('cuda')", "y = torch.zeros(3)", "loss.backward()", "loss = out.sum()", "print(out.numpy())",
    "out = out.detach()", "with torch.no_grad():", "    out = net(x)", "net.to(device)", "net.eval()", "for i in range(3):",
    "w = torch.randn(3, requires_grad=True)", "w += 1", "z = w * 2; z.backward(); z.backward()", "def helper(a, b):",
    "    return a", "x = torch.ones(4, 8, device=device)", "x.cuda()  # devls: ignore[discarded-transfer]", "x = (x +", "try:",
)  # fmt: skip

REST = 1.7
"""Seconds without news after which the server has nothing left to tell."""


class Soak:
    """A notebook and two folders under edits, and a fresh analysis beside it."""

    def __init__(self, place: Path, seed: int) -> None:
        self.random, self.differences, self.compared, self.found = random.Random(seed), 0, 0, 0
        self.roots = [place / "one", place / "two"]
        self.texts: dict[Path, str] = {}
        for root in self.roots:
            root.mkdir()
            for name, text in (("model.py", MODULE), ("train.py", PROGRAM)):
                self.texts[root / name] = text
                (root / name).write_text(text, "utf-8")
        (self.roots[0] / "pyproject.toml").write_text(
            '[tool.devls]\nignore = ["discarded-transfer"]\n', "utf-8"
        )
        self.by_root = {str(self.roots[1]): {"levels": {"host-read": "info"}}}
        folders = [{"uri": each.as_uri(), "name": each.name} for each in self.roots]
        settings = {each.as_uri(): self.by_root.get(str(each), {}) for each in self.roots}
        command = [sys.executable, "-m", "devls"]
        self.client = Client(command, vscode(pull=False), place, workspaceFolders=folders, settings=settings)
        self.versions = dict.fromkeys((each.as_uri() for each in self.texts), 1)
        for path, text in self.texts.items():
            self.client.open(path.as_uri(), text)
        self.notebook = self.roots[1] / "notes.ipynb"
        uris = self.client.open_notebook(self.notebook.as_uri(), *(("python", each) for each in CELLS))
        self.cells = list(zip(uris, CELLS, strict=True))
        self.notebook_version = self.made = 1

    def changed(self, text: str, whole: str) -> str:
        """A text with a line more or less, or as it was at the beginning."""
        lines, pick = text.split("\n"), self.random
        if pick.random() < 0.12:
            return whole
        at = pick.randrange(len(lines))
        indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
        put = [] if pick.random() < 0.35 else [indent + pick.choice(LINES)]
        return "\n".join([*lines[:at], *put, *lines[at + (pick.random() < 0.5 or not put) :]])

    def edit(self) -> None:
        """One edit, of a file or of the notebook."""
        if self.random.random() < 0.5:
            path = self.random.choice([*self.texts])
            text = self.changed(self.texts[path], MODULE if path.stem == "model" else PROGRAM)
            self.texts[path] = text
            self.versions[path.as_uri()] += 1
            self.client.change(path.as_uri(), text, self.versions[path.as_uri()])
            return
        self.notebook_version += 1
        at, what = self.random.randrange(len(self.cells)), self.random.random()
        if what < 0.8:
            uri, text = self.cells[at]
            text = self.changed(text, self.random.choice(CELLS))
            self.cells[at] = uri, text
            document = {"uri": uri, "version": self.notebook_version}
            self._tell(textContent=[{"document": document, "changes": [{"text": text}]}])
        elif what < 0.9 and len(self.cells) > 2:
            uri, _ = self.cells.pop(at)
            gone = {"array": {"start": at, "deleteCount": 1, "cells": []}, "didClose": [{"uri": uri}]}
            self._tell(structure=gone)
        else:
            self.made += 1
            uri, text = f"{self.cells[0][0].partition('#')[0]}#N{self.made}", self.random.choice(CELLS)
            self.cells.insert(at, (uri, text))
            new = {"array": {"start": at, "deleteCount": 0, "cells": [cell(uri)]}}
            self._tell(structure={**new, "didOpen": [text_of(uri, "python", text)]})

    def _tell(self, **changes: object) -> None:
        self.client.change_cells(self.notebook.as_uri(), self.notebook_version, **changes)

    def rest(self) -> None:
        """Wait until nothing is heard any more."""
        heard, since = -1, time.monotonic()
        while time.monotonic() - since < REST:
            if len(self.client.published) != heard or "waiting for its analysis" in self.client.information():
                heard, since = len(self.client.published), time.monotonic()
            time.sleep(0.05)

    def compare(self) -> None:
        """Compare what is shown with what a fresh analysis finds."""
        self.rest()
        shown = {each["uri"]: each["diagnostics"] for each in self.client.published}
        self.client.published[:] = [
            {"uri": uri, "diagnostics": found, "version": None} for uri, found in shown.items()
        ]
        seen = {
            (uri, each["code"], *each["range"]["start"].values(), each["message"])
            for uri in (*self.versions, *(uri for uri, _ in self.cells))
            for each in shown.get(uri, ())
            if each["code"] != "syntax-error"
        }
        expected = set(self.expected())
        self.compared, self.found = self.compared + 1, self.found + len(expected)
        if seen != expected:
            self.differences += 1
            print(
                f"missing {expected - seen}\nextra {seen - expected}\n{self.texts}\n{self.cells}", flush=True
            )

    def expected(self) -> Iterator[tuple[object, ...]]:
        """Findings of a fresh analysis, in the form of those shown."""
        settings = Settings(tuple(map(str, self.roots)), by_root=self.by_root)
        workspace = Workspace(settings.roots)
        for path, text in self.texts.items():
            workspace.open(str(path), text)
        program = NotebookSource.of_cells(str(self.notebook), enumerate((text for _, text in self.cells), 1))
        workspace.open(str(self.notebook), program)
        analyzer = Analyzer(workspace, settings.config_for, hovers=False)
        paths = [*map(str, self.texts), str(self.notebook)]
        for path, found in merge([analyzer.analyze(each) for each in paths], paths).items():
            for each in found:
                if each.rule != "syntax-error":
                    yield self._placed(workspace, path, each)

    def _placed(self, workspace: Workspace, path: str, found: Diagnostic) -> tuple[object, ...]:
        source = workspace.source(path)
        line, column = source.index.position(found.range.start)
        number, line = source.place_of(line)
        uri = Path(path).as_uri() if number is None else self.cells[number - 1][0]
        return uri, found.rule, line, column, found.message

    def memory(self) -> float:
        status = Path(f"/proc/{self.client.process.pid}/status").read_text("ascii")
        return int(status.partition(f"{MEMORY}:")[2].split()[0]) / 1024


def soak(edits: int, seed: int, limit: float) -> int:
    """Edit and compare; returns the exit status."""
    lsp_client.TIMEOUT = ENGINE_PATIENCE
    with tempfile.TemporaryDirectory() as folder:
        session, done, began = Soak(Path(folder).resolve(), seed), 0, time.monotonic()
        session.compare()
        after = session.memory()
        while done < edits and time.monotonic() - began < limit:
            for _ in range(session.random.randint(1, 40)):
                session.edit()
                done += 1
                time.sleep(session.random.choice((0, 0, 0, 0.01, 0.05, 0.2)))
            session.compare()
            after = session.memory() if done < edits * 0.1 else after
        print(
            f"{done} edits, {session.compared} comparisons, {session.found} findings, {session.differences} differences; "
            f"memory {after:.0f} MB after a tenth of them, {session.memory():.0f} MB at the end"
        )
        left = session.client.leave()
        return int(bool(session.differences or left))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=5000, help="how many messages")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--edits", type=int, default=0, help="how many edits of a notebook and two folders, instead"
    )
    parser.add_argument(
        "--limit", type=float, default=float("inf"), help="seconds after which no more is edited"
    )
    options = parser.parse_args()
    if options.edits:
        return soak(options.edits, options.seed, options.limit)
    with tempfile.TemporaryDirectory() as folder:
        session = Session(Path(folder), options.seed)
        began, memory = time.perf_counter(), session.memory()
        session.go(options.count)
        print(
            f"{options.count} messages in {time.perf_counter() - began:.0f} s, {session.errors} answered with an error"
        )
        print(f"memory: {memory} at the beginning, {session.memory()} at the end")
        for kind, took in sorted(session.took.items()):
            took.sort()
            shares = [took[int(len(took) * share)] for share in (0.5, 0.95)]
            print(
                f"{kind:12} {len(took):6}  p50 {shares[0]:7.1f}  p95 {shares[1]:7.1f}  max {took[-1]:7.1f} ms"
            )
        return finish(session)


def finish(session: Session) -> int:
    """Whether the server still knows what a file says, and leaves when it is told to."""
    client = session.client
    for uri in session.bombs:
        client.close(uri)
    client.change(session.plain, PLAIN, 10**6)
    answer = json.dumps(
        session.timed(
            "", "textDocument/diagnostic", {"textDocument": {"uri": session.plain}}, ENGINE_PATIENCE
        )
    )
    session.timed("shutdown", "shutdown", None)
    began = time.perf_counter()
    client.notify("exit", None)
    status = client.leave(politely=False)
    took = (time.perf_counter() - began) * 1000
    print(
        f"shutdown was answered after {session.took['shutdown'][0]:.0f} ms, left with status {status} {took:.0f} ms later"
    )
    if "mixed-devices" not in answer:
        print(f"the finding is gone: {answer}")
    return int(status != 0 or "mixed-devices" not in answer)


if __name__ == "__main__":
    sys.exit(main())
