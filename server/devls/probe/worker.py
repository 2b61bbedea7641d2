"""The side that imports torch: answers questions, each in a forked process of its own.

Started by `client` as a script, with the Python of the user's project, which has a torch but perhaps no devls.
torch is imported once; a fork takes milliseconds and undoes whatever a program did. Limits on time, memory and files
hold a program that runs wild. They are no sandbox: an empty file can still be created and the network is open, so only
programs that devls made up are run here.

On systems without `fork` programs run in the worker itself, and the client restarts it after a timeout or a crash.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any

sys.path.insert(0, str(Path(__file__).parents[2]))  # devls need not be installed where torch is

from devls.probe.protocol import Answer, Greeting, Question

_LENGTH = 4000  # characters of a value or a message; nobody reads more
_HAS_FORK = hasattr(os, "fork")


def main() -> int:
    """Greet, then answer until stdin ends."""
    # Programs may print; the real stdout belongs to the protocol.
    out = os.fdopen(os.dup(1), "w", buffering=1, encoding="utf-8")
    quiet = os.open(os.devnull, os.O_RDWR)
    os.dup2(quiet, 1)
    context: Any = contextlib.nullcontext
    try:
        import torch  # noqa: PLC0415  its absence is an answer

        torch.set_num_threads(1)
        if "--accelerator" in sys.argv:
            from devls.probe.standin import pretend  # noqa: PLC0415

            context = pretend
            with pretend():
                torch.ones(2, device="cuda").sum().item()  # warms what every child would have to
    except Exception as error:  # noqa: BLE001  a broken torch can fail in any way
        _say(out, Greeting(problem=f"{type(error).__name__}: {error}"))
        return 1
    _say(out, Greeting(torch=str(torch.__version__)))
    for line in sys.stdin:
        question = Question(**json.loads(line))
        _say(out, _in_child(question, context, quiet) if _HAS_FORK else _answer(question, context))
    return 0


def _say(out: IO[str], message: Greeting | Answer) -> None:
    out.write(json.dumps(asdict(message)) + "\n")


def _answer(question: Question, context: Any) -> Answer:
    namespace: dict[str, object] = {}
    try:
        with context():
            exec(compile(question.code, "<probe>", "exec"), namespace)  # noqa: S102  the purpose of this file
            return Answer(question.id, value=repr(namespace.get("r"))[:_LENGTH])
    except BaseException as error:  # noqa: BLE001  SystemExit is an outcome too
        return Answer(question.id, raised=type(error).__name__, text=str(error)[:_LENGTH])


def _in_child(question: Question, context: Any, quiet: int) -> Answer:
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        for stream in (0, 1, 2):
            os.dup2(quiet, stream)
        _limit(question)
        os.write(writer, json.dumps(asdict(_answer(question, context))).encode())
        os._exit(0)
    os.close(writer)
    text, in_time = _read(reader, question.wall_s)
    os.close(reader)
    if not in_time:
        os.kill(child, signal.SIGKILL)
    status = os.waitpid(child, 0)[1]
    if not in_time:
        return Answer(question.id, died="timeout")
    if text:
        return Answer(**json.loads(text))
    if os.WIFSIGNALED(status):
        return Answer(question.id, died=f"signal {os.WTERMSIG(status)}")
    return Answer(question.id, died=f"exit {os.WEXITSTATUS(status)}")


def _read(reader: int, seconds: float) -> tuple[bytes, bool]:
    """All that comes until the other side closes, and whether it did in time."""
    text, end = b"", time.monotonic() + seconds
    while select.select([reader], [], [], max(0.0, end - time.monotonic()))[0]:
        part = os.read(reader, 65536)
        if not part:
            return text, True
        text += part
    return b"", False


def _limit(question: Question) -> None:
    import resource  # noqa: PLC0415  there is none on Windows, which has no fork either

    def lower(limit: int, value: int) -> None:
        hard = resource.getrlimit(limit)[1]
        if hard != resource.RLIM_INFINITY:
            value = min(value, hard)
        resource.setrlimit(limit, (value, value))

    lower(resource.RLIMIT_CPU, question.cpu_s)
    lower(resource.RLIMIT_CORE, 0)
    lower(resource.RLIMIT_FSIZE, 0)
    lower(resource.RLIMIT_NOFILE, 64)
    pages = Path("/proc/self/statm")
    if pages.exists():
        used = int(pages.read_text(encoding="ascii").split()[5]) * resource.getpagesize()
        lower(resource.RLIMIT_DATA, used + question.memory_mb * 2**20)


if __name__ == "__main__":
    sys.exit(main())
