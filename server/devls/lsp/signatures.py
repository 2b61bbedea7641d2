"""Signatures and documentation of what installed packages define, as jedi reads them, in a process of its own.

jedi takes seconds for a name that a large package hands on, and 100 MB: so `serve` runs in a process that is started by the
first question, and ended when nobody has asked for a while or when it takes too long. jedi reads sources and stubs. It loads
extension modules, too, but only those of the Python that runs devls: no interpreter of an environment is started, and none
of its binaries is loaded.
"""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from collections import OrderedDict
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, TextIO

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

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


# The process

START: Final = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from devls.lsp.signatures import serve; serve(sys.stdin, sys.stdout)"
)
"""Program of the process, for `python -I -c`, which is given the path of the Python that runs devls."""

_MEMORY: Final = 1024 * 1024 * 1024
"""Bytes of address space."""

_LINES: Final = 12
"""Lines of documentation: a hover is no page."""

_WIDEST: Final = 400
"""Characters of a signature."""

_TOLD: Final = ("function", "class", "module", "property")


def serve(questions: TextIO, answers: TextIO) -> None:
    """Answer questions, a line of JSON each, until there are no more.

    The first line has `site`, the folders that packages are looked for in. A question has `path`, `text`, `row` from 1 and
    `column` from 0; its answer is Markdown, or "" where there is nothing to say.
    """
    _confine()
    site = json.loads(questions.readline())["site"]
    for line in questions:
        said = ""
        with suppress(Exception):  # jedi fails on some programs; nothing is said of those
            said = _told(site, json.loads(line))
        answers.write(json.dumps(said) + "\n")
        answers.flush()


def _confine() -> None:
    """Take bounded memory, and end with whoever has started this, where the system knows how."""
    with suppress(ImportError, OSError, ValueError):
        import resource  # noqa: PLC0415  Unix only

        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    if sys.platform == "linux":
        with suppress(ImportError, OSError):
            import ctypes  # noqa: PLC0415  Linux only
            import signal  # noqa: PLC0415

            ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def _told(site: list[str], asked: Mapping[str, Any]) -> str:
    import jedi  # noqa: PLC0415  this process alone has it

    jedi.settings.auto_import_modules = []  # it would run them
    project = jedi.Project(
        ".", sys_path=site, smart_sys_path=False, load_unsafe_extensions=False, added_sys_path=()
    )
    script = jedi.Script(
        asked["text"], path=asked["path"], environment=jedi.InterpreterEnvironment(), project=project
    )
    for name in script.help(asked["row"], asked["column"]):
        if name.type in _TOLD and (parts := list(_parts(name))):
            return "\n\n".join(parts)
    return ""


def _parts(name: Any) -> Iterator[str]:
    """A signature, the first lines of the documentation, and the place."""
    full, kind = name.full_name or name.name, name.type
    signatures = [each.to_string() for each in name.get_signatures()][:3]
    prefix = {"function": "def ", "class": "class "}.get(kind, "")
    if kind == "module":
        signatures = [full]
    if not signatures and kind != "property":
        return
    head = full.rpartition(".")[0]
    shown = [f"{prefix}{each}"[:_WIDEST] for each in signatures or [full]]
    yield "```python\n" + "\n".join(shown) + "\n```"
    text = name.docstring(raw=True).strip().partition("\n\n")[0].splitlines()[:_LINES]
    if text:
        yield "\n".join(text).replace("```", "'''")
    path = name.module_path
    if path is not None and head:
        yield f"*`{head}`*, line {name.line} of `{path.name}`"
