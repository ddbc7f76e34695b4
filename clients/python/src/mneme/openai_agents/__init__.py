"""Sessions of the [OpenAI Agents SDK](https://openai.github.io/openai-agents-python/) in Mneme:
`pip install mneme[openai-agents]`.

```python
from agents import Agent, Runner
from mneme.openai_agents import MnemeSession

session = MnemeSession("caroline-1", address="127.0.0.1:50051")
result = await Runner.run(Agent(name="Assistant"), "I moved to Bern in May.", session=session)
```

A session is a conversation of the server: every item is kept exactly, and its text is a message that recall finds and
from which memories are extracted.
"""

from ._session import MnemeSession

__all__ = ["MnemeSession"]
