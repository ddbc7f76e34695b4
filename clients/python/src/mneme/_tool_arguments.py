"""Arguments of tools against their schemas: models make them, and a model can correct what it is told of."""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import inf, isfinite
from typing import Any

from .errors import invalid

JsonSchema = dict[str, Any]
"""The part of JSON Schema that the schemas of tools use."""


def check_arguments(schema: JsonSchema, value: object, field: str) -> None:
    """Refuses a value that does not fit the schema."""
    problem = _problem(schema, value)
    if problem is not None:
        raise invalid(field, problem)
    if isinstance(value, Mapping):
        _check_members(schema, value, field)
    if isinstance(value, list) and "items" in schema:
        for at, part in enumerate(value):
            check_arguments(schema["items"], part, f"{field}[{at}]")


def _check_members(schema: JsonSchema, value: Mapping[str, Any], field: str) -> None:
    properties: dict[str, JsonSchema] = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in value:
            raise invalid(f"{field}.{name}", "is required")
    for name, part in value.items():
        if name in properties:
            check_arguments(properties[name], part, f"{field}.{name}")
        elif schema.get("additionalProperties") is False:
            raise invalid(f"{field}.{name}", f"is not an argument; known are {', '.join(properties) or 'none'}")


def _problem(schema: JsonSchema, value: object) -> str | None:
    wanted = schema.get("type")
    if wanted is not None and not _is_of(wanted, value):
        return f"must be {wanted}, got {json.dumps(value, default=str)[:80]}"
    if "enum" in schema and value not in schema["enum"]:
        return f"must be {', '.join(schema['enum'])}, got {json.dumps(value)[:80]}"
    if isinstance(value, str) and len(value) < schema.get("minLength", 0):
        return "must not be empty"
    if isinstance(value, list):
        least, most = schema.get("minItems", 0), schema.get("maxItems", inf)
        if not least <= len(value) <= most:
            return f"must have {least} to {most if most != inf else 'any number of'} items, got {len(value)}"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        low, high = schema.get("minimum", -inf), schema.get("maximum", inf)
        if not low <= value <= high:
            return f"must be from {low} to {high}, got {value}"
    return None


def _is_of(wanted: str, value: object) -> bool:
    if wanted == "object":
        return isinstance(value, Mapping)
    if wanted == "array":
        return isinstance(value, list)
    if wanted == "string":
        return isinstance(value, str)
    if wanted == "boolean":
        return isinstance(value, bool)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return isfinite(value) and (wanted == "number" or value == int(value))
