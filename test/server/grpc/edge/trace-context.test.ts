import { once } from 'node:events';
import { Metadata, type ServiceError } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { GetMemoryRequest, StoreMemoryRequest } from '../../../../gen/ts/mneme/v1/memory_service.ts';
import { traceContextOf } from '../../../../src/server/grpc/edge/trace-context.ts';
import { ask, refusalOf } from '../support/ask.ts';
import { freshNamespace } from '../support/memories.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

function headers(values: Readonly<Record<string, string | readonly string[]>>): Metadata {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(values)) {
    for (const one of typeof value === 'string' ? [value] : value) metadata.add(name, one);
  }
  return metadata;
}

describe('traceparent and tracestate', () => {
  const spanOf = (traceparent: string | readonly string[], tracestate: string | readonly string[] = []) =>
    traceContextOf(headers({ traceparent, tracestate })).span;

  it('valid › are read, also of a later version with more fields', () => {
    const span = { traceId: TRACE, spanId: SPAN, flags: 1, state: '' };
    expect(spanOf(`00-${TRACE}-${SPAN}-01`)).toEqual(span);
    expect(spanOf(`cc-${TRACE}-${SPAN}-01-what-comes`)).toEqual(span);
    expect(spanOf(`00-${TRACE}-${SPAN}-00`, ['a=1', 'b=2'])).toEqual({ ...span, flags: 0, state: 'a=1,b=2' });
  });

  it.each([
    ['an invalid version', `ff-${TRACE}-${SPAN}-01`],
    ['no trace id', `00-${'0'.repeat(32)}-${SPAN}-01`],
    ['no span id', `00-${TRACE}-${'0'.repeat(16)}-01`],
    ['upper case', `00-${TRACE.toUpperCase()}-${SPAN}-01`],
    ['more fields than version 00 has', `00-${TRACE}-${SPAN}-01-x`],
    ['a short trace id', `00-${TRACE.slice(1)}-${SPAN}-01`],
    ['no flags', `00-${TRACE}-${SPAN}`],
    ['nothing', ''],
  ])('with %s › is ignored', (_, traceparent) => {
    expect(spanOf(traceparent)).toBeUndefined();
  });

  it('sent twice, or with too long a state › the span or the state is ignored', () => {
    const valid = `00-${TRACE}-${SPAN}-01`;
    expect(spanOf([valid, valid])).toBeUndefined();
    expect(spanOf(valid, `a=${'x'.repeat(600)}`)?.state).toBe('');
  });
});

describe('x-request-id', () => {
  const idOf = (id: string | readonly string[]) => traceContextOf(headers({ 'x-request-id': id })).requestId;

  it('is 1 to 128 printable characters, sent once; any other is ignored', () => {
    expect(idOf('c0ffee-1')).toBe('c0ffee-1');
    expect(idOf('x'.repeat(128))).toHaveLength(128);
    for (const invalid of ['', 'x'.repeat(129), 'a b', ['a', 'b']]) expect(idOf(invalid)).toBeUndefined();
  });
});

describe('a call with x-request-id and traceparent', () => {
  let mneme: TestServer;
  beforeAll(async () => {
    mneme = await startTestServer({ logLevel: 'debug' });
  });
  afterAll(() => mneme.stop());
  const metadata = headers({ 'x-request-id': 'r-1', traceparent: `00-${TRACE}-${SPAN}-01` });

  it('that succeeds › gets the id back in its headers, and the log has id and trace', async () => {
    const request = StoreMemoryRequest.fromPartial({ parent: freshNamespace(), memory: { text: 'x' } });
    const call = mneme.memories.storeMemory(request, metadata, () => undefined);
    const [received] = (await once(call, 'metadata')) as [Metadata];
    await once(call, 'status');

    expect(received.get('x-request-id')).toEqual(['r-1']);
    expect(mneme.log).toContainEqual(
      expect.objectContaining({
        method: 'mneme.v1.MemoryService/StoreMemory',
        request: 'r-1',
        trace_id: TRACE,
        span_id: SPAN,
      }),
    );
  });

  it('that fails › gets the id back in its trailers and in RequestInfo', async () => {
    const name = `${freshNamespace()}/memories/none`;
    const call = ask(mneme.memories, mneme.memories.getMemory, GetMemoryRequest.fromPartial({ name }), { metadata });
    const error = await call.then(
      () => undefined,
      (thrown: ServiceError) => thrown,
    );

    expect(error && refusalOf(error)).toMatchObject({ code: 'NOT_FOUND', requestId: 'r-1' });
    expect(error?.metadata.get('x-request-id')).toEqual(['r-1']);
  });

  it('without them › RequestInfo has the id that the log has, and no header is added', async () => {
    const name = 'namespaces/none/memories/none';
    const before = mneme.log.length;
    const error = await ask(mneme.memories, mneme.memories.getMemory, GetMemoryRequest.fromPartial({ name })).then(
      () => undefined,
      (thrown: ServiceError) => thrown,
    );

    const { requestId } = refusalOf(error as ServiceError);
    expect(mneme.log.slice(before)).toContainEqual(expect.objectContaining({ call: requestId, status: 'NOT_FOUND' }));
    expect(error?.metadata.get('x-request-id')).toEqual([]);
  });
});
