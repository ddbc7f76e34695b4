import { describe, expect, test } from '@jest/globals';
import {
  type AddMessagesContext,
  type ExtractionConfig,
  IntervalTrigger,
  InvocationTrigger,
  type MemoryEntry,
  type MemoryInjectionConfig,
  type MessageData,
  ModelExtractor,
  tool,
} from '@strands-agents/sdk';
import { AddStore, agentOf, BothStore, lastTexts, MessageStore, managerOf, ReadOnlyStore, textsOf } from './support.ts';

const each: ExtractionConfig = { trigger: new InvocationTrigger() };
const clock = tool({ name: 'clock', description: 'd', callback: () => 'noon' });
const asksClock = { tool: 'clock', input: {}, text: 'a moment' };

async function invoked(
  stores: readonly ReadOnlyStore[],
  prompts: readonly string[],
  turns: readonly (string | typeof asksClock)[] = ['ok'],
) {
  const manager = managerOf(stores, { injection: false });
  const { agent, model } = agentOf(manager, turns, { tools: [clock] });
  for (const prompt of prompts) await agent.invoke(prompt);
  return { manager, model };
}

describe('extraction', () => {
  test('25: by default the fifth turn saves, and the asynchronous path does not flush', async () => {
    const store = new MessageStore('a', { extraction: true });
    const { manager } = await invoked([store], ['1', '2', '3', '4']);
    expect(store.batches).toEqual([]);
    await manager.flush(); // 81
    await manager.flush(); // 82
    expect(textsOf(store)).toEqual([['1', 'ok', '2', 'ok', '3', 'ok', '4', 'ok']]);
  });

  test.each([
    ['77-78', { trigger: new IntervalTrigger({ turns: 2 }) }],
    ['79', { trigger: [new IntervalTrigger({ turns: 2 }), new IntervalTrigger({ turns: 100 })] }],
  ])('%s: triggers deliver the whole backlog', async (_, extraction) => {
    const store = new MessageStore('a', { extraction });
    const { manager } = await invoked([store], ['1', '2']);
    await manager.flush();
    expect(textsOf(store)).toEqual([['1', 'ok', '2', 'ok']]);
  });

  test('72-73, 80: without extraction nothing is written', async () => {
    const store = new BothStore();
    const { manager } = await invoked([store], ['1']);
    await manager.flush();
    expect([store.added, store.batches]).toEqual([[], []]);
  });

  test.each([
    [
      '74: roles; with both sinks the messages are passed on',
      ['ok'],
      [
        [0, 1],
        [2, 3],
      ],
    ],
    [
      'numbers belong to messages: a dropped message leaves a gap',
      [asksClock, 'ok', 'ok'],
      [
        [0, 1, 3],
        [4, 5],
      ],
    ],
  ])('%s', async (_, turns, numbers) => {
    const store = new BothStore('a', { extraction: each });
    const { manager } = await invoked([store], ['1', '2'], turns);
    await manager.flush();
    expect(store.batches.map(([, context]) => context)).toEqual(
      numbers.map((sequenceNumbers) => ({ sequenceNumbers })),
    );
    expect(store.batches[0]?.[0].map(({ role }) => role).slice(0, 2)).toEqual(['user', 'assistant']);
    expect([store.added.length, JSON.stringify(store.batches).includes('noon')]).toEqual([0, false]);
  });

  test('a batch that failed is sent again with its numbers, and a store that fails holds up no other', async () => {
    class FailsOnce extends MessageStore {
      override async addMessages(messages: MessageData[], context?: AddMessagesContext): Promise<void> {
        this.batches.push([messages, context]);
        if (this.batches.length === 1) throw new Error('away');
      }
    }
    const [bad, good] = [new FailsOnce('bad', { extraction: each }), new MessageStore('good', { extraction: each })];
    const { manager } = await invoked([bad, good], ['1', '2']);
    await manager.flush();
    const numbers = bad.batches.map(([, context]) => context?.sequenceNumbers);
    expect([numbers[0], numbers.at(-1)]).toEqual([
      [0, 1],
      [0, 1, 2, 3],
    ]);
    expect(textsOf(good).flat()).toEqual(['1', 'ok', '2', 'ok']);
  });

  test('21, 26, 75-76: a store without messages has the model extract', async () => {
    const store = new AddStore('a', { extraction: each });
    const { manager, model } = await invoked([store], ['I like tea'], ['hello', '[{"content": "likes tea"}]']);
    await manager.flush();
    expect(store.added.map(([content]) => content)).toEqual(['likes tea']);
    expect(JSON.stringify(model.seen.at(-1))).toContain('user: I like tea');
  });

  test('20, 22: an extractor needs add, an interval is positive', () => {
    const extraction = { extractor: new ModelExtractor() };
    expect(() => managerOf([new MessageStore('a', { extraction })])).toThrow('no add method');
    expect(() => new IntervalTrigger({ turns: 0 })).toThrow();
  });

  test('83: a save does not hold up a turn, and flush waits for it', async () => {
    const store = new MessageStore('a', { extraction: each });
    const { promise, resolve } = Promise.withResolvers<void>();
    store.gate = promise;
    const { manager } = await invoked([store], ['1']);
    let isFlushed = false;
    const flushed = manager.flush().then(() => {
      isFlushed = true;
    });
    expect([isFlushed, store.batches.length]).toEqual([false, 0]);
    resolve();
    await flushed;
    expect(textsOf(store)).toEqual([['1', 'ok']]);
  });

  test('two agents share a manager', async () => {
    const store = new MessageStore('a', { extraction: true });
    const manager = managerOf([store], { injection: false });
    for (const prompt of ['one', 'two']) await agentOf(manager).agent.invoke(prompt);
    await manager.flush();
    expect(textsOf(store)).toEqual([
      ['one', 'ok'],
      ['two', 'ok'],
    ]);
  });
});

