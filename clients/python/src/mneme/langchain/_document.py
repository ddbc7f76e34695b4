"""Documents of LangChain as memories, and memories as documents."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from langchain_core.documents import Document

from .._documents import memory_id
from ..content import json_text
from ..errors import InvalidArgumentError
from ..memory import Embedding, Memory


@contextmanager
def refused_as_value_errors() -> Iterator[None]:
    """LangChain expects `ValueError` for arguments that cannot be accepted."""
    try:
        yield
    except InvalidArgumentError as error:
        raise ValueError(error.message) from error


def memory_of(document: Document, id: str, vector: Sequence[float] | None, model: str) -> dict[str, Any]:
    """`ValueError` when the metadata are not JSON."""
    content: dict[str, Any] = {"id": id, "metadata": document.metadata}
    memory: dict[str, Any] = {"id": memory_id(id), "content": content}
    if document.page_content.strip():
        memory["text"] = document.page_content
    else:
        content["page_content"] = document.page_content
    if vector is not None:
        memory["embedding"] = Embedding(list(vector), model)
    with refused_as_value_errors():
        if json.loads(json_text(document.metadata, f"metadata of the document {id!r}")) != document.metadata:
            raise ValueError(f"metadata of the document {id!r} must be JSON: dicts with text keys, lists, no tuples")
    return memory


def document_of(memory: Memory) -> Document:
    """The document that was stored as this memory."""
    content = memory.content.json() if memory.content is not None else {}
    text = content.get("page_content", memory.text)
    return Document(id=content["id"], page_content=text, metadata=content["metadata"])


def memory_as_document(memory: Memory, **metadata: Any) -> Document:
    """Any memory as a document: its metadata are keys of its JSON content, and properties with `_` in front."""
    found: dict[str, Any] = {}
    id, text = memory.id, memory.text
    if memory.content is not None and memory.content.media_type == "application/json":
        content = memory.content.json()
        if memory.type == "document" and isinstance(content, dict) and isinstance(content.get("metadata"), dict):
            id, text = content.get("id", id), content.get("page_content", text)
            content = content["metadata"]
        if isinstance(content, dict):
            found.update(content)
    found.update(_id=memory.id, _type=memory.type, _time=memory.event_time.isoformat(), **metadata)
    found.pop("_speaker", None)  # A content cannot name a speaker of its memory.
    if memory.source.speaker:
        found["_speaker"] = memory.source.speaker
    return Document(id=id, page_content=text, metadata=found)
