import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { HttpEmbedder, type HttpEmbedderOptions } from '../../../src/search/embedding/http.ts';
import { EmbeddingEndpoint, embeddingsOf } from '../../support/embedding-endpoint.ts';
import { freePort } from '../../support/free-port.ts';
import { seededRandom } from '../../support/random.ts';

const KEY = 'sk-secret-0123456789';
const { signal } = new AbortController();
const random = seededRandom('http embedder');

let endpoint: EmbeddingEndpoint;
/** The waits that the embedder requested, without the end of the time limit. */
let waitedMs: number[];
beforeEach(async () => {
  endpoint = await EmbeddingEndpoint.started();
  waitedMs = [];
});
afterEach(() => endpoint.close());

function embedder(options: Partial<HttpEmbedderOptions> = {}): HttpEmbedder {
  const retry = { random: () => 0.5, wait: async (ms: number) => void waitedMs.push(ms), ...options.retry };
  return new HttpEmbedder({
    url: endpoint.url,
    model: 'small',
    apiKey: KEY,
    dimension: 0,
    timeoutMs: 60_000,
    ...options,
    retry,
  });
}

async function failureOf(embedding: Promise<unknown>): Promise<{ message: string }> {
  const failure = await embedding.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(failure).toMatchObject({ reason: 'EMBEDDER_UNAVAILABLE', metadata: { model: 'small' } });
  expect(`${JSON.stringify(failure)} ${(failure as Error).stack}`).not.toContain(KEY);
  return failure as Error;
}

