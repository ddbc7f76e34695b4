"""Memories as entries of the Agent Memory API, and entries as memories."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any

from ..memory import Embedding, ImportedMemory, Memory, Scope, Source
from ._checks import TIER_NAMES
from ._vectors import lowered

#: Origin of memories whose content is a whole entry of a file of that library.
ENTRY_ORIGIN = "agentmemory-entry"
_LEVELS = {"short_term": 0, "intermediate": 1, "long_term": 2}
#: Importance of an entry that has a word for it.
_IMPORTANCES = {"low": 0.3, "medium": 0.6, "high": 0.9}
_EMBEDDINGS = ("full_vector", "compressed_vector", "abstract_vector")


@dataclass(frozen=True)
class VectorForms:
    """Forms of vectors in the lower tiers of a namespace."""

    intermediate: str = "bf16"
    intermediate_dimension: int = 0
    long_term: str = "i8"
    long_term_dimension: int = 0

    @classmethod
    def of_settings(cls, settings: Mapping[str, str]) -> VectorForms:
        """The forms that settings of the server name."""
        return cls(
            settings.get("intermediate.vector", cls.intermediate),
            int(settings.get("intermediate.vector_dimension", 0)),
            settings.get("long_term.vector", cls.long_term),
            int(settings.get("long_term.vector_dimension", 0)),
        )

    def embeddings(self, embedding: Embedding | None) -> dict[str, list[float] | None]:
        """The vectors of the three tiers; None where the server keeps no vector."""
        if embedding is None:
            return dict.fromkeys(_EMBEDDINGS)
        values = [float(value) for value in embedding.values]
        return {
            "full_vector": values,
            "compressed_vector": lowered(values, self.intermediate, self.intermediate_dimension),
            "abstract_vector": lowered(values, self.long_term, self.long_term_dimension),
        }


def entry_of(memory: Memory, forms: VectorForms, score: float | None = None) -> dict[str, Any]:
    """The memory as an entry. `contents` and `content` are the same object; a hit also has its score."""
    accessed = memory.last_access_time or memory.create_time
    contents, own = _contents_of(memory)
    metadata = {
        **own,
        "creation_time": memory.create_time.timestamp(),
        "last_access_time": accessed.timestamp(),
        "compression_level": _LEVELS[memory.tier],
        "importance_score": memory.importance,
        "priority": memory.priority,
        "retrieval_count": memory.retrieval_count,
        "memory_type": memory.type,
        "current_tier": TIER_NAMES[memory.tier],
        "checksum": own.get("checksum", memory.checksum),
    }
    entry: dict[str, Any] = {
        "memory_id": memory.id,
        "agent_id": memory.scope.agent,
        "step_number": memory.step,
        "timestamp": memory.event_time.timestamp(),
        "type": memory.type,
        "contents": contents,
        "content": contents,
        "metadata": metadata,
        "embeddings": forms.embeddings(memory.embedding),
    }
    if score is not None:
        metadata["similarity_score"] = score
        entry.update(similarity_score=score, _similarity_score=score)
    return entry


def _contents_of(memory: Memory) -> tuple[Any, dict[str, Any]]:
    """The contents, and the metadata that the entry was imported with."""
    if memory.content is None or memory.content.media_type != "application/json":
        return {"text": memory.text}, {}
    value = memory.content.json()
    if memory.source.origin == ENTRY_ORIGIN and isinstance(value, dict):
        return value.get("content"), dict(value.get("metadata") or {})
    return (value if isinstance(value, dict) else {"value": value}), {}


def memory_of(entry: Mapping[str, Any], embedding_model: str | None) -> ImportedMemory:
    """An entry of a file as a memory: the server's fields are set, and the whole entry, without its vectors, is the
    content, so that paths such as `content.metadata.type` lead where they led."""
    metadata: Mapping[str, Any] = entry.get("metadata") or {}
    content = entry.get("content", entry.get("contents"))
    inner = content if isinstance(content, Mapping) else {}
    labels = inner.get("metadata")
    tags = labels.get("tags") if isinstance(labels, Mapping) else None
    words = inner.get("content")
    kept = {key: value for key, value in entry.items() if key not in ("embeddings", "contents")}
    created = _instant(metadata.get("creation_time"))
    return ImportedMemory(
        id=entry["memory_id"],
        scope=Scope(agent=entry["agent_id"]),
        type=str(entry.get("type") or metadata.get("memory_type") or "state"),
        step=entry.get("step_number"),
        event_time=_event_time(entry, metadata),
        text=words if isinstance(words, str) and words.strip() else None,
        content={**kept, "content": content},
        tags=[each for each in tags if isinstance(each, str)] if isinstance(tags, list) else (),
        embedding=_embedding_of(entry, embedding_model),
        importance=_importance(metadata.get("importance_score", metadata.get("importance"))),
        source=Source(origin=ENTRY_ORIGIN),
        create_time=created,
        update_time=created,
        last_access_time=_instant(metadata.get("last_access_time")),
        retrieval_count=metadata.get("retrieval_count"),
    )


def _embedding_of(entry: Mapping[str, Any], model: str | None) -> Embedding | None:
    vectors = entry.get("embeddings") or {}
    values = next((vectors[name] for name in _EMBEDDINGS if vectors.get(name)), None)
    return Embedding(values, model) if model is not None and values is not None else None


def _event_time(entry: Mapping[str, Any], metadata: Mapping[str, Any]) -> datetime | None:
    """The time that the metadata names, rather than that of the entry."""
    named = metadata.get("timestamp")
    if isinstance(named, str):
        at = datetime.fromisoformat(named.replace("Z", "+00:00"))
        return at if at.tzinfo else at.replace(tzinfo=timezone.utc)
    return _instant(entry.get("timestamp"))


def _instant(seconds: Any) -> datetime | None:
    return datetime.fromtimestamp(seconds, timezone.utc) if isinstance(seconds, (int, float)) else None


def _importance(value: Any) -> float | None:
    if isinstance(value, str):
        return _IMPORTANCES.get(value.lower())
    return float(value) if isinstance(value, (int, float)) else None
