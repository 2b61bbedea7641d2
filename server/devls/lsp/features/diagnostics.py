"""Findings, pushed to clients that do not ask and handed to those that do."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from lsprotocol import types

from devls.analysis import CALL, Related, Severity
from devls.lsp import convert
from devls.lsp.features import inlay_hints
from devls.text.reading import MAX_FILE_BYTES, UnreadableFileError, read

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from devls.analysis import Diagnostic
    from devls.config import ConfigProblem
    from devls.lsp.server import DevlsServer
    from devls.lsp.state import Document
    from devls.lsp.worker import Outcome
    from devls.syntax.source import Source
    from devls.text.edits import Fix, Range


MOST_SHOWN = 1_000
"""Diagnostics of one file, which is as many as VS Code takes. Nobody reads more, and each takes time to word and to send."""


def register(server: DevlsServer) -> None:
    """Nothing yet: whether to answer requests is decided when the client has said what it can."""
    del server


def choose(ls: DevlsServer, client: types.ClientCapabilities) -> None:
    """Hand out findings on request if the client can ask for them; push them otherwise."""
    ls.pull = bool(client.text_document and client.text_document.diagnostic)
    if ls.pull:
        options = types.DiagnosticOptions(
            inter_file_dependencies=True, workspace_diagnostics=False, identifier=convert.SOURCE_NAME
        )
        ls.feature(types.TEXT_DOCUMENT_DIAGNOSTIC, options)(pulled)
        # An answer that is not whole has to be followed by another one.
        ls.scheduler.in_parts = _can_be_told_to_ask(client)


async def pulled(
    ls: DevlsServer, params: types.DocumentDiagnosticParams
) -> types.RelatedFullDocumentDiagnosticReport:
    """Answer with the findings of the newest text, however many changes come while we wait for them."""
    document = ls.documents.get(params.text_document.uri)
    if document is None or document.snapshot.is_notebook:
        return types.RelatedFullDocumentDiagnosticReport(items=[])
    await ls.scheduler.settle(document)
    return types.RelatedFullDocumentDiagnosticReport(
        items=[] if document.closed else list(diagnostics_of(ls, document))
    )


def refreshed(ls: DevlsServer, document: Document, before: Outcome | None, *, again: bool) -> None:
    """Show what an analysis found: in its document, and in others that it has findings in.

    `again`: the client has had an answer for the same text, which was not whole.
    """
    new = _own(before) != _own(document.outcome)
    if _is_pushed(ls, document):
        if new or not again:
            _publish(ls, document)
    elif new and (document.follows or again):
        ask_again(ls)
    document.follows = False
    inlay_hints.ask_again(ls, document)
    show_problems(ls, document)
    old = before.analysis.elsewhere if before else ()
    now = document.outcome.analysis.elsewhere if document.outcome else ()
    show_again(ls, {each.path for each in set(old) ^ set(now)})


def show_problems(ls: DevlsServer, document: Document) -> None:
    """Show what is wrong with the settings of a document's project, in the files in which they stand."""
    config = ls.settings.config_for(document.path)
    found: dict[str, list[ConfigProblem]] = {config.file: []} if config.file else {}
    for each in config.problems:
        if each.file.endswith(".toml"):
            found.setdefault(each.file, []).append(each)
    gone = [path for path in ls.problems_shown if path not in found and not Path(path).is_file()]
    found.update((path, []) for path in gone)
    for path, problems in found.items():
        if ls.problems_shown.get(path, []) != problems:
            ls.problems_shown[path] = problems
            told = [convert.config_problem(each, _text(path), ls.positions) for each in problems]
            ls.text_document_publish_diagnostics(
                types.PublishDiagnosticsParams(ls.documents.uri_of(path), told)
            )


def _text(path: str) -> str:
    try:
        return read(path, MAX_FILE_BYTES).decode("utf-8", "replace")
    except UnreadableFileError:
        return ""


