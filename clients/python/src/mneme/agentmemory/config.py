"""Configuration of the Agent Memory API.

Limits, times to live, decay, compression and whitelisted types are settings of the namespace in the server; they are
sent before the first call of an `AgentMemoryAPI`. Only options that were set are sent: others keep the server's value.
An option without an equivalent accepts its default only.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any, ClassVar

from ._options import Config, Option, invalid_option, kind, number, one_of, only, whole

__all__ = [
    "AutoencoderConfig",
    "MemoryConfig",
    "RedisIMConfig",
    "RedisSTMConfig",
    "SQLiteLTMConfig",
]

_REDIS = "Redis belongs to the server: start it with MNEME_REDIS_URL."
_MODEL = "Vectors come from the embedder of the server: start it with --embedder."


def _seconds(value: float) -> str:
    return f"{round(value * 1000)}ms"


def _redis(db: int, namespace: str) -> dict[str, Option]:
    return {
        "host": only("localhost", _REDIS),
        "port": only(6379, _REDIS),
        "db": only(db, _REDIS),
        "namespace": only(namespace, "Use MemoryConfig.namespace."),
        "password": only(None, _REDIS),
        "use_mock": only(False, "The server needs no Redis; mneme.testing.start_server starts one for a test."),
    }


class RedisSTMConfig(Config):
    """Short-term memory."""

    host: str
    port: int
    db: int
    namespace: str
    password: str | None
    use_mock: bool
    memory_limit: int
    """Most memories of the namespace in short-term memory; more move down. Default 10,000."""
    ttl: float
    """Seconds after which a memory moves down. Default 3,600."""
    test_mode: bool
    """True: `retrieve_state_by_id` counts no access and moves nothing up. Default False."""

    OPTIONS: ClassVar[Mapping[str, Option]] = {
        **_redis(0, "agent-stm"),
        "memory_limit": Option(10_000, whole(1), "short_term.memory_limit"),
        "ttl": Option(3_600, number(0.001, 520 * 7 * 86_400), "short_term.ttl", _seconds),
        "test_mode": Option(False, kind(bool)),
    }


class RedisIMConfig(Config):
    """Intermediate memory."""

    host: str
    port: int
    db: int
    namespace: str
    password: str | None
    use_mock: bool
    memory_limit: int
    """Most memories of the namespace in intermediate memory; more move down. Default 50,000."""
    ttl: float
    """Seconds after which a memory moves down. Default 86,400."""
    test_mode: bool
    """As in `RedisSTMConfig`; either of them is enough."""

    OPTIONS: ClassVar[Mapping[str, Option]] = {
        **_redis(1, "agent-im"),
        "memory_limit": Option(50_000, whole(1), "intermediate.memory_limit"),
        "ttl": Option(86_400, number(0.001, 520 * 7 * 86_400), "intermediate.ttl", _seconds),
        "test_mode": Option(False, kind(bool)),
    }


def _type_names(value: Any) -> str | None:
    is_list = isinstance(value, (list, tuple)) and all(isinstance(each, str) and each for each in value)
    if is_list and 1 <= len(value) <= 64 and not any("," in each for each in value):
        return None
    return f"must be a list of 1 to 64 names of types, or ['*'], got {value!r}"


class SQLiteLTMConfig(Config):
    """Long-term memory."""

    db_path: str
    batch_size: int
    table_prefix: str
    whitelisted_fields: list[str]
    compression_level: int
    """Level of zstd of long-term contents, 0 to 19; it loses nothing. Default: that of the server, 9."""
    whitelist_enabled: bool
    """False: any type may move to long-term memory. Default True."""
    whitelisted_types: list[str]
    """Types that may move to long-term memory. Default `["*"]`: all."""

    OPTIONS: ClassVar[Mapping[str, Option]] = {
        "db_path": only("./ltm.db", "The server keeps long-term memory in its data folder (--data)."),
        "batch_size": only(100, "The server moves batches of up to 500 memories."),
        "table_prefix": only("ltm", "Use MemoryConfig.namespace."),
        "whitelisted_fields": only(["*"], "The server can drop fields instead: its setting long_term.drop_keys."),
        "compression_level": Option(9, whole(0, 19), "long_term.compression_level"),
        "whitelist_enabled": Option(True, kind(bool)),
        "whitelisted_types": Option(["*"], _type_names),
    }

    def settings(self) -> dict[str, str]:
        """Also the types, which two options determine together."""
        found = super().settings()
        if self.is_given("whitelist_enabled") or self.is_given("whitelisted_types"):
            is_open = not self.whitelist_enabled or "*" in self.whitelisted_types
            found["long_term.types"] = "none" if is_open else ",".join(self.whitelisted_types)
        return found


class AutoencoderConfig(Config):
    """Sizes of the vectors of the tiers."""

    input_dim: int
    stm_dim: int
    """Dimension of the whole vector, which is that of the server's embedder: another one is refused."""
    im_dim: int
    """Leading values that recall compares in intermediate memory (default: all); size of `compressed_vector`."""
    ltm_dim: int
    """Leading values that recall compares in long-term memory (default: all); size of `abstract_vector`."""
    use_neural_embeddings: bool
    model_path: str
    embedding_type: str
    text_model_name: str

    OPTIONS: ClassVar[Mapping[str, Option]] = {
        "input_dim": only(64, _MODEL),
        "stm_dim": Option(768, whole(1, 4_096)),
        "im_dim": Option(384, whole(1, 4_096), "intermediate.vector_dimension"),
        "ltm_dim": Option(128, whole(1, 4_096), "long_term.vector_dimension"),
        "use_neural_embeddings": only(False, _MODEL),
        "model_path": only("./models/autoencoder.pt", _MODEL),
        "embedding_type": only("autoencoder", _MODEL),
        "text_model_name": only("all-MiniLM-L6-v2", "Use MemoryConfig.text_model_name."),
    }

    def _check_together(self) -> None:
        names = [name for name in ("stm_dim", "im_dim", "ltm_dim") if self.is_given(name)]
        for wide, narrow in pairwise(names):
            if getattr(self, wide) < getattr(self, narrow):
                problem = f"must not exceed {wide}, got {getattr(self, narrow)} and {getattr(self, wide)}"
                raise invalid_option(narrow, problem)


