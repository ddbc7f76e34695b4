"""Changes of memories, and subscriptions to them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar, Literal, Union

from ._read import id_of, more, unspecified
from .errors import MnemeError
from .filters import FilterLike
from .memory import Memory, Scope
from .results import ChangeKind, WriteReceipt


@dataclass(frozen=True, kw_only=True)
class MemoryChange:
    """The contents of a change, independent of its delivery."""

    kind: ChangeKind = field(metadata=unspecified("other"))
    id: str = field(metadata=id_of("name"))
    """Empty for changes of the namespace."""
    time: datetime
    memory: Memory | None
    """As the change left it; None when it was erased, then or later, and when it leaves the filter."""
    leaves: bool
    """The filter admitted it before and does not any more."""
    revision: int


@dataclass(frozen=True, kw_only=True)
class WatchedChange(MemoryChange):
    """A change in a watch."""

    resume_token: str = field(metadata=more())
    """Where to go on behind it."""


@dataclass(frozen=True, kw_only=True)
class CaughtUp:
    """Everything up to the revision has been yielded; with `progress`."""

    revision: int
    resume_token: str
    kind: Literal["caught_up"] = "caught_up"
    id: ClassVar[str] = ""
    memory: ClassVar[None] = None
    """So that a plain loop finds no memory here, as in the change of an erased one."""


@dataclass(frozen=True, kw_only=True)
class Relisting:
    """Changes are missing: discard the known state; all memories follow as `listed`."""

    revision: int
    kind: Literal["relisting"] = "relisting"
    id: ClassVar[str] = ""
    memory: ClassVar[None] = None


@dataclass(frozen=True, kw_only=True)
class Listed:
    """A memory that is there."""

    id: str
    memory: Memory
    revision: int
    kind: Literal["listed"] = "listed"


WatchEvent = Union[WatchedChange, CaughtUp, Relisting, Listed]
"""The events of a watch; `kind` distinguishes them."""


@dataclass(frozen=True, kw_only=True)
class Delivery(MemoryChange):
    """A change to be worked on."""

    _acknowledge: Callable[[], None] = field(repr=False, compare=False, metadata=more())

    def acknowledge(self) -> None:
        """It is done: it is not delivered again. Without it, it is: after a break, and in a work queue to another
        consumer. Does not wait; safe in every thread."""
        self._acknowledge()


@dataclass(frozen=True)
class SubscriptionCursor:
    """How far a consumer has read."""

    consumer: str
    acknowledged_revision: int
    seen_time: datetime


@dataclass(frozen=True)
class WebhookSettings:
    """Delivery to a URL by the server: a signed POST request for each batch of changes."""

    url: str
    """`http` or `https`."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """Further headers of each request."""
    secret: str | None = field(default=None, repr=False)
    """`whsec_` and base64. Default: the server makes one."""


@dataclass(frozen=True)
class Webhook:
    """The state of the delivery to a URL."""

    url: str
    headers: Mapping[str, str]
    """Further headers of each request; their values are not returned."""
    secret: str = field(repr=False)
    """In the answer of `create` only; otherwise empty."""
    state: Literal["active", "failing", "parked", "other"] = field(metadata=unspecified("active"))
    """`failing`: the last request failed and is tried again; `parked`: nothing is delivered until `resume_webhook`."""
    failure: str
    """Reason of the last failure; empty without one."""
    failure_count: int
    """Failures in a row."""
    failing_since: datetime | None
    next_attempt_time: datetime | None
    former_secret_expire_time: datetime | None


@dataclass(frozen=True)
class WebhookSecret:
    """The new secret of a webhook; no other call returns it."""

    secret: str = field(repr=False)
    former_secret_expire_time: datetime | None
    """The former secret is valid until then."""


@dataclass(frozen=True)
class Subscription:
    """A change feed that remembers how far it has been read."""

    id: str = field(metadata=id_of("name"))
    mode: Literal["broadcast", "work_queue", "other"] = field(metadata=unspecified("broadcast"))
    """`broadcast`: every consumer gets every change. `work_queue`: each change goes to one of them."""
    filter: FilterLike | None = field(metadata=more())
    scope: Scope | None
    include_moved: bool
    ack_deadline_ms: float
    consumer_ttl_ms: float
    create_time: datetime
    webhook: Webhook | None
    cursors: tuple[SubscriptionCursor, ...]
    """One for each consumer of a broadcast; of a work queue, and of the webhook, one whose `consumer` is empty."""


@dataclass(frozen=True)
class RefusedItem:
    """A memory of an ingest that was refused."""

    sequence: int
    """Its number in the stream, from 1."""
    error: MnemeError


@dataclass(frozen=True, kw_only=True)
class IngestReceipt(WriteReceipt):
    """A memory of an ingest that was stored."""

    sequence: int = field(metadata=more())
    """Its number in the stream, from 1."""


@dataclass(frozen=True)
class IngestProgress:
    """How far an ingest is."""

    acknowledged_sequence: int
    """Number of the last memory that is settled: on disk, or refused. The first memory has the number 1."""
    stored_count: int
    existing_count: int
    """Memories whose id existed and was kept, or that were stored before an interruption."""
    refused_count: int
    refused: tuple[RefusedItem, ...]
    """Memories refused since the previous progress, and why."""
    receipts: tuple[IngestReceipt, ...]
    """Memories stored since the previous progress, when `receipts` is set."""
    revision: int
    """Newest revision of this stream."""


@dataclass(frozen=True)
class RefusedMemory:
    """A memory that cannot be stored, and why: violations name its fields, such as `text`."""

    memory: Any
    """The original memory."""
    error: MnemeError


@dataclass(frozen=True)
class ImportProgress:
    """How far an import is."""

    stored_count: int
    skipped_count: int
    """Memories that already existed, including those sent twice after an interruption."""


@dataclass(frozen=True)
class ImportResult(ImportProgress):
    """Result of an import."""

    revision: int


@dataclass(frozen=True)
class ExportProgress:
    """How far an export is."""

    sent_count: int
    total_count: int
    """How many memories the namespace held at first."""
