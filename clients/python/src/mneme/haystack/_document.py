"""Documents of Haystack as memories, and memories as documents."""

from __future__ import annotations

import base64
import json
import struct
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from haystack.dataclasses import ByteStream, Document, SparseEmbedding
from haystack.document_stores.errors import DocumentStoreError, DuplicateDocumentError

from .._documents import memory_id
from ..content import Content, json_text
from ..errors import AlreadyExistsError, MnemeError
from ..memory import Embedding, Memory


@contextmanager
def store_errors() -> Iterator[None]:
    """Haystack expects its own errors; the client's is their cause."""
    try:
        yield
    except AlreadyExistsError as error:
        raise DuplicateDocumentError(error.message) from error
    except MnemeError as error:
        raise DocumentStoreError(error.message) from error


def memory_of(document: Document, model: str) -> dict[str, Any]:
    """`DocumentStoreError` when the meta are not JSON."""
    content: dict[str, Any] = {"id": document.id, "meta": document.meta}
    memory: dict[str, Any] = {"id": memory_id(document.id), "content": content}
    if document.content is not None and document.content.strip():
        memory["text"] = document.content
    else:
        content["content"] = document.content
    if document.embedding is not None:
        _set_embedding(memory, content, document.embedding, model)
    if document.blob is not None:
        blob = document.blob
        data = base64.b64encode(blob.data).decode()
        content["blob"] = {"data": data, "meta": blob.meta, "mime_type": blob.mime_type}
    if document.sparse_embedding is not None:
        content["sparse_embedding"] = document.sparse_embedding.to_dict()
    if document.score is not None:
        content["score"] = document.score
    content_text(content, document.id)
    return memory


def content_text(content: dict[str, Any], id: str) -> str:
    """`DocumentStoreError` when a part of the document is not JSON, or would come back as something else."""
    with store_errors():
        text = json_text(content, f"meta of the document {id!r}")
    if json.loads(text) != content:
        raise DocumentStoreError(f"meta of the document {id!r} must be JSON: dicts with text keys, lists, no tuples")
    return text


def parts_of(memory: Memory) -> dict[str, Any]:
    """What a memory holds of a document beside text and vector."""
    found: dict[str, Any] = {} if memory.content is None else memory.content.json()
    return found


def document_of(memory: Memory, *, score: float | None = None) -> Document:
    """The document that was stored as this memory; its embedding only where the memory was read in full."""
    parts = parts_of(memory)
    blob, sparse = parts.get("blob"), parts.get("sparse_embedding")
    if blob is not None:
        blob = ByteStream(data=base64.b64decode(blob["data"]), meta=blob["meta"], mime_type=blob["mime_type"])
    return Document(
        id=parts["id"],
        content=parts.get("content") if "content" in parts else memory.text,
        meta=parts["meta"],
        blob=blob,
        embedding=_embedding(memory, parts),
        sparse_embedding=None if sparse is None else SparseEmbedding.from_dict(sparse),
        score=parts.get("score") if score is None else score,
    )


def json_content(content: dict[str, Any], id: str) -> Content:
    """The content of a memory."""
    return Content("application/json", content_text(content, id).encode())


def _set_embedding(memory: dict[str, Any], content: dict[str, Any], values: Sequence[float], model: str) -> None:
    """The server has 32-bit floats, and none without a direction: what it cannot give back is kept beside."""
    try:
        exact = struct.pack(f"<{len(values)}d", *values)
        rounded = list(struct.unpack(f"<{len(values)}f", struct.pack(f"<{len(values)}f", *values)))
    except (OverflowError, TypeError, struct.error) as error:
        raise DocumentStoreError(f"the embedding of the document {content['id']!r}: {error}") from error
    if any(rounded):
        memory["embedding"] = Embedding(list(values), model)
    if rounded != list(values) or not any(rounded):
        content["embedding"] = base64.b64encode(exact).decode()


def _embedding(memory: Memory, parts: dict[str, Any]) -> list[float] | None:
    if "embedding" in parts:
        exact = base64.b64decode(parts["embedding"])
        return list(struct.unpack(f"<{len(exact) // 8}d", exact))
    return None if memory.embedding is None else [float(each) for each in memory.embedding.values]
