"""Checkpoints, values of channels and writes as memories."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, NamedTuple, cast

from langgraph.checkpoint.base import writes_sort_key

from ..content import Content
from ..errors import DataLossError
from ..filters import Filter, where
from ..memory import Memory

#: Types that no other program uses: the adapter for JavaScript keeps its checkpoints in the same namespace.
RecordType = Literal["langgraph_checkpoint", "langgraph_write", "langgraph_blob"]
Typed = tuple[str, bytes]
"""A serialized value, as serializers of LangGraph give it."""

#: Types of the memories that belong to one checkpoint. `source.uri` of each is the checkpoint's id.
OF_CHECKPOINT = ["langgraph_checkpoint", "langgraph_write", "langgraph_checkpoint_part"]
#: Types of the memories of values of channels. `source.uri` of each is the record's id.
OF_BLOB = ["langgraph_blob", "langgraph_blob_part"]

_WHOLE = "application/vnd.mneme.langgraph"
_IN_PARTS = "application/vnd.mneme.langgraph-parts"
_PART_BYTES = 1_000_000
_SCOPE_BYTES = 120
_ID_BYTES = 1_024
_ORDER_PLACES = 12
_DASH_PLACE = 8


class Thread(NamedTuple):
    """A thread, and the namespace of a graph in it."""

    id: str
    namespace: str


@dataclass
class Record:
    """What is stored of a checkpoint, of a value or of a write."""

    type: RecordType
    thread: Thread
    key: Sequence[Any]
    """Identifies it in its thread. The first part of a checkpoint's and of a write's is the id of the checkpoint."""
    header: dict[str, Any]
    bodies: Sequence[Typed]
    tags: Sequence[str] = field(default_factory=list)
    create_time: datetime | None = None
    """Time at which it was first stored, of a record that was read."""
    version: int = 0
    """Version of its memory, of a record that was read."""

    @property
    def id(self) -> str:
        """Id of its memory."""
        return record_id(self.type, self.thread, self.key)

    def memories(self) -> list[dict[str, Any]]:
        """Its memories: one, or parts with one after them that names them."""
        data = self._packed()
        common: dict[str, Any] = {"scope": {"session": scope_part(self.thread.id)}}
        common["scope"]["agent"] = scope_part(self.thread.namespace)
        own: dict[str, Any] = {**common, "id": self.id, "type": self.type, "tags": list(self.tags)}
        if self.type == "langgraph_blob":
            common["source"] = own["source"] = {"uri": self.id}
        else:
            checkpoint_id = self.key[0]
            common["source"] = own["source"] = {"uri": checkpoint_id}
            own["step"] = order_of(checkpoint_id)
        if len(data) <= _PART_BYTES:
            return [{**own, "content": Content(_WHOLE, data)}]
        # Parts are named by their bytes: a record that is replaced never shares one with another state of it.
        digest = hashlib.sha256(data).hexdigest()[:16]
        part_type = OF_BLOB[1] if self.type == "langgraph_blob" else OF_CHECKPOINT[2]
        pieces = [data[start : start + _PART_BYTES] for start in range(0, len(data), _PART_BYTES)]
        ids = [f"{self.id}.{digest}.{place}" for place in range(len(pieces))]
        parts = [
            {**common, "id": id, "type": part_type, "content": Content(_WHOLE, piece)}
            for id, piece in zip(ids, pieces, strict=True)
        ]
        return [*parts, {**own, "content": Content(_IN_PARTS, json.dumps(ids).encode())}]

    def _packed(self) -> bytes:
        described = {**self.header, "thread": list(self.thread), "key": list(self.key)}
        described["bodies"] = [[kind, len(data)] for kind, data in self.bodies]
        return b"\n".join([json.dumps(described).encode(), b"".join(data for _, data in self.bodies)])


class Write(NamedTuple):
    """A write of a task."""

    path: str
    task_id: str
    number: int
    """Place in the writes of the task; negative for errors, interrupts and the like."""
    channel: str
    value: Typed


def writes_record(
    thread: Thread, checkpoint_id: str, task_id: str, path: str, writes: Mapping[int, tuple[str, Typed]]
) -> Record:
    """The record of writes that are stored together, by their numbers."""
    header = {"path": path, "channels": [channel for channel, _ in writes.values()]}
    bodies = [body for _, body in writes.values()]
    return Record("langgraph_write", thread, [checkpoint_id, task_id, list(writes)], header, bodies)


def writes_of(records: Iterable[Record]) -> list[Write]:
    """Writes of a checkpoint in the order in which a graph applies them. The first of one number counts."""
    found: dict[tuple[str, int], Write] = {}
    for record in sorted(records, key=lambda record: (record.create_time, record.version)):
        _, task_id, numbers = record.key
        for number, channel, body in zip(numbers, record.header["channels"], record.bodies, strict=True):
            found.setdefault((task_id, number), Write(record.header["path"], task_id, number, channel, body))
    return sorted(found.values(), key=lambda write: writes_sort_key(write.path, write.task_id, write.number))


def part_ids(memory: Memory) -> list[str]:
    """Ids of the memories with the parts of a record; empty for one that has its bytes itself."""
    assert memory.content is not None
    ids: list[str] = memory.content.json() if memory.content.media_type == _IN_PARTS else []
    return ids


def record_of(memory: Memory, parts: Mapping[str, Memory]) -> Record:
    """The record of a memory, with its parts by their ids. `DataLossError` when one is missing."""
    assert memory.content is not None
    data = memory.content.data
    if ids := part_ids(memory):
        contents = [part.content.data if (part := parts.get(id)) and part.content else None for id in ids]
        if None in contents:
            raise DataLossError(f"a part of {memory.name} is missing", family="retrieval")
        data = b"".join(content or b"" for content in contents)
    head, _, rest = data.partition(b"\n")
    header: dict[str, Any] = json.loads(head)
    thread, key = Thread(*header.pop("thread")), header.pop("key")
    bodies: list[Typed] = []
    start = 0
    for kind, size in header.pop("bodies"):
        bodies.append((kind, rest[start : start + size]))
        start += size
    kind = cast(RecordType, memory.type)
    return Record(kind, thread, key, header, bodies, memory.tags, memory.create_time, memory.version)


def record_id(type: RecordType, thread: Thread, key: Sequence[Any]) -> str:
    """Id of the memory of a record: always the same for the same thread and key."""
    return f"{type}-{hashlib.sha256(json.dumps([*thread, *key]).encode()).hexdigest()}"


def of_thread(thread_id: str, namespace: str | None = None) -> Filter:
    """Everything of a thread, or of one graph's namespace in it."""
    everything = where.session.equals(scope_part(thread_id))
    return everything if namespace is None else everything & where.agent.equals(scope_part(namespace))


