"""Scopes and agents."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from ._read import id_of
from .memory import Scope


@dataclass(frozen=True)
class ScopePolicy:
    """Rules for the memories of a scope and of all its descendants."""

    scope: Scope
    is_private: bool
    """Recalls from other scopes do not see its memories."""
    read_only: bool
    """Its memories cannot be stored, changed or deleted."""
    isolated: bool
    """Recalls from within do not see memories of its ancestors."""


@dataclass(frozen=True)
class AgentSnapshot:
    """An agent's memories at one moment."""

    id: str
    scope: Scope
    description: str
    create_time: datetime
    revision: int
    """Revision of the change log that it shows."""


@dataclass(frozen=True)
class AgentSnapshotDiff:
    """Ids of memories, at most 1,000 of each; the counts are of all."""

    added_ids: tuple[str, ...] = field(metadata=id_of("added_names"))
    removed_ids: tuple[str, ...] = field(metadata=id_of("removed_names"))
    changed_ids: tuple[str, ...] = field(metadata=id_of("changed_names"))
    added_count: int
    removed_count: int
    changed_count: int


@dataclass(frozen=True)
class AgentRestored:
    """An agent's memories were restored."""

    restored_count: int
    erased_count: int


@dataclass(frozen=True)
class AgentForked:
    """Memories were copied to another agent."""

    copied_count: int
