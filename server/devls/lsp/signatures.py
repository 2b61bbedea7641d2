"""jedi, asked in a process of its own for what installed packages define.

The process is started by the first question and ended when nobody has asked for a while, or when it takes too long.
"""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from collections import OrderedDict
from contextlib import suppress
from typing import Final

from devls.project.signatures import START

_logger = logging.getLogger(__name__)

IDLE_S: Final = 120.0
"""Seconds without a question after which the process, and its 100 MB, are given back."""

SLOWEST_S: Final = 20.0
"""Seconds after which a question is given up, and the process with it."""

REMEMBERED: Final = 100
"""Answers that need no asking, of a kilobyte each."""

_LONGEST: Final = 500_000
"""Characters of a text that is handed over: whoever reads a longer one waits for seconds."""

_LINE: Final = 1024 * 1024
"""Bytes of an answer."""

Question = tuple[str, str, int, int]
"""A path, the text, a row from 1 and a column from 0."""


class Signatures:
    """Asks jedi, one question at a time. All methods are for the event loop."""

    def __init__(self) -> None:
        self.site: tuple[str, ...] = ()
        """Folders that packages are looked for in."""
        self._process: asyncio.subprocess.Process | None = None
        self._waiting: tuple[Question, asyncio.Task[str]] | None = None
        self._said: OrderedDict[Question, str] = OrderedDict()
        self._idle: asyncio.TimerHandle | None = None

    def configure(self, site: tuple[str, ...]) -> None:
        """Look for packages in these folders from now on; what was installed may be another version, too."""
        self.stop()
        self.site = site
        self._said.clear()

    async def ask(self, question: Question, patience: float) -> str:
        """Markdown about a name, if it comes within so many seconds; "" if not, or if there is nothing to say.

        What comes later is there when the same is asked again. Nobody waits behind a question about something else.
        """
        if question in self._said or len(question[1]) > _LONGEST:
            return self._said.get(question, "")
        if self._waiting is None or self._waiting[1].done():
            self._waiting = question, asyncio.create_task(self._answer(question))
        elif self._waiting[0] != question:
            return ""
        done, _ = await asyncio.wait({self._waiting[1]}, timeout=patience)
        return self._said.get(question, "") if done else ""

    def stop(self) -> None:
        """End the process."""
        if self._waiting is not None:
            self._waiting[1].cancel()
            self._waiting = None
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None
        process, self._process = self._process, None
        if process is not None and process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()

    async def _answer(self, question: Question) -> str:
        if self._idle is not None:
            self._idle.cancel()
        try:
            said = await asyncio.wait_for(self._exchange(question), SLOWEST_S)
        except (OSError, ValueError, asyncio.TimeoutError) as error:
            _logger.warning("jedi gave no answer: %s", error or "it took too long")
            self._waiting = None
            self.stop()
            said = ""
        self._said[question] = said
        while len(self._said) > REMEMBERED:
            self._said.popitem(last=False)
        self._idle = asyncio.get_running_loop().call_later(IDLE_S, self.stop)
        return said

    async def _exchange(self, question: Question) -> str:
        if self._process is None or self._process.returncode is not None:
            # Isolated: nothing of the working folder or the environment gets into it.
            self._process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-I", "-c", START, json.dumps(sys.path)),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                limit=_LINE,
            )
            self._send({"site": self.site})
        path, text, row, column = question
        self._send({"path": path, "text": text, "row": row, "column": column})
        assert self._process is not None  # noqa: S101  just made
        stdout = self._process.stdout
        line = await stdout.readline() if stdout is not None else b""
        if not line:
            raise OSError("its process has ended")
        return str(json.loads(line))

    def _send(self, message: object) -> None:
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
