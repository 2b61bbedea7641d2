"""The language server: wires the features to the documents, the scheduler and the worker."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
from typing import TYPE_CHECKING, Any, cast

from pygls.exceptions import JsonRpcException, JsonRpcParseError
from pygls.lsp.server import LanguageServer

import devls
from devls.analysis import Analyzer
from devls.lsp.convert import Positions
from devls.lsp.features import (
    code_actions,
    commands,
    configuration,
    diagnostics,
    explanations,
    hover,
    inlay_hints,
    notebooks,
    rule_names,
    synchronization,
    watched_files,
    workspace_check,
)
from devls.lsp.protocol import Incoming, Protocol
from devls.lsp.scheduler import Scheduler
from devls.lsp.settings import Settings
from devls.lsp.signatures import Signatures
from devls.lsp.state import Documents
from devls.lsp.torch import Torch, whose
from devls.lsp.worker import Buffers, Engine, Worker
from devls.project.definitions import Definitions, environments

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import BinaryIO

    from pygls.server import ServerErrors

    from devls.config import Config, ConfigProblem
    from devls.lsp.notebooks import OpenNotebook
    from devls.lsp.worker import AnalyzerFactory
    from devls.project.workspace import Workspace

_logger = logging.getLogger(__name__)


SWITCH_S = 0.001
"""Seconds that the analysis may go on while a message waits for the interpreter; Python has 0.005."""


class DevlsServer(LanguageServer):
    """A pygls server with devls' documents. All of it but `engine` lives on the event loop."""

    def __init__(self, engine: Engine) -> None:
        super().__init__(
            "devls", devls.__version__, notebook_document_sync=notebooks.OPTIONS, protocol_cls=Protocol
        )
        self.engine = engine
        self.worker = Worker()
        self.buffers = Buffers(self.worker, engine)
        self.documents = Documents()
        self.notebooks: dict[str, OpenNotebook] = {}
        """By URI."""
        self.scheduler = Scheduler(
            self.documents,
            self.worker,
            engine,
            finished=lambda document, before, again: diagnostics.refreshed(
                self, document, before, again=again
            ),
        )
        self.torch = Torch()
        self.signatures = Signatures()
        self.check = workspace_check.WorkspaceCheck()
        self.settings = Settings()
        self.applied: Settings | None = None
        """The settings that the engine runs with; None before it runs."""
        self.positions = Positions()
        self.client_name = "unknown"
        self.has_pages = False
        """Whether the client shows the story of a finding, and the map of gradients, as pages."""
        self.pull = False
        """Whether the client asks for diagnostics; otherwise they are pushed. Never both: it would show both."""
        self.open_settings: dict[str, str] = {}
        """The texts of the open files of settings, by URI."""
        self.problems_shown: dict[str, list[ConfigProblem]] = {}
        """By the path of the file of settings in which they are shown."""
        self._tasks: set[asyncio.Task[None]] = set()
        self.said_goodbye = False

    def report_server_error(self, error: Exception, source: ServerErrors) -> None:
        """Log an error; whoever types in the editor can do nothing about it and is not to be bothered."""
        _logger.error("%s: %s", getattr(source, "__name__", source), error)
        if source is JsonRpcException and isinstance(self.protocol, Protocol):
            # All else is caught where messages are handled: this one could not be read.
            self.protocol.refuse(None, JsonRpcParseError(f"not JSON: {error}"))

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Do something that takes time, beside what is handled next."""
        # Not left to pygls, which trips over handlers of its own that are still under way when the client leaves.
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            _logger.error("a task failed", exc_info=error)

    def restart(self) -> None:
        """Analyse everything anew: the folders or the configuration are others."""
        settings = self.applied = self.settings
        self.torch.configure(whose(settings))
        self.signatures.configure(tuple(environments(settings.roots)))
        buffers = {each.path: each.snapshot.opened for each in self.documents}
        self.buffers.reset(settings, buffers)
        for document in self.documents:
            document.hints_wanted = True
            self.scheduler.invalidate(document, 0)
        diagnostics.ask_again(self)
        workspace_check.restarted(self)

    def stop_analyzing(self) -> None:
        """Give up what runs, begin nothing more."""
        for task in self._tasks:
            task.cancel()
        self.scheduler.stop()
        self.worker.stop()
        self.torch.stop()
        self.signatures.stop()


def _analyzer(workspace: Workspace, config_for: Callable[[str], Config]) -> Analyzer:
    return Analyzer(
        workspace, config_for, installed=Definitions(environments(workspace.roots)), questions=True
    )


def create_server(*, analyzer_factory: AnalyzerFactory = _analyzer) -> DevlsServer:
    """Make a server; the factory is called in its analysis thread."""
    server = DevlsServer(Engine(analyzer_factory))
    for feature in (
        code_actions,
        commands,
        configuration,
        diagnostics,
        explanations,
        hover,
        inlay_hints,
        notebooks,
        rule_names,
        synchronization,
        watched_files,
        workspace_check,
    ):
        feature.register(server)
    return server


def _is_news(record: logging.LogRecord) -> bool:
    """Whether to log a record: not pygls' traceback for a message that is not as it should be, which `refuse` tells."""
    if not record.name.startswith("pygls") or not record.exc_info:
        return True
    return record.module != "io_" and not isinstance(record.exc_info[1], JsonRpcException)


def serve(server: DevlsServer) -> int:
    """Serve one client on stdin and stdout until it leaves; return the exit status the protocol asks for."""
    logging.basicConfig(
        stream=sys.stderr, level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s"
    )
    logging.getLogger("pygls").setLevel(logging.WARNING)
    for handler in logging.getLogger().handlers:
        handler.addFilter(_is_news)
    # The protocol has the two pipes to itself: whatever else writes to "standard output", be it a
    # library or a child process, must not break the stream, nor read the client's messages from it.
    messages_in = os.fdopen(os.dup(0), "rb")
    messages_out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    with open(os.devnull, "rb") as nothing:  # noqa: PTH123  a device, wanted as a file descriptor
        os.dup2(nothing.fileno(), 0)
    sys.stdout = sys.stderr
    # The analysis gives the interpreter to who has a message as soon as it is asked to; a message changes hands several times.
    sys.setswitchinterval(SWITCH_S)
    server.start_io(cast("BinaryIO", Incoming(messages_in)), messages_out)
    server.stop_analyzing()
    return 0 if server.said_goodbye else 1


def run() -> None:
    """Be a language server on stdin and stdout.

    Raises:
        SystemExit: with status 1, if the client left without saying goodbye.
    """
    # pygls would wait for the client's next message first; who presses Ctrl+C means at once.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if sys.stdin is None:
        _logger.warning("standard input is closed: no editor can be heard")
    elif sys.stdin.isatty():
        _logger.warning(
            "waiting for an editor's messages on standard input; `devls --help` says what else there is"
        )
    status = serve(create_server())
    if status:
        raise SystemExit(status)