def _connect_options(value: Any) -> str | None:
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        return None
    return f"must be a dict of arguments of mneme.connect, got {value!r}"


class MemoryConfig(Config):
    """Configuration of an `AgentMemoryAPI`."""

    cleanup_interval: int
    """Stored memories of one agent after which its API runs maintenance of the namespace. Default 100."""
    memory_priority_decay: float
    """What importance is multiplied by for every day of age, 0 to 1. Default 0.95."""
    enable_memory_hooks: bool
    """False: agents with hooks act as without. Default True."""
    logging_level: str
    """Least severe message of the logger `mneme.agentmemory`. Default: as the program has set it."""
    use_embedding_engine: bool
    """False: entries have no vectors, and retrieval by similarity raises. Default True."""
    text_model_name: str
    """Model of the vectors, which is that of the server's embedder: another one is refused."""
    stm_config: RedisSTMConfig
    im_config: RedisIMConfig
    ltm_config: SQLiteLTMConfig
    autoencoder_config: AutoencoderConfig
    address: str | None
    """`host:port` of the server. Default: the variable `MNEME_SERVER`, or 127.0.0.1:50051."""
    namespace: str | None
    """Namespace of the memories. Default: the variable `MNEME_NAMESPACE`, or `default`."""
    token: str | None
    """Bearer token. Default: the variable `MNEME_TOKEN`."""
    connect: Mapping[str, Any]
    """More arguments of `mneme.connect`, such as `{"timeout_ms": 2_000}`."""
    queue_limit: int
    """Most memories of hooks that wait to be stored. Default 10,000."""
    queue_bytes: int
    """Most bytes of them. Default 67,108,864 (64 MiB)."""

    OPTIONS: ClassVar[Mapping[str, Option]] = {
        "cleanup_interval": Option(100, whole(1)),
        "memory_priority_decay": Option(0.95, number(0, 1), "importance.decay_factor", repr),
        "enable_memory_hooks": Option(True, kind(bool)),
        "logging_level": Option("INFO", one_of("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")),
        "use_embedding_engine": Option(True, kind(bool)),
        "text_model_name": Option("all-MiniLM-L6-v2", kind(str)),
        "address": Option(None, kind(str, type(None))),
        "namespace": Option(None, kind(str, type(None))),
        "token": Option(None, kind(str, type(None))),
        "connect": Option({}, _connect_options),
        "queue_limit": Option(10_000, whole(1, 10_000_000)),
        "queue_bytes": Option(64 * 2**20, whole(1_024)),
    }
    PARTS: ClassVar[Mapping[str, type[Config]]] = {
        "stm_config": RedisSTMConfig,
        "im_config": RedisIMConfig,
        "ltm_config": SQLiteLTMConfig,
        "autoencoder_config": AutoencoderConfig,
    }

    def settings(self) -> dict[str, str]:
        """Settings of the server by dotted key, of the options that were set."""
        found = super().settings()
        for name in self.PARTS:
            found.update(getattr(self, name).settings())
        return found
