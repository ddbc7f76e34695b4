"""A model of the OpenAI Agents SDK that answers from a script."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from typing import Any

from agents import Model, ModelResponse, Usage
from agents.items import TResponseOutputItem, TResponseStreamEvent
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

Turn = str | Mapping[str, Any] | Exception


class ScriptedModel(Model):
    """Answers with a text, or with the call of a tool (`{"tool": name, "input": {…}}`), turn by turn; the last turn is
    repeated. `seen` has the input of each call."""

    def __init__(self, *turns: Turn) -> None:
        self.turns = list(turns or ("ok",))
        self.seen: list[Any] = []

    async def get_response(
        self, system_instructions: str | None, input: Any, *args: Any, **kwargs: Any
    ) -> ModelResponse:
        self.seen.append(input if isinstance(input, str) else list(input))
        turn = self.turns.pop(0) if len(self.turns) > 1 else self.turns[0]
        if isinstance(turn, Exception):
            raise turn
        place = len(self.seen)
        output: TResponseOutputItem
        if isinstance(turn, str):
            text = ResponseOutputText(annotations=[], text=turn, type="output_text")
            output = ResponseOutputMessage(
                id=f"m{place}", content=[text], role="assistant", status="completed", type="message"
            )
        else:
            output = ResponseFunctionToolCall(
                call_id=f"call{place}", name=turn["tool"], arguments=json.dumps(turn["input"]), type="function_call"
            )
        return ModelResponse(output=[output], usage=Usage(), response_id=None)

    def stream_response(self, *args: Any, **kwargs: Any) -> AsyncIterator[TResponseStreamEvent]:
        raise NotImplementedError
