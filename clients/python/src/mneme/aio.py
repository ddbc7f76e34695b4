"""The client for asyncio: the same calls as `mneme.Mneme`, to be awaited.

```python
import asyncio
import mneme.aio

async def main() -> None:
    async with mneme.aio.connect("127.0.0.1:50051") as client:
        await client.store({"text": "I have played the cello since I was nine."})
        async for change in client.watch():
            print(change.kind, change.id)

asyncio.run(main())
```

A client belongs to the event loop of its first call. Cancelling a task cancels the call that it waits for.
"""

from __future__ import annotations

from types import TracebackType
from typing import Literal

from typing_extensions import Self

from ._asyncio import AsyncioIo
from ._connection import CLOSE_TIMEOUT_MS, Connection
from ._face import Awaiting
from ._memory_calls import MemoryCalls
from ._recall_calls import RecallCalls
from .options import CallerScope, ConnectOptions, TlsOptions

__all__ = ["Mneme", "connect"]


class Mneme(MemoryCalls, RecallCalls, Awaiting):
    """Everything that one namespace of a server can be asked, for asyncio."""

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

    async def close(self, timeout_ms: float = CLOSE_TIMEOUT_MS) -> None:
        """Ends the connection, for all namespaces. Calls under way still get their answers, for at most this long;
        later ones fail with `CancelledError`."""
        await self._connection.close(timeout_ms)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        await self.close()


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
    """Opens a client for asyncio. As `mneme.connect`, whose options it has."""
    options = ConnectOptions(
        token, call_from, tls, timeout_ms, recall_timeout_ms, wait_for_ready, read_your_writes, retry, heartbeat_ms
    )
    return Mneme(Connection(AsyncioIo(address, options), address, options), namespace)
