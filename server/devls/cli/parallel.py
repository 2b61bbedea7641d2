"""`--jobs`: analyze files in several processes, each with an analyzer of its own.

The findings of an analysis depend on nothing that was analyzed before it, so that any process may analyze any file. A
process takes files that lie side by side: they import the same modules, which it then knows. It has a stretch of the files for
itself, and helps another one when that is done.
"""

from __future__ import annotations

import contextlib
import gc
import itertools
import multiprocessing
import os
import sys
import threading
from collections import deque
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from devls.cli.check import Check
from devls.cli.configuration import Configuration
from devls.cli.outcomes import Collected, Outcome
from devls.project.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from concurrent.futures import Future

    from devls.analysis import Analyzer
    from devls.cli.arguments import Options

MIN_BYTES: Final = 300_000
"""Of all files: what is less is done before another process has begun."""

_PARTS: Final = 12
"""For each process: small enough that all end at about the same time, and large enough that neighbours stay together."""


def cores() -> int:
    """How many processes can run at once."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@dataclass(frozen=True)
class Work:
    """Inputs that a process needs to analyze files as this one would."""

    options: Options
    make_analyzer: Callable[..., Analyzer]
    roots: tuple[str, ...]
    names: Mapping[str, str]
    caches: bool
    """Whether the outcome is to say what the cache has to remember."""


class Pool:
    """Analyzes many files in several processes."""

    def __init__(self, work: Work, jobs: int) -> None:
        self._work, self._jobs = work, jobs

    def outcomes(self, paths: Sequence[str]) -> Iterator[Outcome]:
        """Yield results of some files, as they come; nothing for those that are better analyzed here.

        The files of a process that is killed, for want of memory for instance, are left out; all that remain, where
        none can be started.
        """
        sizes = {path: _size(path) for path in paths}
        total = sum(sizes.values())
        jobs = min(self._jobs, len(paths))
        if jobs < 2 or total < MIN_BYTES:
            return
        parts = _parts(sizes, total / (jobs * _PARTS))
        gc.freeze()
        try:
            yield from self._outcomes(parts, min(jobs, len(parts)))
        except BrokenProcessPool:
            return
        except (
            OSError,
            ImportError,
            NotImplementedError,
        ):  # semaphores that a system lacks are the latter two
            _end_started()

    def _outcomes(self, parts: Sequence[list[str]], processes: int) -> Iterator[Outcome]:
        # A fork has all that was imported; elsewhere, and where threads may be around, a process begins anew.
        method = "fork" if sys.platform == "linux" else "spawn"
        context = multiprocessing.get_context(method)
        queues = _Queues(parts, processes)
        with contextlib.ExitStack() as stack:
            # One of its own for each process, so that each is given what lies beside what it has had.
            executors = [
                stack.enter_context(
                    ProcessPoolExecutor(1, context, initializer=_begin, initargs=(self._work,))
                )
                for _ in range(processes)
            ]
            busy: dict[Future[list[Outcome]], int] = {}
            for number, executor in enumerate(executors):
                busy[executor.submit(_analyze, queues.next(number))] = number
            while busy:
                for done in wait(busy, return_when=FIRST_COMPLETED).done:
                    number = busy.pop(done)
                    part = queues.next(number)
                    if part:
                        busy[executors[number].submit(_analyze, part)] = number
                    yield from done.result()


class _Queues:
    """Which part each process analyzes next: of its own stretch of the files, from the start; then of another's, from the end."""

    def __init__(self, parts: Sequence[list[str]], processes: int) -> None:
        count = len(parts)
        bounds = [count * number // processes for number in range(processes + 1)]
        self._left = [deque(parts[start:end]) for start, end in itertools.pairwise(bounds)]

    def next(self, number: int) -> list[str]:
        """The next part of a process; nothing if none is left."""
        own = self._left[number]
        if own:
            return own.popleft()
        longest = max(self._left, key=len)
        return longest.pop() if longest else []


def _end_started() -> None:
    """End the processes of a pool that could start some only: nobody else does, and they wait for work."""
    for each in multiprocessing.active_children():
        each.kill()
        each.join()


def divided(paths: Sequence[str], count: int) -> list[list[str]]:
    """Some files in about so many parts."""
    sizes = {path: _size(path) for path in paths}
    return _parts(sizes, sum(sizes.values()) / max(1, count))


def analyzed(work: Work, paths: Sequence[str]) -> list[Outcome]:
    """Yield results of some files, in a process that does nothing else."""
    gc.disable()  # as `main.run`
    check = _check(work)
    return [check.outcome(path) for path in paths]


def _size(path: str) -> int:
    try:
        return os.path.getsize(path)  # noqa: PTH202
    except OSError:
        return 0


def _parts(sizes: Mapping[str, int], wanted: float) -> list[list[str]]:
    """The files in order, in parts of about equal size."""
    parts: list[list[str]] = []
    part: list[str] = []
    held = 0
    for path, size in sizes.items():
        part.append(path)
        held += size
        if held >= wanted:
            parts.append(part)
            part, held = [], 0
    if part:
        parts.append(part)
    return parts


_checks: list[Check] = []
"""The check of this process, if it is one that analyzes for another."""


def _begin(work: Work) -> None:
    import signal  # noqa: PLC0415  needed here only

    # Ctrl+C reaches all processes of a terminal; the first one ends the others.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.disable()  # as `main.run`
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _checks[:] = [_check(work)]


def _end_with_parent() -> None:
    """End this process when the one that started it is gone, however that was ended: no work would ever come."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _check(work: Work) -> Check:
    complaints = Collected()
    configuration = Configuration(replace(work.options, jobs=1), complaints)
    workspace = Workspace(work.roots)
    analyzer = work.make_analyzer(workspace, configuration.of)
    check = Check(
        analyzer,
        workspace,
        work.names,
        complaints,
        config_for=configuration.of,
        debug=work.options.debug,
        verbose=work.options.verbose,
    )
    if work.caches:
        from devls.cli import cache  # noqa: PLC0415  only where there is one

        check.cache = cache.opened(workspace, analyzer, configuration.of, reads=False)
    return check


def _analyze(paths: list[str]) -> list[Outcome]:
    (check,) = _checks
    return [check.outcome(path) for path in paths]


def picklable(make_analyzer: Any) -> bool:
    """Whether another process can be told to make an analyzer in this way."""
    return getattr(make_analyzer, "__qualname__", "<").isidentifier()
