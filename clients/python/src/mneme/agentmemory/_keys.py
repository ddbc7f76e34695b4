"""Keys of calls by their arguments, whether or not these are hashable."""

from __future__ import annotations

import dataclasses
import weakref
from collections.abc import Hashable, Mapping, Set
from typing import Any

#: Arguments nested deeper than this have no key.
_DEPTH_MAX = 64


class NoKey(Exception):  # noqa: N818 (no failure: the call is not cached)
    """The value cannot be part of a key."""


def make_hashable(value: Any) -> Hashable:
    """A hashable value that is equal for equal values of the same types. Lists, dicts, sets, dataclasses and numpy
    arrays count by their values; other objects by their own equality, or by identity where they define none.
    `TypeError` for an object that defines equality but no hash.
    """
    try:
        return _key_of(value, 0)
    except NoKey as fault:
        raise TypeError(str(fault)) from None


def _key_of(value: Any, depth: int) -> Hashable:
    if depth > _DEPTH_MAX:
        raise NoKey("the value is nested too deeply, or holds itself")
    cls, inside = type(value), depth + 1
    if value is None or cls in (bool, int, float, str, bytes, complex):
        return (cls, value)
    if isinstance(value, Mapping):
        return (cls, frozenset((_key_of(key, inside), _key_of(each, inside)) for key, each in value.items()))
    if isinstance(value, (list, tuple)):
        return (cls, tuple(_key_of(each, inside) for each in value))
    if isinstance(value, (Set, bytearray)):
        return (cls, frozenset(_key_of(each, inside) for each in value) if isinstance(value, Set) else bytes(value))
    if cls.__module__ == "numpy" and hasattr(value, "tobytes") and not getattr(value.dtype, "hasobject", True):
        return (cls, str(value.dtype), value.shape, value.tobytes())
    return _object_key(value, cls, inside)


def _object_key(value: Any, cls: type, depth: int) -> Hashable:
    hashed: Any = cls.__hash__
    if hashed is object.__hash__:
        try:
            # A reference that does not keep the object: its identity, as long as it lives.
            return weakref.ref(value)
        except TypeError:
            return _by_value(value)
    if hashed is not None:
        return _by_value(value)
    if dataclasses.is_dataclass(value):
        names = [field.name for field in dataclasses.fields(value) if field.compare]
        return (cls, tuple(_key_of(getattr(value, name), depth) for name in names))
    raise NoKey(f"{cls.__name__} defines equality but no hash")


def _by_value(value: Any) -> Hashable:
    try:
        hash(value)
    except Exception as error:
        raise NoKey(f"{type(value).__name__} has no hash: {error}") from None
    return (type(value), value)


def call_key(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Hashable | None:
    """The key of a call; None where an argument has none."""
    try:
        named = frozenset((name, _key_of(value, 0)) for name, value in kwargs.items())
        return (tuple(_key_of(value, 0) for value in args), named)
    except NoKey:
        return None
