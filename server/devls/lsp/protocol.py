"""The protocol below the features: messages that are not as they should be are answered, and nothing is kept of those that are.

pygls answers a request only if all of it is as the specification says, and keeps texts and finished calls that nobody here asks for.
Of what a client says of itself at the start, a part that is not as it should be is left out: a newer client has more to say.
"""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING, Any, Final

from cattrs import AttributeValidationNote, BaseValidationError, IterableValidationNote
from lsprotocol import types
from pygls import exceptions
from pygls.protocol import LanguageServerProtocol
from pygls.protocol.json_rpc import JsonRPCNotification, JsonRPCRequestMessage, JsonRPCResponseMessage

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

    from cattrs import Converter
    from pygls.lsp.server import LanguageServer

_logger = logging.getLogger(__name__)

LONGEST = 2**28
"""Bytes of a message. A longer one is skipped, and refused."""

LONGEST_HEADER = 2**13
"""Bytes of a line of a header."""

LONGEST_REASON = 500
"""Characters of what is said of a message that is refused."""

DEEPEST = 32
"""Levels of objects in what a client says at the start; each may show only when what it holds is left out."""

_NEEDED: Final[dict[str, Any]] = {"processId": None, "rootUri": None, "capabilities": {}}
"""Of a client that does not say even that."""

_BEFORE_ITS_WORD = (
    types.INITIALIZE,
    types.INITIALIZED,
    types.SHUTDOWN,
    types.CANCEL_REQUEST,
    types.SET_TRACE,
)
"""Messages that may come before the client says that it is initialized."""

_KEPT_HERE = (
    types.TEXT_DOCUMENT_DID_OPEN,
    types.TEXT_DOCUMENT_DID_CHANGE,
    types.TEXT_DOCUMENT_DID_CLOSE,
    types.NOTEBOOK_DOCUMENT_DID_OPEN,
    types.NOTEBOOK_DOCUMENT_DID_CHANGE,
    types.NOTEBOOK_DOCUMENT_DID_CLOSE,
)
"""The documents are those of `state`. Those of pygls divide a text into lines anew for each change in it."""


class Protocol(LanguageServerProtocol):
    """The language server protocol, for clients that may say anything."""

    def __init__(self, server: LanguageServer, converter: Converter) -> None:
        super().__init__(server, converter)
        self._said_initialized = False
        for method in _KEPT_HERE:
            del self.fm.builtin_features[method]

    def structure_message(self, data: Any) -> Any:
        """Leave an object as JSON has it. pygls asks for each object of a message, and `handle_message` is for all of it."""
        return data

    def handle_message(self, message: Any) -> None:
        """Handle a message, as JSON has it; refuse it if it is none, or comes at a time that is not its own."""
        refused = self._refusal(message)
        if refused is None:
            try:
                known = self._structured(message)
            except Exception as error:  # noqa: BLE001  whatever attrs finds wrong with it
                refused = exceptions.JsonRpcInvalidParams(_innermost(error))
        if refused is None:
            try:
                self._begin_before(message.get("method"))
                super().handle_message(known)
            except Exception as error:
                _logger.exception("a message could not be handled")
                refused = exceptions.JsonRpcInternalError(f"{type(error).__name__}: {error}")
        if refused is not None:
            self.refuse(message, refused)

    def refuse(self, message: Any, error: exceptions.JsonRpcException) -> None:
        """Answer a message with an error, unless it is a notification or an answer; of what is neither nobody knows the number."""
        method = message.get("method") if isinstance(message, dict) else None
        _logger.warning("refused a message (%s): %s", f"{method}"[:50], error)
        known = message if isinstance(message, dict) else {"id": None}
        if "id" in known and not ("result" in known or "error" in known):
            number = known["id"] if _is_number(known["id"]) else None
            told: dict[str, Any] = {"code": error.code, "message": error.message}
            if method == types.INITIALIZE:
                told["data"] = {"retry": False}
            # Not by pygls, which leaves an id out that is null.
            self._send_data({"jsonrpc": self.VERSION, "id": number, "error": told})

    def _begin_before(self, method: str | None) -> None:
        """Begin at a client's first message about anything, if it has not said that it is initialized."""
        if method == types.INITIALIZED:
            self._said_initialized = True
        elif method is not None and method not in _BEFORE_ITS_WORD and not self._said_initialized:
            _logger.warning("%s came before `initialized`, which is taken as said", f"{method}"[:50])
            self._said_initialized = True
            super()._handle_notification(types.INITIALIZED, types.InitializedParams())

    def _handle_cancel_notification(self, msg_id: Any) -> None:
        # pygls warns of a request that it does not know: its answer and the client's word have crossed.
        if msg_id in self._request_futures and msg_id not in self._result_types:
            super()._handle_cancel_notification(msg_id)

    def _handle_response(self, msg_id: Any, result: Any = None, error: Any = None) -> None:
        # Whoever asked may have given up; pygls would answer a call that is cancelled.
        future = self._request_futures.get(msg_id)
        if future is not None and future.done():
            del self._request_futures[msg_id]
            _logger.info("an answer came too late (%s)", f"{msg_id}"[:50])
        else:
            super()._handle_response(msg_id, result, error)

    def _structured(self, message: dict[str, Any]) -> Any:
        """A message as the classes of `lsprotocol` have it.

        Raises:
            Exception: of many kinds, if it is not what its method asks for.
        """
        if "method" in message:
            usual = JsonRPCRequestMessage if "id" in message else JsonRPCNotification
            kind = self.get_message_type(message["method"])
            if kind is None:
                kind, message = usual, {"params": None, **message}
            if kind is types.InitializeRequest:
                return self._first(message)
            if kind is types.CancelNotification and not _is_number(message["params"]["id"]):
                raise TypeError("the id of the request is neither a string nor a number")
        elif "error" in message:
            kind = types.ResponseErrorMessage
        else:
            kind = self._result_types.pop(message["id"], None) or JsonRPCResponseMessage
        return self._converter.structure(message, kind)

    def _first(self, message: dict[str, Any], rounds: int = DEEPEST) -> Any:
        """A client's first message, without the parts of which nothing can be made.

        Raises:
            Exception: of many kinds, if nothing can be made of all of it.
        """
        try:
            return self._converter.structure(message, types.InitializeRequest)
        except BaseValidationError as error:
            parameters = message.get("params")
            if not isinstance(parameters, dict) or not rounds:
                raise
            places = [place[1:] for place in _places(error)]
        told = ", ".join(".".join(map(str, place)) for place in places)[:LONGEST_REASON]
        _logger.warning("the client's `initialize` is not as specified; not heeded: %s", told)
        kept = _without({**_NEEDED, **parameters}, places)
        return self._first({**message, "params": {**_NEEDED, **kept}}, rounds - 1)

    def _refusal(self, message: Any) -> exceptions.JsonRpcException | None:
        """Why a message is not handled, whatever it is about."""
        if not isinstance(message, dict) or message.get("jsonrpc") != self.VERSION:
            return exceptions.JsonRpcInvalidRequest("not a message of JSON-RPC 2.0")
        if "id" in message and not _is_number(message["id"]):
            return exceptions.JsonRpcInvalidRequest("the id is neither a string nor a number")
        if "method" not in message:
            is_answer = "id" in message and ("result" in message or "error" in message)
            return None if is_answer else exceptions.JsonRpcInvalidRequest("neither a request nor an answer")
        method = message["method"]
        if not isinstance(method, str):
            return exceptions.JsonRpcInvalidRequest("the method is no string")
        began = getattr(self, "server_capabilities", None) is not None
        if method == types.EXIT:
            return None
        if self._shutdown:
            return exceptions.JsonRpcInvalidRequest("the server is shutting down")
        if began and method == types.INITIALIZE:
            return exceptions.JsonRpcInvalidRequest("the server is initialized")
        if began and method == types.INITIALIZED and self._said_initialized:
            return exceptions.JsonRpcInvalidRequest("the client has begun")
        if not began and method != types.INITIALIZE:
            return exceptions.JsonRpcServerNotInitialized("the server is not initialized")
        return None

    def _execute_handler(
        self, msg_id: Any, handler: Any, callback: Any, args: Any = None, kwargs: Any = None
    ) -> None:
        # pygls would keep the calls of notifications for ever.
        def ended(future: Any) -> None:
            if self._request_futures.get(msg_id) is future:
                del self._request_futures[msg_id]
            callback(future)

        super()._execute_handler(msg_id, handler, ended, args, kwargs)


