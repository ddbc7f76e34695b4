"""Configurations as tables of options: each is checked when it is set, and remembers whether it was set."""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass
from typing import Any, ClassVar

from typing_extensions import Self

from .errors import MemoryConfigException, MemoryConfigValueError

Check = Callable[[Any], "str | None"]


@dataclass(frozen=True)
class Option:
    """An option: its default, its check, and the setting of the server that it is."""

    default: Any
    check: Check
    """Returns what is wrong with a value; None for a valid one."""
    setting: str | None = None
    """Dotted key of the server's setting; None for an option of the client."""
    text: Callable[[Any], str] = str
    """Value of the setting."""


def whole(low: int, high: int = 2**53 - 1) -> Check:
    """A whole number within limits."""

    def check(value: Any) -> str | None:
        if isinstance(value, int) and not isinstance(value, bool) and low <= value <= high:
            return None
        limits = f"of at least {low:,}" if high == 2**53 - 1 else f"from {low:,} to {high:,}"
        return f"must be a whole number {limits}, got {value!r}"

    return check


def number(low: float, high: float) -> Check:
    """A number within limits."""

    def check(value: Any) -> str | None:
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
        return None if is_number and low <= value <= high else f"must be a number from {low} to {high}, got {value!r}"

    return check


def kind(*types: type) -> Check:
    """A value of one of these types."""
    names = " or ".join("None" if each is type(None) else each.__name__ for each in types)
    return lambda value: None if isinstance(value, types) else f"must be {names}, got {value!r}"


def one_of(*values: str) -> Check:
    """One of these texts."""
    return lambda value: None if value in values else f"must be one of {', '.join(values)}, got {value!r}"


def only(default: Any, instead: str) -> Option:
    """An option that has no equivalent: any value except the default is refused."""

    def check(value: Any) -> str | None:
        if type(value) is type(default) and value == default:
            return None
        return f"has no equivalent in Mneme, so only {default!r} is accepted, got {value!r}. {instead}"

    return Option(default, check)


class Config:
    """A configuration. An unknown option, or an invalid value, raises `MemoryConfigException` with its name."""

    OPTIONS: ClassVar[Mapping[str, Option]] = {}
    PARTS: ClassVar[Mapping[str, type[Config]]] = {}
    _given: set[str]

    def __init__(self, **options: Any) -> None:
        self.__dict__["_given"] = set()
        for name, part in self.PARTS.items():
            self.__dict__[name] = part()
        for name, option in self.OPTIONS.items():
            self.__dict__[name] = copy(option.default)
        for name, value in options.items():
            setattr(self, name, value)
        self._check_together()

    def __setattr__(self, name: str, value: Any) -> None:
        part, option = self.PARTS.get(name), self.OPTIONS.get(name)
        if part is not None:
            self.__dict__[name] = _part_of(part, name, value)
        elif option is None:
            raise _unknown(name, [*self.OPTIONS, *self.PARTS])
        else:
            problem = option.check(value)
            if problem is not None:
                raise invalid_option(name, problem)
            self.__dict__[name] = value
            self._given.add(name)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and vars(other) == vars(self)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        names = [name for name in self.OPTIONS if name in self._given] + list(self.PARTS)
        shown = ((name, "..." if name in ("token", "password") else repr(getattr(self, name))) for name in names)
        return f"{type(self).__name__}({', '.join(f'{name}={value}' for name, value in shown)})"

    def is_given(self, name: str) -> bool:
        """True where the option was set, to whatever value."""
        return name in self._given

    def as_dict(self) -> dict[str, Any]:
        """The options that were set, parts as dicts."""
        own = {name: getattr(self, name) for name in self.OPTIONS if name in self._given}
        parts = {name: getattr(self, name).as_dict() for name in self.PARTS}
        return {**own, **{name: part for name, part in parts.items() if part}}

    def changed(self, changes: Mapping[str, Any]) -> Self:
        """A copy with changes: by name, by dotted name (`stm_config.memory_limit`), or a dict for a part."""
        merged = self.as_dict()
        for key, value in changes.items():
            first, _, rest = key.partition(".")
            if first in self.PARTS and (rest or isinstance(value, Mapping)):
                part = merged.setdefault(first, {})
                part.update({rest: value} if rest else dict(value))
            else:
                merged[key] = value
        return type(self)(**merged)

    def settings(self) -> dict[str, str]:
        """Settings of the server by dotted key, of the options that were set."""
        found: dict[str, str] = {}
        for name, option in self._all_given():
            if option.setting is not None:
                found[option.setting] = option.text(name)
        return found

    def _all_given(self) -> Iterator[tuple[Any, Option]]:
        for name, option in self.OPTIONS.items():
            if name in self._given:
                yield getattr(self, name), option
        for name in self.PARTS:
            yield from getattr(self, name)._all_given()

    def _check_together(self) -> None:
        """Checks options that limit each other."""


def _part_of(part: type[Config], name: str, value: Any) -> Config:
    if isinstance(value, part):
        return value
    if not isinstance(value, Mapping):
        raise invalid_option(name, f"must be a {part.__name__} or a dict, got {value!r}")
    try:
        return part(**value)
    except MemoryConfigException as error:
        field = f"{name}.{error.context.get('field', '')}"
        raise invalid_option(field, str(error).partition(": ")[2]) from None


def _unknown(name: str, known: list[str]) -> MemoryConfigException:
    near = difflib.get_close_matches(name, known, 1)
    hint = f"the nearest is {near[0]}" if near else f"known are {', '.join(known)}"
    return invalid_option(name, f"is not an option; {hint}")


def invalid_option(field: str, problem: str) -> MemoryConfigException:
    """The exception for an option that is out of its range."""
    return MemoryConfigValueError(
        f"{field}: {problem}",
        reason="FIELD_INVALID",
        context={"field": field},
        recoverability="potentially_recoverable",
    )
