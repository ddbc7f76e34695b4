"""Tests of single items and of batches."""

from __future__ import annotations

from typing import Any

from langgraph.store.base import GetOp, InvalidNamespaceError, ListNamespacesOp, PutOp, SearchOp

from ._base import StoreTests, outline, raises, run_batch, same, value_at

_VALUES: list[dict[str, Any]] = [
    {},
    {"text": "Grüße 你好 👋", "empty": "", "quote": "\"'\\"},
    {"int": 7, "big": 2**53 + 1, "negative": -3, "float": 0.1, "true": True, "false": False, "null": None},
    {"list": [1, "two", [3, {"four": 4}], None], "object": {"a.b": {"": "empty key"}}},
    {"position": [12, 22], "latitude": 95.5, "text": "x" * 70_000},
]


class ItemTests(StoreTests):
    """Items by their keys."""

    def test_a_value_comes_back_as_it_was_put(self) -> None:
        with self.make_store() as store:
            for place, value in enumerate(_VALUES):
                store.put(("values",), f"v{place}", value)
            for place, value in enumerate(_VALUES):
                same(value_at(store, ("values",), f"v{place}"), value)

    def test_keys_and_labels_may_be_any_text(self) -> None:
        keys = ["", " ", "a.b", "..", ".", "a/b", "a%2fb", "%", "key\nline", "ключ", "🔑", "*", "x" * 200]
        namespaces = [("a",), ("a", "b"), ("a b", "*"), ("Straße", "数"), ("a/b:c",), ("%2e", "-")]
        with self.make_store() as store:
            for namespace in namespaces:
                for key in keys:
                    store.put(namespace, key, {"at": [*namespace, key]})
            for namespace in namespaces:
                for key in keys:
                    same(value_at(store, namespace, key), {"at": [*namespace, key]}, f"{namespace} {key!r}")
                found = store.search(namespace, limit=1_000)
                own = sorted(item.key for item in found if item.namespace == namespace)
                same(own, sorted(keys), f"keys of {namespace}")

    def test_a_put_replaces_the_whole_value(self) -> None:
        with self.make_store() as store:
            store.put(("a",), "k", {"one": 1, "two": 2})
            store.put(("a",), "k", {"two": 3})
            same(value_at(store, ("a",), "k"), {"two": 3})
            same(len(store.search(("a",))), 1)

    def test_times_have_zones_and_are_in_order(self) -> None:
        with self.make_store() as store:
            store.put(("a",), "k", {"n": 1})
            first = store.get(("a",), "k")
            store.put(("a",), "k", {"n": 2})
            second = store.get(("a",), "k")
            assert first is not None and second is not None
            for item in (first, second):
                assert item.created_at.tzinfo is not None and item.updated_at.tzinfo is not None, "times have no zone"
                assert item.created_at <= item.updated_at, "an item was updated before it was created"
            assert first.updated_at <= second.updated_at, "updated_at went back"

    def test_a_delete_removes_one_item(self) -> None:
        with self.make_store() as store:
            store.put(("a",), "k", {"n": 1})
            store.put(("a", "b"), "k", {"n": 2})
            store.delete(("a",), "k")
            store.delete(("a",), "k")
            store.delete(("nowhere",), "k")
            same(value_at(store, ("a",), "k"), None)
            same(value_at(store, ("a", "b"), "k"), {"n": 2})
            store.put(("a",), "k", {"n": 3})
            same(value_at(store, ("a",), "k"), {"n": 3})

    def test_a_missing_item_is_none(self) -> None:
        with self.make_store() as store:
            same(store.get(("a",), "k"), None)
            same(store.search(("a",)), [])
            store.put(("a", "b"), "k", {})
            same(store.get(("a",), "k"), None)
            same(store.get(("a", "b", "c"), "k"), None)

    def test_namespaces_outside_of_the_contract_are_refused(self) -> None:
        bad: list[Any] = [("a.b",), ("",), ("a", ""), ("a", 1), ("a\x00b",)]
        with self.make_store() as store:
            for namespace in [*bad, (), ("langgraph", "a")]:
                raises(InvalidNamespaceError, lambda: store.put(namespace, "k", {}), f"put {namespace!r}")  # noqa: B023
            for namespace in bad:
                raises(InvalidNamespaceError, lambda: store.get(namespace, "k"), f"get {namespace!r}")  # noqa: B023
                raises(InvalidNamespaceError, lambda: store.search(namespace), f"search {namespace!r}")  # noqa: B023
            same(store.search(()), [], "refused puts left something")

    def test_a_time_to_live_is_accepted_or_refused(self) -> None:
        with self.make_store() as store:
            if not store.supports_ttl:
                raises(NotImplementedError, lambda: store.put(("a",), "k", {}, ttl=5), "ttl")
                return
            store.put(("a",), "k", {"n": 1}, ttl=5)
            same(value_at(store, ("a",), "k"), {"n": 1})
            found = store.get(("a",), "k", refresh_ttl=False)
            assert found is not None, "an item expired early"
            same(outline(store.search(("a",), refresh_ttl=True)), [(("a",), "k", {"n": 1})])
            store.put(("a",), "k", {"n": 2}, ttl=None)
            same(value_at(store, ("a",), "k"), {"n": 2})


