"""Memories, vectors and queries of `make bench BENCH=against`, as test/bench/parts/against-data.ts writes them."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import numpy

DIMENSION = 384
BATCH = 100
LIMIT = 10
MODEL = "bench-384"
"""Name of the model of the vectors; systems without models ignore it."""

Vector = Any
"""A row of a matrix of numpy."""


@dataclass(frozen=True, slots=True)
class Memory:
    """A memory with values for filters; `content` is JSON."""

    id: str
    agent: str
    session: str
    type: str
    step: int
    event_s: int
    importance: float
    tags: list[str]
    text: str
    content: str


@dataclass(frozen=True, slots=True)
class Steps:
    """Memories of a type within a range of steps."""

    type: str
    first: int
    end: int

    def selects(self, memory: Memory) -> bool:
        return memory.type == self.type and self.first <= memory.step < self.end


@dataclass(frozen=True, slots=True)
class Zone:
    """Memories whose content has this value under the key `zone`."""

    zone: str

    def selects(self, memory: Memory) -> bool:
        return bool(json.loads(memory.content)["zone"] == self.zone)


Narrowing = Steps | Zone | None
"""Filter of a query. None: all memories."""


class Data:
    """Files of a folder: the first `count` memories are stored before the measurement, the others by it."""

    def __init__(self, folder: Path) -> None:
        plan = json.loads((folder / "plan.json").read_text())
        self.count: int = plan["count"]
        self.steps = [Steps(**each) for each in plan["steps"]]
        self.zones = [Zone(**each) for each in plan["zones"]]
        with (folder / "memories.jsonl").open() as lines:
            self.memories = [Memory(**json.loads(line)) for line in lines]
        self.vectors = numpy.fromfile(folder / "vectors.f32", dtype="<f4").reshape(-1, DIMENSION)
        self._lengths = numpy.linalg.norm(self.vectors[: self.count], axis=1)
        self._masks: dict[Narrowing, list[bool]] = {}
        self.queries = numpy.fromfile(folder / "queries.f32", dtype="<f4").reshape(-1, DIMENSION)

    def memory(self, at: int) -> Memory:
        """The memory to add at a place. After the last one, memories behind the first `count` repeat by other ids."""
        place = self._place(at)
        return self.memories[at] if place == at else replace(self.memories[place], id=f"added-{at}")

    def vector(self, at: int) -> Vector:
        return self.vectors[self._place(at)]

    def _place(self, at: int) -> int:
        return at if at < self.count else self.count + (at - self.count) % (len(self.memories) - self.count)

    def narrowing(self, kind: str, at: int) -> Narrowing:
        """The filter of query `at`; it differs between queries, so that no system keeps its answer."""
        match kind:
            case "steps":
                return self.steps[at % len(self.steps)]
            case "zones":
                return self.zones[at % len(self.zones)]
            case _:
                return None

    def nearest(self, at: int, narrowing: Narrowing) -> list[str]:
        """Ids of the memories that are nearest to query `at`, by comparing it with each of them."""
        cosines = self.vectors[: self.count] @ self.queries[at] / self._lengths
        if narrowing is not None:
            cosines = numpy.where(self._mask(narrowing), cosines, -2)
        return [self.memories[i].id for i in numpy.argsort(-cosines)[:LIMIT] if cosines[i] > -2]

    def _mask(self, narrowing: Steps | Zone) -> list[bool]:
        """True for each stored memory that the filter selects."""
        if narrowing not in self._masks:
            self._masks[narrowing] = [narrowing.selects(memory) for memory in self.memories[: self.count]]
        return self._masks[narrowing]


class Session(Protocol):
    """One caller of a system. Memories and queries are named by their place in the data."""

    def add(self, at: int) -> None: ...
    def add_batch(self, first: int) -> None: ...
    def query(self, at: int, narrowing: Narrowing, by_vector_alone: bool = False) -> list[str]:
        """Ids of the hits, best first; the text of each hit is read too. By default other values may count as well."""
        ...

    def get(self, at: int) -> str: ...


class System(Protocol):
    """A store that is measured."""

    def session(self) -> Session: ...
    def prepare(self) -> None:
        """Creates what the store needs before the first memory."""
        ...

    def finish(self) -> None:
        """Creates what is best created after the first memories, such as indexes."""
        ...

    def is_serving(self) -> bool:
        """True when a session can be opened."""
        ...
