"""The suite for stores, against MnemeStore and against the store that it compares with."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from langgraph.store.base import BaseStore
from langgraph.store.memory import InMemoryStore

from mneme.langgraph import MnemeStore
from mneme.langgraph.conformance import StoreConformance, validate
from mneme.testing import Server


class TestMnemeStore(StoreConformance):
    @pytest.fixture(autouse=True)
    def _of_server(self, server: Server) -> None:
        self.server = server

    @contextmanager
    def make_store(self) -> Iterator[BaseStore]:
        with MnemeStore(self.server.address, namespace=f"n-{uuid.uuid4()}") as store:
            yield store


class TestInMemoryStore(StoreConformance):
    searches_by_query = False
    keeps_emptied_namespaces = True
    checks_labels_of_operations = False

    @contextmanager
    def make_store(self) -> Iterator[BaseStore]:
        yield InMemoryStore()


class _Forgetful(InMemoryStore):
    """Loses the second of two keys of a namespace."""

    def _apply_put_ops(self, put_ops: object) -> None:
        super()._apply_put_ops(put_ops)  # type: ignore[arg-type]
        for items in self._data.values():
            while len(items) > 1:
                items.popitem()


def test_the_suite_finds_a_store_that_loses_items() -> None:
    class Tests(TestInMemoryStore):
        @contextmanager
        def make_store(self) -> Iterator[BaseStore]:
            yield _Forgetful()

    report = validate(Tests())
    assert "test_random_batches" in report.failures
    assert "seed 0" in report.failures["test_random_batches"]


def test_validate_reports_every_test_of_a_store_that_conforms() -> None:
    report = validate(TestInMemoryStore())
    assert not report.failures, str(report)
    assert str(report) == f"{len(report.passed)} passed, 0 failed"
