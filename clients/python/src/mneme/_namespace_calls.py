"""The calls of NamespaceService, AdminService and ScopeService."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable, Mapping
from contextlib import aclosing
from typing import Any

from typing_extensions import Unpack

from . import statistics as st
from ._face import Calls, call, stream
from ._names import namespace_name
from ._paging import items_of_pages
from ._read import read, read_all, time_of
from ._write import fill
from .errors import invalid
from .memory import Scope
from .options import CallOptions, WriteOptions
from .results import MaintenanceStep
from .scopes import ScopePolicy
from .v1 import admin_service_pb2 as admin
from .v1 import namespace_service_pb2 as pb
from .v1 import scope_service_pb2

Settings = Mapping[str, str | int | float | None]


class NamespaceCalls(Calls):
    """Namespaces, named by id or resource name; where one is left out it is the client's own."""

    @call
    async def create(
        self,
        namespace: str,
        *,
        description: str = "",
        memory_limit: int = 0,
        settings: Settings | None = None,
        **options: Unpack[WriteOptions],
    ) -> st.Namespace:
        """Makes a namespace. `AlreadyExistsError` when it exists.

        `memory_limit`: most memories, 0 for no limit. `settings` of its tiers by dotted key, such as
        `{"short_term.memory_limit": 5000}`; `docs/api/namespace-service.md` lists them.
        """
        request = pb.CreateNamespaceRequest()
        request.namespace.name = namespace_name(namespace)
        fill(request.namespace, {"description": description, "memory_limit": memory_limit})
        _fill_settings(request.namespace.settings, settings)
        return read(st.Namespace, (await self._ask(request, pb.CreateNamespaceResponse, options)).namespace)

    @call
    async def get(self, namespace: str | None = None, **options: Unpack[CallOptions]) -> st.Namespace:
        """Reads a namespace."""
        request = pb.GetNamespaceRequest(name=namespace_name(namespace or self._namespace))
        return read(st.Namespace, (await self._ask(request, pb.GetNamespaceResponse, options)).namespace)

    @stream
    async def list(self, **options: Unpack[CallOptions]) -> AsyncGenerator[st.Namespace, None]:
        """All namespaces by name."""

        async def page_of(token: str) -> tuple[Iterable[st.Namespace], str]:
            answer = await self._ask(pb.ListNamespacesRequest(page_token=token), pb.ListNamespacesResponse, options)
            return read_all(st.Namespace, answer.namespaces), answer.next_page_token

        async with aclosing(items_of_pages(page_of)) as namespaces:
            async for namespace in namespaces:
                yield namespace

    @call
    async def update(
        self,
        namespace: str,
        *,
        description: str | None = None,
        memory_limit: int | None = None,
        settings: Settings | None = None,
        if_version: int | None = None,
        allow_demotion: bool = False,
        **options: Unpack[WriteOptions],
    ) -> st.Namespace:
        """Changes the fields that are set. `AbortedError` when `if_version` is not its version.

        Of `settings`, those that are not named stay, and None removes one. `allow_demotion` accepts limits below the
        contents of the tiers; memories above them are moved down.
        """
        request = pb.UpdateNamespaceRequest()
        changes = {"description": description, "memory_limit": memory_limit}
        request.namespace.name = namespace_name(namespace)
        fill(request.namespace, changes)
        _fill_settings(request.namespace.settings, settings)
        given = {**changes, "settings": settings}
        request.update_mask.paths.extend(name for name, value in given.items() if value is not None)
        fill(request, {"if_version": if_version, "allow_demotion": allow_demotion})
        return read(st.Namespace, (await self._ask(request, pb.UpdateNamespaceResponse, options)).namespace)

    @call
    async def delete(
        self, namespace: str, *, force: bool = False, **options: Unpack[WriteOptions]
    ) -> st.NamespaceDeleted:
        """Deletes a namespace. `FailedPreconditionError` when it holds memories, unless `force`, which erases them."""
        request = pb.DeleteNamespaceRequest(name=namespace_name(namespace))
        fill(request, {"force": force})
        return read(st.NamespaceDeleted, await self._ask(request, pb.DeleteNamespaceResponse, options))

    @stream
    async def list_scopes(
        self, namespace: str | None = None, **options: Unpack[CallOptions]
    ) -> AsyncGenerator[st.ScopeCount, None]:
        """The scopes that memories of a namespace have."""
        parent = namespace_name(namespace or self._namespace)

        async def page_of(token: str) -> tuple[Iterable[st.ScopeCount], str]:
            request = pb.ListScopesRequest(parent=parent, page_token=token)
            answer = await self._ask(request, pb.ListScopesResponse, options)
            return read_all(st.ScopeCount, answer.scopes), answer.next_page_token

        async with aclosing(items_of_pages(page_of)) as scopes:
            async for scope in scopes:
                yield scope

    @call
    async def get_statistics(
        self, namespace: str | None = None, *, simplified: bool = False, **options: Unpack[CallOptions]
    ) -> st.NamespaceStatistics:
        """Totals of a namespace. `simplified` leaves out types and accesses."""
        request = pb.GetNamespaceStatisticsRequest(name=namespace_name(namespace or self._namespace))
        fill(request, {"simplified": simplified})
        answer = await self._ask(request, pb.GetNamespaceStatisticsResponse, options)
        last = time_of(answer.last_maintenance_time) if answer.HasField("last_maintenance_time") else None
        return read(st.NamespaceStatistics, answer.statistics, last_maintenance_time=last)

    @call
    async def get_agent_statistics(
        self,
        agent: str,
        namespace: str | None = None,
        *,
        simplified: bool = False,
        **options: Unpack[CallOptions],
    ) -> st.AgentStatistics:
        """Totals of one agent in a namespace."""
        request = pb.GetNamespaceStatisticsRequest(name=namespace_name(namespace or self._namespace))
        fill(request, {"simplified": simplified, "agent": _named(agent)})
        answer = await self._ask(request, pb.GetNamespaceStatisticsResponse, options)
        return read(st.AgentStatistics, answer.agent_statistics)


