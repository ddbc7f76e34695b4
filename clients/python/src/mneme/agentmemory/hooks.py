"""Memory of agents without a change of their code: `install_memory_hooks` for classes, `with_memory` for instances.

Each call of `act` stores one action with the state before and after it, its result, its reward and how much the state
changed, the interactions that the result names, and the states. The action runs exactly once. Its exception is recorded
and passed on; an exception of memory is logged and reaches no agent. Memories wait in a bounded queue, and
`AgentMemoryAPI.flush` says what was stored.
"""

from __future__ import annotations

import copyreg
import functools
import inspect
import threading
import uuid
import weakref
from collections.abc import Callable, Mapping
from types import MethodType
from typing import Any, TypeVar, overload

from ._api import AgentMemoryAPI
from ._driving import MARK, hooked
from ._engine import log
from ._queue import FlushReport, NotStored, flush_all
from ._recorder import Recorder, is_inside
from .config import MemoryConfig
from .models import ActionResult, AgentState

__all__ = [
    "BaseAgent",
    "FlushReport",
    "NotStored",
    "flush_memory_hooks",
    "install_memory_hooks",
    "record_interaction",
    "set_default_api",
    "with_memory",
]

C = TypeVar("C", bound=type)
A = TypeVar("A")

_METHODS = ("act", "get_state")


class Binding:
    """Where the memories of an agent go."""

    def __init__(self, api: AgentMemoryAPI | None, agent_id: str | None) -> None:
        self.api = api
        self.agent_id = agent_id
        self.recorder: Recorder | None = None
        self.is_off = False


#: By id of the agent; agents need neither a hash nor a `__dict__`.
_bindings: dict[int, Binding] = {}
#: Agents that cannot be referred to weakly, so that their ids are not used again.
_kept: dict[int, Any] = {}
_apis: list[tuple[MemoryConfig, AgentMemoryAPI]] = []
_default_api: AgentMemoryAPI | None = None
_lock = threading.RLock()


def set_default_api(api: AgentMemoryAPI | None) -> None:
    """Sets the API for agents that have none of their own, from now on. None: one with the default configuration."""
    global _default_api
    with _lock:
        _default_api = api


def flush_memory_hooks(timeout: float = 10.0) -> list[FlushReport]:
    """Waits until the memories of all agents of the process are stored, at most `timeout` seconds."""
    return flush_all(timeout)


def record_interaction(agent: Any, interaction_data: Mapping[str, Any], priority: float = 1.0) -> None:
    """Stores an interaction of an agent with hooks, at its current step. Neither waits nor raises."""
    is_bound = _is_hooked(type(agent)) or id(agent) in _bindings
    recorder = _recorder_at(agent) if is_bound else None
    if recorder is not None:
        recorder.interaction(agent, interaction_data, priority)


class BaseAgent:
    """An agent with an id, a step and a state.

    `step_number` counts actions: hooks advance it after an action that left it as it was.
    """

    def __init__(self, config: Any = None, agent_id: str | None = None) -> None:
        self.config = config
        self.agent_id = agent_id or f"agent-{uuid.uuid4()}"
        self.step_number = 0

    def act(self, observation: Any = None) -> Any:
        """Acts. Default: waits."""
        return ActionResult("wait")

    def get_state(self) -> AgentState:
        """The state that is recorded. Fields of one's own go into its `extra_data`."""
        return AgentState(agent_id=self.agent_id, step_number=self.step_number)

    def record_interaction(self, interaction_data: Mapping[str, Any], priority: float = 1.0) -> None:
        """Stores an interaction at the current step, where the agent has hooks."""
        record_interaction(self, interaction_data, priority)