describe('injection', () => {
  const seenOf = async (stores: readonly ReadOnlyStore[], injection?: boolean | MemoryInjectionConfig) => {
    const { agent, model } = agentOf(managerOf(stores, injection === undefined ? {} : { injection }));
    await agent.invoke('hello');
    expect(JSON.stringify(agent.messages)).not.toContain('<memory>');
    return lastTexts(model);
  };
  const likesTea = () => new ReadOnlyStore('a', { entries: ['likes tea'] });

  test.each([
    ['84, 89', undefined, 2],
    ['85, 88', false, 1],
    ['86', true, 2],
    ['87', { maxEntries: 2 }, 2],
    ['95', { query: ({ messages }: { messages: unknown[] }) => `custom ${messages.length}` }, 2],
    ['96', { query: () => undefined }, 1],
    ['97', { query: () => fail() }, 1],
    ['104', { format: ({ entries }: { entries: unknown[] }) => `I know ${entries.length}` }, 2],
    ['105', { format: () => fail() }, 1],
  ])('%s: with these options', async (_, injection, blocks) => {
    const store = likesTea();
    expect(await seenOf([store], injection)).toHaveLength(blocks);
    const isAsked = typeof injection === 'object' ? !('query' in injection) || blocks === 2 : injection !== false;
    expect(store.searched.length).toBe(isAsked ? 1 : 0);
  });

  test('90, 93, 101-103: a hit stands behind the text of the user, escaped and with its source', async () => {
    const store = new ReadOnlyStore('a"', { entries: ['</entry>&'] });
    expect(await seenOf([store])).toEqual([
      'hello',
      '\n\n<memory>\n<entry source="a&quot;">&lt;/entry&gt;&amp;</entry>\n</memory>',
    ]);
    expect(store.searched).toEqual([['hello', { maxSearchResults: 5 }]]);
  });

  test('99-100: no hits inject nothing; the limit is passed on and cuts over all stores by relevance', async () => {
    expect(await seenOf([new ReadOnlyStore()])).toEqual(['hello']);
    const best: MemoryEntry = { content: 'best', metadata: { _relevance: 0.9 } };
    const stores = [new ReadOnlyStore('a', { entries: ['1', '2', '3'] }), new ReadOnlyStore('b', { entries: [best] })];
    const text = (await seenOf(stores, { maxEntries: 2 })).join('');
    expect(['best', '>1<', '>2<'].map((part) => text.includes(part))).toEqual([true, true, false]);
    expect(stores[0]?.searched).toEqual([['hello', { maxSearchResults: 2 }]]);
  });

  test.each([
    ['91, 94', { trigger: 'everyTurn' }, 'let me see', ['go', 'let me see']],
    ['92', {}, 'let me see', ['go']],
    ['98', { trigger: 'everyTurn' }, '', ['go']],
  ] as const)('%s: turns with the result of a tool', async (_, injection, text, queries) => {
    const store = likesTea();
    const turns = [{ ...asksClock, text }, 'done'];
    const { agent, model } = agentOf(managerOf([store], { injection }), turns, { tools: [clock] });
    await agent.invoke('go');
    expect(store.searched.map(([query]) => query)).toEqual(queries);
    const last = model.seen[1]?.at(-1)?.content ?? [];
    expect([last[0] && 'toolResult' in last[0], last.length]).toEqual([true, queries.length]);
  });
});

function fail(): never {
  throw new Error('broken');
}
