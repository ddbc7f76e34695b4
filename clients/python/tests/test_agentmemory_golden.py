"""The golden retrieval cases of the Agent Memory API, through its own calls: files are loaded, strategies searched."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pytest
from agentmemory_support import SHARED, needs_shared, shared

from mneme.agentmemory import AgentMemoryAPI, MemoryConfig, MemoryRetrievalException
from mneme.testing import Server

FOLDER = "data/agentmemory-validation"
CASES: list[dict[str, Any]] = (
    [] if SHARED is None else json.loads(shared(f"{FOLDER}/cases.json").read_text("utf-8"))["cases"]
)


class Loaded:
    """An API for each file of memories, loaded when it is first asked for."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._apis: dict[str, AgentMemoryAPI] = {}

    def api(self, file: str) -> AgentMemoryAPI:
        if file not in self._apis:
            api = AgentMemoryAPI(MemoryConfig(address=self._address, namespace=f"golden-{uuid.uuid4()}"))
            api.load_from_json(shared(f"{FOLDER}/{file}"))
            self._apis[file] = api
        return self._apis[file]

    def close(self) -> None:
        for api in self._apis.values():
            api.close()


@pytest.fixture(scope="module")
def loaded(server: Server) -> Iterator[Loaded]:
    made = Loaded(server.address)
    yield made
    made.close()


@needs_shared
def test_there_are_all_cases() -> None:
    assert len(CASES) == 69


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_a_case(loaded: Loaded, case: dict[str, Any]) -> None:
    query, expected, adjust = case["query"], case["expected"], case.get("adjust") or {}
    arguments = {**query.get("strategy_options", {}), **query.get("params", {})}
    limit = adjust.get("limit", arguments.pop("limit", 10))
    arguments.pop("limit", None)
    now = datetime.fromisoformat(adjust["now"].replace("Z", "+00:00")) if "now" in adjust else None
    space = loaded.api(case["memory_file"]).get_memory_space(case["agent_id"])

    def found() -> set[str]:
        entries = space.search(query["input"], query["strategy"], limit, now=now, **arguments)
        return {entry["metadata"]["checksum"] for entry in entries}

    if expected.get("error"):
        with pytest.raises(MemoryRetrievalException) as caught:
            found()
        assert caught.value.recoverability == "recoverable"
        return
    try:
        checksums = found()
    except MemoryRetrievalException:
        if not expected.get("error_also_accepted"):
            raise
        checksums = set(expected["checksums"])
    assert checksums == set(expected["checksums"])


@needs_shared
def test_entries_of_a_file_keep_their_vectors_where_their_model_is_named(server: Server, namespace: str) -> None:
    file = shared(f"{FOLDER}/agent_farm_memories.json")
    (agent,) = json.loads(file.read_text("utf-8"))["agents"].values()
    with AgentMemoryAPI(MemoryConfig(address=server.address, namespace=namespace)) as api:
        assert api.load_from_json(file, embedding_model="all-MiniLM-L6-v2") == 37
        stats = api.get_memory_statistics(agent["agent_id"])
        assert (stats["ltm_count"], stats["memory_type_distribution"]) == (37, {"state": 20, "action": 17})
        first = agent["memories"][0]
        vector = first["embeddings"]["compressed_vector"]
        (nearest, *_) = api.search_by_embedding(agent["agent_id"], vector, k=3, memory_tiers=["ltm"])
        assert nearest["embeddings"]["full_vector"] == pytest.approx(vector, abs=1e-6)
        assert nearest["_similarity_score"] == pytest.approx(1, abs=1e-2)
        read = api.get_memory_space(agent["agent_id"]).retrieve_by_time_range(0, 19)
        assert [entry["metadata"]["checksum"] for entry in read if entry["memory_id"] == first["memory_id"]] == [
            first["metadata"]["checksum"]
        ]
        shots = api.get_memory_snapshots(agent["agent_id"], list(range(20)))
        assert all(entry is not None and "position" in entry["contents"] for entry in shots.values())
        assert api.get_attribute_change_history(agent["agent_id"], "position.x")
