"""Calls, streams and time of a client for asyncio."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import random
import time
import weakref
from collections.abc import AsyncIterable, AsyncIterator, Callable, Coroutine, Iterable
from typing import Any, TypeVar

import grpc
import grpc.aio
from google.protobuf.message import Message

from ._channel import channel_options, credentials, target_of
from ._io import CallCancelledError, Metadata, UnreadableError
from ._io import Future as AnyFuture
from ._rpc import Rpc
from ._stream_channels import StreamChannels
from .errors import FailedPreconditionError
from .options import Cancellation, ConnectOptions

T = TypeVar("T")
_ITEMS_IN_A_ROW = 64


class AsyncioIo:
    """`Io` over channels of `grpc.aio`, for one event loop. The channels are made by the first call."""

    def __init__(self, address: str, options: ConnectOptions) -> None:
        self._address = target_of(address)
        self._options = options
        self._credentials = credentials(options)
        self._channel: grpc.aio.Channel | None = None
        self._stream_channels = StreamChannels(lambda: self._new_channel(for_streams=True), self._close_channel)
        self._calls: dict[str, Any] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._closed = False
        self._active = 0
        self._became_idle = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self._wires: weakref.WeakSet[_AsyncioWire] = weakref.WeakSet()

    async def unary(
        self,
        rpc: Rpc,
        request: Message,
        timeout: float | None,
        metadata: Metadata,
        cancel: Cancellation | None,
        waits: bool,
    ) -> Message:
        make = self._calls.get(rpc.path)
        if make is None:
            self._channel = self._channel or self._new_channel(for_streams=False)
            make = self._channel.unary_unary(rpc.path, rpc.request.SerializeToString, rpc.response.FromString)
            self._calls[rpc.path] = make
        self._active += 1
        call = make(request, timeout=timeout, metadata=metadata, wait_for_ready=waits)
        forget = self._on(cancel, call.cancel)
        try:
            answer: Message | None = await call
            if answer is None:  # So gRPC says that it cannot read it.
                raise UnreadableError
            return answer
        except asyncio.CancelledError:
            if self._closed or (cancel is not None and cancel.cancelled):
                raise CallCancelledError from None
            raise
        finally:
            forget()
            self._active -= 1
            if self._active == 0:
                self._became_idle.set()

    async def connected(self, timeout: float | None, cancel: Cancellation | None) -> bool:
        channel = self._stream_channels.take()
        ready = asyncio.ensure_future(channel.channel_ready())
        forget = self._on(cancel, ready.cancel)
        try:
            await asyncio.wait_for(ready, timeout)
            return True
        except (TimeoutError, asyncio.TimeoutError):
            return False
        except asyncio.CancelledError:
            if cancel is not None and cancel.cancelled:
                raise CallCancelledError from None
            raise
        finally:
            forget()
            self._stream_channels.release(channel)

    def open(self, rpc: Rpc, request: Message | None, timeout: float | None, metadata: Metadata) -> _AsyncioWire:
        channel, ready = self._stream_channels.take(), self._options.wait_for_ready is not False
        make = channel.stream_stream if request is None else channel.unary_stream
        method: Any = make(rpc.path, rpc.request.SerializeToString, rpc.response.FromString)
        arguments = () if request is None else (request,)
        try:
            call = method(*arguments, timeout=timeout, metadata=metadata, wait_for_ready=ready)
        except BaseException:
            self._stream_channels.release(channel)
            raise
        call.add_done_callback(lambda _: self._stream_channels.release(channel))
        wire = _AsyncioWire(call, lambda: self._closed, lambda: self._stream_channels.replace(channel))
        self._wires.add(wire)
        return wire

    def assert_here(self) -> None:
        try:
            here: asyncio.AbstractEventLoop | None = asyncio.get_running_loop()
        except RuntimeError:
            here = None
        if here is not None and self._loop in (None, here):
            self._loop = here
            return
        raise FailedPreconditionError(
            "a client of mneme.aio belongs to the event loop of its first call, and this is another one: "
            "connect in each loop, or take mneme.connect, whose client suits every thread and loop"
        )

    def has_ended(self) -> bool:
        return self._loop is not None and self._loop.is_closed()

    def is_connected(self) -> bool:
        return self._channel is not None and self._channel.get_state() is grpc.ChannelConnectivity.READY

    def now(self) -> float:
        return time.monotonic()

    def random(self) -> float:
        return random.random()

    async def sleep(self, seconds: float, cancel: Cancellation | None) -> None:
        ended = asyncio.Event()
        forget = self._on(cancel, ended.set)
        try:
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(ended.wait(), seconds)
        finally:
            forget()

    def later(self, seconds: float, callback: Callable[[], None]) -> Callable[[], None]:
        return asyncio.get_running_loop().call_later(seconds, callback).cancel

    def call(self, callback: Callable[[], None]) -> None:
        if self._loop is not None:
            _schedule(self._loop, callback)

    def future(self) -> asyncio.Future[Any]:
        return asyncio.get_running_loop().create_future()

    async def wait(self, future: AnyFuture[T], timeout: float | None = None) -> T:
        assert isinstance(future, asyncio.Future)
        try:
            result: T = await asyncio.wait_for(future, timeout)
        except asyncio.TimeoutError:  # Another class than TimeoutError before Python 3.11.
            raise TimeoutError from None
        return result

    def spawn(self, coroutine: Coroutine[Any, Any, None]) -> asyncio.Future[None]:
        task = asyncio.get_running_loop().create_task(coroutine)
        self._tasks.add(task)  # The loop itself would let go of it.
        task.add_done_callback(self._tasks.discard)
        return task

    async def iterate(self, source: Iterable[T] | AsyncIterable[T]) -> AsyncIterator[T]:
        if isinstance(source, AsyncIterable):
            async for item in source:
                yield item
            return
        for number, item in enumerate(source):
            yield item
            if number % _ITEMS_IN_A_ROW == 0:
                await asyncio.sleep(0)  # Other tasks must run while a source never waits.

    async def result_of(self, outcome: Any) -> Any:
        return await outcome if inspect.isawaitable(outcome) else outcome

    async def idle(self, timeout: float) -> bool:
        if self._active > 0:
            self._became_idle.clear()
            try:
                await asyncio.wait_for(self._became_idle.wait(), timeout)
            except (TimeoutError, asyncio.TimeoutError):
                return False
        return True

    async def close(self) -> None:
        self._closed = True
        # A reader of a stream whose channel is closed may wait for ever: the stream is cancelled first.
        for wire in list(self._wires):
            wire.cancel()
        await asyncio.sleep(0)
        for channel in (self._channel, *self._stream_channels.take_all()):
            if channel is not None:
                await channel.close()

    def _on(self, cancel: Cancellation | None, callback: Callable[[], object]) -> Callable[[], None]:
        """Calls back in this loop, whichever thread cancels."""
        if cancel is None:
            return lambda: None
        loop = asyncio.get_running_loop()
        return cancel._subscribe(lambda: _schedule(loop, callback))

    def _close_channel(self, channel: grpc.aio.Channel) -> None:
        self.spawn(channel.close())

    def _new_channel(self, *, for_streams: bool) -> grpc.aio.Channel:
        options = channel_options(self._address, self._options, for_streams=for_streams)
        if self._credentials is None:
            return grpc.aio.insecure_channel(self._address, options)
        return grpc.aio.secure_channel(self._address, self._credentials, options)


class _AsyncioWire:
    def __init__(self, call: Any, is_closed: Callable[[], bool], replace_channel: Callable[[], None]) -> None:
        self._call = call
        self.replace_channel = replace_channel
        self._is_closed = is_closed
        self._loop = asyncio.get_running_loop()
        self._is_cancelled = False
        self._writing = asyncio.Lock()

    async def read(self) -> Message | None:
        if self._is_closed():  # gRPC might wait for ever.
            raise CallCancelledError
        try:
            message = await self._call.read()
        except asyncio.CancelledError:
            if self._is_cancelled or self._is_closed():
                raise CallCancelledError from None
            raise
        if message is None:
            raise UnreadableError
        if message is not grpc.aio.EOF:
            found: Message = message
            return found
        if await self._call.code() is not grpc.StatusCode.OK:
            raise await _failure(self._call)
        return None

    async def write(self, message: Message) -> None:
        async with self._writing:  # gRPC takes one message at a time.
            try:
                await self._call.write(message)
            except (grpc.RpcError, asyncio.InvalidStateError):
                pass  # The stream has ended: the reader gets the error.
            except asyncio.CancelledError:
                if not self._is_cancelled and not self._is_closed():
                    raise

    def end(self) -> None:
        self._loop.create_task(self._end())

    async def _end(self) -> None:
        async with self._writing:
            # Where the stream has ended, the reader gets the error.
            with contextlib.suppress(grpc.RpcError, asyncio.InvalidStateError, asyncio.CancelledError):
                await self._call.done_writing()

    def cancel(self) -> None:
        self._is_cancelled = True
        _schedule(self._loop, self._call.cancel)


def _schedule(loop: asyncio.AbstractEventLoop, callback: Callable[[], object]) -> None:
    if not loop.is_closed():
        loop.call_soon_threadsafe(callback)


async def _failure(call: Any) -> grpc.aio.AioRpcError:
    return grpc.aio.AioRpcError(
        await call.code(), await call.initial_metadata(), await call.trailing_metadata(), await call.details()
    )
