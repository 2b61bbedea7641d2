"""Repairs: the fixes a finding carries, a comment that silences it, all safe fixes at once."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from devls.lsp import convert
from devls.lsp.features import diagnostics
from devls.lsp.features.commands import ASK_TORCH
from devls.project.workspace import Workspace
from devls.text.edits import Applicability
from devls.text.reading import UnreadableFileError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from devls.lsp.server import DevlsServer
    from devls.lsp.state import Document, Placed

_logger = logging.getLogger(__name__)

FIX_ALL = f"{types.CodeActionKind.SourceFixAll.value}.{convert.SOURCE_NAME}"

NOTEBOOK_FIX_ALL = f"notebook.{FIX_ALL}"
"""Editors apply the other one to each cell by itself, one after the other; edits of one change the places of the next."""

EXPLAIN = "devls.server.explain"
"""The command that tells the story of a finding."""

PATIENCE = 1.0
"""Seconds that fixing everything, usually asked for by a save, waits for the findings in the text as it is now."""


def register(server: DevlsServer) -> None:
    """Offer repairs."""
    options = types.CodeActionOptions(
        code_action_kinds=[types.CodeActionKind.QuickFix, FIX_ALL, NOTEBOOK_FIX_ALL]
    )
    server.feature(types.TEXT_DOCUMENT_CODE_ACTION, options)(code_actions)


async def code_actions(ls: DevlsServer, params: types.CodeActionParams) -> list[types.CodeAction]:
    """Quick fixes from the data of the diagnostics in the request: no analysis, no waiting."""
    uri = params.text_document.uri
    document = ls.documents.around(uri)
    if document is None:
        return []
    only = params.context.only
    actions: list[types.CodeAction] = []
    if _wanted(types.CodeActionKind.QuickFix.value, only):
        for found in params.context.diagnostics:
            actions += _quick_fixes(ls, document, uri, found)
        actions = _each_once(actions)
    kind = NOTEBOOK_FIX_ALL if document.snapshot.is_notebook else FIX_ALL
    if only is not None and _wanted(kind, only):
        await ls.scheduler.current(document, PATIENCE)
        actions += _fix_all(ls, document, kind)
    return actions


def _each_once(actions: list[types.CodeAction]) -> list[types.CodeAction]:
    """The same actions, those with the same edit in one, which is for the findings of all of them."""
    kept: list[types.CodeAction] = []
    for each in actions:
        same = next((other for other in kept if each.edit is not None and other.edit == each.edit), None)
        if same is None:
            kept.append(each)
        else:
            new = [found for found in each.diagnostics or () if found not in (same.diagnostics or ())]
            same.diagnostics = [*(same.diagnostics or ()), *new]
            same.is_preferred = same.is_preferred or each.is_preferred
    return kept


def _wanted(kind: str, only: Sequence[types.CodeActionKind | str] | None) -> bool:
    """Whether a kind, or one it is a sort of, is asked for."""
    asked = [each.value if isinstance(each, types.CodeActionKind) else each for each in only or ()]
    return only is None or any(kind == each or kind.startswith(each + ".") or not each for each in asked)


def _quick_fixes(
    ls: DevlsServer, document: Document, uri: str, found: types.Diagnostic
) -> Iterator[types.CodeAction]:
    data: Any = found.data
    if found.source != convert.SOURCE_NAME or not isinstance(data, dict):
        return
    if data.get("version") != document.snapshot.version:
        return  # its positions are those of another text; the findings of this one are on their way
    preferred = True
    for fix in data.get("fixes", ()):
        edit = edit_of(ls, document, fix)
        if edit is not None and convert.offered(fix):
            yield types.CodeAction(
                title=fix["title"],
                kind=types.CodeActionKind.QuickFix,
                diagnostics=[found],
                is_preferred=preferred,
                edit=edit,
            )
            preferred = False
    yield from _fix_rule(ls, document, found, data)
    offset = data.get("offset")
    if isinstance(offset, int) and ls.settings.asks_torch(document.path) and not ls.torch.absent:
        arguments: list[Any] = [document.uri, data.get("rule"), offset]
        yield types.CodeAction(
            title="Ask torch",
            kind=types.CodeActionKind.QuickFix,
            diagnostics=[found],
            command=types.Command(title="Ask torch", command=ASK_TORCH, arguments=arguments),
        )
    if ls.has_pages or convert.page_of(str(found.code)):
        place = found.range.start
        yield types.CodeAction(
            title=f"devls: explain {found.code}",
            kind=types.CodeActionKind.QuickFix,
            diagnostics=[found],
            command=types.Command(
                title="Explain", command=EXPLAIN, arguments=[uri, found.code, place.line, place.character]
            ),
        )
    yield from _disable(ls, document, uri, found, data.get("rule"))


def _fix_rule(
    ls: DevlsServer, document: Document, found: types.Diagnostic, data: dict[str, Any]
) -> Iterator[types.CodeAction]:
    """All safe fixes of one rule in the file, if that is more than one."""
    if document.snapshot.is_notebook or not _is_safe(data) or not document.current:
        return
    same = [
        each
        for each in diagnostics.diagnostics_of(ls, document)
        if each.code == found.code and _is_safe(each.data or {})
    ]
    edits = _compatible(same) if len(same) > 1 else []
    made = _workspace_edit(ls, document, edits) if edits else None
    if made is not None:
        yield types.CodeAction(
            title=f"devls: fix all {found.code} in this file",
            kind=types.CodeActionKind.QuickFix,
            diagnostics=[found],
            edit=made,
        )


def _is_safe(data: dict[str, Any]) -> bool:
    """Whether the preferred fix of a finding is safe, and in its own file."""
    return any(
        fix["applicability"] == Applicability.SAFE.value and "path" not in fix
        for fix in data.get("fixes", ())[:1]
    )


def _disable(
    ls: DevlsServer, document: Document, uri: str, found: types.Diagnostic, rule: Any
) -> Iterator[types.CodeAction]:
    from devls.syntax.suppressions import disable_edit, disable_file_edit  # noqa: PLC0415  needed by few requests

    if not isinstance(rule, str):
        return
    source = document.source
    try:
        line = document.snapshot.inside(uri, found.range.start).line
        made = [("line", disable_edit(source, line, rule))]
        if not document.snapshot.is_notebook:
            made.append(("file", disable_file_edit(source, rule)))
    except Exception:
        _logger.exception("cannot disable %s in %s", rule, document.path)
        return
    for where, edit in made:
        if not edit.text:
            continue  # a comment silences it already, and its findings are about to go
        changed = _workspace_edit(ls, document, [ls.positions.text_edit(source.index, edit)])
        if changed is not None:
            yield types.CodeAction(
                title=f"devls: disable {rule} for this {where}",
                kind=types.CodeActionKind.QuickFix,
                diagnostics=[found],
                edit=changed,
            )


def _fix_all(ls: DevlsServer, document: Document, kind: str) -> Iterator[types.CodeAction]:
    found = diagnostics.diagnostics_of(ls, document) if document.current else ()
    edits = _compatible(found, lambda edits: document.snapshot.placed(document.uri, edits) is not None)
    if edits:
        yield types.CodeAction(
            title="devls: fix all that is safe to fix",
            kind=kind,
            edit=_workspace_edit(ls, document, edits),
        )


def _compatible(
    found: Iterable[types.Diagnostic],
    can_be_made: Callable[[list[types.TextEdit]], bool] = lambda _edits: True,
) -> list[types.TextEdit]:
    """The edits of the preferred fixes that are safe; of fixes that overlap, the first only."""
    taken: list[types.TextEdit] = []
    for each in found:
        preferred = (each.data or {}).get("fixes", ())[:1]
        for fix in preferred:
            if fix["applicability"] != Applicability.SAFE.value or "path" in fix:
                continue
            new = [edit for edit in convert.edits_from(fix) if edit not in taken]
            overlaps = any(_overlap(edit, other) for edit in new for other in taken)
            if not overlaps and can_be_made(new):
                taken += new
    return taken


def _overlap(one: types.TextEdit, other: types.TextEdit) -> bool:
    # Two insertions at one place count too: nobody could say which comes first.
    if one.range.start == other.range.start:
        return True
    first, second = sorted((one.range, other.range), key=lambda each: (each.start.line, each.start.character))
    return second.start < first.end


def edit_of(ls: DevlsServer, document: Document, fix: dict[str, Any]) -> types.WorkspaceEdit | None:
    """The edit of a fix; None for one of another file whose text is no longer the one that its places are those of."""
    path = fix.get("path")
    edits = convert.edits_from(fix)
    if path is None:
        return _workspace_edit(ls, document, edits)
    other = ls.documents.at(path)
    if other is not None:
        same = convert.fingerprint(other.snapshot.text) == fix.get("seen")
        return _workspace_edit(ls, other, edits) if same else None
    try:
        text = Workspace().source(path).text
    except UnreadableFileError:
        return None
    if convert.fingerprint(text) != fix.get("seen"):
        return None
    return _stated(ls, [(types.OptionalVersionedTextDocumentIdentifier(convert.uri_of(path)), edits)])


def _workspace_edit(
    ls: DevlsServer, document: Document, edits: Sequence[types.TextEdit]
) -> types.WorkspaceEdit | None:
    placed = document.snapshot.placed(document.uri, edits)
    return None if placed is None else _stated(ls, placed)


def _stated(ls: DevlsServer, placed: Placed) -> types.WorkspaceEdit:
    workspace = ls.client_capabilities.workspace
    able = workspace and workspace.workspace_edit and workspace.workspace_edit.document_changes
    if not able:
        return types.WorkspaceEdit(changes={each.uri: list(own) for each, own in placed})
    return types.WorkspaceEdit(
        document_changes=[types.TextDocumentEdit(each, list(own)) for each, own in placed]
    )
