"""`cacheable`: results of functions, kept for a time."""

from __future__ import annotations

import functools
import inspect
import math
import threading
import time
import weakref
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, TypeVar, cast

from ._keys import call_key
from .errors import MemoryConfigValueError

F = TypeVar("F", bound=Callable[..., Any])
Clock = Callable[[], float]

DEFAULT_TTL_S = 60.0
DEFAULT_ENTRIES = 1_024
_MISSING = object()


def checked_ttl(ttl: Any) -> float:
    """The time to live in seconds; `MemoryConfigException`, which is a `ValueError` too, unless it is above 0."""
    is_number = isinstance(ttl, (int, float)) and not isinstance(ttl, bool)
    if is_number and ttl > 0 and not math.isnan(ttl):
        return float(ttl)
    raise MemoryConfigValueError(
        f"ttl: must be a number of seconds above 0, got {ttl!r}",
        reason="FIELD_INVALID",
        context={"field": "ttl"},
        recoverability="recoverable",
    )


class Cache:
    """Values by key, least recently used first out. Safe for threads.

    `generation` changes when entries are removed; `put` with an older one keeps nothing, so a value that was computed
    before a `clear` is never kept after it.
    """

    def __init__(self, ttl_s: float | None = None, entries_max: int = DEFAULT_ENTRIES, clock: Clock = time.monotonic):
        self._ttl_s = ttl_s
        self._entries_max = entries_max
        self._clock = clock
        self._lock = threading.Lock()
        self._entries: OrderedDict[Hashable, tuple[float, Any]] = OrderedDict()
        self.generation = 0
        self.default_ttl_s = DEFAULT_TTL_S

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, key: Hashable) -> Any:
        """The value, or `_MISSING`."""
        with self._lock:
            found = self._entries.get(key)
            if found is None:
                return _MISSING
            made, value = found
            if self._clock() - made >= (self._ttl_s or self.default_ttl_s):
                del self._entries[key]
                return _MISSING
            self._entries.move_to_end(key)
        return unshared(value)

    def put(self, key: Hashable, value: Any, generation: int) -> None:
        """Keeps a copy of a value that was computed in this generation."""
        kept = unshared(value)
        with self._lock:
            if generation != self.generation:
                return
            self._entries[key] = (self._clock(), kept)
            self._entries.move_to_end(key)
            while len(self._entries) > self._entries_max:
                self._entries.popitem(last=False)

    def clear(self) -> None:
        """Removes all entries."""
        with self._lock:
            self._entries.clear()
            self.generation += 1

    def through(self, key: Hashable | None, compute: Callable[[], Any]) -> Any:
        """The kept value, or the computed one. Without a key it is computed every time."""
        if key is None:
            return compute()
        found = self.get(key)
        if found is not _MISSING:
            return found
        generation = self.generation
        value = compute()
        # What can be awaited or iterated once is not a result yet.
        if not (inspect.isawaitable(value) or inspect.isgenerator(value) or inspect.isasyncgen(value)):
            self.put(key, value, generation)
        return value

    async def through_awaiting(self, key: Hashable | None, compute: Callable[[], Any]) -> Any:
        """As `through`. A cancelled or failed computation keeps nothing."""
        if key is None:
            return await compute()
        found = self.get(key)
        if found is not _MISSING:
            return found
        generation = self.generation
        value = await compute()
        self.put(key, value, generation)
        return value


def unshared(value: Any) -> Any:
    """The value with new lists, dicts and sets, so that a change of a result does not reach the cache."""
    cls = type(value)
    if cls is dict:
        return {key: unshared(each) for key, each in value.items()}
    if cls is list:
        return [unshared(each) for each in value]
    if cls is tuple:
        return tuple(unshared(each) for each in value)
    return set(value) if cls is set else value


_caches: weakref.WeakSet[Cache] = weakref.WeakSet()
_caches_lock = threading.Lock()
_default_ttl_s = DEFAULT_TTL_S


def register(cache: Cache) -> Cache:
    """Makes a cache one of those that `clear_caches` and `set_default_ttl` reach."""
    with _caches_lock:
        cache.default_ttl_s = _default_ttl_s
        _caches.add(cache)
    return cache


def clear_caches() -> None:
    """Empties every cache of `cacheable` in the process."""
    with _caches_lock:
        caches = list(_caches)
    for cache in caches:
        cache.clear()


def set_default_ttl(ttl: float) -> None:
    """Sets the time to live of caches without one of their own, also of what is kept already."""
    global _default_ttl_s
    ttl_s = checked_ttl(ttl)
    with _caches_lock:
        _default_ttl_s = ttl_s
        for cache in _caches:
            cache.default_ttl_s = ttl_s


def cacheable(
    ttl: float | None = None, *, max_entries: int = DEFAULT_ENTRIES, clock: Clock = time.monotonic
) -> Callable[[F], F]:
    """Keeps results of a function, method or coroutine function by its arguments, for `ttl` seconds.

    ```python
    @cacheable(ttl=60)
    def expensive(agent_id, query): ...
    ```

    `ttl`: default that of `set_cache_ttl`, or 60; `max_entries`: the least recently used beyond them are removed. Lists
    and dicts are keyed by their values, and results are copied. A call with an argument that defines equality but no
    hash is computed every time. An exception is not kept. `function.clear_cache()`, or `clear_cache` of an
    `AgentMemoryAPI`, removes the results.
    """
    if callable(ttl):
        return cast("Callable[[F], F]", _cached(ttl, Cache(None, max_entries, clock)))
    ttl_s = None if ttl is None else checked_ttl(ttl)
    if not isinstance(max_entries, int) or max_entries < 1:
        raise ValueError(f"max_entries: must be a whole number of at least 1, got {max_entries!r}")
    return cast("Callable[[F], F]", lambda function: _cached(function, Cache(ttl_s, max_entries, clock)))


def _cached(function: Any, cache: Cache) -> Any:
    if isinstance(function, (staticmethod, classmethod)):
        return type(function)(_cached(function.__func__, cache))
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        raise TypeError(f"{function.__name__} is a generator: its values can be read once, so they cannot be cached")
    register(cache)
    wrapper: Any
    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def wrapper(*args: Any, **kwargs: Any) -> Any:
            return await cache.through_awaiting(call_key(args, kwargs), lambda: function(*args, **kwargs))

    else:

        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            return cache.through(call_key(args, kwargs), lambda: function(*args, **kwargs))

    wrapper.cache = cache
    wrapper.clear_cache = cache.clear
    return wrapper
