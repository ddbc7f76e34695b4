import assert from 'node:assert/strict';
import type { BaseStore, SearchItem } from '@langchain/langgraph-checkpoint';
import type { Case } from './case.ts';
import { keyOf } from './item-cases.ts';

const TEXTS: Readonly<Record<string, string>> = {
  tea: 'Ada drinks green tea every afternoon',
  cello: 'Bob plays the cello in an orchestra',
  whales: 'Blue whales are the largest animals of the ocean',
};

/** Searches with a query, of stores that rank items by their texts. */
export const queryCases: readonly Case[] = [
  {
    name: 'search › a query ranks the item that answers it first, with a score',
    needs: 'ranksTexts',
    async run(store) {
      await putTexts(store);
      for (const [key, query] of Object.entries({
        tea: 'green tea',
        cello: 'cello orchestra',
        whales: 'blue whales',
      })) {
        const [first] = await store.search(['texts'], { query });
        assert.equal(first?.key, key);
        assert.equal(typeof first.score, 'number');
      }
    },
  },
  {
    name: 'search › scores never rise from one item to the next, and items without one are last',
    needs: 'ranksTexts',
    async run(store) {
      await putTexts(store);
      const scores = (await store.search(['texts'], { query: 'green tea' })).map(({ score = -Infinity }) => score);
      assert.equal(scores.length, 3);
      assert.deepEqual(
        scores,
        [...scores].sort((one, other) => other - one),
      );
    },
  },
  {
    name: 'search › a query keeps to the prefix, the filter and the limit',
    needs: 'ranksTexts',
    async run(store) {
      await putTexts(store);
      await store.put(['elsewhere'], 'tea', { text: TEXTS['tea'], kind: 'text' });
      const query = 'green tea';
      assert.deepEqual((await store.search(['texts'], { query, limit: 1 })).map(keyOf), ['tea']);
      const found = await store.search(['texts'], { query, filter: { about: { $ne: 'tea' } } });
      assert.deepEqual(found.map(keyOf).sort(), ['cello', 'whales']);
      assert.equal((await store.search(['elsewhere'], { query })).length, 1);
    },
  },
  {
    name: 'search › pages of a query have each item once',
    needs: 'ranksTexts',
    async run(store) {
      await putTexts(store);
      const pages = [];
      for (const offset of [0, 1, 2]) {
        pages.push(...(await store.search(['texts'], { query: 'cello orchestra', limit: 1, offset })));
      }
      assert.deepEqual(pages.map(keyOf).sort(), ['cello', 'tea', 'whales']);
    },
  },
  {
    name: 'put › with index false an item is there, and a query gives it no score',
    needs: 'ranksTexts',
    async run(store) {
      await store.put(['texts'], 'tea', { text: TEXTS['tea'] }, false);
      await store.put(['texts'], 'cello', { text: TEXTS['cello'] });
      assert.deepEqual((await store.get(['texts'], 'tea'))?.value, { text: TEXTS['tea'] });
      assert.deepEqual((await store.search(['texts'])).map(keyOf).sort(), ['cello', 'tea']);
      assert.equal(scoreOf(await store.search(['texts'], { query: 'green tea' }), 'tea'), undefined);
    },
  },
  {
    name: 'put › with index paths only their texts are searched',
    needs: 'ranksTexts',
    async run(store) {
      const value = {
        title: 'zebra',
        meta: { authors: [{ name: 'walrus' }, { name: 'lobster' }] },
        chapters: [{ text: 'pelican' }, { text: 'giraffe' }],
        hidden: 'hippopotamus',
      };
      const paths = ['title', 'meta.authors[0].name', 'chapters[*].text'];
      await store.put(['animals'], 'one', value, paths);
      for (const query of ['zebra', 'walrus', 'pelican', 'giraffe']) {
        assert.equal(typeof scoreOf(await store.search(['animals'], { query }), 'one'), 'number', query);
      }
      await store.put(['animals'], 'two', value, ['absent.path']);
      assert.equal(scoreOf(await store.search(['animals'], { query: 'zebra' }), 'two'), undefined);
    },
  },
  {
    name: 'put › a new value is found by its own texts and no longer by the former ones',
    needs: 'ranksTexts',
    async run(store) {
      await store.put(['texts'], 'one', { text: TEXTS['tea'] });
      await store.put(['texts'], 'two', { text: TEXTS['whales'] });
      await store.put(['texts'], 'one', { text: TEXTS['cello'] });
      const [first] = await store.search(['texts'], { query: 'cello orchestra' });
      assert.equal(first?.key, 'one');
      assert.deepEqual(first.value, { text: TEXTS['cello'] });
    },
  },
];

async function putTexts(store: BaseStore): Promise<void> {
  for (const [key, text] of Object.entries(TEXTS)) await store.put(['texts'], key, { text, about: key });
}

function scoreOf(items: readonly SearchItem[], key: string): number | undefined {
  return items.find((item) => item.key === key)?.score;
}
