"""Values of Python as messages and back, and what is refused before anything is sent."""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from typing import Any

import numpy
import pytest

import mneme
from mneme import Content, Embedding, GeoPoint, InvalidArgumentError, NewMemory, Place, Point, Scope, Source
from mneme._read import read
from mneme._recall_messages import recall_request
from mneme._write import memory_message, vector_bytes
from mneme.memory import Memory
from mneme.v1 import filter_pb2, memory_pb2

BERLIN = timezone(timedelta(hours=1))


def test_a_dict_and_a_dataclass_make_the_same_message() -> None:
    made = NewMemory(
        id="m1",
        scope=Scope(project="p"),
        text="t",
        tags=["a", "b"],
        content={"x": [1, None]},
        place=Place(point=Point(1, 2), geo=GeoPoint(52.5, 13.4), room="hall"),
        source=Source(speaker="Caroline"),
        importance=0.7,
        step=3,
    )
    given: dict[str, Any] = {
        "id": "m1",
        "scope": {"project": "p"},
        "text": "t",
        "tags": ["a", "b"],
        "content": {"x": [1, None]},
        "place": {"point": {"x": 1, "y": 2}, "geo": {"latitude_deg": 52.5, "longitude_deg": 13.4}, "room": "hall"},
        "source": {"speaker": "Caroline"},
        "importance": 0.7,
        "step": 3,
    }
    assert memory_message(made, "n") == memory_message(given, "n")
    assert memory_message(given, "n").content.json == '{"x":[1,null]}'


def test_times_keep_their_microseconds_and_come_back_in_utc() -> None:
    time = datetime(2026, 11, 24, 11, 0, 0, 123456, tzinfo=BERLIN)
    message = memory_message({"text": "t", "event_time": time}, "n")
    found = read(Memory, message)
    assert found.event_time == time
    assert found.event_time.isoformat() == "2026-11-24T10:00:00.123456+00:00"
    early = datetime(1900, 1, 1, 0, 0, 0, 1, tzinfo=timezone.utc)
    assert read(Memory, memory_message({"event_time": early}, "n")).event_time == early


def test_a_memory_that_was_read_can_be_stored_again() -> None:
    message = memory_pb2.Memory(
        name="namespaces/n/memories/m1", text="t", version=4, superseded_by="namespaces/n/memories/m2"
    )
    memory = read(Memory, message)
    assert (memory.id, memory.namespace, memory.superseded_by, memory.tier) == ("m1", "n", "m2", "short_term")
    again = memory_message(memory, "n", with_name=True)
    assert (again.name, again.text, again.version) == ("namespaces/n/memories/m1", "t", 0)
    assert again.superseded_by == "namespaces/n/memories/m2"


@pytest.mark.parametrize(
    "values",
    [
        [0.5, -1.0, 3.0],
        (0.5, -1.0, 3.0),
        array("f", [0.5, -1.0, 3.0]),
        numpy.array([0.5, -1.0, 3.0], dtype=numpy.float32),
        numpy.array([0.5, -1.0, 3.0], dtype=numpy.float64),
        numpy.array([[0.5, 9.0], [-1.0, 9.0], [3.0, 9.0]], dtype=numpy.float32)[:, 0],
        numpy.array([0.5, -1.0, 3.0], dtype=">f4"),
    ],
)
def test_vectors_of_every_kind(values: Any) -> None:
    message = memory_message({"embedding": Embedding(values, "m")}, "n")
    assert message.embedding.dimension == 3
    assert read(Memory, message).embedding == Embedding([0.5, -1.0, 3.0], "m")
    found = read(Memory, message).embedding
    assert found is not None
    assert found.numpy().dtype == numpy.float32


@pytest.mark.parametrize("value", [math.nan, math.inf, 1e39])
@pytest.mark.parametrize("kind", [list, lambda v: numpy.array(v), lambda v: array("d", v)])
def test_vectors_must_be_finite(value: float, kind: Callable[[list[float]], Any]) -> None:
    with pytest.raises(InvalidArgumentError, match=r"values: must be finite numbers"):
        vector_bytes(kind([1.0, value]), "values")


CYCLE: dict[str, Any] = {}
CYCLE["self"] = CYCLE


