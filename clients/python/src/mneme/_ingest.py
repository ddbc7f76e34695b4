"""Ingest: a stream of memories that tells what is on disk."""

from __future__ import annotations

import uuid
from collections.abc import AsyncGenerator, AsyncIterable, Iterable
from contextlib import aclosing
from typing import Any

from typing_extensions import Unpack

from ._attempt import Attempt
from ._connection import Connection
from ._face import Calls, stream
from ._feed import Feed
from ._io import Sender
from ._names import namespace_name
from ._read import read
from ._resuming import resuming
from ._status import error_of_status
from ._watch import heartbeat_ms_of
from ._write import fill, fill_memory, id_of_memory
from .changes import IngestProgress, IngestReceipt, RefusedItem
from .errors import MnemeError, UnavailableError
from .memory import MemoryLike
from .options import StreamOptions
from .results import ConflictPolicy
from .v1 import ingest_service_pb2 as pb
from .v1 import stream_pb2

#: Batches that may be on the way without an acknowledgement: enough to keep the server busy.
_UNACKNOWLEDGED_MAX = 16


class IngestCalls(Calls):
    """Storing many memories."""

    @stream
    async def ingest(
        self,
        memories: Iterable[MemoryLike] | AsyncIterable[MemoryLike],
        *,
        conflict_policy: ConflictPolicy = "keep",
        stream_id: str | None = None,
        acknowledged_sequence: int = 0,
        receipts: bool = False,
        **options: Unpack[StreamOptions],
    ) -> AsyncGenerator[IngestProgress, None]:
        """Stores memories as they arrive, read no faster than the server stores them, and reports durable ones. A
        broken stream is resumed: nothing is lost and nothing is stored twice. Ends when everything is acknowledged.

        `conflict_policy`: handling of a memory whose id exists. `stream_id` names the stream (default: a new UUID); to
        go on in another process after a crash, give the same name, the `acknowledged_sequence` of the last progress,
        and the memories behind it. `receipts` also reports the receipts of stored memories.

        A blocking client reads the memories in a thread of its own.
        """
        start = pb.IngestStart(parent=namespace_name(self._namespace), stream_id=stream_id or str(uuid.uuid4()))
        fill(start, {"conflict_policy": conflict_policy, "acknowledged_sequence": acknowledged_sequence})
        start.refusals_only = not receipts
        runs = _IngestRuns(self._connection, self._namespace, memories, start, options)
        with self._connection.flushing(runs.feed):
            async with aclosing(resuming(self._connection, runs, options)) as progress:
                async for each in progress:
                    yield each


class _IngestRuns:
    #: Ends when the server has acknowledged everything: then `open` returns.
    is_endless = False

    def __init__(
        self,
        connection: Connection,
        namespace: str,
        memories: Iterable[MemoryLike] | AsyncIterable[MemoryLike],
        start: pb.IngestStart,
        options: StreamOptions,
    ) -> None:
        self._connection = connection
        self._namespace = namespace
        self._start = start
        self._options = options
        self._next_sequence = start.acknowledged_sequence + 1
        self._revision = 0
        #: Counts of the streams before this one, and with those of this one.
        self._before = self._total = (0, 0, 0)
        self.feed: Feed[pb.IngestItem, pb.IngestBatch] = Feed(
            connection.io, memories, self._item_of, self._batch_of, _UNACKNOWLEDGED_MAX
        )

    async def open(self, attempt: Attempt) -> AsyncGenerator[IngestProgress, None]:
        connection, feed = self._connection, self.feed
        attempt.pause()
        await feed.ready()  # The source may be waiting for the messages that must be sent again.
        attempt.go_on()
        feed.raise_failure()
        if feed.is_done:
            return
        wire = await connection.open(pb.IngestMemoriesRequest, self._options, flushes=True)
        attempt.attach(wire)
        heartbeat = pb.IngestMemoriesRequest(heartbeat=stream_pb2.StreamHeartbeat())
        sender = Sender(connection.io, wire, heartbeat, connection.options.heartbeat_ms)
        is_over = [False]
        self._before = self._total
        connection.io.spawn(self._send(sender, is_over))
        cancel = self._options.get("cancel")
        asked, answered = pb.IngestMemoriesRequest, pb.IngestMemoriesResponse
        try:
            while (message := await connection.read(wire, asked, answered, cancel)) is not None:
                attempt.heard()
                kind = message.WhichOneof("message")
                if kind == "started":
                    attempt.expect_every(heartbeat_ms_of(message.started))
                elif kind == "acknowledgement":
                    progress = self._progress_of(message.acknowledgement)
                    self._drop(progress.acknowledged_sequence)
                    feed.suspended_since = connection.io.now()
                    yield progress
                    feed.suspended_since = None
                    feed.raise_failure()
                    if feed.is_done:
                        return
        finally:
            with feed.signal.lock:
                is_over[0] = True
            feed.signal.notify()
            sender.stop()
            wire.cancel()
        feed.raise_failure()
        if not feed.is_done:
            raise UnavailableError("the stream ended before everything was acknowledged", family="store")

    def recover(self, error: MnemeError) -> bool:
        return False

    async def _send(self, sender: Sender, is_over: list[bool]) -> None:
        feed = self.feed
        self._start.acknowledged_sequence = self._acknowledged
        await sender.send(pb.IngestMemoriesRequest(start=self._start))
        with feed.signal.lock:
            again = list(feed.unacknowledged)
        for batch in again:
            await sender.send(pb.IngestMemoriesRequest(batch=batch))
        while (taken := await feed.take(lambda: not is_over[0])) is not None:
            await sender.send(pb.IngestMemoriesRequest(batch=taken))
        if not is_over[0]:
            sender.end()

    @property
    def _acknowledged(self) -> int:
        first = next(iter(self.feed.unacknowledged), None)
        return (first.first_sequence if first is not None else self._next_sequence) - 1

    def _item_of(self, memory: MemoryLike, place: int) -> pb.IngestItem:
        at = f"memories[{place}]"
        item = pb.IngestItem(memory_id=id_of_memory(memory, at))
        fill_memory(item.memory, memory, self._namespace, at)
        return item

    def _batch_of(self, items: list[pb.IngestItem]) -> pb.IngestBatch:
        batch = pb.IngestBatch(first_sequence=self._next_sequence, items=items)
        self._next_sequence += len(items)
        return batch

    def _drop(self, acknowledged_sequence: int) -> None:
        feed = self.feed
        with feed.signal.lock:
            while feed.unacknowledged:
                first = feed.unacknowledged[0]
                if first.first_sequence + len(first.items) - 1 > acknowledged_sequence:
                    break
                feed.unacknowledged.popleft()
        feed.signal.notify()

    def _progress_of(self, message: pb.IngestAcknowledgement) -> IngestProgress:
        self._revision = max(self._revision, self._connection.seen_revision.note(message.revision))
        stored, existing, refused = self._before
        self._total = (
            stored + message.stored_count,
            existing + message.existing_count,
            refused + message.refused_count,
        )
        results: Any = message.results
        return IngestProgress(
            message.acknowledged_sequence,
            *self._total,
            refused=tuple(
                RefusedItem(each.sequence, error_of_status(each.error, "store"))
                for each in results
                if each.HasField("error")
            ),
            receipts=tuple(
                read(IngestReceipt, each.memory, sequence=each.sequence, revision=self._revision)
                for each in results
                if each.HasField("memory")
            ),
            revision=self._revision,
        )
