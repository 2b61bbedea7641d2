"""What an edit costs in an editor: the language server beside one that only parses.

    python benchmarks/edit_cost.py [FILE...] [--edits N] [--seed N]

A client opens a file in two servers that are started over stdio: `devls`, and one made with pygls that has `ast.parse`
read the text of every change. Both get the same edits, in turns: lines are typed character by character, with all the
states that do not parse on the way, lines are taken away, and what was done is taken back now and then. After each edit
the client waits for the diagnostics of that version. Compared is the processor time (user and system) of the server's
whole process tree, which other work on the machine disturbs least. Without files, a training program of a thousand
lines is made up.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from training_program import training_program

FLOOR = """
import ast, sys, warnings
from lsprotocol import types
from pygls.lsp.server import LanguageServer
warnings.simplefilter("ignore")
server = LanguageServer("floor", "1")

def answer(ls, uri, version):
    try:
        ast.parse(ls.workspace.get_text_document(uri).source)
    except (SyntaxError, ValueError):
        pass
    ls.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, [], version))

@server.feature(types.TEXT_DOCUMENT_DID_OPEN)
def did_open(ls, params):
    answer(ls, params.text_document.uri, params.text_document.version)

@server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
def did_change(ls, params):
    answer(ls, params.text_document.uri, params.text_document.version)

