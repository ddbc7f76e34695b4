"""How each call is written once and offered twice: blocking and awaiting.

A call is a coroutine method of a group of calls (`Calls`), a stream an async generator; all of their waiting is done by
the `Io` of the connection. That of a blocking client never suspends: it blocks the thread inside, so that its
coroutines run through at the first `send`. `Blocking` and `Awaiting` turn the groups into what users see.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import AsyncGenerator, Callable, Coroutine
from types import TracebackType
from typing import TYPE_CHECKING, Any, Concatenate, Generic, TypeVar, cast, get_args, overload

from google.protobuf.message import Message
from typing_extensions import ParamSpec, Self

from ._known import checker, strict
from ._names import namespace_name, refused
from ._rpc import rpc_of
from ._status import family_of
from .errors import InternalError, InvalidArgumentError
from .options import CallOptions

if TYPE_CHECKING:
    from ._connection import Connection

P = ParamSpec("P")
R = TypeVar("R", covariant=True)
T = TypeVar("T")
A = TypeVar("A", bound=Message)


class Calls:
    """A group of calls about one namespace."""

    def __init__(self, connection: Connection, namespace: str) -> None:
        self._connection = connection
        self._namespace = namespace

    async def _ask(self, request: Message, answer: type[A], options: CallOptions, min_revision: int | None = None) -> A:
        try:
            found = await self._connection.unary(
                request, answer, options, namespace_name(self._namespace), min_revision
            )
        except InvalidArgumentError as error:
            raise refused(error, request) from error
        rpc = rpc_of(request)
        for field in rpc.holds:
            if not found.HasField(field):
                raise InternalError(f"the answer to {rpc.name} holds no {field}", family=family_of(rpc.path))
        return found


class Blocking:
    """Makes a group of calls blocking."""

    def __init_subclass__(cls, **arguments: object) -> None:
        super().__init_subclass__(**arguments)
        _offer(cls, _blocking_call, _blocking_stream)


class Awaiting:
    """Makes a group of calls awaitable."""

    def __init_subclass__(cls, **arguments: object) -> None:
        super().__init_subclass__(**arguments)
        _offer(cls, strict, strict)


class Stream(Generic[R]):
    """What a stream of a blocking client brings: an iterator that can be closed.

    Leaving a `for` loop closes it, and so does `with`; closing ends the call on the server.
    """

    def __init__(self, source: AsyncGenerator[R, None]) -> None:
        self._source = source

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> R:
        try:
            self._source.__anext__().send(None)  # As `run` does, for the many items of a stream.
        except StopIteration as item:
            return cast(R, item.value)
        except StopAsyncIteration:
            raise StopIteration from None
        raise RuntimeError("a stream of a blocking client has suspended")

    def close(self) -> None:
        """Ends the stream. Idempotent."""
        run(self._source.aclose())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def __del__(self) -> None:
        # Where another thread is still reading, it is that thread's to close.
        if not getattr(self._source, "ag_running", False):
            self.close()


class call(Generic[P, R]):  # noqa: N801 (a decorator)
    """A call: `async def` inside a group, blocking or awaitable outside. `_offer` puts a function in its place."""

    def __init__(self, function: Callable[Concatenate[Any, P], Coroutine[Any, Any, R]]) -> None:
        self.function = function

    @overload
    def __get__(self, instance: Blocking, owner: type | None = None) -> Callable[P, R]: ...
    @overload
    def __get__(self, instance: Awaiting, owner: type | None = None) -> Callable[P, Coroutine[Any, Any, R]]: ...
    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        raise TypeError("a group of calls is neither blocking nor awaiting")


class stream(Generic[P, R]):  # noqa: N801 (a decorator)
    """A stream: an async generator inside a group; a `Stream` or an async generator outside."""

    def __init__(self, function: Callable[Concatenate[Any, P], AsyncGenerator[R, None]]) -> None:
        self.function = function

    @overload
    def __get__(self, instance: Blocking, owner: type | None = None) -> Callable[P, Stream[R]]: ...
    @overload
    def __get__(self, instance: Awaiting, owner: type | None = None) -> Callable[P, AsyncGenerator[R, None]]: ...
    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        raise TypeError("a group of calls is neither blocking nor awaiting")


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine that does not suspend."""
    try:
        coroutine.send(None)
    except StopIteration as end:
        return cast(T, end.value)
    coroutine.close()
    raise RuntimeError("a coroutine of a blocking client has suspended")


def _offer(cls: type, offered_call: Callable[[Any], Any], offered_stream: Callable[[Any], Any]) -> None:
    for name in dir(cls):
        found = inspect.getattr_static(cls, name)
        if isinstance(found, call):
            setattr(cls, name, offered_call(found.function))
        elif isinstance(found, stream):
            setattr(cls, name, offered_stream(found.function))


def _blocking_call(function: Callable[..., Coroutine[Any, Any, T]]) -> Callable[..., T]:
    check = checker(function)

    def blocking(*args: Any, **kwargs: Any) -> T:
        if kwargs:
            check(kwargs)
        return run(function(*args, **kwargs))

    _name_as(blocking, function, inspect.signature(function).return_annotation)
    return blocking


def _blocking_stream(function: Callable[..., AsyncGenerator[T, None]]) -> Callable[..., Stream[T]]:
    check = checker(function)

    def blocking(*args: Any, **kwargs: Any) -> Stream[T]:
        check(kwargs)
        return Stream(function(*args, **kwargs))

    generator = inspect.signature(function, eval_str=True).return_annotation
    _name_as(blocking, function, Stream[get_args(generator)[0]])  # type: ignore[misc]
    return blocking


def _name_as(blocking: Any, function: Any, returned: Any) -> None:
    """Gives it the name, the signature and the docs of the function, for inspection: it is no coroutine function."""
    functools.update_wrapper(blocking, function)
    del blocking.__wrapped__
    blocking.__signature__ = inspect.signature(function).replace(return_annotation=returned)
    blocking.__annotations__ = {**function.__annotations__, "return": returned}
