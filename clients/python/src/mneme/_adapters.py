"""What adapters of frameworks have in common: calls of the blocking client, which suit every event loop."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from .client import Mneme
from .errors import MnemeError
from .memory import Memory
from .options import Cancellation
from .recall import RecallResult

_WORD = re.compile(r"\w+")
#: Of Latin, wide, Arabic, Greek and Armenian script.
_QUESTION_MARKS = ("?", "\uff1f", "\u061f", "\u037e", "\u055e")
#: Share of the words of two questions that ask the same.
_SAME_SHARE = 0.7

T = TypeVar("T")
N = TypeVar("N")

#: Bytes of messages in a request, below the 4 MiB that a message of gRPC has.
REQUEST_BYTES = 1_500_000
_QUERY_BYTES = 8_192
_MESSAGE_OVERHEAD_BYTES = 1_000
_NOTHING_STORED = ("NAMESPACE_NOT_FOUND", "CONVERSATION_NOT_FOUND", "MEMORY_NOT_FOUND")


def guarded(client: Mneme) -> Mneme:
    """The client, whose calls fail at once for a while after its server did not answer."""
    return Mneme(client._connection.guarded(), client.namespace)


def stored(call: Callable[[], T], nothing: N) -> T | N:
    """The result of a call, or `nothing` when what it is about was never stored."""
    try:
        return call()
    except MnemeError as error:
        if error.reason in _NOTHING_STORED:
            return nothing
        raise


async def in_thread(call: Callable[[Cancellation], T], cancel: Cancellation | None = None) -> T:
    """The result of blocking calls in a thread. Cancelling the task cancels the calls."""
    cancel = cancel or Cancellation()
    try:
        return await asyncio.to_thread(call, cancel)
    except asyncio.CancelledError:
        cancel.cancel()
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


def recalled(
    client: Mneme, query: Mapping[str, Any], read: Callable[[list[str]], Mapping[str, Memory]]
) -> RecallResult:
    """The answer of a recall. Hits that are too large for one answer are read by their ids, page by page."""
    try:
        return client.recall(**query)
    except MnemeError as error:
        if error.reason != "MESSAGE_TOO_LARGE":
            raise
    answer = client.recall(**{**query, "view": "metadata"})
    found = read([hit.memory.id for hit in answer.hits])
    hits = tuple(replace(hit, memory=found[hit.memory.id]) for hit in answer.hits if hit.memory.id in found)
    return replace(answer, hits=hits)


def batches(items: Iterable[T], size_of: Callable[[T], int], most_bytes: int, most: int = 1_000) -> Iterator[list[T]]:
    """The items in their order, in lists of at most so many bytes and items. A larger item is in a list of its own."""
    batch: list[T] = []
    size = 0
    for item in items:
        own = size_of(item)
        if batch and (size + own > most_bytes or len(batch) == most):
            yield batch
            batch, size = [], 0
        batch.append(item)
        size += own
    if batch:
        yield batch


def message_bytes(message: Mapping[str, Any]) -> int:
    """Bytes that a message of a conversation has in a request, or a little more."""
    blocks: Sequence[Mapping[str, Any]] = message["blocks"]
    return _MESSAGE_OVERHEAD_BYTES + sum(
        len(each["data"].data) if "data" in each else len(json.dumps(each, ensure_ascii=False).encode(errors="replace"))
        for each in blocks
    )


def query_text(text: str) -> str:
    """As much of a query as the server searches."""
    return cut(text, _QUERY_BYTES).strip()


def cut(text: str, most: int) -> str:
    """At most so many bytes of the text as UTF-8, as the server accepts it: without NULs and halves of characters."""
    return text.replace("\0", "").encode(errors="replace")[:most].decode(errors="ignore")


def is_asked_again(memory: Memory, query: str) -> bool:
    """Whether the memory is a question of a former turn that asks the same: it is no answer to itself."""
    if memory.type != "message" or memory.text.rstrip()[-1:] not in _QUESTION_MARKS:
        return False
    asked, before = set(_WORD.findall(query.casefold())), set(_WORD.findall(memory.text.casefold()))
    if memory.text.strip().casefold() == query.strip().casefold():
        return True
    return len(asked & before) >= _SAME_SHARE * max(len(asked), len(before), 1)
