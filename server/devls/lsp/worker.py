"""The thread that analyses, and the engine that only this thread touches.

Nothing in the engine is locked: every change of a buffer reaches it as a call in the same queue as the analyses,
so that an analysis sees exactly the changes that came before it.
"""

from __future__ import annotations

import asyncio
import logging
import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from devls.analysis import Analysis, AnalysisCancelled, Analyzer
from devls.project.workspace import Workspace
from devls.syntax.live import LiveSource
from devls.text.reading import MAX_FILE_BYTES, UnreadableFileError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from devls.config import Config
    from devls.lsp.settings import Settings
    from devls.syntax.notebook import NotebookSource
    from devls.syntax.source import Source

_T = TypeVar("_T")
_logger = logging.getLogger(__name__)

# The parser and the interpreter recurse along the nesting of the code; a thread's default stack is
# smaller than the main thread's on some systems.
_STACK_BYTES = 64 * 1024 * 1024

AnalyzerFactory = Callable[[Workspace, Callable[[str], "Config"]], Analyzer]


@dataclass(frozen=True)
class Outcome:
    """An analysis with the sources of the other files that it points into, by path."""

    analysis: Analysis
    others: Mapping[str, Source]
    shown: bool = True
    """Whether findings in the analyzed file are shown; what is known of its values always is."""


class Worker:
    """One daemon thread that makes calls in the order they were submitted."""

    def __init__(self) -> None:
        self._calls: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None

    def submit(self, call: Callable[[], _T]) -> asyncio.Future[_T]:
        """Make a call in the thread; to be awaited, or not, on the event loop that submits it.

        Nothing is called if the future is cancelled before its turn comes.
        """
        loop = asyncio.get_running_loop()
        future: asyncio.Future[_T] = loop.create_future()

        def settle(result: Any, error: BaseException | None) -> None:
            if future.cancelled():
                return
            if error is None:
                future.set_result(result)
            else:
                future.set_exception(error)

        def make() -> None:
            if future.cancelled():
                return
            result, error = None, None
            try:
                result = call()
            except Exception as caught:  # noqa: BLE001  handed to whoever awaits
                error = caught
            try:
                loop.call_soon_threadsafe(settle, result, error)
            except RuntimeError:  # the loop is closed: nobody waits any more
                _logger.debug("a call outlived the server")

        if self._thread is None:
            self._thread = self._start()
        self._calls.put(make)
        return future

    @property
    def waited_for(self) -> bool:
        """Whether something waits for the call that is made now to end."""
        return not self._calls.empty()

    def post(self, call: Callable[[], None]) -> None:
        """Make a call in the thread, about whose end nobody asks; a failure is logged."""

        def guarded() -> None:
            try:
                call()
            except Exception:
                _logger.exception("a change could not be taken in")

        self.submit(guarded)

    def stop(self) -> None:
        """Let the thread end after the call it is in."""
        self._calls.put(None)

    def _start(self) -> threading.Thread:
        before = threading.stack_size(_STACK_BYTES)
        try:
            # A daemon: an analysis that does not end must not keep the process alive.
            thread = threading.Thread(target=self._run, name="devls-analysis", daemon=True)
            thread.start()
        finally:
            threading.stack_size(before)
        return thread

    def _run(self) -> None:
        while (call := self._calls.get()) is not None:
            call()


class Buffers:
    """Hands texts to the engine. Lives on the event loop.

    A text that the engine has not taken yet is replaced by the next one of that file: whoever types faster than the engine
    reads waits for the last text only. An analysis between the two sees the newer one, and is given up for it.
    """

    def __init__(self, worker: Worker, engine: Engine) -> None:
        self._worker = worker
        self._engine = engine
        self._lock = threading.Lock()
        self._waiting: dict[str, list[str | NotebookSource]] = {}
        """By path; each a list of one, known to the call that is to take it."""

    def open(self, path: str, text: str | NotebookSource) -> bool:
        """Let `text` win over the disk; returns False if it replaces one that was waiting, and there is no new call."""
        with self._lock:
            if path in self._waiting:
                self._waiting[path][0] = text
                return False
            waiting = self._waiting[path] = [text]
        self._worker.post(lambda: self._engine.open(path, self._take(path, waiting)))
        return True

    def close(self, path: str) -> None:
        """Go back to what the disk says."""
        with self._lock:
            self._waiting.pop(path, None)  # what is opened from here on comes after the closing
        self._worker.post(lambda: self._engine.close(path))

    def reset(self, settings: Settings, buffers: Mapping[str, str | NotebookSource]) -> None:
        """Start afresh with these folders and settings; `buffers` are the open files by path."""
        with self._lock:
            self._waiting.clear()
        self._worker.post(lambda: self._engine.reset(settings, buffers))

    def _take(self, path: str, waiting: list[str | NotebookSource]) -> str | NotebookSource:
        with self._lock:
            if self._waiting.get(path) is waiting:
                del self._waiting[path]
            return waiting[0]


