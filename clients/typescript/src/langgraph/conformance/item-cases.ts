import assert from 'node:assert/strict';
import type { Item, Operation } from '@langchain/langgraph-checkpoint';
import type { Case } from './case.ts';

const VALUES: Readonly<Record<string, Record<string, unknown>>> = {
  'an empty object': {},
  'texts outside of ASCII': { text: 'Grüße, 世界 🎻\u0000\n"' },
  numbers: { whole: 9007199254740991, fraction: 0.1, negative: -1e-9, zero: 0 },
  'booleans and null': { yes: true, no: false, nothing: null },
  'nested lists and objects': { list: [1, [2, { three: [] }]], object: { a: { b: { c: 'd' } } } },
  'keys with dots, spaces and no character': { 'a.b': 1, 'c d': 2, '': 3, $eq: 4 },
  'keys of the prototype': JSON.parse('{"__proto__": {"polluted": true}, "constructor": 1}') as Record<string, unknown>,
};

const roundTrips = Object.entries(VALUES).map(
  ([what, value]): Case => ({
    name: `put, get › a value with ${what} is returned as it was put`,
    async run(store) {
      await store.put(['docs'], 'one', value);
      assert.deepEqual((await store.get(['docs'], 'one'))?.value, value);
    },
  }),
);

const badNamespaces: readonly (readonly [what: string, namespace: unknown[]])[] = [
  ['no label', []],
  ['an empty label', ['docs', '']],
  ['a label with a dot', ['docs', 'a.b']],
  ['a label that is no text', ['docs', 1]],
  ['the reserved first label', ['langgraph', 'docs']],
];

const refusals = badNamespaces.map(
  ([what, namespace]): Case => ({
    name: `put › a namespace with ${what} is refused`,
    async run(store) {
      await assert.rejects(store.put(namespace as string[], 'one', { a: 1 }), { name: 'InvalidNamespaceError' });
      assert.deepEqual(await store.search([]), []);
    },
  }),
);

