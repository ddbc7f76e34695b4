"""Remembered text as quoted data, as the server writes contexts (`src/memory/context/escape.ts`): it cannot end its
entry, open another one, imitate a role or a fence of code, or hold characters that are not seen."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any

_LINE_ENDS = re.compile("\r\n|[\r\v\f\x85\u2028\u2029]")
#: Characters that are not seen, beside those of the categories of formats, surrogates and controls.
_UNSEEN = re.compile("[\u115f\u1160\u2800\u3164\uffa0\u034f\u17b4\u17b5\u180b-\u180d\u180f\U000e0100-\U000e01ef]")
_ANGLES = str.maketrans({"\uff1c": "<", "\ufe64": "<", "\uff1e": ">", "\ufe65": ">"})
# Each pattern takes time in proportion to the text, whatever the text is.
#: Word of a role with the colon that makes it one, at the beginning of a line.
_ROLE = re.compile(
    r"^((?:[>*_#|-]|[^\S\n])*(?:system|user|assistant|human|ai|bot|tool|function|developer|model|instructions?)[\s*_]*)([:\uff1a])",
    re.IGNORECASE | re.MULTILINE,
)
_FENCE = re.compile("`{3,}|~{3,}")
_TURN_WORD = "(?:inst|sys|system|system_prompt|user|assistant|available_tools)"
#: Marks of turns in the templates of chat models: `[INST]`, `[/INST]`, `[TOOL_CALLS]`.
_TURN = re.compile(
    rf"\[(?=\s*(?:/\s*)?(?:[a-z_]+\s+(?:{_TURN_WORD}|tool\w*)|[a-z_]*{_TURN_WORD}|(?:(?!tool)[a-z_])*tool\w*)\s*\])",
    re.IGNORECASE,
)
#: Headings, by which instructions are set off: `### Instruction`.
_HEADING = re.compile(r"^((?:>|[^\S\n])*)#(?=#*\s*\S)", re.MULTILINE)
_ATTRIBUTE_LENGTH = 64


def xml_memory(entries: Iterable[tuple[str, Mapping[str, str]]]) -> str:
    """Texts with their attributes as the entries of one block; empty without entries."""
    written = [xml_entry(text, attributes) for text, attributes in entries]
    return "\n".join(["<memory>", *written, "</memory>"]) if written else ""


def provenance(metadata: Mapping[str, Any]) -> dict[str, str]:
    """Attributes of an entry: speaker, trust and day by the keys `_speaker`, `_trust` and `_time` of metadata."""
    found = {name: str(metadata.get(f"_{name}") or "") for name in ("speaker", "trust", "time")}
    return {**found, "time": found["time"][:10]}


def xml_entry(text: str, attributes: Mapping[str, str]) -> str:
    """An entry of a context; attributes without a value are left out."""
    written = "".join(f' {name}="{xml_attribute(value)}"' for name, value in attributes.items() if value)
    return f"<entry{written}>{xml_text(text)}</entry>"


def xml_text(text: str) -> str:
    """Text of an XML element."""
    marked = _seen(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    marked = _ROLE.sub(lambda found: found[1] + _entity(found[2]), marked)
    marked = _FENCE.sub(lambda found: _entity(found[0][0]) * len(found[0]), marked)
    marked = _TURN.sub(lambda found: _entity("["), marked)
    return _HEADING.sub(lambda found: found[1] + _entity("#"), marked)


def xml_attribute(text: str) -> str:
    """Value of an XML attribute: one line of at most 64 characters."""
    line = re.sub(r"\s+", " ", _seen(text))
    short = line if len(line) <= _ATTRIBUTE_LENGTH else f"{line[: _ATTRIBUTE_LENGTH - 1]}…"
    return xml_text(short).replace('"', "&quot;").replace("'", "&#39;")


def _seen(text: str) -> str:
    lines = _LINE_ENDS.sub("\n", text)

    def kept(each: str) -> bool:
        return each in "\n\t" or unicodedata.category(each) not in ("Cf", "Cs", "Cc")

    return _UNSEEN.sub("", "".join(filter(kept, lines))).translate(_ANGLES).strip()


def _entity(character: str) -> str:
    return f"&#{ord(character)};"
