"""Memory of [Strands](https://strandsagents.com) agents in Mneme: `pip install mneme[strands]`.

```python
from strands import Agent
from mneme.strands import MemoryManager

manager = MemoryManager({
    "stores": [{"name": "notes", "address": "127.0.0.1:50051", "writable": True, "extraction": True}],
    "add_tool_config": True,
})
agent = Agent(model=model, memory_manager=manager)
agent("I moved to Bern in May.")
```

`MemoryManager` is the memory manager of Strands with bounded searches, results of all stores in one order, a flush
that waits for every write, and any number of agents. `MnemeMemoryStore` is a memory store for it, and for the manager
of Strands itself.
"""

from ._manager import InjectionConfig, MemoryManager, MemoryManagerConfig
from ._store import MnemeMemoryStore, MnemeStoreConfig

__all__ = [
    "InjectionConfig",
    "MemoryManager",
    "MemoryManagerConfig",
    "MnemeMemoryStore",
    "MnemeStoreConfig",
]
