"""Files of entries, in the schema of the library: `{config, agents: {id: {agent_id, memories: [entry]}}}`."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..filters import where
from ..memory import Tier
from ._checks import TIERS
from ._engine import Engine
from ._entries import entry_of, memory_of
from .errors import MemoryRetrievalException, MemoryStoreException, failing_as, refused

File = str | os.PathLike[str]
_STORE, _READ = MemoryStoreException, MemoryRetrievalException
_MOVES_PER_CALL = 1_000


def load(engine: Engine, file: File, embedding_model: str | None) -> int:
    """Stores the entries of a file, each in its tier; returns their number."""
    try:
        found = json.loads(Path(file).read_text("utf-8"))
        entries = [entry for agent in found["agents"].values() for entry in agent["memories"]]
        memories = [memory_of(entry, embedding_model) for entry in entries]
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise refused(_STORE, "file", f"{file} is no file of memories: {error!r}") from error
    with failing_as(_STORE, "load_from_json"):
        client = engine.ready(_STORE, "load_from_json")
        client.import_memories(memories)
        for tier in ("intermediate", "long_term"):
            ids = [entry["memory_id"] for entry in entries if _tier_of(entry) == tier]
            for at in range(0, len(ids), _MOVES_PER_CALL):
                client.demote(ids[at : at + _MOVES_PER_CALL], to_tier=TIERS["im" if tier == "intermediate" else "ltm"])
    engine.wrote()
    return len(entries)


def save(engine: Engine, file: File, agent_id: str | None) -> int:
    """Writes the entries of an agent, or of all agents of the namespace; returns their number."""
    agents: dict[str, dict[str, Any]] = {}
    with failing_as(_READ, "save_to_json", agent_id=agent_id):
        client, forms = engine.ready(_READ, "save_to_json"), engine.forms()
        condition = where.agent.exists() if agent_id is None else where.agent.equals(agent_id)
        with client.export_memories(filter=condition) as memories:
            for memory in memories:
                entry = entry_of(memory, forms)
                del entry["contents"]
                agent = agents.setdefault(entry["agent_id"], {"agent_id": entry["agent_id"], "memories": []})
                agent["memories"].append(entry)
    text = json.dumps({"config": _config(engine), "agents": agents}, ensure_ascii=False, indent=1)
    Path(file).write_text(text, "utf-8")
    return sum(len(agent["memories"]) for agent in agents.values())


def _tier_of(entry: Mapping[str, Any]) -> Tier | None:
    return TIERS.get((entry.get("metadata") or {}).get("current_tier", ""))


def _config(engine: Engine) -> dict[str, Any]:
    names = ("cleanup_interval", "memory_priority_decay", "enable_memory_hooks", "use_embedding_engine")
    return {name: getattr(engine.config, name) for name in names}
