"""Memories of hooks on their way to the server: a bounded queue, and a thread that sends them in order."""

from __future__ import annotations

import atexit
import contextlib
import threading
import time
import uuid
import weakref
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timezone

from ..content import Content
from ..errors import MnemeError
from ..memory import NewMemory, Scope
from ..options import Cancellation
from ._engine import Engine, log
from .errors import MemoryAPIException, MemoryStoreException

_BATCH = 200
_BATCH_BYTES = 1 << 20
#: Largest content that the server takes.
_CONTENT_BYTES_MAX = 1 << 20
_BACKOFF_S = (0.05, 5.0)
_CALL_TIMEOUT_MS = 10_000.0
#: Time for a call that was cancelled.
_JOIN_TIMEOUT_S = 1.0
_UNANSWERED = "closed while the server did not answer; it may have stored them"
#: Most memories that a report names one by one.
_NAMED_MAX = 1_000
#: Time for what waits when the process ends.
EXIT_TIMEOUT_S = 5.0


@dataclass(frozen=True)
class Record:
    """A memory that is to be stored."""

    agent_id: str
    memory_type: str
    step_number: int
    data: bytes
    """JSON."""
    priority: float
    at: float
    """When it happened, in seconds since 1970."""


@dataclass(frozen=True)
class NotStored:
    """A memory that was not stored, and will not be."""

    agent_id: str
    memory_type: str
    step_number: int
    reason: str


@dataclass(frozen=True)
class FlushReport:
    """Memories of hooks since their API was made."""

    stored: int
    pending: int
    """Memories that wait, because the server does not answer or the time was over."""
    not_stored: int
    """Memories that were given up."""
    failures: tuple[NotStored, ...]
    """The first 1,000 of those that were given up."""
    last_error: str | None
    """Why memories wait: the last failure of the server; None when it answers."""

    @property
    def complete(self) -> bool:
        """True when every memory is stored."""
        return self.pending == 0 and self.not_stored == 0


