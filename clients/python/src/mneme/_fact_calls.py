"""The calls of KnowledgeService."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable, Mapping
from contextlib import aclosing
from datetime import datetime
from typing import Any

from typing_extensions import Unpack

from . import facts as types
from ._face import Calls, call, stream
from ._names import memory_name
from ._paging import items_of_pages
from ._read import read, read_all
from ._write import fill, sequence
from .memory import Scope
from .options import CallOptions, WriteOptions
from .v1 import knowledge_service_pb2 as pb

_PAGE_SIZE = 200


class FactCalls(Calls):
    """Facts: what is known of subjects, over time. A fact is named by the id or the resource name of its memory."""

    @call
    async def assert_fact(
        self,
        fact: types.NewFact | Mapping[str, Any],
        *,
        replaces: bool = False,
        retracts: bool = False,
        **options: Unpack[WriteOptions],
    ) -> types.AssertFactResult:
        """Asserts that an attribute of a subject has a value. A new value of an attribute that has one value at a time
        supersedes the one before.

        `replaces` ends the other values of an attribute that has several values at a time; `retracts` states that the
        value no longer holds from `valid_from` on, without a value that no value does.

        ```python
        client.facts.assert_fact({"subject": "user", "attribute": "home_city", "value": "Lisbon"})
        ```
        """
        request = pb.AssertFactRequest()
        fill(request, {"fact": fact, "replaces": replaces, "retracts": retracts})
        return read(types.AssertFactResult, await self._ask(request, pb.AssertFactResponse, options))

    @call
    async def get(self, id: str, **options: Unpack[CallOptions]) -> types.Fact:
        """One fact."""
        request = pb.GetFactRequest(name=memory_name(self._namespace, id))
        return read(types.Fact, (await self._ask(request, pb.GetFactResponse, options)).fact)

    @stream
    async def list(
        self,
        *,
        scope: Scope | Mapping[str, str] | None = None,
        subject: str | None = None,
        attribute: str | None = None,
        as_of: datetime | None = None,
        as_of_recorded: datetime | None = None,
        include_superseded: bool = False,
        page_size: int = _PAGE_SIZE,
        **options: Unpack[CallOptions],
    ) -> AsyncGenerator[types.Fact, None]:
        """Facts, the newest record first. Default: the facts that hold now.

        `scope`, `subject`, `attribute`: None matches any; `as_of`: the facts that held at this instant;
        `as_of_recorded`: facts as they were known at this instant; `include_superseded` also gives facts that do not
        hold at the instant.
        """
        query = {"scope": scope, "subject": subject, "attribute": attribute, "as_of": as_of}
        more = {"as_of_recorded": as_of_recorded, "include_superseded": include_superseded, "page_size": page_size}

        async def page_of(token: str) -> tuple[Iterable[types.Fact], str]:
            request = pb.ListFactsRequest(page_token=token)
            fill(request, {**query, **more})
            answer = await self._ask(request, pb.ListFactsResponse, options)
            return read_all(types.Fact, answer.facts), answer.next_page_token

        async with aclosing(items_of_pages(page_of)) as facts:
            async for fact in facts:
                yield fact

    @call
    async def list_history(
        self,
        subject: str,
        attribute: str,
        *,
        scope: Scope | Mapping[str, str] | None = None,
        **options: Unpack[CallOptions],
    ) -> types.FactHistory:
        """Every fact of one attribute of one subject, with its recorded states. `scope`: owner of the
        facts, exactly; default: the whole namespace."""
        request = pb.ListFactHistoryRequest()
        fill(request, {"subject": subject, "attribute": attribute, "scope": scope})
        return read(types.FactHistory, await self._ask(request, pb.ListFactHistoryResponse, options))

    @call
    async def undo_supersession(self, id: str, **options: Unpack[WriteOptions]) -> types.UndoSupersessionResult:
        """Makes a superseded or retracted fact hold again. `FailedPreconditionError` when it is neither."""
        request = pb.UndoSupersessionRequest(name=memory_name(self._namespace, id))
        return read(types.UndoSupersessionResult, await self._ask(request, pb.UndoSupersessionResponse, options))

    @call
    async def forget(
        self,
        *,
        ids: Iterable[str] = (),
        scope: Scope | Mapping[str, str] | None = None,
        subject: str | None = None,
        attribute: str | None = None,
        value: str | None = None,
        dry_run: bool = False,
        **options: Unpack[WriteOptions],
    ) -> types.ForgetFactsResult:
        """Erases facts with their history: those of `ids`, at most 100, or those of a scope, subject, attribute and
        value, of which at least one is required. Only `assert_fact` brings their values back. `dry_run` counts only."""
        names = [memory_name(self._namespace, id) for id in sequence(ids, "ids")]
        request = pb.ForgetFactsRequest(names=names)
        which = {"scope": scope, "subject": subject, "attribute": attribute, "value": value}
        fill(request, {**which, "dry_run": dry_run})
        return read(types.ForgetFactsResult, await self._ask(request, pb.ForgetFactsResponse, options))