def _own(outcome: Outcome | None) -> tuple[Diagnostic, ...]:
    return outcome.analysis.diagnostics if outcome and outcome.shown else ()


def withdraw(ls: DevlsServer, document: Document) -> None:
    """Take back what a closed document showed, in itself and in others."""
    if _is_pushed(ls, document):
        for uri in document.snapshot.uris(document.uri):
            clear(ls, uri)
    if document.outcome:
        show_again(ls, {each.path for each in document.outcome.analysis.elsewhere})


def clear(ls: DevlsServer, uri: str) -> None:
    """Take back what was pushed to one of the client's documents."""
    ls.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))


def _is_pushed(ls: DevlsServer, document: Document) -> bool:
    # Whoever asks does so cell by cell, and not for those out of sight, when one of them has changed.
    return not ls.pull or document.snapshot.is_notebook


def ask_again(ls: DevlsServer) -> None:
    """Have a client that asks for findings ask anew, because of something other than its own change."""
    if ls.pull and _can_be_told_to_ask(ls.client_capabilities):
        ls.workspace_diagnostic_refresh(None)


def _can_be_told_to_ask(client: types.ClientCapabilities) -> bool:
    workspace = client.workspace
    return bool(workspace and workspace.diagnostics and workspace.diagnostics.refresh_support)


def contributors(ls: DevlsServer, document: Document) -> list[Document]:
    """The other open documents whose analysis found something in this one."""
    return [
        other
        for other in ls.documents
        if other is not document
        and other.outcome
        and any(each.path == document.path for each in other.outcome.analysis.elsewhere)
    ]


def diagnostics_of(ls: DevlsServer, document: Document) -> Iterator[types.Diagnostic]:
    """The findings in a document's text as it is now, from its own analysis and those of others, each once."""
    shown, places = most_grave(shown_in(ls, document))
    for found, outcome in shown:
        made = convert.diagnostic(
            found,
            document.source,
            document.snapshot.version,
            ls.positions,
            partial(_location, ls, outcome),
            {**outcome.others, outcome.analysis.path: outcome.analysis.source},
        )
        if found.path != document.path:
            made.data = {**(made.data or {}), "rule": None}  # a comment here would not silence it
        yield made
    if places:
        yield types.Diagnostic(
            range=ls.positions.range(document.source.index, places[0]),
            message=f"{len(places)} more findings in this file are not shown",
            severity=types.DiagnosticSeverity.Information,
            source=convert.SOURCE_NAME,
        )


def shown_in(ls: DevlsServer, document: Document) -> list[tuple[Diagnostic, Outcome]]:
    """The findings in a document's text as it is now, each with the analysis that made it."""
    told: dict[object, tuple[Diagnostic, Outcome]] = {}
    for found, outcome in _findings(ls, document):
        key = found.rule, found.range
        if key not in told or found.is_graver_than(told[key][0]):
            told[key] = found, outcome
    for found, outcome in _of_unopened(ls, document):
        told[found.rule, found.range, found.message] = found, outcome
    return list(told.values())


def most_grave(
    found: list[tuple[Diagnostic, Outcome]],
) -> tuple[list[tuple[Diagnostic, Outcome]], list[Range]]:
    """The gravest findings of a file, as many as are shown, in their order; and the places of the others."""
    if len(found) <= MOST_SHOWN:
        return found, []
    levels = list(Severity)
    by_level = sorted(range(len(found)), key=lambda number: levels.index(found[number][0].severity))
    # One place is for saying that there are more.
    kept = set(by_level[: MOST_SHOWN - 1])
    shown = [each for number, each in enumerate(found) if number in kept]
    return shown, [each.range for number, (each, _) in enumerate(found) if number not in kept]


