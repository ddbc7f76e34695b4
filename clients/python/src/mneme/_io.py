"""What a connection waits with: one implementation blocks the thread, the other one awaits."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any, Protocol, TypeVar

from google.protobuf.message import Message

from ._rpc import Rpc
from .options import Cancellation

T = TypeVar("T")
Metadata = tuple[tuple[str, str], ...]


class CallCancelledError(Exception):
    """The caller's `Cancellation` ended a call."""


class Wire(Protocol):
    """One stream to the server."""

    async def read(self) -> Message | None:
        """The next message, None when the server has ended the stream with OK. Raises `grpc.RpcError`."""

    async def write(self, message: Message) -> None:
        """Sends as soon as the stream takes more. Does nothing once the stream has ended: reading tells why."""

    def end(self) -> None:
        """Nothing more will be sent."""

    def cancel(self) -> None:
        """Ends the stream at once; safe in every thread, a second time it does nothing."""


class Future(Protocol[T]):
    """What one part of a program will have from another one."""

    def set_result(self, result: T, /) -> None: ...
    def set_exception(self, error: BaseException, /) -> None: ...
    def result(self) -> T: ...
    def done(self) -> bool: ...


class Io(Protocol):
    """Calls, streams and time."""

    async def unary(
        self, rpc: Rpc, request: Message, timeout: float | None, metadata: Metadata, cancel: Cancellation | None
    ) -> Message:
        """Raises `grpc.RpcError` and `CallCancelledError`."""

    async def connected(self, timeout: float | None, cancel: Cancellation | None) -> bool:
        """Waits for the connection of streams; False when there was none in time. Raises `CallCancelledError`."""

    def open(self, rpc: Rpc, request: Message | None, timeout: float | None, metadata: Metadata) -> Wire:
        """Opens a stream; one to send on when there is no request."""

    def is_connected(self) -> bool:
        """Whether there is a connection for calls now."""

    def now(self) -> float:
        """Seconds since some instant."""

    def random(self) -> float:
        """At least 0, less than 1."""

    def later(self, seconds: float, callback: Callable[[], None]) -> Callable[[], None]:
        """Calls back once, after this long; the function returned takes it back."""

    def future(self) -> Future[Any]: ...

    async def wait(self, future: Future[T], timeout: float | None = None) -> T:
        """The result of a future of this `Io`. Raises `TimeoutError` when it is not there in time, in seconds."""

    def spawn(self, coroutine: Coroutine[Any, Any, None]) -> Future[None]:
        """Runs it beside this; the future has its end."""

    async def idle(self, timeout: float) -> bool:
        """Waits until no call is under way; False when some are still then."""

    async def close(self) -> None:
        """Ends the connections with everything on them."""
