import type { IncomingHttpHeaders } from 'node:http';
import { Metadata } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  ExportMemoriesRequest,
  GetMemoryRequest,
  StoreMemoryRequest,
} from '../../../../gen/ts/mneme/v1/memory_service.ts';
import {
  RecallRequest,
  RecallStreamRequest,
  SubscribeRecallRequest,
  WatchMemoriesRequest,
} from '../../../../gen/ts/mneme/v1/recall_service.ts';
import { EmbeddingEndpoint } from '../../../support/embedding-endpoint.ts';
import { OtlpCollector, type ReceivedSpan } from '../../../support/otlp-collector.ts';
import { PostgresServer } from '../../../support/postgres-server.ts';
import { ask } from '../support/ask.ts';
import { FollowedStream } from '../support/followed-stream.ts';
import { store } from '../support/memories.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

const parent = 'namespaces/traced';
const CALLER = 'c'.repeat(16);
const STATE = 'vendor=a:1,other=b';

let collector: OtlpCollector;
let mneme: TestServer | undefined;
beforeEach(async () => {
  collector = await new OtlpCollector().start();
});
afterEach(async () => {
  await stop();
  await collector.close();
});

async function start(flags: Record<string, string> = {}, env: Record<string, string> = {}): Promise<TestServer> {
  mneme = await startTestServer({ otlpUrl: collector.url, ...flags }, {}, env);
  return mneme;
}

/** A server that stops has sent all spans. */
async function stop(): Promise<void> {
  const stopped = mneme;
  mneme = undefined;
  await stopped?.stop();
}

/** Headers of a caller whose trace has this digit. */
function headersOf(digit: string, flags = '01'): Metadata {
  const metadata = new Metadata();
  metadata.set('traceparent', `00-${digit.repeat(32)}-${CALLER}-${flags}`);
  metadata.set('tracestate', STATE);
  return metadata;
}

const spansOf = (digit: string) => collector.spans.filter(({ traceId }) => traceId === digit.repeat(32));

/**
 * Names of the spans that continue the trace of a caller. Fails unless they are the call with that method, which has the caller's
 * span as its parent, and parts of it, within its time and with the caller's state. A standing query is removed after its call.
 */
function continuedBy(digit: string, method: string): string[] {
  const spans = spansOf(digit);
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const root = spans.find(({ parentId }) => parentId === CALLER);
  expect(root).toMatchObject({ name: `mneme.v1.${method}`, kind: 2 });
  const isPart = (span: ReceivedSpan): boolean => {
    const upper = byId.get(span.parentId);
    return span === root || (upper !== undefined && isPart(upper));
  };
  for (const span of spans) {
    const { name, state } = span;
    const isOver = name.endsWith('remove_query');
    const isWithin = isOver || (span.startNs >= (root?.startNs ?? 0n) && span.endNs <= (root?.endNs ?? 0n));
    expect({ name, state, isPart: isPart(span), isWithin }).toEqual({
      name,
      state: STATE,
      isPart: true,
      isWithin: true,
    });
  }
  return spans.map(({ name }) => name);
}

