"""Documents for a prompt."""

from __future__ import annotations

from collections.abc import Iterable

from haystack.dataclasses import Document

from .._quoting import provenance, xml_memory


def quoted_documents(documents: Iterable[Document]) -> str:
    """Contents of documents as quoted data for a prompt. No content can end its entry, imitate a role or hold
    instructions that look like those of the program. Texts at the keys `_speaker`, `_trust` and `_time` of the meta,
    which only the program sets, are shown as speaker, trust and day. Documents without a content are left out."""
    return xml_memory((each.content, provenance(each.meta)) for each in documents if each.content)
