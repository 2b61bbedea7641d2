"""The side that imports torch: answers questions, each in a forked process of its own.

Started by `client` as a script, with the Python of the user's project, which has a torch but perhaps no devls.
torch is imported once; a fork takes milliseconds and undoes whatever a program did. Questions about an accelerator are
forked from a child that has entered the stand-in, which changes a process for good; all others from the worker itself.

`guard` holds a program that runs wild; only programs that devls made up are run here.

On systems without `fork` programs run in the worker itself. The client then has one worker for each kind of question,
and starts another one after a timeout or a crash.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import time
import types
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any

# devls need not be installed where torch is, and another devls may be. Once it is found the place is taken away again,
# for what lies beside it (the libraries of an editor's extension) must not hide what torch needs.
# ruff: noqa: E402
sys.path[0] = str(Path(__file__).parents[2])

from devls.probe import guard
from devls.probe.confinement import end_with_parent, prepared
from devls.probe.protocol import LONGEST, Answer, Greeting, Question

del sys.path[0]

_LONGEST_LINE = 64 * 1024  # bytes of an answer: two texts of 4000 characters, escaped
_SLACK_S = 2.0  # that the child with the stand-in may take to say that one of its own has run out of time


def main() -> int:
    """Greet, then answer until stdin ends."""
    # Programs may print; the real stdout belongs to the protocol.
    out = os.fdopen(os.dup(1), "w", buffering=1, encoding="utf-8")
    quiet = os.open(os.devnull, os.O_RDWR)
    os.dup2(quiet, 1)
    # A process that the client started must end with it, be it in the middle of a question.
    end_with_parent(0)
    forks = hasattr(os, "fork") and "--no-fork" not in sys.argv
    version = ""
    try:
        import torch  # noqa: PLC0415  its absence is an answer

        torch.set_num_threads(1)
        _without_compiler(torch)
        version = str(torch.__version__)
        context = contextlib.nullcontext if forks or "--accelerator" not in sys.argv else _pretend()
    except BaseException as error:  # noqa: BLE001  a broken torch can fail in any way
        _say(out, Greeting(version, problem=f"{type(error).__name__}: {error}"[:LONGEST]))
        return 1
    prepared()
    _say(out, Greeting(version, forks=forks))
    if not forks:
        guard.install()
    accelerator = _Accelerator(quiet)
    for line in sys.stdin:
        question = Question(**json.loads(line))
        if not forks:
            answer = _answer(question, context)
            _tidy(torch)
        elif question.accelerator:
            answer = accelerator.answer(question)
        else:
            answer = _in_child(question, context, quiet)
        _say(out, answer)
    return 0


def _say(out: IO[str], message: Greeting | Answer) -> None:
    out.write(json.dumps(asdict(message)) + "\n")


def _without_compiler(torch: Any) -> None:
    """Keep torch from importing its compiler, which takes seconds and needs to write: optimizers ask for it only to stay out of it."""
    stub: Any = types.ModuleType("torch._dynamo")
    stub.disable = lambda function=None, *_arguments, **_options: function or (lambda each: each)
    stub.graph_break = lambda *_arguments, **_options: None
    stub.config = _CompilerOptions()
    sys.modules["torch._dynamo"] = torch._dynamo = stub  # noqa: SLF001  where torch looks for it


class _CompilerOptions:
    """Options of a compiler that is not there: each is on, and setting them does nothing."""

    def __getattr__(self, name: str) -> bool:
        return True

    def patch(self, *_arguments: object, **_options: object) -> contextlib.AbstractContextManager[None]:
        """Set options for a while."""
        return contextlib.nullcontext()


def _pretend() -> Any:
    """The context in which `cuda` is pretended, warm.

    Raises:
        ImportError: if this torch has no way to do that.
    """
    import torch  # noqa: PLC0415  the caller has

    from devls.probe.standin import pretend  # noqa: PLC0415  changes the process

    with pretend():
        torch.ones(2, device="cuda").sum().item()  # warms what every child would have to
    return pretend


def _tidy(torch: Any) -> None:
    """Put back what a program may have switched, where it ran in this very process."""
    torch.set_grad_enabled(True)
    torch.set_default_dtype(torch.float32)
    torch.set_default_device(None)


class _Accelerator:
    """A child that has entered the stand-in and answers like this process, made when first needed."""

    def __init__(self, quiet: int) -> None:
        self._quiet = quiet
        self._child = 0
        self._questions: IO[str] | None = None
        self._answers = 0
        self._problem = ""

    def answer(self, question: Question) -> Answer:
        """Pass a question on."""
        if self._questions is None and not self._problem:
            self._start()
        if self._questions is None:
            return Answer(question.id, died=f"no accelerator can be pretended: {self._problem}")
        try:
            self._questions.write(json.dumps(asdict(question)) + "\n")
            text, _ = _read(self._answers, question.wall_s + _SLACK_S, line=True)
        except OSError:
            text = b""
        if text:
            return Answer(**json.loads(text))
        self._stop()
        return Answer(question.id, died="the child with the accelerator died")

    def _start(self) -> None:
        (inner, outer), (reader, writer) = os.pipe(), os.pipe()
        parent = os.getpid()
        self._child = os.fork()
        if self._child == 0:
            end_with_parent(parent)
            os.close(outer)
            os.close(reader)
            _serve_accelerator(inner, writer, self._quiet)
        os.close(inner)
        os.close(writer)
        self._questions, self._answers = os.fdopen(outer, "w", buffering=1, encoding="utf-8"), reader
        text, _ = _read(reader, 60.0, line=True)
        problem = Greeting(**json.loads(text)).problem if text else "the child died"
        if problem:
            self._problem = problem
            self._stop()

    def _stop(self) -> None:
        with contextlib.suppress(OSError):
            os.kill(self._child, signal.SIGKILL)
        os.waitpid(self._child, 0)
        if self._questions is not None:
            with contextlib.suppress(OSError):
                self._questions.close()
            self._questions = None
            os.close(self._answers)


def _serve_accelerator(questions: int, answers: int, quiet: int) -> None:
    """Body of the child with the stand-in; it never returns."""
    status = 1
    try:
        os.dup2(quiet, 0)
        out = os.fdopen(answers, "w", buffering=1, encoding="utf-8")
        try:
            context = _pretend()
        except BaseException as error:  # noqa: BLE001  whatever it is, there is no accelerator
            _say(out, Greeting(problem=f"{error}"[:LONGEST] or type(error).__name__))
        else:
            _say(out, Greeting(forks=True))
            with os.fdopen(questions, encoding="utf-8") as lines:
                for line in lines:
                    _say(out, _in_child(Question(**json.loads(line)), context, quiet))
            status = 0
    finally:
        os._exit(status)


def _answer(question: Question, context: Any) -> Answer:
    namespace: dict[str, object] = {"__name__": "__main__"}
    try:
        with context():
            exec(compile(question.code, "<probe>", "exec"), namespace)  # noqa: S102  the purpose of this file
            return Answer(question.id, value=_told(namespace.get("r"))[:LONGEST])
    except BaseException as error:  # noqa: BLE001  SystemExit is an outcome too
        return Answer(question.id, raised=type(error).__name__, text=str(error)[:LONGEST])


def _told(value: object) -> str:
    """The value as Python prints it; of a tensor what is true of it, not its numbers."""
    import torch  # noqa: PLC0415  the caller has

    if isinstance(value, torch.Tensor):
        dtype = str(value.dtype).removeprefix("torch.")
        return (
            f"{type(value).__name__ if type(value) is torch.nn.Parameter else 'Tensor'} device={value.device}"
            f" requires_grad={value.requires_grad} is_leaf={value.is_leaf} shape={tuple(value.shape)} dtype={dtype}"
        )
    if isinstance(value, (tuple, list)) and any(isinstance(each, torch.Tensor) for each in value):
        return f"({', '.join(_told(each) for each in value)})"
    return repr(value)


def _in_child(question: Question, context: Any, quiet: int) -> Answer:
    reader, writer = os.pipe()
    parent = os.getpid()
    child = os.fork()
    if child == 0:
        try:
            end_with_parent(parent)
            os.setpgid(0, 0)
            for stream in (0, 1, 2):
                os.dup2(quiet, stream)
            os.dup2(writer, 3)
            os.closerange(4, 64)  # the pipes of the protocol among them
            guard.limit(question.cpu_s, question.memory_mb)
            guard.install()
            os.write(3, json.dumps(asdict(_answer(question, context))).encode())
        finally:
            os._exit(0)
    os.close(writer)
    end = time.monotonic() + question.wall_s
    text, in_time = _read(reader, question.wall_s)
    os.close(reader)
    flood = len(text) > _LONGEST_LINE
    answer = None
    with contextlib.suppress(ValueError, TypeError):
        answer = Answer(**json.loads(text))
    # Without an answer it ends by itself, unless it has closed the pipe and goes on.
    wait = in_time and not flood and answer is None
    status, ended = _end(child, max(0.0, end - time.monotonic()) if wait else 0.0)
    if flood or not in_time or (wait and not ended):
        return Answer(question.id, died="a flood of output" if flood else "timeout")
    if answer is not None:
        return answer
    if os.WIFSIGNALED(status):
        return Answer(question.id, died=f"signal {os.WTERMSIG(status)}")
    return Answer(question.id, died=f"exit {os.WEXITSTATUS(status)}")


def _end(child: int, seconds: float) -> tuple[int, bool]:
    """End a child, with all of its group, if it does not end by itself in time; its status, and whether it did."""
    end = time.monotonic() + seconds
    pause = 0.0005
    while not (ended := _has_ended(child)) and time.monotonic() < end:
        time.sleep(pause)  # not every system has something to wait on, with a limit, for one child
        pause = min(2 * pause, 0.05)
    # Before it is waited for: its number is nobody else's.
    for kill in (os.killpg, os.kill):
        with contextlib.suppress(OSError):
            kill(child, signal.SIGKILL)
    return os.waitpid(child, 0)[1], ended


def _has_ended(child: int) -> bool:
    """Whether a child has ended that nobody has waited for."""
    if hasattr(os, "waitid"):
        return os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    command = ("/bin/ps", "-o", "state=", "-p", str(child))
    state = subprocess.run(command, capture_output=True, check=False)
    return state.stdout.strip()[:1] in (b"", b"Z")  # macOS


def _read(reader: int, seconds: float, *, line: bool = False) -> tuple[bytes, bool]:
    """Input until the other side closes, or one line of it; and whether it came in time, and was not too much."""
    text, end = b"", time.monotonic() + seconds
    while select.select([reader], [], [], max(0.0, end - time.monotonic()))[0]:
        part = os.read(reader, 65536)
        text += part
        if not part or (line and text.endswith(b"\n")):
            return text, True
        if len(text) > _LONGEST_LINE:
            return text, False
    return b"", False


if __name__ == "__main__":
    sys.exit(main())
