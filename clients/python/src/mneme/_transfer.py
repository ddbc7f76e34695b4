"""Export and import of memories."""

from __future__ import annotations

import math
import re
from collections.abc import AsyncGenerator, AsyncIterable, Callable, Iterable
from contextlib import aclosing
from typing import Any

from typing_extensions import Unpack

from ._attempt import Backoff, is_broken
from ._connection import Connection
from ._face import Calls, call, stream
from ._feed import Feed
from ._names import id_in, memory_name, namespace_name, new_uuid_v7
from ._paging import Damage, OnDamaged
from ._read import read
from ._write import fill, fill_memory
from .changes import ExportProgress, ImportProgress, ImportResult, RefusedMemory
from .errors import MnemeError, UnavailableError, Violation
from .filters import FilterLike
from .memory import ImportedMemory, Memory, MemoryLike
from .options import CallOptions
from .results import ConflictPolicy
from .v1 import memory_pb2
from .v1 import memory_service_pb2 as pb

#: Messages that may be on the way without an acknowledgement: enough to keep the server busy.
_UNACKNOWLEDGED_MAX = 4
#: Streams in a row that broke without a single acknowledgement.
_FAILURES_MAX = 4
#: Errors that are the fault of a memory: others may be stored all the same.
_OF_MEMORY = {"FIELD_INVALID", "DIMENSION_MISMATCH", "MODEL_MISMATCH", "MESSAGE_TOO_LARGE"}
_NAMED = re.compile(r"memories\[(\d+)\]\.?(.*)")


