"""Names of rules and of settings, completed and explained: in comments, in pyproject.toml and in devls.toml.

A file of settings is read token by token up to the cursor, since what is being typed is rarely valid TOML.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import TYPE_CHECKING

from lsprotocol import types

from devls import rules
from devls.lsp import convert
from devls.rules.rule import RULES
from devls.settings import COMMAND_LINE_RULES, FAMILIES, LEVELS, SETTINGS
from devls.syntax.suppressions import find_suppressions
from devls.text.positions import LineIndex

if TYPE_CHECKING:
    from collections.abc import Iterator

    from devls.lsp.server import DevlsServer
    from devls.lsp.state import Document

FILES = ("pyproject.toml", "devls.toml")

_IN_COMMENT = re.compile(r"#[ \t]*devls:[ \t]*ignore(?:-file)?[ \t]*\[[^\]#]*$")
_DIRECTIVE = re.compile(r"#[ \t]*devls:[ \t]*(?P<word>[\w-]*)$")

_TOKEN = re.compile(
    r'"""(?:\\.|[^\\])*?(?:"""|$)|\'\'\'.*?(?:\'\'\'|$)|"(?:\\.|[^"\\\n])*"?|\'[^\'\n]*\'?'
    r"|#[^\n]*|[A-Za-z0-9_-]+|[\[\]{}=,.\n]",
    re.DOTALL,
)


def register(server: DevlsServer) -> None:
    """Answer requests for completion; hovers ask `told_of`."""
    options = types.CompletionOptions(trigger_characters=["[", ",", '"'], resolve_provider=False)
    server.feature(types.TEXT_DOCUMENT_COMPLETION, options)(completion)


def completion(ls: DevlsServer, params: types.CompletionParams) -> list[types.CompletionItem]:
    """The names that fit where somebody types; none in code."""
    uri, position = params.text_document.uri, params.position
    document = ls.documents.around(uri)
    if document is not None:
        return _in_comment(ls, document, document.snapshot.inside(uri, position))
    text = ls.open_settings.get(uri)
    if text is None:
        return []
    index = LineIndex(text)
    return list(_in_settings(convert.path_of(uri), text, ls.positions.offset(index, position)))


def told_of(ls: DevlsServer, uri: str, position: types.Position) -> types.Hover | None:
    """Hover of a name in a comment or in a file of settings; None if there is none at the place."""
    document = ls.documents.around(uri)
    if document is not None:
        if "devls:" not in document.snapshot.text:
            return None
        source = document.source
        offset = ls.positions.offset(source.index, document.snapshot.inside(uri, position))
        for comment in find_suppressions(source).items:
            for each in comment.names or ():
                if each.range.start <= offset <= each.range.end:
                    return _hover(each.name)
        return None
    path, text = convert.path_of(uri), ls.open_settings.get(uri)
    if text is None:
        return None
    offset = ls.positions.offset(LineIndex(text), position)
    found = place_in(text, offset)
    inside = _below(path, found.path)
    return None if inside is None else _hover(found.word, setting=len(inside) <= 1)


def _hover(name: str, *, setting: bool = False) -> types.Hover | None:
    text = _about(name)
    if text is None and setting:
        text = next(
            (f"{each.summary}\n\nExample: `{each.example}`" for each in SETTINGS if each.name == name), None
        )
    return None if text is None else types.Hover(types.MarkupContent(types.MarkupKind.Markdown, text))


def _about(name: str) -> str | None:
    rules.load()
    rule = RULES.get(name)
    if rule is not None:
        page = convert.page_of(name)
        link = f"\n\n[The page of the rule]({page})" if page else ""
        return f"**{name}** ({rule.family}, {rule.level})\n\n{rule.summary}{link}"
    held = [each.name for each in RULES.values() if each.family == name]
    return f"**{name}**: a family of {len(held)} rules" if held else None


def _names() -> Iterator[tuple[str, str]]:
    """Names that comments and settings may hold, each with a few words."""
    rules.load()
    yield from ((each, "family of rules") for each in FAMILIES)
    yield from ((each.name, each.summary) for each in RULES.values())


def _in_comment(ls: DevlsServer, document: Document, position: types.Position) -> list[types.CompletionItem]:
    index = document.source.index
    offset = ls.positions.offset(index, position)
    line = document.snapshot.text[index.line_start(position.line) : offset]
    if "devls:" not in line:
        return []
    if _IN_COMMENT.search(line):
        return [_item(name, about) for name, about in _names()]
    if _DIRECTIVE.search(line):
        return [
            _item("ignore", "for what is reported on this line"),
            _item("ignore-file", "in the whole file"),
        ]
    return []


def _item(name: str, about: str, text: str = "", *, value: bool = True) -> types.CompletionItem:
    kind = types.CompletionItemKind.EnumMember if value else types.CompletionItemKind.Property
    return types.CompletionItem(name, kind=kind, documentation=about, insert_text=text or name)


def _in_settings(path: str, text: str, offset: int) -> Iterator[types.CompletionItem]:
    place = place_in(text, offset)
    inside = _below(path, place.path)
    if inside is None:
        return
    kinds = {each.name: each.kind for each in SETTINGS}
    kind = kinds.get(inside[0], "") if inside else ""
    quote = "" if place.quoted else '"'
    if not inside and not place.is_value:
        yield from (_item(each.name, each.summary, value=False) for each in SETTINGS)
    elif kind == "levels" and not place.is_value:
        yield from (_item(name, about) for name, about in _names())
    elif kind == "levels" and len(inside) > 1:
        yield from (_item(each, "", f"{quote}{each}{quote}") for each in LEVELS)
    elif kind in ("rules", "rules-by-pattern") and place.is_value:
        yield from (_item(name, about, f"{quote}{name}{quote}") for name, about in _names())
        if kind == "rules":
            yield from (
                _item(each, "from the command line", f"{quote}{each}{quote}") for each in COMMAND_LINE_RULES
            )
    elif kind == "flag" and place.is_value:
        yield from (_item(each, "") for each in ("true", "false"))


def _below(path: str, found: tuple[str, ...]) -> tuple[str, ...] | None:
    """A path of keys, as seen from the settings of devls; None if it is about something else."""
    if PurePath(path).name == "devls.toml":
        return found
    return found[2:] if found[:2] == ("tool", "devls") else None


@dataclass
class Place:
    """Context of an offset in a TOML text."""

    path: tuple[str, ...] = ()
    """The keys that lead there; the one that is being written is not among them."""
    is_value: bool = False
    quoted: bool = False
    word: str = ""


@dataclass
class _Reader:
    """Follows tables, keys and brackets."""

    table: tuple[str, ...] = ()
    path: tuple[str, ...] = ()
    is_value: bool = False
    header: list[str] | None = None
    """The keys of a table's header that is not closed yet."""
    outer: list[tuple[str, tuple[str, ...], bool]] = field(default_factory=list)
    """The brackets around, each with the path and the state outside of it."""

    def take(self, piece: str) -> None:
        """Go over a token."""
        if piece.startswith("#"):
            return
        if piece == "\n":
            if not self.outer:
                self.path, self.is_value, self.header = (), False, None
        elif self.header is not None:
            self._in_header(piece)
        elif piece in "[{":
            self._opened(piece)
        elif piece in "]}":
            if self.outer:
                _, self.path, self.is_value = self.outer.pop()
        elif piece == ",":
            if self.outer and self.outer[-1][0] == "{":
                self.path, self.is_value = self.outer[-1][1], False
        elif piece == "=":
            self.is_value = True
        elif not self.is_value and piece != ".":
            self.path = (*self.path, _bare(piece))

    def _opened(self, piece: str) -> None:
        if not self.is_value and not self.outer:
            self.header = []
            return
        self.outer.append((piece, self.path, self.is_value))
        self.is_value = piece == "["

    def _in_header(self, piece: str) -> None:
        if self.header is None or piece in "[.":
            return
        if piece == "]":
            self.table = tuple(self.header)
        else:
            self.header.append(_bare(piece))


def _bare(piece: str) -> str:
    return piece.strip("\"'")


def place_in(text: str, offset: int) -> Place:
    """Context of an offset in a TOML text, be it half typed."""
    reader = _Reader()
    for found in _TOKEN.finditer(text):
        piece = found[0]
        inside = found.start() < offset <= found.end() and piece not in "[]{}=,.\n"
        if (
            inside
            and piece[0] in "\"'"
            and offset == found.end()
            and len(piece) > 1
            and piece[-1] == piece[0]
        ):
            inside = False  # behind the closing quote
        if inside:
            quoted = piece[0] in "\"'"
            return Place((*reader.table, *reader.path), reader.is_value, quoted, _bare(piece))
        if found.end() > offset:
            break
        reader.take(piece)
    return Place((*reader.table, *reader.path), reader.is_value)