describe('a call with traceparent and tracestate', () => {
  it('that is unary › its spans in the threads and in the store are parts of the trace of its caller', async () => {
    const { memories, recalls } = await start();
    const stored = StoreMemoryRequest.fromPartial({ parent, memory: { text: 'the tide table' }, memoryId: 'm' });
    await ask(memories, memories.storeMemory, stored, { metadata: headersOf('1') });
    const name = `${parent}/memories/m`;
    await ask(memories, memories.getMemory, GetMemoryRequest.fromPartial({ name }), { metadata: headersOf('2') });
    const question = RecallRequest.fromPartial({ parent, text: 'tide' });
    await ask(recalls, recalls.recall, question, { metadata: headersOf('3') });
    await stop();

    expect(continuedBy('1', 'MemoryService/StoreMemory')).toEqual(
      expect.arrayContaining(['writer queue', 'group commit', 'sqlite transaction', 'sqlite COMMIT']),
    );
    expect(continuedBy('2', 'MemoryService/GetMemory')).toContain('sqlite read');
    expect(continuedBy('3', 'RecallService/Recall')).toEqual(
      expect.arrayContaining(['search thread recall', 'recall']),
    );
  });

  it('that is a stream › its spans are parts of the trace of its caller, beside calls that write meanwhile', async () => {
    const server = await start();
    const { memories, recalls } = server;
    for (let at = 0; at < 3; at++) await store(server, parent, { text: `tide table ${at}` });
    const exported = new FollowedStream(
      memories.exportMemories(ExportMemoriesRequest.fromPartial({ parent }), headersOf('1')),
    );
    expect(await exported.outcome()).toBe(true);
    const query = RecallRequest.fromPartial({ parent, text: 'tide' });
    const recalled = new FollowedStream(
      recalls.recallStream(RecallStreamRequest.fromPartial({ query }), headersOf('2')),
    );
    expect(await recalled.outcome()).toBe(true);

    const watched = new FollowedStream(
      recalls.watchMemories(WatchMemoriesRequest.fromPartial({ parent, startRevision: 1n }), headersOf('3')),
    );
    const subscribed = new FollowedStream(
      recalls.subscribeRecall(SubscribeRecallRequest.fromPartial({ query }), headersOf('4')),
    );
    await subscribed.until(({ event }) => event?.$case === 'progress');
    await watched.until(({ event }) => event?.$case === 'progress');
    const request = StoreMemoryRequest.fromPartial({ parent, memory: { text: 'a tide that comes late' } });
    await ask(memories, memories.storeMemory, request, { metadata: headersOf('5') });
    await subscribed.until(({ event }) => event?.$case === 'batch');
    await watched.until(() => JSON.stringify(watched.messages, bigints).includes('comes late'));
    watched.cancel();
    await watched.outcome();
    for (let at = 0; at < 3; at++) await store(server, parent, { text: `tide after the watch ${at}` });
    // What the search thread has begun for the last of them would go on after the end of the call.
    await subscribed.until(() => JSON.stringify(subscribed.messages, bigints).includes('tide after the watch 2'));
    subscribed.cancel();
    await subscribed.outcome();
    for (let at = 0; at < 3; at++) await store(server, parent, { text: `tide after all ${at}` });
    await stop();

    expect(continuedBy('1', 'MemoryService/ExportMemories').length).toBeGreaterThan(1);
    expect(continuedBy('2', 'RecallService/RecallStream').length).toBeGreaterThan(1);
    expect(continuedBy('3', 'RecallService/WatchMemories').length).toBeGreaterThan(1);
    expect(continuedBy('4', 'RecallService/SubscribeRecall').length).toBeGreaterThan(1);
    expect(continuedBy('5', 'MemoryService/StoreMemory')).toContain('sqlite COMMIT');
  });

  /** Stores by two callers at a time in one namespace, several times: one of them begins the work that the other waits for. */
  async function storeBeside(env: Record<string, string>, flags: Record<string, string> = {}): Promise<string[][]> {
    const server = await start(flags, env);
    const { memories } = server;
    await store(server, parent, { text: 'the first' });
    const digits = ['1', '2', '3', '4', '5', '6'];
    await Promise.all(
      digits.map((digit) => {
        const request = StoreMemoryRequest.fromPartial({ parent, memory: { text: `tide ${digit}` } });
        return ask(memories, memories.storeMemory, request, { metadata: headersOf(digit) });
      }),
    );
    await stop();
    return digits.map((digit) => continuedBy(digit, 'MemoryService/StoreMemory'));
  }

  it('that writes to PostgreSQL with others › each has the commit, and the first of them its statements', async () => {
    const postgres = await PostgresServer.started({ parameters: { fsync: 'off' } });
    try {
      const traces = await storeBeside({ MNEME_POSTGRES_URL: postgres.url });
      for (const names of traces) expect(names).toContain('group commit');
      expect(traces.flat()).toContain('postgresql COMMIT');
    } finally {
      await postgres.stop();
      postgres.remove();
    }
  });

  it('that asks an embedder › the embedder is told the trace and its state, also where it is not recorded', async () => {
    const endpoint = await EmbeddingEndpoint.started();
    try {
      const server = await start({ embedder: 'http', embedderUrl: endpoint.url, embedderModel: 'm' });
      const { recalls } = server;
      await store(server, parent, { text: 'tide' });
      const headers: unknown[] = [];
      for (const [digit, flags] of [
        ['1', '01'],
        ['2', '00'],
      ] as const) {
        const isOf = ({ traceparent }: IncomingHttpHeaders) => String(traceparent).includes(digit.repeat(32));
        const question = RecallRequest.fromPartial({ parent, text: `tide ${digit}`, weights: { vector: 1 } });
        // The question is embedded once a memory has a vector.
        while (!endpoint.headers.some(isOf))
          await ask(recalls, recalls.recall, question, { metadata: headersOf(digit, flags) });
        headers.push(endpoint.headers.find(isOf));
      }
      await stop();

      const [request] = spansOf('1').filter(({ name }) => name === 'embeddings m');
      expect(headers).toMatchObject([
        { traceparent: `00-${'1'.repeat(32)}-${request?.spanId}-01`, tracestate: STATE },
        { traceparent: expect.stringMatching(`^00-${'2'.repeat(32)}-[0-9a-f]{16}-00$`), tracestate: STATE },
      ]);
      expect(spansOf('2')).toEqual([]);
    } finally {
      await endpoint.close();
    }
  });

  it.each([
    ['a malformed traceparent', { traceparent: `00-${'1'.repeat(31)}-${CALLER}-01`, tracestate: STATE }],
    ['the version ff', { traceparent: `ff-${'1'.repeat(32)}-${CALLER}-01` }],
    ['two of them', { traceparent: `00-${'1'.repeat(32)}-${CALLER}-01,00-${'2'.repeat(32)}-${CALLER}-01` }],
    ['a state without traceparent', { tracestate: STATE }],
  ])('with %s › is served, and begins a trace of its own without state', async (_, headers) => {
    const { memories } = await start();
    const metadata = new Metadata();
    for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
    const request = StoreMemoryRequest.fromPartial({ parent, memory: { text: 'x' } });
    await ask(memories, memories.storeMemory, request, { metadata });
    await stop();

    const call = collector.spans.find(({ name }) => name === 'mneme.v1.MemoryService/StoreMemory');
    expect(call).toMatchObject({ parentId: '', state: '', traceId: expect.stringMatching(/^(?!1{32}|2{32})/) });
  });

  it('with a malformed tracestate › continues the trace without it', async () => {
    const { memories } = await start();
    const metadata = headersOf('1');
    metadata.set('tracestate', 'no list');
    const request = StoreMemoryRequest.fromPartial({ parent, memory: { text: 'x' } });
    await ask(memories, memories.storeMemory, request, { metadata });
    await stop();

    expect(spansOf('1').map(({ parentId, state }) => ({ parentId, state }))).toContainEqual({
      parentId: CALLER,
      state: '',
    });
  });
});

function bigints(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}
