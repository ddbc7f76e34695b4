"""Everything that a program imports from `memory.api`."""

from ._api import AgentMemoryAPI
from ._cache import cacheable
from ._keys import make_hashable
from .errors import (
    MemoryAPIException,
    MemoryConfigException,
    MemoryMaintenanceException,
    MemoryRetrievalException,
    MemoryStoreException,
)
from .hooks import (
    BaseAgent,
    FlushReport,
    NotStored,
    flush_memory_hooks,
    install_memory_hooks,
    record_interaction,
    set_default_api,
    with_memory,
)
from .models import ActionData, ActionResult, AgentState
from .space import MemorySpace

__all__ = [
    "ActionData",
    "ActionResult",
    "AgentMemoryAPI",
    "AgentState",
    "BaseAgent",
    "FlushReport",
    "MemoryAPIException",
    "MemoryConfigException",
    "MemoryMaintenanceException",
    "MemoryRetrievalException",
    "MemorySpace",
    "MemoryStoreException",
    "NotStored",
    "cacheable",
    "flush_memory_hooks",
    "install_memory_hooks",
    "make_hashable",
    "record_interaction",
    "set_default_api",
    "with_memory",
]