def _innermost(error: BaseException) -> str:
    """Message of a validation error, without the objects around it."""
    while isinstance(error, BaseValidationError) and error.exceptions:
        error = error.exceptions[0]
    return f"{type(error).__name__}: {error}"[:LONGEST_REASON]


def _places(error: BaseException, around: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The places in a message at which something is wrong, by the keys of JSON."""
    for note in getattr(error, "__notes__", ()):
        if isinstance(note, AttributeValidationNote):
            first, *rest = note.name.split("_")
            around = (*around, first + "".join(map(str.capitalize, rest)))
        elif isinstance(note, IterableValidationNote):
            around = (*around, note.index)
    if not isinstance(error, BaseValidationError):
        yield around
        return
    for each in error.exceptions:
        yield from _places(each, around)


_NOTHING: Final = object()


def _without(value: Any, places: list[tuple[str | int, ...]]) -> Any:
    """Something of JSON without what is at some places in it; nothing if it should hold something there and does not."""
    if () in places or not isinstance(value, (dict, list)):
        return _NOTHING
    inside: dict[str | int, list[tuple[str | int, ...]]] = {}
    for first, *rest in places:
        inside.setdefault(first, []).append(tuple(rest))
    items = value.items() if isinstance(value, dict) else list(enumerate(value))
    if not inside.keys() <= dict(items).keys():
        return _NOTHING
    kept = [(key, _without(each, inside[key]) if key in inside else each) for key, each in items]
    kept = [(key, each) for key, each in kept if each is not _NOTHING]
    return dict(kept) if isinstance(value, dict) else [each for _, each in kept]


def _is_number(value: object) -> bool:
    """Whether something numbers a request: whole numbers do, and strings."""
    return isinstance(value, (int, str)) and not isinstance(value, bool)


_LENGTH: Final = re.compile(rb"content-length[ \t]*:[ \t]*([0-9]+)[ \t]*\r?\n\Z", re.IGNORECASE)


class Incoming:
    """The bytes a client sends, for a reader that takes the headers for well-formed."""

    def __init__(self, stream: BinaryIO) -> None:
        """Read from a stream, which stays open."""
        self._stream = stream

    def readline(self) -> bytes:
        """A line of a header, spelled as pygls expects it; empty at the end."""
        line = self._stream.readline(LONGEST_HEADER)
        # Text before it on its line belongs to a message with a wrong length.
        found = _LENGTH.search(line)
        return line if found is None else b"Content-Length: %d\r\n" % int(found[1][:20])

    def read(self, length: int) -> bytes:
        """A message of so many bytes; one that is too long is skipped, and `null` is in its place."""
        if length <= LONGEST:
            return self._stream.read(length)
        while length:
            skipped = len(self._stream.read(min(length, 2**16)))
            if not skipped:
                return b""
            length -= skipped
        return b"null"
