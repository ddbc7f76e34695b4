"""Messages of a stream that may break: the queue outlives the streams that send it."""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterable, Callable, Iterable
from contextlib import aclosing
from typing import Any, Generic, TypeVar

from google.protobuf.message import Message

from ._io import Io, Signal
from .errors import CancelledError

B = TypeVar("B")
I = TypeVar("I", bound=Message)  # noqa: E741

#: Limits of one message, and what is read ahead of it.
_COUNT_MAX = 256
_BYTES_MAX = 1024 * 1024
_AHEAD_MAX = 2 * _COUNT_MAX


class Feed(Generic[I, B]):
    """Reads a source in parallel with sending, and groups what is there into batches: a quick source makes large ones,
    of a slow one each item is sent as soon as it comes."""

    def __init__(
        self,
        io: Io,
        source: Iterable[Any] | AsyncIterable[Any],
        item_of: Callable[[Any, int], I],
        batch_of: Callable[[list[I]], B],
        unacknowledged_max: int,
    ) -> None:
        self.signal = Signal(io)
        #: Batches that were sent, or are to be sent again, in their order.
        self.unacknowledged: deque[B] = deque()
        self._io = io
        self._source = source
        self._item_of = item_of
        self._batch_of = batch_of
        self._unacknowledged_max = unacknowledged_max
        self._items: deque[I] = deque()
        self._is_read = False
        self._is_stopped = False
        self._failure: BaseException | None = None
        self._reading: Any = None
        #: Time since which no caller waits for acknowledgements; None while one does.
        self.suspended_since: float | None = None
        #: Time of the source's last item, or of its start.
        self.read_at = io.now()

    @property
    def is_done(self) -> bool:
        """All messages were sent and acknowledged."""
        return self._is_read and self._failure is None and not self._items and not self.unacknowledged

    @property
    def is_settled(self) -> bool:
        """All that was read is acknowledged, and no more is read."""
        return self._is_read and not self._items and not self.unacknowledged

    def raise_failure(self) -> None:
        """Raises the source's exception, after all items before it were taken."""
        if self._failure is not None and not self._items and not self.unacknowledged:
            raise self._failure

    async def ready(self) -> None:
        """Waits until an item is available, or the source has ended."""
        if self._reading is None:
            self._reading = self._io.spawn(self._read())
        await self.signal.wait_for(
            lambda: bool(self._items or self.unacknowledged) or self._is_read or self._is_stopped
        )

    async def take(self, is_current: Callable[[], bool]) -> B | None:
        """The next batch, unacknowledged from now on; None when all were taken or the stream is over."""
        await self.signal.wait_for(
            lambda: (
                (bool(self._items) and len(self.unacknowledged) < self._unacknowledged_max)
                or (self._is_read and not self._items)
                or not is_current()
            )
        )
        with self.signal.lock:
            if not is_current() or not self._items:
                return None
            some: list[I] = []
            size = 0
            while self._items and len(some) < _COUNT_MAX:
                size += self._items[0].ByteSize()
                if some and size > _BYTES_MAX:
                    break
                some.append(self._items.popleft())
            batch = self._batch_of(some)
            self.unacknowledged.append(batch)
        self.signal.notify()
        return batch

    def stop(self) -> None:
        """Reads no more."""
        with self.signal.lock:
            self._is_stopped = True
        self.signal.notify()

    def finish(self) -> None:
        """Stops reading because the client is closed; items already read are still sent."""
        with self.signal.lock:
            if not self._is_read:
                self._failure = CancelledError("the client is closed", family="store")
                self._is_read = self._is_stopped = True
        self.signal.notify()

    async def _read(self) -> None:
        place = 0
        try:
            async with aclosing(self._io.iterate(self._source)) as given:  # type: ignore[type-var]
                async for each in given:
                    self.read_at = self._io.now()
                    item = self._item_of(each, place)
                    place += 1
                    if len(self._items) >= _AHEAD_MAX:
                        await self.signal.wait_for(lambda: len(self._items) < _AHEAD_MAX or self._is_stopped)
                    with self.signal.lock:
                        if self._is_stopped:
                            return
                        self._items.append(item)
                    self.signal.notify()
        except BaseException as error:  # The reader of the progress gets the error.
            self._failure = self._failure or error
            if not isinstance(error, Exception):
                raise
        finally:
            with self.signal.lock:
                self._is_read = True
            self.signal.notify()
