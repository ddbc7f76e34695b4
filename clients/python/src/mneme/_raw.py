"""The generated stubs with the guarantees of the client."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import TypeVar

from google.protobuf.message import Message
from typing_extensions import Unpack

from ._face import Calls, call, stream
from ._rpc import rpc_of
from .options import CallOptions

A = TypeVar("A", bound=Message)


class RawCalls(Calls):
    """RPCs by their messages (`mneme.v1`), with what every call of the client has: deadline, retries, request id,
    reading of one's own writes, typed errors. For what has no call of its own yet."""

    @call
    async def call(self, request: Message, answer: type[A], **options: Unpack[CallOptions]) -> A:
        """Asks with the request of a unary RPC; `answer` is the type of its response.

        Names such as `parent` are sent as they are given.

        ```python
        from mneme.v1 import memory_service_pb2 as pb

        client.raw.call(pb.CountMemoriesRequest(parent="namespaces/default"), pb.CountMemoriesResponse).count
        ```
        """
        return await self._connection.unary(request, answer, options)

    @stream
    async def stream(
        self, request: Message, answer: type[A], **options: Unpack[CallOptions]
    ) -> AsyncGenerator[A, None]:
        """Messages of an RPC that answers with a stream. It has no deadline unless `timeout_ms` is given, and it is not
        opened again when it breaks."""
        connection = self._connection
        connection.prepare(rpc_of(request), request, options)
        async with aclosing(connection.messages(request, answer, options)) as messages:
            async for message in messages:
                yield message
