"""A server that is away is not asked again for a while: adapters stand in the way of an agent's answer."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from ._routes import listens
from .errors import DeadlineExceededError, MnemeError, UnavailableError

#: Longest wait for a server to say that it is there.
PRESENCE_S = 0.8
#: A server that answered this recently is there.
_FRESH_S = 2.0
#: For this long after a failure calls fail at once; then one asks whether the server has returned. Doubles with each
#: failure in a row. Where nothing listens, it ends as soon as something does.
_FIRST_OPEN_S = 2.0
_LONGEST_OPEN_S = 15.0


class Breaker:
    """What this process knows of one server. For many threads."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._lock = threading.Lock()
        self._answered_at = -_FRESH_S
        self._closed_at = 0.0
        self._failures = 0
        self._why = ""
        #: Whether nothing listened at the last failure.
        self._is_gone = False

    def must_ask(self) -> bool:
        """Whether the server is to be asked first. `UnavailableError` where it did not answer a moment ago."""
        with self._lock:
            now = time.monotonic()
            if self._is_gone and listens(self._address):
                self._returned(now)
            left = self._closed_at - now
            if left > 0:
                raise UnavailableError(f"{self._why}; not asked again for {left:.1f} s", retry_delay_ms=left * 1000)
            return now - self._answered_at > _FRESH_S

    @contextmanager
    def noting(self) -> Iterator[None]:
        """Remembers whether the server answered."""
        try:
            yield
        except MnemeError as error:
            self._note(error)
            raise
        self._note(None)

    def _note(self, error: MnemeError | None) -> None:
        is_gone = error is not None and is_away(error) and listens(self._address) is False
        with self._lock:
            now = time.monotonic()
            if error is None or not is_away(error):
                self._returned(now)
            else:
                self._is_gone = is_gone
                open_s = min(_FIRST_OPEN_S * 2**self._failures, _LONGEST_OPEN_S)
                self._answered_at, self._closed_at, self._why = now - _FRESH_S, now + open_s, error.message
                self._failures += 1

    def _returned(self, now: float) -> None:
        self._answered_at, self._closed_at, self._failures, self._is_gone = now, 0.0, 0, False


def is_away(error: MnemeError) -> bool:
    """Whether it was not Mneme that answered."""
    return isinstance(error, (UnavailableError, DeadlineExceededError)) and error.reason is None


_breakers: dict[str, Breaker] = {}
_adding = threading.Lock()


def breaker_of(address: str) -> Breaker:
    """The breaker of all adapters of this process for a server."""
    with _adding:
        return _breakers.setdefault(address, Breaker(address))