class MemoryQueue:
    """Memories in the order of `put`. `put` neither waits nor raises."""

    def __init__(self, engine: Engine, limit: int, bytes_limit: int) -> None:
        self._engine = engine
        self._limit = limit
        self._bytes_limit = bytes_limit
        self._changed = threading.Condition()
        self._waiting: deque[Record] = deque()
        self._bytes = 0
        self._batch: list[Record] = []
        self._stored = 0
        self._not_stored = 0
        self._failures: list[NotStored] = []
        self._last_error: str | None = None
        self._is_closed = False
        #: The thread still waits for an answer, and what it sends is given up.
        self._is_abandoned = False
        self._hurries = False
        self._cancel = Cancellation()
        self._thread: threading.Thread | None = None
        _queues.add(self)

    def put(self, record: Record) -> None:
        """Queues a memory. Beyond a limit it is given up, which `flush` says."""
        size = len(record.data)
        with self._changed:
            if self._is_closed:
                problem = "the API is closed"
            elif size > _CONTENT_BYTES_MAX:
                problem = f"its {size:,} bytes exceed {_CONTENT_BYTES_MAX:,}"
            elif len(self._waiting) + len(self._batch) >= self._limit:
                problem = f"the queue holds {self._limit:,} memories"
            elif self._bytes + size > self._bytes_limit:
                problem = f"the queue holds {self._bytes:,} of {self._bytes_limit:,} bytes"
            else:
                self._waiting.append(record)
                self._bytes += size
                if self._thread is None:
                    self._start()
                self._changed.notify_all()
                return
            self._give_up([record], problem)

    def flush(self, timeout_s: float) -> FlushReport:
        """Waits until every memory is stored or given up, at most so long."""
        until = time.monotonic() + timeout_s
        with self._changed:
            self._hurries = True
            self._changed.notify_all()
            while self._waiting or self._batch:
                left = until - time.monotonic()
                if left <= 0 or not self._changed.wait(left):
                    break
            self._hurries = False
            return self._report()

    def close(self, timeout_s: float) -> FlushReport:
        """Flushes, and gives up what is left. Idempotent."""
        self.flush(timeout_s)
        with self._changed:
            self._is_closed = True
            left = list(self._waiting)
            self._waiting.clear()
            self._bytes = 0
            if left:
                problem = self._last_error or "the server was too slow"
                self._give_up(left, f"closed after {timeout_s:g} s: {problem}", True)
            self._changed.notify_all()
            thread = self._thread
        self._cancel.cancel()
        if thread is not None and thread is not threading.current_thread():
            thread.join(_JOIN_TIMEOUT_S)
        with self._changed:
            if self._batch and not self._is_abandoned:
                self._give_up(self._batch, _UNANSWERED, True)
                self._batch, self._is_abandoned = [], True
            return self._report()

    def _report(self) -> FlushReport:
        pending = len(self._waiting) + len(self._batch)
        return FlushReport(self._stored, pending, self._not_stored, tuple(self._failures), self._last_error)

    def _give_up(self, records: Sequence[Record], reason: str, is_said: bool = False) -> None:
        if self._is_abandoned and threading.current_thread() is self._thread:
            return
        first = is_said or self._not_stored == 0
        self._not_stored += len(records)
        room = _NAMED_MAX - len(self._failures)
        self._failures += [NotStored(r.agent_id, r.memory_type, r.step_number, reason) for r in records[: max(0, room)]]
        # Every record of a full queue is not worth a line; powers of two are.
        if first or len(records) > 1 or self._not_stored & (self._not_stored - 1) == 0:
            steps = [record.step_number for record in records]
            agents = ", ".join(sorted({record.agent_id for record in records}))
            text = "%d memories of %s (steps %d to %d) were not stored: %s; %d in all"
            log.warning(text, len(records), agents, min(steps), max(steps), reason, self._not_stored)

    def _start(self) -> None:
        self._thread = threading.Thread(target=self._run, name="mneme-agentmemory", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while (batch := self._next_batch()) is not None:
            try:
                self._send(batch)
            except Exception as error:
                log.exception("memories of hooks could not be sent")
                with self._changed:
                    self._give_up(batch, repr(error))
            with self._changed:
                self._batch = []
                self._changed.notify_all()

    def _next_batch(self) -> list[Record] | None:
        with self._changed:
            while not self._waiting:
                if self._is_closed:
                    return None
                self._changed.wait()
            batch: list[Record] = []
            size = 0
            while self._waiting and len(batch) < _BATCH:
                size += len(self._waiting[0].data)
                if batch and size > _BATCH_BYTES:
                    break
                record = self._waiting.popleft()
                self._bytes -= len(record.data)
                batch.append(record)
            self._batch = batch
            return batch

    def _send(self, batch: Sequence[Record]) -> None:
        """Stores the batch, once, however often the server has to be asked."""
        request_id, attempt = str(uuid.uuid4()), 0
        while True:
            try:
                self._store(batch, request_id)
                return
            except (MnemeError, MemoryAPIException) as error:
                if not _may_pass(error):
                    self._one_by_one(batch, error)
                    return
                if not self._wait(error, attempt, len(batch)):
                    with self._changed:
                        self._give_up(batch, f"{_UNANSWERED}: {error}", True)
                    return
            attempt += 1

    def _store(self, batch: Sequence[Record], request_id: str) -> None:
        client = self._engine.ready(MemoryStoreException, "hooks")
        memories = [_memory_of(record) for record in batch]
        client.batch_store(memories, request_id=request_id, cancel=self._cancel, timeout_ms=_CALL_TIMEOUT_MS)
        with self._changed:
            self._stored += len(batch)
            if self._last_error is not None:
                log.info("the server answers again; %d memories wait", len(self._waiting))
            self._last_error = None
        for agent, count in Counter(record.agent_id for record in batch).items():
            self._engine.stored(agent, count)

    def _one_by_one(self, batch: Sequence[Record], error: Exception) -> None:
        if len(batch) == 1:
            with self._changed:
                self._give_up(batch, str(error))
            return
        for record in batch:
            self._send([record])

    def _wait(self, error: Exception, attempt: int, count: int) -> bool:
        """Waits before the next attempt, or until `flush` hurries; False when the queue is closed."""
        first, last = _BACKOFF_S
        with self._changed:
            if self._last_error is None:
                log.warning("%d memories wait: %s", count + len(self._waiting), error)
            self._last_error = str(error)
            until = time.monotonic() + min(last, first * 2 ** min(attempt, 10))
            while not self._is_closed and (left := until - time.monotonic()) > 0:
                self._changed.wait(first if self._hurries else left)
                if self._hurries:
                    break
            return not self._is_closed


def _may_pass(error: Exception) -> bool:
    """True for failures after which the same call may succeed."""
    if isinstance(error, MnemeError):
        return error.retryable or error.code in ("DEADLINE_EXCEEDED", "CANCELLED")
    reasons = ("UNAVAILABLE", "DEADLINE_EXCEEDED", "CANCELLED")
    return isinstance(error, MemoryStoreException) and error.context.get("code") in reasons


def _memory_of(record: Record) -> NewMemory:
    return NewMemory(
        scope=Scope(agent=record.agent_id),
        type=record.memory_type,
        step=record.step_number,
        event_time=datetime.fromtimestamp(record.at, timezone.utc),
        content=Content("application/json", record.data),
        importance=record.priority,
        priority=record.priority,
    )


_queues: weakref.WeakSet[MemoryQueue] = weakref.WeakSet()


def flush_all(timeout_s: float) -> list[FlushReport]:
    """Flushes every queue of the process, within this time."""
    until = time.monotonic() + timeout_s
    return [queue.flush(max(0.0, until - time.monotonic())) for queue in list(_queues)]


@atexit.register
def _close_all() -> None:
    until = time.monotonic() + EXIT_TIMEOUT_S
    for queue in list(_queues):
        with contextlib.suppress(Exception):
            queue.close(max(0.0, until - time.monotonic()))
