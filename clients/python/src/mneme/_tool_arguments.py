"""Arguments of tools against their schemas: models make them, and a model can correct what it is told of."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from math import inf, isfinite
from typing import Any

from .errors import invalid

JsonSchema = dict[str, Any]
"""The part of JSON Schema that the schemas of tools use."""


def read_arguments(schema: JsonSchema, value: object, aliases: Mapping[str, str]) -> Any:
    """The arguments of a tool as a model means them: null, and an empty text or list where the schema wants more, are
    not set; numbers, booleans, lists and objects may come as texts; one text stands for a list of one, or for an object
    with a text. What does not fit the schema stays as it is, for `check_arguments` to refuse."""
    provided = {} if value is None else _from_json(value)
    if not isinstance(provided, Mapping):
        return provided
    values = dict(provided)
    for alias, name in aliases.items():
        if alias in values and (_is_not_set({"type": "string"}, values.get(name)) or values[alias] is None):
            values[name] = values.pop(alias)
    return _read_object(schema, values)


def _read_object(schema: JsonSchema, provided: Mapping[str, Any]) -> dict[str, Any]:
    properties: dict[str, JsonSchema] = schema.get("properties", {})
    required = schema.get("required", ())
    values = {}
    for name, value in provided.items():
        part = properties.get(name)
        if part is None:
            if value is not None:
                values[name] = value
        elif not _is_not_set(part, value) or (name in required and value is not None):
            values[name] = _read_value(part, value)
    return values


def _is_not_set(schema: JsonSchema, value: object) -> bool:
    """Null and an empty text are values only of an argument that may be anything."""
    if value is None or value == "":
        return "type" in schema or "enum" in schema
    return value == [] and schema.get("minItems", 0) > 0


def _read_value(schema: JsonSchema, value: Any) -> Any:
    kind = schema.get("type")
    if kind in ("integer", "number") and isinstance(value, str) and re.fullmatch(r"\s*[+-]?\d+(\.\d+)?\s*", value):
        return float(value) if "." in value else int(value)
    if kind == "boolean" and isinstance(value, str) and value.lower() in ("true", "false"):
        return value.lower() == "true"
    if kind == "array":
        read = _from_json(value)
        items = [read] if isinstance(read, str) else read
        return [_read_value(schema.get("items", {}), each) for each in items] if isinstance(items, list) else items
    if kind == "object":
        read = _from_json(value)
        if isinstance(read, str) and "text" in schema.get("properties", {}):
            return {"text": read}
        return _read_object(schema, read) if isinstance(read, Mapping) else read
    return value


def _from_json(value: Any) -> Any:
    """The list or object that a text in JSON has; every other value as it is."""
    if not isinstance(value, str) or not re.match(r"\s*[\[{]", value):
        return value
    try:
        return json.loads(value)
    except ValueError:
        return value


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
