"""What a connection waits with: one implementation blocks the thread, the other one awaits."""

from __future__ import annotations

import math
import threading
from collections.abc import AsyncIterable, AsyncIterator, Callable, Coroutine, Iterable
from typing import Any, Protocol, TypeVar

from google.protobuf.message import Message

from ._rpc import Rpc
from .options import Cancellation

T = TypeVar("T")
Metadata = tuple[tuple[str, str], ...]


class CallCancelledError(Exception):
    """The caller's `Cancellation` ended a call."""


class UnreadableError(Exception):
    """A message of the server is none of its method."""


class Wire(Protocol):
    """One stream to the server."""

    async def read(self) -> Message | None:
        """The next message, None when the server has ended the stream with OK. Raises `grpc.RpcError`."""

    async def write(self, message: Message) -> None:
        """Sends as soon as the stream takes more. Has no effect once the stream has ended: the reader gets the
        error."""

    def end(self) -> None:
        """Half-closes the stream."""

    def cancel(self) -> None:
        """Ends the stream at once; safe in every thread, idempotent."""

    def replace_channel(self) -> None:
        """Gives later streams another channel than this one, which was silent for too long."""


class Future(Protocol[T]):
    """A result that another part of a program will provide."""

    def set_result(self, result: T, /) -> None: ...
    def set_exception(self, error: BaseException, /) -> None: ...
    def result(self) -> T: ...
    def done(self) -> bool: ...


class Io(Protocol):
    """Calls, streams and time."""

    async def unary(
        self,
        rpc: Rpc,
        request: Message,
        timeout: float | None,
        metadata: Metadata,
        cancel: Cancellation | None,
        waits: bool,
    ) -> Message:
        """Raises `grpc.RpcError` and `CallCancelledError`; `waits` for a connection until the timeout."""

    def assert_here(self) -> None:
        """Refuses an event loop that is not the one of this `Io`."""

    async def connected(self, timeout: float | None, cancel: Cancellation | None) -> bool:
        """Waits for the connection of streams; False when there was none in time. Raises `CallCancelledError`."""

    def open(self, rpc: Rpc, request: Message | None, timeout: float | None, metadata: Metadata) -> Wire:
        """Opens a stream; one to send on when there is no request."""

    def has_ended(self) -> bool:
        """Whether its event loop is closed, and everything with it."""

    def is_connected(self) -> bool:
        """Whether there is a connection for calls now."""

    def now(self) -> float:
        """Seconds since some instant."""

    def random(self) -> float:
        """At least 0, less than 1."""

    async def sleep(self, seconds: float, cancel: Cancellation | None) -> None:
        """Waits this long, or until it is cancelled."""

    def later(self, seconds: float, callback: Callable[[], None]) -> Callable[[], None]:
        """Calls back once, after this delay; the returned function cancels it."""

    def call(self, callback: Callable[[], None]) -> None:
        """Calls where futures are settled, from any thread."""

    def future(self) -> Future[Any]: ...

    async def wait(self, future: Future[T], timeout: float | None = None) -> T:
        """The result of a future of this `Io`. Raises `TimeoutError` when it is not there in time, in seconds."""

    def spawn(self, coroutine: Coroutine[Any, Any, None]) -> Future[None]:
        """Runs it beside this; the future has its end."""

    def iterate(self, source: Iterable[T] | AsyncIterable[T]) -> AsyncIterator[T]:
        """The items of a source of the user. Raises `TypeError` for one that this face cannot read."""

    async def result_of(self, outcome: Any) -> Any:
        """The result of a function of the user: awaited where it is awaitable and this `Io` can await."""

    async def idle(self, timeout: float) -> bool:
        """Waits until no call is under way; False when some are still then."""

    async def close(self) -> None:
        """Ends the connections with everything on them."""


class Signal:
    """Lets parts of a program wait for changes by others. The data of predicates is changed under its lock."""

    def __init__(self, io: Io) -> None:
        self._io = io
        self._waiting: list[Future[Any]] = []
        self.lock = threading.RLock()

    def notify(self) -> None:
        """Data has changed: all waiters check again."""
        if self._waiting:
            with self.lock:
                waiting, self._waiting = self._waiting, []
            for each in waiting:
                if not each.done():
                    each.set_result(None)

    async def wait_for(self, predicate: Callable[[], bool]) -> None:
        """Waits until the predicate holds."""
        while True:
            with self.lock:
                if predicate():
                    return
                future = self._io.future()
                self._waiting.append(future)
            await self._io.wait(future)


class Sender:
    """Sends over a stream no faster than the receiver reads, with heartbeats when idle."""

    def __init__(self, io: Io, wire: Wire, heartbeat: Message, heartbeat_ms: float) -> None:
        self._io = io
        self._wire = wire
        self._heartbeat = heartbeat
        self._heartbeat_s = heartbeat_ms / 1000
        self._sent_at = io.now()
        self._is_ended = False
        self._stop_timer = io.later(self._heartbeat_s, self._look)

    async def send(self, message: Message) -> None:
        """Waits until the stream takes more; has no effect once it has ended."""
        if not self._is_ended:
            self._sent_at = self._io.now()
            await self._wire.write(message)

    def end(self) -> None:
        """Half-closes the stream; answers still arrive."""
        self.stop()
        self._wire.end()

    def stop(self) -> None:
        """Half-closes the stream."""
        self._is_ended = True
        self._stop_timer()

    def stop_heartbeats(self) -> None:
        """Stops heartbeats: only the remaining messages follow."""
        self._stop_timer()
        self._heartbeat_s = math.inf

    def _look(self) -> None:
        if self._is_ended or self._heartbeat_s == math.inf:
            return
        left = self._heartbeat_s - (self._io.now() - self._sent_at)
        if left <= 0:
            self._io.spawn(self.send(self._heartbeat))
        self._stop_timer = self._io.later(left if left > 0 else self._heartbeat_s, self._look)
