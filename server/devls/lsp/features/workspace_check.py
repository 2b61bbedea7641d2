"""All files of the workspace, checked when somebody asks for it; findings in those that are not open are published.

Each file is analyzed by itself, beside the engine of the open ones, and gives way to whatever else waits for the thread. The last
check stays in force until it is withdrawn: what is saved, closed or changed on disk has the files checked again that use it.
"""

from __future__ import annotations

import gc
import logging
import uuid
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from devls.analysis import Analysis, AnalysisCancelled, Analyzer, merge
from devls.files import select
from devls.lsp import convert
from devls.lsp.features import diagnostics
from devls.lsp.worker import Outcome
from devls.project.definitions import Definitions, environments
from devls.project.workspace import Workspace
from devls.syntax.notebook import SUFFIX
from devls.syntax.source import Source
from devls.text.reading import UnreadableFileError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from devls.analysis import Diagnostic
    from devls.lsp.server import DevlsServer
    from devls.syntax.notebook import NotebookSource

_logger = logging.getLogger(__name__)

CHECK, CLEAR = "devls.server.checkWorkspace", "devls.server.clearWorkspaceCheck"

TITLE = "devls: checking the workspace"


@dataclass
class WorkspaceCheck:
    """The last check of all files, and the one under way. Lives on the event loop."""

    files: dict[str, Outcome] = field(default_factory=dict)
    """Findings by path of the file whose analysis told them. The analyses have neither trees nor hovers."""
    uses: dict[str, frozenset[str]] = field(default_factory=dict)
    """The files that each analysis has read or looked for."""
    published: dict[str, types.PublishDiagnosticsParams] = field(default_factory=dict)
    """Diagnostics shown in files that are not open, by path."""
    stale: set[str] = field(default_factory=set)
    """The paths of files that are to be checked again."""
    follows: bool = False
    """Whether they are being checked."""
    runs: int = 0
    """The number of the check of all files that runs; 0 while none does."""
    news: set[str] = field(default_factory=set)
    """The paths of what has changed since it began."""
    round: int = 0
    """Grows with each check: an older one that still runs is given up."""

    @property
    def in_force(self) -> bool:
        """Whether a check has come to its end and was not withdrawn."""
        return bool(self.files)


def register(server: DevlsServer) -> None:
    """Announce the commands."""
    server.command(CHECK)(check_workspace)
    server.command(CLEAR)(clear)


# pygls evaluates the annotations of a command when arguments come, so that none may be imported for type checkers only.
async def check_workspace(ls: Any, *arguments: Any) -> dict[str, Any] | None:
    """Check all files of the workspace; the argument, if any, is the token of a progress that the client has begun.

    Returns how many files were checked and how many findings they have, or None where it was cancelled.
    """
    roots = ls.settings.roots
    if not roots:
        return None
    token = await _token(ls, arguments)
    ls.check.round += 1
    number = ls.check.runs = ls.check.round
    ls.check.news.clear()
    cancelled = ls.work_done_progress.tokens.get(token)

    def stopped() -> bool:
        return ls.check.round != number or (cancelled is not None and cancelled.cancelled())

    def report(done: int, total: int) -> None:
        if token is not None:
            told = types.WorkDoneProgressReport(
                percentage=100 * done // max(1, total), message=f"{done} of {total} files", cancellable=True
            )
            ls.work_done_progress.report(token, told)

    message = "cancelled"
    try:
        paths = await ls.worker.submit(lambda: tuple(select(roots, ls.settings.config_for).names))
        if not await _run(ls, paths, stopped, report, anew=True):
            return None
        count = sum(map(len, _merged(ls).values()))
        message = f"{len(paths)} files, {count} findings"
        return {"files": len(paths), "findings": count}
    finally:
        if ls.check.runs == number:
            ls.check.runs = 0
            changed(ls, ls.check.news)
        if token is not None:
            ls.work_done_progress.end(token, types.WorkDoneProgressEnd(message=message))
            ls.work_done_progress.tokens.pop(token, None)


