"""The channels of long streams."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

C = TypeVar("C")


class StreamChannels(Generic[C]):
    """Long streams have a channel for themselves, so that their data does not delay short calls. One on which a stream
    has missed its heartbeats is replaced: new streams get another one, and it is closed when the last of its own
    streams has ended. At most one channel takes new streams, and none is replaced before a stream that began on it was
    silent for its limit. For many threads."""

    def __init__(self, new: Callable[[], C], close: Callable[[C], object]) -> None:
        self._new = new
        self._close = close
        self._lock = threading.Lock()
        self._current: C | None = None
        #: How many streams keep each channel open.
        self._streams: dict[C, int] = {}

    def take(self) -> C:
        """The channel for a new stream, which is kept open until `release`."""
        with self._lock:
            if self._current is None:
                self._current = self._new()
            self._streams[self._current] = self._streams.get(self._current, 0) + 1
            return self._current

    def release(self, channel: C) -> None:
        """A stream of this channel has ended."""
        with self._lock:
            if channel in self._streams:
                self._streams[channel] -= 1
        self._close_unused(channel)

    def replace(self, silent: C) -> None:
        """A stream of this channel was silent for too long. A channel that was replaced already stays so."""
        with self._lock:
            if self._current is silent:
                self._current = None
        self._close_unused(silent)

    def take_all(self) -> list[C]:
        """All open channels, to be closed by the caller."""
        with self._lock:
            channels = list(self._streams)
            self._streams = {}
            return channels

    def _close_unused(self, channel: C) -> None:
        with self._lock:
            if channel is self._current or self._streams.get(channel) != 0:
                return
            del self._streams[channel]
        self._close(channel)
