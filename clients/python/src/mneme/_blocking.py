"""Calls, streams and time of a blocking client. Its coroutines never suspend: they block their thread."""

from __future__ import annotations

import contextlib
import heapq
import random
import threading
import time
from collections import deque
from collections.abc import AsyncIterable, AsyncIterator, Callable, Coroutine, Iterable, Iterator
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from typing import Any, TypeVar

import grpc
from google.protobuf.message import Message

from ._channel import channel_options, credentials, target_of
from ._face import run
from ._io import CallCancelledError, Metadata
from ._io import Future as AnyFuture
from ._rpc import Rpc
from ._stream_channels import StreamChannels
from .options import Cancellation, ConnectOptions

T = TypeVar("T")
#: Messages queued on one stream, in addition to the one that gRPC is sending.
_WAITING_MAX = 2


class BlockingIo:
    """`Io` over a blocking channel of gRPC. Any number of threads may use it."""

    def __init__(self, address: str, options: ConnectOptions) -> None:
        self._address = target_of(address)
        self._options = options
        self._credentials = credentials(options)
        self._channel = self._new_channel(for_streams=False)
        self._stream_channels = StreamChannels(lambda: self._new_channel(for_streams=True), self._close_later)
        self._calls: dict[str, Any] = {}
        #: One token for each call under way: adding and removing one is atomic, so that threads do not share a lock.
        self._under_way: set[object] = set()
        self._is_awaited = False
        self._changed = threading.Condition()
        self._timers = _Timers()

    async def unary(
        self,
        rpc: Rpc,
        request: Message,
        timeout: float | None,
        metadata: Metadata,
        cancel: Cancellation | None,
        waits: bool,
    ) -> Message:
        call = self._calls.get(rpc.path)
        if call is None:
            self._calls[rpc.path] = call = self._channel.unary_unary(
                rpc.path, rpc.request.SerializeToString, rpc.response.FromString
            )
        token = object()
        self._under_way.add(token)
        try:
            if cancel is None:
                answer: Message = call(request, timeout, metadata, wait_for_ready=waits)
                return answer
            return _cancellable(call.future(request, timeout, metadata, wait_for_ready=waits), cancel)
        finally:
            self._under_way.discard(token)
            if self._is_awaited:
                with self._changed:
                    self._changed.notify_all()

    async def connected(self, timeout: float | None, cancel: Cancellation | None) -> bool:
        channel = self._stream_channels.take()
        try:
            return _is_ready(channel) or _becomes_ready(channel, timeout, cancel)
        finally:
            self._stream_channels.release(channel)

    def open(self, rpc: Rpc, request: Message | None, timeout: float | None, metadata: Metadata) -> _BlockingWire:
        channel, ready = self._stream_channels.take(), self._options.wait_for_ready is not False
        outbox = _Outbox() if request is None else None
        make = channel.unary_stream if outbox is None else channel.stream_stream
        method: Any = make(rpc.path, rpc.request.SerializeToString, rpc.response.FromString)
        try:
            call = method(request if outbox is None else outbox, timeout, metadata, wait_for_ready=ready)
        except BaseException:
            self._stream_channels.release(channel)
            raise
        if not call.add_callback(lambda: self._stream_channels.release(channel)):
            self._stream_channels.release(channel)
        return _BlockingWire(call, outbox, lambda: self._stream_channels.replace(channel))

    def assert_here(self) -> None:
        """Any thread will do."""

    def has_ended(self) -> bool:
        return False

    def is_connected(self) -> bool:
        return _is_ready(self._channel)

    def now(self) -> float:
        return time.monotonic()

    def random(self) -> float:
        return random.random()

    async def sleep(self, seconds: float, cancel: Cancellation | None) -> None:
        ended = threading.Event()
        forget = cancel._subscribe(ended.set) if cancel else None
        ended.wait(seconds)
        if forget:
            forget()

    def later(self, seconds: float, callback: Callable[[], None]) -> Callable[[], None]:
        return self._timers.add(time.monotonic() + seconds, callback)

    def call(self, callback: Callable[[], None]) -> None:
        callback()

    def future(self) -> Future[Any]:
        return Future()

    async def wait(self, future: AnyFuture[T], timeout: float | None = None) -> T:
        assert isinstance(future, Future)
        try:
            result: T = future.result(timeout)
        except FutureTimeoutError:  # Another class than TimeoutError before Python 3.11.
            if future.done():
                raise
            raise TimeoutError from None
        return result

    def spawn(self, coroutine: Coroutine[Any, Any, None]) -> Future[None]:
        future: Future[None] = Future()

        def work() -> None:
            try:
                future.set_result(run(coroutine))
            except BaseException as error:  # The waiter gets the error.
                future.set_exception(error)

        threading.Thread(target=work, name="mneme", daemon=True).start()
        return future

    async def iterate(self, source: Iterable[T] | AsyncIterable[T]) -> AsyncIterator[T]:
        if not isinstance(source, Iterable):
            raise TypeError("a blocking client reads iterables only; mneme.aio reads async ones as well")
        for item in source:
            yield item

    async def result_of(self, outcome: Any) -> Any:
        return outcome

    async def idle(self, timeout: float) -> bool:
        with self._changed:
            self._is_awaited = True
            return self._changed.wait_for(lambda: not self._under_way, timeout)

    async def close(self) -> None:
        self._timers.stop()
        self._channel.close()
        for channel in self._stream_channels.take_all():
            channel.close()

    def _close_later(self, channel: grpc.Channel) -> None:
        """A thread of gRPC that reports the end of a stream must not close the channel of the stream."""
        self.later(0, channel.close)

    def _new_channel(self, *, for_streams: bool) -> grpc.Channel:
        options = channel_options(self._address, self._options, for_streams=for_streams)
        if self._credentials is None:
            return grpc.insecure_channel(self._address, options)
        return grpc.secure_channel(self._address, self._credentials, options)