async def _token(ls: DevlsServer, arguments: Sequence[Any]) -> int | str | None:
    """The progress to report to: the client's, else one of our own where the client can show it."""
    token: int | str | None = next((each for each in arguments if isinstance(each, (int, str))), None)
    window = ls.client_capabilities.window
    if token is None and window and window.work_done_progress:
        token = f"devls-{uuid.uuid4()}"
        await ls.work_done_progress.create_async(token)
    if token is not None:
        begin = types.WorkDoneProgressBegin(title=TITLE, cancellable=True, percentage=0)
        ls.work_done_progress.begin(token, begin)
    return token


def clear(ls: Any, *_arguments: Any) -> None:
    """Withdraw the last check, and give up the one that runs."""
    ls.check.round += 1
    ls.check.files, ls.check.uses = {}, {}
    for path in list(ls.check.published):
        _withdraw(ls, path)
    diagnostics.show_again(ls, {each.path for each in ls.documents})


def opened(ls: DevlsServer, path: str) -> None:
    """Leave a file to its own analysis, now that it is open."""
    _withdraw(ls, path)


def _withdraw(ls: DevlsServer, path: str) -> None:
    shown = ls.check.published.pop(path, None)
    if shown is not None:
        diagnostics.clear(ls, shown.uri)


def changed(ls: DevlsServer, paths: Iterable[str]) -> None:
    """Check the files again that use what has changed, if a check is in force."""
    check, news = ls.check, frozenset(paths)
    if check.runs:
        check.news |= news
        return
    stale = [path for path, used in check.uses.items() if path in news or used & news]
    if stale:
        _again(ls, stale)


def restarted(ls: DevlsServer) -> None:
    """Check all files again, with other settings or folders, if a check is in force."""
    if ls.check.in_force:
        _again(ls, list(ls.check.files))


def _again(ls: DevlsServer, paths: Iterable[str]) -> None:
    ls.check.stale.update(paths)
    if not ls.check.follows:  # otherwise what runs takes them, too
        ls.check.follows = True
        ls.spawn(_follow(ls))


async def _follow(ls: DevlsServer) -> None:
    """Check what is stale, as long as the same check is in force."""
    check, number = ls.check, ls.check.round
    try:
        while check.stale and check.round == number:
            paths = [path for path in check.files if path in check.stale]
            check.stale.clear()
            await _run(ls, paths, lambda: check.round != number, lambda _done, _total: None)
    finally:
        check.follows = False


async def _run(
    ls: DevlsServer,
    paths: Sequence[str],
    stopped: Callable[[], bool],
    report: Callable[[int, int], None],
    *,
    anew: bool = False,
) -> bool:
    """Check files, and show what was found; returns False if it was given up before the end."""
    round_ = _Round(ls.settings.roots, {each.path: each.snapshot.opened for each in ls.documents})
    config_for = ls.settings.config_for
    found: dict[str, Outcome] = {}
    uses: dict[str, frozenset[str]] = {}
    for done, path in enumerate(paths):
        report(done, len(paths))
        while path not in found:
            if stopped():
                return False
            try:
                found[path], uses[path] = await ls.worker.submit(
                    lambda path=path: round_.check(  # type: ignore[misc]
                        path, config_for, lambda: stopped() or ls.worker.waited_for
                    )
                )
            except AnalysisCancelled:
                continue  # somebody types, or asks: it is tried again behind them
            except Exception:
                _logger.exception("the check of %s failed", path)
                found[path], uses[path] = round_.nothing(path), frozenset((path,))
    if stopped():
        return False
    ls.check.files = found if anew else {**ls.check.files, **found}
    ls.check.uses = uses if anew else {**ls.check.uses, **uses}
    _show(ls)
    ls.worker.post(_sweep)
    return True


