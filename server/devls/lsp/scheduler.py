"""When to analyse which document: one at a time, the most urgent first, the newest text only."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
from typing import TYPE_CHECKING

from devls.analysis import AnalysisCancelled

if TYPE_CHECKING:
    from collections.abc import Callable

    from devls.lsp.state import Document, Documents
    from devls.lsp.worker import Engine, Outcome, Worker

_logger = logging.getLogger(__name__)

AT_ONCE = 0.08
"""Seconds that an answer may take for which nobody should notice that they wait."""

SLOW = 1.0
"""Seconds of an analysis for which nobody who asks about a word waits."""

TYPING_DELAY = 0.15
"""Seconds without a keystroke before a change is analysed, while somebody types on."""

TYPING_PAUSE = 0.5
"""Seconds without a keystroke after which the next one is analysed without a delay: nobody types on so slowly."""

REST_DELAY = 1.0
"""Seconds without a keystroke before what takes long follows."""

REST_PATIENCE = 30.0
"""Seconds after which it no longer waits for a pause."""

BACKGROUND_DELAY = 0.6
"""Seconds before documents follow that nobody is typing in."""

GIVEN_UP = 3
"""Times in a row that an analysis is given up for questions about words: hovers in another file must not keep it from its end."""


class Scheduler:
    """Keeps every open document analysed. Lives on the event loop; the work is done in the worker."""

    def __init__(
        self,
        documents: Documents,
        worker: Worker,
        engine: Engine,
        finished: Callable[[Document, Outcome | None, bool], None],
    ) -> None:
        """Make a scheduler.

        `finished` is told each document whose analysis ended, with its outcome before, and whether that was for the same text.
        """
        self._documents = documents
        self._worker = worker
        self._engine = engine
        self._finished = finished
        self.in_parts = True
        """Whether what can be said soon after an edit is told before the rest is known."""
        self._wake = asyncio.Event()
        self._running: Document | None = None
        self._cancel = threading.Event()

    def invalidate(self, document: Document, delay: float) -> None:
        """Analyse a document again, `delay` seconds from now; an analysis of it under way is given up."""
        document.generation += 1
        document.invalidated = asyncio.get_running_loop().time()
        document.answered = False
        self._plan(document, delay)
        if self._running is document:
            self._cancel.set()

    def since_changed(self, document: Document) -> float:
        """Seconds since something has last asked for another analysis of a document."""
        return asyncio.get_running_loop().time() - document.invalidated

    def make_way(self, at_most: int | None = None) -> None:
        """Give up an analysis that nobody waits for: somebody types in another document, or asks about it.

        It is not given up if it was `at_most` times in a row.
        """
        running = self._running
        if running and not running.waiting and (at_most is None or running.given_up < at_most):
            self._cancel.set()

    def closed(self, document: Document) -> None:
        """Give up the analysis of a document that is closed."""
        if self._running is document:
            self._cancel.set()

    def stop(self) -> None:
        """Give up the analysis under way."""
        self._cancel.set()

    async def settle(self, document: Document) -> None:
        """Wait until the last analysis of a document knows all that has happened, or it is closed."""
        if document is not self._running and not document.is_settled:
            self.make_way()
        while not (document.is_settled or document.closed):
            await self._next_outcome(document)

    async def current(self, document: Document, patience: float) -> Outcome | None:
        """The outcome for the text as it is now, begun at once if need be.

        None if it is not there `patience` seconds after the change: whoever asks later waits no longer than `AT_ONCE`, and
        neither does who asks about a document whose analysis was not there in time before.
        """
        if document.current is None and not document.is_settled:
            if document.due is not None:
                self._plan(document, 0)
            left = document.invalidated + patience - asyncio.get_running_loop().time()
            try:
                await asyncio.wait_for(
                    self.settle(document), AT_ONCE if document.slow else max(AT_ONCE, left)
                )
            except asyncio.TimeoutError:
                document.slow = True
        return document.current

    async def run(self) -> None:
        """Analyse what is due, for ever."""
        loop = asyncio.get_running_loop()
        while True:
            planned = [each for each in self._documents if each.due is not None]
            now = loop.time()
            # Of those that are due, first those that somebody waits for.
            waited_for = [each for each in planned if each.waiting and (each.due or 0) <= now]
            document = min(waited_for or planned, key=lambda each: each.due or 0, default=None)
            wait = None if document is None else (document.due or 0) - now
            if document is None or (wait or 0) > 0:
                self._wake.clear()
                with contextlib.suppress(asyncio.TimeoutError):
                    await asyncio.wait_for(self._wake.wait(), wait)
            else:
                await self._analyze(document)

    async def _analyze(self, document: Document) -> None:
        snapshot, generation = document.snapshot, document.generation
        document.due = None
        now = asyncio.get_running_loop().time()
        late = document.rests_since is not None and now - document.rests_since > REST_PATIENCE
        soon = self.in_parts and not (document.answered or document.follows or late)
        self._running, self._cancel = document, threading.Event()
        cancelled, outcome = self._cancel.is_set, None
        try:
            outcome = await self._worker.submit(
                lambda: self._engine.analyze(snapshot.path, cancelled, soon=soon)
            )
        except AnalysisCancelled:
            document.given_up += 1
            if document.due is None:
                self._plan(document, 0 if document.waiting else BACKGROUND_DELAY)
            return
        except Exception:
            # A file that cannot be analysed must not take the others with it; its last findings
            # would stand in the wrong places, so that it has none until the text changes.
            _logger.exception("the analysis of %s failed", snapshot.path)
        finally:
            self._running = None
        document.given_up = 0
        if document.closed or document.generation != generation:
            return
        before = document.outcome
        again, document.answered = document.answered, outcome is not None and outcome.analysis.partial
        if document.answered:
            document.rests_since = now if document.rests_since is None else document.rests_since
            self._plan(document, REST_DELAY)
        else:
            document.rests_since = None
        document.analyzed, document.outcome, document.settled = snapshot, outcome, generation
        document.slow = asyncio.get_running_loop().time() - now > SLOW
        try:
            self._finished(document, before, again)
        except Exception:
            _logger.exception("the findings in %s could not be shown", snapshot.path)
        document.wake()

    async def _next_outcome(self, document: Document) -> None:
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        document.waiting.add(waiter)
        try:
            await waiter
        finally:
            document.waiting.discard(waiter)

    def _plan(self, document: Document, delay: float) -> None:
        document.due = asyncio.get_running_loop().time() + delay
        self._wake.set()