class _BlockingWire:
    def __init__(self, call: Any, outbox: _Outbox | None, replace_channel: Callable[[], None]) -> None:
        self._call = call
        self._outbox = outbox
        self.replace_channel = replace_channel
        if outbox is not None and not call.add_callback(outbox.abandon):
            outbox.abandon()

    async def read(self) -> Message | None:
        message: Message | None = next(self._call, None)
        return message

    async def write(self, message: Message) -> None:
        assert self._outbox is not None
        self._outbox.put(message)

    def end(self) -> None:
        assert self._outbox is not None
        self._outbox.end()

    def cancel(self) -> None:
        self._call.cancel()


class _Outbox(Iterator[Message]):
    """Outgoing messages of a stream: a thread of gRPC takes them as fast as the stream accepts them."""

    def __init__(self) -> None:
        self._messages: deque[Message] = deque()
        self._changed = threading.Condition()
        self._ended = False

    def __next__(self) -> Message:
        with self._changed:
            self._changed.wait_for(lambda: self._messages or self._ended)
            if not self._messages:
                raise StopIteration
            self._changed.notify_all()
            return self._messages.popleft()

    def put(self, message: Message) -> None:
        with self._changed:
            self._changed.wait_for(lambda: len(self._messages) < _WAITING_MAX or self._ended)
            if not self._ended:
                self._messages.append(message)
                self._changed.notify_all()

    def end(self) -> None:
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def abandon(self) -> None:
        with self._changed:
            self._messages.clear()
            self.end()


class _Timers:
    """Callbacks at their times, by one thread that starts with the first of them."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._queue: list[tuple[float, int, Callable[[], None]]] = []
        self._last = 0
        self._thread: threading.Thread | None = None
        self._stopped = False

    def add(self, at: float, callback: Callable[[], None]) -> Callable[[], None]:
        with self._changed:
            self._last += 1
            number = self._last
            heapq.heappush(self._queue, (at, number, callback))
            if self._thread is None and not self._stopped:
                self._thread = threading.Thread(target=self._work, name="mneme-timers", daemon=True)
                self._thread.start()
            self._changed.notify_all()
        return lambda: self._cancel(number)

    def stop(self) -> None:
        with self._changed:
            self._stopped = True
            self._changed.notify_all()

    def _cancel(self, number: int) -> None:
        with self._changed:
            self._queue = [each for each in self._queue if each[1] != number]
            heapq.heapify(self._queue)

    def _work(self) -> None:
        while True:
            with self._changed:
                while not self._stopped and (not self._queue or self._queue[0][0] > time.monotonic()):
                    self._changed.wait(self._queue[0][0] - time.monotonic() if self._queue else None)
                if self._stopped:
                    return
                callback = heapq.heappop(self._queue)[2]
            callback()


def _cancellable(future: Any, cancel: Cancellation) -> Message:
    forget = cancel._subscribe(future.cancel)
    try:
        answer: Message = future.result()
        return answer
    except grpc.FutureCancelledError:
        raise CallCancelledError from None
    finally:
        forget()


def _becomes_ready(channel: grpc.Channel, timeout: float | None, cancel: Cancellation | None) -> bool:
    ready = grpc.channel_ready_future(channel)
    forget = cancel._subscribe(ready.cancel) if cancel else None
    try:
        ready.result(timeout)
        return True
    except grpc.FutureTimeoutError:
        ready.cancel()
        return False
    except grpc.FutureCancelledError:
        raise CallCancelledError from None
    finally:
        if forget:
            forget()


def _is_ready(channel: grpc.Channel) -> bool:
    """gRPC has no public way to ask without a thread of its own; only error texts and a shortcut depend on this."""
    inner = getattr(channel, "_channel", None)
    with contextlib.suppress(ValueError):  # It was closed meanwhile.
        return inner is not None and inner.check_connectivity_state(False) == grpc.ChannelConnectivity.READY.value[0]
    return False
