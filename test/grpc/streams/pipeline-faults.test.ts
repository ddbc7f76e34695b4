import { once } from 'node:events';
import { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire';
import { type ServiceError, status } from '@grpc/grpc-js';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { ErrorInfo } from '../../../gen/ts/google/rpc/error_details.ts';
import {
  BatchStoreMemoriesRequest,
  GetMemoryRequest,
  ListMemoriesRequest,
  StoreMemoryRequest,
} from '../../../gen/ts/mneme/v1/memory_service.ts';
import {
  PipelineOperation,
  PipelineRequest,
  PipelineResponse,
  type PipelineResult,
} from '../../../gen/ts/mneme/v1/pipeline_service.ts';
import { refusalOf } from '../support/ask.ts';
import { freshNamespace, store } from '../support/memories.ts';
import { TestPipeline } from '../support/pipeline.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

let mneme: TestServer;
beforeAll(async () => {
  mneme = await startTestServer({ maxPipelineOperations: '4' });
});
afterAll(() => mneme.stop());

const sessions: TestPipeline[] = [];
afterEach(() => {
  for (const { stream } of sessions.splice(0)) stream.cancel();
});
function session(): TestPipeline {
  const made = new TestPipeline(mneme.pipelines);
  sessions.push(made);
  return made;
}

const FAR = 1_000_000n;
const getOf = (name: string, minRevision = 0n) =>
  ({ $case: 'getMemory', value: GetMemoryRequest.fromPartial({ name, minRevision }) }) as const;
const presets = { $case: 'listRecallPresets', value: {} } as const;

function reasonOf(result: PipelineResult['result']): string {
  const [info] = result?.$case === 'error' ? result.value.details : [];
  return info ? ErrorInfo.decode(info.value).reason : `${result?.$case}`;
}

async function held(): Promise<string> {
  const parent = freshNamespace();
  await store(mneme, parent, { text: 'a' }, 'a');
  return `${parent}/memories/a`;
}

/** Sends encoded operations; the encoded responses with this many results. */
async function rawAnswers(operations: readonly Buffer[], count: number): Promise<Buffer[]> {
  const raw = mneme.recalls.makeBidiStreamRequest(
    '/mneme.v1.PipelineService/Pipeline',
    (each: readonly Buffer[]) => Buffer.concat(each.flatMap((one) => [Buffer.from([10, one.length]), one])),
    (bytes: Buffer) => bytes,
    {} as never,
  );
  raw.on('error', () => {});
  raw.write(operations);
  const responses: Buffer[] = [];
  let results = 0;
  while (results < count) {
    const [bytes] = (await once(raw, 'data')) as [Buffer];
    responses.push(bytes);
    results += countOf(bytes);
  }
  raw.cancel();
  return responses;
}

/** Number of results in an encoded response. */
function countOf(bytes: Buffer): number {
  const reader = new BinaryReader(bytes);
  let count = 0;
  for (; reader.pos < reader.len; count++) reader.skip(reader.tag()[1]);
  return count;
}

describe('an operation of a session', () => {
  it('when its timeout passes › it fails like a separate call, and others are answered in the meantime', async () => {
    const name = await held();
    const chat = session();
    const late = chat.ask(getOf(name, FAR), { timeout: { seconds: 0n, nanos: 200_000_000 } });
    expect((await chat.ask(getOf(name))).$case).toBe('getMemory');
    expect(['REVISION_NOT_YET', 'DEADLINE_EXCEEDED']).toContain(reasonOf(await late));
  });

  it('when it has no timeout › the one of the server holds', async () => {
    const hasty = await startTestServer({ defaultDeadlineMs: '500', maxDeadlineMs: '500' });
    try {
      const chat = new TestPipeline(hasty.pipelines);
      sessions.push(chat);
      const late = await chat.ask(getOf('namespaces/x/memories/x', FAR));
      expect(['REVISION_NOT_YET', 'DEADLINE_EXCEEDED']).toContain(reasonOf(late));
    } finally {
      await hasty.stop();
    }
  });

  it('when it is cancelled › it is answered with CANCELLED, and cancelling an unknown one has no effect', async () => {
    const chat = session();
    const waiting = chat.ask(getOf(await held(), FAR), { correlationId: 77 });
    for (const correlationId of [77, 78]) {
      chat.stream.write({
        operations: [{ correlationId, timeout: undefined, operation: { $case: 'cancel', value: {} } }],
      });
    }
    expect(reasonOf(await waiting)).toBe('CANCELLED');
    expect((await chat.ask(presets)).$case).toBe('listRecallPresets');
    expect(chat.results).toHaveLength(2);
  });

  it.each([
    ['no correlation id', { operation: presets }, 'correlation_id'],
    ['a negative one', { correlationId: -5, operation: presets }, 'correlation_id'],
    ['nothing to do', { correlationId: 1 }, 'operation'],
    ['a timeout of nothing', { correlationId: 1, timeout: { seconds: 0n, nanos: 0 }, operation: presets }, 'timeout'],
    ['a timeout of years', { correlationId: 1, timeout: { seconds: 10n ** 9n }, operation: presets }, 'timeout'],
  ])('with %s › it is refused individually', async (_, operation, field) => {
    const chat = session();
    chat.stream.write(PipelineRequest.fromPartial({ operations: [operation] }));
    await chat.until(() => chat.results.length === 1);
    const [answer] = chat.results;
    expect(answer?.correlationId).toBe('correlationId' in operation ? operation.correlationId : 0);
    expect(reasonOf(answer?.result)).toBe('FIELD_INVALID');
    expect(answer?.result?.$case === 'error' && answer.result.value.message).toContain(field);
    expect((await chat.ask(presets, { correlationId: 9 })).$case).toBe('listRecallPresets');
  });

  it('with the id of an unanswered one › it is refused', async () => {
    const name = await held();
    const chat = session();
    chat.stream.write(
      PipelineRequest.fromPartial({
        operations: [
          { correlationId: 5, operation: getOf(name, FAR) },
          { correlationId: 5, operation: presets },
        ],
      }),
    );
    await chat.until(() => chat.results.length === 1);
    expect(reasonOf(chat.results[0]?.result)).toBe('FIELD_INVALID');
  });

  it('that cannot be decoded › is answered with MESSAGE_MALFORMED, and the stream continues', async () => {
    const parent = freshNamespace();
    const good = Buffer.from(
      PipelineOperation.encode({
        correlationId: 3,
        timeout: undefined,
        operation: {
          $case: 'storeMemory',
          value: StoreMemoryRequest.fromPartial({ parent, memory: { text: 'QQQQ' } }),
        },
      }).finish(),
    );
    // Bytes that are no UTF-8.
    const bad = Buffer.from(good.toString('latin1').replace('QQQQ', '\xff\xfe\xff\xfe'), 'latin1');
    const responses = await rawAnswers([bad, good], 2);
    const results = responses.flatMap((bytes) => PipelineResponse.decode(bytes).results);
    expect(results.map(({ correlationId, result }) => [correlationId, reasonOf(result)]).sort()).toEqual([
      [3, 'MESSAGE_MALFORMED'],
      [3, 'storeMemory'],
    ]);
  });

  it.each([
    ['2^53', 2n ** 53n],
    ['2^53 + 1', 2n ** 53n + 1n],
    ['2^63 - 1', 2n ** 63n - 1n],
    ['-2^63', -(2n ** 63n)],
  ])('with correlation id %s › is refused with that id, and the stream continues', async (_, id) => {
    const field = Buffer.from(new BinaryWriter().uint32(8).int64(id).finish());
    const listPresets = PipelineOperation.fromPartial({ correlationId: 7, operation: presets });
    const good = Buffer.from(PipelineOperation.encode(listPresets).finish());
    const answers = Buffer.concat(await rawAnswers([field, good], 2));
    expect(answers.includes(field)).toBe(true);
    expect(answers.includes(`must be from 1 to 2^53 - 1, got ${id}`)).toBe(true);
    expect(answers.includes('correlation_id')).toBe(true);
  });

  it('whose answer would be too large › is refused individually', async () => {
    const small = await startTestServer({ maxResponseBytes: '65536', maxPageBytes: '65536' });
    try {
      const parent = freshNamespace();
      await store(
        small,
        parent,
        {
          text: 'x'.repeat(65_000),
          content: { mediaType: 'text/plain', body: { $case: 'data' as const, value: Buffer.alloc(9000, 'y') } },
        },
        'a',
      );
      const chat = new TestPipeline(small.pipelines);
      sessions.push(chat);
      expect(reasonOf(await chat.ask(getOf(`${parent}/memories/a`)))).toBe('MESSAGE_TOO_LARGE');
      expect((await chat.ask(presets)).$case).toBe('listRecallPresets');
    } finally {
      await small.stop();
    }
  });
});

describe('a session', () => {
  it('with more operations in a message than allowed › ends with INVALID_ARGUMENT', async () => {
    const chat = session();
    const operations = Array.from({ length: 65 }, (_, at) => ({ correlationId: at + 1, operation: presets }));
    chat.stream.write(PipelineRequest.fromPartial({ operations }));
    expect(refusalOf((await chat.ended) as ServiceError)).toMatchObject({
      code: 'INVALID_ARGUMENT',
      fields: ['operations'],
    });
  });

  it('when its caller does not read › it accepts no more than its limit, and continues once it is read', async () => {
    const parent = freshNamespace();
    const text = 'x'.repeat(60_000);
    const requests = Array.from({ length: 30 }, (_, at) => ({ memoryId: `m${at}`, memory: { text } }));
    const batch = BatchStoreMemoriesRequest.fromPartial({ parent, requests });
    const chat = session();
    expect((await chat.ask({ $case: 'batchStoreMemories', value: batch })).$case).toBe('batchStoreMemories');
    chat.stream.pause();
    const answers = Array.from({ length: 600 }, (_, at) => chat.ask(getOf(`${parent}/memories/m${at % 30}`)));
    chat.stream.resume();
    const all = await Promise.all(answers);
    expect(all.filter(({ $case }) => $case === 'getMemory')).toHaveLength(600);
  });

  it('when the answers are large and its caller does not read › all come once it is read, each once', async () => {
    const own = await startTestServer({ maxPipelineBytesInFlight: '1048576' });
    try {
      const parent = freshNamespace();
      const requests = Array.from({ length: 30 }, () => ({ memory: { text: 'x'.repeat(60_000) } }));
      const chat = new TestPipeline(own.pipelines);
      sessions.push(chat);
      await chat.ask({
        $case: 'batchStoreMemories',
        value: BatchStoreMemoriesRequest.fromPartial({ parent, requests }),
      });
      const list = { $case: 'listMemories', value: ListMemoriesRequest.fromPartial({ parent, pageSize: 30 }) } as const;
      chat.stream.pause();
      const answers = Array.from({ length: 60 }, () => chat.ask(list));
      chat.stream.resume();
      for (const answer of await Promise.all(answers)) {
        expect(answer.$case === 'listMemories' && answer.value.memories.length).toBe(30);
      }
      expect(chat.results).toHaveLength(61);
    } finally {
      await own.stop();
    }
  });

  it('when its caller disconnects › its operations are stopped', async () => {
    const own = await startTestServer({ logLevel: 'debug' });
    try {
      const parent = freshNamespace();
      await store(own, parent, { text: 'a' }, 'a');
      const chat = new TestPipeline(own.pipelines);
      void chat.ask(getOf(`${parent}/memories/a`, FAR));
      await chat.ask(presets);
      chat.stream.cancel();
      expect(((await chat.ended) as ServiceError).code).toBe(status.CANCELLED);
      const isLogged = (method: string) =>
        own.log.some((line) => line.method === method && line.status === 'CANCELLED');
      for (const method of ['mneme.v1.MemoryService/GetMemory', 'mneme.v1.PipelineService/Pipeline']) {
        while (!isLogged(method)) await new Promise((resolve) => setImmediate(resolve));
      }
    } finally {
      await own.stop();
    }
  });

  it('when the server stops › running operations are answered, and the stream ends with DRAINING in time', async () => {
    const own = await startTestServer({ shutdownGraceMs: '30000' });
    const parent = freshNamespace();
    const chat = new TestPipeline(own.pipelines);
    const stored = chat.ask({
      $case: 'storeMemory',
      value: StoreMemoryRequest.fromPartial({ parent, memory: { text: 'a' } }),
    });
    await chat.ask(presets);
    const startedAtMs = Date.now();
    await own.server.stop();
    expect((await stored).$case).toBe('storeMemory');
    expect(refusalOf((await chat.ended) as ServiceError)).toMatchObject({ code: 'UNAVAILABLE', reason: 'DRAINING' });
    expect(Date.now() - startedAtMs).toBeLessThan(20_000);
    await own.stop();
  });
});
