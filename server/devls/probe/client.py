"""The side that never imports torch: start a worker, ask it, survive it."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import queue
import signal
import subprocess
import threading
import time
from collections import OrderedDict
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from devls.probe.experiment import judge
from devls.probe.protocol import Answer, Greeting, Question

if TYPE_CHECKING:
    from collections.abc import Callable

    from devls.probe.experiment import Experiment, Said

_WORKER = Path(__file__).with_name("worker.py")

START_S = 60.0
"""Seconds `import torch` may take: 2 on an idle machine, 10 and more on a busy one or a cold disk."""

SLACK_S = 5.0
"""Seconds beyond a question's own limit before the worker itself counts as hung."""

REMEMBERED = 500
"""Answers; each is a few hundred bytes, rarely more than eight thousand."""

FIRST_PAUSE_S, LONGEST_PAUSE_S = 2.0, 300.0
"""A worker that dies is started again at once; one that dies again, after a pause that doubles each time."""


class Probe:
    """Asks a real torch, if there is one. Without one, or switched off, it says why and answers None.

    A worker is started by the first question. Not for use by several threads at once.
    """

    def __init__(
        self,
        python: str | None,
        *,
        why_not: str = "the probe is switched off",
        fork: bool = True,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Of the torch of the interpreter `python`; None is a probe that is off, and `why_not` says why.

        Without `fork` the worker behaves as it does on a system that has none.
        """
        self.python = python or ""
        self._fork = fork
        self._clock = clock
        self._problem = "" if python else why_not
        self._torch = ""
        self._numbers = itertools.count(1)
        self._answers: OrderedDict[tuple[str, bool, str], Answer] = OrderedDict()
        self._workers: dict[bool, _Process] = {}
        self._no_accelerator = ""
        self._deaths = 0
        self._not_before = 0.0

    @property
    def problem(self) -> str:
        """Why nothing can be asked, now or ever; empty as long as one may try."""
        waits = self._not_before - self._clock()
        return self._problem or (f"the probe died, and is tried again in {waits:.0f} s" if waits > 0 else "")

    @property
    def torch(self) -> str:
        """The version of the torch that answers; empty before the first answer."""
        return self._torch

    @property
    def runs(self) -> bool:
        """Whether there is a worker now."""
        return bool(self._workers)

    def ask(self, code: str, *, accelerator: bool = True, wall_s: float = 3.0) -> Answer | None:
        """Run a program devls has made up; None if there is nobody to ask (see `problem`).

        With `accelerator`, `cuda` is the stand-in. Answers are remembered, so `code` should not depend on chance.
        """
        known = self._known(code, accelerator=accelerator)
        if known is not None:
            return known
        if accelerator and self._no_accelerator:
            return Answer(0, died=f"no accelerator can be pretended: {self._no_accelerator}")
        worker = self._worker(accelerator=accelerator)
        if worker is None:
            return self.ask(code, wall_s=wall_s) if accelerator and self._no_accelerator else None
        question = Question(next(self._numbers), code, accelerator, wall_s)
        answer = worker.exchange(question)
        if answer is None:
            # Without fork the program took the worker with it; otherwise something killed it.
            self._drop(worker)
            if worker.greeting.forks:
                self._died()
            answer = Answer(question.id, died="the worker died or hung")
        else:
            self._deaths = 0
        self._answers[self._torch, accelerator, code] = answer
        while len(self._answers) > REMEMBERED:
            self._answers.popitem(last=False)
        return answer

    def conduct(self, experiment: Experiment, *, wall_s: float = 3.0) -> Said:
        """Run an experiment, and judge what it claims."""
        answer = None
        if experiment.code:
            answer = self.ask(experiment.code, accelerator=experiment.accelerator, wall_s=wall_s)
        return judge(experiment, answer, torch=self._torch, problem=self.problem)

    def knows(self, experiment: Experiment) -> bool:
        """Whether the answer is there already, so that conducting it takes no time."""
        return not experiment.code or bool(self._known(experiment.code, accelerator=experiment.accelerator))

    def close(self) -> None:
        """End the workers. A later question starts another one."""
        for worker in set(self._workers.values()):
            worker.end()
        self._workers = {}

    def _known(self, code: str, *, accelerator: bool) -> Answer | None:
        key = self._torch, accelerator, code
        if key in self._answers:
            self._answers.move_to_end(key)
        return self._answers.get(key)

    def _worker(self, *, accelerator: bool) -> _Process | None:
        if accelerator in self._workers:
            return self._workers[accelerator]
        if self.problem:
            return None
        flags = [*(["--accelerator"] if accelerator else []), *([] if self._fork else ["--no-fork"])]
        try:
            worker = _Process(self.python, flags)
        except OSError as error:
            self._problem = f"cannot start {self.python}: {error}"
            return None
        greeting = worker.greeting
        if not greeting.torch and not greeting.problem:
            # It crashed or hung at its start, which may be the machine's fault: that is tried again, later.
            worker.end()
            self._died()
            return None
        if greeting.problem:
            worker.end()
            if accelerator and greeting.torch:
                self._no_accelerator = greeting.problem
            else:
                self._problem = greeting.problem
            return None
        self._torch = greeting.torch
        for kind in (False, True) if greeting.forks else (accelerator,):
            self._workers[kind] = worker
        return worker

    def _drop(self, worker: _Process) -> None:
        worker.end()
        self._workers = {kind: each for kind, each in self._workers.items() if each is not worker}

    def _died(self) -> None:
        self._deaths += 1
        if self._deaths > 1:
            pause = min(FIRST_PAUSE_S * 2.0 ** (self._deaths - 2), LONGEST_PAUSE_S)
            self._not_before = self._clock() + pause


class _Process:
    """One worker, with a thread that reads what it says."""

    def __init__(self, python: str, flags: list[str]) -> None:
        """Start it and wait until it has greeted.

        Raises:
            OSError: if there is no such program.
        """
        # Nothing of the user's environment but what torch itself needs: no PYTHONPATH, no folder of the project, and
        # nothing is written beside what is imported.
        self._process = subprocess.Popen(
            (python, "-E", "-B", "-X", "utf8", str(_WORKER), *flags),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
            bufsize=1,
            cwd=_WORKER.parent,
            env=_environment(),
            start_new_session=True,  # so that all it has started can be ended with it
        )
        self._lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._forward, daemon=True).start()
        self.greeting = Greeting()
        line = self._line(START_S)
        if line:
            try:
                self.greeting = Greeting(**json.loads(line))
            except (ValueError, TypeError):
                self.greeting = Greeting(problem=f"{python} is no Python that can be asked")

    def exchange(self, question: Question) -> Answer | None:
        """Ask; None if the worker is gone or hung."""
        line = ""
        stdin = self._process.stdin
        if stdin is not None:
            try:
                stdin.write(json.dumps(asdict(question)) + "\n")
                stdin.flush()
                line = self._line(question.wall_s + (SLACK_S if self.greeting.forks else 0.0))
            except OSError:
                pass  # the pipe broke: it died while nothing was asked
        return Answer(**json.loads(line)) if line else None

    def end(self) -> None:
        """Kill it, and wait until it is gone."""
        if self._process.returncode is None and hasattr(os, "killpg"):
            with contextlib.suppress(OSError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):  # what it was to be told last
                    stream.close()

    def _line(self, seconds: float) -> str:
        """Its next line; empty if it ended or took too long."""
        try:
            return self._lines.get(timeout=seconds)
        except queue.Empty:
            return ""

    def _forward(self) -> None:
        # Pipes cannot be waited for with a time limit on every system; a queue can.
        if self._process.stdout is None:
            return
        try:
            for line in self._process.stdout:
                self._lines.put(line)
        except ValueError:
            pass  # closed under us
        self._lines.put("")


def _environment() -> dict[str, str]:
    """The environment of a worker: no switches of Python's, no card, one thread."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return {**kept, "CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "1"}
