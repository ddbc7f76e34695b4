import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { emptyCheckpoint, type Operation } from '@langchain/langgraph-checkpoint';
import { CancelledError, InvalidArgumentError, UnavailableError } from '../../../clients/typescript/src/index.ts';
import { type ServedMneme, serveMneme } from '../../cli/support/serve-mneme.ts';
import { cleanUp } from '../../client/support/clean-up.ts';
import { collect } from '../../client/support/collect.ts';
import { freePort } from '../../support/free-port.ts';
import { saverOf, storeOf } from './support.ts';

let server: ServedMneme;
beforeAll(async () => {
  server = await serveMneme();
});
afterAll(() => server.stop());
afterEach(cleanUp);

const metadata = { source: 'loop', step: 0, parents: {} } as const;
const config = { configurable: { thread_id: 'monday' } };
const store = () => storeOf(server.address, { namespace: randomUUID() });
const saver = () => saverOf(server.address, { namespace: randomUUID() });
const circular: Record<string, unknown> = {};
circular['self'] = circular;

describe('MnemeStore', () => {
  it.each<[string, Operation, string]>([
    ['a value that is a list', { namespace: ['docs'], key: 'k', value: [1] }, 'value: must be an object'],
    [
      'a value with itself inside',
      { namespace: ['docs'], key: 'k', value: circular },
      'value: cannot be carried by JSON',
    ],
    [
      'a number that JSON has not',
      { namespace: ['docs'], key: 'k', value: { a: Number.NaN } },
      'value: cannot be carried',
    ],
    ['a key that is no text', { namespace: ['docs'], key: 1 as never, value: {} }, 'key: must be a text'],
    [
      'a key that is too long',
      { namespace: ['docs'], key: 'k'.repeat(1025), value: {} },
      'at most 1024 bytes together, got 1031',
    ],
    ['a lone surrogate', { namespace: ['docs'], key: '\ud800', value: {} }, 'without lone surrogates'],
    [
      'an index that is a text',
      { namespace: ['docs'], key: 'k', value: {}, index: 'a' as never },
      'index: must be false or a list',
    ],
    ['a limit below 0', { namespacePrefix: [], limit: -1 }, 'limit: -1 must be a whole number from 0'],
    [
      'an offset that is no number',
      { namespacePrefix: [], offset: Number.NaN },
      'offset: NaN must be a whole number from 0',
    ],
    [
      'an unknown operator',
      { namespacePrefix: [], filter: { a: { $like: 'x' } } },
      "filter.a: has no operator '$like'",
    ],
  ])('%s › is refused, and nothing of the batch is written', async (_, operation, message) => {
    const refusing = store();
    const batch = [{ namespace: ['docs'], key: 'fine', value: {} }, operation];

    await expect(refusing.batch(batch)).rejects.toThrow(message);
    await expect(refusing.batch(batch)).rejects.toBeInstanceOf(InvalidArgumentError);
    expect(await refusing.search([])).toEqual([]);
  });

  it.each([
    ['no label', []],
    ['a label with a dot', ['a.b']],
    ['an empty label', ['a', '']],
    ['the reserved root', ['langgraph']],
    ['a text', 'docs' as never],
  ])('a batch with a put into a namespace of %s › is refused', async (_, namespace) => {
    await expect(store().batch([{ namespace, key: 'k', value: {} }])).rejects.toMatchObject({
      name: 'InvalidNamespaceError',
    });
  });

  it('a value above 1 MiB › is refused by the server with its limit', async () => {
    const long = { text: 'x'.repeat(1_048_577) };

    await expect(store().put(['docs'], 'k', long)).rejects.toThrow(/1048576|1,048,576/);
  });

  it('a query of 100 kB, with broken Unicode › is searched as far as the server searches', async () => {
    const searched = store();
    await searched.put(['docs'], 'k', { text: 'green tea' });

    expect(await searched.search(['docs'], { query: `green tea \ud800${'ж'.repeat(50_000)}` })).toHaveLength(1);
  });

  it('the server away › every call fails with UnavailableError, and a config with the store is still written', async () => {
    const away = storeOf(`127.0.0.1:${await freePort()}`, { waitForReady: false });

    await expect(away.put(['docs'], 'k', {})).rejects.toBeInstanceOf(UnavailableError);
    await expect(away.get(['docs'], 'k')).rejects.toBeInstanceOf(UnavailableError);
    await expect(away.search(['docs'], { query: 'tea' })).rejects.toBeInstanceOf(UnavailableError);
    expect(JSON.stringify({ store: away })).toBe('{"store":"[MnemeStore]"}');
  });
});

describe('MnemeSaver', () => {
  it.each([
    ['thread_id', { thread_id: 7 }],
    ['thread_id', { thread_id: '' }],
    ['checkpoint_ns', { thread_id: 'a', checkpoint_ns: null }],
    ['checkpoint_id', { thread_id: 'a', checkpoint_id: 'x'.repeat(1025) }],
  ])('a %s that names nothing › is refused', async (field, configurable) => {
    const refusing = saver();

    await expect(refusing.getTuple({ configurable: { checkpoint_id: 'x', ...configurable } })).rejects.toThrow(
      `configurable.${field}`,
    );
  });

  it('a put and writes without their ids › are refused', async () => {
    await expect(saver().put({ configurable: {} }, emptyCheckpoint(), metadata, {})).rejects.toThrow(
      'configurable.thread_id',
    );
    await expect(saver().putWrites(config, [['a', 1]], 'task')).rejects.toThrow('configurable.checkpoint_id');
    await expect(saver().deleteThread('')).rejects.toThrow('configurable.thread_id');
  });

  it('a limit of 0 and a thread that is not there › have no checkpoint', async () => {
    const empty = saver();

    expect(await empty.getTuple(config)).toBeUndefined();
    expect(await collect(empty.list(config, { limit: 0 }))).toEqual([]);
    await empty.deleteThread('monday');
  });

  it('an aborted signal › ends every call with CancelledError, and nothing is stored', async () => {
    const cancelled = saver();
    const aborted = { ...config, signal: AbortSignal.abort() };

    await expect(cancelled.put(aborted, emptyCheckpoint(), metadata, {})).rejects.toBeInstanceOf(CancelledError);
    await expect(cancelled.getTuple(aborted)).rejects.toBeInstanceOf(CancelledError);
    await expect(collect(cancelled.list(aborted))).rejects.toBeInstanceOf(CancelledError);
    expect(await cancelled.getTuple(config)).toBeUndefined();
  });

  it('the server away › every call fails with UnavailableError', async () => {
    const away = saverOf(`127.0.0.1:${await freePort()}`, { waitForReady: false });

    await expect(away.getTuple(config)).rejects.toBeInstanceOf(UnavailableError);
    await expect(away.put(config, emptyCheckpoint(), metadata, {})).rejects.toBeInstanceOf(UnavailableError);
  });
});
