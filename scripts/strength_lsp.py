"""Say to the server what no client should: `python scripts/strength_lsp.py --count 20000`.

Random requests, valid ones and malformed ones, edits and settings, while files are open that are hard to analyse. Prints how long
the answers took, in milliseconds, and how much memory the server has. Exit status 1 if it left, or did not answer, or forgot
what a file says.
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

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "server"), str(ROOT / "tests")]

from lsp.client import Client, vscode  # noqa: E402

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


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=5000, help="how many messages")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
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
