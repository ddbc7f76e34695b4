"""Episodes and procedures: how tasks went, and how something is done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypedDict

from ._read import id_of
from .memory import Scope

TaskOutcome = Literal["success", "failure", "partial"]
"""How a task went."""


@dataclass(frozen=True)
class RecordedEpisode:
    """An episode was stored."""

    name: str
    """Resource name of its memory."""
    id: str = field(metadata=id_of("name"))
    importance: float
    revision: int


class NewProcedure(TypedDict, total=False):
    """A procedure to be stored. `title` and `steps` are required."""

    title: str
    """What it does, such as `restart the indexer`."""
    steps: Sequence[str]
    """Steps in order, 1 to 100."""
    situation: str
    """When it applies."""
    scope: Scope | Mapping[str, str]
    """Owner of the procedure. Default: the whole namespace."""


@dataclass(frozen=True)
class Procedure:
    """How something is done."""

    name: str
    """Resource name of its memory."""
    id: str = field(metadata=id_of("name"))
    scope: Scope
    title: str
    situation: str
    steps: tuple[str, ...]
    success_count: int
    failure_count: int
    partial_count: int
    success_rate: float
    """(successes + partial successes / 2 + 1) / (outcomes + 2): 0.5 without outcomes."""
    notes: tuple[str, ...]
    """Notes of the last 20 outcomes that had one, the newest last."""
    version: int


@dataclass(frozen=True)
class RecordProcedureResult:
    """A procedure was stored."""

    procedure: Procedure
    created: bool
    """True when the procedure was not known before."""
    revision: int


@dataclass(frozen=True)
class FoundProcedure:
    """A procedure that fits a situation."""

    procedure: Procedure
    relevance: float
    """Probability that it applies, 0 to 1."""
    score: float
    """Relevance times success rate."""
