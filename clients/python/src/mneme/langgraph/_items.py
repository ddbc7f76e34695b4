"""Items of a store as memories: their ids, addresses and texts."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Literal, NamedTuple

from langgraph.store.base import InvalidNamespaceError, Item, PutOp, SearchItem, get_text_at_path

from ..content import Content
from ..filters import Filter, where
from ..memory import Memory
from ..recall import RecallHit

#: `source.origin` of every item.
ORIGIN = "langgraph"
#: Tag of an item without texts to search.
UNINDEXED = "langgraph-unindexed"
_TTL_TAG = "langgraph-ttl-minutes:"
#: Text of an item that must not be searched: the server would derive one from the content.
_NO_TEXT = "-"
_ADDRESS_BYTES = 1_024
_TEXT_BYTES = 65_536
_ESCAPED = re.compile(r"[\x00-\x1f\x7f%]")
_ESCAPE = re.compile(r"%([0-9a-f]{2})")


class Address(NamedTuple):
    """Namespace and key of an item."""

    namespace: tuple[str, ...]
    key: str


def address_text(namespace: Sequence[str], key: str) -> str:
    """The address in `source.uri`: each label with a dot after it, a dot, the key. Labels have no dots and are not
    empty, so that the first two dots in a row are the end of the namespace."""
    text = _ESCAPED.sub(lambda found: f"%{ord(found[0]):02x}", f"{_prefix_text(namespace)}.{key}")
    size = len(text.encode(errors="surrogatepass"))
    if size > _ADDRESS_BYTES:
        raise ValueError(f"namespace and key: must have at most {_ADDRESS_BYTES} bytes together, got {size}")
    return text


def address_of(memory: Memory) -> Address | None:
    """The address of an item; None for a memory that is none."""
    labels, dots, key = (memory.source.uri or "").partition("..")
    if memory.source.origin != ORIGIN or not dots or not labels:
        return None
    return Address(tuple(_unescaped(label) for label in labels.split(".")), _unescaped(key))


def item_id(namespace: Sequence[str], key: str) -> str:
    """Id of the memory of an item."""
    text = address_text(namespace, key).encode(errors="surrogatepass")
    return f"lg-{hashlib.sha256(text).hexdigest()}"


def items_within(prefix: Sequence[str]) -> Filter:
    """The items of a namespace and of all below it."""
    items = where.source_origin.equals(ORIGIN)
    if not prefix:
        return items
    return items & where.source_uri.starts_with(
        _ESCAPED.sub(lambda found: f"%{ord(found[0]):02x}", _prefix_text(prefix))
    )


def memory_of(op: PutOp, fields: Sequence[str] | None, now: datetime) -> dict[str, Any]:
    """The memory of an item that is put."""
    if not op.namespace:
        raise InvalidNamespaceError("Namespace cannot be empty.")
    if not isinstance(op.value, Mapping):
        raise TypeError(f"value: must be a mapping, got {type(op.value).__name__}")
    text = _text_of(op.value, fields if op.index is None else op.index)
    tags = [UNINDEXED] if text == _NO_TEXT else []
    if op.ttl is not None:
        tags.append(f"{_TTL_TAG}{float(op.ttl)!r}")
    return {
        "id": item_id(op.namespace, op.key),
        "source": {"origin": ORIGIN, "uri": address_text(op.namespace, op.key)},
        "content": Content.from_json(dict(op.value)),
        "text": text,
        "tags": tags,
        "event_time": now,
        "expire_time": None if op.ttl is None else expiry(op.ttl, now),
    }


def expiry(ttl_minutes: float, now: datetime) -> datetime:
    """Time at which an item expires that is put or read now."""
    if isinstance(ttl_minutes, bool) or not isinstance(ttl_minutes, (int, float)):
        raise TypeError(f"ttl: must be a number of minutes, got {type(ttl_minutes).__name__}")
    if not 0 < ttl_minutes < math.inf:
        raise ValueError(f"ttl: must be finite and greater than 0 minutes, got {ttl_minutes}")
    try:
        return now + timedelta(minutes=ttl_minutes)
    except OverflowError:
        raise ValueError(f"ttl: must end before the year 10000, got {ttl_minutes} minutes") from None


def ttl_minutes_of(memory: Memory) -> float | None:
    """Time to live of an item, which each read that refreshes it begins anew."""
    found = next((tag for tag in memory.tags if tag.startswith(_TTL_TAG)), None)
    return None if found is None else float(found.removeprefix(_TTL_TAG))


def value_of(memory: Memory) -> dict[str, Any] | None:
    """The value of an item; None for a memory that is none."""
    content = memory.content
    value = content.json() if content is not None and content.media_type == "application/json" else None
    return value if isinstance(value, dict) and address_of(memory) is not None else None


def item_of(memory: Memory) -> Item:
    """The item of a memory."""
    return Item(**_fields_of(memory))


class FoundItem(SearchItem):
    """An item that a search found."""

    __slots__ = ("relevance",)

    def __init__(self, *, relevance: float | None = None, **given: Any) -> None:
        """`relevance`: probability that it answers the query, 0 to 1. None: it was not found by the query."""
        super().__init__(**given)
        self.relevance = relevance

    def dict(self) -> dict[str, Any]:
        """As of `SearchItem`, with the relevance."""
        return {**super().dict(), "relevance": self.relevance}


def found_item_of(memory: Memory, hit: RecallHit | None) -> FoundItem:
    """The same, as the hit of a search."""
    scores = {} if hit is None else {"score": hit.score, "relevance": hit.relevance}
    return FoundItem(**_fields_of(memory), **scores)


def _fields_of(memory: Memory) -> dict[str, Any]:
    address = address_of(memory)
    assert address is not None
    # The times are of two clocks: that of the server, and that of the program that put the item.
    updated_at = max(memory.create_time, memory.event_time)
    return {
        "value": value_of(memory),
        "key": address.key,
        "namespace": address.namespace,
        "created_at": memory.create_time,
        "updated_at": updated_at,
    }


def _text_of(value: Mapping[str, Any], paths: Literal[False] | Sequence[str] | None) -> str | None:
    """Text to search; None for that of the whole value."""
    if paths is None:
        return None
    if paths is False:
        return _NO_TEXT
    if isinstance(paths, str):
        raise TypeError("index: must be False or a list of paths, got str")
    if "$" in paths:
        return None
    texts = [text for path in paths for text in get_text_at_path(value, path)]
    text = "\n".join(texts).encode(errors="replace")[:_TEXT_BYTES].decode(errors="ignore").replace("\x00", " ")
    return text if text.strip() else _NO_TEXT


def _prefix_text(labels: Sequence[str]) -> str:
    return "".join(f"{label}." for label in labels)


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(lambda found: chr(int(found[1], 16)), text)
