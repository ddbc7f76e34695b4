"""Tests of searches and of lists of namespaces."""

from __future__ import annotations

from typing import Any

from langgraph.store.base import BaseStore, SearchItem

from ._base import StoreTests, raises, same

_FILTERS: list[tuple[dict[str, Any], set[str]]] = [
    ({}, {"a", "b", "c", "d"}),
    ({"kind": "fruit"}, {"a", "b"}),
    ({"kind": {"$eq": "fruit"}}, {"a", "b"}),
    ({"kind": {"$ne": "fruit"}}, {"c", "d"}),
    ({"n": {"$gt": 2}}, {"c", "d"}),
    ({"n": {"$gte": 2}}, {"b", "c", "d"}),
    ({"n": {"$lt": 2}}, {"a"}),
    ({"n": {"$lte": 2}}, {"a", "b"}),
    ({"n": {"$gt": 1, "$lt": 3.5}}, {"b", "c"}),
    ({"n": {"$gt": 1}, "kind": "fruit"}, {"b"}),
    ({"n": 2}, {"b"}),
    ({"n": 2.0}, {"b"}),
    ({"n": "2"}, set()),
    ({"ripe": True}, {"a"}),
    ({"ripe": False}, {"b"}),
    ({"ripe": None}, {"c", "d"}),
    ({"ripe": {"$ne": True}}, {"b", "c", "d"}),
    ({"tags": ["red", "sweet"]}, {"a"}),
    ({"tags": ["sweet", "red"]}, set()),
    ({"tags": "red"}, set()),
    ({"tags": {"$ne": "red"}}, {"a", "b", "c", "d"}),
    ({"tags": []}, {"b"}),
    ({"at": {"room": "cellar"}}, {"c"}),
    ({"at": {"shelf": {"$eq": 3}}}, {"c"}),
    ({"at": {"room": "cellar", "shelf": 4}}, set()),
    ({"at": {"$eq": {"room": "cellar", "shelf": 3}}}, {"c"}),
    ({"at": {"room": {"$ne": "cellar"}}}, {"d"}),
    ({"a.b\\c": "dotted"}, {"d"}),
    ({"missing": "x"}, set()),
    ({"missing": {"$ne": "x"}}, {"a", "b", "c", "d"}),
]


class SearchTests(StoreTests):
    """Searches by namespace and filter."""

    def test_filters(self) -> None:
        with self.make_store() as store:
            store.put(("f",), "a", {"kind": "fruit", "n": 1, "ripe": True, "tags": ["red", "sweet"]})
            store.put(("f",), "b", {"kind": "fruit", "n": 2, "ripe": False, "tags": []})
            store.put(("f", "x"), "c", {"kind": "tool", "n": 3, "at": {"room": "cellar", "shelf": 3}})
            store.put(("f", "x"), "d", {"n": 4.5, "at": {"room": "hall"}, "ripe": None, "a.b\\c": "dotted"})
            store.put(("g",), "other", {"kind": "fruit", "n": 2, "ripe": True})
            for wanted, keys in _FILTERS:
                same({item.key for item in store.search(("f",), filter=wanted)}, keys, repr(wanted))

    def test_an_unknown_operator_is_refused(self) -> None:
        with self.make_store() as store:
            store.put(("f",), "a", {"n": 1})
            raises(ValueError, lambda: store.search(("f",), filter={"n": {"$near": 1}}), "$near")

    def test_a_prefix_is_of_whole_labels(self) -> None:
        with self.make_store() as store:
            for namespace in (("a",), ("ab",), ("a", "b"), ("a", "b", "c"), ("b", "a")):
                store.put(namespace, "k", {})
            found = {item.namespace for item in store.search(("a",))}
            same(found, {("a",), ("a", "b"), ("a", "b", "c")})
            same(len(store.search(())), 5)
            same({item.namespace for item in store.search(("a", "b"))}, {("a", "b"), ("a", "b", "c")})

    def test_pages_have_each_item_once(self) -> None:
        with self.make_store() as store:
            for n in range(25):
                store.put(("p", str(n % 3)), f"k{n}", {"n": n, "even": n % 2 == 0})
            for wanted, total in ((None, 25), ({"even": True}, 13), ({"n": {"$gte": 20}}, 5)):
                pages = [store.search(("p",), filter=wanted, limit=4, offset=offset) for offset in range(0, 28, 4)]
                keys = [item.key for page in pages for item in page]
                same(len(keys), total, f"items of all pages with {wanted}")
                same(len(set(keys)), total, f"different items of all pages with {wanted}")
                same([len(page) for page in pages], [min(4, max(0, total - start)) for start in range(0, 28, 4)])
            same(len(store.search(("p",))), 10, "default limit")

    def test_items_of_a_search_have_their_parts(self) -> None:
        with self.make_store() as store:
            store.put(("p",), "k", {"n": 1})
            found = store.search(("p",))[0]
            assert isinstance(found, SearchItem), f"expected a SearchItem, got {type(found)}"
            same((found.namespace, found.key, found.value, found.score), (("p",), "k", {"n": 1}, None))


