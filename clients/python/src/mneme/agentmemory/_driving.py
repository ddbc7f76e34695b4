"""Wrappers of methods: they run the method once, as it is, and record around it.

A plain function, a coroutine function, a generator function and an async generator function stay what they are. A plain
function may also return one of these, or a future, which is recorded when it is over.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from ._recorder import UNKNOWN, Inside, Recorder, Run, is_inside, read_state

Finder = Callable[[Any], "Recorder | None"]
Finish = Callable[[Any, Any], None]
MARK = "__mneme_hooked__"


def hooked(function: Any, name: str, recorder_of: Finder, finish: Finish) -> Any:
    """The method `act` or `get_state` with recording. `finish(agent, step_before)` is called after an action."""
    driver = _Driver(function, recorder_of, finish)
    wrapper = driver.wrapper() if name == "act" else _state_wrapper(function, recorder_of)
    wrapper = functools.wraps(function)(wrapper)
    setattr(wrapper, MARK, True)
    return wrapper


def _state_wrapper(function: Any, recorder_of: Finder) -> Any:
    def note(agent: Any, state: Any) -> None:
        recorder = recorder_of(agent)
        if recorder is not None:
            recorder.saw_state(agent, state)

    if inspect.iscoroutinefunction(function):

        async def get_state_soon(agent: Any, *args: Any, **kwargs: Any) -> Any:
            state = await function(agent, *args, **kwargs)
            note(agent, state)
            return state

        return get_state_soon

    def get_state(agent: Any, *args: Any, **kwargs: Any) -> Any:
        state = function(agent, *args, **kwargs)
        if not inspect.isawaitable(state):
            note(agent, state)
        return state

    return get_state


class _Driver:
    """Runs an action around which is recorded."""

    def __init__(self, function: Any, recorder_of: Finder, finish: Finish) -> None:
        self._function = function
        self._recorder_of = recorder_of
        self._finish = finish

    def wrapper(self) -> Any:
        """The wrapper, of the kind of the function."""
        function, recorder_of = self._function, self._recorder_of

        async def act_soon(agent: Any, *args: Any, **kwargs: Any) -> Any:
            if is_inside(agent):
                return await function(agent, *args, **kwargs)
            step = getattr(agent, "step_number", None)
            run = await _begun_soon(recorder_of(agent), agent, args, kwargs)
            return await self._awaited(run, agent, step, function(agent, *args, **kwargs))

        def act_by_items(agent: Any, *args: Any, **kwargs: Any) -> Any:
            if is_inside(agent):
                return (yield from function(agent, *args, **kwargs))
            step = getattr(agent, "step_number", None)
            run = _begun(recorder_of(agent), agent, args, kwargs)
            return (yield from self._driven(run, agent, step, function(agent, *args, **kwargs)))

        async def begin(agent: Any, args: Any, kwargs: Any) -> Run | None:
            return None if is_inside(agent) else await _begun_soon(recorder_of(agent), agent, args, kwargs)

        def act(agent: Any, *args: Any, **kwargs: Any) -> Any:
            if is_inside(agent):
                return function(agent, *args, **kwargs)
            step = getattr(agent, "step_number", None)
            run = _begun(recorder_of(agent), agent, args, kwargs)
            try:
                with Inside(agent):
                    result = function(agent, *args, **kwargs)
            except BaseException as error:
                _ended(run, agent, error=error)
                raise
            if type(result) in _PLAIN:
                self._finish(agent, step)
                _ended(run, agent, result)
                return result
            return self._later(run, agent, step, result)

        if inspect.iscoroutinefunction(function):
            return act_soon
        if inspect.isasyncgenfunction(function):
            return self._by_items_soon(function, begin)
        return act_by_items if inspect.isgeneratorfunction(function) else act

    def _later(self, run: Run | None, agent: Any, step: Any, result: Any) -> Any:
        """Of a plain function: a result, or one that is to come."""
        if inspect.iscoroutine(result):
            return self._awaited(run, agent, step, result)
        if inspect.isgenerator(result):
            return self._driven(run, agent, step, result)
        if inspect.isasyncgen(result):

            async def begun(*_: Any) -> Run | None:
                return run

            return self._by_items_soon(lambda *_: result, begun)(agent)
        if inspect.isawaitable(result) and hasattr(result, "add_done_callback"):
            result.add_done_callback(lambda future: self._over(run, agent, step, future))
            return result
        self._finish(agent, step)
        _ended(run, agent, result)
        return result

    def _over(self, run: Run | None, agent: Any, step: Any, future: Any) -> None:
        error: BaseException | None
        try:
            error = future.exception()
        except BaseException as cancelled:
            error = cancelled
        if error is not None:
            _ended(run, agent, error=error)
            return
        self._finish(agent, step)
        _ended(run, agent, future.result())

    async def _awaited(self, run: Run | None, agent: Any, step: Any, coroutine: Any) -> Any:
        try:
            with Inside(agent):
                result = await coroutine
        except BaseException as error:
            # Cancelled, the task must end: a state that has to be awaited is not read.
            _ended(run, agent, error=error)
            raise
        self._finish(agent, step)
        if run is not None:
            run.end(await _state_soon(run.recorder, agent), result)
        return result

    def _driven(self, run: Run | None, agent: Any, step: Any, source: Any) -> Any:
        """The generator's items, values sent to it, exceptions thrown into it, and its result."""
        resume: Callable[[], Any] = functools.partial(next, source)
        while True:
            try:
                with Inside(agent):
                    item = resume()
            except StopIteration as end:
                self._finish(agent, step)
                _ended(run, agent, end.value)
                return end.value
            except BaseException as error:
                _ended(run, agent, error=error)
                raise
            if run is not None:
                run.saw(item)
            try:
                sent = yield item
            except GeneratorExit as closed:
                try:
                    with Inside(agent):
                        source.close()
                finally:
                    _ended(run, agent, error=closed)
                raise
            except BaseException as error:
                resume = functools.partial(source.throw, error)
            else:
                resume = functools.partial(next, source) if sent is None else functools.partial(source.send, sent)

    def _by_items_soon(self, source_of: Any, begin: Any) -> Any:
        """An async generator function that does the same."""

        async def act_by_items_soon(agent: Any, *args: Any, **kwargs: Any) -> Any:
            source, step = source_of(agent, *args, **kwargs), getattr(agent, "step_number", None)
            run = await begin(agent, args, kwargs)
            resume: Callable[[], Any] = source.__anext__
            while True:
                try:
                    with Inside(agent):
                        item = await resume()
                except StopAsyncIteration:
                    self._finish(agent, step)
                    if run is not None:
                        run.end(await _state_soon(run.recorder, agent))
                    return
                except BaseException as error:
                    _ended(run, agent, error=error)
                    raise
                if run is not None:
                    run.saw(item)
                try:
                    sent = yield item
                except GeneratorExit as closed:
                    try:
                        with Inside(agent):
                            await source.aclose()
                    finally:
                        _ended(run, agent, error=closed)
                    raise
                except BaseException as error:
                    resume = functools.partial(source.athrow, error)
                else:
                    resume = source.__anext__ if sent is None else functools.partial(source.asend, sent)

        return act_by_items_soon


