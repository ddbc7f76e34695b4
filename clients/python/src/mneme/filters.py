"""Conditions on memories, by typed expressions.

```python
from mneme import all_of, negate, any_of, path, where, within

all_of(
    where.type.equals("fact"),
    any_of(where.tag.is_in(["music", "family"]), where.speaker.equals("caroline", ignore_case=True)),
    negate(where.event_time.less(datetime(2024, 1, 1, tzinfo=timezone.utc))),
    path("position.room").equals("hall"),  # a value in JSON content
    within(geo=GeoPoint(52.52, 13.4), radius_m=5_000),
)
```

`&`, `|` and `~` do the same as `all_of`, `any_of` and `negate`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from operator import index
from typing import Any, Generic, TypeVar, Union

from ._write import fill, number, sequence, set_time
from .content import Json, json_text
from .errors import invalid
from .memory import GeoPoint, Point, Tier
from .v1 import filter_pb2

#: Every whole number up to this one is a double.
_EXACT = 2**53

V = TypeVar("V")
S = TypeVar("S", bound=str)


class Filter:
    """A condition on memories, made with `where`, `all_of`, `any_of`, `negate`, `path` and `within`."""

    def __init__(self, message: filter_pb2.Filter) -> None:
        self._message = message

    def __and__(self, other: Filter) -> Filter:
        return all_of(self, other)

    def __or__(self, other: Filter) -> Filter:
        return any_of(self, other)

    def __invert__(self) -> Filter:
        return negate(self)

    def __bool__(self) -> bool:
        raise TypeError("a Filter is neither true nor false: combine filters with & and |, not with `and` and `or`")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Filter) and self._message == other._message

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Filter({str(self._message).strip()})"


FilterLike = Union[str, Filter]
"""A condition as text, such as `type = "state" AND step >= 10`, or one made with `where` and the others."""


@dataclass(frozen=True)
class CalendarDay:
    """All of a day, to compare a time with; made with `day`."""

    date: str
    time_zone: str = ""


def day(when: date | str, time_zone: str = "") -> CalendarDay:
    """A day such as `2026-06-10`, in UTC or in a time zone such as `Europe/Berlin`:
    `where.event_time.equals(day("2026-06-10", "Europe/Berlin"))`. A plain `date` is a day in UTC."""
    if isinstance(when, datetime) or not isinstance(when, (date, str)):
        raise invalid("day", f"must be a date or a text such as 2026-06-10, got {type(when).__name__}")
    return CalendarDay(when if isinstance(when, str) else when.isoformat(), time_zone)


Instant = Union[datetime, date, CalendarDay]
"""An instant, or a whole day."""


class Field(Generic[V]):
    """Comparisons for a field of one type. A memory without the field satisfies none of them, only their negation."""

    def __init__(self, field: int = 0, path: str = "") -> None:
        self._field = field
        self._path = path

    def equals(self, value: V) -> Filter:
        """It is this value."""
        return self._compare(filter_pb2.OPERATOR_EQUALS, [value])

    def is_in(self, values: Sequence[V]) -> Filter:
        """It is one of these values."""
        return self._compare(filter_pb2.OPERATOR_IN, sequence(values, "filter.values"))

    def less(self, value: V) -> Filter:
        """It is less, earlier, or before in the order of code points."""
        return self._compare(filter_pb2.OPERATOR_LESS, [value])

    def less_or_equal(self, value: V) -> Filter:
        """It is less or the same."""
        return self._compare(filter_pb2.OPERATOR_LESS_OR_EQUAL, [value])

    def greater(self, value: V) -> Filter:
        """It is greater, later, or after in the order of code points."""
        return self._compare(filter_pb2.OPERATOR_GREATER, [value])

    def greater_or_equal(self, value: V) -> Filter:
        """It is greater or the same."""
        return self._compare(filter_pb2.OPERATOR_GREATER_OR_EQUAL, [value])

    def exists(self) -> Filter:
        """The memory has it."""
        return self._compare(filter_pb2.OPERATOR_EXISTS, [])

    def _compare(self, operator: Any, values: Sequence[object], ignore_case: bool = False) -> Filter:
        message = filter_pb2.Filter()
        comparison = message.comparison
        if self._path:
            comparison.path = self._path
        else:
            comparison.field = self._field  # type: ignore[assignment]
        comparison.op = operator
        comparison.ignore_case = ignore_case
        for value in values:
            _set_value(comparison.values.add(), value)
        return Filter(message)


class TextField(Field[S]):
    """A field that is text. With `ignore_case` texts are compared without regard to case."""

    def equals(self, value: S, *, ignore_case: bool = False) -> Filter:
        """It is this text."""
        return self._compare(filter_pb2.OPERATOR_EQUALS, [value], ignore_case)

    def is_in(self, values: Sequence[S], *, ignore_case: bool = False) -> Filter:
        """It is one of these texts."""
        return self._compare(filter_pb2.OPERATOR_IN, sequence(values, "filter.values"), ignore_case)

    def contains(self, part: str, *, ignore_case: bool = False) -> Filter:
        """It has this part."""
        return self._compare(filter_pb2.OPERATOR_CONTAINS, [part], ignore_case)

    def starts_with(self, start: str, *, ignore_case: bool = False) -> Filter:
        """It begins with this."""
        return self._compare(filter_pb2.OPERATOR_STARTS_WITH, [start], ignore_case)

    def matches(self, pattern: str, *, ignore_case: bool = False) -> Filter:
        """A regular expression in RE2 syntax matches somewhere: no lookaround, no backreference."""
        return self._compare(filter_pb2.OPERATOR_MATCHES, [pattern], ignore_case)


class ValueField(Field[Json]):
    """A value in JSON content: values of different types are never equal, nor before or after one another. Arrays and
    objects are compared as a whole. With `ignore_case` texts are compared without regard to case."""

    def equals(self, value: Json, *, ignore_case: bool = False) -> Filter:
        """It is this value."""
        return self._compare(filter_pb2.OPERATOR_EQUALS, [value], ignore_case)

    def is_in(self, values: Sequence[Json], *, ignore_case: bool = False) -> Filter:
        """It is one of these values."""
        return self._compare(filter_pb2.OPERATOR_IN, sequence(values, "filter.values"), ignore_case)

    def contains(self, part: Json, *, ignore_case: bool = False) -> Filter:
        """A text contains a part of it; an array its elements; an object one with some of its keys and values."""
        return self._compare(filter_pb2.OPERATOR_CONTAINS, [part], ignore_case)

    def starts_with(self, start: str, *, ignore_case: bool = False) -> Filter:
        """It is a text that begins with this."""
        return self._compare(filter_pb2.OPERATOR_STARTS_WITH, [start], ignore_case)

    def matches(self, pattern: str, *, ignore_case: bool = False) -> Filter:
        """A regular expression in RE2 syntax matches somewhere: no lookaround, no backreference."""
        return self._compare(filter_pb2.OPERATOR_MATCHES, [pattern], ignore_case)

    def is_null(self) -> Filter:
        """The path leads to a JSON null."""
        return self._compare(filter_pb2.OPERATOR_IS_NULL, [])


class Where:
    """The fields of a memory, to be compared: `where.type.equals("fact")`."""

    id = TextField[str](filter_pb2.MEMORY_FIELD_ID)
    project = TextField[str](filter_pb2.MEMORY_FIELD_PROJECT)
    agent_type = TextField[str](filter_pb2.MEMORY_FIELD_AGENT_TYPE)
    agent = TextField[str](filter_pb2.MEMORY_FIELD_AGENT)
    session = TextField[str](filter_pb2.MEMORY_FIELD_SESSION)
    type = TextField[str](filter_pb2.MEMORY_FIELD_TYPE)
    tier = TextField[Tier](filter_pb2.MEMORY_FIELD_TIER)
    tag = TextField[str](filter_pb2.MEMORY_FIELD_TAG)
    text = TextField[str](filter_pb2.MEMORY_FIELD_TEXT)
    speaker = TextField[str](filter_pb2.MEMORY_FIELD_SPEAKER)
    source_uri = TextField[str](filter_pb2.MEMORY_FIELD_SOURCE_URI)
    source_origin = TextField[str](filter_pb2.MEMORY_FIELD_SOURCE_ORIGIN)
    location = TextField[str](filter_pb2.MEMORY_FIELD_LOCATION)
    room = TextField[str](filter_pb2.MEMORY_FIELD_ROOM)
    region = TextField[str](filter_pb2.MEMORY_FIELD_REGION)
    media_type = TextField[str](filter_pb2.MEMORY_FIELD_MEDIA_TYPE)
    superseded_by = TextField[str](filter_pb2.MEMORY_FIELD_SUPERSEDED_BY)
    step = Field[float](filter_pb2.MEMORY_FIELD_STEP)
    importance = Field[float](filter_pb2.MEMORY_FIELD_IMPORTANCE)
    priority = Field[float](filter_pb2.MEMORY_FIELD_PRIORITY)
    retrieval_count = Field[float](filter_pb2.MEMORY_FIELD_RETRIEVAL_COUNT)
    version = Field[float](filter_pb2.MEMORY_FIELD_VERSION)
    event_time = Field[Instant](filter_pb2.MEMORY_FIELD_EVENT_TIME)
    create_time = Field[Instant](filter_pb2.MEMORY_FIELD_CREATE_TIME)
    update_time = Field[Instant](filter_pb2.MEMORY_FIELD_UPDATE_TIME)
    last_access_time = Field[Instant](filter_pb2.MEMORY_FIELD_LAST_ACCESS_TIME)
    expire_time = Field[Instant](filter_pb2.MEMORY_FIELD_EXPIRE_TIME)
    valid_from = Field[Instant](filter_pb2.MEMORY_FIELD_VALID_FROM)
    valid_until = Field[Instant](filter_pb2.MEMORY_FIELD_VALID_UNTIL)


where = Where()
"""The fields of a memory, to be compared: `where.type.equals("fact")`."""


def path(dotted: str) -> ValueField:
    """A value in JSON content: keys joined by dots, such as `position.room`; `\\.` is a dot inside a key.

    Arrays are searched; a whole number also selects the element at that index.
    """
    return ValueField(path=dotted)


def all_of(*filters: Filter) -> Filter:
    """True when every one of the filters is."""
    return Filter(filter_pb2.Filter(all=filter_pb2.FilterList(filters=[each._message for each in filters])))


def any_of(*filters: Filter) -> Filter:
    """True when at least one of the filters is."""
    return Filter(filter_pb2.Filter(any=filter_pb2.FilterList(filters=[each._message for each in filters])))


def negate(condition: Filter) -> Filter:
    """True when the filter is not."""
    return Filter(filter_pb2.Filter(negate=condition._message))


def within(
    *,
    point: Point | Mapping[str, float] | None = None,
    radius: float | None = None,
    low: Point | Mapping[str, float] | None = None,
    high: Point | Mapping[str, float] | None = None,
    geo: GeoPoint | Mapping[str, float] | None = None,
    radius_m: float | None = None,
    south_west: GeoPoint | Mapping[str, float] | None = None,
    north_east: GeoPoint | Mapping[str, float] | None = None,
) -> Filter:
    """True of memories with a place inside an area; its edges are inside.

    One of: `point` with `radius`; `low` with `high`; on Earth `geo` with `radius_m` (metres); `south_west` with
    `north_east`.
    """
    message = filter_pb2.Filter()
    given = {name: value for name, value in locals().items() if name != "message" and value is not None}
    areas: dict[frozenset[str], tuple[Any, dict[str, str]]] = {
        frozenset(("point", "radius")): (message.place.point_radius, {"point": "center"}),
        frozenset(("low", "high")): (message.place.point_box, {}),
        frozenset(("geo", "radius_m")): (message.place.geo_radius, {"geo": "center"}),
        frozenset(("south_west", "north_east")): (message.place.geo_box, {}),
    }
    found = areas.get(frozenset(given))
    if found is None:
        known = " or ".join(" with ".join(sorted(names)) for names in areas)
        raise invalid("within", f"must have {known}, got {', '.join(given) or 'nothing'}")
    area, names = found
    area.SetInParent()
    fill(area, {names.get(name, name): value for name, value in given.items()}, "within")
    return Filter(message)


def _set_value(message: filter_pb2.Value, value: object) -> None:
    if isinstance(value, bool):
        message.bool_value = value
    elif isinstance(value, str):
        fill(message, {"string_value": value}, "filter")
    elif isinstance(value, datetime):
        set_time(message.time_value, value, "filter")
    elif isinstance(value, (date, CalendarDay)):
        whole_day = day(value) if isinstance(value, date) else value
        fill(message.day_value, {"date": whole_day.date, "time_zone": whole_day.time_zone}, "filter")
    elif hasattr(value, "__index__"):
        whole = index(value)  # Of numpy too.
        if -_EXACT <= whole <= _EXACT:
            message.number_value = whole
        else:
            message.number_text = str(whole)
    elif isinstance(value, float):
        message.number_value = number(value, "filter")
    else:
        message.json_value = json_text(value, "filter")