/** Puts, gets, deletes and their order in a batch. */
export const itemCases: readonly Case[] = [
  ...roundTrips,
  ...refusals,
  {
    name: 'get › an item that was not put is null',
    async run(store) {
      assert.equal(await store.get(['docs'], 'none'), null);
      await store.put(['docs'], 'one', { a: 1 });
      assert.equal(await store.get(['docs'], 'none'), null);
      assert.equal(await store.get(['docs', 'deeper'], 'one'), null);
    },
  },
  {
    name: 'get › an item has its namespace, key and times',
    async run(store) {
      await store.put(['users', 'ada'], 'drink', { text: 'tea' });
      const item = await store.get(['users', 'ada'], 'drink');
      assert.ok(item);
      assert.deepEqual([item.namespace, item.key], [['users', 'ada'], 'drink']);
      assert.ok(item.createdAt instanceof Date && item.updatedAt instanceof Date);
      assert.ok(item.updatedAt >= item.createdAt);
    },
  },
  {
    name: 'put › another value takes the place of the first, and the time of creation stays',
    async run(store) {
      await store.put(['docs'], 'one', { a: 1, b: 2 });
      const createdAt = (await store.get(['docs'], 'one'))?.createdAt.getTime();
      await store.put(['docs'], 'one', { a: 3 });
      const item = await store.get(['docs'], 'one');
      assert.deepEqual(item?.value, { a: 3 });
      assert.equal(item.createdAt.getTime(), createdAt);
      assert.equal((await store.search(['docs'])).length, 1);
    },
  },
  {
    name: 'put › one key is another item in each namespace',
    async run(store) {
      const namespaces = [['docs'], ['docs', 'docs'], ['other']];
      for (const [n, namespace] of namespaces.entries()) await store.put(namespace, 'one', { n });
      const items = await Promise.all(namespaces.map((namespace) => store.get(namespace, 'one')));
      assert.deepEqual(items.map(valueIn), [{ n: 0 }, { n: 1 }, { n: 2 }]);
    },
  },
  {
    name: 'put › keys with dots, spaces, slashes and percent signs are keys as any',
    async run(store) {
      const keys = ['a.b', 'a b', 'a/b', '%2e', '..', 'ключ', 'x'.repeat(200)];
      for (const key of keys) await store.put(['docs'], key, { key });
      const items = await Promise.all(keys.map((key) => store.get(['docs'], key)));
      assert.deepEqual(
        items.map((item) => [item?.key, item?.value]),
        keys.map((key) => [key, { key }]),
      );
    },
  },
  {
    name: 'put › labels with colons, percent signs and spaces do not run together',
    needs: 'comparesLabels',
    async run(store) {
      const namespaces = [
        ['a:b', 'c'],
        ['a', 'b:c'],
        ['a', 'b', 'c'],
        ['a%2e', 'c'],
        ['a ', 'c'],
      ];
      for (const [n, namespace] of namespaces.entries()) await store.put(namespace, 'one', { n });
      const items = await Promise.all(namespaces.map((namespace) => store.get(namespace, 'one')));
      assert.deepEqual(
        items.map((item) => item?.namespace),
        namespaces,
      );
      assert.deepEqual(
        items.map(valueIn),
        namespaces.map((_, n) => ({ n })),
      );
    },
  },
  {
    name: 'delete › the item is gone, and only it',
    async run(store) {
      await store.put(['docs'], 'one', { a: 1 });
      await store.put(['docs'], 'two', { a: 2 });
      await store.delete(['docs'], 'one');
      assert.equal(await store.get(['docs'], 'one'), null);
      assert.deepEqual((await store.search(['docs'])).map(keyOf), ['two']);
    },
  },
  {
    name: 'delete › an item that is not there is no error, and can be put afterwards',
    async run(store) {
      await store.delete(['docs'], 'one');
      await store.put(['docs'], 'one', { a: 1 });
      await store.delete(['docs'], 'one');
      await store.put(['docs'], 'one', { a: 2 });
      assert.deepEqual((await store.get(['docs'], 'one'))?.value, { a: 2 });
    },
  },
  {
    name: 'batch › no operation has no result',
    async run(store) {
      assert.deepEqual(await store.batch([]), []);
    },
  },
  {
    name: 'batch › results are in the order of the operations, and reads see the state before the batch',
    async run(store) {
      await store.put(['docs'], 'one', { n: 1 });
      const operations: Operation[] = [
        { namespace: ['docs'], key: 'one', value: { n: 2 } },
        { namespace: ['docs'], key: 'one' },
        { namespacePrefix: ['docs'], limit: 10 },
        { namespace: ['docs'], key: 'two', value: { n: 3 } },
        { matchConditions: [{ matchType: 'prefix', path: ['docs'] }], limit: 10, offset: 0 },
        { namespace: ['docs'], key: 'two' },
      ];
      const results = (await store.batch(operations)) as unknown[];
      assert.equal(results.length, operations.length);
      assert.deepEqual((results[2] as Item[]).map(keyOf), ['one']);
      assert.deepEqual(results[4], [['docs']]);
      assert.equal(results[5], null);
      const after = await Promise.all(['one', 'two'].map((key) => store.get(['docs'], key)));
      assert.deepEqual(after.map(valueIn), [{ n: 2 }, { n: 3 }]);
    },
  },
  {
    name: 'batch › of several writes of one item the last one takes effect',
    async run(store) {
      await store.batch([
        { namespace: ['docs'], key: 'one', value: { n: 1 } },
        { namespace: ['docs'], key: 'two', value: { n: 1 } },
        { namespace: ['docs'], key: 'one', value: { n: 2 } },
        { namespace: ['docs'], key: 'two', value: null },
      ]);
      assert.deepEqual((await store.get(['docs'], 'one'))?.value, { n: 2 });
      assert.equal(await store.get(['docs'], 'two'), null);
    },
  },
  {
    name: 'batch › 200 puts and 200 gets at once',
    async run(store) {
      const keys = Array.from({ length: 200 }, (_, n) => `key-${n}`);
      await store.batch(keys.map((key) => ({ namespace: ['docs'], key, value: { key } })));
      const items = await store.batch(keys.map((key) => ({ namespace: ['docs'], key })));
      assert.deepEqual(
        items.map(valueIn),
        keys.map((key) => ({ key })),
      );
    },
  },
  {
    name: 'put › concurrent puts of one item leave one of their values',
    async run(store) {
      await Promise.all([1, 2, 3, 4, 5].map((n) => store.put(['docs'], 'one', { n })));
      const items = await store.search(['docs']);
      assert.equal(items.length, 1);
      assert.ok([1, 2, 3, 4, 5].includes(items[0]?.value['n'] as number));
    },
  },
];

export function keyOf({ key }: Item): string {
  return key;
}

function valueIn(item: Item | null): unknown {
  return item?.value;
}
