"""A suite for stores of LangGraph: what every `BaseStore` has to do, and random operations compared with
`InMemoryStore`. It needs nothing but LangGraph, and runs with pytest or without.

```python
from contextlib import contextmanager
from mneme.langgraph.conformance import StoreConformance

class TestMyStore(StoreConformance):          # for pytest
    @contextmanager
    def make_store(self):
        yield MyStore()

report = validate(TestMyStore())              # without pytest
assert not report.failures, report
```
"""

from __future__ import annotations

import traceback
from dataclasses import dataclass, field

from ._base import StoreTests
from ._differential import DifferentialTests
from ._items import BatchTests, ItemTests
from ._searching import NamespaceTests, QueryTests, SearchTests

__all__ = ["Report", "StoreConformance", "validate"]


class StoreConformance(ItemTests, BatchTests, SearchTests, QueryTests, NamespaceTests, DifferentialTests):
    """All tests. Subclass it with `make_store`, and set the flags that differ from those of `StoreTests`."""


@dataclass
class Report:
    """The outcome of a run."""

    passed: list[str] = field(default_factory=list)
    failures: dict[str, str] = field(default_factory=dict)
    """Name of each test that failed, and its traceback."""

    def __str__(self) -> str:
        return "\n".join([f"{len(self.passed)} passed, {len(self.failures)} failed", *self.failures.values()])


def validate(tests: StoreTests) -> Report:
    """Runs every test."""
    report = Report()
    for name in (each for each in dir(tests) if each.startswith("test_")):
        try:
            getattr(tests, name)()
            report.passed.append(name)
        except Exception:
            report.failures[name] = f"{name}\n{traceback.format_exc()}"
    return report
