"""Options of connections and calls."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, TypedDict

from .errors import MnemeError


class Cancellation:
    """Cancels calls and streams from elsewhere, from any thread: give it to them as `cancel`.

    ```python
    cancel = mneme.Cancellation()
    threading.Timer(1, cancel.cancel).start()
    client.recall("Who makes music?", cancel=cancel)  # raises CancelledError after a second at the latest
    ```
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._callbacks: dict[int, Callable[[], object]] = {}
        self._last = 0
        self._cancelled = False

    @property
    def cancelled(self) -> bool:
        """True once `cancel` was called."""
        return self._cancelled

    def cancel(self) -> None:
        """Cancels every call and stream that uses it, now and later, with `CancelledError`."""
        with self._lock:
            self._cancelled = True
            callbacks = list(self._callbacks.values())
            self._callbacks.clear()
        for callback in callbacks:
            callback()

    def _subscribe(self, callback: Callable[[], object]) -> Callable[[], None]:
        """Calls back once, at once where it is cancelled already; the returned function cancels it."""
        with self._lock:
            self._last += 1
            key = self._last
            if not self._cancelled:
                self._callbacks[key] = callback
        if self._cancelled:
            callback()
        return lambda: self._unsubscribe(key)

    def _unsubscribe(self, key: int) -> None:
        with self._lock:
            self._callbacks.pop(key, None)


class CallOptions(TypedDict, total=False):
    """Options of every call."""

    timeout_ms: float
    """Timeout of the call, in milliseconds; `math.inf` for no limit. Default: that of the client."""
    cancel: Cancellation
    """Cancels the call."""
    traceparent: str
    """Trace context (W3C) that the call belongs to. Default: that of OpenTelemetry, where its package is installed."""
    tracestate: str
    """Used together with `traceparent`."""


class WriteOptions(CallOptions, total=False):
    """Options of mutations."""

    request_id: str
    """Makes repeating the call safe: the same id within 24 hours has one effect and returns the first answer. Default:
    a new UUID for each call, which covers the client's own retries."""


class ReadOptions(CallOptions, total=False):
    """Options of reads of memories."""

    min_revision: int
    """Oldest revision to answer from. Default: the newest that this client has seen."""


class StreamOptions(TypedDict, total=False):
    """Options of streams that are reopened."""

    cancel: Cancellation
    """Ends the stream: it then raises `CancelledError`."""
    patience_ms: float
    """Longest time without a message, over all attempts, after which it gives up with the last error, in milliseconds.
    Default: unlimited."""
    on_broken: Callable[[MnemeError], None]
    """Called with the reason whenever the stream broke and is about to be reopened."""
    on_open: Callable[[], None]
    """Told when the server has answered on a stream, the first one or another one after a break."""
    traceparent: str
    """As in `CallOptions`."""
    tracestate: str
    """Used together with `traceparent`."""


@dataclass(frozen=True)
class TlsOptions:
    """Certificates as PEM text."""

    ca: str | bytes | None = None
    """Authorities for the server's certificate. Default: the authorities that gRPC knows."""
    cert: str | bytes | None = None
    """Certificate of this client, when the server asks for one. Together with `key`."""
    key: str | bytes | None = None
    """Private key of this client."""
    server_name: str | None = None
    """Name that the server's certificate is for, when it is not the host of the address."""


@dataclass(frozen=True)
class CallerScope:
    """The scope that calls are made from. Parts that are absent are left open."""

    project: str | None = None
    agent_type: str | None = None
    agent: str | None = None
    session: str | None = None


@dataclass(frozen=True)
class ConnectOptions:
    """Options of `connect`, with their defaults."""

    token: str | None = None
    """Sent with every call as `authorization: Bearer …`. Without TLS anybody on the way can read it."""
    call_from: CallerScope | Literal["*"] | None = None
    """Scope of the caller: memories that private and isolated scopes hide from it are not visible. `"*"` sees
    everything. Default: none, so that private memories are visible only to a recall that names their scope."""
    tls: bool | TlsOptions = False
    """Encrypts the connection: True, or certificates of one's own."""
    timeout_ms: float = 10_000
    """Timeout of a call, in milliseconds; streams have none."""
    recall_timeout_ms: float = 5_000
    """The same for recall."""
    wait_for_ready: bool | None = None
    """Waits for the server to come up, as long as the timeout allows. With False a call fails with `UnavailableError`
    as soon as there is no connection. Default: waits where the server has answered this client before, as it may be
    restarting; before that, a connection that is refused fails the call within a second."""
    read_your_writes: bool = True
    """Reads see everything that this client wrote or read before, whichever replica answers."""
    retry: bool = True
    """A call that fails with UNAVAILABLE, or whose connection breaks before the whole answer has arrived, is repeated:
    up to 4 attempts, 3 for recall, within the deadline. A broken stream is reopened. With False nothing is sent
    twice."""
    heartbeat_ms: float = 15_000
    """Interval of this side's heartbeats on a stream, in milliseconds. Must be less than the idle timeout of proxies on
    the way."""
    channel_options: tuple[tuple[str, str | int], ...] = field(default=(), repr=False)
    """More options of gRPC channels, such as `("grpc.http_proxy", "…")`."""
