"""One stream of several that do the same, and the waits between them."""

from __future__ import annotations

from collections.abc import Callable

from ._io import Io, Wire
from .errors import CancelledError, InternalError, MnemeError, ResourceExhaustedError, UnavailableError, UnknownError
from .options import Cancellation

#: Silence after which a stream counts as broken, until the server has announced its heartbeat interval.
_SILENCE_S = 45.0
#: Number of heartbeats that may be missed.
_HEARTBEATS_MISSED = 3
HEARTBEAT_MS = 15_000.0
_FIRST_S = 0.1
_LONGEST_S = 10.0


class Attempt:
    """One stream: ended by its caller, or by silence."""

    def __init__(self, io: Io, cancel: Cancellation | None, on_open: Callable[[], None] | None = None) -> None:
        self._io = io
        self._on_open = on_open
        self._silence_s = _SILENCE_S
        self._wire: Wire | None = None
        self._is_ended = False
        self._is_paused = False
        self._is_silent = False
        self.heard_at = io.now()
        self.has_heard = False
        self._forget = cancel._subscribe(self._end) if cancel else lambda: None
        self._stop_timer: Callable[[], None] = lambda: None
        self._watch(_SILENCE_S)

    def attach(self, wire: Wire) -> None:
        """The stream to be ended when it is time."""
        self._wire = wire
        if self._is_ended:
            wire.cancel()

    def heard(self) -> None:
        """A message has come, or the reader is back."""
        self.go_on()
        if not self.has_heard:
            self.has_heard = True
            if self._on_open is not None:
                self._on_open()

    def pause(self) -> None:
        """The reader is busy, so silence is not measured."""
        self._is_paused = True

    def go_on(self) -> None:
        """The end of a pause."""
        self._is_paused = False
        self.heard_at = self._io.now()

    def expect_every(self, heartbeat_ms: float) -> None:
        """Sets the maximum interval of the server's heartbeats."""
        # An interval of 0 or less would make every stream count as silent.
        self._silence_s = (heartbeat_ms if heartbeat_ms > 0 else HEARTBEAT_MS) / 1000 * _HEARTBEATS_MISSED
        self._watch(self._silence_s)

    def cause_of(self, error: MnemeError) -> MnemeError:
        """The error to report for a stream that ended with this error."""
        if not self._is_silent:
            return error
        return UnavailableError(f"received nothing for {round(self._silence_s * 1000)} ms", family=error.family)

    def stop(self) -> None:
        """It has ended."""
        self._stop_timer()
        self._forget()

    def _end(self) -> None:
        self._is_ended = True
        if self._wire is not None:
            self._wire.cancel()

    def _watch(self, after_s: float) -> None:
        self._stop_timer()
        self._stop_timer = self._io.later(after_s, self._look)

    def _look(self) -> None:
        quiet = 0.0 if self._is_paused else self._io.now() - self.heard_at
        if quiet < self._silence_s:
            self._watch(self._silence_s - quiet)
            return
        self._is_silent = True
        if self._wire is not None:
            self._wire.replace_channel()
        self._end()


class Backoff:
    """Waits between attempts: a random time up to a limit that doubles, so that the clients of a server that restarts
    do not all come back in the same moment."""

    def __init__(self, io: Io) -> None:
        self._io = io
        self._failures = 0

    def reset(self) -> None:
        """Called after a success: the next wait is a short one."""
        self._failures = 0

    async def wait(self, error: MnemeError | None, cancel: Cancellation | None) -> None:
        """Waits at least as long as the server asks for. Ends early when it is cancelled."""
        limit = min(_LONGEST_S, _FIRST_S * 2 ** min(self._failures, 20))
        self._failures += 1
        asked = error.retry_delay_ms if isinstance(error, (UnavailableError, ResourceExhaustedError)) else None
        await self._io.sleep((asked or 0) / 1000 + self._io.random() * limit, cancel)


def is_broken(error: MnemeError, cancel: Cancellation | None) -> bool:
    """Whether a stream ended for a transient reason: the server stops or is overloaded, this reader was too slow, or
    the network failed. Any other answer of Mneme is final."""
    if cancel is not None and cancel.cancelled:
        return False
    if isinstance(error, UnavailableError):
        return True
    if isinstance(error, ResourceExhaustedError):
        return error.reason == "SLOW_CONSUMER" or error.retry_delay_ms is not None
    return isinstance(error, (InternalError, CancelledError, UnknownError)) and error.reason is None
