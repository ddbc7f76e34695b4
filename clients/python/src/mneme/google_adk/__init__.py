"""Memory and sessions of agents of [Google ADK](https://google.github.io/adk-docs/) in Mneme:
`pip install mneme[google-adk]`.

```python
from google.adk.runners import Runner
from mneme.google_adk import MnemeMemoryService, MnemeSessionService

runner = Runner(
    app_name="assistant",
    agent=agent,
    session_service=MnemeSessionService("127.0.0.1:50051"),
    memory_service=MnemeMemoryService("127.0.0.1:50051"),
)
```

Both keep what they store apart by app and user: the app is the project of its owner, the user the agent.
"""

from ._memory import MnemeMemoryService
from ._sessions import MnemeSessionService

__all__ = ["MnemeMemoryService", "MnemeSessionService"]
