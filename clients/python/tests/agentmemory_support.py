"""Where the documents and data of the Agent Memory API are, beside a checkout: read there, never copied."""

from __future__ import annotations

from pathlib import Path

import pytest

_PLACES = [folder / "shared" for folder in Path(__file__).resolve().parents]
SHARED = next((place for place in _PLACES if (place / "reference/agent-memory-api-document.md").exists()), None)

needs_shared = pytest.mark.skipif(SHARED is None, reason="the folder shared is not beside the checkout")


def shared(path: str) -> Path:
    """A file of the folder."""
    assert SHARED is not None
    return SHARED / path
