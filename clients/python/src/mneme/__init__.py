"""Client of [Mneme](https://github.com/mneme-ai/mneme), a memory server for AI agents.

```python
import mneme

with mneme.connect("127.0.0.1:50051", namespace="default") as client:
    client.store({"text": "I have played the cello since I was nine.", "source": {"speaker": "Caroline"}})
    for hit in client.recall("Who makes music?").hits:
        print(f"{hit.relevance:.2f}", hit.memory.source.speaker, hit.memory.text)
```

`mneme.aio` is the same for asyncio. Every failed call raises a `MnemeError`. All durations are in milliseconds, all
times are `datetime`s with a time zone; those in answers are in UTC, to the microsecond.
"""

from __future__ import annotations

from types import TracebackType
from typing import Literal

from typing_extensions import Self

from ._blocking import BlockingIo
from ._connection import CLOSE_TIMEOUT_MS, Connection
from ._face import Blocking, Stream, run
from ._memory_calls import MemoryCalls
from ._recall_calls import RecallCalls
from .content import Content, Json
from .errors import (
    AbortedError,
    AlreadyExistsError,
    CancelledError,
    DataLossError,
    DeadlineExceededError,
    FailedPreconditionError,
    InternalError,
    InvalidArgumentError,
    MnemeError,
    NotFoundError,
    OutOfRangeError,
    PermissionDeniedError,
    ResourceExhaustedError,
    UnauthenticatedError,
    UnavailableError,
    UnimplementedError,
    UnknownError,
    Violation,
)
from .filters import Filter, FilterLike, all_of, any_of, negate, path, where, within
from .memory import (
    Compaction,
    Embedding,
    GeoPoint,
    ImportedMemory,
    Memory,
    MemoryLike,
    MemoryView,
    NewMemory,
    Place,
    Point,
    Scope,
    Source,
    Tier,
)
from .options import (
    CallerScope,
    CallOptions,
    Cancellation,
    ConnectOptions,
    ReadOptions,
    StreamOptions,
    TlsOptions,
    WriteOptions,
)
from .recall import RecallHit, RecallQuery, RecallResult
from .results import WriteReceipt

__all__ = [
    "AbortedError",
    "AlreadyExistsError",
    "CallOptions",
    "CallerScope",
    "Cancellation",
    "CancelledError",
    "Compaction",
    "ConnectOptions",
    "Content",
    "DataLossError",
    "DeadlineExceededError",
    "Embedding",
    "FailedPreconditionError",
    "Filter",
    "FilterLike",
    "GeoPoint",
    "ImportedMemory",
    "InternalError",
    "InvalidArgumentError",
    "Json",
    "Memory",
    "MemoryLike",
    "MemoryView",
    "Mneme",
    "MnemeError",
    "NewMemory",
    "NotFoundError",
    "OutOfRangeError",
    "PermissionDeniedError",
    "Place",
    "Point",
    "ReadOptions",
    "RecallHit",
    "RecallQuery",
    "RecallResult",
    "ResourceExhaustedError",
    "Scope",
    "Source",
    "Stream",
    "StreamOptions",
    "Tier",
    "TlsOptions",
    "UnauthenticatedError",
    "UnavailableError",
    "UnimplementedError",
    "UnknownError",
    "Violation",
    "WriteOptions",
    "WriteReceipt",
    "all_of",
    "any_of",
    "connect",
    "negate",
    "path",
    "where",
    "within",
]


class Mneme(MemoryCalls, RecallCalls, Blocking):
    """Everything that one namespace of a server can be asked. Any number of threads may use it at the same time."""

    _connection: Connection

    def __init__(self, connection: Connection, namespace: str) -> None:
        super().__init__(connection, namespace)
        self._connection = connection

    @property
    def namespace(self) -> str:
        """Namespace that the calls are about."""
        return self._namespace

    def with_namespace(self, namespace: str) -> Mneme:
        """The same over the same connection, about another namespace."""
        return Mneme(self._connection, namespace)

    def close(self, timeout_ms: float = CLOSE_TIMEOUT_MS) -> None:
        """Ends the connection, for all namespaces. Calls under way still get their answers, for at most this long;
        later ones fail with `CancelledError`."""
        run(self._connection.close(timeout_ms))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def connect(
    address: str = "127.0.0.1:50051",
    *,
    namespace: str = "default",
    token: str | None = None,
    call_from: CallerScope | Literal["*"] | None = None,
    tls: bool | TlsOptions = False,
    timeout_ms: float = 10_000,
    recall_timeout_ms: float = 5_000,
    wait_for_ready: bool = True,
    read_your_writes: bool = True,
    retry: bool = True,
    heartbeat_ms: float = 15_000,
) -> Mneme:
    """Opens a client.

    Nothing is sent until the first call; the connection is made, and made again when it breaks, as calls need it. The
    address is `host:port`, `host` (port 50051), `dns:///host:port` or `unix:/path`. The options are those of
    `ConnectOptions`; all calls are about `namespace` unless they say otherwise.
    """
    options = ConnectOptions(
        token, call_from, tls, timeout_ms, recall_timeout_ms, wait_for_ready, read_your_writes, retry, heartbeat_ms
    )
    return Mneme(Connection(BlockingIo(address, options), address, options), namespace)