class TransferCalls(Calls):
    """Memories as they are, out of a namespace and into one."""

    @stream
    async def export_memories(
        self,
        *,
        filter: FilterLike | None = None,
        on_progress: Callable[[ExportProgress], None] | None = None,
        on_damaged: OnDamaged | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncGenerator[Memory, None]:
        """Every memory of the namespace with its vector, in the order of storing. No deadline unless `timeout_ms` is
        set; the server waits while the reader is slow.

        `on_damaged` is called with ids of memories that cannot be read; without it the export ends with `DataLossError`
        after all others.
        """
        damage = Damage(on_damaged)
        request = pb.ExportMemoriesRequest(parent=namespace_name(self._namespace))
        fill(request, {"filter": filter})
        messages = self._connection.messages(request, pb.ExportMemoriesResponse, options)
        async with aclosing(messages):
            async for message in messages:
                if on_progress is not None:
                    on_progress(read(ExportProgress, message))
                damage.note(map(id_in, message.damaged))
                for memory in message.memories:
                    yield read(Memory, memory)
        damage.finish()

    @call
    async def import_memories(
        self,
        memories: Iterable[MemoryLike | ImportedMemory] | AsyncIterable[MemoryLike | ImportedMemory],
        *,
        conflict_policy: ConflictPolicy = "keep",
        on_progress: Callable[[ImportProgress], None] | None = None,
        on_refused: Callable[[RefusedMemory], None] | None = None,
        **options: Unpack[CallOptions],
    ) -> ImportResult:
        """Stores memories unchanged, with their ids, times and counts, reading them no faster than the server stores
        them. No deadline unless `timeout_ms` is given.

        After an interruption it continues after the last acknowledged message, unless `conflict_policy` is `fail`.
        After an error, acknowledged memories stay stored; importing the same memories again with the same ids changes
        nothing. `on_refused` is called for each memory that cannot be stored, such as one whose text is too long; the
        others are stored. Without it the first refusal ends the import with its error.
        """
        run = _Import(self._connection, self._namespace, memories, conflict_policy, on_progress, options)
        with self._connection.flushing(run.feed):
            return await run.all(on_refused)


class _Import:
    def __init__(
        self,
        connection: Connection,
        namespace: str,
        memories: Iterable[Any] | AsyncIterable[Any],
        conflict_policy: ConflictPolicy,
        on_progress: Callable[[ImportProgress], None] | None,
        options: CallOptions,
    ) -> None:
        self._connection = connection
        self._namespace = namespace
        self._conflict_policy = conflict_policy
        self._on_progress = on_progress
        self._options = options
        self._ends_at = self._connection.io.now() + options.get("timeout_ms", math.inf) / 1000
        self._originals: dict[str, Any] = {}
        self._keeps_originals = False
        self._total = ImportResult(0, 0, 0)
        self._failures = 0
        self.feed: Feed[memory_pb2.Memory, pb.ImportMemoriesRequest] = Feed(
            connection.io, memories, self._message_of, self._request_of, _UNACKNOWLEDGED_MAX
        )

    async def all(self, on_refused: Callable[[RefusedMemory], None] | None) -> ImportResult:
        self._keeps_originals = on_refused is not None
        backoff, cancel = Backoff(self._connection.io), self._options.get("cancel")
        while True:
            await self.feed.ready()
            self.feed.raise_failure()
            if self.feed.is_done:
                return self._total
            try:
                await self._send_over_one_stream()
            except MnemeError as error:
                if on_refused is not None and self._without_refused(error, on_refused):
                    continue
                self._failures += 1
                may_resume = self._connection.reopens and self._conflict_policy != "fail"
                if (
                    not may_resume
                    or self._failures > _FAILURES_MAX
                    or not is_broken(error, cancel)
                    or self._left_ms() <= 0
                ):
                    raise
                await backoff.wait(error, cancel)

    def _left_ms(self) -> float:
        """Time left of the timeout, over all streams."""
        return max(0.0, (self._ends_at - self._connection.io.now()) * 1000)

    async def _send_over_one_stream(self) -> None:
        connection, feed, before = self._connection, self.feed, self._total
        wire = await connection.open(pb.ImportMemoriesRequest, self._options, self._left_ms(), flushes=True)
        cancel = self._options.get("cancel")
        forget = cancel._subscribe(wire.cancel) if cancel is not None else lambda: None
        is_over = [False]

        async def send() -> None:
            with feed.signal.lock:
                again = list(feed.unacknowledged)
            for request in again:
                await wire.write(request)
            while (taken := await feed.take(lambda: not is_over[0])) is not None:
                await wire.write(taken)
            if not is_over[0]:
                wire.end()

        connection.io.spawn(send())
        acknowledged = 0
        asked, answered = pb.ImportMemoriesRequest, pb.ImportMemoriesResponse
        try:
            while (message := await connection.read(wire, asked, answered, cancel)) is not None:
                with feed.signal.lock:
                    for _ in range(message.acknowledged_count - acknowledged):
                        self._forget_originals(feed.unacknowledged.popleft())
                acknowledged = message.acknowledged_count
                feed.signal.notify()
                self._note(message, before)
        finally:
            with feed.signal.lock:
                is_over[0] = True
            feed.signal.notify()
            forget()
            wire.cancel()
        if not feed.is_done:
            feed.raise_failure()
            raise UnavailableError("the server ended the import before it was complete", family="store")

    def _note(self, message: pb.ImportMemoriesResponse, before: ImportResult) -> None:
        self._failures = 0
        stored = before.stored_count + message.stored_count
        skipped = before.skipped_count + message.skipped_count
        revision = self._connection.seen_revision.note(message.revision)
        self._total = ImportResult(stored, skipped, revision)
        if self._on_progress is not None:
            self._on_progress(ImportProgress(stored, skipped))

    def _message_of(self, memory: Any, place: int) -> memory_pb2.Memory:
        """Each memory gets its id here at the latest, so that it can be sent again without being stored twice."""
        message = memory_pb2.Memory()
        fill_memory(message, memory, self._namespace, f"memories[{place}]", with_name=True)
        if not message.name:
            message.name = memory_name(self._namespace, new_uuid_v7())
        if self._keeps_originals:
            self._originals[message.name] = memory
        return message

    def _request_of(self, messages: list[memory_pb2.Memory]) -> pb.ImportMemoriesRequest:
        request = pb.ImportMemoriesRequest(parent=namespace_name(self._namespace), memories=messages)
        fill(request, {"conflict_policy": self._conflict_policy})
        return request

    def _forget_originals(self, request: pb.ImportMemoriesRequest) -> None:
        if self._keeps_originals:
            for memory in request.memories:
                self._originals.pop(memory.name, None)

    def _without_refused(self, error: MnemeError, on_refused: Callable[[RefusedMemory], None]) -> bool:
        """Removes the refused memories from the first unacknowledged message, which the error is about; where the error
        does not name them, its memories are sent one by one. False for errors that are no memory's."""
        places = _refused_places(error)
        unacknowledged = self.feed.unacknowledged
        if places is None or not unacknowledged:
            return False
        request = unacknowledged[0]
        is_alone = len(request.memories) == 1
        kept = []
        for place, memory in enumerate(request.memories):
            refusal = places.get(place) or (error if is_alone else None)
            if refusal is None:
                kept.append(memory)
            else:
                on_refused(RefusedMemory(self._originals.pop(memory.name, None), refusal))
        with self.feed.signal.lock:
            unacknowledged.popleft()
            rest = [[memory] for memory in kept] if not places and not is_alone else [kept] if kept else []
            unacknowledged.extendleft(self._request_of(some) for some in reversed(rest))
        return True


def _refused_places(error: MnemeError) -> dict[int, MnemeError] | None:
    """Positions of the refused memories in a message. None of them where the error does not name them: each then has to
    be sent separately. `undefined` for errors that no memory caused."""
    if error.reason not in _OF_MEMORY:
        return None
    found: dict[int, list[Violation]] = {}
    for violation in error.violations:
        named = _NAMED.fullmatch(violation.field)
        if named is None:
            return None if error.reason == "FIELD_INVALID" else {}
        found.setdefault(int(named[1]), []).append(Violation(named[2], violation.description))
    return {place: _refusal(error, violations) for place, violations in found.items()}


def _refusal(error: MnemeError, violations: list[Violation]) -> MnemeError:
    text = "; ".join(f"{each.field}: {each.description}" if each.field else each.description for each in violations)
    return type(error)(
        text, reason=error.reason, metadata=error.metadata, violations=tuple(violations), family=error.family
    )
