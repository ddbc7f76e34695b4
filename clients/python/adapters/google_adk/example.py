"""An agent of ADK with sessions and memory in Mneme: python example.py [HOST:PORT]. Its model is scripted: no key."""

from __future__ import annotations

import asyncio
import sys

from google.adk.agents import LlmAgent
from google.adk.runners import Runner
from google.genai import types
from scripted_llm import ScriptedLlm

from mneme.google_adk import MnemeMemoryService, MnemeSessionService


async def main(address: str) -> None:
    agent = LlmAgent(name="assistant", model=ScriptedLlm(turns=["Noted: you moved to Bern.", "You live in Bern."]))
    sessions, memory = MnemeSessionService(address), MnemeMemoryService(address)
    runner = Runner(app_name="example", agent=agent, session_service=sessions, memory_service=memory)
    session = await sessions.create_session(app_name="example", user_id="caroline")
    for question in ("I moved to Bern in May.", "Where do I live?"):
        message = types.Content(role="user", parts=[types.Part(text=question)])
        async for event in runner.run_async(user_id="caroline", session_id=session.id, new_message=message):
            if event.is_final_response() and event.content and event.content.parts:
                print(f"{question} -> {event.content.parts[0].text}")
    kept = await sessions.get_session(app_name="example", user_id="caroline", session_id=session.id)
    if kept is not None:
        await memory.add_session_to_memory(kept)
    found = await memory.search_memory(app_name="example", user_id="caroline", query="Which city do I live in?")
    for entry in found.memories[:1]:
        print(f"remembered: {entry.content.parts[0].text if entry.content.parts else ''}")
    await sessions.close()
    await memory.close()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else "127.0.0.1:50051"))