server.start_io()
"""

TYPED = (
    "x = x.to(self.device)",
    "loss = loss.mean()",
    "out = torch.cat([out, x], dim=1)",
    "print(f'{index}: {loss.item():.3f}')",
    "if x is None:",
    "total += float(value)",
    "# the usual way",
    "return x",
    "model.eval()",
    "scale = torch.ones(3)",
)

CAPABILITIES = {"textDocument": {"publishDiagnostics": {"versionSupport": True}, "synchronization": {}}}


@dataclass
class Edit:
    """A change of the text between two (line, column) places."""

    start: tuple[int, int]
    end: tuple[int, int]
    text: str

    def apply(self, text: str) -> str:
        """The text after it."""
        lines = text.split("\n")
        begin = sum(len(each) + 1 for each in lines[: self.start[0]]) + self.start[1]
        stop = sum(len(each) + 1 for each in lines[: self.end[0]]) + self.end[1]
        return text[:begin] + self.text + text[stop:]


def typing(text: str, count: int, rng: random.Random) -> list[Edit]:
    """What somebody does who types: some characters at one place, then at another one."""
    edits: list[Edit] = []

    def do(edit: Edit) -> None:
        nonlocal text
        edits.append(edit)
        text = edit.apply(text)

    while len(edits) < count:
        lines = text.split("\n")
        at = rng.choice([number for number, line in enumerate(lines) if line.strip()])
        line = lines[at]
        indent = line[: len(line) - len(line.lstrip())]
        what = rng.random()
        if what < 0.4:  # a new line, as far as somebody gets
            do(Edit((at, 0), (at, 0), f"{indent}\n"))
            column = len(indent)
            words = rng.choice(TYPED)
            for character in words[: rng.randrange(4, len(words) + 1)]:
                do(Edit((at, column), (at, column), character))
                column += 1
            do(Edit((at, 0), (at + 1, 0), ""))
        elif what < 0.75:  # a letter more, and away with it
            column = rng.randrange(len(indent), len(line) + 1)
            do(Edit((at, column), (at, column), rng.choice("abcxyz01.,()'_ ")))
            do(Edit((at, column), (at, column + 1), ""))
        elif what < 0.9:  # a line less, and back with it
            do(Edit((at, 0), (at + 1, 0), ""))
            do(Edit((at, 0), (at, 0), f"{line}\n"))
        else:
            do(Edit((at, len(line)), (at, len(line)), "  # why"))
    return edits[:count]


@dataclass
class Server:
    """A language server over stdio, and the processor time of its processes."""

    name: str
    command: list[str]
    seconds: list[float] = field(default_factory=list)
    latencies: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._process: Any = subprocess.Popen(
            self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self._news = threading.Condition()
        self._answered: dict[int, Any] = {}
        self._published: dict[tuple[str, int], int] = {}
        threading.Thread(target=self._read, daemon=True).start()
        self.request("initialize", {"processId": None, "rootUri": None, "capabilities": CAPABILITIES})
        self.notify("initialized", {})

    def notify(self, method: str, params: object) -> None:
        """Say something."""
        self._send({"method": method, "params": params})

    def request(self, method: str, params: object) -> None:
        """Ask something, and wait for the answer."""
        self._send({"id": 1, "method": method, "params": params})
        self._wait(lambda: self._answered.pop(1, None) is not None)

    def open(self, uri: str, text: str) -> None:
        """Open a document, and wait for what is found in it."""
        item = {"uri": uri, "languageId": "python", "version": 0, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": item})
        self._wait(lambda: (uri, 0) in self._published)

    def edit(self, uri: str, version: int, edit: Edit) -> None:
        """Send an edit and wait for what the server finds in the text it makes."""
        before, began = self._processor_seconds(), time.perf_counter()
        places = [{"line": line, "character": column} for line, column in (edit.start, edit.end)]
        change = {"range": {"start": places[0], "end": places[1]}, "text": edit.text}
        document = {"uri": uri, "version": version}
        self.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})
        self._wait(lambda: (uri, version) in self._published)
        self.latencies.append(time.perf_counter() - began)
        time.sleep(0.02)  # what the server does behind its answer counts as well
        self.seconds.append(self._processor_seconds() - before)

    def memory(self) -> float:
        """Resident memory of all its processes, in MB."""
        pages = [int((each / "statm").read_text().split()[1]) for each in self._processes()]
        return sum(pages) * 4096 / 1e6

    def stop(self) -> None:
        """End it."""
        self._process.kill()
        self._process.wait()

    def _processes(self) -> list[Path]:
        found, waiting = [], [self._process.pid]
        while waiting:
            process = Path(f"/proc/{waiting.pop()}")
            found.append(process)
            for children in process.glob("task/*/children"):
                waiting += map(int, children.read_text().split())
        return found

    def _processor_seconds(self) -> float:
        # Nanoseconds on a processor; the times in `stat` are counted in hundredths of a second.
        total = 0
        for process in self._processes():
            total += sum(int(each.read_text().split()[0]) for each in process.glob("task/*/schedstat"))
        return total / 1e9

    def _send(self, message: dict[str, Any]) -> None:
        content = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(content), content))
        self._process.stdin.flush()

    def _read(self) -> None:
        stream = self._process.stdout
        while header := stream.readline():
            length = 0
            while header.strip():
                if header.lower().startswith(b"content-length"):
                    length = int(header.split(b":")[1])
                header = stream.readline()
            message = json.loads(stream.read(length))
            with self._news:
                if message.get("method") == "textDocument/publishDiagnostics":
                    found = message["params"]
                    self._published[found["uri"], found.get("version", -1)] = len(found["diagnostics"])
                elif "method" in message and "id" in message:
                    count = (
                        len(message["params"].get("items", ())) if isinstance(message["params"], dict) else 0
                    )
                    self._send({"id": message["id"], "result": [None] * count if count else None})
                elif "id" in message:
                    self._answered[message["id"]] = message
                self._news.notify_all()

    def _wait(self, condition: Any) -> None:
        with self._news:
            if not self._news.wait_for(condition, 120):
                raise TimeoutError(self.name)


def measure(path: str, text: str, count: int, seed: int) -> list[float]:
    """Print what edits of one file cost; returns the processor times of devls and of the floor."""
    devls = Server("devls", [sys.executable, "-m", "devls"])
    floor = Server("floor", [sys.executable, "-c", FLOOR])
    servers = [devls, floor]
    uri = Path(path).as_uri()
    for each in servers:
        each.open(uri, text)
    for version, edit in enumerate(typing(text, count, random.Random(seed)), 1):
        for each in servers:
            each.edit(uri, version, edit)
    ratios = [mine / least for mine, least in zip(devls.seconds, floor.seconds, strict=True)]
    total = [sum(each.seconds) for each in servers]
    print(f"{path}: {text.count(chr(10))} lines, {len(ratios)} edits")
    print(
        f"  processor time of all edits {total[0]:.2f} s, floor {total[1]:.2f} s: {total[0] / total[1]:.2f} x"
    )
    print(f"  ratio of single edits: median {statistics.median(ratios):.2f}, p95 {_p95(ratios):.2f}")
    for each in servers:
        latency = statistics.median(each.latencies) * 1000
        print(
            f"  {each.name}: {statistics.mean(each.seconds) * 1000:.1f} ms per edit, answer after {latency:.0f} ms"
            f" (p95 {_p95(each.latencies) * 1000:.0f} ms), {each.memory():.0f} MB",
            flush=True,
        )
        each.stop()
    return total


def _p95(values: list[float]) -> float:
    return sorted(values)[int(len(values) * 0.95) - 1]


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--edits", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    texts = {str(path.resolve()): path.read_text("utf-8") for path in options.files}
    texts = texts or {"/nowhere/train.py": training_program()}
    totals = [measure(path, text, options.edits, options.seed) for path, text in texts.items()]
    if len(totals) > 1:
        mine, least = map(sum, zip(*totals, strict=True))
        print(f"all: {mine:.2f} s, floor {least:.2f} s: {mine / least:.2f} x")


if __name__ == "__main__":
    main()
