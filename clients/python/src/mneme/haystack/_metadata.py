"""Summaries of the meta of documents."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from haystack.dataclasses import Document


def key_of(field: str) -> str:
    """The key, with or without `meta.` in front."""
    return field.removeprefix("meta.")


def unique_counts(documents: Iterable[Document], fields: Sequence[str]) -> dict[str, int]:
    """How many different values each field has."""
    found: dict[str, set[str]] = {key_of(field): set() for field in fields}
    for document in documents:
        for key, values in found.items():
            if document.meta.get(key) is not None:
                values.add(_identity(document.meta[key]))
    return {key: len(values) for key, values in found.items()}


def fields_info(documents: Iterable[Document]) -> dict[str, dict[str, str]]:
    """The fields with the type of their last value: `keyword`, `int`, `float` or `boolean`."""
    names = {bool: "boolean", int: "int", float: "float"}
    found: dict[str, dict[str, str]] = {}
    for document in documents:
        for key, value in document.meta.items():
            if value is not None:
                found[key] = {"type": names.get(type(value), "keyword")}
    return found


def min_max(documents: Iterable[Document], field: str) -> dict[str, Any]:
    """The least and the greatest value; None where there is none, or they have no order."""
    values = [document.meta.get(key_of(field)) for document in documents]
    ordered: list[Any] = [value for value in values if isinstance(value, (int, float, str))]
    try:
        return {"min": min(ordered), "max": max(ordered)} if ordered else {"min": None, "max": None}
    except TypeError:
        return {"min": None, "max": None}


def unique_values(
    documents: Iterable[Document], field: str, search_term: str | None, start: int, size: int
) -> tuple[list[Any], int]:
    """A page of the different values in the order of their texts, and how many there are."""
    found: dict[str, Any] = {}
    for document in documents:
        value = document.meta.get(key_of(field))
        if value is not None and (not search_term or search_term.lower() in str(value).lower()):
            found.setdefault(_identity(value), value)
    ordered = sorted(found.values(), key=lambda value: (str(value), type(value).__name__))
    return ordered[start : start + size], len(ordered)


def _identity(value: Any) -> str:
    """Different for 1, 1.0, "1" and True."""
    return json.dumps(value, sort_keys=True)
