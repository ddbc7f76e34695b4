"""The Agent Memory API on a Mneme server: a program of that library changes its imports.

```python
from mneme.agentmemory.api import AgentState          # was: from memory.api import AgentState
from mneme.agentmemory.config import MemoryConfig     # was: from memory.config import MemoryConfig
```
"""

from ._cache import cacheable
from ._keys import make_hashable
from .config import AutoencoderConfig, MemoryConfig, RedisIMConfig, RedisSTMConfig, SQLiteLTMConfig
from .errors import (
    MemoryAPIException,
    MemoryConfigException,
    MemoryMaintenanceException,
    MemoryRetrievalException,
    MemoryStoreException,
)
from .models import ActionData, ActionResult, AgentState

__all__ = [
    "ActionData",
    "ActionResult",
    "AgentState",
    "AutoencoderConfig",
    "MemoryAPIException",
    "MemoryConfig",
    "MemoryConfigException",
    "MemoryMaintenanceException",
    "MemoryRetrievalException",
    "MemoryStoreException",
    "RedisIMConfig",
    "RedisSTMConfig",
    "SQLiteLTMConfig",
    "cacheable",
    "make_hashable",
]
