"""Checks of arguments, before anything is sent."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from ..content import Content
from ..errors import InvalidArgumentError
from ..memory import Tier
from .errors import MemoryAPIException, refused
from .models import Model

Kind = type[MemoryAPIException]

TIERS: Mapping[str, Tier] = {"stm": "short_term", "im": "intermediate", "ltm": "long_term"}
TIER_NAMES: Mapping[str, str] = {tier: name for name, tier in TIERS.items()}
#: Highest step: whole numbers are exact up to it.
_STEP_MAX = 2**53 - 1


def agent_id(kind: Kind, value: Any) -> str:
    """An id of an agent."""
    if not isinstance(value, str) or value == "":
        raise refused(kind, "agent_id", f"must be a text that is not empty, got {value!r}")
    return value


def whole(kind: Kind, field: str, value: Any, low: int = 0) -> int:
    """A whole number."""
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= _STEP_MAX:
        raise refused(kind, field, f"must be a whole number of at least {low}, got {value!r}")
    return value


def share(kind: Kind, field: str, value: Any) -> float:
    """A number from 0 to 1."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not is_number or math.isnan(value) or not 0 <= value <= 1:
        raise refused(kind, field, f"must be a number from 0 to 1, got {value!r}")
    return float(value)


def record(kind: Kind, field: str, value: Any) -> dict[str, Any]:
    """A dict, or a model as one."""
    if isinstance(value, Model):
        return value.as_dict()
    if not isinstance(value, Mapping):
        raise refused(kind, field, f"must be a dict or a model, got {type(value).__name__}")
    return dict(value)


def json_content(kind: Kind, field: str, value: Any) -> Content:
    """A value as JSON content."""
    unknown = next((key for key in value if not isinstance(key, str)), None) if isinstance(value, Mapping) else None
    if unknown is not None:
        raise refused(kind, field, f"must have texts as keys, got {unknown!r}")
    try:
        return Content.from_json(value)
    except InvalidArgumentError as error:
        raise refused(kind, field, error.violations[0].description) from None


def tiers(kind: Kind, value: Any) -> list[Tier] | None:
    """Tiers by their names `stm`, `im` and `ltm`; None for all."""
    if value is None:
        return None
    if not isinstance(value, (list, tuple)) or not value:
        raise refused(kind, "memory_tiers", f"must be a list of stm, im and ltm, got {value!r}")
    unknown = [each for each in value if not isinstance(each, str) or each not in TIERS]
    if unknown:
        raise refused(kind, "memory_tiers", f"must be of stm, im and ltm, got {unknown[0]!r}")
    return [TIERS[each] for each in dict.fromkeys(value)]


def memory_type(kind: Kind, value: Any) -> str | None:
    """A type of memories; None for all."""
    if value is not None and (not isinstance(value, str) or value == ""):
        raise refused(kind, "memory_type", f"must be a text that is not empty, or None, got {value!r}")
    return None if value is None else str(value)


def vector(kind: Kind, value: Any) -> list[float]:
    """A vector: a list, an array or a numpy array."""
    values = value.tolist() if hasattr(value, "tolist") else value
    if not isinstance(values, (list, tuple)) or not values:
        raise refused(kind, "query_embedding", "must be a list of numbers that is not empty")
    for place, each in enumerate(values):
        if isinstance(each, bool) or not isinstance(each, (int, float)) or not math.isfinite(each):
            raise refused(kind, f"query_embedding[{place}]", f"must be a finite number, got {each!r}")
    return [float(each) for each in values]