class AdminCalls(Calls):
    """Running a server."""

    @call
    async def get_server_info(self, **options: Unpack[CallOptions]) -> st.ServerInfo:
        """Version, backends and degraded parts of the server."""
        answer = await self._ask(admin.GetServerInfoRequest(), admin.GetServerInfoResponse, options)
        limits = {limit.name: limit.value for limit in answer.limits}
        streams = read(st.StreamTerms, answer.streams, open=_open(answer.streams))
        return read(st.ServerInfo, answer, limits=limits, streams=streams)

    @call
    async def get_server_statistics(
        self, *, simplified: bool = False, **options: Unpack[CallOptions]
    ) -> st.ServerStatistics:
        """Totals of the whole server. `simplified` leaves out types and accesses."""
        request = admin.GetServerStatisticsRequest()
        fill(request, {"simplified": simplified})
        answer = await self._ask(request, admin.GetServerStatisticsResponse, options)
        cache = read(st.RecallCacheStatistics, answer.recall_cache) if answer.HasField("recall_cache") else None
        return read(
            st.ServerStatistics,
            answer.statistics,
            namespace_count=answer.namespace_count,
            disk_bytes=answer.disk_bytes,
            revision=answer.revision,
            recall_cache=cache,
            vector_indexes=read_all(st.VectorIndexStatistics, answer.vector_indexes),
            streams=read(st.StreamStatistics, answer.streams, open=_open(answer.streams)),
            memory_pressure=read(st.MemoryPressure, answer.memory_pressure),
            degraded=tuple(answer.degraded),
        )

    @call
    async def get_agent_statistics(
        self, agent: str, *, simplified: bool = False, **options: Unpack[CallOptions]
    ) -> st.AgentStatistics:
        """Totals of one agent in all namespaces."""
        request = admin.GetServerStatisticsRequest()
        fill(request, {"simplified": simplified, "agent": _named(agent)})
        answer = await self._ask(request, admin.GetServerStatisticsResponse, options)
        return read(st.AgentStatistics, answer.agent_statistics)

    @call
    async def reembed(
        self, namespace: str | None = None, **options: Unpack[CallOptions]
    ) -> tuple[st.ReembedProgress, ...]:
        """Starts to recompute the vectors of a namespace, or of all, with the server's embedder; returns the progress.
        Recall uses the former vectors until all are computed."""
        request = admin.ReembedMemoriesRequest(parent=_parent(namespace))
        return read_all(
            st.ReembedProgress, (await self._ask(request, admin.ReembedMemoriesResponse, options)).namespaces
        )

    @call
    async def get_reembed_progress(
        self, namespace: str | None = None, **options: Unpack[CallOptions]
    ) -> st.ReembedStatus:
        """Progress of re-embedding, and the reason when it is stopped."""
        request = admin.GetReembedProgressRequest(parent=_parent(namespace))
        return read(st.ReembedStatus, await self._ask(request, admin.GetReembedProgressResponse, options))

    @stream
    async def maintain_tiers(
        self,
        namespace: str | None = None,
        *,
        agent: str | None = None,
        dry_run: bool = False,
        flush: bool = False,
        any_type: bool = False,
        **options: Unpack[CallOptions],
    ) -> AsyncGenerator[MaintenanceStep, None]:
        """Moves memories down that exceeded their tier's time to live or limits, and reports each batch.

        `namespace`: default all of them; `agent`: only memories of this agent; `dry_run` only reports which memories
        would be moved, and why; `flush` moves everything to long-term memory; `any_type` takes any type into it.
        """
        request = admin.MaintainTiersRequest(parent=_parent(namespace))
        fill(request, {"agent": agent, "dry_run": dry_run, "flush": flush, "any_type": any_type})
        connection = self._connection
        async with aclosing(connection.messages(request, admin.MaintainTiersResponse, options)) as messages:
            async for message in messages:
                connection.seen_revision.note(message.revision)
                if message.done:
                    return
                yield read(MaintenanceStep, message)

    @call
    async def clear_recall_cache(
        self, namespace: str | None = None, **options: Unpack[CallOptions]
    ) -> st.RecallCacheCleared:
        """Forgets answers of recall that the server keeps to give them again, of a namespace or all of them."""
        request = admin.ClearRecallCacheRequest(parent=_parent(namespace))
        return read(st.RecallCacheCleared, await self._ask(request, admin.ClearRecallCacheResponse, options))

    @call
    async def get_config(self, **options: Unpack[CallOptions]) -> Mapping[str, str]:
        """Server-wide settings of tiers, which apply to namespaces without their own, by dotted key."""
        return dict((await self._ask(admin.GetConfigRequest(), admin.GetConfigResponse, options)).settings)

    @call
    async def update_config(
        self, settings: Settings, *, allow_demotion: bool = False, **options: Unpack[CallOptions]
    ) -> Mapping[str, str]:
        """Sets server-wide settings, all or none; None removes one. Returns the current ones. A limit below the
        contents of a namespace is refused unless `allow_demotion` is set, which moves the excess down.
        """
        request = admin.UpdateConfigRequest()
        fill(request, {"allow_demotion": allow_demotion})
        _fill_settings(request.settings, settings)
        return dict((await self._ask(request, admin.UpdateConfigResponse, options)).settings)


