"""The side that never imports torch: start a worker, ask it, survive it."""

from __future__ import annotations

import itertools
import json
import queue
import subprocess
import threading
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from devls.probe.protocol import Answer, Greeting, Question

if TYPE_CHECKING:
    from collections.abc import Sequence

_WORKER = Path(__file__).with_name("worker.py")

START_S = 60.0
"""Seconds `import torch` may take: 2 on an idle machine, 10 and more on a busy one or a cold disk."""

SLACK_S = 5.0
"""Seconds beyond a question's own limit before the worker itself counts as hung."""

MAX_STARTS = 3
"""A worker that died this often will not be better the next time."""


class Probe:
    """Asks a real torch, if there is one. Without one, or switched off, it says why and answers None.

    The worker is started by the first question. Not for use by several threads at once.
    """

    def __init__(self, python: str | None, *, accelerator: bool = True) -> None:
        """Of the torch of the interpreter `python`; None is a probe that is switched off.

        With `accelerator`, `cuda` is the stand-in; facts about the CPU need a probe without.
        """
        self._command: Sequence[str] = (
            (python, str(_WORKER), *(["--accelerator"] if accelerator else [])) if python else ()
        )
        self._problem = "" if python else "the probe is switched off"
        self._torch = ""
        self._starts = 0
        self._numbers = itertools.count(1)
        self._answers: dict[str, Answer] = {}
        self._process: subprocess.Popen[str] | None = None
        self._lines: queue.Queue[str] = queue.Queue()

    @property
    def problem(self) -> str:
        """Why nothing can be asked; empty as long as one may try."""
        return self._problem

    @property
    def torch(self) -> str:
        """The version of the torch that answers; empty before the first answer."""
        return self._torch

    def ask(self, code: str, *, wall_s: float = 3.0) -> Answer | None:
        """Run a program devls has made up; None if there is nobody to ask (see `problem`).

        Answers are remembered, so `code` should not depend on chance.
        """
        known = self._answers.get(code)
        if known is not None:
            return known
        if self._process is None and not self._start():
            return None
        question = Question(next(self._numbers), code, wall_s)
        answer = self._exchange(question)
        self._answers[code] = answer
        return answer

    def close(self) -> None:
        """End the worker. A later question starts another one."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            for stream in (process.stdin, process.stdout):
                if stream is not None:
                    stream.close()

    def _start(self) -> bool:
        if self._problem:
            return False
        if self._starts == MAX_STARTS:
            self._problem = f"the probe died {MAX_STARTS} times"
            return False
        self._starts += 1
        try:
            self._process = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                encoding="utf-8",
                bufsize=1,
            )
        except OSError as error:
            self._problem = f"cannot start {self._command[0]}: {error}"
            return False
        self._lines = queue.Queue()
        threading.Thread(target=_forward, args=(self._process, self._lines), daemon=True).start()
        line = self._line(START_S)
        greeting = Greeting(**json.loads(line)) if line else Greeting(problem="no greeting")
        self._torch, self._problem = greeting.torch, greeting.problem
        if self._problem:
            self.close()
        return not self._problem

    def _exchange(self, question: Question) -> Answer:
        process = self._process
        line = ""
        if process is not None and process.stdin is not None:
            try:
                process.stdin.write(json.dumps(asdict(question)) + "\n")
                process.stdin.flush()
                line = self._line(question.wall_s + SLACK_S)
            except OSError:
                pass  # the pipe broke: it died while nothing was asked
        if line:
            return Answer(**json.loads(line))
        self.close()
        return Answer(question.id, died="the worker died or hung")

    def _line(self, seconds: float) -> str:
        """The worker's next line; empty if it ended or took too long."""
        try:
            return self._lines.get(timeout=seconds)
        except queue.Empty:
            return ""


def _forward(process: subprocess.Popen[str], lines: queue.Queue[str]) -> None:
    # Pipes cannot be waited for with a time limit on every system; a queue can.
    if process.stdout is None:
        return
    try:
        for line in process.stdout:
            lines.put(line)
    except ValueError:
        pass  # closed under us
    lines.put("")
