"""`--jobs`: analyze files in several processes, each with an analyzer of its own.

What an analysis finds depends on nothing that was analyzed before it, so that it does not matter who analyzes which file. A
process takes files that lie side by side: they import the same modules, which it then knows.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import sys
import threading
from concurrent.futures import ProcessPoolExecutor, as_completed
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
    """What a process needs to know to analyze files as this one would."""

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
        """What comes of some files, as it comes; nothing for those that are better analyzed here.

        Where a process is ended by somebody else, for want of memory for instance, its files are left out; where none can be
        started, for want of shared memory or by a limit, all that are left.
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
        with ProcessPoolExecutor(
            processes, multiprocessing.get_context(method), initializer=_begin, initargs=(self._work,)
        ) as executor:
            waiting: list[Future[list[Outcome]]] = []
            try:
                waiting += [executor.submit(_analyze, part) for part in parts]
                for each in as_completed(waiting):
                    yield from each.result()
            finally:
                for each in waiting:
                    each.cancel()


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
    """What comes of some files, in a process that does nothing else."""
    gc.disable()  # as `main.run`
    check = _check(work)
    return [check.outcome(path) for path in paths]


def _size(path: str) -> int:
    try:
        return os.path.getsize(path)  # noqa: PTH202
    except OSError:
        return 0


def _parts(sizes: Mapping[str, int], wanted: float) -> list[list[str]]:
    """The files in order, in parts of about equal size; the largest parts first, so that none is left to the end."""
    parts: list[tuple[int, list[str]]] = []
    part: list[str] = []
    held = 0
    for path, size in sizes.items():
        part.append(path)
        held += size
        if held >= wanted:
            parts.append((held, part))
            part, held = [], 0
    if part:
        parts.append((held, part))
    return [part for _, part in sorted(parts, key=lambda each: -each[0])]


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
