"""Working memory and the lives of sessions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, TypedDict, Union

from ._read import id_of, more, session_id_of, unspecified
from .content import Content
from .memory import Scope

SessionState = Literal["active", "paused", "terminated"]
"""Where a session is in its life."""

SessionOutcome = Literal["success", "failure", "partial", "expired"]
"""How a session ended. `expired`: the session was not written to for too long; only the server sets it."""

LifecycleTransition = Literal["spawn", "pause", "resume", "terminate", "delete", "other"]
"""A transition of a session. `other` is a kind that this version of the client does not know."""

LifecyclePhase = Literal["before", "after", "refused", "other"]
"""The phase of a hook call or an event."""

TaskStatus = Literal["pending", "in_progress", "blocked", "completed", "failed", "cancelled", "other"]
"""Status of a task. `other` is a kind that this version of the client does not know."""

SessionEventKind = Literal[
    "set",
    "deleted",
    "expired",
    "touched",
    "cleared",
    "restored",
    "task_state",
    "scratchpad_appended",
    "scratchpad_cleared",
    "checkpoint_created",
    "checkpoint_deleted",
    "lifecycle",
    "other",
]
"""A change of a session. `other` is a kind that this version of the client does not know."""


class Ttl(TypedDict):
    """A time to live."""

    ttl_ms: float


KeyExpiry = Union[Ttl, Literal["never", "keep"]]
"""Expiry of a key: after milliseconds, never, or unchanged. Default: the session's default."""


@dataclass(frozen=True)
class WorkingKey:
    """A key of a session, without its value."""

    key: str
    version: int
    """For changes on condition; never used again for another value."""
    bytes: int
    """Bytes of key and value."""
    create_time: datetime
    update_time: datetime
    expire_time: datetime | None
    """None: it does not expire."""


@dataclass(frozen=True)
class WorkingEntry(WorkingKey):
    """A key with its value."""

    value: Content


@dataclass(frozen=True)
class BatchGetValues:
    """Keys that are there, of one moment, in the order asked for."""

    entries: tuple[WorkingEntry, ...]
    missing: tuple[str, ...]


@dataclass(frozen=True)
class ClearedWorkingMemory:
    """The deleted values."""

    key_count: int
    note_count: int


@dataclass(frozen=True)
class TaskState:
    """The task of a session."""

    task_id: str
    description: str
    status: TaskStatus = field(metadata=unspecified("pending"))
    detail: str
    """Details of the status."""
    current_step: int
    total_steps: int
    """0: not known."""
    progress_percent: float
    start_time: datetime
    update_time: datetime
    version: int


@dataclass(frozen=True)
class ScratchpadAppended:
    """Notes were appended."""

    first_sequence: int
    dropped_count: int
    """Oldest notes that were dropped to make room."""


@dataclass(frozen=True)
class ScratchpadNote:
    """A note of the scratchpad."""

    sequence: int
    """From 1; never used again in a session."""
    time: datetime
    content: Content


@dataclass(frozen=True)
class ScratchpadCleared:
    """Notes were taken away."""

    note_count: int


@dataclass(frozen=True)
class Checkpoint:
    """The contents of a session at one moment."""

    id: str
    description: str
    kind: Literal["manual", "lifecycle", "other"] = field(metadata=unspecified("manual"))
    parent_checkpoint_id: str
    """The session's preceding checkpoint; empty for the first."""
    create_time: datetime
    expire_time: datetime | None
    """None: it is kept."""
    session_revision: int
    memory_revision: int
    key_count: int
    note_count: int
    has_task_state: bool
    bytes: int
    stored_bytes: int
    """Compressed, without parts shared with other checkpoints."""
    checksum: str


@dataclass(frozen=True)
class RestoreCheckpointResult:
    """What a checkpoint brought back."""

    checkpoint: Checkpoint
    restored_count: int
    expired_count: int
    """Keys of the checkpoint that have expired since and were left out."""
    removed_count: int
    note_count: int
    revision: int


@dataclass(frozen=True)
class ForkCheckpointResult:
    """What a new session was made with."""

    key_count: int
    note_count: int
    expired_count: int


@dataclass(frozen=True)
class KeyDiff:
    """A key that differs."""

    key: str
    difference: Literal["added", "removed", "changed", "other"] = field(metadata=unspecified("changed"))
    from_bytes: int
    to_bytes: int


@dataclass(frozen=True)
class CheckpointDiff:
    """What differs between two checkpoints, or a checkpoint and now."""

    keys: tuple[KeyDiff, ...]
    """At most 1,000."""
    differing_count: int
    """May exceed the number of listed keys."""
    equal_count: int
    task_differs: bool
    from_task: TaskState | None
    to_task: TaskState | None
    added_note_count: int
    removed_note_count: int


