"""A model of ADK that answers from a script."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from typing import Any

from google.adk.models import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.genai import types
from pydantic import Field

Turn = str | Mapping[str, Any] | Exception


class ScriptedLlm(BaseLlm):
    """Answers with a text, or with the call of a tool (`{"tool": name, "input": {…}}`), turn by turn; the last turn is
    repeated. `seen` has the contents of each call."""

    model: str = "scripted"
    turns: list[Any]
    seen: list[Any] = Field(default_factory=list)

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        contents = [each.model_dump(exclude_none=True) for each in llm_request.contents]
        instruction = llm_request.config.system_instruction
        self.seen.append((contents, instruction))
        turn = self.turns.pop(0) if len(self.turns) > 1 else self.turns[0]
        if isinstance(turn, Exception):
            raise turn
        if isinstance(turn, str):
            part = types.Part(text=turn)
        else:
            part = types.Part(function_call=types.FunctionCall(name=turn["tool"], args=turn["input"]))
        yield LlmResponse(content=types.Content(role="model", parts=[part]))
