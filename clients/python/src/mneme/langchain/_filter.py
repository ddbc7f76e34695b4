"""Filters of a vector store as filters of the server."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Union

from ..filters import Filter, FilterLike, ValueField, all_of, any_of, negate, path

MetadataFilter = Union[FilterLike, Mapping[str, Any]]
"""A dict such as `{"lang": "en", "page": {"$gte": 3}}`, or a filter of Mneme on the memories."""


def server_filter(given: MetadataFilter | None) -> FilterLike | None:
    """`ValueError` for operators and values that are not known."""
    if given is None or isinstance(given, (str, Filter)):
        return given or None if isinstance(given, str) else given
    if not isinstance(given, Mapping):
        raise ValueError(f"filter must be a dict, a text or a mneme.Filter, got {type(given).__name__}")
    return _of_dict(given) if given else None


def _of_dict(given: Mapping[str, Any]) -> Filter:
    return _one(all_of, [_condition(key, value) for key, value in given.items()])


def _condition(key: str, value: Any) -> Filter:
    if not isinstance(key, str) or not key:
        raise ValueError(f"filter: a key must be a text that is not empty, got {key!r}")
    if key in ("$and", "$or"):
        if not isinstance(value, Sequence) or isinstance(value, str) or not value:
            raise ValueError(f"filter: {key} must be a list of filters that is not empty")
        return _one(all_of if key == "$and" else any_of, [_nested(key, each) for each in value])
    if key == "$not":
        return negate(_nested(key, value))
    if key.startswith("$"):
        raise ValueError(f"filter: {key} is not known: a key, $and, $or or $not")
    field = path(f"metadata.{key}")
    if isinstance(value, Mapping) and any(str(name).startswith("$") for name in value):
        return _one(all_of, [_comparison(key, field, name, each) for name, each in value.items()])
    return _equals(key, field, value)


def _nested(key: str, value: Any) -> Filter:
    if not isinstance(value, Mapping) or not value:
        raise ValueError(f"filter: {key} must have dicts that are not empty, got {value!r}")
    return _of_dict(value)


def _comparison(key: str, field: ValueField, operator: str, value: Any) -> Filter:
    if operator in ("$in", "$nin"):
        if not isinstance(value, (list, tuple, set, frozenset)):
            raise ValueError(f"filter: {operator} of {key} must be a list, got {type(value).__name__}")
        return negate(_among(key, field, value)) if operator == "$nin" else _among(key, field, value)
    if operator == "$exists":
        if not isinstance(value, bool):
            raise ValueError(f"filter: $exists of {key} must be True or False, got {value!r}")
        return field.exists() if value else negate(field.exists())
    if operator not in _COMPARISONS:
        raise ValueError(f"filter: {operator} of {key} is not known: {', '.join(_OPERATORS)}")
    if operator not in ("$eq", "$ne") and (value is None or isinstance(value, (Mapping, list, tuple))):
        raise ValueError(f"filter: {operator} of {key} must be a text, a number or a truth value, got {value!r}")
    return _COMPARISONS[operator](key, field, value)


def _equals(key: str, field: ValueField, value: Any) -> Filter:
    """None is also equal to what is not there."""
    if value is None:
        return any_of(field.is_null(), negate(field.exists()))
    return field.equals(_json(key, value))


def _among(key: str, field: ValueField, values: Iterable[Any]) -> Filter:
    given = [_json(key, each) for each in values if each is not None]
    found = [field.is_in(given)] if given else []
    if any(each is None for each in values):
        found.append(_equals(key, field, None))
    return _one(any_of, found) if found else all_of(field.exists(), negate(field.exists()))


def _json(key: str, value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"filter: {key} must be a finite number, got {value}")
    if not isinstance(value, (str, bool, int, float, list, tuple, Mapping)):
        raise ValueError(f"filter: {key} must be a value of JSON, got {type(value).__name__}")
    return value


_COMPARISONS: dict[str, Callable[[str, ValueField, Any], Filter]] = {
    "$eq": _equals,
    "$ne": lambda key, field, value: negate(_equals(key, field, value)),
    "$gt": lambda key, field, value: field.greater(_json(key, value)),
    "$gte": lambda key, field, value: field.greater_or_equal(_json(key, value)),
    "$lt": lambda key, field, value: field.less(_json(key, value)),
    "$lte": lambda key, field, value: field.less_or_equal(_json(key, value)),
}
_OPERATORS = (*_COMPARISONS, "$in", "$nin", "$exists")


def _one(join: Callable[..., Filter], filters: Sequence[Filter]) -> Filter:
    return filters[0] if len(filters) == 1 else join(*filters)
