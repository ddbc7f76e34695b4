"""What adapters of asyncio frameworks have in common: the calls of the blocking client, which suit every event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

from .errors import MnemeError

T = TypeVar("T")
N = TypeVar("N")

_NOTHING_STORED = ("NAMESPACE_NOT_FOUND", "CONVERSATION_NOT_FOUND", "MEMORY_NOT_FOUND")


def stored(call: Callable[[], T], nothing: N) -> T | N:
    """The result of a call, or `nothing` when what it is about was never stored."""
    try:
        return call()
    except MnemeError as error:
        if error.reason in _NOTHING_STORED:
            return nothing
        raise


async def writing(call: Callable[[], T]) -> T:
    """The result of a write in a thread of its own. A task that is cancelled meanwhile ends after it: the write does
    not take effect later than what the program does next."""
    write = asyncio.ensure_future(asyncio.to_thread(call))
    cancelled: asyncio.CancelledError | None = None
    while not write.done():
        try:
            await asyncio.wait({write})
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        write.exception()  # Otherwise asyncio logs an error that was never read.
        raise cancelled
    return write.result()


def cut(text: str, most: int) -> str:
    """At most so many bytes of the text as UTF-8, as the server accepts it: without NULs and halves of characters."""
    return text.replace("\0", "").encode(errors="replace")[:most].decode(errors="ignore")
