"""Memories and their parts, in requests and in answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Union

from ._read import Brief, id_of, namespace_of, unspecified
from .content import Content

if TYPE_CHECKING:
    import numpy
    import numpy.typing

Tier = Literal["short_term", "intermediate", "long_term"]
"""Durability of a memory, and the resolution at which it is searched."""

MemoryView = Literal["basic", "full", "metadata"]
"""Parts of a memory in an answer: `basic` all except the vector, `full` the vector too, `metadata` names, scope, times
and numbers only."""

Vector = Union["numpy.typing.NDArray[Any]", Sequence[float]]
"""Numbers of a vector: a numpy array of one dimension, an `array`, or any sequence. Sent as 32-bit floats."""


@dataclass(frozen=True, repr=False)
class Scope(Brief):
    """Owner of the memory inside its namespace, from the widest to the narrowest. None: not specified."""

    project: str | None = None
    agent_type: str | None = None
    agent: str | None = None
    session: str | None = None
    """One conversation or run. Memories of one session are neighbours of one another in recall."""


@dataclass(frozen=True)
class Point:
    """A point in a Cartesian world of one's own."""

    x: float
    y: float
    z: float | None = None


@dataclass(frozen=True)
class GeoPoint:
    """A point on Earth, in degrees."""

    latitude_deg: float
    longitude_deg: float


@dataclass(frozen=True)
class Place:
    """Where something happened."""

    point: Point | None = None
    geo: GeoPoint | None = None
    location: str | None = None
    room: str | None = None
    region: str | None = None


@dataclass(frozen=True, repr=False)
class Source(Brief):
    """Where a memory comes from."""

    speaker: str | None = None
    """Speaker or actor. Searched by recall in addition to the text."""
    uri: str | None = None
    """Where it can be found. Not searched."""
    origin: str | None = None
    """Component that stored it."""


@dataclass(frozen=True, eq=False, repr=False)
class Embedding(Brief):
    """A vector and the model it was made with. The first one of a namespace fixes model and dimension for it."""

    values: Vector
    """In answers an `array` of 32-bit floats."""
    model: str

    def numpy(self) -> numpy.typing.NDArray[numpy.float32]:
        """The values as a numpy array, without a copy where they are 32-bit floats already."""
        import numpy  # Imported only on demand.

        return numpy.asarray(self.values, dtype=numpy.float32)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Embedding) and self.model == other.model and list(self.values) == list(other.values)


@dataclass(frozen=True)
class Compaction:
    """Data that a memory lost when it entered a tier that drops keys or rounds fractions of JSON contents."""

    checksum: str
    """Checksum of the original memory."""
    content_bytes: int
    """Size of the original content in bytes."""
    dropped_keys: tuple[str, ...] = ()
    decimals: int | None = None
    """Decimals that fractions were rounded to; None when none was changed."""


@dataclass(frozen=True, kw_only=True)
class NewMemory:
    """A memory to be stored. At least one of `text`, `content` and `embedding` is required.

    Wherever one is asked for, a dict with the same keys will do, and dicts for its parts.
    """

    id: str | None = None
    """Last part of the resource name. Default: a new UUID version 7."""
    scope: Scope | Mapping[str, Any] | None = None
    type: str | None = None
    """`message`, `fact`, `episode` or any word. Default: `message` when there is a speaker, otherwise `statement`."""
    step: int | None = None
    """Step of the agent's run in which it happened, 0 to 2^53 - 1."""
    event_time: datetime | None = None
    """When it happened, with a time zone. Default: when it is stored."""
    text: str | None = None
    """Searched text, in plain language. Derived from `content` when absent."""
    content: Content | Any = None
    """The content: a `Content`, or a plain value that is stored as `application/json`."""
    tags: Sequence[str] = ()
    embedding: Embedding | Mapping[str, Any] | None = None
    place: Place | Mapping[str, Any] | None = None
    importance: float | None = None
    """How much it matters, 0 to 1. Default 0.5."""
    priority: float | None = None
    """The caller's own priority, 0 to 1. Default 1."""
    source: Source | Mapping[str, Any] | None = None
    expire_time: datetime | None = None
    """When it is to be forgotten."""
    valid_from: datetime | None = None
    """First instant of its validity."""
    valid_until: datetime | None = None
    """First instant after its validity."""
    superseded_by: str | None = None
    """Id of the memory that replaces this one."""


class MemoryArguments(TypedDict, total=False):
    """Keys of `NewMemory` beside the text, as arguments of `store`, and short forms of the usual ones."""

    speaker: str
    """That of `source`."""
    session: str
    """That of `scope`."""
    type: str
    tags: Sequence[str]
    event_time: datetime
    namespace: str
    """Where it is stored. Default: the namespace of the client."""
    id: str
    scope: Scope | Mapping[str, Any]
    source: Source | Mapping[str, Any]
    content: Content | Any
    importance: float
    priority: float
    step: int
    place: Place | Mapping[str, Any]
    embedding: Embedding | Mapping[str, Any]
    expire_time: datetime
    valid_from: datetime
    valid_until: datetime
    superseded_by: str


@dataclass(frozen=True, kw_only=True)
class ImportedMemory(NewMemory):
    """A memory as it was in another server: keeps its times and counts."""

    create_time: datetime | None = None
    update_time: datetime | None = None
    last_access_time: datetime | None = None
    retrieval_count: int | None = None
    compaction: Compaction | Mapping[str, Any] | None = None
    """Data removed permanently, where its namespace is configured for lossy compaction."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Memory(Brief):
    """A memory as stored by the server. Parts outside of the view are empty or None."""

    name: str
    """Resource name, `namespaces/{namespace}/memories/{id}`."""
    namespace: str = field(metadata=namespace_of("name"))
    id: str = field(metadata=id_of("name"))
    scope: Scope
    type: str
    step: int | None = None
    event_time: datetime
    create_time: datetime
    update_time: datetime
    text: str
    content: Content | None = None
    tags: tuple[str, ...] = ()
    embedding: Embedding | None = None
    place: Place | None = None
    importance: float = field(metadata=unspecified(0.5))
    priority: float = field(metadata=unspecified(1.0))
    source: Source
    tier: Tier = field(metadata=unspecified("short_term"))
    retrieval_count: int = 0
    last_access_time: datetime | None = None
    expire_time: datetime | None = None
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    superseded_by: str | None = field(default=None, metadata=id_of("superseded_by"))
    """Id of the memory that replaces this one."""
    checksum: str
    """SHA-256 of text and content, as lower-case hexadecimal."""
    version: int
    """Version for changes on condition: greater after each change."""
    compaction: Compaction | None = None


MemoryLike = Union[NewMemory, Memory, Mapping[str, Any]]
"""A memory to be stored: a `NewMemory`, one that was read, or a dict with the keys of `NewMemory`."""

__all__ = [
    "Compaction",
    "Embedding",
    "GeoPoint",
    "ImportedMemory",
    "Memory",
    "MemoryArguments",
    "MemoryLike",
    "MemoryView",
    "NewMemory",
    "Place",
    "Point",
    "Scope",
    "Source",
    "Tier",
    "Vector",
]
