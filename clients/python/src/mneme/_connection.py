"""The way to one server, with the guarantees that every call has."""

from __future__ import annotations

import contextlib
import copy
import math
import threading
import uuid
from collections.abc import AsyncGenerator, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar, cast

import grpc
from google.protobuf.message import Message

from . import _channel
from ._attempt import Attempt
from ._breaker import PRESENCE_S, Breaker, breaker_of, is_away
from ._feed import Feed
from ._io import CallCancelledError, Io, Metadata, UnreadableError, Wire
from ._names import namespace_of, refused
from ._reach import Reach
from ._retries import Retries
from ._routes import listens
from ._rpc import Rpc, rpc_of
from ._status import error_of_call, family_of
from .errors import CancelledError, FailedPreconditionError, InternalError, MnemeError, UnavailableError, invalid
from .options import CallOptions, Cancellation, ConnectOptions, StreamOptions
from .v1 import admin_service_pb2

try:
    from opentelemetry import propagate
except ImportError:
    propagate = None  # type: ignore[assignment]

A = TypeVar("A", bound=Message)
#: Default of `close`.
CLOSE_TIMEOUT_MS = 10_000
_POLL_S = 0.01
#: A stream waits this long for a first connection before a call asks why there is none.
_FIRST_S = 0.5
#: An ingest whose progress was not read for this long is not awaited.
_SUSPENDED_S = 0.25
#: A source that gives nothing for this long is not waited for.
_SOURCE_S = 0.1