@dataclass(frozen=True)
class WorkingMemoryStatistics:
    """The contents of a session."""

    key_count: int
    value_bytes: int
    note_count: int
    note_bytes: int
    dropped_note_count: int
    has_task_state: bool
    checkpoint_count: int
    checkpoint_bytes: int
    create_time: datetime
    update_time: datetime
    revision: int
    scope: Scope
    """Whose session it is."""
    using_fallback: bool
    """True while the server serves the session from its own copy, because Redis is unreachable."""


@dataclass(frozen=True)
class SessionEvent:
    """A change of a session."""

    kind: SessionEventKind = field(metadata=unspecified("other"))
    revision: int
    key: str
    """The key, or the id of the checkpoint; empty where it is about neither."""
    time: datetime
    entry: WorkingEntry | None
    """Where values were asked for, of a key that was set and not set again since."""


@dataclass(frozen=True)
class Session:
    """One run or conversation of an agent."""

    name: str
    """Resource name, `namespaces/{namespace}/sessions/{id}`."""
    id: str = field(metadata=session_id_of("name"))
    scope: Scope
    state: SessionState = field(metadata=unspecified("terminated"))
    version: int
    """Number of its transitions."""
    metadata: Mapping[str, str]
    create_time: datetime
    update_time: datetime
    active_duration_ms: float
    """How long it has been active, pauses left out."""
    frozen: bool
    """True while it is paused and its working memory is read-only."""
    checkpoint_id: str | None
    """Made by its last pause, or restored by its last resume."""
    agent_snapshot_id: str | None
    """Snapshot of its agent's memories, taken by its last pause."""
    outcome: SessionOutcome | None = field(metadata=unspecified(None))
    episode_id: str | None = field(metadata=id_of("episode"))
    """Id of the memory that it was consolidated into."""
    expire_time: datetime | None
    """When a terminated session is forgotten."""
    default_ttl_ms: float | None
    """Time to live, in milliseconds, of values that are set without an expiry; None: they stay."""
    idle_ttl_ms: float | None
    """Time without a write, in milliseconds, after which it ends; None: it does not."""
    idle_expire_time: datetime | None
    """Time at which it ends unless it is written to."""


@dataclass(frozen=True)
class HookReport:
    """Result of calling a hook."""

    hook: str
    phase: LifecyclePhase = field(metadata=unspecified("before"))
    result: Literal["ok", "vetoed", "failed", "timed_out", "other"] = field(metadata=unspecified("failed"))
    reason: str
    duration_ms: float


@dataclass(frozen=True, kw_only=True)
class TransitionResult:
    """Common part of all answers to transitions."""

    hook_reports: tuple[HookReport, ...]
    duration_ms: float
    """How long it took until it was durable, with the hooks that were asked before it, in milliseconds."""


@dataclass(frozen=True, kw_only=True)
class SpawnResult(TransitionResult):
    """A session was made."""

    session: Session
    value_count: int
    """Values that it starts with."""


@dataclass(frozen=True, kw_only=True)
class PauseResult(TransitionResult):
    """A session was paused."""

    session: Session
    checkpoint: Checkpoint


@dataclass(frozen=True, kw_only=True)
class ResumeResult(TransitionResult):
    """A session was resumed."""

    session: Session
    checkpoint: Checkpoint
    """The checkpoint from which it was resumed."""
    restored_count: int
    """Values that were brought back."""
    expired_count: int
    """Values of the checkpoint that have expired since and were left out."""


@dataclass(frozen=True, kw_only=True)
class TerminateResult(TransitionResult):
    """A session has ended."""

    session: Session
    episode_id: str | None = field(metadata=id_of("episode"))
    """Id of the memory that describes it."""
    consolidated_count: int
    truncated: bool
    """True when parts were omitted from the episode because of its size."""
    cleared_count: int
    cleared_checkpoint_count: int


@dataclass(frozen=True, kw_only=True)
class DeleteSessionResult(TransitionResult):
    """A session was deleted."""

    cleared_count: int
    cleared_note_count: int
    cleared_checkpoint_count: int


@dataclass(frozen=True)
class LifecycleEvent:
    """A transition of a session."""

    id: str
    """The same when the event is sent again."""
    transition: LifecycleTransition = field(metadata=unspecified("other"))
    phase: LifecyclePhase = field(metadata=unspecified("after"))
    session: Session
    time: datetime
    metadata: Mapping[str, str]
    checkpoint_id: str | None
    episode_id: str | None = field(metadata=id_of("episode"))
    refusal: str | None
    """Why it was refused."""
    duration_ms: float
    """How long the transition took until then, with the hooks that were asked before it, in milliseconds."""
    resume_token: str | None = field(metadata=more())
    """Continues after this event; None in questions to hooks."""
