"""What a program serves over a stream that is opened again when it breaks: hooks, extraction."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

from ._attempt import Attempt
from ._connection import Connection
from ._io import Signal
from ._resuming import resuming
from .errors import MnemeError
from .options import Cancellation, StreamOptions


class ServedRuns:
    """Runs of what is served, until it is stopped."""

    is_endless = True

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._cancel = Cancellation()
        self._signal = Signal(connection.io)
        self._is_started = False
        self._is_over = False
        self._end: MnemeError | None = None

    async def start(self, options: StreamOptions) -> None:
        """Waits until the server has confirmed it, or refuses it."""
        outer = options.get("cancel")
        if outer is not None:
            outer._subscribe(self._cancel.cancel)
        self._connection.io.spawn(self._serve({**options, "cancel": self._cancel}))
        await self._signal.wait_for(lambda: self._is_started or self._is_over)
        if self._end is not None:
            raise self._end

    def stop(self) -> None:
        """The server asks no more."""
        self._cancel.cancel()

    async def wait(self) -> None:
        """Until it is stopped; raises the error that ended it."""
        await self._signal.wait_for(lambda: self._is_over)
        if self._end is not None and not self._cancel.cancelled:
            raise self._end

    async def _serve(self, options: StreamOptions) -> None:
        try:
            async with aclosing(resuming(self._connection, self, options)) as events:
                async for _ in events:
                    pass
        except MnemeError as error:
            self._end = error
        finally:
            with self._signal.lock:
                self._is_over = True
            self._signal.notify()

    def open(self, attempt: Attempt) -> AsyncGenerator[None, None]:
        """Serves over one stream."""
        raise NotImplementedError

    def recover(self, error: MnemeError) -> bool:
        return False

    def _confirm(self) -> None:
        """The server has confirmed it."""
        with self._signal.lock:
            self._is_started = True
        self._signal.notify()


def sendable(error: Exception) -> str:
    """The words of an error, with a question mark in place of what UTF-8 cannot carry."""
    return (str(error) or type(error).__name__).encode(errors="replace").decode()
