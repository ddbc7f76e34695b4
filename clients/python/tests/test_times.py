"""Times of all years, whole days and texts that UTF-8 cannot carry, against a real server."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, timedelta, timezone
from typing import Any
from zoneinfo import ZoneInfo

import pytest

import mneme
from mneme import Content, InvalidArgumentError, day, where
from mneme._recall_messages import recall_request

FIRST = datetime.min.replace(tzinfo=timezone.utc)
LAST = datetime.max.replace(tzinfo=timezone.utc)
BROKEN = "half \ud83d"


def test_r5_a_question_has_the_zone_of_its_reference_time() -> None:
    at = datetime(2026, 11, 20, 20, tzinfo=timezone(timedelta(hours=9)))
    assert recall_request("x", {"reference_time": at}, "default").time_zone == "+09:00"
    assert recall_request("x", {"reference_time": at, "time_zone": "Asia/Seoul"}, "default").time_zone == "Asia/Seoul"
    assert recall_request("x", {"reference_time": at.astimezone(ZoneInfo("Europe/London"))}, "default").time_zone == (
        "Europe/London"
    )
    assert recall_request("x", {"reference_time": at.astimezone(timezone.utc)}, "default").time_zone == ""


@pytest.mark.parametrize(
    "time",
    [
        FIRST,
        LAST,
        FIRST + timedelta(milliseconds=1),
        datetime(99, 12, 31, 23, 59, 59, 999_000, timezone.utc),
        datetime(1600, 2, 29, tzinfo=timezone.utc),
        datetime(2300, 1, 1, 0, 0, 0, 999_000, timezone.utc),
        datetime(9999, 12, 31, tzinfo=timezone.utc),
    ],
)
def test_a4_times_of_all_years_come_back_as_given(client: mneme.Mneme, time: datetime) -> None:
    receipt = client.store({"text": "x", "event_time": time, "valid_from": FIRST, "valid_until": LAST})
    memory = client.get(receipt.id)
    assert (memory.event_time, memory.valid_from, memory.valid_until) == (time, FIRST, LAST)
    (found,) = client.list(filter=where.event_time.equals(time))
    assert found.id == receipt.id
    (exported,) = client.export_memories()
    assert (exported.event_time, exported.valid_until) == (time, LAST)


def test_a4_a_time_before_the_year_1_is_refused_by_name(client: mneme.Mneme) -> None:
    early = datetime.min.replace(tzinfo=timezone(timedelta(hours=9)))
    with pytest.raises(InvalidArgumentError, match=r"event_time: must be in the years 1 to 9999"):
        client.store({"text": "x", "event_time": early})


def test_a5_an_expiry_that_is_over_is_refused_by_name(client: mneme.Mneme) -> None:
    hour_ago = datetime.now(timezone.utc) - timedelta(hours=1)
    calls: list[Callable[[], object]] = [
        lambda: client.store({"text": "x", "expire_time": hour_ago}),
        lambda: client.batch_store([{"text": "x"}, {"text": "y", "expire_time": hour_ago}]),
        lambda: client.import_memories([{"id": "m", "text": "x", "expire_time": hour_ago}]),
    ]
    for call in calls:
        with pytest.raises(InvalidArgumentError, match=r"expire_time: must be after now"):
            call()


def test_a7_days_in_filters_are_whole_days(client: mneme.Mneme) -> None:
    times = {"a": "2026-06-09T23:00:00+00:00", "b": "2026-06-10T09:30:00+00:00", "c": "2026-06-11T00:00:00+00:00"}
    for id, time in times.items():
        client.store({"id": id, "text": id, "event_time": datetime.fromisoformat(time)})
    tenth = date(2026, 6, 10)

    def found(condition: mneme.Filter) -> str:
        return "".join(sorted(memory.id for memory in client.list(filter=condition)))

    field = where.event_time
    assert [found(field.equals(tenth)), found(field.less(tenth)), found(field.less_or_equal(tenth))] == ["b", "a", "ab"]
    assert [found(field.greater(tenth)), found(field.greater_or_equal(tenth))] == ["c", "bc"]
    assert found(field.is_in([tenth, date(2026, 6, 11)])) == "bc"
    assert found(field.equals(day("2026-06-10", "Europe/Berlin"))) == "ab"
    assert found(field.equals(day(tenth, "America/New_York"))) == "bc"
    with pytest.raises(InvalidArgumentError, match=r"date: must be a day such as 2026-06-10"):
        found(field.equals(day("10.06.2026")))


@pytest.mark.parametrize(
    ("field", "call"),
    [
        ("text", lambda one: one.store({"text": BROKEN})),
        ("tags[1]", lambda one: one.store({"text": "x", "tags": ["fine", BROKEN]})),
        ("content", lambda one: one.store({"content": Content.from_text(BROKEN)})),
        ("content", lambda one: one.store({"content": {"a": [BROKEN]}})),
        ("id", lambda one: one.get(BROKEN)),
        ("id", lambda one: one.supersede(BROKEN, {"text": "x"})),
        ("text", lambda one: one.recall(BROKEN)),
        ("filter", lambda one: list(one.list(filter=f'type = "{BROKEN}"'))),
        ("filter", lambda one: list(one.list(filter=where.text.contains(BROKEN)))),
        ("namespace", lambda one: one.namespaces.create(BROKEN)),
        ("session", lambda one: one.session(BROKEN).set("k", 1)),
        ("key", lambda one: one.session("s").set(BROKEN, 1)),
        ("conversation", lambda one: one.conversations.append(BROKEN, [{"role": "user", "text": "x"}])),
        ("id", lambda one: list(one.subscriptions.consume(BROKEN, "c"))),
        ("hook", lambda one: one.lifecycle.serve_hook(BROKEN, ["after"], lambda event: None)),
        ("memories[0].text", lambda one: one.import_memories([{"id": "m", "text": BROKEN}])),
    ],
)
def test_broken_texts_are_refused_by_name(client: mneme.Mneme, field: str, call: Callable[[Any], object]) -> None:
    with pytest.raises(InvalidArgumentError) as refused:
        call(client)
    assert field in refused.value.violations[0].field
    assert "half of a surrogate pair" in str(refused.value)
