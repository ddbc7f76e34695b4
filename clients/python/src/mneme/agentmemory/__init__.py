"""The Agent Memory API on a Mneme server: a program of that library changes its imports.

```python
from mneme.agentmemory.api import AgentMemoryAPI      # was: from memory.api import AgentMemoryAPI
from mneme.agentmemory.config import MemoryConfig     # was: from memory.config import MemoryConfig
```
"""

from .api import (
    ActionData,
    ActionResult,
    AgentMemoryAPI,
    AgentState,
    BaseAgent,
    FlushReport,
    MemoryAPIException,
    MemoryConfigException,
    MemoryMaintenanceException,
    MemoryRetrievalException,
    MemorySpace,
    MemoryStoreException,
    NotStored,
    cacheable,
    flush_memory_hooks,
    install_memory_hooks,
    make_hashable,
    record_interaction,
    set_default_api,
    with_memory,
)
from .config import AutoencoderConfig, MemoryConfig, RedisIMConfig, RedisSTMConfig, SQLiteLTMConfig

__all__ = [
    "ActionData",
    "ActionResult",
    "AgentMemoryAPI",
    "AgentState",
    "AutoencoderConfig",
    "BaseAgent",
    "FlushReport",
    "MemoryAPIException",
    "MemoryConfig",
    "MemoryConfigException",
    "MemoryMaintenanceException",
    "MemoryRetrievalException",
    "MemorySpace",
    "MemoryStoreException",
    "NotStored",
    "RedisIMConfig",
    "RedisSTMConfig",
    "SQLiteLTMConfig",
    "cacheable",
    "flush_memory_hooks",
    "install_memory_hooks",
    "make_hashable",
    "record_interaction",
    "set_default_api",
    "with_memory",
]
