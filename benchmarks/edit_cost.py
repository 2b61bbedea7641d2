"""Cost of an edit in an editor: the language server beside one that only parses.

    python benchmarks/edit_cost.py [FILE...] [--edits N] [--seed N] [--pauses] [--worst N]

A client opens a file in two servers that are started over stdio: `devls`, and one made with pygls that has `ast.parse`
read the text of every change. Both get the same edits, in turns: lines are typed character by character, with all the
states that do not parse on the way, lines are taken away, and what was done is taken back now and then: in functions, in
classes between them, and at the top. After each edit the client waits for the diagnostics of that version; with `--pauses`
it also rests behind each thing that was typed, until nothing happens any more, as people do who think: then devls has worked
out what its answers have left for later. Compared is the processor time (user and system) of the server's whole process
tree, which other work on the machine disturbs least. Without files, a training program of a thousand lines is made up.
"""

from __future__ import annotations

import argparse
import ast
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
    where: str = ""
    last: bool = False
    """Whether somebody may rest behind it."""

    def apply(self, text: str) -> str:
        """The text after it."""
        lines = text.split("\n")
        begin = sum(len(each) + 1 for each in lines[: self.start[0]]) + self.start[1]
        stop = sum(len(each) + 1 for each in lines[: self.end[0]]) + self.end[1]
        return text[:begin] + self.text + text[stop:]


def typing(text: str, count: int, rng: random.Random) -> list[Edit]:
    """Edits of a person who types: some characters at one place, then at another one."""
    edits: list[Edit] = []
    places = _places(text)

    def do(edit: Edit) -> None:
        nonlocal text
        edits.append(edit)
        edit.where = where
        text = edit.apply(text)

    while len(edits) < count:
        lines = text.split("\n")
        filled = [number for number, line in enumerate(lines) if line.strip()]
        # Functions are most of a file; somebody who begins something types elsewhere as often as not.
        where = rng.choice(sorted(set(places.values())))
        among = [number for number in filled if places.get(number) == where]
        at = rng.choice(among or filled)
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
        edits[-1].last = True
        places = _places(text) or places
    return edits[:count]


def _places(text: str) -> dict[int, str]:
    """Scope of each line: a function, a class, the top of the file; nothing if it does not parse."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return {}
    found = dict.fromkeys(range(text.count("\n") + 1), "top")
    for node in ast.walk(tree):  # outer ones first
        if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            kind = "class" if isinstance(node, ast.ClassDef) else "function"
            kind = "main" if kind == "function" and node.name == "main" else kind
            first = node.body[0].lineno - 1
            for line in range(first, node.end_lineno or 0):
                found[line] = kind
    return found


@dataclass
class Server:
    """A language server over stdio, and the processor time of its processes."""

    name: str
    command: list[str]
    seconds: list[float] = field(default_factory=list)
    latencies: list[float] = field(default_factory=list)
    later: float = 0.0
    """Cost in pauses."""

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

    def rest(self) -> None:
        """Wait until the server has done what it has left for later."""
        before = now = self._processor_seconds()
        while True:
            time.sleep(1.2)
            last, now = now, self._processor_seconds()
            if now - last < 0.005:
                break
        self.later += now - before

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


def measure(path: str, text: str, count: int, seed: int, *, pauses: bool, listed: int) -> list[float]:
    """Print what edits of one file cost; returns the processor times of devls and of the floor."""
    devls = Server("devls", [sys.executable, "-m", "devls"])
    floor = Server("floor", [sys.executable, "-c", FLOOR])
    servers = [devls, floor]
    uri = Path(path).as_uri()
    for each in servers:
        each.open(uri, text)
    edits = typing(text, count, random.Random(seed))
    for version, edit in enumerate(edits, 1):
        for each in servers:
            each.edit(uri, version, edit)
        if pauses and edit.last:
            devls.rest()
    ratios = [mine / least for mine, least in zip(devls.seconds, floor.seconds, strict=True)]
    total = [sum(each.seconds) for each in servers]
    print(f"{path}: {text.count(chr(10))} lines, {len(ratios)} edits")
    print(f"  processor time of all answers {total[0]:.2f} s, floor {total[1]:.2f} s: {_times(*total)}")
    print(
        f"  single answers: median {statistics.median(ratios):.2f} x, p95 {_p95(ratios):.2f} x, worst {max(ratios):.2f} x"
    )
    for where in sorted({each.where for each in edits}):
        those = [ratio for ratio, edit in zip(ratios, edits, strict=True) if edit.where == where]
        print(
            f"    {where}: {len(those)} edits, median {statistics.median(those):.2f} x, worst {max(those):.2f} x"
        )
    worst = sorted(zip(ratios, devls.seconds, edits, strict=True), key=lambda each: -each[0])
    for ratio, seconds, edit in worst[:listed]:
        print(
            f"    {ratio:.1f} x, {seconds * 1000:.0f} ms: line {edit.start[0] + 1}, {edit.where}: {edit.text!r}"
        )
    if pauses:
        count = sum(each.last for each in edits)
        print(
            f"  with {count} pauses, {devls.later / max(count, 1) * 1000:.0f} ms in each: {_times(total[0] + devls.later, total[1])}"
        )
    for each in servers:
        latency = statistics.median(each.latencies) * 1000
        print(
            f"  {each.name}: {statistics.mean(each.seconds) * 1000:.1f} ms per edit, answer after {latency:.0f} ms"
            f" (p95 {_p95(each.latencies) * 1000:.0f} ms), {each.memory():.0f} MB",
            flush=True,
        )
        each.stop()
    return total


def _times(mine: float, least: float) -> str:
    return f"{mine / least:.2f} x"


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
    parser.add_argument("--pauses", action="store_true", help="rest behind each thing that was typed")
    parser.add_argument("--worst", type=int, default=0, metavar="N", help="list the N edits that cost most")
    options = parser.parse_args()
    texts = {str(path.resolve()): path.read_text("utf-8") for path in options.files}
    texts = texts or {"/nowhere/train.py": training_program()}
    totals = [
        measure(path, text, options.edits, options.seed, pauses=options.pauses, listed=options.worst)
        for path, text in texts.items()
    ]
    if len(totals) > 1:
        mine, least = map(sum, zip(*totals, strict=True))
        print(f"all: {mine:.2f} s, floor {least:.2f} s: {mine / least:.2f} x")


if __name__ == "__main__":
    main()
