"""Random sequences of operations, compared with `InMemoryStore`."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any

from langgraph.store.base import GetOp, ListNamespacesOp, MatchCondition, Op, PutOp, Result, SearchOp
from langgraph.store.memory import InMemoryStore

from ._base import Namespace, StoreTests, outline, run_batch, same

_LABELS = ["a", "b", "ab", "Ü", "*x"]
_KEYS = ["k1", "k2", "k.3", "ключ"]
_TEXTS = ["red", "green", "Blue", ""]
_ALL = 10_000


class ReferenceStore(InMemoryStore):
    """`InMemoryStore` that lists only namespaces with items."""

    def _handle_list_namespaces(self, op: ListNamespacesOp) -> list[Namespace]:
        for namespace in [each for each, items in self._data.items() if not items]:
            del self._data[namespace]
        found: list[Namespace] = super()._handle_list_namespaces(op)
        return found


class DifferentialTests(StoreTests):
    """The store answers each operation as `InMemoryStore`. Which items a page of a search has, and in which order, is
    the store's own; that it has the right number, each of them admitted and once, is not."""

    seeds: Iterable[int] = range(6)
    """Seed of each sequence. A failure names its seed."""
    batches_per_seed: int = 40

    def test_random_batches(self) -> None:
        for seed in self.seeds:
            self._compare(seed, is_async=seed % 2 == 1)

    def _compare(self, seed: int, *, is_async: bool) -> None:
        chosen = random.Random(seed)
        reference = InMemoryStore() if self.keeps_emptied_namespaces else ReferenceStore()
        with self.make_store() as store:
            for number in range(self.batches_per_seed):
                ops = [_random_op(chosen) for _ in range(chosen.randint(1, 8))]
                everything = {
                    place: reference.batch([op._replace(limit=_ALL, offset=0)])[0]
                    for place, op in enumerate(ops)
                    if isinstance(op, SearchOp)
                }
                expected = reference.batch(ops)
                actual = run_batch(store, ops, is_async=is_async)
                about = f"seed {seed}, batch {number}"
                same(len(actual), len(ops), f"{about}: results")
                for place, op in enumerate(ops):
                    at = f"{about}, operation {place} {op!r}"
                    _compare_result(op, actual[place], expected[place], everything.get(place), at)
            left = reference.batch([SearchOp((), limit=_ALL)])[0]
            same(_sorted(store.search((), limit=_ALL)), _sorted(left), f"seed {seed}: items at the end")


def _compare_result(op: Op, actual: Result, expected: Result, everything: Result, at: str) -> None:
    if isinstance(op, GetOp):
        same(outline([actual] if actual else []), outline([expected] if expected else []), at)
    elif isinstance(op, SearchOp):
        found, admitted, page = _sorted(actual), _sorted(everything), _sorted(expected)
        same(len(found), len(page), f"{at}: number of items")
        keys = [item[:2] for item in found]
        same(len(set(keys)), len(keys), f"{at}: different items")
        strays = [item for item in found if item not in admitted]
        same(strays, [], f"{at}: items that are not admitted")
    else:
        same(actual, expected, at)


def _sorted(items: Any) -> list[tuple[Namespace, str, dict[str, Any]]]:
    return sorted(outline(items), key=lambda item: item[:2])


def _random_op(chosen: random.Random) -> Op:
    kind = chosen.choices(["put", "delete", "get", "search", "namespaces"], [8, 3, 4, 5, 2])[0]
    namespace = tuple(chosen.choice(_LABELS) for _ in range(chosen.randint(1, 3)))
    key = chosen.choice(_KEYS)
    if kind == "put":
        return PutOp(namespace, key, _random_value(chosen), index=chosen.choice([None, None, False, ["s"]]))
    if kind == "delete":
        return PutOp(namespace, key, None)
    if kind == "get":
        return GetOp(namespace, key)
    if kind == "search":
        prefix = namespace[: chosen.randint(0, len(namespace))]
        return SearchOp(prefix, _random_filter(chosen), chosen.randint(1, 12), chosen.choice([0, 0, 1, 5]))
    conditions = [
        MatchCondition(chosen.choice(["prefix", "suffix"]), tuple(chosen.choice([*_LABELS, "*"]) for _ in range(size)))
        for size in [chosen.randint(1, 2) for _ in range(chosen.randint(0, 2))]
    ]
    depth = chosen.choice([None, 1, 2])
    return ListNamespacesOp(tuple(conditions) or None, depth, chosen.randint(1, 20), chosen.choice([0, 0, 2]))


def _random_value(chosen: random.Random) -> dict[str, Any]:
    """`InMemoryStore` fails where a comparison of order has no number: every value has `n`."""
    value: dict[str, Any] = {"n": chosen.choice([-1, 0, 1, 2.5, 10])}
    for name, values in _FIELDS.items():
        if chosen.random() < 0.6:
            value[name] = chosen.choice(values)
    return value


def _random_filter(chosen: random.Random) -> dict[str, Any] | None:
    wanted: dict[str, Any] = {}
    for name in chosen.sample([*_FIELDS, "n"], chosen.choice([0, 0, 1, 1, 2])):
        if name == "n":
            operators = chosen.sample(["$gt", "$gte", "$lt", "$lte", "$eq", "$ne"], chosen.choice([1, 2]))
            wanted["n"] = {operator: chosen.choice([-1, 0, 1, 2.5, 10]) for operator in operators}
        else:
            value = chosen.choice([*_FIELDS[name], None])
            wanted[name] = chosen.choice([value, {"$eq": value}, {"$ne": value}])
    return wanted or None


_FIELDS: dict[str, list[Any]] = {
    "s": _TEXTS,
    "flag": [True, False],
    "tags": [["red"], ["red", "green"], []],
    "at": [{"room": "hall"}, {"room": "cellar", "shelf": 3}],
    "dotted.name": ["x", "y"],
}
