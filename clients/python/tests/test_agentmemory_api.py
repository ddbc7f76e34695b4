"""`AgentMemoryAPI` and `MemorySpace` on a real server."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy
import pytest

from mneme.agentmemory import (
    AgentMemoryAPI,
    AgentState,
    MemoryAPIException,
    MemoryConfig,
    MemoryConfigException,
    MemoryMaintenanceException,
    MemoryRetrievalException,
    MemoryStoreException,
)
from mneme.agentmemory._cache import DEFAULT_TTL_S, set_default_ttl
from mneme.testing import Server

AGENT = "agent-123"


def steps(entries: list[dict[str, Any]]) -> list[int]:
    return [entry["step_number"] for entry in entries]


def test_an_entry_has_the_documented_structure(api: AgentMemoryAPI) -> None:
    assert api.store_agent_state(AGENT, {"position": [10, 20], "health": 0.85}, 1234, priority=0.75) is True
    (entry,) = api.retrieve_recent_states(AGENT)
    assert entry["contents"] == {"position": [10, 20], "health": 0.85}
    assert entry["content"] is entry["contents"]
    assert (entry["agent_id"], entry["step_number"], entry["type"]) == (AGENT, 1234, "state")
    metadata = entry["metadata"]
    assert metadata["creation_time"] == metadata["last_access_time"] == pytest.approx(entry["timestamp"], abs=60)
    assert (metadata["importance_score"], metadata["priority"], metadata["retrieval_count"]) == (0.75, 0.75, 0)
    assert (metadata["memory_type"], metadata["current_tier"], metadata["compression_level"]) == ("state", "stm", 0)
    assert len(metadata["checksum"]) == 64
    assert json.loads(json.dumps(entry)) == entry
    assert [len(entry["embeddings"][name]) for name in ("full_vector", "compressed_vector", "abstract_vector")] == [
        384,
        384,
        384,
    ]


def test_vectors_of_the_tiers_are_those_that_the_server_compares(vector_server: Server, namespace: str) -> None:
    sizes = {"stm_dim": 384, "im_dim": 100, "ltm_dim": 20}
    config = MemoryConfig(address=vector_server.address, namespace=namespace, autoencoder_config=sizes)
    with AgentMemoryAPI(config) as api:
        api.store_agent_state(AGENT, {"text": "wood and stone"}, 1)
        vectors = api.retrieve_recent_states(AGENT)[0]["embeddings"]
    full = vectors["full_vector"]
    assert [len(vectors[name]) for name in ("compressed_vector", "abstract_vector")] == [100, 20]
    assert vectors["compressed_vector"] == pytest.approx(full[:100], rel=2**-8)
    largest = max(map(abs, full[:20]))
    assert vectors["abstract_vector"] == pytest.approx(full[:20], abs=largest / 127)


def test_two_memories_of_one_step_are_two(api: AgentMemoryAPI) -> None:
    for item in ("wood", "stone"):
        api.store_agent_action(AGENT, {"action_type": "gather", "item": item}, 3)
    found = api.retrieve_by_time_range(AGENT, 3, 3)
    assert [entry["contents"]["item"] for entry in found] == ["wood", "stone"]
    assert len({entry["memory_id"] for entry in found}) == 2


def test_a_priority_that_is_not_given_is_one(api: AgentMemoryAPI) -> None:
    api.store_agent_interaction(AGENT, {"interaction_type": "talk"}, 0)
    assert api.retrieve_recent_states(AGENT)[0]["metadata"]["importance_score"] == 1.0


def test_models_are_stored_as_dicts(api: AgentMemoryAPI) -> None:
    state = AgentState(AGENT, 4, health=0.5, extra_data={"inventory": {"wood": 1}})
    api.store_agent_state(AGENT, state, 4)  # type: ignore[arg-type]
    assert api.retrieve_recent_states(AGENT)[0]["contents"] == state.as_dict()
    assert api.retrieve_similar_states(AGENT, state)[0]["step_number"] == 4  # type: ignore[arg-type]


def test_agents_see_their_own_memories_only(api: AgentMemoryAPI) -> None:
    for agent in ("a", "b"):
        api.store_agent_state(agent, {"name": agent, "wood": 1}, 1)
    assert [entry["contents"]["name"] for entry in api.retrieve_by_attributes("a", {"wood": 1})] == ["a"]
    assert [entry["agent_id"] for entry in api.retrieve_similar_states("b", {"wood": 1})] == ["b"]
    assert [entry["agent_id"] for entry in api.search_by_content("b", "wood")] == ["b"]
    (other,) = api.retrieve_recent_states("a")
    assert api.retrieve_state_by_id("b", other["memory_id"]) is None
    assert api.set_importance_score("b", other["memory_id"], 0.1) is False
    assert api.retrieve_recent_states("nobody") == []


def test_recent_range_and_attributes_filter_by_type_and_have_their_orders(api: AgentMemoryAPI) -> None:
    for step in (5, 1, 3):
        api.store_agent_state(AGENT, {"position": {"room": "hall"}, "step": step}, step)
        api.store_agent_action(AGENT, {"action_type": "trade", "outcome": "success"}, step)
    assert steps(api.retrieve_recent_states(AGENT, 3, "state")) == [3, 1, 5]
    assert len(api.retrieve_recent_states(AGENT)) == 6
    assert steps(api.retrieve_by_time_range(AGENT, 1, 3, "action")) == [1, 3]
    assert steps(api.retrieve_by_time_range(AGENT, 0, 9)) == [1, 1, 3, 3, 5, 5]
    trades = api.retrieve_by_attributes(AGENT, {"action_type": "trade", "outcome": "success"}, "action")
    assert steps(trades) == [5, 3, 1]
    assert steps(api.retrieve_by_attributes(AGENT, {"position.room": "hall"})) == [5, 3, 1]
    assert api.retrieve_by_attributes(AGENT, {"position.room": "hall"}, "action") == []


def test_attributes_are_equal_and_not_alike(api: AgentMemoryAPI) -> None:
    api.store_agent_state(AGENT, {"tags": ["a", "b"], "at": [1, 2], "alive": True, "none": None, "n": 1}, 1)
    for wanted in ({"tags": ["a", "b"]}, {"at": [1, 2]}, {"alive": True}, {"none": None}, {"n": 1.0}):
        assert len(api.retrieve_by_attributes(AGENT, wanted)) == 1, wanted
    for other in ({"tags": "a"}, {"at": [2, 1]}, {"alive": 1}, {"n": True}, {"n": "1"}, {"gone": None}):
        assert api.retrieve_by_attributes(AGENT, other) == [], other


def test_reads_are_not_limited_to_a_thousand(api: AgentMemoryAPI) -> None:
    scope = {"agent": AGENT}
    memories = [{"scope": scope, "type": "state", "step": step, "content": {"odd": step % 2}} for step in range(1_010)]
    api.client.namespaces.create(api.client.namespace)
    api.client.batch_store(memories[:505])
    api.client.batch_store(memories[505:])
    assert steps(api.retrieve_by_time_range(AGENT, 0, 2_000)) == list(range(1_010))
    assert len(api.retrieve_by_attributes(AGENT, {"odd": 1})) == 505
    assert len(api.retrieve_recent_states(AGENT, count=1_005)) == 1_005
    assert len(api.get_attribute_change_history(AGENT, "odd")) == 1_010


def test_similar_states_come_best_first_over_all_tiers(api: AgentMemoryAPI) -> None:
    api.store_agent_state(AGENT, {"place": "harbour", "weather": "storm"}, 1)
    api.force_memory_maintenance(AGENT)
    client = api.client
    client.demote([api.retrieve_recent_states(AGENT)[0]["memory_id"]], to_tier="long_term")
    api.store_agent_state(AGENT, {"place": "museum", "weather": "sun"}, 2)
    api.store_agent_action(AGENT, {"place": "harbour", "weather": "storm"}, 3)
    found = api.retrieve_similar_states(AGENT, {"place": "harbour", "weather": "storm"}, k=3)
    assert sorted(steps(found)[:2]) == [1, 3] and len(found) == 3
    scores = [entry["_similarity_score"] for entry in found]
    assert scores == sorted(scores, reverse=True) and scores[0] == pytest.approx(1, abs=1e-3)
    assert found[0]["similarity_score"] == found[0]["metadata"]["similarity_score"] == scores[0]
    assert steps(api.retrieve_similar_states(AGENT, {"place": "harbour"}, k=1, memory_type="state")) == [1]
    space = api.get_memory_space(AGENT)
    assert space.retrieve_similar_states({"nothing": "alike"}, k=3, threshold=0.6) == []
    weighted = space.retrieve_similar_states(
        {"place": "museum", "weather": "storm"}, threshold=0, context_weights={"place": 9}
    )
    assert steps(weighted)[0] == 2


def test_a_vector_is_searched_in_the_tiers_asked_for(api: AgentMemoryAPI) -> None:
    for step in (1, 2):
        api.store_agent_state(AGENT, {"place": "harbour"}, step)
    first, second = api.retrieve_by_time_range(AGENT, 1, 2)
    api.client.demote([first["memory_id"]], to_tier="intermediate")
    vector = second["embeddings"]["full_vector"]
    assert sorted(steps(api.search_by_embedding(AGENT, vector))) == [1, 2]
    assert steps(api.search_by_embedding(AGENT, numpy.array(vector), memory_tiers=["stm"])) == [2]  # type: ignore[arg-type]
    assert steps(api.search_by_embedding(AGENT, vector, k=5, memory_tiers=["im", "ltm"])) == [1]
    with pytest.raises(MemoryRetrievalException) as caught:
        api.search_by_embedding(AGENT, [0.1, 0.2])
    assert caught.value.recoverability == "recoverable"


def test_content_is_searched_by_words_in_any_order(api: AgentMemoryAPI) -> None:
    api.store_agent_action(AGENT, {"action_type": "trade", "item": "wood"}, 1)
    api.store_agent_action(AGENT, {"action_type": "trade", "item": "stone"}, 2)
    assert steps(api.search_by_content(AGENT, "wood trade"))[0] == 1
    assert steps(api.search_by_content(AGENT, {"text": "stone"})) == [2]
    assert steps(api.search_by_content(AGENT, {"item": "stone"}, k=1)) == [2]
    assert api.search_by_content(AGENT, "gold") == []


def test_snapshots_and_changes_of_states(api: AgentMemoryAPI) -> None:
    states: list[dict[str, Any]] = [{"health": 1.0}, {"health": 1.0}, {"health": 0.5, "at": {"x": 1}}, {"at": {"x": 2}}]
    for step, state in enumerate(states):
        api.store_agent_state(AGENT, state, 10 * step)
    api.store_agent_action(AGENT, {"health": 9}, 5)
    shots = api.get_memory_snapshots(AGENT, [20, 5, 20, 0])
    assert list(shots) == [20, 5, 0]
    assert shots[5] is None and shots[20] is not None and shots[20]["contents"]["health"] == 0.5
    changes = api.get_attribute_change_history(AGENT, "health")
    assert [(each["step_number"], each["previous_value"], each["new_value"], each["change"]) for each in changes] == [
        (0, None, 1.0, "appeared"),
        (20, 1.0, 0.5, "changed"),
        (30, 0.5, None, "disappeared"),
    ]
    assert steps(api.get_attribute_change_history(AGENT, "at.x", start_step=0, end_step=29)) == [20]
    assert changes[0]["memory_id"] and changes[0]["timestamp"]


def test_reading_by_id_counts_unless_in_test_mode(vector_server: Server, namespace: str) -> None:
    def counted(test_mode: bool) -> int:
        config = MemoryConfig(address=vector_server.address, namespace=namespace, stm_config={"test_mode": test_mode})
        with AgentMemoryAPI(config) as api:
            api.store_agent_state(AGENT, {"test_mode": test_mode}, 1)
            id = api.retrieve_by_attributes(AGENT, {"test_mode": test_mode})[0]["memory_id"]
            api.retrieve_state_by_id(AGENT, id)
            entry = api.retrieve_state_by_id(AGENT, id)
            assert entry is not None and api.retrieve_state_by_id(AGENT, "no-such-id") is None
            return int(entry["metadata"]["retrieval_count"])

    assert (counted(False), counted(True)) == (2, 0)


def test_importance_can_be_set_and_memories_cleared(api: AgentMemoryAPI) -> None:
    for step in (1, 2):
        api.store_agent_state(AGENT, {"step": step}, step)
    first, second = api.retrieve_by_time_range(AGENT, 1, 2)
    assert api.set_importance_score(AGENT, first["memory_id"], 0.2) is True
    assert api.retrieve_by_time_range(AGENT, 1, 1)[0]["metadata"]["importance_score"] == 0.2
    assert api.set_importance_score(AGENT, "no-such-id", 0.2) is False
    api.client.demote([second["memory_id"]], to_tier="long_term")
    assert api.clear_agent_memory(AGENT, ["ltm"]) is True
    assert steps(api.retrieve_recent_states(AGENT)) == [1]
    assert api.clear_memory(AGENT) is True
    assert api.retrieve_recent_states(AGENT) == []


def test_statistics_count_all_tiers(api: AgentMemoryAPI) -> None:
    for step in range(3):
        api.store_agent_state(AGENT, {"step": step}, step)
    api.store_agent_action(AGENT, {"action_type": "wait"}, 3)
    api.client.demote([api.retrieve_by_time_range(AGENT, 0, 0)[0]["memory_id"]], to_tier="long_term")
    stats = api.get_memory_statistics(AGENT)
    assert (stats["total_memories"], stats["stm_count"], stats["im_count"], stats["ltm_count"]) == (4, 3, 0, 1)
    assert stats["memory_type_distribution"] == {"state": 3, "action": 1}
    assert (stats["insert_count_since_maintenance"], stats["last_maintenance_time"]) == (4, None)
    assert stats["tiers"]["ltm"]["count"] == 1 and stats["tiers"]["stm"]["size_bytes"] > 0
    assert api.get_memory_statistics("nobody")["total_memories"] == 0
    assert api.force_memory_maintenance() is True
    stats = api.get_memory_statistics(AGENT)
    assert stats["insert_count_since_maintenance"] == 0 and stats["last_maintenance_time"] > 0


def test_every_cleanup_interval_moves_what_is_over_the_limit(vector_server: Server, namespace: str) -> None:
    config = MemoryConfig(
        address=vector_server.address,
        namespace=namespace,
        cleanup_interval=10,
        stm_config={"memory_limit": 4},
        im_config={"memory_limit": 3},
        memory_priority_decay=0.9,
    )
    with AgentMemoryAPI(config) as api:
        for step in range(9):
            api.store_agent_state(AGENT, {"step": step}, step)
        before = api.get_memory_statistics(AGENT)
        assert before["insert_count_since_maintenance"] == 9
        api.store_agent_state(AGENT, {"step": 9}, 9)
        after = api.get_memory_statistics(AGENT)
        assert (after["stm_count"], after["im_count"], after["ltm_count"]) == (4, 3, 3)
        assert after["insert_count_since_maintenance"] == 0 and after["last_maintenance_time"] > 0
        assert len(api.retrieve_by_time_range(AGENT, 0, 9)) == 10
        settings = api.client.namespaces.get().settings
        assert settings["short_term.memory_limit"] == "4" and settings["importance.decay_factor"] == "0.9"


def test_the_time_to_live_moves_down_and_the_whitelist_keeps_up(vector_server: Server, namespace: str) -> None:
    config = MemoryConfig(
        address=vector_server.address,
        namespace=namespace,
        stm_config={"ttl": 0.001},
        im_config={"ttl": 0.001},
        ltm_config={"whitelisted_types": ["state"]},
    )
    with AgentMemoryAPI(config) as api:
        api.store_agent_state(AGENT, {"step": 1}, 1)
        api.store_agent_action(AGENT, {"action_type": "wait"}, 1)
        api.force_memory_maintenance(AGENT)
        api.force_memory_maintenance(AGENT)
        found = {entry["type"]: entry["metadata"] for entry in api.retrieve_recent_states(AGENT)}
        assert (found["state"]["current_tier"], found["state"]["compression_level"]) == ("ltm", 2)
        assert (found["action"]["current_tier"], found["action"]["compression_level"]) == ("im", 1)


def test_the_configuration_changes_at_run_time_all_or_nothing(api: AgentMemoryAPI) -> None:
    assert api.configure_memory_system({"cleanup_interval": 5, "stm_config.memory_limit": 200}) is True
    assert (api.config.cleanup_interval, api.config.stm_config.memory_limit) == (5, 200)
    assert api.client.namespaces.get().settings["short_term.memory_limit"] == "200"
    with pytest.raises(MemoryConfigException, match=r"stm_config\.ttl"):
        api.configure_memory_system({"cleanup_interval": 6, "stm_config": {"ttl": 0}})
    with pytest.raises(MemoryConfigException, match=r"stm_config\.host: has no equivalent"):
        api.configure_memory_system({"stm_config.host": "elsewhere"})
    with pytest.raises(MemoryConfigException, match="namespace: cannot be changed"):
        api.configure_memory_system({"namespace": "other"})
    assert api.config.cleanup_interval == 5


def test_a_model_or_a_size_that_is_not_the_servers_is_refused(vector_server: Server, namespace: str) -> None:
    for options in ({"text_model_name": "other-model"}, {"autoencoder_config": {"stm_dim": 768}}):
        config = MemoryConfig(address=vector_server.address, namespace=namespace, **options)
        with AgentMemoryAPI(config) as api, pytest.raises(MemoryConfigException, match="--embedder"):
            api.store_agent_state(AGENT, {"a": 1}, 1)
    same = MemoryConfig(address=vector_server.address, namespace=namespace, text_model_name="hashing-v1-384")
    with AgentMemoryAPI(same) as api:
        assert api.store_agent_state(AGENT, {"a": 1}, 1)


def test_without_the_embedding_engine_there_are_no_vectors(vector_server: Server, namespace: str) -> None:
    config = MemoryConfig(address=vector_server.address, namespace=namespace, use_embedding_engine=False)
    with AgentMemoryAPI(config) as api:
        api.store_agent_state(AGENT, {"a": 1}, 1)
        assert set(api.retrieve_recent_states(AGENT)[0]["embeddings"].values()) == {None}
        with pytest.raises(MemoryRetrievalException, match="use_embedding_engine: is False"):
            api.retrieve_similar_states(AGENT, {"a": 1})


def test_results_are_kept_until_a_write(api: AgentMemoryAPI) -> None:
    api.store_agent_state(AGENT, {"wood": 1}, 1)
    assert len(api.retrieve_similar_states(AGENT, {"wood": 1})) == 1
    api.client.store({"scope": {"agent": AGENT}, "type": "state", "step": 2, "content": {"wood": 1}})
    kept = api.retrieve_similar_states(AGENT, {"wood": 1})
    assert len(kept) == 1  # A write that this API did not make.
    kept.clear()
    assert len(api.retrieve_similar_states(AGENT, {"wood": 1})) == 1
    api.clear_cache()
    assert len(api.retrieve_similar_states(AGENT, {"wood": 1})) == 2
    api.store_agent_state(AGENT, {"wood": 1}, 3)
    assert len(api.retrieve_similar_states(AGENT, {"wood": 1})) == 3
    try:
        api.set_cache_ttl(1e-9)
        api.client.store({"scope": {"agent": AGENT}, "type": "state", "step": 4, "content": {"wood": 1}})
        assert len(api.retrieve_similar_states(AGENT, {"wood": 1})) == 4
    finally:
        set_default_ttl(DEFAULT_TTL_S)


@pytest.mark.parametrize(
    ("call", "kind", "field"),
    [
        (lambda api: api.store_agent_state("", {}, 1), MemoryStoreException, "agent_id"),
        (lambda api: api.store_agent_state(AGENT, [1], 1), MemoryStoreException, "state_data"),
        (lambda api: api.store_agent_state(AGENT, {"a": {1}}, 1), MemoryStoreException, "state_data"),
        (lambda api: api.store_agent_state(AGENT, {1: 2}, 1), MemoryStoreException, "state_data"),
        (lambda api: api.store_agent_state(AGENT, {"a": float("nan")}, 1), MemoryStoreException, "state_data"),
        (lambda api: api.store_agent_state(AGENT, {}, -1), MemoryStoreException, "step_number"),
        (lambda api: api.store_agent_state(AGENT, {}, 1.5), MemoryStoreException, "step_number"),
        (lambda api: api.store_agent_state(AGENT, {}, True), MemoryStoreException, "step_number"),
        (lambda api: api.store_agent_action(AGENT, {}, 1, 1.1), MemoryStoreException, "priority"),
        (lambda api: api.store_agent_interaction(AGENT, {}, 1, "high"), MemoryStoreException, "priority"),
        (lambda api: api.retrieve_similar_states(AGENT, "x"), MemoryRetrievalException, "query_state"),
        (lambda api: api.retrieve_similar_states(AGENT, {"a": 1}, k=0), MemoryRetrievalException, "k"),
        (lambda api: api.retrieve_similar_states(AGENT, {"a": 1}, 5, 7), MemoryRetrievalException, "memory_type"),
        (lambda api: api.retrieve_by_time_range(AGENT, 5, 4), MemoryRetrievalException, "start_step"),
        (lambda api: api.retrieve_by_time_range(AGENT, -1, 4), MemoryRetrievalException, "start_step"),
        (lambda api: api.retrieve_by_attributes(AGENT, {}), MemoryRetrievalException, "attributes"),
        (lambda api: api.retrieve_recent_states(AGENT, 0), MemoryRetrievalException, "count"),
        (lambda api: api.search_by_embedding(AGENT, []), MemoryRetrievalException, "query_embedding"),
        (lambda api: api.search_by_embedding(AGENT, [1, "x"]), MemoryRetrievalException, "query_embedding[1]"),
        (lambda api: api.search_by_embedding(AGENT, [1.0], 5, ["hot"]), MemoryRetrievalException, "memory_tiers"),
        (lambda api: api.search_by_content(AGENT, " "), MemoryRetrievalException, "content_query"),
        (lambda api: api.get_memory_snapshots(AGENT, []), MemoryRetrievalException, "steps"),
        (lambda api: api.get_memory_snapshots(AGENT, [1, "2"]), MemoryRetrievalException, "steps[1]"),
        (lambda api: api.get_attribute_change_history(AGENT, ""), MemoryRetrievalException, "attribute_name"),
        (lambda api: api.get_attribute_change_history(AGENT, "a", 2, 1), MemoryRetrievalException, "start_step"),
        (lambda api: api.set_importance_score(AGENT, "m", 1.5), MemoryMaintenanceException, "importance_score"),
        (lambda api: api.clear_agent_memory(AGENT, []), MemoryMaintenanceException, "memory_tiers"),
        (lambda api: api.force_memory_maintenance(""), MemoryMaintenanceException, "agent_id"),
        (lambda api: api.set_cache_ttl(0), MemoryConfigException, "ttl"),
    ],
)
def test_bad_arguments_are_named(
    api: AgentMemoryAPI, call: Callable[[Any], object], kind: type[MemoryAPIException], field: str
) -> None:
    with pytest.raises(kind) as caught:
        call(api)
    assert type(caught.value).__mro__.index(kind) <= 1
    assert caught.value.context["field"] == field
    assert (caught.value.reason, caught.value.recoverability) == ("FIELD_INVALID", "recoverable")


def test_what_the_server_refuses_names_its_reason(api: AgentMemoryAPI) -> None:
    with pytest.raises(MemoryStoreException) as stored:
        api.store_agent_state(AGENT, {"text": "x" * (2 * 2**20)}, 1)
    assert stored.value.context["agent_id"] == AGENT and stored.value.context["step_number"] == 1
    assert stored.value.reason != "UNKNOWN"
    with pytest.raises(MemoryRetrievalException) as searched:
        api.search(AGENT, "x", "no-such-strategy")
    assert searched.value.context["field"] == "preset.name"
    with pytest.raises(MemoryRetrievalException, match="limit"):
        api.retrieve_similar_states(AGENT, {"a": 1}, k=5_000)


def test_a_server_that_is_away_is_said_by_operation() -> None:
    config = MemoryConfig(address="127.0.0.1:1", connect={"timeout_ms": 300, "wait_for_ready": False, "retry": False})
    with AgentMemoryAPI(config) as api:
        for call, kind in (
            (lambda: api.store_agent_state(AGENT, {}, 1), MemoryStoreException),
            (lambda: api.retrieve_recent_states(AGENT), MemoryRetrievalException),
            (lambda: api.force_memory_maintenance(AGENT), MemoryMaintenanceException),
            (lambda: api.configure_memory_system({"cleanup_interval": 5}), MemoryConfigException),
        ):
            with pytest.raises(kind) as caught:
                call()
            assert caught.value.reason == "UNAVAILABLE"
            assert caught.value.recoverability == "potentially_recoverable"
            assert caught.value.context["operation"]


def test_the_calls_of_a_space_take_its_agent_only(api: AgentMemoryAPI) -> None:
    space = api.get_memory_space(AGENT)
    assert space.store_state({"a": 1}, 1, agent_id=AGENT)
    assert space.store_action({"action_type": "wait"}, 1) and space.store_interaction({"with": "b"}, 1)
    id = space.add_memory("plan", {"goal": "wood"}, 2, priority=0.4)
    assert [entry["memory_id"] for entry in space.retrieve_recent_states(5, "plan")] == [id]
    assert len(space.retrieve_by_time_range(agent_id=AGENT, start_step=0, end_step=9)) == 4
    assert steps(space.hybrid_retrieve({"health": 1, "a": 1}, k=1)) == [1]
    with pytest.raises(MemoryRetrievalException, match="agent_id: must be that of the space"):
        space.retrieve_by_time_range(agent_id="other", start_step=0, end_step=9)
    with pytest.raises(MemoryRetrievalException, match="agent_id"):
        api.get_memory_space("")


def test_a_file_of_memories_comes_back(api: AgentMemoryAPI, vector_server: Server, tmp_path: Path) -> None:
    for step in range(3):
        api.store_agent_state(AGENT, {"wood": step}, step, priority=0.5)
    api.client.demote([api.retrieve_by_time_range(AGENT, 1, 1)[0]["memory_id"]], to_tier="intermediate")
    assert api.save_to_json(tmp_path / "memories.json") == 3
    config = MemoryConfig(address=vector_server.address, namespace=f"{api.client.namespace}-copy")
    with AgentMemoryAPI(config) as copy:
        assert copy.load_from_json(tmp_path / "memories.json") == 3
        assert copy.load_from_json(tmp_path / "memories.json") == 3
        originals, copies = (each.retrieve_by_time_range(AGENT, 0, 9) for each in (api, copy))
        for original, entry in zip(originals, copies, strict=True):
            for key in ("memory_id", "step_number", "timestamp", "type", "contents"):
                assert entry[key] == original[key]
            for key in ("checksum", "importance_score", "current_tier"):
                assert entry["metadata"][key] == original["metadata"][key]
        assert steps(copy.retrieve_by_attributes(AGENT, {"wood": 2})) == [2]
        assert steps(copy.get_attribute_change_history(AGENT, "wood")) == [0, 1, 2]
    (tmp_path / "bad.json").write_text('{"agents": []}')
    for name in ("bad.json", "none.json"):
        with pytest.raises(MemoryStoreException, match="file: "):
            api.load_from_json(tmp_path / name)


def test_a_client_that_is_given_stays_open(api: AgentMemoryAPI) -> None:
    with AgentMemoryAPI({"cleanup_interval": 3}, client=api.client) as other:
        other.store_agent_state(AGENT, {"a": 1}, 1)
        assert other.config.cleanup_interval == 3
    assert len(api.retrieve_recent_states(AGENT)) == 1
    with pytest.raises(MemoryConfigException, match="config: must be"):
        AgentMemoryAPI(5)  # type: ignore[arg-type]


@pytest.mark.parametrize("count", [3, 256, 384])
def test_p5_a_search_by_vector_where_none_is_stored_says_so(server: Server, namespace: str, count: int) -> None:
    with AgentMemoryAPI(MemoryConfig(address=server.address, namespace=namespace)) as api:
        assert api.search_by_embedding(AGENT, [0.1] * count) == []
        api.store_agent_state(AGENT, {"place": "harbour"}, 1)
        with pytest.raises(MemoryRetrievalException, match="has no vectors"):
            api.search_by_embedding(AGENT, [0.1] * count)


def test_p5_own_vectors_are_searched_with_default_settings(server: Server, namespace: str, tmp_path: Path) -> None:
    memories = [
        {
            "memory_id": f"m{step}",
            "agent_id": AGENT,
            "step_number": step,
            "timestamp": 1_760_000_000 + step,
            "contents": {"place": f"room {step}"},
            "metadata": {"memory_type": "state"},
            "embeddings": {"full_vector": vector, "compressed_vector": None, "abstract_vector": None},
        }
        for step, vector in ((1, [1, 0, 0]), (2, [0, 1, 0]))
    ]
    file = tmp_path / "vectors.json"
    file.write_text(json.dumps({"agents": {AGENT: {"agent_id": AGENT, "memories": memories}}}))
    with AgentMemoryAPI(MemoryConfig(address=server.address, namespace=namespace)) as api:
        assert api.load_from_json(file, embedding_model="own") == 2
        found = api.search_by_embedding(AGENT, [0.1, 0.9, 0])
        assert steps(found) == [2, 1]
        assert found[0]["embeddings"]["full_vector"] == [0, 1, 0]
        for count in (1, 2, 4, 256):
            with pytest.raises(MemoryRetrievalException, match="3 values"):
                api.search_by_embedding(AGENT, [1.0] * count)
