import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type Checkpoint, emptyCheckpoint } from '@langchain/langgraph-checkpoint';
import { Content } from '../../../clients/typescript/src/index.ts';
import { type FoundItem, MnemeStore } from '../../../clients/typescript/src/langgraph/index.ts';
import { type ServedMneme, serveMneme } from '../../cli/support/serve-mneme.ts';
import { cleanUp, client } from '../../client/support/clean-up.ts';
import { collect } from '../../client/support/collect.ts';
import { saverOf, storeOf } from './support.ts';

let server: ServedMneme;
beforeAll(async () => {
  server = await serveMneme();
});
afterAll(() => server.stop());
afterEach(cleanUp);

const metadata = { source: 'loop', step: 0, parents: {} } as const;
const config = { configurable: { thread_id: 'monday' } };

describe('items as memories', () => {
  it('an item › has the id, address, tags and text that the Python adapter gives it', async () => {
    const namespace = randomUUID();
    const store = storeOf(server.address, { namespace });
    await store.put(['users', '50% of\tada'], 'a..b', { title: 'tea', meta: { by: 'ada' } }, ['title', 'meta.by']);
    await store.put(['users'], 'hidden', { title: 'tea' }, false);

    const mneme = client(server.address, { namespace });
    // sha256 of 'users.50%25 of%09ada..a..b'.
    const one = await mneme.get('lg-72d210a042ec1b3ab229f8736a240b286a58aa75c4e22efe5eaacc1fb1f0d8af');
    const memories = await collect(mneme.list({ order: 'create_time_asc' }));

    expect(memories.map(({ source, tags, text }) => [source, tags, text])).toEqual([
      [{ origin: 'langgraph', uri: 'users.50%25 of%09ada..a..b' }, [], 'tea\nada'],
      [{ origin: 'langgraph', uri: 'users..hidden' }, ['langgraph-unindexed'], '-'],
    ]);
    expect(one.content?.json()).toEqual({ title: 'tea', meta: { by: 'ada' } });
  });

  it('an item of the Python adapter, with a time to live › is read and searched', async () => {
    const namespace = randomUUID();
    await client(server.address, { namespace }).store({
      id: 'lg-0837d7c50a8bd0f07d65bd4621b709e1bbc319068c1520b2254167f44ba98f25',
      source: { origin: 'langgraph', uri: 'users.ada..drink' },
      content: new Content('application/json', '{"text": "tea", "big": 12345678901234567890}'),
      tags: ['langgraph-ttl-minutes:60.0'],
      eventTime: new Date(),
      expireTime: new Date(Date.now() + 3_600_000),
    });
    const store = storeOf(server.address, { namespace });

    const [found] = await store.search(['users'], { query: 'tea' });

    expect(found).toMatchObject({ namespace: ['users', 'ada'], key: 'drink', value: { text: 'tea' } });
    expect(await store.listNamespaces({ maxDepth: 1 })).toEqual([['users']]);
  });

  it('items of equal text › are answers of their own, each with its score, before items that answer less', async () => {
    const store = storeOf(server.address, { namespace: randomUUID() });
    for (const key of ['a', 'b', 'c']) await store.put(['users', key], 'drink', { text: 'drinks tea' });
    await store.put(['users', 'd'], 'drink', { text: 'the old clock is on the shelf' });

    const found = await store.search(['users'], { query: 'Who drinks tea?', limit: 3 });

    expect(found.map(({ namespace: [, key] }) => key).sort()).toEqual(['a', 'b', 'c']);
    expect(found.map(({ score }) => score !== undefined)).toEqual([true, true, true]);
  });

  it('relevance › is on each item; with minRelevance the others are left out', async () => {
    const namespace = randomUUID();
    const store = storeOf(server.address, { namespace });
    await store.put(['users'], 'drink', { text: 'Ada drinks green tea.' });
    await store.put(['users'], 'clock', { text: 'the old clock is on the shelf' });
    const strict = new MnemeStore({ client: client(server.address, { namespace }), minRelevance: 0.07 });
    const query = 'Who drinks tea?';

    const [first, second] = (await store.search([], { query })) as FoundItem[];
    expect([first?.relevance ?? 0, second?.relevance ?? 0].map((relevance) => relevance >= 0.07)).toEqual([
      true,
      false,
    ]);
    expect((await strict.search([], { query })).map(({ key }) => key)).toEqual(['drink']);
    expect(await strict.search([])).toHaveLength(2);
  });

  it('memories that are no items › are not seen by the store, and items are seen by recall', async () => {
    const namespace = randomUUID();
    const mneme = client(server.address, { namespace });
    await mneme.store({ text: 'Bob drinks tea.' });
    const store = storeOf(server.address, { namespace });
    await store.put(['users'], 'ada', { text: 'Ada drinks green tea.' });

    expect((await store.search([], { query: 'tea' })).map(({ key }) => key)).toEqual(['ada']);
    expect((await mneme.recall({ text: 'Who drinks tea?', minRelevance: 0 })).hits).toHaveLength(2);
  });
});

