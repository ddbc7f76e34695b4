"""A cache of LangChain for answers of models."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from langchain_core.caches import RETURN_VAL_TYPE, BaseCache
from langchain_core.load import dumps, loads
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    ChatMessage,
    ChatMessageChunk,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, Generation, GenerationChunk

from .._known import strict
from ..client import Mneme
from ._byte_store import MnemeByteStore

_TIMEOUT_MS = 5_000
#: Whoever can write to the namespace can make a reader construct these classes and no others.
_CLASSES = (
    *(Generation, GenerationChunk, ChatGeneration, ChatGenerationChunk, AIMessage, AIMessageChunk),
    *(ChatMessage, ChatMessageChunk, HumanMessage, SystemMessage, ToolMessage),
)
_log = logging.getLogger("mneme.langchain")


class MnemeCache(BaseCache):
    """Answers of models by prompt and model, in a namespace that it may share with others.

    A cache that fails never fails the model: the answer is then not found, or not kept, and a warning is logged.
    `clear` raises. An answer of more than 1 MiB is not kept.
    """

    @strict
    def __init__(
        self, client: Mneme, *, name: str = "llm-cache", ttl: timedelta | None = None, timeout_ms: float = _TIMEOUT_MS
    ) -> None:
        """`name`: caches of different names know nothing of one another. `ttl`: how long an answer is kept (default:
        for ever). `timeout_ms`: longest time that a model waits for the cache."""
        self._store = MnemeByteStore(client, name=name, ttl=ttl, timeout_ms=timeout_ms)

    def lookup(self, prompt: str, llm_string: str) -> RETURN_VAL_TYPE | None:
        """The answer that was kept, or None."""
        try:
            return _answer(self._store.mget([_key(prompt, llm_string)]))
        except Exception as error:  # Of the server, or of what LangChain cannot write or read.
            _log.warning("the cache cannot be read: %s", error)
            return None

    async def alookup(self, prompt: str, llm_string: str) -> RETURN_VAL_TYPE | None:
        """As `lookup`."""
        try:
            return _answer(await self._store.amget([_key(prompt, llm_string)]))
        except Exception as error:  # Of the server, or of what LangChain cannot write or read.
            _log.warning("the cache cannot be read: %s", error)
            return None

    def update(self, prompt: str, llm_string: str, return_val: RETURN_VAL_TYPE) -> None:
        """Keeps an answer."""
        try:
            self._store.mset([(_key(prompt, llm_string), dumps(list(return_val)).encode())])
        except Exception as error:  # Of the server, or of what LangChain cannot write or read.
            _log.warning("an answer was not cached: %s", error)

    async def aupdate(self, prompt: str, llm_string: str, return_val: RETURN_VAL_TYPE) -> None:
        """As `update`."""
        try:
            await self._store.amset([(_key(prompt, llm_string), dumps(list(return_val)).encode())])
        except Exception as error:  # Of the server, or of what LangChain cannot write or read.
            _log.warning("an answer was not cached: %s", error)

    def clear(self, **kwargs: Any) -> None:
        """Forgets all answers."""
        self._store.clear()

    async def aclear(self, **kwargs: Any) -> None:
        """As `clear`."""
        await self._store.aclear()


def _key(prompt: str, llm_string: str) -> str:
    """Both with their lengths, so that no two pairs are one text."""
    pair = f"{len(prompt)}:{prompt}{llm_string}".encode("utf-8", "surrogatepass")
    return hashlib.sha256(pair).hexdigest()


def _answer(found: Sequence[bytes | None]) -> RETURN_VAL_TYPE | None:
    if found[0] is None:
        return None
    answer = loads(found[0].decode(), allowed_objects=_CLASSES)
    if not isinstance(answer, list) or not all(isinstance(each, Generation) for each in answer):
        raise ValueError("what is kept is not an answer of a model")
    return answer
