import { createServer } from 'node:net';
import { Metadata } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { GetMemoryRequest, StoreMemoryRequest } from '../../../../gen/ts/mneme/v1/memory_service.ts';
import { RecallRequest } from '../../../../gen/ts/mneme/v1/recall_service.ts';
import { OtlpCollector, type ReceivedSpan } from '../../../support/otlp-collector.ts';
import { ask, refusal } from '../support/ask.ts';
import { store } from '../support/memories.ts';
import { scrape } from '../support/scrape.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

let collector: OtlpCollector;
let mneme: TestServer | undefined;

beforeEach(async () => {
  collector = await new OtlpCollector().start();
});
afterEach(async () => {
  await stopServer();
  await collector.close();
});

async function stopServer(): Promise<void> {
  const stopped = mneme;
  mneme = undefined;
  await stopped?.stop();
}

const start = (flags: Record<string, string> = {}, env: Record<string, string> = {}): Promise<TestServer> =>
  startTestServer({ otlpUrl: collector.url, ...flags }, {}, env);

const NAMESPACE = 'namespaces/traced';
const SECRET = 'the launch code is 4711';

/** Spans of the trace that has a span of that name, once the server has stopped and has sent all. */
async function traceWith(name: string): Promise<ReceivedSpan[]> {
  await stopServer();
  const traceId = collector.spans.find((span) => span.name === name)?.traceId;
  return collector.spans.filter((span) => span.traceId === traceId);
}

/** Names from the span to the root. */
function pathOf(trace: readonly ReceivedSpan[], name: string): string[] {
  const path: string[] = [];
  for (let span = trace.find((each) => each.name === name); span; ) {
    path.push(span.name);
    const { parentId } = span;
    span = trace.find(({ spanId }) => spanId === parentId);
  }
  return path;
}

function named(trace: readonly ReceivedSpan[], name: string): ReceivedSpan {
  const span = trace.find((each) => each.name === name);
  if (!span) throw new Error(`no span ${name} among ${trace.map((each) => each.name).join(', ')}`);
  return span;
}

