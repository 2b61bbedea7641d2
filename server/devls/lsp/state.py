"""What the server knows of each open document."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from devls.lsp import convert
from devls.syntax.source import Source

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Iterator

    from devls.lsp.worker import Outcome


@dataclass(frozen=True)
class Snapshot:
    """One version of a document's text."""

    path: str
    version: int
    text: str

    @cached_property
    def source(self) -> Source:
        """The text as the syntax layer takes it; nothing is parsed before somebody asks."""
        return Source(self.path, self.text)


@dataclass(eq=False)
class Document:
    """An open document, and how far its analysis has come. Touched on the event loop only."""

    uri: str
    snapshot: Snapshot
    generation: int = 0
    """Grows with whatever asks for another analysis: a change here, in a file it uses, of the settings."""
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
    closed: bool = False
    follows: bool = False
    """Whether its next analysis is one that the client has not asked for: because of a change in another document."""
    waiting: set[asyncio.Future[None]] = field(default_factory=set)

    @property
    def path(self) -> str:
        """What the engine knows the document by."""
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

    def __iter__(self) -> Iterator[Document]:
        # A copy: documents come and go while somebody looks through them.
        return iter(tuple(self._by_uri.values()))

    def open(self, uri: str, version: int, text: str) -> Document:
        """Take a document in; one already open under this URI is replaced."""
        self.close(uri)
        document = Document(uri, Snapshot(convert.path_of(uri), version, text))
        self._by_uri[uri] = document
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

    def at(self, path: str) -> Document | None:
        """The document with this path, if it is open."""
        return next((each for each in self._by_uri.values() if each.path == path), None)

    def uri_of(self, path: str) -> str:
        """The URI of a path, in the client's own spelling where it is open."""
        document = self.at(path)
        return document.uri if document else convert.uri_of(path)