class BatchTests(StoreTests):
    """Batches of operations, by `batch` and by `abatch`."""

    def _batch(self, is_async: bool) -> None:
        with self.make_store() as store:
            store.put(("a",), "old", {"n": 0})
            results = run_batch(
                store,
                [
                    PutOp(("a",), "new", {"n": 1}),
                    GetOp(("a",), "old"),
                    SearchOp(("a",)),
                    GetOp(("a",), "new"),
                    ListNamespacesOp(),
                    PutOp(("a",), "old", None),
                    GetOp(("a",), "old"),
                    PutOp(("b",), "k", {"n": 2}),
                ],
                is_async=is_async,
            )
            same(len(results), 8)
            same([results[place] for place in (0, 3, 5, 7)], [None] * 4, "results of puts, and of a get before its put")
            same(outline([results[1], results[6]]), [(("a",), "old", {"n": 0})] * 2, "gets before the delete")
            same(outline(results[2]), [(("a",), "old", {"n": 0})])
            same(results[4], [("a",)])
            same(value_at(store, ("a",), "old"), None)
            same(value_at(store, ("a",), "new"), {"n": 1})
            same(value_at(store, ("b",), "k"), {"n": 2})

    def test_results_are_in_order_and_reads_see_the_state_before(self) -> None:
        self._batch(is_async=False)

    def test_the_same_of_an_async_batch(self) -> None:
        self._batch(is_async=True)

    def test_the_last_put_of_a_key_counts(self) -> None:
        for is_async in (False, True):
            with self.make_store() as store:
                puts: list[Any] = [PutOp(("a",), "k", {"n": n}) for n in range(5)]
                puts += [PutOp(("a",), "gone", {"n": 1}), PutOp(("a",), "gone", None)]
                puts += [PutOp(("a",), "back", None), PutOp(("a",), "back", {"n": 9})]
                same(run_batch(store, puts, is_async=is_async), [None] * len(puts))
                same(sorted(outline(store.search(("a",)))), [(("a",), "back", {"n": 9}), (("a",), "k", {"n": 4})])

    def test_large_and_empty_batches(self) -> None:
        with self.make_store() as store:
            same(store.batch([]), [])
            store.batch([PutOp(("many",), str(n), {"n": n}) for n in range(1_100)])
            results = store.batch([GetOp(("many",), str(n)) for n in range(1_100)])
            same([item.value["n"] for item in results], list(range(1_100)))  # type: ignore[union-attr]
            same(len(store.search(("many",), limit=2_000)), 1_100)

    def test_an_unknown_operation_is_refused(self) -> None:
        with self.make_store() as store:
            unknown: Any = ("put", "k")
            raises(ValueError, lambda: store.batch([PutOp(("a",), "k", {}), unknown]), "unknown operation")

    def test_labels_of_operations_are_checked(self) -> None:
        with self.make_store() as store:
            if not self.checks_labels_of_operations:
                return
            for op in (GetOp(("a.b",), "k"), PutOp(("a.b",), "k", {}), SearchOp(("a.b",))):
                raises(InvalidNamespaceError, lambda: store.batch([op]), repr(op))  # noqa: B023