class Engine:
    """The workspace and its analyzer. All methods run in the worker's thread."""

    def __init__(self, make_analyzer: AnalyzerFactory) -> None:
        self._make_analyzer = make_analyzer
        self._workspace: Workspace | None = None
        self._analyzer: Analyzer | None = None
        self._settings: Settings | None = None
        self._told: set[str] = set()
        self._stale: set[str] = set()

    def reset(self, settings: Settings, buffers: Mapping[str, str | NotebookSource]) -> None:
        """Start afresh with these folders and settings; `buffers` are the open files by path."""
        workspace = Workspace(settings.roots, editing=True)
        for path, text in buffers.items():
            workspace.open(path, self._bounded(path, text))
        self._workspace, self._settings = workspace, settings
        self.forget()

    def _bounded(self, path: str, text: str | NotebookSource) -> str | NotebookSource:
        """The text, unless it is longer than a file may be that is read: parsing it would stop the whole server."""
        if not isinstance(text, str) or len(text) <= MAX_FILE_BYTES:
            return text
        told = f"{path} is not analyzed: it is larger than {MAX_FILE_BYTES // 1024 // 1024} MB"
        if told not in self._told:
            self._told.add(told)
            _logger.warning("%s", told)
        return ""

    def forget(self) -> None:
        """Forget what the analyses so far have left."""
        if self._workspace and self._settings:
            config_for = self._settings.config_for
            self._analyzer = self._make_analyzer(
                self._workspace, lambda path: self._told_of(config_for(path))
            )

    def open(self, path: str, text: str | NotebookSource) -> None:
        """Let `text` (or a notebook's program) win over the disk, now or for the first time."""
        if self._workspace and self._analyzer:
            self._workspace.open(path, self._bounded(path, text))
            self._note_change(path)

    def close(self, path: str) -> None:
        """Go back to what the disk says."""
        if self._workspace and self._analyzer:
            self._workspace.close(path)
            self._note_change(path)

    def changed(self, paths: Sequence[str]) -> None:
        """Take note that files changed on disk."""
        for path in paths:
            self._note_change(path)

    def _note_change(self, path: str) -> None:
        """Have the analyzer note a change; if it fails, all open files are analyzed anew, by another one."""
        if self._workspace is None or self._analyzer is None:
            return
        try:
            self._stale |= self._analyzer.changed(path)
        except Exception:
            _logger.exception(
                "a change of %s could not be noted: what was kept of the analyses is forgotten", path
            )
            self.forget()
            self._stale |= {path, *self._workspace.opened}

    def stale(self) -> frozenset[str]:
        """The paths of the files whose last analysis does not know of some change, in them or in what they use."""
        return frozenset(self._stale)

    def analyze(self, path: str, cancelled: Callable[[], bool], *, soon: bool = False) -> Outcome:
        """Analyze one open file; `soon`: only as far as that does not take long.

        Raises:
            UnreadableFileError, AnalysisCancelled: as `Analyzer.analyze`.
            RuntimeError: before the first `reset`.
        """
        if self._workspace is None or self._analyzer is None:
            message = "the engine has no workspace yet"
            raise RuntimeError(message)
        try:
            analysis = self._analyzer.analyze(path, cancelled=cancelled, soon=soon)
        except AnalysisCancelled:
            raise
        except Exception:
            # Whatever went wrong, what it has left may be part of it.
            self.forget()
            if soon:
                _logger.exception("the first part of an analysis of %s failed", path)
                return self.analyze(path, cancelled)
            raise
        self._stale.discard(analysis.path)
        shown = self._settings.shows(path) if self._settings else True
        return Outcome(analysis, self._sources_of(analysis, self._workspace), shown)

    def _told_of(self, config: Config) -> Config:
        """The same, its problems logged once each: every analysis asks for it again."""
        for problem in map(str, config.problems):
            if problem not in self._told:
                self._told.add(problem)
                _logger.warning("%s", problem)
        return config

    def _sources_of(self, analysis: Analysis, workspace: Workspace) -> Mapping[str, Source]:
        found = (*analysis.diagnostics, *analysis.elsewhere)
        paths = {each.path for each in found} | {near.path for each in found for near in each.related}
        paths |= {fix.path for each in found for fix in each.fixes if fix.path}
        read = {path: _readable(workspace, path) for path in paths - {analysis.path}}
        return {path: source for path, source in read.items() if source is not None}


def _readable(workspace: Workspace, path: str) -> Source | None:
    try:
        source = workspace.source(path)
        return source.snapshot if isinstance(source, LiveSource) else source
    except UnreadableFileError:  # a file that went away takes only its locations with it
        return None
