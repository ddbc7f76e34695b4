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
    MemoryAPIException,
    MemoryConfigException,
    MemoryMaintenanceException,
    MemoryRetrievalException,
    MemorySpace,
    MemoryStoreException,
    cacheable,
    make_hashable,
)
from .config import AutoencoderConfig, MemoryConfig, RedisIMConfig, RedisSTMConfig, SQLiteLTMConfig

__all__ = [
    "ActionData",
    "ActionResult",
    "AgentMemoryAPI",
    "AgentState",
    "AutoencoderConfig",
    "MemoryAPIException",
    "MemoryConfig",
    "MemoryConfigException",
    "MemoryMaintenanceException",
    "MemoryRetrievalException",
    "MemorySpace",
    "MemoryStoreException",
    "RedisIMConfig",
    "RedisSTMConfig",
    "SQLiteLTMConfig",
    "cacheable",
    "make_hashable",
]
