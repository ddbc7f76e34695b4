"""What a suite needs of the store that it tests."""

from __future__ import annotations

import asyncio
from contextlib import AbstractContextManager
from typing import Any

from langgraph.store.base import BaseStore, Item, Op, Result

Namespace = tuple[str, ...]


class StoreTests:
    """Base of the tests. A subclass has `make_store` and says by the flags what its store can do."""

    searches_by_query: bool = True
    """The store ranks by the `query` of a search. False: it ignores it."""
    keeps_emptied_namespaces: bool = False
    """`list_namespaces` lists namespaces without items, as `InMemoryStore` does."""

    checks_labels_of_operations: bool = True
    """`batch` refuses labels outside of the contract, as the methods do. `InMemoryStore` does not check them."""

    def make_store(self) -> AbstractContextManager[BaseStore]:
        """A new store without items, closed at the end of the test."""
        raise NotImplementedError


def run_batch(store: BaseStore, ops: list[Op], *, is_async: bool) -> list[Result]:
    """The results of a batch, by either of the two methods."""
    return asyncio.run(store.abatch(ops)) if is_async else store.batch(ops)


def outline(items: Any) -> list[tuple[Namespace, str, dict[str, Any]]]:
    """The items of an answer without their times, in their order."""
    return [(item.namespace, item.key, item.value) for item in items]


def value_at(store: BaseStore, namespace: Namespace, key: str) -> dict[str, Any] | None:
    """The value of an item, None where there is none."""
    found: Item | None = store.get(namespace, key)
    return None if found is None else found.value


def same(actual: object, expected: object, about: str = "") -> None:
    """Fails with both values unless they are equal."""
    assert actual == expected, f"{about + ': ' if about else ''}expected {expected!r}, got {actual!r}"


def raises(kind: type[BaseException], work: Any, about: str) -> None:
    """Fails unless the work raises an error of the kind."""
    try:
        work()
    except kind:
        return
    raise AssertionError(f"{about}: expected {kind.__name__}, no error was raised")
