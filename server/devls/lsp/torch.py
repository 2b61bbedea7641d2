"""torch, asked in a thread of its own, so that nobody waits who has something better to do.

The event loop says which Python's torch it is and hands questions over; the thread owns the probe. It is started by the
first question, and ends its workers when nobody has asked for a while.
"""

from __future__ import annotations

import asyncio
import logging
import queue
import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from devls.probe.experiment import Said, Verdict
from devls.probe.interpreters import choose

if TYPE_CHECKING:
    from devls.lsp.settings import Settings
    from devls.probe.client import Probe
    from devls.probe.experiment import Experiment

    _Questions = queue.Queue[tuple[Experiment, asyncio.Future[Said]] | None]

_logger = logging.getLogger(__name__)

IDLE_S = 300.0
"""Seconds without a question after which the worker, and its 170 MB, are given back."""

REMEMBERED = 200
"""Answers that need no asking, of a few hundred bytes each."""

WAITING = 4
"""Questions that may wait. Whoever moves the mouse on no longer wants to know about the word before."""


@dataclass(frozen=True)
class Whose:
    """Which Python's torch is asked, and in which folders no program is started."""

    python: str = ""
    forbidden: tuple[str, ...] = ()


def whose(settings: Settings) -> Whose:
    """The client's statement about trust. Only where it trusts the workspace may a program in there be started."""
    named = settings.general.get("interpreter")
    python = named if isinstance(named, str) else ""
    trusted = settings.general.get("trusted")
    # A client that knows nothing of trust has no interpreter in its settings that its user has not put there.
    free = trusted is True or (trusted is None and bool(python))
    return Whose(python, () if free else settings.roots)


@dataclass(frozen=True)
class _Told:
    """Result of the thread."""

    said: Said
    account: str
    absent: bool


class Torch:
    """Asks about experiments, and knows what it was told. All methods are for the event loop."""

    def __init__(self) -> None:
        self.account = "not asked yet"
        """State of the probe, for a report of a defect."""
        self.warm = False
        """Whether answers come at once, as opposed to after an import of torch."""
        self.absent = False
        """Whether there is nobody to ask; nothing is tried again until the client says that something is different."""
        self._whose = Whose()
        self._thread: threading.Thread | None = None
        self._questions: _Questions = queue.Queue()
        self._waiting: OrderedDict[Experiment, asyncio.Future[Said]] = OrderedDict()
        self._said: OrderedDict[Experiment, Said] = OrderedDict()

    def configure(self, whose: Whose) -> None:
        """Ask another torch from now on, if it is another one."""
        if whose != self._whose:
            self.stop()
            self._whose = whose
            self._said.clear()
            self.account, self.absent = "not asked yet", False

    def known(self, experiment: Experiment) -> Said | None:
        """The answer, if it is there already."""
        return self._said.get(experiment)

    async def ask(self, experiment: Experiment, patience: float) -> Said | None:
        """The answer, if it comes within so many seconds; otherwise it will be known later."""
        if experiment in self._said or self.absent:
            return self._said.get(experiment)
        future = self._waiting.get(experiment) or self._submit(experiment)
        await asyncio.wait({future}, timeout=patience)
        return future.result() if future.done() and not future.cancelled() else None

    def stop(self) -> None:
        """Let the thread end after the question it is at."""
        for future in self._waiting.values():
            future.cancel()
        self._waiting.clear()
        self.warm = False
        if self._thread is not None:
            self._questions.put(None)
            self._thread, self._questions = None, queue.Queue()

    def _submit(self, experiment: Experiment) -> asyncio.Future[Said]:
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Said] = loop.create_future()
        self._waiting[experiment] = future
        while len(self._waiting) > WAITING:
            self._waiting.popitem(last=False)[1].cancel()
        self._questions.put((experiment, future))
        if self._thread is None:
            arguments = (loop, self._questions, self._whose)
            self._thread = threading.Thread(
                target=self._serve, args=arguments, name="devls-torch", daemon=True
            )
            self._thread.start()
        return future

    def _answered(
        self, experiment: Experiment, future: asyncio.Future[Said], whose: Whose, told: _Told
    ) -> None:
        if whose != self._whose:
            return
        if told.account != self.account:
            _logger.info("torch: %s", told.account)
        self.account, self.absent, self.warm = told.account, told.absent, bool(told.said.torch)
        if self._waiting.get(experiment) is future:
            del self._waiting[experiment]
        if told.said.torch:
            self._said[experiment] = told.said
            while len(self._said) > REMEMBERED:
                self._said.popitem(last=False)
        if not future.done():
            future.set_result(told.said)

    def _serve(self, loop: asyncio.AbstractEventLoop, questions: _Questions, whose: Whose) -> None:
        probe: Probe | None = None
        problems = ""
        while True:
            try:
                asked = questions.get(timeout=IDLE_S if probe is not None and probe.runs else None)
            except queue.Empty:
                if probe is not None:
                    probe.close()
                continue
            if asked is None:
                break
            experiment, future = asked
            if future.cancelled():
                continue
            if probe is None:
                probe, problems = choose(whose.python, forbidden=whose.forbidden)
            try:
                said = probe.conduct(experiment)
            except Exception:
                _logger.exception("torch could not be asked")
                said = Said(Verdict.NOT_RUN, "devls itself failed; its log says more")
            account = f"that of {probe.python}" if probe.python else f"not asked: {problems}"
            told = _Told(said, account, not probe.python)
            try:
                loop.call_soon_threadsafe(self._answered, experiment, future, whose, told)
            except RuntimeError:
                break  # the loop is closed: nobody waits any more
        if probe is not None:
            probe.close()


def part(said: Said) -> str:
    """Torch's answer for a hover: its words, and the program they are about."""
    version = said.torch.partition("+")[0]
    words = " ".join(" ".join(said.says.splitlines()[:4]).split()).replace("`", "'")
    verb = "disagrees" if said.verdict is Verdict.REFUTED else "says"
    return f"*torch {version} {verb}:* `{words}`\n\n```python\n{said.snippet.rstrip()}\n```"
