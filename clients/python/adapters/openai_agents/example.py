"""An agent whose session lives in Mneme: python example.py [HOST:PORT]. Its model is scripted: it needs no key."""

from __future__ import annotations

import asyncio
import sys

from agents import Agent, Runner, set_tracing_disabled
from scripted_model import ScriptedModel

from mneme.openai_agents import MnemeSession


async def main(address: str) -> None:
    set_tracing_disabled(True)
    agent = Agent(name="Assistant", model=ScriptedModel("Noted: you moved to Bern.", "You live in Bern."))
    session = MnemeSession("caroline-1", address=address, end_of_invocation=True)
    for question in ("I moved to Bern in May.", "Where do I live?"):
        result = await Runner.run(agent, question, session=session)
        print(f"{question} -> {result.final_output}")
    await asyncio.to_thread(session.client.conversations.flush, timeout_ms=10_000)
    found = await asyncio.to_thread(session.client.recall, "Which city does the user live in?", limit=1)
    print(f"remembered: {found.hits[0].memory.text}")
    await session.close()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else "127.0.0.1:50051"))
