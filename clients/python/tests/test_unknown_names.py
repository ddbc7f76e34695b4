"""Names that do not exist are refused when the program runs, before anything is sent."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Callable
from typing import Any

import pytest

import mneme
import mneme.aio
from mneme.testing import Server

Client = Any


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (
            {"filter": 'type = "fact"', "dryrun": True},
            "dryrun: is not known; did you mean dry_run.*filter, all, dry_run",
        ),
        ({"filter": 'type = "fact"', "dryRun": True}, "dryRun: is not known; did you mean dry_run"),
        ({"all": True, "dry": True}, "dry: is not known"),
        ({"ids": ["a"], "all": True}, "ids: is not known; known are filter, all"),
        ({"all": "no"}, "all: must be True or False, got 'no'"),
        ({"all": 1}, "all: must be True or False, got 1"),
        ({"all": True, "dry_run": "false"}, "dry_run: must be True or False, got 'false'"),
        ({"all": True, "dry_run": None}, "dry_run: must be True or False, got None"),
    ],
)
def test_a1_nothing_is_erased_by_a_wrong_option(client: Client, arguments: dict[str, Any], problem: str) -> None:
    client.store("A fact.", type="fact")
    with pytest.raises(mneme.InvalidArgumentError, match=problem):
        client.forget(**arguments)
    assert client.count().count == 1


@pytest.mark.parametrize(
    ("call", "field"),
    [
        (lambda c: c.store({"text": "x"}, reqest_id="r"), "reqest_id.*did you mean request_id"),
        (lambda c: c.store({"txt": "x"}), "txt.*did you mean text"),
        (lambda c: c.store({"text": "x", "scope": {"sesion": "s"}}), "scope.sesion.*did you mean session"),
        (lambda c: c.store("x", speeker="Ann"), "speeker.*did you mean speaker"),
        (lambda c: c.store_many(["x"], tag=["a"]), "tag.*did you mean tags"),
        (lambda c: c.recall("x", limt=1), "limt.*did you mean limit"),
        (lambda c: c.recall({"text": "x", "min_relevence": 1}), "min_relevence.*did you mean min_relevance"),
        (lambda c: c.recall("x", weights={"keywords": 1}), "weights.keywords.*did you mean keyword"),
        (lambda c: c.recall("x", near_place={"pont": {}}), "near_place.pont.*did you mean point"),
        (lambda c: c.update("m", {"txt": "y"}), "txt.*did you mean text"),
        (lambda c: c.delete("m", ifversion=3), "ifversion.*did you mean if_version"),
        (lambda c: c.list(fliter="x"), "fliter.*did you mean filter"),
        (lambda c: c.watch(scope={"agnet": "a"}), "scope.agnet.*did you mean agent"),
        (lambda c: c.watch(include_move=True), "include_move.*did you mean include_moved"),
        (lambda c: c.subscribe("x", patience=1), "patience: is not known"),
        (lambda c: c.build_context("x", token_buget=5), "token_buget.*did you mean token_budget"),
        (lambda c: c.build_context("x", kind_limits={"fact": {"max": 1}}), "kind_limits.fact.max"),
        (
            lambda c: c.conversations.append("c", [{"role": "user", "txt": "x"}]),
            r"messages\[0\].txt.*did you mean text",
        ),
        (lambda c: c.conversations.append("c", [], scop={}), "scop.*did you mean scope"),
        (lambda c: c.facts.assert_fact({"subject": "u", "atribute": "x"}), "atribute.*did you mean attribute"),
        (lambda c: c.session("s").set("k", 1, ttl=5), "ttl: is not known"),
        (lambda c: c.lifecycle.serve_hook("h", ["before"], print, requred=True), "requred.*did you mean required"),
        (lambda c: c.session("s", namespase="x"), "namespase: is not known"),
        (lambda c: c.namespaces.delete("n", forse=True), "forse.*did you mean force"),
    ],
)
def test_a1_every_call_names_the_wrong_and_the_known(client: Client, call: Callable[[Any], Any], field: str) -> None:
    with pytest.raises(mneme.InvalidArgumentError, match=field) as caught:
        found = call(client)
        if isinstance(found, mneme.Stream):
            next(found)
    assert "known are" in caught.value.message
    assert caught.value.violations


def test_a1_the_same_with_asyncio(server: Server, namespace: str) -> None:
    async def main() -> None:
        async with mneme.aio.connect(server.address, namespace=namespace) as client:
            await client.store("A fact.")
            wrong: Any = client
            with pytest.raises(mneme.InvalidArgumentError, match="did you mean dry_run"):
                await wrong.forget(all=True, dryrun=True)
            with pytest.raises(mneme.InvalidArgumentError, match="all: must be True or False"):
                await wrong.forget(all="no")
            with pytest.raises(mneme.InvalidArgumentError, match="did you mean filter"):
                async for _ in wrong.list(fliter="x"):
                    pass
            assert (await client.count()).count == 1

    asyncio.run(main())


def test_a1_options_of_connect() -> None:
    connect: Any = mneme.connect
    connects: list[Any] = [mneme.connect, mneme.aio.connect]
    for wrong in connects:
        with pytest.raises(mneme.InvalidArgumentError, match=r"namspace.*did you mean namespace.*known are address"):
            wrong("127.0.0.1:1", namspace="x")
    with pytest.raises(TypeError):  # As of any function of Python.
        connect(nope=1)
    with pytest.raises(mneme.InvalidArgumentError, match=r"tls.cca.*did you mean ca"):
        connect(tls={"cca": "x"})
    with pytest.raises(mneme.InvalidArgumentError, match=r"call_from.agents.*did you mean agent"):
        connect(call_from={"agents": "x"})
    with pytest.raises(mneme.InvalidArgumentError, match="retry: must be True or False"):
        connect(retry="no")
    with pytest.raises(mneme.InvalidArgumentError, match="timeout_ms: must be a number of milliseconds"):
        connect(timeout_ms="5")


def test_p12a_dictionaries_stand_for_dataclasses(server: Server, namespace: str) -> None:
    scope = {"project": "p", "agent": "a"}
    with mneme.connect(server.address, namespace=namespace, tls=False, call_from=scope) as client:
        client.store("x", scope=scope)
        assert client.count().count == 1


def test_p9_options_of_adapters() -> None:
    pytest.importorskip("strands.memory")
    strands: Any = importlib.import_module("mneme.strands")
    with pytest.raises(mneme.InvalidArgumentError, match=r"namespase.*did you mean namespace.*known are name"):
        strands.MnemeMemoryStore("notes", namespase="tenant")
    with pytest.raises(mneme.InvalidArgumentError, match="writable: must be True or False"):
        strands.MnemeMemoryStore("notes", writable="no")
    with pytest.raises(mneme.InvalidArgumentError, match="namespase"):
        strands.MemoryManager({"stores": [{"name": "notes", "namespase": "tenant"}]})
    with pytest.raises(mneme.InvalidArgumentError, match=r"MemoryManager.injektion.*did you mean injection"):
        strands.MemoryManager({"stores": [{"name": "notes"}], "injektion": False})
    with pytest.raises(mneme.InvalidArgumentError, match=r"injection.max_entrys.*did you mean max_entries"):
        strands.MemoryManager({"stores": [{"name": "notes"}], "injection": {"max_entrys": 1}})
    with pytest.raises(mneme.InvalidArgumentError, match=r"connect|tokn.*did you mean token"):
        strands.MnemeMemoryStore("notes", connect={"tokn": "x"})
