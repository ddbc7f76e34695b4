"""Filters of a search: exactly here, and as far as the server can narrow the memories."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from ..filters import Filter, path

#: Limits of the server's filters, with room for the conditions of the adapter.
_PATH_BYTES = 512
_PATH_PARTS = 32
_TEXT_BYTES = 4_096
_CONDITIONS_MAX = 60


def narrow(wanted: Mapping[str, Any] | None) -> list[Filter]:
    """Conditions that every admitted value satisfies. They need not decide: a path of the server goes through arrays,
    and numbers are compared there as floats."""
    found: list[Filter] = []
    for parts, operator, value in _comparisons(wanted or {}, ()):
        dotted = ".".join(part.replace("\\", "\\\\").replace(".", "\\.") for part in parts)
        if len(found) == _CONDITIONS_MAX or not all(parts) or len(parts) > _PATH_PARTS:
            continue
        if len(dotted.encode(errors="surrogatepass")) > _PATH_BYTES or not _is_sendable(dotted):
            continue
        field = path(dotted)
        if operator == "$eq":
            found.append(field.equals(value))
        elif operator in ("$gt", "$gte"):
            found.append(field.greater_or_equal(value))
        else:
            found.append(field.less_or_equal(value))
    return found


def admits(value: Mapping[str, Any], wanted: Mapping[str, Any] | None) -> bool:
    """Whether the filter admits the value. A missing value is None; a comparison of order is false unless both values
    are numbers or both are texts."""
    return all(_matches(value.get(key), condition) for key, condition in (wanted or {}).items())


def check(wanted: Mapping[str, Any] | None) -> None:
    """`ValueError` for an operator that does not exist."""
    for condition in (wanted or {}).values():
        if isinstance(condition, Mapping):
            if _has_operators(condition):
                for operator in condition:
                    if operator not in _OPERATORS:
                        raise ValueError(f"Unsupported operator: {operator}")
            else:
                check(condition)


def _comparisons(wanted: Mapping[str, Any], above: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str, Any]]:
    for key, condition in wanted.items():
        parts = (*above, str(key))
        if not isinstance(condition, Mapping):
            if _is_narrowing(condition):
                yield parts, "$eq", condition
        elif not _has_operators(condition):
            yield from _comparisons(condition, parts)
        else:
            for operator, value in condition.items():
                if operator != "$ne" and _is_narrowing(value) and not (operator != "$eq" and isinstance(value, bool)):
                    yield parts, operator, value


def _is_narrowing(value: object) -> bool:
    if isinstance(value, str):
        return _is_sendable(value) and len(value.encode()) <= _TEXT_BYTES
    if isinstance(value, bool):
        return True
    try:
        return isinstance(value, (int, float)) and math.isfinite(value)
    except OverflowError:
        return False


def _is_sendable(text: str) -> bool:
    try:
        return "\x00" not in text and bool(text.encode() or True)
    except UnicodeEncodeError:
        return False


def _matches(value: Any, condition: Any) -> bool:
    if isinstance(condition, Mapping):
        if _has_operators(condition):
            return all(_OPERATORS[operator](value, operand) for operator, operand in condition.items())
        return isinstance(value, dict) and all(_matches(value.get(key), each) for key, each in condition.items())
    if isinstance(condition, (list, tuple)):
        return (
            isinstance(value, list)
            and len(value) == len(condition)
            and all(_matches(one, other) for one, other in zip(value, condition, strict=True))
        )
    return _equals(value, condition)


def _has_operators(condition: Mapping[Any, Any]) -> bool:
    return any(isinstance(key, str) and key.startswith("$") for key in condition)


def _equals(value: Any, other: Any) -> bool:
    """As JSON: a boolean is no number."""
    if isinstance(value, bool) or isinstance(other, bool):
        return value is other
    if isinstance(value, list) and isinstance(other, (list, tuple)):
        return len(value) == len(other) and all(_equals(*pair) for pair in zip(value, other, strict=True))
    if isinstance(value, dict) and isinstance(other, Mapping):
        return value.keys() == other.keys() and all(_equals(each, other[key]) for key, each in value.items())
    return bool(value == other)


def _are_ordered(value: Any, other: Any) -> bool:
    if isinstance(value, str):
        return isinstance(other, str)
    return _is_number(value) and _is_number(other)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


_OPERATORS: dict[str, Any] = {
    "$eq": _equals,
    "$ne": lambda value, other: not _equals(value, other),
    "$gt": lambda value, other: _are_ordered(value, other) and value > other,
    "$gte": lambda value, other: _are_ordered(value, other) and value >= other,
    "$lt": lambda value, other: _are_ordered(value, other) and value < other,
    "$lte": lambda value, other: _are_ordered(value, other) and value <= other,
}
