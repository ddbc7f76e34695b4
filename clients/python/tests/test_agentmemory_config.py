"""Configuration of the Agent Memory API: each option has an effect, or is refused by its name."""

from __future__ import annotations

from typing import Any

import pytest

from mneme.agentmemory import (
    AutoencoderConfig,
    MemoryAPIException,
    MemoryConfig,
    MemoryConfigException,
    RedisIMConfig,
    RedisSTMConfig,
    SQLiteLTMConfig,
)
from mneme.agentmemory._options import Config


def test_defaults_are_those_of_the_library_and_set_nothing_in_the_server() -> None:
    config = MemoryConfig()
    assert (config.cleanup_interval, config.memory_priority_decay) == (100, 0.95)
    assert (config.stm_config.memory_limit, config.stm_config.ttl) == (10_000, 3_600)
    assert (config.im_config.memory_limit, config.im_config.ttl) == (50_000, 86_400)
    assert (config.ltm_config.db_path, config.ltm_config.whitelisted_types) == ("./ltm.db", ["*"])
    assert config.enable_memory_hooks and config.use_embedding_engine
    assert config.settings() == {}


def test_options_become_settings_of_the_server() -> None:
    config = MemoryConfig(
        memory_priority_decay=0.9,
        stm_config=RedisSTMConfig(host="localhost", port=6379, memory_limit=500, ttl=90),
        im_config={"memory_limit": 900, "ttl": 0.5},
        ltm_config=SQLiteLTMConfig(compression_level=7, whitelisted_types=["state", "action"]),
        autoencoder_config=AutoencoderConfig(im_dim=128, ltm_dim=32),
    )
    assert config.settings() == {
        "importance.decay_factor": "0.9",
        "short_term.memory_limit": "500",
        "short_term.ttl": "90000ms",
        "intermediate.memory_limit": "900",
        "intermediate.ttl": "500ms",
        "long_term.compression_level": "7",
        "long_term.types": "state,action",
        "intermediate.vector_dimension": "128",
        "long_term.vector_dimension": "32",
    }
    config.ltm_config.whitelist_enabled = False
    assert config.settings()["long_term.types"] == "none"


@pytest.mark.parametrize(
    ("made_by", "option", "value"),
    [
        (RedisSTMConfig, "host", "redis.example"),
        (RedisSTMConfig, "port", 6380),
        (RedisSTMConfig, "db", 3),
        (RedisSTMConfig, "namespace", "mine"),
        (RedisSTMConfig, "password", "secret"),
        (RedisSTMConfig, "use_mock", True),
        (RedisIMConfig, "db", 0),
        (SQLiteLTMConfig, "db_path", "/tmp/ltm.db"),
        (SQLiteLTMConfig, "batch_size", 50),
        (SQLiteLTMConfig, "table_prefix", "other"),
        (SQLiteLTMConfig, "whitelisted_fields", ["health"]),
        (AutoencoderConfig, "input_dim", 128),
        (AutoencoderConfig, "use_neural_embeddings", True),
        (AutoencoderConfig, "model_path", "./mine.pt"),
        (AutoencoderConfig, "embedding_type", "text"),
    ],
)
def test_an_option_without_an_equivalent_is_refused(made_by: type[Config], option: str, value: Any) -> None:
    with pytest.raises(MemoryConfigException, match=f"^{option}: has no equivalent in Mneme") as caught:
        made_by(**{option: value})
    assert caught.value.context["field"] == option
    assert caught.value.recoverability == "potentially_recoverable"
    default = made_by.OPTIONS[option].default
    assert getattr(made_by(**{option: default}), option) == default


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"cleanup_interval": 0}, "cleanup_interval"),
        ({"cleanup_interval": True}, "cleanup_interval"),
        ({"memory_priority_decay": 1.5}, "memory_priority_decay"),
        ({"memory_priority_decay": float("nan")}, "memory_priority_decay"),
        ({"logging_level": "loud"}, "logging_level"),
        ({"stm_config": {"ttl": 0}}, "stm_config.ttl"),
        ({"stm_config": {"memory_limit": -1}}, "stm_config.memory_limit"),
        ({"stm_config": 5}, "stm_config"),
        ({"im_config": {"ttl": "1h"}}, "im_config.ttl"),
        ({"ltm_config": {"compression_level": 20}}, "ltm_config.compression_level"),
        ({"ltm_config": {"whitelisted_types": []}}, "ltm_config.whitelisted_types"),
        ({"autoencoder_config": {"im_dim": 32, "ltm_dim": 64}}, "autoencoder_config.ltm_dim"),
        ({"stm_config": {"memory_limt": 5}}, "stm_config.memory_limt"),
    ],
)
def test_bad_values_name_their_option(options: dict[str, Any], field: str) -> None:
    with pytest.raises(MemoryConfigException) as caught:
        MemoryConfig(**options)
    assert caught.value.context["field"] == field
    assert str(caught.value).startswith(f"{field}: ")
    assert isinstance(caught.value, (MemoryAPIException, ValueError))


def test_an_unknown_option_names_the_nearest() -> None:
    with pytest.raises(
        MemoryConfigException, match="cleanup_intervall: is not an option; the nearest is cleanup_inter"
    ):
        MemoryConfig(cleanup_intervall=5)
    with pytest.raises(MemoryConfigException, match="known are"):
        RedisSTMConfig().zzz = 1


def test_changes_are_merged_and_checked_as_a_whole() -> None:
    config = MemoryConfig(cleanup_interval=7, stm_config={"memory_limit": 300})
    changed = config.changed({"stm_config.ttl": 60, "im_config": {"memory_limit": 2_000}})
    assert (changed.cleanup_interval, changed.stm_config.memory_limit, changed.stm_config.ttl) == (7, 300, 60)
    assert changed.im_config.memory_limit == 2_000
    assert not config.stm_config.is_given("ttl")
    with pytest.raises(MemoryConfigException, match=r"^stm_config\.ttl: "):
        config.changed({"cleanup_interval": 8, "stm_config.ttl": 0})


def test_a_part_can_be_changed_in_place_and_copies_are_equal() -> None:
    config = MemoryConfig()
    config.stm_config.memory_limit = 250
    assert config.settings() == {"short_term.memory_limit": "250"}
    assert MemoryConfig(**config.as_dict()) == config
    assert MemoryConfig() != config
    assert "secret" not in repr(MemoryConfig(token="secret"))
