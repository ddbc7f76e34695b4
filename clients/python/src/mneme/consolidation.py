"""Consolidation: what it made, and what an undo took back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from ._read import id_of, unspecified

ConsolidatedKind = Literal["merge", "episode", "other"]
"""Kind of a memory that consolidation made: `merge` of several notes that say the same, `episode` of a conversation;
`other` is a kind that this version of the client does not know."""


@dataclass(frozen=True)
class ConsolidatedMemory:
    """A memory that consolidation made."""

    kind: ConsolidatedKind = field(metadata=unspecified("other"))
    id: str = field(metadata=id_of("name"))
    text: str
    source_ids: tuple[str, ...] = field(metadata=id_of("sources"))
    """Ids of the memories that it cites."""
    hidden_ids: tuple[str, ...] = field(metadata=id_of("hidden"))
    """Ids of the memories that recall does not return by default any more."""


@dataclass(frozen=True)
class ConsolidateResult:
    """What a consolidation made, or with `dry_run` would make."""

    report_id: str | None = field(metadata=id_of("report"))
    """Id of the report, for `undo`. None when nothing was made."""
    memories: tuple[ConsolidatedMemory, ...]
    """At most 1,000."""
    skipped_count: int
    """Number of memories that were not made because a source changed meanwhile or must not be changed."""
    has_more: bool
    """True when `max_steps` was reached and another call makes more."""
    revision: int


@dataclass(frozen=True)
class UndoConsolidationResult:
    """What an undo took back."""

    restored_ids: tuple[str, ...] = field(metadata=id_of("restored"))
    """Ids of memories that recall returns again."""
    deleted_ids: tuple[str, ...] = field(metadata=id_of("deleted"))
    """Ids of memories that were deleted."""
    kept_ids: tuple[str, ...] = field(metadata=id_of("kept"))
    """Ids of memories that the consolidation made and that were changed since; they stay."""
    revision: int
