"""Facts: what is known of subjects, over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, TypedDict

from ._read import id_of, unspecified
from .memory import Scope

TrustLevel = Literal["untrusted", "tool", "assistant", "user", "explicit", "other"]
"""Trust in the source of a memory, from the least to the most. `other`: a level that this version of the client does
not know."""

AssertOutcome = Literal["created", "reinforced", "retracted", "ignored", "other"]
"""Effect of an assertion. `ignored`: nothing changed."""


class NewFact(TypedDict, total=False):
    """A fact to be asserted. `subject` and `attribute` are required, `value` too unless the fact is retracted."""

    subject: str
    """Subject of the fact, such as `user`, for the user, or a name. 1 to 256 bytes."""
    attribute: str
    """Attribute of the subject, such as `home_city` or `likes`. 1 to 128 bytes."""
    value: str
    """1 to 4,096 bytes."""
    scope: Scope | Mapping[str, str]
    """Owner of the fact. Facts of different scopes do not supersede each other. Default: the whole namespace."""
    text: str
    """A sentence that states the fact. Default: made of subject, attribute and value."""
    confidence: float
    """0 to 1. Default 1."""
    sources: Sequence[str]
    """Names of messages or memories, or URIs of documents, that state the fact; at most 64."""
    valid_from: datetime
    """Instant from which the fact holds. Default: now."""
    valid_until: datetime
    """Instant from which the fact no longer holds. Default: not known."""


@dataclass(frozen=True)
class Fact:
    """A fact that is stored."""

    name: str
    """Resource name of its memory."""
    id: str = field(metadata=id_of("name"))
    """Id of its memory."""
    scope: Scope
    subject: str
    attribute: str
    """In lower case, with words joined by `_`."""
    value: str
    text: str
    confidence: float = field(metadata=unspecified(1.0))
    """With decay since the fact was last asserted."""
    reinforcement_count: int
    """Number of times that the fact was repeated by other sources."""
    sources: tuple[str, ...]
    trust: TrustLevel = field(metadata=unspecified("untrusted"))
    valid_from: datetime
    valid_until: datetime | None
    """None while no end is known."""
    superseded_by: str | None = field(metadata=id_of("superseded_by"))
    """Id of the memory of the fact that superseded it."""
    record_time: datetime
    """When the server learned of the fact."""
    assert_time: datetime
    """When the fact was last asserted."""
    version: int


@dataclass(frozen=True)
class AssertFactResult:
    """Effect of an assertion."""

    fact: Fact | None
    """The fact as it is known now; of a retraction, the first fact that it ended. None when there is none."""
    outcome: AssertOutcome = field(metadata=unspecified("other"))
    superseded_ids: tuple[str, ...] = field(metadata=id_of("superseded"))
    """Ids of the memories of facts that the assertion ended."""
    revision: int


@dataclass(frozen=True)
class FactState:
    """The recorded state of a fact from an instant on."""

    record_time: datetime
    valid_from: datetime
    valid_until: datetime | None
    superseded_by: str | None = field(metadata=id_of("superseded_by"))
    """Id of the memory of the fact that superseded it."""


@dataclass(frozen=True)
class FactRecord:
    """A fact with its recorded states."""

    fact: Fact
    states: tuple[FactState, ...]
    """When it was known to hold, oldest first: the first state and the 31 most recent ones."""
    withdrawn: bool
    """True when `undo_supersession` took the fact back."""


@dataclass(frozen=True)
class FactHistory:
    """Every fact that one attribute of one subject had."""

    facts: tuple[FactRecord, ...]
    """By `valid_from`, at most 1,000."""
    forgotten_count: int
    """Number of facts that were forgotten."""
    single_valued: bool
    """True when the attribute has one value at a time."""


@dataclass(frozen=True)
class UndoSupersessionResult:
    """A fact holds again."""

    fact: Fact
    withdrawn_id: str | None = field(metadata=id_of("withdrawn"))
    """Id of the memory of the fact that was taken back."""
    revision: int


@dataclass(frozen=True)
class ForgetFactsResult:
    """Facts were erased."""

    forgotten_count: int
    ids: tuple[str, ...] = field(metadata=id_of("names"))
    """Ids of the memories of the first 1,000 facts."""
    revision: int
