"""An `AgentMemoryAPI` behind its calls: the client, the settings of its namespace, counts of inserts, the cache."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from .. import client as blocking
from ..errors import AlreadyExistsError, MnemeError
from ._cache import Cache, register
from ._checks import Kind
from ._entries import VectorForms
from .config import MemoryConfig
from .errors import MemoryConfigException, failing_as, refused

log = logging.getLogger("mneme.agentmemory")
DEFAULT_ADDRESS = "127.0.0.1:50051"
#: Failures of a connection: the configuration is sent again by the next call.
_AWAY = {"UNAVAILABLE", "DEADLINE_EXCEEDED", "CANCELLED", "RESOURCE_EXHAUSTED"}
_FORMS_AGE_MAX_S = 60.0


@dataclass
class Upkeep:
    """Maintenance of one agent by this API."""

    insert_count: int = 0
    """Memories stored since the last maintenance."""
    last_time: float | None = None
    """Of the last maintenance, in seconds since 1970."""


class Engine:
    """Shared by an API, its memory spaces and the hooks of its agents. Safe for threads."""

    def __init__(
        self,
        config: MemoryConfig,
        client: blocking.Mneme | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.config = config
        self.clock = clock
        self.cache = register(Cache())
        self._lock = threading.RLock()
        self._given_client = client
        self._client = client
        self._pending: dict[str, str] | None = config.settings()
        self._upkeep: dict[str, Upkeep] = {}
        self._forms: tuple[float, VectorForms] | None = None
        self._set_level()

    @property
    def client(self) -> blocking.Mneme:
        """The client, which connects when it is first used."""
        with self._lock:
            if self._client is None:
                self._client = self._connect()
            return self._client

    def _connect(self) -> blocking.Mneme:
        config = self.config
        address = config.address or os.environ.get("MNEME_SERVER") or DEFAULT_ADDRESS
        namespace = config.namespace or os.environ.get("MNEME_NAMESPACE") or "default"
        token = config.token or os.environ.get("MNEME_TOKEN") or None
        try:
            return blocking.connect(address, **{"namespace": namespace, "token": token, **config.connect})
        except (MnemeError, TypeError, ValueError) as error:
            raise refused(MemoryConfigException, "connect", str(error)) from error

    def ready(self, kind: Kind, operation: str, **context: Any) -> blocking.Mneme:
        """The client, after the configuration has reached the server."""
        client = self.client
        with self._lock:
            if self._pending is not None:
                self.configure(kind, operation, self._pending, self.config, **context)
                self._pending = None
        return client

    def configure(
        self, kind: Kind, operation: str, settings: Mapping[str, str], config: MemoryConfig, **context: Any
    ) -> None:
        """Makes the namespace where it is missing, and gives it the settings. Failures of the connection are of the
        kind of the operation, others are `MemoryConfigException`."""
        try:
            self._check_model(config)
            self._send(settings)
        except MnemeError as error:
            failed = kind if error.code in _AWAY else MemoryConfigException
            with failing_as(failed, operation, **context):
                raise
        self._forms = None

    def _send(self, settings: Mapping[str, str]) -> None:
        client = self.client
        try:
            client.namespaces.create(client.namespace, settings=settings)
        except AlreadyExistsError:
            if settings:
                client.namespaces.update(client.namespace, settings=settings, allow_demotion=True)

    def _check_model(self, config: MemoryConfig) -> None:
        """Refuses a model or a dimension that is not that of the server's embedder."""
        sizes = config.autoencoder_config
        if not config.is_given("text_model_name") and not sizes.is_given("stm_dim"):
            return
        embedder = self.client.admin.get_server_info().embedder
        name = config.text_model_name
        # The table of the static embedder is made from this model.
        is_static = embedder.kind == "static" and name == MemoryConfig.OPTIONS["text_model_name"].default
        if (
            config.is_given("text_model_name")
            and not is_static
            and embedder.model.split("/")[-1] != name.split("/")[-1]
        ):
            raise refused(MemoryConfigException, "text_model_name", _other("embeds with", embedder.model, name))
        if sizes.is_given("stm_dim") and sizes.stm_dim != embedder.dimension:
            field = "autoencoder_config.stm_dim"
            raise refused(MemoryConfigException, field, _other("embeds in", embedder.dimension, sizes.stm_dim))

    def change_config(self, config: MemoryConfig, changed: Mapping[str, str]) -> None:
        """Sends the settings that a change of the configuration has, and keeps it."""
        operation = "configure_memory_system"
        self.ready(MemoryConfigException, operation)
        with self._lock:
            self.configure(MemoryConfigException, operation, changed, config)
            self.config = config
            self._set_level()

    def _set_level(self) -> None:
        if self.config.is_given("logging_level"):
            log.setLevel(self.config.logging_level)

    def forms(self) -> VectorForms:
        """Forms of vectors in the lower tiers, as the server had them a minute ago at most."""
        with self._lock:
            known = self._forms
        if known is not None and time.monotonic() - known[0] < _FORMS_AGE_MAX_S:
            return known[1]
        client = self.client
        own = client.namespaces.get().settings
        forms = VectorForms.of_settings({**client.admin.get_config(), **own})
        with self._lock:
            self._forms = (time.monotonic(), forms)
        return forms

    def upkeep(self, agent: str) -> Upkeep:
        """Maintenance of one agent by this API."""
        with self._lock:
            return self._upkeep.setdefault(agent, Upkeep())

    def wrote(self) -> None:
        """Drops kept results, which a write made old."""
        self.cache.clear()

    def stored(self, agent: str, count: int = 1) -> None:
        """Counts inserts of an agent; every `cleanup_interval` of them, maintenance runs. Its failure is logged: the
        memories are stored."""
        self.wrote()
        with self._lock:
            upkeep = self.upkeep(agent)
            upkeep.insert_count += count
            if upkeep.insert_count < self.config.cleanup_interval:
                return
            upkeep.insert_count = 0
        try:
            self.maintain(None)
        except MnemeError as error:
            log.warning("maintenance of %s after %s: %s", self.client.namespace, agent, error)
        else:
            upkeep.last_time = self.clock()

    def maintain(self, agent: str | None) -> int:
        """Runs maintenance of an agent or of the namespace; returns how many memories moved."""
        client, moved = self.client, 0
        for step in client.admin.maintain_tiers(client.namespace, agent=agent):
            moved = step.moved_count
        self.wrote()
        return moved

    def maintained(self, agent: str | None) -> None:
        """Notes a maintenance that was asked for."""
        with self._lock:
            for name in [agent] if agent is not None else list(self._upkeep):
                upkeep = self.upkeep(name)
                upkeep.insert_count, upkeep.last_time = 0, self.clock()

    def close(self) -> None:
        """Closes the client, unless the caller gave it."""
        with self._lock:
            if self._client is not None and self._client is not self._given_client:
                self._client.close()


def _other(what: str, has: object, asked: object) -> str:
    return f"the server {what} {has!r}, got {asked!r}: start it with --embedder, or leave the option out"
