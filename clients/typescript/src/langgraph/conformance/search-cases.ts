import assert from 'node:assert/strict';
import type { BaseStore } from '@langchain/langgraph-checkpoint';
import type { Case } from './case.ts';
import { keyOf } from './item-cases.ts';

const BOOKS: Readonly<Record<string, Record<string, unknown>>> = {
  emma: { title: 'Emma', year: 1815, price: 7.5, lent: true, tags: ['novel'], note: null },
  faust: { title: 'Faust', year: 1808, price: 9, lent: false, tags: ['drama'] },
  ulysses: { title: 'Ulysses', year: 1922, price: 12.25, lent: false, tags: ['novel'] },
  'zero-price': { title: 'Leaflet', year: '1815', price: 0, lent: false },
};

const FILTERS: readonly (readonly [filter: Record<string, unknown>, keys: readonly string[]])[] = [
  [{}, ['emma', 'faust', 'ulysses', 'zero-price']],
  [{ title: 'Emma' }, ['emma']],
  [{ title: 'emma' }, []],
  [{ year: 1815 }, ['emma']],
  [{ year: '1815' }, ['zero-price']],
  [{ lent: true }, ['emma']],
  [{ lent: false, year: 1808 }, ['faust']],
  [{ note: null }, ['emma']],
  [{ missing: 'x' }, []],
  [{ title: { $eq: 'Faust' } }, ['faust']],
  [{ title: { $ne: 'Faust' } }, ['emma', 'ulysses', 'zero-price']],
  [{ missing: { $ne: 'x' } }, ['emma', 'faust', 'ulysses', 'zero-price']],
  [{ price: { $gt: 7.5 } }, ['faust', 'ulysses']],
  [{ price: { $gte: 7.5 } }, ['emma', 'faust', 'ulysses']],
  [{ price: { $lt: 7.5 } }, ['zero-price']],
  [{ price: { $lte: 7.5 } }, ['emma', 'zero-price']],
  [{ price: { $gt: 0, $lt: 10 } }, ['emma', 'faust']],
  [{ price: { $eq: 0 } }, ['zero-price']],
  [{ price: { $gte: 7.5 }, lent: { $ne: true } }, ['faust', 'ulysses']],
  [{ missing: { $gt: 0 } }, []],
];

const filters = FILTERS.map(
  ([filter, keys]): Case => ({
    name: `search › filter ${JSON.stringify(filter)}`,
    async run(store) {
      for (const [key, value] of Object.entries(BOOKS)) await store.put(['books'], key, value);
      await store.put(['other'], 'emma', BOOKS['emma'] ?? {});
      assert.deepEqual((await store.search(['books'], { filter })).map(keyOf).sort(), [...keys]);
    },
  }),
);

/** Searches without a query. */
export const searchCases: readonly Case[] = [
  ...filters,
  {
    name: 'search › an empty store has no item',
    async run(store) {
      assert.deepEqual(await store.search([]), []);
      assert.deepEqual(await store.search(['docs'], { filter: { a: 1 }, query: 'tea' }), []);
    },
  },
  {
    name: 'search › a prefix admits its namespace and all below it',
    async run(store) {
      const namespaces = [['users'], ['users', 'ada'], ['users', 'ada', 'notes'], ['users', 'bob'], ['teams', 'users']];
      for (const namespace of namespaces) await store.put(namespace, namespace.join('/'), { a: 1 });
      const keys = async (prefix: string[]) => (await store.search(prefix)).map(keyOf).sort();
      assert.deepEqual(await keys([]), ['teams/users', 'users', 'users/ada', 'users/ada/notes', 'users/bob']);
      assert.deepEqual(await keys(['users']), ['users', 'users/ada', 'users/ada/notes', 'users/bob']);
      assert.deepEqual(await keys(['users', 'ada']), ['users/ada', 'users/ada/notes']);
      assert.deepEqual(await keys(['nowhere']), []);
    },
  },
  {
    name: 'search › a prefix is compared label by label',
    needs: 'comparesLabels',
    async run(store) {
      for (const namespace of [['user'], ['users'], ['user', 's'], ['user:s']]) {
        await store.put(namespace, namespace.join('/'), { a: 1 });
      }
      assert.deepEqual((await store.search(['user'])).map(keyOf).sort(), ['user', 'user/s']);
    },
  },
  {
    name: 'search › 10 items unless there is a limit',
    async run(store) {
      await putNumbers(store, 12);
      assert.equal((await store.search(['numbers'])).length, 10);
      assert.equal((await store.search(['numbers'], { limit: 11 })).length, 11);
      assert.equal((await store.search(['numbers'], { limit: 100 })).length, 12);
    },
  },
  {
    name: 'search › pages have each item once',
    async run(store) {
      await putNumbers(store, 23);
      const pages = [];
      for (let offset = 0; offset < 30; offset += 5) pages.push(await store.search(['numbers'], { limit: 5, offset }));
      assert.deepEqual(
        pages.map(({ length }) => length),
        [5, 5, 5, 5, 3, 0],
      );
      assert.equal(new Set(pages.flat().map(keyOf)).size, 23);
    },
  },
  {
    name: 'search › pages are those of the filtered items',
    async run(store) {
      await putNumbers(store, 30);
      const pages = [];
      for (const offset of [0, 4, 8]) {
        pages.push(await store.search(['numbers'], { filter: { n: { $gte: 20 } }, limit: 4, offset }));
      }
      assert.deepEqual(
        pages.map(({ length }) => length),
        [4, 4, 2],
      );
      assert.ok(pages.flat().every(({ value }) => value['n'] >= 20));
    },
  },
  {
    name: 'search › items have their values and times, and no score without a query',
    async run(store) {
      await store.put(['docs'], 'one', { a: [1, { b: 2 }] });
      const [found] = await store.search(['docs']);
      const item = await store.get(['docs'], 'one');
      assert.deepEqual({ ...found, score: undefined }, { ...item, score: undefined });
      assert.equal(found?.score, undefined);
    },
  },
];

async function putNumbers(store: BaseStore, count: number): Promise<void> {
  const puts = Array.from({ length: count }, (_, n) => ({ namespace: ['numbers'], key: `${n}`, value: { n } }));
  await store.batch(puts);
}