class QueryTests(StoreTests):
    """Searches by text. A store that ranks nothing has to ignore the text."""

    def _fill(self, store: BaseStore) -> None:
        store.put(("q",), "tea", {"text": "Ada drinks green tea without milk", "n": 1})
        store.put(("q",), "cello", {"text": "Caroline has played the cello since she was nine", "n": 2})
        store.put(("q", "x"), "train", {"text": "the night train to Vienna leaves at ten", "n": 3})
        store.put(("z",), "tea", {"text": "green tea of another user", "n": 4})

    def test_the_best_answer_is_first(self) -> None:
        with self.make_store() as store:
            self._fill(store)
            if not self.searches_by_query:
                same(len(store.search(("q",), query="cello")), 3, "without a ranking the query is ignored")
                return
            for query, key in (("green tea", "tea"), ("cello", "cello"), ("night train to Vienna", "train")):
                found = store.search(("q",), query=query)
                same(found[0].key, key, query)
                scores = [item.score for item in found if item.score is not None]
                assert scores, f"{query}: no item has a score"
                same(scores, sorted(scores, reverse=True), f"scores of {query}")
                assert all(item.namespace[0] == "q" for item in found), "items of another namespace"

    def test_filters_hold_with_a_query(self) -> None:
        with self.make_store() as store:
            self._fill(store)
            found = store.search(("q",), query="green tea", filter={"n": {"$gt": 1}})
            same({item.key for item in found}, {"cello", "train"} & {item.key for item in found})
            same([item.key for item in store.search(("q",), query="cello", filter={"n": 2})], ["cello"])

    def test_pages_of_a_query_have_each_item_once(self) -> None:
        with self.make_store() as store:
            for n in range(12):
                store.put(("q",), str(n), {"text": f"green tea number {n}"})
            keys = [
                item.key for at in range(0, 12, 5) for item in store.search(("q",), query="tea", limit=5, offset=at)
            ]
            same(sorted(keys), sorted(str(n) for n in range(12)))

    def test_an_item_without_an_index_is_not_ranked(self) -> None:
        with self.make_store() as store:
            store.put(("q",), "hidden", {"text": "a walrus in the harbour"}, index=False)
            store.put(("q",), "shown", {"text": "a lighthouse"})
            same(store.get(("q",), "hidden").value, {"text": "a walrus in the harbour"})  # type: ignore[union-attr]
            same({item.key for item in store.search(("q",))}, {"hidden", "shown"})
            found = store.search(("q",), query="walrus")
            if self.searches_by_query:
                same(
                    [item.score for item in found if item.key == "hidden"][:1] in ([], [None]), True, "score of hidden"
                )

    def test_paths_say_what_is_searched(self) -> None:
        value = {"secret": "walrus", "parts": [{"name": "mast"}, {"name": "anchor"}], "title": {"text": "lighthouse"}}
        paths = {"one": ["title.text"], "all": ["parts[*].name"], "last": ["parts[-1].name"], "none": ["absent"]}
        with self.make_store() as store:
            for key, index in paths.items():
                store.put(("q", key), key, value, index=index)
            if not self.searches_by_query:
                return
            for key, query in (("one", "lighthouse"), ("all", "mast"), ("last", "anchor")):
                same(store.search(("q", key), query=query)[0].score is not None, True, f"{key} has a score")
            same([item.score for item in store.search(("q", "none"), query="walrus")][:1] in ([], [None]), True, "none")

    def test_a_query_follows_updates_and_deletes(self) -> None:
        with self.make_store() as store:
            self._fill(store)
            store.put(("q",), "tea", {"text": "Ada keeps a kayak by the river", "n": 1})
            store.delete(("q",), "cello")
            found = store.search(("q",), query="kayak river")
            assert "cello" not in {item.key for item in found}, "a deleted item was found"
            if self.searches_by_query:
                same(found[0].value["text"], "Ada keeps a kayak by the river")


class NamespaceTests(StoreTests):
    """Lists of namespaces."""

    def test_conditions_and_depth(self) -> None:
        all_of = [("a", "b", "c"), ("a", "b", "d", "e"), ("a", "b", "f"), ("a", "x", "f"), ("b", "a", "f"), ("users",)]
        with self.make_store() as store:
            for namespace in all_of:
                store.put(namespace, "k", {})
            same(store.list_namespaces(), sorted(all_of))
            same(store.list_namespaces(prefix=("a", "b")), sorted(all_of)[:3])
            same(store.list_namespaces(suffix=("f",)), [("a", "b", "f"), ("a", "x", "f"), ("b", "a", "f")])
            same(store.list_namespaces(prefix=("a",), suffix=("f",)), [("a", "b", "f"), ("a", "x", "f")])
            same(store.list_namespaces(prefix=("a", "*", "f")), [("a", "b", "f"), ("a", "x", "f")])
            same(store.list_namespaces(prefix=("*", "a")), [("b", "a", "f")])
            same(store.list_namespaces(suffix=("*", "f")), [("a", "b", "f"), ("a", "x", "f"), ("b", "a", "f")])
            same(store.list_namespaces(suffix=("b", "*", "e")), [("a", "b", "d", "e")])
            same(store.list_namespaces(max_depth=2), [("a", "b"), ("a", "x"), ("b", "a"), ("users",)])
            same(store.list_namespaces(prefix=("a",), max_depth=1), [("a",)])
            same(store.list_namespaces(prefix=("nowhere",)), [])

    def test_pages_of_namespaces(self) -> None:
        with self.make_store() as store:
            for n in range(7):
                store.put(("n", f"{n}"), "k", {})
            pages = [store.list_namespaces(limit=3, offset=offset) for offset in (0, 3, 6, 9)]
            same(pages, [[("n", f"{n}") for n in range(start, min(start + 3, 7))] for start in (0, 3, 6, 9)])

    def test_a_namespace_without_items(self) -> None:
        with self.make_store() as store:
            store.put(("gone",), "k", {})
            store.put(("kept",), "k", {})
            store.delete(("gone",), "k")
            same(store.list_namespaces(), [("gone",), ("kept",)] if self.keeps_emptied_namespaces else [("kept",)])