def _findings(ls: DevlsServer, document: Document) -> Iterator[tuple[Diagnostic, Outcome]]:
    if document.current and not document.current.shown:
        return
    if document.current:
        for found in document.current.analysis.diagnostics:
            yield found, document.current
    text = document.snapshot.text
    for outcome in _of_others(ls, document):
        seen = outcome.others[document.path].text
        here = (each for each in outcome.analysis.elsewhere if each.path == document.path)
        for found in islice(here, MOST_SHOWN):
            if seen == text:
                yield found, outcome
            elif (place := convert.moved(found.range, seen, text)) is not None:
                # Until the other document is analysed again, the finding moves along with its
                # code; its fixes, which stand in several places, are not worth the same effort.
                yield replace(found, range=place, fixes=()), outcome


def _of_others(ls: DevlsServer, document: Document) -> Iterator[Outcome]:
    """The analyses of other files that found something in this one: of open ones, and of those of the last check."""
    told = [each.outcome for each in contributors(ls, document) if each.outcome]
    opened = {each.path for each in ls.documents}
    told += [outcome for path, outcome in ls.check.files.items() if path not in opened]
    for outcome in told:
        if document.path in outcome.others and any(
            each.path == document.path for each in outcome.analysis.elsewhere
        ):
            yield outcome


def called_from(ls: DevlsServer, path: str) -> None:
    """Show anew what other documents tell of the file at a path, which is open from now on, or is no more."""
    users = [
        each
        for each in ls.documents
        if each.outcome and any(found.path == path for found in each.outcome.analysis.elsewhere)
    ]
    for each in users:
        if _is_pushed(ls, each):
            _publish(ls, each)
    if any(not _is_pushed(ls, each) for each in users):
        ask_again(ls)


def _of_unopened(ls: DevlsServer, document: Document) -> Iterator[tuple[Diagnostic, Outcome]]:
    """Findings in files that nobody has open, at the call in this document that leads there, or at their cause in it."""
    outcome = document.current
    if outcome is None:
        return
    for found in islice(outcome.analysis.elsewhere, MOST_SHOWN):
        source = outcome.others.get(found.path)
        here = [each for each in found.related if each.path == document.path]
        if not here or source is None or ls.documents.at(found.path) or not ls.settings.shows(found.path):
            continue
        if found.path in ls.check.files:
            continue  # the last check tells it where it is
        # Calls come last, the innermost first.
        near = next((each for each in here if each.message == CALL), here[-1])
        line = source.index.position(found.range.start)[0] + 1
        name = PurePath(found.path).name
        yield (
            replace(
                found,
                message=f"{name}, line {line}: {found.message}",
                range=near.range,
                related=(
                    Related(found.path, found.range, f"{name}, line {line}"),
                    *(each for each in found.related if each is not near),
                ),
                fixes=tuple(_seen_from(document, found.path, each) for each in found.fixes),
                question=None,
            ),
            outcome,
        )


def _seen_from(document: Document, path: str, fix: Fix) -> Fix:
    """A fix of a finding in the file at a path, for one who has the document open."""
    edited = fix.path or path
    return replace(fix, path="" if edited == document.path else edited)


def _location(ls: DevlsServer, outcome: Outcome, near: Related) -> types.Location | None:
    return located(ls, {**outcome.others, outcome.analysis.path: outcome.analysis.source}, near)


def located(ls: DevlsServer, sources: Mapping[str, Source], near: Related) -> types.Location | None:
    """The client's location of a related place; None if its file is not among the sources."""
    source = sources.get(near.path)
    if source is None:
        return None
    return ls.documents.location(near.path, ls.positions.range(source.index, near.range))


def _publish(ls: DevlsServer, document: Document) -> None:
    if document.analyzed is document.snapshot:
        notebook = ls.notebooks.get(document.uri)
        for shown in document.snapshot.shown(document.uri, diagnostics_of(ls, document)):
            if notebook is None or notebook.is_news(shown):
                ls.text_document_publish_diagnostics(shown)


def show_again(ls: DevlsServer, paths: set[str]) -> None:
    """Show anew what is found in the files at these paths, if they are open."""
    shown = [each for each in ls.documents if each.path in paths]
    if ls.pull and shown:
        ask_again(ls)
    elif not ls.pull:
        for document in shown:
            _publish(ls, document)