@overload
def install_memory_hooks(cls: C) -> C: ...
@overload
def install_memory_hooks(*, api: AgentMemoryAPI | None = None) -> Callable[[C], C]: ...
def install_memory_hooks(cls: Any = None, *, api: AgentMemoryAPI | None = None) -> Any:
    """Class decorator: instances of the class, and of its subclasses, get a memory.

    `api`: where the memories go. Default: that of the agent's `config.memory_config` (a `MemoryConfig` or a dict, as an
    attribute or a key), or that of `set_default_api`. Decorating again changes nothing.
    """
    if api is not None and not isinstance(api, AgentMemoryAPI):
        raise TypeError(f"api: must be an AgentMemoryAPI, got {api!r}")
    if cls is None:
        return lambda decorated: _install(decorated, api)
    if not isinstance(cls, type):
        raise TypeError(f"install_memory_hooks: must decorate a class, got {cls!r}; use with_memory for an instance")
    return _install(cls, api)


def with_memory(agent: A, agent_id: str | None = None, *, api: AgentMemoryAPI | None = None) -> A:
    """Gives an instance a memory, and returns it: the same object, of a subclass of its class.

    `agent_id`: default that of the agent or of its state; `api`: as for `install_memory_hooks`. A copy, or what is
    pickled, is of the agent's own class and has no hooks.
    """
    if api is not None and not isinstance(api, AgentMemoryAPI):
        raise TypeError(f"api: must be an AgentMemoryAPI, got {api!r}")
    if agent_id is not None and (not isinstance(agent_id, str) or agent_id == ""):
        raise TypeError(f"agent_id: must be a text that is not empty, got {agent_id!r}")
    if not callable(getattr(agent, "act", None)):
        raise TypeError(f"with_memory: {type(agent).__name__} has no method act")
    with _lock:
        _bind(agent, Binding(api, agent_id))
        try:
            _enhance(agent)
        except (TypeError, AttributeError) as error:
            _bindings.pop(id(agent), None)
            raise TypeError(f"with_memory: {type(agent).__name__} cannot be enhanced: {error}") from error
    return agent


def _enhance(agent: Any) -> None:
    """Hooks the methods of an instance: those that it has itself, and those of its class, by a subclass of that."""
    cls: Any = type(agent)
    own = getattr(agent, "__dict__", {})
    is_quiet = inspect.getattr_static(cls, "__init_subclass__") is vars(object)["__init_subclass__"]
    if not _is_hooked(cls) and is_quiet:
        agent.__class__ = _enhanced(cls)
    for name in _METHODS:
        function: Any = own.get(name)
        if callable(function) and not hasattr(function, MARK):
            setattr(agent, name, MethodType(hooked(_without_self(function), name, recorder_of, finish_step), agent))
        elif function is None and not is_quiet and _is_bare(method := getattr(cls, name, None)):
            # A subclass might register itself: the methods become attributes of the instance.
            setattr(agent, name, MethodType(hooked(method, name, recorder_of, finish_step), agent))


def _is_bare(method: Any) -> bool:
    return inspect.isfunction(method) and not hasattr(method, MARK)


