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
        """Ends everything that this was given to, now and later, with `CancelledError`."""
        with self._lock:
            self._cancelled = True
            callbacks = list(self._callbacks.values())
            self._callbacks.clear()
        for callback in callbacks:
            callback()

    def _subscribe(self, callback: Callable[[], object]) -> Callable[[], None]:
        """Calls back once, at once where it is cancelled already; the function returned takes it back."""
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
    """What every call takes beside its own arguments."""

    timeout_ms: float
    """Longest time that the call may take, in milliseconds; `math.inf` for no limit. Default: that of the client."""
    cancel: Cancellation
    """Cancels the call."""
    traceparent: str
    """Trace context (W3C) that the call belongs to. Default: that of OpenTelemetry, where its package is installed."""
    tracestate: str
    """Goes with `traceparent`."""


class WriteOptions(CallOptions, total=False):
    """What calls that change something take."""

    request_id: str
    """Makes repeating the call safe: the same id within 24 hours has one effect and returns the first answer. Default:
    a new UUID for each call, which covers the client's own retries."""


class ReadOptions(CallOptions, total=False):
    """What calls that read memories take."""

    min_revision: int
    """Oldest revision to answer from. Default: the newest that this client has seen."""


class StreamOptions(TypedDict, total=False):
    """What streams take that are opened again when they break."""

    cancel: Cancellation
    """Ends the stream: it then raises `CancelledError`."""
    patience_ms: float
    """Longest time without a message, over all attempts, after which it gives up with the last error, in milliseconds.
    Default: never."""
    on_broken: Callable[[MnemeError], None]
    """Told why, whenever the stream broke and is about to be opened again."""
    on_open: Callable[[], None]
    """Told when the server has answered on a stream, the first one or another one after a break."""
    traceparent: str
    """As in `CallOptions`."""
    tracestate: str
    """Goes with `traceparent`."""


@dataclass(frozen=True)
class TlsOptions:
    """Certificates as PEM text."""

    ca: str | bytes | None = None
    """What the server's certificate is checked against. Default: the authorities that gRPC knows."""
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
    """From which scope calls are made: what private and isolated scopes hide from there is not seen. `"*"` sees
    everything. Default: from nowhere, so that nothing private is seen but by a recall that names its scope."""
    tls: bool | TlsOptions = False
    """Encrypts the connection: True, or certificates of one's own."""
    timeout_ms: float = 10_000
    """Longest time that a call may take, in milliseconds; streams have none."""
    recall_timeout_ms: float = 5_000
    """The same for recall."""
    wait_for_ready: bool = True
    """Waits for the server to come up, as long as the timeout allows. With False a call fails with `UnavailableError`
    as soon as the connection is refused."""
    read_your_writes: bool = True
    """Reads see what this client wrote or read before, whichever replica answers."""
    retry: bool = True
    """A call that fails with UNAVAILABLE is repeated a few times, a stream that breaks is opened again. With False
    nothing is sent twice."""
    heartbeat_ms: float = 15_000
    """Silence after which this side of a stream gives a sign of life, in milliseconds. Must be less than what proxies
    on the way allow."""
    channel_options: tuple[tuple[str, str | int], ...] = field(default=(), repr=False)
    """More options of gRPC channels, such as `("grpc.http_proxy", "…")`."""
