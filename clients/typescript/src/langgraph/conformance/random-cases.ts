import assert from 'node:assert/strict';
import { type BaseStore, InMemoryStore, type Item, type Operation } from '@langchain/langgraph-checkpoint';
import type { Case } from './case.ts';

/** No label is the beginning of another: `InMemoryStore` compares prefixes as texts. */
const LABELS = ['alpha', 'beta', 'gamma', 'delta'];
const KEYS = ['one', 'two', 'three', 'four', 'five'];
const RUNS = 5;
/** More than there are items. */
const ALL = 10_000;

type Random = () => number;

/** Random operations, for which the store gives what `InMemoryStore` gives. */
export function randomCases(seed: number, operationCount: number): Case[] {
  return Array.from({ length: RUNS }, (_, run) => ({
    name: `differential › ${operationCount} random operations of seed ${seed + run}, as InMemoryStore`,
    async run(store: BaseStore) {
      const random = generator(seed + run);
      const reference = new InMemoryStore();
      for (const each of namespaces()) await putKept([store, reference], each);
      for (let done = 0; done < operationCount; ) {
        const batch = Array.from({ length: 1 + below(random, 6) }, () => anyOperation(random));
        const [found, expected] = [await store.batch(batch), await reference.batch(batch)];
        for (const [place, operation] of batch.entries()) {
          const where = `seed ${seed + run}, operation ${done + place}: ${JSON.stringify(operation)}`;
          compare(operation, found[place], expected[place], where);
        }
        done += batch.length;
      }
      assert.deepEqual(
        shown(await store.search([], { limit: ALL })),
        shown(await reference.search([], { limit: ALL })),
      );
    },
  }));
}

/** Whether a result is that of the reference; which of the items are on a page is up to the store. */
function compare(operation: Operation, found: unknown, expected: unknown, where: string): void {
  if ('value' in operation) return;
  if ('namespacePrefix' in operation) {
    const [one, other] = [found as Item[], expected as Item[]];
    if (operation.limit === ALL) assert.deepEqual(shown(one), shown(other), where);
    else assert.equal(one.length, other.length, where);
  } else if ('key' in operation) {
    assert.deepEqual((found as Item | null)?.value, (expected as Item | null)?.value, where);
  } else {
    assert.deepEqual(found, expected, where);
  }
}

/** Items without their times, in one order. */
function shown(items: readonly Item[]): string[] {
  return items.map(({ namespace, key, value }) => JSON.stringify([namespace, key, value])).sort();
}

function anyOperation(random: Random): Operation {
  const namespace = anyNamespace(random);
  const key = anyOf(random, KEYS);
  switch (below(random, 10)) {
    case 0:
    case 1:
      return { namespace, key };
    case 2:
      return { namespace, key, value: null };
    case 3:
    case 4:
      return { namespacePrefix: namespace.slice(0, below(random, 4)), filter: anyFilter(random), ...anyPage(random) };
    case 5: {
      const matchType = anyOf(random, ['prefix', 'suffix'] as const);
      const path = namespace.map((label) => (random() < 0.3 ? '*' : label)).slice(0, 1 + below(random, 3));
      const depth = random() < 0.5 ? { maxDepth: 1 + below(random, 3) } : {};
      return { matchConditions: [{ matchType, path }], ...depth, limit: ALL, offset: below(random, 3) };
    }
    default:
      return { namespace, key, value: anyValue(random) };
  }
}

function anyValue(random: Random): Record<string, unknown> {
  const value: Record<string, unknown> = { number: below(random, 5), text: anyOf(random, LABELS) };
  if (random() < 0.5) value['flag'] = random() < 0.5;
  if (random() < 0.3) value['nested'] = { list: [below(random, 9), anyOf(random, KEYS), null] };
  return value;
}

function anyFilter(random: Random): Record<string, unknown> {
  const operator = anyOf(random, ['$eq', '$ne', '$gt', '$gte', '$lt', '$lte']);
  return anyOf<Record<string, unknown>>(random, [
    { text: anyOf(random, LABELS) },
    { flag: random() < 0.5 },
    { number: below(random, 5) },
    { number: { [operator]: below(random, 5) } },
    { number: { [operator]: below(random, 5) }, flag: true },
    { text: { $ne: anyOf(random, LABELS) } },
  ]);
}

function anyPage(random: Random): { limit: number; offset: number } {
  if (random() < 0.5) return { limit: ALL, offset: 0 };
  return { limit: 1 + below(random, 8), offset: below(random, 4) };
}

/** Every namespace keeps an item: `InMemoryStore` lists those too that have none left. */
async function putKept(stores: readonly BaseStore[], namespace: string[]): Promise<void> {
  for (const store of stores) await store.put(namespace, 'kept', { text: 'kept', number: -1 });
}

function namespaces(): string[][] {
  return LABELS.flatMap((label) => [[label], [label, 'beta'], [label, 'gamma', 'alpha']]);
}

function anyNamespace(random: Random): string[] {
  return anyOf(random, namespaces());
}

function anyOf<Item>(random: Random, items: readonly Item[]): Item {
  const item = items[below(random, items.length)];
  assert.ok(item !== undefined);
  return item;
}

function below(random: Random, count: number): number {
  return Math.floor(random() * count);
}

/** Mulberry32: the same numbers from 0 to 1 for the same seed. */
function generator(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
