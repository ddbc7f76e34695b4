"""A key-value store of LangChain in a namespace of Mneme."""

from __future__ import annotations

import hashlib
import re
from collections.abc import AsyncIterator, Iterator, Sequence
from datetime import datetime, timedelta, timezone
from typing import Any

from langchain_core.stores import ByteStore, InvalidKeyException

from .._adapters import in_thread
from .._documents import Documents
from .._known import strict
from ..client import Mneme
from ..content import Content
from ..filters import Filter, where
from ..options import Cancellation
from ._document import refused_as_value_errors

_TIMEOUT_MS = 30_000
_NAME = re.compile(r"[A-Za-z0-9._-]{1,64}")
_KEY_BYTES = 900
#: No recall returns what is not valid at any time of interest.
_NEVER_VALID = {
    "valid_from": datetime(1970, 1, 1, tzinfo=timezone.utc),
    "valid_until": datetime(1970, 1, 2, tzinfo=timezone.utc),
}


class MnemeByteStore(ByteStore):
    """Bytes by key, as memories of type `blob`, which recall leaves out. It may share a namespace with others.

    Keys have at most 900 bytes, values 1 MiB. `InvalidKeyException` for other keys.
    """

    @strict
    def __init__(
        self, client: Mneme, *, name: str = "default", ttl: timedelta | None = None, timeout_ms: float = _TIMEOUT_MS
    ) -> None:
        """`name`: stores of different names in one namespace have different keys; up to 64 characters of
        `[A-Za-z0-9._-]`. `ttl`: how long values are kept after they were set (default: for ever)."""
        if not _NAME.fullmatch(name):
            raise ValueError(f"name must be 1 to 64 characters of [A-Za-z0-9._-], got {name!r}")
        if ttl is not None and ttl <= timedelta():
            raise ValueError(f"ttl must be more than nothing, got {ttl}")
        self._prefix = f"{name}:"
        self._ttl = ttl
        self._values = Documents(client, "blob", timeout_ms)

    def mget(self, keys: Sequence[str]) -> list[bytes | None]:
        """Values in the order of the keys, None for those that are not there."""
        return self._get(keys, Cancellation())

    async def amget(self, keys: Sequence[str]) -> list[bytes | None]:
        """As `mget`."""
        return await in_thread(lambda cancel: self._get(keys, cancel))

    def mset(self, key_value_pairs: Sequence[tuple[str, bytes]]) -> None:
        """Sets values, in place of earlier ones. Values before a refused one may be set."""
        self._set(key_value_pairs, Cancellation())

    async def amset(self, key_value_pairs: Sequence[tuple[str, bytes]]) -> None:
        """As `mset`."""
        await in_thread(lambda cancel: self._set(key_value_pairs, cancel))

    def mdelete(self, keys: Sequence[str]) -> None:
        """Deletes keys; those that are not there are passed over."""
        self._values.erase(map(self._id, keys), Cancellation())

    async def amdelete(self, keys: Sequence[str]) -> None:
        """As `mdelete`."""
        await in_thread(lambda cancel: self._values.erase(map(self._id, keys), cancel))

    def yield_keys(self, *, prefix: str | None = None) -> Iterator[str]:
        """Keys that begin with the prefix, in the order of their first values."""
        return self._keys(prefix, Cancellation())

    async def ayield_keys(self, *, prefix: str | None = None) -> AsyncIterator[str]:
        """As `yield_keys`."""
        for key in await in_thread(lambda cancel: list(self._keys(prefix, cancel))):
            yield key

    def clear(self) -> int:
        """Deletes all keys of the store; returns how many there were."""
        return self._values.erase_where(self._below(None), Cancellation())

    async def aclear(self) -> int:
        """As `clear`."""
        return await in_thread(lambda cancel: self._values.erase_where(self._below(None), cancel))

    def _keys(self, prefix: str | None, cancel: Cancellation) -> Iterator[str]:
        start = len(self._prefix)
        for memory in self._values.scan(self._below(prefix), cancel, "metadata"):
            yield (memory.source.uri or "")[start:]

    def _get(self, keys: Sequence[str], cancel: Cancellation) -> list[bytes | None]:
        ids = [self._id(key) for key in keys]
        found = self._values.read(ids, cancel)
        contents = [found[id].content if id in found else None for id in ids]
        return [None if content is None else content.data for content in contents]

    def _set(self, pairs: Sequence[tuple[str, bytes]], cancel: Cancellation) -> None:
        fixed: dict[str, Any] = {} if self._ttl is None else {"expire_time": datetime.now(timezone.utc) + self._ttl}
        fixed.update(_NEVER_VALID)
        memories = []
        for key, value in pairs:
            if not isinstance(value, (bytes, bytearray, memoryview)):
                raise ValueError(f"the value of {key!r} must be bytes, got {type(value).__name__}")
            content = Content("application/octet-stream", bytes(value))
            memories.append({**fixed, "id": self._id(key), "content": content, "source": {"uri": self._prefix + key}})
        with refused_as_value_errors():
            self._values.put(memories, "replace", cancel)

    def _id(self, key: str) -> str:
        if not isinstance(key, str):
            raise InvalidKeyException(f"a key must be a text, got {type(key).__name__}")
        try:
            encoded = key.encode()
        except UnicodeEncodeError:
            raise InvalidKeyException(f"the key {key!r} is not well-formed Unicode") from None
        if not 0 < len(encoded) <= _KEY_BYTES or not key.isprintable():
            raise InvalidKeyException(f"a key must have 1 to {_KEY_BYTES} bytes and no control characters, got {key!r}")
        return "~kv-" + hashlib.sha256(self._prefix.encode() + encoded).hexdigest()

    def _below(self, prefix: str | None) -> Filter:
        return where.source_uri.starts_with(self._prefix + (prefix or ""))
