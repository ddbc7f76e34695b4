"""Vectors as the lower tiers compare them: their leading values, rounded to bf16 or to 8 bits with one scale."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence

_I8_MAX = 127
_INFINITY_BF16 = 0x7F80


def lowered(values: Sequence[float], form: str, dimension: int) -> list[float]:
    """The values in a form (`f32`, `bf16`, `i8`), cut to a dimension; 0 keeps all."""
    kept = array("f", values[:dimension] if dimension > 0 else values)
    return _FORMS.get(form, list)(kept)


def _bf16(values: array[float]) -> list[float]:
    bits = array("I", values.tobytes())
    return list(array("f", array("I", [_half(each) << 16 for each in bits]).tobytes()))


def _half(bits: int) -> int:
    """Upper half, rounded to even, but never up to infinity."""
    half = ((bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFFFFFF) >> 16
    return bits >> 16 if (half & 0x7FFF) >= _INFINITY_BF16 else half


def _i8(values: array[float]) -> list[float]:
    scale = array("f", [max(map(abs, values), default=0.0) / _I8_MAX])[0]
    if not scale > 0:
        return [0.0] * len(values)
    per_unit = 1 / scale
    whole = (int(each * per_unit + _I8_MAX + 1.5) - (_I8_MAX + 1) for each in values)
    return list(array("f", [min(_I8_MAX, max(-_I8_MAX, each)) * scale for each in whole]))


_FORMS: dict[str, Callable[[array[float]], list[float]]] = {"bf16": _bf16, "i8": _i8}
