"""The story of a finding and the map of gradients, for clients that show pages; the page of a rule for all others."""

from __future__ import annotations

import ast
import difflib
import logging
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from devls import gradients
from devls.analysis import CALL, Analyzer
from devls.lsp import convert
from devls.lsp.features import code_actions, diagnostics
from devls.project.workspace import Workspace
from devls.rules.rule import RULES
from devls.text.edits import Applicability, apply_edits

if TYPE_CHECKING:
    from collections.abc import Iterator

    from devls.analysis import Diagnostic, Related
    from devls.lsp.server import DevlsServer
    from devls.lsp.state import Document
    from devls.lsp.worker import Outcome
    from devls.syntax.source import Source
    from devls.text.edits import Fix

_logger = logging.getLogger(__name__)

EXPLAIN, MEND, GRADIENTS = code_actions.EXPLAIN, "devls.server.mend", "devls.server.gradients"

PATIENCE = 10.0
"""Seconds that somebody who has asked for a page waits for the analysis."""

AROUND = 2
"""Lines shown around a change."""


def register(server: DevlsServer) -> None:
    """Announce the commands, and the lenses that lead to one of them."""
    server.command(EXPLAIN)(explain)
    server.command(MEND)(mend)
    server.command(GRADIENTS)(show_gradients)
    server.feature(types.TEXT_DOCUMENT_CODE_LENS, types.CodeLensOptions())(lenses)


# pygls evaluates the annotations of a command when arguments come, so that none may be imported for type checkers only.
async def explain(ls: Any, *arguments: Any) -> dict[str, Any] | None:
    """Tell the story of a finding: the document's URI, the rule, and the line and character where it begins."""
    asked = await _asked(ls, arguments)
    if asked is None:
        return None
    document, found, outcome = asked
    if not ls.has_pages:
        await _show_page(ls, found.rule)
        return None
    sources = {**outcome.others, outcome.analysis.path: outcome.analysis.source}
    calls = [each for each in reversed(found.related) if each.message == CALL]
    steps = [*(each for each in found.related if each.message != CALL), *calls]
    rule = RULES.get(found.rule)
    return {
        "arguments": list(arguments),
        "rule": found.rule,
        "level": found.severity.value,
        "message": found.message,
        "steps": [step for each in steps if (step := _step(ls, sources, each)) is not None],
        "fixes": [
            _fix(sources[each.path or document.path], document.path, each)
            for each in found.fixes
            if (each.path or document.path) in sources
        ],
        "page": rule.page if rule else "",
        "torch": bool(found.question and found.question.code) and ls.settings.asks_torch(document.path),
        "offset": found.range.start,
    }


async def mend(ls: Any, *arguments: Any) -> bool:
    """Apply a fix of a finding: what `explain` takes, and the number of the fix."""
    asked = await _asked(ls, arguments[:4])
    if asked is None or len(arguments) != 5:
        return False
    document = asked[0]
    place = types.Position(*arguments[2:4])
    for each in _told(ls, document):
        if each.code == arguments[1] and each.range.start == place:
            fixes = (each.data or {}).get("fixes", ())
            edit = (
                code_actions.edit_of(ls, document, fixes[arguments[4]]) if len(fixes) > arguments[4] else None
            )
            if edit is not None:
                await ls.workspace_apply_edit_async(types.ApplyWorkspaceEditParams(edit))
                return True
    return False


async def show_gradients(ls: Any, *arguments: Any) -> dict[str, Any] | None:
    """Draw which losses of a document give gradients to which modules."""
    document = ls.documents.around(arguments[0]) if arguments else None
    if document is None:
        return None
    path, opened = document.path, document.snapshot.opened
    roots = ls.settings.roots or (str(Path(path).parent),)

    def draw() -> str:
        workspace = Workspace(roots)
        workspace.open(path, opened)
        tables, analysis = gradients.tables_of(path, _analyzer, RULES, workspace)
        return gradients.as_svg(tables.within(analysis.source, ""))

    try:
        drawing = await ls.worker.submit(draw)
    except Exception:
        _logger.exception("no map of %s", path)
        drawing = ""
    return {"title": PurePath(path).name, "drawing": drawing}


def lenses(ls: Any, params: types.CodeLensParams) -> list[types.CodeLens]:
    """Above each `backward`, the way to the map; where the client shows pages, and is not told to leave it."""
    uri = params.text_document.uri
    document = ls.documents.around(uri)
    if document is None or not ls.has_pages or ls.settings.of(document.path).get("codeLens") is False:
        return []
    if ".backward(" not in document.snapshot.text:
        return []
    source = document.source
    command = types.Command(title="where gradients flow", command=GRADIENTS, arguments=[uri])
    found = []
    for node in ast.walk(source.tree):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "backward"
        ):
            place = document.snapshot.located(
                document.uri, ls.positions.range(source.index, source.range(node))
            )
            if place.uri == uri:
                found.append(types.CodeLens(place.range, command))
    return found


def _analyzer(workspace: Workspace, config_for: Any) -> Analyzer:
    return Analyzer(workspace, config_for, hovers=False)


async def _asked(ls: DevlsServer, arguments: Any) -> tuple[Document, Diagnostic, Outcome] | None:
    """The finding that the arguments of a command name."""
    try:
        uri, rule, line, character = arguments
        document = ls.documents.around(uri)
        place = types.Position(line, character)
    except (TypeError, ValueError):
        return None
    if document is None:
        return None
    await ls.scheduler.current(document, PATIENCE)
    for found, outcome in diagnostics.shown_in(ls, document):
        at = ls.positions.range(document.source.index, found.range)
        if found.rule == rule and document.snapshot.located(document.uri, at).range.start == place:
            return document, found, outcome
    return None


def _told(ls: DevlsServer, document: Document) -> Iterator[types.Diagnostic]:
    for each in diagnostics.diagnostics_of(ls, document):
        each.range = document.snapshot.located(document.uri, each.range).range
        yield each


async def _show_page(ls: DevlsServer, rule: str) -> None:
    """Open the page of a rule in an editor that shows none itself."""
    uri = convert.page_of(rule)
    window = ls.client_capabilities.window
    if uri and window and window.show_document and window.show_document.support:
        await ls.window_show_document_async(types.ShowDocumentParams(uri, take_focus=True))


def _step(ls: DevlsServer, sources: dict[str, Source], each: Related) -> dict[str, Any] | None:
    source = sources.get(each.path)
    if source is None:
        return None
    place = ls.documents.location(each.path, ls.positions.range(source.index, each.range))
    line = source.index.position(each.range.start)[0]
    return {
        "uri": place.uri,
        "line": place.range.start.line,
        "character": place.range.start.character,
        "place": f"{PurePath(each.path).name}:{place.range.start.line + 1}",
        "code": source.index.line_text(line).strip(),
        "message": each.message,
    }


def _fix(source: Source, path: str, fix: Fix) -> dict[str, Any]:
    """A fix with the lines that it takes away and adds."""
    diff: list[str] = []
    if fix.edits:
        after = apply_edits(source.text, fix.edits)
        compared = difflib.unified_diff(source.text.splitlines(), after.splitlines(), n=AROUND, lineterm="")
        diff = [each for each in compared if not each.startswith(("---", "+++"))]
    return {
        "title": fix.title,
        "file": PurePath(fix.path).name if fix.path and fix.path != path else "",
        "safe": fix.applicability is Applicability.SAFE,
        "offered": fix.applicability is not Applicability.DISPLAY,
        "diff": diff,
    }