def _without_self(function: Any) -> Any:
    """A method that calls a function which the instance has as an attribute."""

    def method(_: Any, *args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return functools.wraps(function)(method) if hasattr(function, "__name__") else method


def _install(cls: Any, api: AgentMemoryAPI | None) -> Any:
    if api is not None:
        cls.__mneme_api__ = api
    _hook_methods(cls)
    if "__mneme_subclassed__" not in vars(cls):
        _hook_subclasses(cls)
    return cls


def _is_hooked(cls: type) -> bool:
    return hasattr(getattr(cls, "act", None), MARK)


def _hook_methods(cls: Any) -> None:
    """Wraps the methods that the class defines, or inherits unwrapped."""
    for name in _METHODS:
        found = inspect.getattr_static(cls, name, None)
        if found is None or hasattr(found, MARK):
            continue
        if not inspect.isfunction(found):
            if name == "act":
                raise TypeError(f"install_memory_hooks: {cls.__name__}.act must be a method, got {found!r}")
            continue
        setattr(cls, name, hooked(found, name, recorder_of, finish_step))


def _hook_subclasses(cls: Any) -> None:
    """Wraps methods that subclasses define later."""
    original = vars(cls).get("__init_subclass__")

    def __init_subclass__(subclass: Any, /, **arguments: Any) -> None:  # noqa: N807
        if original is not None:
            original.__get__(None, subclass)(**arguments)
        else:
            super(cls, subclass).__init_subclass__(**arguments)
        _hook_methods(subclass)

    cls.__init_subclass__ = classmethod(__init_subclass__)
    cls.__mneme_subclassed__ = True


@functools.lru_cache(maxsize=1_024)
def _enhanced(cls: Any) -> Any:
    names = {"__slots__": (), "__module__": cls.__module__, "__reduce_ex__": _reduce}
    made = type(cls)(f"{cls.__name__}WithMemory", (cls,), names)
    _hook_methods(made)
    return made


def _reduce(agent: Any, protocol: Any) -> Any:
    """Copies and pickles an enhanced agent as one of its own class."""
    enhanced, base = type(agent), type(agent).__mro__[1]
    reduced = super(enhanced, agent).__reduce_ex__(protocol)
    if not isinstance(reduced, tuple):
        return reduced
    made_by, args, *rest = reduced
    swapped = tuple(base if each is enhanced else each for each in args)
    # pickle itself takes `__newobj__` for objects of exactly that class only.
    makers = {enhanced: base, vars(copyreg)["__newobj__"]: _remade}
    return (makers.get(made_by, made_by), swapped, *rest)


def _remade(cls: Any, *args: Any) -> Any:
    return cls.__new__(cls, *args)


def _bind(agent: Any, binding: Binding) -> Binding:
    key = id(agent)
    if key not in _bindings:
        try:
            weakref.finalize(agent, _bindings.pop, key, None).atexit = False
        except TypeError:
            _kept[key] = agent
    _bindings[key] = binding
    return binding


def recorder_of(agent: Any) -> Recorder | None:
    """The recorder of an agent; None where hooks are off, or within an action of it."""
    return None if is_inside(agent) else _recorder_at(agent)


def _recorder_at(agent: Any) -> Recorder | None:
    binding = _bindings.get(id(agent))
    if binding is None or (binding.recorder is None and not binding.is_off):
        binding = _started(agent, binding)
    return binding.recorder


def _started(agent: Any, binding: Binding | None) -> Binding:
    with _lock:
        if binding is None:
            binding = _bindings.get(id(agent)) or _bind(agent, Binding(None, None))
        if binding.recorder is None and not binding.is_off:
            try:
                api = binding.api or _api_of(agent)
                binding.is_off = not api.config.enable_memory_hooks
                if not binding.is_off:
                    binding.recorder = _recorder(agent, api, binding.agent_id)
            except Exception:
                # An agent without a memory acts all the same.
                binding.is_off = True
                log.exception("agent %s has no memory", type(agent).__name__)
        return binding


def _recorder(agent: Any, api: AgentMemoryAPI, agent_id: str | None) -> Recorder:
    own = getattr(agent, "agent_id", None)
    named = agent_id or (own if isinstance(own, str) and own else None)
    fallback = f"{type(agent).__name__.removesuffix('WithMemory')}-{uuid.uuid4()}"
    return Recorder(api._queue, named or fallback, named is not None, api._engine.clock)


def _api_of(agent: Any) -> AgentMemoryAPI:
    """That of the class, of the agent's configuration, or the default one."""
    global _default_api
    own = getattr(type(agent), "__mneme_api__", None)
    if isinstance(own, AgentMemoryAPI):
        return own
    config = getattr(agent, "config", None)
    given = config.get("memory_config") if isinstance(config, Mapping) else getattr(config, "memory_config", None)
    if given is not None:
        wanted = given if isinstance(given, MemoryConfig) else MemoryConfig().changed(given)
        for known, api in _apis:
            if known == wanted and not api.is_closed:
                return api
        _apis.append((wanted, AgentMemoryAPI(wanted)))
        return _apis[-1][1]
    if _default_api is None or _default_api.is_closed:
        _default_api = AgentMemoryAPI()
    return _default_api


def finish_step(agent: Any, step_before: Any) -> None:
    """Advances the step of a `BaseAgent` that its action left as it was."""
    if isinstance(agent, BaseAgent) and getattr(agent, "step_number", None) == step_before:
        agent.step_number += 1
