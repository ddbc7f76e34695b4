"""Texts and properties as arguments, whole numbers of any size, names of fields, and loops over streams."""

from __future__ import annotations

import asyncio
from datetime import datetime, timezone
from typing import Any

import pytest

import mneme
import mneme.aio
from mneme import path, where
from mneme.testing import Server

AT = datetime(2026, 5, 1, tzinfo=timezone.utc)
ID = 1145678901234567890


def test_store_takes_a_text_with_its_properties(client: mneme.Mneme, namespace: str) -> None:
    other = f"{namespace}-2"
    receipt = client.store(
        "I have played the cello since I was nine.",
        speaker="Caroline", type="message", tags=["music"], event_time=AT, session="monday", namespace=other,
    )  # fmt: skip
    memory = client.with_namespace(other).get(receipt.id)
    assert (memory.source.speaker, memory.type, memory.tags) == ("Caroline", "message", ("music",))
    assert (memory.event_time, memory.scope.session) == (AT, "monday")
    with pytest.raises(mneme.NotFoundError):
        client.get(receipt.id)


def test_store_joins_short_forms_with_their_parts(client: mneme.Mneme) -> None:
    source, scope = {"uri": "u"}, mneme.Scope(project="p")
    memory = client.get(client.store("x", speaker="Ann", source=source, session="s", scope=scope).id)
    assert (memory.source.speaker, memory.source.uri) == ("Ann", "u")
    assert (memory.scope.project, memory.scope.session) == ("p", "s")
    again = client.get(client.store(mneme.NewMemory(text="y", tags=["a"]), speaker="Bob").id)
    assert (again.source.speaker, again.tags) == ("Bob", ("a",))
    with pytest.raises(mneme.InvalidArgumentError, match=r"speaker: must not differ from source.speaker"):
        client.store("x", speaker="Ann", source={"speaker": "Bob"})


def test_store_many_takes_texts_dicts_and_dataclasses(client: mneme.Mneme) -> None:
    given: list[Any] = ["one", {"text": "two", "speaker": "Ann"}, mneme.NewMemory(text="three")]
    receipts = client.store_many(given, session="s", tags=["t"])
    stored = [client.get(each.id) for each in receipts]
    assert [memory.text for memory in stored] == ["one", "two", "three"]
    assert {(memory.scope.session, memory.tags) for memory in stored} == {("s", ("t",))}
    assert stored[1].source.speaker == "Ann"
    with pytest.raises(mneme.InvalidArgumentError, match=r"memories\[1\].txt.*did you mean text"):
        client.store_many(["ok", {"txt": "x"}])
    assert client.count().count == 3


def test_store_with_asyncio(server: Server, namespace: str) -> None:
    async def main() -> None:
        async with mneme.aio.connect(server.address, namespace=namespace) as client:
            await client.store("one", speaker="Ann")
            await client.store_many(["two"], speaker="Bob")
            assert [memory.source.speaker async for memory in client.list(order="create_time_asc")] == ["Ann", "Bob"]

    asyncio.run(main())


@pytest.mark.parametrize("value", [ID, -ID, 2**53 + 1, 2**64, 10**30])
def test_a2_whole_numbers_that_a_double_cannot_hold_are_sent_as_text(value: int) -> None:
    found = path("user_id").equals(value)._message.comparison.values[0]
    assert found.WhichOneof("kind") == "number_text" and found.number_text == str(value)


@pytest.mark.parametrize("value", [0, 2**53, -(2**53), 0.5])
def test_a2_other_numbers_stay_numbers(value: float) -> None:
    found = where.importance.less(value)._message.comparison.values[0]
    assert found.WhichOneof("kind") == "number_value" and found.number_value == value


def test_a2_contents_and_values_keep_every_digit(client: mneme.Mneme) -> None:
    content = {"user_id": ID, "others": [ID + 1, -ID, 10**30]}
    found = client.get(client.store({"content": content}).id).content
    assert found is not None and found.json() == content
    session = client.session("s")
    session.set("k", content)
    entry = session.get("k")
    assert entry is not None and entry.value.json() == content


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_a2_numbers_that_json_cannot_carry_are_refused(client: mneme.Mneme, value: float) -> None:
    calls: list[Any] = [
        lambda: client.store({"content": {"x": [value]}}),
        lambda: client.store("x", importance=value),
        lambda: path("x").equals(value),
        lambda: path("x").is_in([[value]]),
        lambda: client.session("s").set("k", value),
    ]
    for call in calls:
        with pytest.raises(mneme.InvalidArgumentError):
            call()


@pytest.mark.parametrize(
    ("name", "proposed"),
    [
        ("ada@example.org", "ada-example.org"),
        ("Ada", "ada"),
        ("My Project", "my-project"),
        ("auth0|5f7c8ec7", "auth0-5f7c8ec7"),
        ("CN=Ada Lovelace,O=Example", "cn-ada-lovelace-o-example"),
    ],
)
def test_a11_errors_name_the_namespace_and_propose_one(client: mneme.Mneme, name: str, proposed: str) -> None:
    with pytest.raises(mneme.InvalidArgumentError, match=f"namespace: must be .*'{proposed}' would do") as caught:
        client.with_namespace(name).store("x")
    assert caught.value.violations[0].field == "namespace"
    calls: list[Any] = [
        lambda bad: bad.get("m"),
        lambda bad: bad.recall("x"),
        lambda bad: next(bad.list()),
        lambda bad: next(bad.watch()),
        lambda bad: bad.conversations.append("c", [{"role": "user", "content": "x"}]),
        lambda bad: bad.session("s").get("k"),
    ]
    for call in calls:
        with pytest.raises(mneme.InvalidArgumentError, match=f"^namespace: must be .*'{proposed}' would do"):
            call(client.with_namespace(name))
    client.with_namespace(proposed).store("x")


def test_a11_fields_are_named_as_they_were_given(client: mneme.Mneme) -> None:
    with pytest.raises(mneme.InvalidArgumentError, match=r"^importance: ") as caught:
        client.store("x", importance=5)
    assert caught.value.violations[0].field == "importance"
    with pytest.raises(mneme.InvalidArgumentError, match=r"memories\[1\].importance: "):
        client.batch_store([{"text": "x"}, {"text": "y", "importance": 5}])
    with pytest.raises(mneme.InvalidArgumentError, match=r"^filter: "):
        client.forget(filter="nonsense ===")


def test_p12c_a_plain_loop_over_a_watch_works(client: mneme.Mneme) -> None:
    client.store("one")
    client.store("two")
    seen: list[str] = []
    with client.watch(start_revision=1) as changes:
        for change in changes:
            assert change.kind != "caught_up"
            if change.memory is not None:
                seen.append(f"{change.kind} {change.memory.text}")
            if len(seen) == 2:
                break
            if len(seen) == 1 and change.id:
                client.store("three")
    assert seen == ["stored one", "stored two"]
    with client.watch(start_revision=1, progress=True) as events:
        for event in events:
            if event.memory is not None:
                seen.append(event.memory.text)
            if event.kind == "caught_up":
                break
    assert seen[2:] == ["one", "two", "three"]
    assert all(isinstance(event.hits, tuple) for event in client.recall_stream("one"))


def test_the_text_of_an_answer_fits_a_screen(client: mneme.Mneme) -> None:
    client.store_many([f"{n} " + "cello " * 300 for n in range(30)])
    for answer in (client.recall("cello", limit=30), client.list_page(page_size=30), client.build_context("cello")):
        assert len(repr(answer)) < 4_000
    memory = next(client.list())
    assert "text=" in repr(memory) and memory.id in repr(memory) and len(repr(memory)) < 800
