"""State of each open document in the server."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from lsprotocol import types

from devls.lsp import convert
from devls.syntax.source import Source

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Iterable, Iterator, Sequence
    from typing import TypeAlias

    from devls.lsp.worker import Outcome
    from devls.syntax.notebook import NotebookSource

    Placed: TypeAlias = Sequence[
        tuple[types.OptionalVersionedTextDocumentIdentifier, Sequence[types.TextEdit]]
    ]
    """Edits, by the documents of the client in which they are made."""


@dataclass(frozen=True)
class Snapshot:
    """One version of a document's text, and how its places are told to the client.

    One URI may stand for several documents of the client: see `notebooks`.
    """

    path: str
    version: int
    text: str

    is_notebook: ClassVar[bool] = False

    @property
    def opened(self) -> str | NotebookSource:
        """Text that the engine analyzes."""
        return self.text

    @cached_property
    def source(self) -> Source:
        """The text as the syntax layer takes it; nothing is parsed before somebody asks."""
        return Source(self.path, self.text)

    def inside(self, uri: str, position: types.Position) -> types.Position:
        """Position in the program of a position in one of the client's documents."""
        del uri
        return position

    def located(self, uri: str, found: types.Range) -> types.Location:
        """The client's location of a range."""
        return types.Location(uri, found)

    def shown(self, uri: str, found: Iterable[types.Diagnostic]) -> Iterable[types.PublishDiagnosticsParams]:
        """Diagnostics that the client is to show."""
        return [types.PublishDiagnosticsParams(uri=uri, version=self.version, diagnostics=list(found))]

    def uris(self, uri: str) -> list[str]:
        """The client's documents in which there may be findings."""
        return [uri]

    def placed(self, uri: str, edits: Iterable[types.TextEdit]) -> Placed | None:
        """Which edits the client has to make, so that these are made; None where it cannot."""
        return [(types.OptionalVersionedTextDocumentIdentifier(uri, self.version), list(edits))]


@dataclass(eq=False)
class Document:
    """An open document, and how far its analysis has come. Touched on the event loop only."""

    uri: str
    snapshot: Snapshot
    generation: int = 0
    """Grows with whatever asks for another analysis: a change here, in a file it uses, of the settings."""
    invalidated: float = 0.0
    """When that was last, on the event loop's clock."""
    slow: bool = False
    """Whether somebody has waited for its analysis in vain, or it took long, the last time."""
    settled: int = -1
    """The generation of the last analysis that came to an end, good or bad."""
    analyzed: Snapshot | None = None
    """The version that `outcome` is about."""
    outcome: Outcome | None = None
    """None where the analysis failed."""
    due: float | None = None
    """When to analyse, on the event loop's clock; None while there is nothing to do."""
    answered: bool = False
    """Whether the client has had an answer to its last change that was not whole; the rest is planned."""
    rests_since: float | None = None
    """Since when, on the event loop's clock, the client has had answers that were not whole."""
    given_up: int = 0
    """Times in a row that its analysis was given up."""
    hints_wanted: bool = False
    """Whether the client has asked for hints that were not there yet."""
    closed: bool = False
    follows: bool = False
    """Whether its next analysis is one that the client has not asked for: because of a change in another document."""
    followed: bool = False
    """Whether somebody waits for the engine to take a change in, to look at the documents that use this one."""
    waiting: set[asyncio.Future[None]] = field(default_factory=set)

    @property
    def path(self) -> str:
        """Path by which the engine knows the document."""
        return self.snapshot.path

    @property
    def is_settled(self) -> bool:
        """Whether nothing has happened since the last analysis that it does not know of."""
        return self.settled == self.generation

    @property
    def current(self) -> Outcome | None:
        """The outcome, if it is about the text as it is now."""
        return self.outcome if self.analyzed is self.snapshot else None

    @property
    def state(self) -> str:
        """How far the analysis is, in words."""
        if not self.is_settled:
            return "waiting for its analysis"
        if self.outcome is None:
            return "could not be analyzed"
        return f"{len(self.outcome.analysis.diagnostics)} diagnostics"

    @property
    def source(self) -> Source:
        """The text as it is now; the analysis's own source where possible, which is parsed already."""
        return self.current.analysis.source if self.current else self.snapshot.source

    def wake(self) -> None:
        """Tell those who wait that something came of it."""
        for waiter in self.waiting:
            if not waiter.done():
                waiter.set_result(None)


class Documents:
    """The open documents, by URI as the client writes it and by path."""

    def __init__(self) -> None:
        self._by_uri: dict[str, Document] = {}
        self.holders: dict[str, str] = {}
        """From the URI of each cell to that of its notebook."""

    def __iter__(self) -> Iterator[Document]:
        # A copy: documents come and go while somebody looks through them.
        return iter(tuple(self._by_uri.values()))

    def open(self, uri: str, version: int, text: str) -> Document:
        """Take a document in; one already open under this URI is replaced."""
        return self.take_in(uri, Snapshot(convert.path_of(uri), version, text))

    def take_in(self, uri: str, snapshot: Snapshot) -> Document:
        """Take a document in as it is."""
        self.close(uri)
        document = self._by_uri[uri] = Document(uri, snapshot)
        return document

    def close(self, uri: str) -> Document | None:
        """Forget a document; those who wait for it are told."""
        document = self._by_uri.pop(uri, None)
        if document:
            document.closed = True
            document.wake()
        return document

    def get(self, uri: str) -> Document | None:
        """The document with this URI, if it is open."""
        return self._by_uri.get(uri)

    def around(self, uri: str) -> Document | None:
        """The document with this URI, or with this cell."""
        return self._by_uri.get(uri) or self._by_uri.get(self.holders.get(uri, ""))

    def at(self, path: str) -> Document | None:
        """The document with this path, if it is open."""
        return next((each for each in self._by_uri.values() if each.path == path), None)

    def uri_of(self, path: str) -> str:
        """The URI of a path, in the client's own spelling where it is open."""
        document = self.at(path)
        return document.uri if document else convert.uri_of(path)

    def location(self, path: str, found: types.Range) -> types.Location:
        """The client's location of a range in a file."""
        document = self.at(path)
        if document is None:
            return types.Location(convert.uri_of(path), found)
        return document.snapshot.located(document.uri, found)
