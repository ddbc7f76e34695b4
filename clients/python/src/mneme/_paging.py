"""Lists that come in pages."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from typing import TypeVar

from .errors import DataLossError, InternalError

I = TypeVar("I")  # noqa: E741
OnDamaged = Callable[[list[str]], None]


class Damage:
    """Reports unreadable items as they occur; without a listener, `finish` fails, after all others."""

    def __init__(self, on_damaged: OnDamaged | None, what: str = "memories") -> None:
        self._on_damaged = on_damaged
        self._what = what
        self._ids: list[str] = []

    def note(self, ids: Iterable[str]) -> None:
        """Records ids of unreadable items."""
        found = list(ids)
        if not found:
            return
        if self._on_damaged is not None:
            self._on_damaged(found)
        else:
            self._ids += found

    def finish(self) -> None:
        """Raises `DataLossError` where somebody should know."""
        if self._ids:
            some = ", ".join(self._ids[:10])
            text = f"{len(self._ids)} {self._what} cannot be read, their bytes are damaged: {some}"
            raise DataLossError(text, reason="CHECKSUM_MISMATCH", family="retrieval")


async def items_of_pages(
    read_page: Callable[[str], Awaitable[tuple[Iterable[I], str]]], damage: Damage | None = None
) -> AsyncGenerator[I, None]:
    """Items of all pages, read on demand. `read_page` takes a page token and gives the next one."""
    token = ""
    while True:
        items, following = await read_page(token)
        for item in items:
            yield item
        if not following:
            break
        if following == token:
            raise InternalError("the answer has no new page token: the server repeats the last one", family="retrieval")
        token = following
    if damage is not None:
        damage.finish()