class ScopeCalls(Calls):
    """Policies of scopes."""

    @call
    async def set_policy(
        self,
        scope: Scope | Mapping[str, str],
        *,
        is_private: bool = False,
        read_only: bool = False,
        isolated: bool = False,
        **options: Unpack[WriteOptions],
    ) -> None:
        """Says what is allowed with the memories of a scope and of everything beneath it; all False removes the policy.
        `is_private`: recalls from other scopes do not see its memories; `read_only`: they cannot be stored, changed or
        deleted; `isolated`: recalls from within do not see memories of its ancestors."""
        request = scope_service_pb2.SetScopePolicyRequest()
        policy = {"scope": scope, "is_private": is_private, "read_only": read_only, "isolated": isolated}
        fill(request.policy, policy)
        await self._ask(request, scope_service_pb2.SetScopePolicyResponse, options)

    @call
    async def list_policies(self, **options: Unpack[CallOptions]) -> tuple[ScopePolicy, ...]:
        """All policies of the namespace."""
        request = scope_service_pb2.ListScopePoliciesRequest()
        answer = await self._ask(request, scope_service_pb2.ListScopePoliciesResponse, options)
        return read_all(ScopePolicy, answer.policies)


def _parent(namespace: str | None) -> str:
    return "" if namespace is None else namespace_name(namespace)


def _named(agent: object) -> object:
    """An empty name would ask for all agents."""
    if agent == "":
        raise invalid("agent", "must not be empty")
    return agent


def _open(streams: Any) -> dict[str, int]:
    return {each.kind: each.count for each in streams.open}


def _fill_settings(target: Any, settings: Settings | None) -> None:
    if settings is None:
        return
    if not isinstance(settings, Mapping):
        raise invalid("settings", f"must be a dict, got {type(settings).__name__}")
    for key, value in settings.items():
        if not isinstance(value, (str, int, float, type(None))):
            raise invalid(f"settings.{key}", f"must be a string, a number or None, got {type(value).__name__}")
        target[key] = "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