describe('traces', () => {
  it('a store › the call, its operation, the queue, the group commit and the thread are spans of one trace', async () => {
    mneme = await start();
    await store(mneme, NAMESPACE, { text: SECRET });
    const trace = await traceWith('mneme.v1.MemoryService/StoreMemory');

    expect(pathOf(trace, 'sqlite COMMIT')).toEqual([
      'sqlite COMMIT',
      'sqlite transaction',
      'group commit',
      'create_memory',
      'mneme.v1.MemoryService/StoreMemory',
    ]);
    expect(pathOf(trace, 'writer queue').slice(1)).toEqual(['create_memory', 'mneme.v1.MemoryService/StoreMemory']);
    expect(named(trace, 'mneme.v1.MemoryService/StoreMemory')).toMatchObject({
      kind: 2,
      parentId: '',
      statusCode: 0,
      attributes: {
        'rpc.system.name': 'grpc',
        'rpc.method': 'mneme.v1.MemoryService/StoreMemory',
        'rpc.response.status_code': 'OK',
      },
    });
    expect(named(trace, 'create_memory').attributes).toMatchObject({
      'gen_ai.operation.name': 'create_memory',
      'gen_ai.memory.store.id': 'traced',
    });
    for (const { startNs, endNs, name } of trace)
      expect({ name, isOrdered: startNs <= endNs }).toEqual({ name, isOrdered: true });
    const call = named(trace, 'mneme.v1.MemoryService/StoreMemory');
    const commit = named(trace, 'sqlite COMMIT');
    expect(call.startNs <= commit.startNs && commit.endNs <= call.endNs).toBe(true);
    expect(collector.resources[0]).toMatchObject({ 'service.name': 'mneme' });
  });

  it('a recall › the search thread and its work are in the trace', async () => {
    mneme = await start();
    await store(mneme, NAMESPACE, { text: SECRET });
    await ask(
      mneme.recalls,
      mneme.recalls.recall,
      RecallRequest.fromPartial({ parent: NAMESPACE, text: 'launch code' }),
    );
    const trace = await traceWith('mneme.v1.RecallService/Recall');

    expect(pathOf(trace, 'recall')).toEqual([
      'recall',
      'search thread recall',
      'search_memory',
      'mneme.v1.RecallService/Recall',
    ]);
  });

  it('a caller with traceparent › its trace is continued, recorded as it says', async () => {
    mneme = await start();
    const recorded = 'a'.repeat(32);
    const other = 'b'.repeat(32);
    for (const [traceId, flags] of [
      [recorded, '01'],
      [other, '00'],
    ] as const) {
      const metadata = new Metadata();
      metadata.set('traceparent', `00-${traceId}-${'c'.repeat(16)}-${flags}`);
      const request = StoreMemoryRequest.fromPartial({ parent: NAMESPACE, memory: { text: 'x' } });
      await ask(mneme.memories, mneme.memories.storeMemory, request, { metadata });
    }
    await stopServer();

    expect(collector.spans.filter(({ traceId }) => traceId === recorded).map(({ name }) => name)).toContain(
      'sqlite COMMIT',
    );
    const server = collector.spans.find(({ traceId, kind }) => traceId === recorded && kind === 2);
    expect(server?.parentId).toBe('c'.repeat(16));
    expect(collector.spans.filter(({ traceId }) => traceId === other)).toEqual([]);
  });

  it('a call that fails › the status and the reason are in the span; only failures of the server are errors', async () => {
    mneme = await start();
    const name = `${NAMESPACE}/memories/missing`;
    await refusal(ask(mneme.memories, mneme.memories.getMemory, GetMemoryRequest.fromPartial({ name })));
    await stopServer();

    expect(named(collector.spans, 'mneme.v1.MemoryService/GetMemory')).toMatchObject({
      statusCode: 0,
      attributes: { 'rpc.response.status_code': 'NOT_FOUND' },
    });
  });

  it('contents of memories and queries › are in no span', async () => {
    mneme = await start();
    const { name } = await store(mneme, NAMESPACE, { text: SECRET });
    await ask(mneme.recalls, mneme.recalls.recall, RecallRequest.fromPartial({ parent: NAMESPACE, text: SECRET }));
    await ask(mneme.memories, mneme.memories.getMemory, GetMemoryRequest.fromPartial({ name }));
    await stopServer();

    expect(collector.spans.length).toBeGreaterThan(10);
    expect(collector.received.includes('4711')).toBe(false);
    expect(collector.received.includes('launch')).toBe(false);
  });

  it('headers of the setting › are sent; the path of OTLP is added to the URL', async () => {
    mneme = await start({}, { MNEME_OTLP_HEADERS: 'authorization=Bearer%20t,x-tenant=a' });
    await store(mneme, NAMESPACE, { text: 'x' });
    await stopServer();

    expect(collector.requests[0]).toMatchObject({
      path: '/v1/traces',
      headers: { authorization: 'Bearer t', 'x-tenant': 'a', 'content-type': 'application/x-protobuf' },
    });
  });

  it('0 % of the traces › nothing is sent', async () => {
    mneme = await start({ traceSamplePercent: '0' });
    await store(mneme, NAMESPACE, { text: 'x' });
    await stopServer();

    expect(collector.requests).toEqual([]);
  });

  it('a line of the log within a call › names the trace and the span', async () => {
    mneme = await start({ logLevel: 'debug' });
    await store(mneme, NAMESPACE, { text: 'x' });
    const line = mneme.log.find(({ method }) => method === 'mneme.v1.MemoryService/StoreMemory');
    const call = named(await traceWith('mneme.v1.MemoryService/StoreMemory'), 'mneme.v1.MemoryService/StoreMemory');

    expect(line).toMatchObject({ trace_id: call.traceId, span_id: call.spanId });
  });
});

describe('a collector that does not take spans', () => {
  it('it refuses them › calls are answered, spans are counted as failed, and the log says so once', async () => {
    collector.status = 400;
    mneme = await start({ metricsListen: '127.0.0.1:0' });
    await store(mneme, NAMESPACE, { text: 'x' });
    await store(mneme, NAMESPACE, { text: 'y' });
    const failed = async () =>
      (await scrape(mneme as TestServer)).get('mneme_trace_spans_total{outcome="failed"}') ?? 0;
    while ((await failed()) === 0) await new Promise(setImmediate);
    await store(mneme, NAMESPACE, { text: 'z' });
    const { log } = mneme;
    await stopServer();

    expect(log.filter(({ msg }) => String(msg).startsWith('the collector does not take traces'))).toHaveLength(1);
  });

  it('it cannot be reached › calls are answered, and the server stops in time', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as { port: number };
    await new Promise((resolve) => taken.close(resolve));
    mneme = await start({ otlpUrl: `http://127.0.0.1:${port}`, otlpTimeoutMs: '100' });
    await store(mneme, NAMESPACE, { text: 'x' });
    await stopServer();
  });
});
