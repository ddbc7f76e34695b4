"""The calls of MemoryService that are about single memories, lists and selections."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Iterable, Mapping
from contextlib import aclosing
from datetime import datetime
from typing import Any

from typing_extensions import Unpack

from ._face import Calls, call, stream
from ._known import assert_known, split
from ._names import id_in, memory_name, namespace_name
from ._paging import Damage, OnDamaged, items_of_pages
from ._read import read, read_all
from ._write import TOLD_BY_SERVER, fill, fill_memory, id_of_memory, items_of, memory_with, sequence
from .errors import InternalError, invalid
from .filters import FilterLike
from .memory import Memory, MemoryArguments, MemoryLike, MemoryView
from .options import CallOptions, ReadOptions, WriteOptions
from .results import (
    BatchGetResult,
    Deleted,
    ForgetResult,
    ListPage,
    MemoryCount,
    MemoryOrder,
    MemoryRevision,
    SupersedeReceipt,
    WriteReceipt,
)
from .v1 import memory_pb2
from .v1 import memory_service_pb2 as pb

_PAGE_SIZE = 200
_REVISIONS_PAGE_SIZE = 100
#: Page tokens of this client carry the `min_revision` of the first page in front of the server's token.
_PAGE_TOKEN = re.compile(r"(\d+):(.+)", re.DOTALL)


class StoreArguments(MemoryArguments, WriteOptions, total=False):
    """Keys of `MemoryArguments` and `WriteOptions`."""


class MemoryCalls(Calls):
    """Memories. A memory is named by its id in the client's namespace or by its full resource name."""

    @call
    async def store(self, memory: str | MemoryLike, **arguments: Unpack[StoreArguments]) -> WriteReceipt:
        """Stores one memory durably: a text with its properties as arguments, a dict or a `NewMemory`.
        `AlreadyExistsError` when it has the id of another.

        ```python
        client.store("I have played the cello since I was nine.", speaker="Caroline", session="monday")
        ```
        """
        options, more = split(arguments, WriteOptions.__annotations__.keys() | CallOptions.__annotations__.keys())
        namespace = more.pop("namespace", None) or self._namespace
        given = memory_with(memory, more)
        request = pb.StoreMemoryRequest(parent=namespace_name(namespace), memory_id=id_of_memory(given))
        fill_memory(request.memory, given, namespace, "")
        answer = await self._ask(request, pb.StoreMemoryResponse, options)
        return _receipt(answer.memory, answer)

    @call
    async def batch_store(
        self, memories: Iterable[MemoryLike], **options: Unpack[WriteOptions]
    ) -> tuple[WriteReceipt, ...]:
        """Stores up to 1,000 memories: all of them or none. Receipts are in the order of the memories."""
        return await self._store_all(sequence(memories, "memories"), self._namespace, options)

    @call
    async def store_many(
        self, memories: Iterable[str | MemoryLike], **arguments: Unpack[StoreArguments]
    ) -> tuple[WriteReceipt, ...]:
        """Stores up to 1,000 memories as `store` does, all of them or none; the arguments are properties of each."""
        options, more = split(arguments, WriteOptions.__annotations__.keys() | CallOptions.__annotations__.keys())
        namespace = more.pop("namespace", None) or self._namespace
        given = [memory_with(each, more, f"memories[{n}]") for n, each in enumerate(sequence(memories, "memories"))]
        return await self._store_all(given, namespace, options)

    async def _store_all(self, memories: Iterable[Any], namespace: str, options: Any) -> tuple[WriteReceipt, ...]:
        request = pb.BatchStoreMemoriesRequest(parent=namespace_name(namespace))
        for place, memory in enumerate(memories):
            at = f"memories[{place}]"
            each = request.requests.add(memory_id=id_of_memory(memory, at))
            fill_memory(each.memory, memory, namespace, at)
        answer = await self._ask(request, pb.BatchStoreMemoriesResponse, options)
        if len(answer.memories) != len(request.requests):
            raise InternalError("the answer has no receipt for some of the memories", family="store")
        return tuple(_receipt(each, answer) for each in answer.memories)

    @call
    async def get(
        self,
        id: str,
        *,
        view: MemoryView = "basic",
        touch: bool = False,
        focus: bool = False,
        **options: Unpack[ReadOptions],
    ) -> Memory:
        """Reads one memory. Changes nothing unless `touch` is set, which counts the read, or `focus`, which also moves
        the memory one tier up when it qualifies."""
        request = pb.GetMemoryRequest(name=memory_name(self._namespace, id))
        fill(request, {"view": view, "touch": touch, "focus": focus})
        return read(Memory, (await self._ask(request, pb.GetMemoryResponse, options)).memory)

    @call
    async def batch_get(
        self, ids: Iterable[str], *, view: MemoryView = "basic", **options: Unpack[ReadOptions]
    ) -> BatchGetResult:
        """Reads up to 1,000 memories in the order asked for."""
        names = [memory_name(self._namespace, id) for id in sequence(ids, "ids")]
        request = pb.BatchGetMemoriesRequest(names=names)
        fill(request, {"view": view})
        return read(BatchGetResult, await self._ask(request, pb.BatchGetMemoriesResponse, options))

    @call
    async def update(
        self, id: str, changes: Mapping[str, Any], *, if_version: int | None = None, **options: Unpack[WriteOptions]
    ) -> WriteReceipt:
        """Changes the fields that are set and keeps the former state.

        `changes` has keys of `NewMemory`: absent fields stay, None clears a field or resets it to its default; parts of
        `scope` are changed one by one. `AbortedError` when `if_version` is not its version.
        """
        request = pb.UpdateMemoryRequest()
        request.update_mask.paths.extend(_fill_changes(request.memory, changes, self._namespace))
        request.memory.name = memory_name(self._namespace, id)
        fill(request, {"if_version": if_version})
        answer = await self._ask(request, pb.UpdateMemoryResponse, options)
        return _receipt(answer.memory, answer)

    @call
    async def supersede(
        self, id: str, memory: MemoryLike, *, if_version: int | None = None, **options: Unpack[WriteOptions]
    ) -> SupersedeReceipt:
        """Stores a memory that replaces another one, whose validity ends in the same transaction.

        Scope, type and source default to those of the other one. `FailedPreconditionError` when it is superseded
        already, `AbortedError` when `if_version` is not its version.
        """
        request = pb.SupersedeMemoryRequest(name=memory_name(self._namespace, id), memory_id=id_of_memory(memory))
        fill_memory(request.memory, memory, self._namespace, "")
        fill(request, {"if_version": if_version})
        answer = await self._ask(request, pb.SupersedeMemoryResponse, options)
        superseded = read(WriteReceipt, answer.superseded, revision=answer.revision)
        return read(SupersedeReceipt, answer.memory, revision=answer.revision, superseded=superseded)

    @call
    async def set_importance(
        self, id: str, importance: float, *, if_version: int | None = None, **options: Unpack[WriteOptions]
    ) -> WriteReceipt:
        """Sets how much a memory matters, 0 to 1. `AbortedError` when `if_version` is not its version."""
        request = pb.SetMemoryImportanceRequest(name=memory_name(self._namespace, id))
        fill(request, {"importance": importance, "if_version": if_version})
        answer = await self._ask(request, pb.SetMemoryImportanceResponse, options)
        return _receipt(answer.memory, answer)

    @call
    async def delete(
        self, id: str, *, if_version: int | None = None, allow_missing: bool = False, **options: Unpack[WriteOptions]
    ) -> Deleted:
        """Erases one memory with its revisions. `NotFoundError` when it is not there, unless `allow_missing`."""
        request = pb.DeleteMemoryRequest(name=memory_name(self._namespace, id))
        fill(request, {"if_version": if_version, "allow_missing": allow_missing})
        return read(Deleted, await self._ask(request, pb.DeleteMemoryResponse, options))

    @call
    async def count(
        self,
        *,
        filter: FilterLike | None = None,
        include_invalid: bool | None = None,
        as_of: datetime | None = None,
        **options: Unpack[ReadOptions],
    ) -> MemoryCount:
        """How many memories `list` would give, exactly."""
        request = pb.CountMemoriesRequest()
        fill(request, {"filter": filter, "include_invalid": include_invalid, "as_of": as_of})
        return read(MemoryCount, await self._ask(request, pb.CountMemoriesResponse, options))

    @call
    async def forget(
        self,
        *,
        filter: FilterLike | None = None,
        all: bool = False,
        dry_run: bool = False,
        **options: Unpack[WriteOptions],
    ) -> ForgetResult:
        """Erases every memory that the filter admits, or with `all` every memory of the namespace; with `dry_run` only
        counts. Cut off, it has erased some of them; repeat it for the rest."""
        request = pb.ForgetMemoriesRequest()
        fill(request, {"filter": filter, "all": all, "dry_run": dry_run})
        return read(ForgetResult, await self._ask(request, pb.ForgetMemoriesResponse, options))

    @stream
    async def list(
        self,
        *,
        filter: FilterLike | None = None,
        order: MemoryOrder = "create_time_desc",
        view: MemoryView = "basic",
        page_size: int = _PAGE_SIZE,
        include_invalid: bool | None = None,
        as_of: datetime | None = None,
        on_damaged: OnDamaged | None = None,
        **options: Unpack[ReadOptions],
    ) -> AsyncGenerator[Memory, None]:
        """All memories that the filter admits, page by page as they are asked for.

        `include_invalid` False: only memories that are valid now and not superseded; `as_of`: only memories that were
        valid at this instant. `page_size` 1 to 1,000. `on_damaged` is called with ids of memories that cannot be read;
        without it the list ends with `DataLossError` after all others.
        """
        damage = Damage(on_damaged)
        # Every page of a list must ask for the same revision, however much this client has seen meanwhile.
        min_revision = self._connection.min_revision(options)
        query = {"filter": filter, "order": order, "view": view, "page_size": page_size, "as_of": as_of}

        async def page_of(token: str) -> tuple[Iterable[Memory], str]:
            request = pb.ListMemoriesRequest(page_token=token)
            fill(request, {**query, "include_invalid": include_invalid})
            answer = await self._ask(request, pb.ListMemoriesResponse, options, min_revision)
            damage.note(map(id_in, answer.damaged))
            return read_all(Memory, answer.memories), answer.next_page_token

        async with aclosing(items_of_pages(page_of, damage)) as memories:
            async for memory in memories:
                yield memory

    @call
    async def list_page(
        self,
        *,
        filter: FilterLike | None = None,
        order: MemoryOrder = "create_time_desc",
        view: MemoryView = "basic",
        page_size: int | None = None,
        page_token: str = "",
        include_invalid: bool | None = None,
        as_of: datetime | None = None,
        **options: Unpack[ReadOptions],
    ) -> ListPage:
        """One page, to be followed by the one of its `next_page_token` with the same query."""
        query = {"filter": filter, "order": order, "view": view, "page_size": page_size, "as_of": as_of}
        request = pb.ListMemoriesRequest()
        fill(request, {**query, "include_invalid": include_invalid, "page_token": page_token})
        begun = _PAGE_TOKEN.fullmatch(page_token)
        min_revision = int(begun[1]) if begun else self._connection.min_revision(options)
        if begun:
            request.page_token = begun[2]
        answer = await self._ask(request, pb.ListMemoriesResponse, options, min_revision)
        token = f"{min_revision}:{answer.next_page_token}" if answer.next_page_token else ""
        return read(ListPage, answer, next_page_token=token)

    @stream
    async def list_revisions(self, id: str, **options: Unpack[CallOptions]) -> AsyncGenerator[MemoryRevision, None]:
        """States that a memory has had, newest first. `DataLossError` after the others where some cannot be read."""
        damage = Damage(None, "former states")

        async def page_of(token: str) -> tuple[Iterable[MemoryRevision], str]:
            request = pb.ListMemoryRevisionsRequest(
                name=memory_name(self._namespace, id), page_size=_REVISIONS_PAGE_SIZE, page_token=token
            )
            answer = await self._ask(request, pb.ListMemoryRevisionsResponse, options)
            damage.note([id] * answer.damaged_count)
            return read_all(MemoryRevision, answer.revisions), answer.next_page_token

        async with aclosing(items_of_pages(page_of, damage)) as revisions:
            async for revision in revisions:
                yield revision


def _receipt(message: pb.WriteReceipt, answer: Any) -> WriteReceipt:
    return read(WriteReceipt, message, revision=answer.revision)


def _fill_changes(message: memory_pb2.Memory, changes: object, namespace: str) -> list[str]:
    """Fills in what changes; returns the fields that do."""
    given = dict(items_of(changes, "changes"))
    if "id" in given:
        raise invalid("id", "cannot be changed")
    mask = [name for name in given if name != "scope"]
    if "scope" in given:
        parts = ("project", "agent_type", "agent", "session")
        scope = given["scope"]
        changed = (
            parts if scope is None else [name for name, value in items_of(scope, "changes.scope") if value is not None]
        )
        mask += [f"scope.{name}" for name in changed]
    fill_memory(message, given, namespace, "")
    known = [name for name in message.DESCRIPTOR.fields_by_name if name not in TOLD_BY_SERVER]
    assert_known(given, known)
    return mask