class SeenRevision:
    """The newest revision that a client has seen: its reads require at least that revision. For many threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.newest = 0

    def note(self, revision: int) -> int:
        """Remembers a revision that an answer carried, and returns it."""
        if revision > self.newest:
            with self._lock:
                self.newest = max(self.newest, revision)
        return revision

    def went_back(self, newest_of_store: int) -> None:
        """For a store that was restored to an older state: revisions beyond its newest one are lost."""
        with self._lock:
            self.newest = min(self.newest, newest_of_store)


@dataclass
class _Life:
    """Shared by a connection and its copies."""

    closed: bool = False
    ended: bool = False


class Connection:
    """Shared by everything that `connect` returns."""

    def __init__(self, io: Io, address: str, options: ConnectOptions) -> None:
        self.io = io
        self.address = address
        self.options = options
        self.seen_revision = SeenRevision()
        self._retries = Retries(io, lambda: self.retries)
        self._metadata: Metadata = tuple(_channel.header(options))
        self._life = _Life()
        #: Refuses calls for a while after the server did not answer; only in the connections of adapters.
        self._breaker: Breaker | None = None
        self._feeds: list[Feed[Any, Any]] = []
        self._forks = _channel.forks.count
        #: Whether the server was ever reached, and why not.
        self.reach = Reach(_channel.target_of(address), options)

    @property
    def retries(self) -> bool:
        """Whether calls are retried."""
        return self.options.retry and not self._life.closed

    @property
    def reopens(self) -> bool:
        """Whether a stream that breaks is opened again: not where no server was ever there."""
        return self.retries and (self.reach.was_reached or self.options.wait_for_ready is not None)

    async def unary(
        self,
        request: Message,
        answer: type[A],
        options: CallOptions,
        namespace: str = "",
        min_revision: int | None = None,
    ) -> A:
        rpc = rpc_of(request)
        timeout = self.prepare(rpc, request, options, namespace, min_revision)
        cancel = options.get("cancel")
        self.assert_usable(cancel)
        metadata = self._metadata_of(options, namespace_of(request))
        if self._breaker is None:
            found = await self._attempts(rpc, request, timeout, metadata, cancel)
        else:
            await self._assert_present()
            with self._breaker.noting():
                found = await self._attempts(rpc, request, timeout, metadata, cancel)
        if rpc.has_revision:
            self.seen_revision.note(cast(Any, found).revision)
        if not isinstance(found, answer):
            raise TypeError(f"{rpc.name} answers with {rpc.response.__name__}, not with {answer.__name__}")
        return found

    def guarded(self) -> Connection:
        """The same connection, whose calls fail at once for a while after the server did not answer one of this
        process: the first costs a second at most. With `wait_for_ready=True` calls wait for the server as ever."""
        if self.options.wait_for_ready:
            return self
        copied = copy.copy(self)
        copied._breaker = breaker_of(self.reach.address)
        return copied

    async def _assert_present(self) -> None:
        """Asks a server that was silent for a while whether it is there, before a call with a longer deadline."""
        breaker = self._breaker
        if breaker is None:
            return
        if not breaker.must_ask():
            self.reach.was_reached = True  # By this process.
            return
        asked = admin_service_pb2.GetServerInfoRequest()
        with breaker.noting():
            try:
                await self._attempts(rpc_of(asked), asked, PRESENCE_S, self._metadata, None)
            except MnemeError as error:
                # One that has just returned is listening before gRPC connects again.
                if is_away(error) and (self.io.is_connected() or not listens(self.reach.address)):
                    raise

    async def _attempts(
        self, rpc: Rpc, request: Message, timeout: float | None, metadata: Metadata, cancel: Cancellation | None
    ) -> Message:
        """Makes attempts until one succeeds or may not be followed by another."""
        ends_at = None if timeout is None else self.io.now() + timeout
        failures = 0
        waits = self.reach.was_reached and self.options.wait_for_ready is not False
        while True:
            try:
                found = await self.io.unary(rpc, request, timeout, metadata, cancel, waits)
                self._retries.succeeded()
                self.reach.was_reached = True
                return found
            except grpc.RpcError as error:
                is_first, waits = self.reach.may_wait(error, waits, self.io.is_connected)
                failures += not is_first
                if not is_first and not await self._retries.wait(rpc.path, failures, error, ends_at, cancel):
                    raise self.error_of(error, rpc, cancel) from error
                self.assert_usable(cancel)
            except CallCancelledError:
                raise self._cancelled(rpc) from None
            except UnreadableError:
                raise _unreadable(rpc) from None
            if ends_at is not None:
                timeout = max(ends_at - self.io.now(), 0)

    def prepare(
        self, rpc: Rpc, request: Any, options: CallOptions, namespace: str = "", min_revision: int | None = None
    ) -> float | None:
        """Sets the common fields of a request; returns the timeout in seconds."""
        if rpc.has_parent and not request.parent:
            request.parent = namespace
        if rpc.has_request_id and not request.request_id:
            request.request_id = options.get("request_id") or str(uuid.uuid4())
        if rpc.has_min_revision and not request.min_revision:
            request.min_revision = self.min_revision(options) if min_revision is None else min_revision
        given = options.get("timeout_ms")
        default = self.options.recall_timeout_ms if rpc.is_recall else self.options.timeout_ms
        return _seconds(default if given is None else given)

    def min_revision(self, options: CallOptions | None = None) -> int:
        """The minimum revision for a read, so that it sees everything that this client has seen."""
        asked = (options or {}).get("min_revision")
        if asked is not None:
            if isinstance(asked, bool) or not isinstance(asked, int) or asked < 0:
                raise invalid("min_revision", f"must be a revision, 0 or more, got {asked!r}")
            return asked
        return self.seen_revision.newest if self.options.read_your_writes else 0

    async def open(
        self,
        request: Message | type[Message],
        options: CallOptions | StreamOptions,
        timeout_ms: float = math.inf,
        *,
        flushes: bool = False,
    ) -> Wire:
        """Opens a stream: with its request, or of requests of that type. It has no deadline unless one is given, so
        the wait for a connection gets one. One that `flushes` is opened while the client is being closed, too."""
        rpc = rpc_of(request)
        cancel = options.get("cancel")
        patience = _seconds(min(self.options.timeout_ms, timeout_ms))
        self.assert_usable(cancel, flushes=flushes)
        await self._assert_present()
        try:
            if self.options.wait_for_ready is not False and not await self._connected(patience, cancel):
                raise UnavailableError(self.reach.why("in time"), family=family_of(rpc.path))
        except CallCancelledError:
            raise self._cancelled(rpc) from None
        self.assert_usable(cancel, flushes=flushes)
        asked = request if isinstance(request, Message) else None
        return self.io.open(rpc, asked, _seconds(timeout_ms), self._metadata_of(options))

    async def _connected(self, patience: float | None, cancel: Cancellation | None) -> bool:
        """Waits for the connection of streams. Where the server has never answered, a call finds out why not."""
        if not self.reach.was_reached:
            if await self.io.connected(_FIRST_S if patience is None else min(_FIRST_S, patience), cancel):
                self.reach.was_reached = True
                return True
            asked = admin_service_pb2.GetServerInfoRequest()
            try:
                await self._attempts(rpc_of(asked), asked, patience, self._metadata, cancel)
            except MnemeError as error:
                if not self.reach.was_reached:
                    raise
                del error  # It has answered, and that is all that was asked.
        return await self.io.connected(patience, cancel)

    async def messages(
        self,
        request: Message,
        answer: type[A],
        options: CallOptions | StreamOptions,
        attempt: Attempt | None = None,
        timeout_ms: float = math.inf,
    ) -> AsyncGenerator[A, None]:
        """Messages as they come; the call is cancelled when the reader stops early."""
        wire = await self.open(request, options, options.get("timeout_ms", timeout_ms))  # type: ignore[arg-type]
        cancel = options.get("cancel")
        forget = cancel._subscribe(wire.cancel) if cancel is not None and attempt is None else lambda: None
        if attempt is not None:
            attempt.attach(wire)
        try:
            while (message := await self.read(wire, request, answer, cancel)) is not None:
                if attempt is not None:
                    attempt.heard()
                yield message
        finally:
            wire.cancel()
            forget()

    async def read(
        self, wire: Wire, request: Message | type[Message], answer: type[A], cancel: Cancellation | None
    ) -> A | None:
        """The next message of a stream, None at its end. Raises `MnemeError`."""
        try:
            return cast("A | None", await wire.read())
        except grpc.RpcError as error:
            raise refused(self.error_of(error, rpc_of(request), cancel), request) from error
        except CallCancelledError:
            raise self._cancelled(rpc_of(request)) from None
        except UnreadableError:
            raise _unreadable(rpc_of(request)) from None

    def error_of(self, error: grpc.RpcError, rpc: Rpc, cancel: Cancellation | None = None) -> MnemeError:
        """The typed error for what gRPC reports."""
        if self._life.ended or (cancel is not None and cancel.cancelled):
            return self._cancelled(rpc)
        return error_of_call(error, rpc.path, self.reach, self.io.is_connected)

    def assert_usable(self, cancel: Cancellation | None = None, *, flushes: bool = False) -> None:
        """Refuses calls of a client that is closed, and calls that are cancelled already."""
        if self._life.ended if flushes else self._life.closed:
            raise CancelledError("the client is closed")
        if cancel is not None and cancel.cancelled:
            raise CancelledError("cancelled by the caller")
        if self._forks != _channel.forks.count:
            raise FailedPreconditionError(
                "the process was forked after this client had been made: connect in the new process"
            )
        self.io.assert_here()

    async def close(self, timeout_ms: float) -> None:
        """Refuses more calls, waits until those under way have their answers, then ends the connections."""
        if self._life.closed:
            return
        if self._forks != _channel.forks.count or self.io.has_ended():
            self._life.closed = self._life.ended = True
            return  # The connections belong to another process, or have ended with their loop.
        self.io.assert_here()
        self._life.closed = True
        closed_at = self.io.now()
        late = closed_at + timeout_ms / 1000
        patient = closed_at + timeout_ms / 2000
        while self.io.now() < late and any(self._is_flushing(feed, closed_at) for feed in list(self._feeds)):
            for feed in list(self._feeds):
                if self.io.now() > min(patient, feed.read_at + _SOURCE_S):
                    feed.finish()
            await self.io.sleep(_POLL_S, None)
        await self.io.idle(max(0.0, late - self.io.now()))
        self._life.ended = True
        await self.io.close()

    @contextlib.contextmanager
    def flushing(self, feed: Feed[Any, Any]) -> Iterator[None]:
        """What this feed has read is sent before the client is closed."""
        self._feeds.append(feed)
        try:
            yield
        finally:
            self._feeds.remove(feed)
            feed.stop()

    def _is_flushing(self, feed: Feed[Any, Any], closed_at: float) -> bool:
        since = feed.suspended_since
        # A reader that was busy when the close began has this time to come back.
        return not feed.is_settled and (since is None or self.io.now() - max(since, closed_at) < _SUSPENDED_S)

    def _cancelled(self, rpc: Rpc) -> CancelledError:
        why = "the client is closed" if self._life.ended else "cancelled by the caller"
        return CancelledError(why, family=family_of(rpc.path))

    def _metadata_of(self, options: CallOptions | StreamOptions, namespace: str = "") -> Metadata:
        """`namespace`: that of a call, as proxies send those of one namespace to one server."""
        context: dict[str, str] = {}
        if options.get("traceparent") is not None:
            context = {"traceparent": options["traceparent"], "tracestate": options.get("tracestate") or ""}
        elif propagate is not None:
            propagate.inject(context)
        metadata = (*self._metadata, ("mneme-namespace", namespace)) if namespace else self._metadata
        if not context:
            return metadata
        return (*metadata, *((key, context[key]) for key in ("traceparent", "tracestate") if context.get(key)))


def _unreadable(rpc: Rpc) -> InternalError:
    return InternalError(f"the answer to {rpc.name} cannot be read", family=family_of(rpc.path))


def _seconds(timeout_ms: float) -> float | None:
    if isinstance(timeout_ms, bool) or not isinstance(timeout_ms, (int, float)) or not timeout_ms >= 0:
        raise invalid("timeout_ms", f"must be a number of milliseconds, 0 or more, got {timeout_ms!r}")
    return None if timeout_ms == math.inf else timeout_ms / 1000