describe('HttpEmbedder', () => {
  it('request › as OpenAI documents it, with the key', async () => {
    await embedder().embed(['one', 'two'], signal);
    const [request] = endpoint.requests;
    expect(request).toEqual({
      path: '/v1/embeddings',
      authorization: `Bearer ${KEY}`,
      model: 'small',
      input: ['one', 'two'],
    });
  });

  it('address › with a slash, the whole path or a query › leads to the same place', async () => {
    for (const end of ['/', '/embeddings', '?version=2']) {
      await embedder({ url: endpoint.url + end, apiKey: '' }).embed(['one'], signal);
    }
    expect(endpoint.requests.map(({ path, authorization }) => path + authorization)).toEqual([
      '/v1/embeddings',
      '/v1/embeddings',
      '/v1/embeddings?version=2',
    ]);
  });

  it('many texts › in batches by count and by bytes, in order', async () => {
    const texts = Array.from({ length: 23 }, (_, i) => `text number ${i} ${'x'.repeat(random.int(60))}`);
    const vectors = await embedder({ batch: { countMax: 5, bytesMax: 200 } }).embed(texts, signal);
    expect(vectors).toEqual(await embedder().embed(texts, signal));
    const batches = endpoint.requests.slice(0, -1).map(({ input }) => input);
    expect(batches.flat()).toEqual(texts);
    for (const batch of batches) {
      expect(batch.length).toBeLessThanOrEqual(5);
      expect(batch.length === 1 || batch.join('').length <= 200).toBe(true);
    }
  });

  it('long text › is cut between signs', async () => {
    await embedder({ textLengthMax: 5 }).embed(['abcd𝒳yz', 'abc𝒳yz'], signal);
    expect(endpoint.requests[0]?.input).toEqual(['abcd', 'abc𝒳']);
  });

  it('indexes in another order › vectors in the order of the texts', async () => {
    const straight = await embedder().embed(['one', 'two', 'three'], signal);
    endpoint.reply = () => undefined;
    const data = await embeddingsOf(['one', 'two', 'three']);
    endpoint.reply = () => ({ body: { data: [data[2], data[0], data[1]] } });
    expect(await embedder().embed(['one', 'two', 'three'], signal)).toEqual(straight);
  });

  it('dimension › learnt from the first answer, then kept to', async () => {
    const learning = embedder();
    expect(learning.dimension).toBe(0);
    await learning.embed(['one'], signal);
    expect(learning.dimension).toBe(384);
    endpoint.reply = () => ({ body: { data: [{ index: 0, embedding: [1, 0] }] } });
    const { message } = await failureOf(learning.embed(['one'], signal));
    expect(message).toContain('a vector of 2 values, expected 384');
  });

  it('with a dimension › another one is refused', async () => {
    await failureOf(embedder({ dimension: 768 }).embed(['one'], signal));
    expect(endpoint.requests).toHaveLength(1);
  });

  const item = { index: 0, embedding: [1, 0] };
  it.each([
    ['no JSON', 'oops'],
    ['no data', { vectors: [] }],
    ['too few vectors', { data: [item] }],
    ['too many vectors', { data: [item, item, item] }],
    ['an index twice', { data: [item, item] }],
    ['an index too large', { data: [item, { ...item, index: 2 }] }],
    ['vectors of different length', { data: [item, { index: 1, embedding: [1] }] }],
    ['an empty vector', { data: [item, { index: 1, embedding: [] }] }],
    ['a value that is no number', { data: [item, { index: 1, embedding: [1, null] }] }],
    ['a value that is not finite', '{"data":[{"index":0,"embedding":[1,0]},{"index":1,"embedding":[1,1e999]}]}'],
    ['NaN', '{"data":[{"index":0,"embedding":[1,0]},{"index":1,"embedding":[1,NaN]}]}'],
    ['base64', { data: [item, { index: 1, embedding: 'AACAPw==' }] }],
  ])('answer with %s › fails at once', async (_what, body) => {
    endpoint.reply = () => ({ body });
    await failureOf(embedder().embed(['one', 'two'], signal));
    expect(endpoint.requests).toHaveLength(1);
  });

  it('a vector of zeros › no direction', async () => {
    endpoint.reply = () => ({ body: { data: [{ index: 0, embedding: [0, 0] }] } });
    expect(await embedder().embed(['one'], signal)).toEqual([undefined]);
  });

  it('429, then an answer › waits for the requested time', async () => {
    endpoint.reply = (_request, count) =>
      count === 1 ? { status: 429, headers: { 'retry-after': '7' }, body: {} } : undefined;
    expect(await embedder().embed(['one'], signal)).toHaveLength(1);
    expect(waitedMs).toEqual([7000]);
  });

  it('429 until a date › waits until then; longer than it is willing to › fails at once', async () => {
    const nowMs = () => Date.parse('2026-11-21T10:00:00Z');
    let until = 'Sat, 21 Nov 2026 10:00:09 GMT';
    endpoint.reply = (_request, count) =>
      count !== 2 ? { status: 429, headers: { 'retry-after': until }, body: {} } : undefined;
    await embedder({ nowMs }).embed(['one'], signal);
    expect(waitedMs).toEqual([9000]);
    until = 'Sat, 21 Nov 2026 11:00:00 GMT';
    await failureOf(embedder({ nowMs }).embed(['one'], signal));
    expect(endpoint.requests).toHaveLength(3);
  });

  it('500 always › three attempts with growing waits, then fails with the reason', async () => {
    endpoint.reply = () => ({ status: 500, body: { error: { message: `model crashed, key ${KEY}` } } });
    const { message } = await failureOf(embedder().embed(['one'], signal));
    expect(message).toBe(`the embedder at ${endpoint.url}/embeddings answered 500: model crashed, key ***`);
    expect(endpoint.requests).toHaveLength(3);
    expect(waitedMs).toEqual([187.5, 375]);
  });

  it('401 › fails immediately; other parts of the answer are not repeated', async () => {
    endpoint.reply = ({ input }) => ({ status: 401, body: { detail: [{ msg: 'no', input }] } });
    const { message } = await failureOf(embedder().embed(['a private text'], signal));
    expect(message).toMatch(/answered 401$/);
    expect(endpoint.requests).toHaveLength(1);
  });

  it('connection reset, then an answer › tries again', async () => {
    endpoint.reply = (_request, count) => (count === 1 ? 'reset' : undefined);
    expect(await embedder().embed(['one'], signal)).toHaveLength(1);
  });

  it('no listener › fails with the reason', async () => {
    const url = `http://127.0.0.1:${await freePort()}/v1`;
    const { message } = await failureOf(embedder({ url }).embed(['one'], signal));
    expect(message).toContain('ECONNREFUSED');
  });

  it('no answer in time › tries again, then fails', async () => {
    endpoint.reply = () => 'hang';
    const { message } = await failureOf(embedder({ timeoutMs: 30, retry: { attemptsMax: 2 } }).embed(['one'], signal));
    expect(message).toContain('did not answer within 30 ms');
    // An aborted request may not have reached the endpoint.
    expect(waitedMs).toHaveLength(1);
  });

  it('aborted while it waits for an answer › fails with the reason at once', async () => {
    const controller = new AbortController();
    const reason = new Error('the caller left');
    endpoint.reply = () => {
      controller.abort(reason);
      return 'hang';
    };
    await expect(embedder().embed(['one'], controller.signal)).rejects.toBe(reason);
    expect(endpoint.requests).toHaveLength(1);
  });

  it('aborted between two attempts › fails with the reason at once', async () => {
    const controller = new AbortController();
    const reason = new Error('the caller left');
    endpoint.reply = () => ({ status: 503, headers: { 'retry-after': '20' }, body: {} });
    const waiting = new HttpEmbedder({
      url: endpoint.url,
      model: 'small',
      apiKey: '',
      dimension: 0,
      timeoutMs: 60_000,
    });
    const embedding = waiting.embed(['one'], controller.signal);
    while (endpoint.requests.length === 0) await new Promise(setImmediate);
    setTimeout(() => controller.abort(reason), 20);
    await expect(embedding).rejects.toBe(reason);
  });

  it('key or address that could never be sent › refused without repeating them', () => {
    expect(() => embedder({ apiKey: `${KEY}\n` })).toThrow('no header can carry');
    expect(() => embedder({ url: 'http://me:sk-secret@host/v1' })).toThrow('must not hold a password');
  });
});
