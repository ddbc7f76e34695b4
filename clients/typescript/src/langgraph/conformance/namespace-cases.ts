import assert from 'node:assert/strict';
import type { BaseStore } from '@langchain/langgraph-checkpoint';
import type { Case } from './case.ts';

const NAMESPACES = ['a/b/c', 'a/b/d', 'a/b', 'a/e/c', 'f/b/c', 'f', 'g/h/i/j'].map((each) => each.split('/'));

type Query = NonNullable<Parameters<BaseStore['listNamespaces']>[0]>;

const QUERIES: readonly (readonly [query: Query, namespaces: readonly string[]])[] = [
  [{}, ['a/b', 'a/b/c', 'a/b/d', 'a/e/c', 'f', 'f/b/c', 'g/h/i/j']],
  [{ prefix: ['a'] }, ['a/b', 'a/b/c', 'a/b/d', 'a/e/c']],
  [{ prefix: ['a', 'b'] }, ['a/b', 'a/b/c', 'a/b/d']],
  [{ prefix: ['a', 'b', 'c', 'd'] }, []],
  [{ prefix: ['*', 'b'] }, ['a/b', 'a/b/c', 'a/b/d', 'f/b/c']],
  [{ prefix: ['a', '*', 'c'] }, ['a/b/c', 'a/e/c']],
  [{ prefix: ['*', '*', '*', '*'] }, ['g/h/i/j']],
  [{ suffix: ['c'] }, ['a/b/c', 'a/e/c', 'f/b/c']],
  [{ suffix: ['b', 'c'] }, ['a/b/c', 'f/b/c']],
  [{ suffix: ['b', '*'] }, ['a/b/c', 'a/b/d', 'f/b/c']],
  [{ suffix: ['*'] }, ['a/b', 'a/b/c', 'a/b/d', 'a/e/c', 'f', 'f/b/c', 'g/h/i/j']],
  [{ prefix: ['a'], suffix: ['c'] }, ['a/b/c', 'a/e/c']],
  [{ prefix: ['x'] }, []],
  [{ maxDepth: 1 }, ['a', 'f', 'g']],
  [{ maxDepth: 2 }, ['a/b', 'a/e', 'f', 'f/b', 'g/h']],
  [{ maxDepth: 9 }, ['a/b', 'a/b/c', 'a/b/d', 'a/e/c', 'f', 'f/b/c', 'g/h/i/j']],
  [{ prefix: ['a'], maxDepth: 2 }, ['a/b', 'a/e']],
  [{ suffix: ['c'], maxDepth: 1 }, ['a', 'f']],
];

const queries = QUERIES.map(
  ([query, namespaces]): Case => ({
    name: `listNamespaces › ${JSON.stringify(query)}`,
    async run(store) {
      await putAll(store);
      assert.deepEqual((await store.listNamespaces(query)).map(joined).sort(), [...namespaces].sort());
    },
  }),
);

/** Lists of namespaces. */
export const namespaceCases: readonly Case[] = [
  ...queries,
  {
    name: 'listNamespaces › an empty store has none',
    async run(store) {
      assert.deepEqual(await store.listNamespaces(), []);
      assert.deepEqual(await store.listNamespaces({ prefix: ['a'], maxDepth: 1 }), []);
    },
  },
  {
    name: 'listNamespaces › pages have each namespace once, in one order',
    async run(store) {
      await putAll(store);
      const all = (await store.listNamespaces()).map(joined);
      const pages = [];
      for (let offset = 0; offset < 9; offset += 3) pages.push(...(await store.listNamespaces({ limit: 3, offset })));
      assert.deepEqual(pages.map(joined), all);
      assert.deepEqual(all, [...all].sort());
    },
  },
  {
    name: 'listNamespaces › a namespace is listed once, however many items it has',
    async run(store) {
      for (const key of ['one', 'two', 'three']) await store.put(['docs', 'x'], key, { a: 1 });
      assert.deepEqual(await store.listNamespaces(), [['docs', 'x']]);
    },
  },
];

async function putAll(store: BaseStore): Promise<void> {
  await store.batch(NAMESPACES.map((namespace) => ({ namespace, key: 'one', value: { a: 1 } })));
}

function joined(namespace: readonly string[]): string {
  return namespace.join('/');
}
