"""Names that a caller may use, derived from signatures: a name that is not known is refused before anything is sent."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar, get_args

from .errors import InvalidArgumentError, Violation, invalid
from .options import CallOptions, ReadOptions

F = TypeVar("F", bound=Callable[..., Any])


class UnknownNameError(InvalidArgumentError, TypeError, ValueError):
    """A name that is not known. It is a `TypeError` too, as for any argument that a function does not have, and a
    `ValueError`, as frameworks expect for a configuration."""


def unknown(at: str, name: object, known: Iterable[str]) -> UnknownNameError:
    """The error for a name that is not known: with the nearest known name, and all of them."""
    names = list(known)
    near = nearest(str(name), names)
    proposed = f"did you mean {near}? " if near else ""
    field, problem = f"{at}.{name}" if at else str(name), f"is not known; {proposed}known are {', '.join(names)}"
    return UnknownNameError(f"{field}: {problem}", violations=(Violation(field, problem),))


def nearest(name: str, known: Iterable[str]) -> str:
    """The known name closest in spelling, empty when none is close. Case and underscores do not count: `dryRun`."""
    written = _letters(name)
    # Half of a short name at most: "foo" is not "room" misspelt.
    found, least = "", max(min(2, len(written) // 2), len(written) // 4) + 1
    for candidate in known:
        letters = _letters(candidate)
        if abs(len(written) - len(letters)) < least and (distance := _distance(written, letters)) < least:
            found, least = candidate, distance
    return found


def assert_known(values: Mapping[str, Any], known: Iterable[str], at: str = "") -> None:
    """Refuses keys that are not known."""
    names = list(known)
    for key in values:
        if key not in names:
            raise unknown(at, key, names)


def made(cls: type[Any], value: Any, at: str) -> Any:
    """The dataclass, from itself or a dict with its fields."""
    if isinstance(value, cls):
        return value
    if not isinstance(value, Mapping):
        raise invalid(at, f"must be a dict or {cls.__name__}, got {type(value).__name__}")
    assert_known(value, inspect.signature(cls).parameters, at)
    return cls(**value)


def checker(function: Callable[..., Any]) -> Callable[[Mapping[str, Any]], None]:
    """The check of keyword arguments by the signature of a function and the `TypedDict` of its `**` parameter. An
    argument declared as `bool` must be one: a text or None in place of `dry_run` would erase what was to be counted."""
    flags: dict[str, bool] = {}
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is parameter.VAR_KEYWORD:
            hint = parameter.annotation
            hint = eval(hint, function.__globals__) if isinstance(hint, str) else hint
            flags.update((name, False) for name in _most_useful_first(get_args(hint)[0].__annotations__))
        elif parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY) and parameter.name != "self":
            flags[parameter.name] = parameter.annotation in ("bool", bool)

    def check(given: Mapping[str, Any]) -> None:
        for name, value in given.items():
            is_flag = flags.get(name)
            if is_flag is None:
                raise unknown("", name, flags)
            if is_flag and not isinstance(value, bool):
                raise invalid(name, f"must be True or False, got {value!r}")

    return check


def strict(function: F) -> F:
    """The function, which refuses keyword arguments that it does not know with an `InvalidArgumentError`."""
    check: Any = None

    def checked(given: Mapping[str, Any]) -> None:
        nonlocal check
        check = check or checker(function)  # At the first call, when every class of the module is there.
        check(given)

    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def awaiting(*args: Any, **kwargs: Any) -> Any:
            checked(kwargs)
            return await function(*args, **kwargs)

        return awaiting  # type: ignore[return-value]

    @functools.wraps(function)
    def calling(*args: Any, **kwargs: Any) -> Any:
        checked(kwargs)
        return function(*args, **kwargs)

    return calling  # type: ignore[return-value]


def _most_useful_first(names: Iterable[str]) -> list[str]:
    """Names of one call before those that every call has."""
    return sorted(names, key=lambda name: name in CallOptions.__annotations__)


def _letters(name: str) -> str:
    return name.lower().replace("_", "").replace("-", "")


def _distance(one: str, other: str) -> int:
    """Letters to add, drop or change on the way from one word to the other (Levenshtein)."""
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        before, row = row, [i]
        for j, wanted in enumerate(other, 1):
            row.append(min(before[j - 1] + (letter != wanted), before[j] + 1, row[-1] + 1))
    return row[-1]


OPTION_NAMES = ReadOptions.__annotations__.keys() | CallOptions.__annotations__.keys()


def split(arguments: Mapping[str, Any], names: Any = OPTION_NAMES) -> tuple[Any, dict[str, Any]]:
    """Options of the call, and the rest."""
    options = {key: value for key, value in arguments.items() if key in names}
    return options, {key: value for key, value in arguments.items() if key not in names}
