"""Filters of Haystack: its own function decides, the server narrows down first."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from haystack.dataclasses import Document
from haystack.errors import FilterError
from haystack.utils.filters import document_matches_filter

from ..filters import Filter, ValueField, all_of, any_of, path

_LOGICAL = ("AND", "OR", "NOT")
_ORDER = (">", ">=", "<", "<=")
_COMPARISONS = ("==", "!=", *_ORDER, "in", "not in")
_FIELDS = {each.name for each in fields(Document)}
#: Keys that a path of the server takes as they are.
_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
#: What looks like a date is compared as a date, so other spellings of it are equal.
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
#: Bounds of what the server evaluates: Haystack's function evaluates the rest.
_LEVELS, _CONDITIONS, _VALUES, _TEXT_BYTES, _INTEGER = 8, 32, 300, 1_024, 2**53


def check(filters: object, levels: int = 100) -> None:
    """`FilterError` where a filter has not the form of Haystack, also in a store without documents."""
    if not isinstance(filters, Mapping):
        raise FilterError(f"a filter must be a dict, got {type(filters).__name__}")
    if levels == 0:
        raise FilterError("a filter must have at most 100 levels")
    kind = "value" if "field" in filters else "conditions"
    for key in ("operator", kind):
        if key not in filters:
            raise FilterError(f"'{key}' key missing in {filters}")
    operator, known = filters["operator"], _COMPARISONS if kind == "value" else _LOGICAL
    if operator not in known:
        raise FilterError(f"Unknown operator '{operator}'. Valid operators are: {', '.join(known)}")
    if kind == "conditions":
        if not isinstance(filters["conditions"], (list, tuple)):
            raise FilterError("'conditions' must be a list")
        for each in filters["conditions"]:
            check(each, levels - 1)
    elif not isinstance(filters["field"], str):
        raise FilterError(f"'field' must be a text, got {type(filters['field']).__name__}")
    elif operator in ("in", "not in") and not isinstance(filters["value"], list):
        raise FilterError(f"Filter value must be a `list` when using operator '{operator}'")
    elif operator in _ORDER and isinstance(filters["value"], (list, dict)):
        raise FilterError(f"Filter value can't be a list or a dict using operator '{operator}'")


def matches(filters: Mapping[str, Any], document: Document) -> bool:
    """What Haystack's own function says."""
    try:
        return document_matches_filter(dict(filters), document)
    except TypeError as error:
        raise FilterError(f"the values cannot be compared: {error}") from error


def narrowed(filters: Mapping[str, Any], levels: int = _LEVELS) -> Filter | None:
    """A filter of the server that admits every document that matches, and maybe others; None admits all."""
    if levels == 0:
        return None
    if "field" in filters:
        return _comparison(filters["field"], filters["operator"], filters["value"])
    parts = filters["conditions"][: _CONDITIONS + 1]
    found = [narrowed(each, levels - 1) for each in parts]
    useful = [each for each in found if each is not None]
    if not useful or len(parts) > _CONDITIONS or _size(filters) > _CONDITIONS:
        return None
    if filters["operator"] == "AND":
        return all_of(*useful)
    return any_of(*useful) if filters["operator"] == "OR" and len(useful) == len(found) else None


def _size(filters: Mapping[str, Any]) -> int:
    return 1 if "field" in filters else sum(_size(each) for each in filters["conditions"])


def _comparison(field: str, operator: str, value: Any) -> Filter | None:
    keys = field.split(".")
    if len(keys) == 1 and field not in _FIELDS:
        keys = ["meta", field]
    if keys[0] != "meta" or len(keys) < 2 or len(keys) > 16 or not all(map(_KEY.fullmatch, keys)):
        return None
    at = path(".".join(keys))
    if operator == "==":
        return _equals(at, [value])
    return _equals(at, value) if operator == "in" else None


def _equals(field: ValueField, values: Sequence[Any]) -> Filter | None:
    found: list[Any] = []
    for value in values:
        if isinstance(value, str) and len(value.encode(errors="replace")) <= _TEXT_BYTES and not _DATE.match(value):
            found.append(value)
        elif isinstance(value, (int, float)) and abs(value) < _INTEGER:
            # Python takes 1 and True for equal, the server does not.
            found += [value] if value not in (0, 1) else [int(value), bool(value)]
        else:
            return None
    return field.is_in(found) if 0 < len(found) <= _VALUES else None