def scope_part(text: str) -> str:
    """A part of a scope for any text: the text where it fits, otherwise its hash."""
    encoded = text.encode(errors="surrogatepass")
    is_plain = len(encoded) <= _SCOPE_BYTES and text.isprintable()
    return f":{text}" if is_plain else f"#{hashlib.sha256(encoded).hexdigest()}"


def run_tag(run_id: str) -> str:
    """Tag of the checkpoints of a run."""
    return f"run{scope_part(run_id)}"


def check_checkpoint_id(checkpoint_id: str) -> None:
    """`ValueError` for an id that cannot be stored."""
    size = len(checkpoint_id.encode(errors="surrogatepass"))
    if not 0 < size <= _ID_BYTES or not checkpoint_id.isprintable():
        raise ValueError(f"checkpoint_id: must be 1 to {_ID_BYTES} bytes of printable characters, got {size} bytes")


def order_of(checkpoint_id: str) -> int:
    """A number for the order of checkpoints: never greater for an id that is less. Ids that begin with the same twelve
    characters have the same number: those of LangGraph when they were made within 7 ms.

    Each place counts as one of 20 digits: the end, hexadecimal digits, and what lies between them, after which nothing
    is compared; the dash of a UUID as one of 4.
    """
    order = 0
    is_open = True
    for place in range(_ORDER_PLACES):
        char = checkpoint_id[place : place + 1] if is_open else ""
        if place == _DASH_PLACE:
            rank = 0 if not char else 1 if char < "-" else 2 if char == "-" else 3
            order, is_open = order * 4 + rank, char == "-"
        else:
            rank, is_open = _rank(char)
            order = order * 20 + rank
    return order


def _rank(char: str) -> tuple[int, bool]:
    """Rank of a character, and whether no other one has it."""
    if not char:
        return 0, False
    if "0" <= char <= "9":
        return 2 + ord(char) - ord("0"), True
    if "a" <= char <= "f":
        return 13 + ord(char) - ord("a"), True
    return (1 if char < "0" else 12 if char < "a" else 19), False
