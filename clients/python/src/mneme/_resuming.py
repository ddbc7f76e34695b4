"""Streams that are opened again whenever they break."""

from __future__ import annotations

import math
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Protocol, TypeVar

from ._attempt import Attempt, Backoff, is_broken
from ._connection import Connection
from .errors import CancelledError, MnemeError, UnavailableError
from .options import StreamOptions

M = TypeVar("M", covariant=True)


class Runs(Protocol[M]):
    """Runs of a stream, one after the other, as one sequence of messages."""

    #: True when it never ends normally: a stream that ends was cut off.
    is_endless: bool

    def open(self, attempt: Attempt) -> AsyncGenerator[M, None]:
        """Opens another stream, which continues where the last one ended. Done when it ends by itself."""

    def recover(self, error: MnemeError) -> bool:
        """A way out of an error that is final otherwise; True when the stream is to be opened again."""


async def resuming(connection: Connection, runs: Runs[M], options: StreamOptions) -> AsyncGenerator[M, None]:
    """Messages of all runs."""
    io, cancel = connection.io, options.get("cancel")
    on_broken, patience = options.get("on_broken"), options.get("patience_ms", math.inf) / 1000
    backoff = Backoff(io)
    heard_at = io.now()
    while True:
        attempt = Attempt(io, cancel, options.get("on_open"))
        failure: MnemeError
        try:
            async with aclosing(runs.open(attempt)) as messages:
                async for message in messages:
                    attempt.heard()
                    attempt.pause()
                    yield message
                    attempt.heard()
            if not runs.is_endless:
                return
            failure = UnavailableError("the stream ended before its time")
        except MnemeError as error:
            failure = attempt.cause_of(error)
        finally:
            attempt.stop()
        if attempt.has_heard:
            backoff.reset()
            heard_at = attempt.heard_at
        _assert_not_cancelled(options)
        if runs.recover(failure):
            continue
        if not connection.reopens or not is_broken(failure, cancel) or io.now() - heard_at > patience:
            raise failure
        if on_broken is not None:
            on_broken(failure)
        await backoff.wait(failure, cancel)
        _assert_not_cancelled(options)


def _assert_not_cancelled(options: StreamOptions) -> None:
    cancel = options.get("cancel")
    if cancel is not None and cancel.cancelled:
        raise CancelledError("cancelled by the caller")