describe('checkpoints as memories', () => {
  it('checkpoints and writes › are found by no recall of the namespace, and have no text of their own', async () => {
    const namespace = randomUUID();
    const saver = saverOf(server.address, { namespace });
    const checkpoint = { ...emptyCheckpoint(), channel_values: { note: 'drinks tea' }, channel_versions: { note: 1 } };
    const put = await saver.put(config, checkpoint, metadata, { note: 1 });
    await saver.putWrites(put, [['note', 'drinks tea']], 'task');
    const mneme = client(server.address, { namespace });
    await mneme.store({ text: 'Bob drinks tea.' });

    const { hits } = await mneme.recall('drinks tea');
    const kept = await collect(mneme.withNamespace(`${namespace}.checkpoints`).list());

    expect(hits.map(({ memory }) => memory.text)).toEqual(['Bob drinks tea.']);
    expect(kept.map(({ type, text }) => [type, text]).sort()).toEqual([
      ['channel', ''],
      ['checkpoint', ''],
      ['write', ''],
    ]);
  });

  it('values of 5 MB › are stored and read in parts', async () => {
    const saver = saverOf(server.address, { namespace: randomUUID() });
    const long = 'tea '.repeat(1_250_000);
    const checkpoint: Checkpoint = {
      ...emptyCheckpoint(),
      channel_values: { long, bytes: new Uint8Array(2_000_001).fill(7) },
      channel_versions: { long: 1, bytes: 1 },
    };
    const put = await saver.put(config, checkpoint, metadata, { long: 1, bytes: 1 });
    await saver.putWrites(put, [['long', long]], 'task');

    const tuple = await saver.getTuple(config);

    expect(tuple?.checkpoint.channel_values['long'] === long).toBe(true);
    expect(tuple?.checkpoint.channel_values['bytes']).toEqual(new Uint8Array(2_000_001).fill(7));
    expect(tuple?.pendingWrites?.[0]?.[2] === long).toBe(true);
  }, 120_000);

  it('a thread, a namespace and a task of any characters › are kept apart', async () => {
    const saver = saverOf(server.address, { namespace: randomUUID() });
    const threads = ['a', 'a ', '=a', '#a', 'ключ', 'x'.repeat(5000), 'x'.repeat(5001), 'tab\t', '__proto__'];
    for (const [step, thread_id] of threads.entries()) {
      await saver.put({ configurable: { thread_id } }, emptyCheckpoint(), { ...metadata, step }, {});
      await saver.put(
        { configurable: { thread_id, checkpoint_ns: `sub|${thread_id}` } },
        emptyCheckpoint(),
        metadata,
        {},
      );
    }

    const found = await Promise.all(threads.map((thread_id) => saver.getTuple({ configurable: { thread_id } })));
    await saver.deleteThread('a');

    expect(found.map((tuple) => tuple?.metadata?.step)).toEqual(threads.map((_, step) => step));
    expect(await collect(saver.list({ configurable: { thread_id: 'a' } }))).toEqual([]);
    expect(await collect(saver.list({}))).toHaveLength(2 * threads.length - 2);
  }, 120_000);

  it('writes of a task › stay as they were first stored, except errors, interrupts and resumes', async () => {
    const saver = saverOf(server.address, { namespace: randomUUID() });
    const put = await saver.put(config, emptyCheckpoint(), metadata, {});
    await saver.putWrites(
      put,
      [
        ['note', 1],
        ['__resume__', [1]],
      ],
      'task',
    );
    await saver.putWrites(
      put,
      [
        ['note', 2],
        ['__resume__', [1, 2]],
        ['more', 3],
      ],
      'task',
    );

    expect((await saver.getTuple(put))?.pendingWrites).toEqual([
      ['task', '__resume__', [1, 2]],
      ['task', 'note', 1],
      ['task', 'more', 3],
    ]);
  });

  it('a checkpoint that is put again › takes the place of the first', async () => {
    const saver = saverOf(server.address, { namespace: randomUUID() });
    const checkpoint = emptyCheckpoint();
    await saver.put(config, checkpoint, metadata, {});
    await saver.put(config, checkpoint, { ...metadata, step: 7 }, {});

    expect((await collect(saver.list(config))).map(({ metadata: each }) => each?.step)).toEqual([7]);
  });
});