@pytest.mark.parametrize(
    ("memory", "field"),
    [
        ({"text": 3}, "text"),
        ({"txt": "t"}, "txt"),
        ({"text": "\ud800"}, "text"),
        ({"event_time": datetime(2026, 1, 1)}, "event_time"),
        ({"event_time": "2026-01-01"}, "event_time"),
        ({"content": math.nan}, "content"),
        ({"content": CYCLE}, "content"),
        ({"content": {"f": print}}, "content"),
        ({"content": {"t": "\ud800"}}, "content"),
        ({"importance": math.nan}, "importance"),
        ({"importance": "high"}, "importance"),
        ({"importance": True}, "importance"),
        ({"step": 1.5}, "step"),
        ({"step": 2**53}, "step"),
        ({"tags": "music"}, "tags"),
        ({"tags": ["music", 3]}, "tags[1]"),
        ({"scope": "monday"}, "scope"),
        ({"scope": {"project": 3}}, "scope.project"),
        ({"tier": "long_term"}, "tier"),
        ({"embedding": [1.0]}, "embedding"),
        ({"embedding": {"model": "m"}}, "embedding.values"),
        ({"embedding": {"values": ["a"], "model": "m"}}, "embedding.values"),
        ({"embedding": {"values": numpy.ones((2, 2)), "model": "m"}}, "embedding.values"),
        ({"embedding": {"values": [1.0], "modle": "m"}}, "embedding.modle"),
        (["a text"], "memory"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(client: mneme.Mneme, memory: Any, field: str) -> None:
    with pytest.raises(InvalidArgumentError) as caught:
        client.store(memory)
    assert [each.field for each in caught.value.violations] == [field]
    assert caught.value.reason is None
    assert str(caught.value).startswith(f"{field}: ")


def test_content_of_every_kind() -> None:
    cases = [
        (Content("image/png", b"\x00\xff"), "data"),
        (Content("text/markdown; charset=utf-8", "é".encode()), "text"),
        (Content("text/plain", b"\xff"), "data"),
        (Content.from_json({"a": "é"}), "json"),
    ]
    for content, body in cases:
        message = memory_message({"content": content}, "n")
        assert message.content.WhichOneof("body") == body
        assert read(Memory, message).content == content
    assert Content.from_json([1, "x"]).json() == [1, "x"]
    with pytest.raises(InvalidArgumentError):
        Content.from_json(math.inf)


def test_filters_say_what_they_mean() -> None:
    made = (mneme.where.type.equals("fact") & ~mneme.where.step.less(3)) | mneme.path("a.b").contains({"x": 1})
    expected = filter_pb2.Filter()
    both = expected.any.filters.add()
    first = both.all.filters.add()
    first.comparison.field = filter_pb2.MEMORY_FIELD_TYPE
    first.comparison.op = filter_pb2.OPERATOR_EQUALS
    first.comparison.values.add(string_value="fact")
    second = both.all.filters.add().negate
    second.comparison.field = filter_pb2.MEMORY_FIELD_STEP
    second.comparison.op = filter_pb2.OPERATOR_LESS
    second.comparison.values.add(number_value=3)
    third = expected.any.filters.add()
    third.comparison.path = "a.b"
    third.comparison.op = filter_pb2.OPERATOR_CONTAINS
    third.comparison.values.add(json_value='{"x":1}')
    assert made._message == expected
    with pytest.raises(TypeError):
        bool(made)
    with pytest.raises(InvalidArgumentError, match="within"):
        mneme.within(point=Point(1, 2), radius_m=3)


def test_recall_queries_as_messages() -> None:
    request = recall_request(
        "text",
        {
            "similar_to": "m1",
            "near_time": {"time": datetime(2026, 1, 1, tzinfo=timezone.utc), "time_scale_ms": 1500},
            "near_place": {"geo": GeoPoint(52.5, 13.4), "scale_m": 100},
            "time_window": {"period": "week", "periods_ago": 1, "time_zone": "Europe/Berlin"},
            "tiers": ["long_term"],
            "recency_half_life_ms": 60_000,
            "preset": {"name": "attribute", "parameters": {"path": "a"}},
            "example": {"id": "m2", "text": "t"},
            "filter": "type = 'fact'",
        },
        "n",
    )
    assert request.parent == "namespaces/n"
    assert request.similar_to == "namespaces/n/memories/m1"
    assert request.near_time.time_scale.seconds == 1
    assert request.near_time.time_scale.nanos == 500_000_000
    assert request.near_place.scale == 100
    assert request.time_window.periods_ago == 1
    assert list(request.tiers) == [memory_pb2.TIER_LONG_TERM]
    assert request.preset.parameters == '{"path":"a"}'
    assert request.filter_text == "type = 'fact'"
    with pytest.raises(InvalidArgumentError, match=r"tiers\[0\]: must be one of short_term"):
        recall_request("text", {"tiers": ["short"]}, "n")
    with pytest.raises(InvalidArgumentError, match="limt: is not known"):
        recall_request({"limt": 3}, {}, "n")
