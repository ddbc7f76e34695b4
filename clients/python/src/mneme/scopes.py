"""Scopes and agents."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from ._read import id_of
from .memory import Scope


@dataclass(frozen=True)
class ScopePolicy:
    """What is allowed with the memories of a scope and of everything beneath it."""

    scope: Scope
    is_private: bool
    """Nobody outside sees its memories in a recall."""
    read_only: bool
    """Its memories cannot be stored, changed or deleted."""
    isolated: bool
    """Recalls from within do not see what its ancestors share."""


@dataclass(frozen=True)
class AgentSnapshot:
    """What an agent remembered at one moment."""

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
    """An agent's memories were brought back to what they were."""

    restored_count: int
    erased_count: int


@dataclass(frozen=True)
class AgentForked:
    """Another agent was given memories."""

    copied_count: int