def _sweep() -> None:
    """Free the analyzer, with what its runs have left in cycles."""
    gc.collect()


class _Round:
    """One check's own workspace and analyzer, made in the thread that analyzes. They end with it."""

    def __init__(self, roots: Sequence[str], buffers: Mapping[str, str | NotebookSource]) -> None:
        self._roots = roots
        self._buffers = buffers
        self._workspace: Workspace | None = None
        self._analyzer: Analyzer | None = None

    def check(
        self, path: str, config_for: Callable[[str], Any], cancelled: Callable[[], bool]
    ) -> tuple[Outcome, frozenset[str]]:
        """Analyze one file."""
        if self._analyzer is None or self._workspace is None:
            self._workspace = Workspace(self._roots)
            for each, text in self._buffers.items():
                self._workspace.open(each, text)
            installed = Definitions(environments(self._workspace.roots))
            self._analyzer = Analyzer(self._workspace, config_for, hovers=False, installed=installed)
        try:
            analysis = self._analyzer.analyze(path, cancelled=cancelled)
        except UnreadableFileError:
            return self.nothing(path), frozenset((path,))
        except AnalysisCancelled:
            raise
        except Exception:
            self._analyzer = None  # whatever went wrong, what it has left may be part of it
            raise
        used = self._analyzer.used_by(path) | {path}
        return self._kept(analysis), used

    def nothing(self, path: str) -> Outcome:
        """The outcome of a file that cannot be analyzed."""
        return Outcome(Analysis(path, Source(path, "")), {})

    def _kept(self, analysis: Analysis) -> Outcome:
        """Summary of an analysis: its findings, and the texts of the files that they speak of."""
        told = (*analysis.diagnostics, *analysis.elsewhere)
        if not told:
            return self.nothing(analysis.path)
        paths = {each.path for each in told} | {near.path for each in told for near in each.related}
        paths |= {fix.path for each in told for fix in each.fixes if fix.path}
        texts = {path: self._text(path) for path in paths | {analysis.path}}
        kept = Analysis(
            analysis.path, texts[analysis.path] or analysis.source, analysis.diagnostics, analysis.elsewhere
        )
        return Outcome(kept, {path: text for path, text in texts.items() if text is not None})

    def _text(self, path: str) -> Source | None:
        if self._workspace is None:
            return None
        try:
            source = self._workspace.source(path)
        except UnreadableFileError:
            return None
        return source if path.endswith(SUFFIX) else Source(path, source.text)


def _merged(ls: DevlsServer) -> dict[str, list[Diagnostic]]:
    """Findings that the command line would print for the files of the last check, by path."""
    files = ls.check.files
    return merge([each.analysis for each in files.values()], files)


def _show(ls: DevlsServer) -> None:
    """Publish what was found in files that are not open, and show the rest in those that are."""
    check, merged = ls.check, _merged(ls)
    for path in [path for path in check.published if not merged.get(path)]:
        _withdraw(ls, path)
    sources = {path: source for each in check.files.values() for path, source in each.others.items()}
    for path, found in merged.items():
        if not found or path.endswith(SUFFIX) or ls.documents.at(path) is not None:
            continue
        told = [_told(ls, each, sources) for each in found[: diagnostics.MOST_SHOWN]]
        shown = types.PublishDiagnosticsParams(convert.uri_of(path), told)
        if check.published.get(path) != shown:
            check.published[path] = shown
            ls.text_document_publish_diagnostics(shown)
    # A finding of an unopened file that was told at a call is told in its own file from now on.
    diagnostics.show_again(ls, {each.path for each in ls.documents})


def _told(ls: DevlsServer, found: Diagnostic, sources: Mapping[str, Source]) -> types.Diagnostic:
    locate = partial(diagnostics.located, ls, sources)
    return convert.diagnostic(found, sources[found.path], 0, ls.positions, locate, sources)