#: Results that are complete, so that no more is to be asked of them.
_PLAIN = (type(None), dict, str, int, float, bool, list, tuple)


def _begun(recorder: Recorder | None, agent: Any, args: Any, kwargs: Any) -> Run | None:
    if recorder is None:
        return None
    return _observed(recorder.begin(agent, _state_now(recorder, agent)), args, kwargs)


async def _begun_soon(recorder: Recorder | None, agent: Any, args: Any, kwargs: Any) -> Run | None:
    if recorder is None:
        return None
    return _observed(recorder.begin(agent, await _state_soon(recorder, agent)), args, kwargs)


def _observed(run: Run, args: Any, kwargs: Any) -> Run:
    if args or kwargs:
        run.observe(args[0] if len(args) == 1 and not kwargs else {"args": args, **kwargs} if args else kwargs)
    return run


def _ended(run: Run | None, agent: Any, result: Any = None, error: BaseException | None = None) -> None:
    if run is not None:
        run.end(_state_now(run.recorder, agent), result, error)


def _state_now(recorder: Recorder, agent: Any) -> Any:
    state = read_state(recorder, agent)
    if not inspect.isawaitable(state):
        return state
    if inspect.iscoroutine(state):
        state.close()
    return UNKNOWN


async def _state_soon(recorder: Recorder, agent: Any) -> Any:
    state = read_state(recorder, agent)
    if not inspect.isawaitable(state):
        return state
    with recorder.guard(agent):
        return await state
    return UNKNOWN
