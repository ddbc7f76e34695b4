import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ErrorInfo } from '../../../gen/ts/google/rpc/error_details.ts';
import type { Status } from '../../../gen/ts/google/rpc/status.ts';
import { GetMemoryRequest, ListMemoriesRequest, StoreMemoryRequest } from '../../../gen/ts/mneme/v1/memory_service.ts';
import { PipelineOperation, type PipelineResult } from '../../../gen/ts/mneme/v1/pipeline_service.ts';
import { RecallRequest } from '../../../gen/ts/mneme/v1/recall_service.ts';
import { ask, refusalOf } from '../support/ask.ts';
import { freshNamespace } from '../support/memories.ts';
import { TestPipeline } from '../support/pipeline.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

let mneme: TestServer;
beforeAll(async () => {
  mneme = await startTestServer({ maxPipelineOperations: '8', heartbeatIntervalMs: '100' });
});
afterAll(() => mneme.stop());

const sessions: TestPipeline[] = [];
afterAll(() => {
  for (const { stream } of sessions) stream.cancel();
});
function session(): TestPipeline {
  const made = new TestPipeline(mneme.pipelines);
  sessions.push(made);
  return made;
}

type Result = NonNullable<PipelineResult['result']>;
const storeOf = (parent: string, text: string, rest: Partial<StoreMemoryRequest> = {}) =>
  ({ $case: 'storeMemory', value: StoreMemoryRequest.fromPartial({ parent, memory: { text }, ...rest }) }) as const;
const getOf = (name: string) => ({ $case: 'getMemory', value: GetMemoryRequest.fromPartial({ name }) }) as const;

function errorOf(result: Result): Status & { reason: string } {
  if (result.$case !== 'error') throw new Error(`${result.$case} succeeded`);
  const [info] = result.value.details;
  return { ...result.value, reason: info ? ErrorInfo.decode(info.value).reason : '' };
}

describe('a session', () => {
  it('when operations of both services are sent › each is answered as its own method would', async () => {
    const parent = freshNamespace();
    const chat = session();
    const stored = await chat.ask(storeOf(parent, 'tea at five', { memoryId: 'a' }));
    const got = await chat.ask(getOf(`${parent}/memories/a`));
    const recalled = await chat.ask({ $case: 'recall', value: RecallRequest.fromPartial({ parent, text: 'tea' }) });
    const listed = await chat.ask({ $case: 'listMemories', value: ListMemoriesRequest.fromPartial({ parent }) });

    expect(stored).toMatchObject({ $case: 'storeMemory', value: { memory: { name: `${parent}/memories/a` } } });
    expect(got).toMatchObject({ $case: 'getMemory', value: { memory: { text: 'tea at five' } } });
    expect(recalled).toMatchObject({ $case: 'recall', value: { hits: [{ memory: { text: 'tea at five' } }] } });
    expect(listed).toMatchObject({ $case: 'listMemories', value: { memories: [{ text: 'tea at five' }] } });
  });

  it('every operation that it can be asked for › is carried out, or refused as its own method would', async () => {
    const chat = session();
    const cases = [
      'storeMemory',
      'batchStoreMemories',
      'getMemory',
      'batchGetMemories',
      'updateMemory',
      'setMemoryImportance',
      'deleteMemory',
      'forgetMemories',
      'listMemories',
      'demoteMemories',
      'promoteMemories',
      'supersedeMemory',
      'countMemories',
      'deleteSession',
    ];
    const history = ['listMemoryRevisions', 'getAttributeHistory', 'getStatesAtSteps', 'getMemorySequence', 'recall'];
    for (const name of [...cases, ...history]) {
      const message = PipelineOperation.fromPartial({ operation: { $case: name as 'storeMemory', value: {} } });
      expect(errorOf(await chat.ask(message.operation as never))).toMatchObject({ code: 3, reason: 'FIELD_INVALID' });
    }
    const presets = await chat.ask({ $case: 'listRecallPresets', value: {} });
    expect(presets.$case).toBe('listRecallPresets');
  });

  it('when an operation fails › it is answered with the status of a separate call, and the stream continues', async () => {
    const parent = freshNamespace();
    const chat = session();
    await chat.ask(storeOf(parent, 'x', { memoryId: 'x' }));
    const name = `${parent}/memories/none`;
    const failed = await chat.ask(getOf(name));
    const own = await ask(mneme.memories, mneme.memories.getMemory, GetMemoryRequest.fromPartial({ name })).catch(
      refusalOf,
    );
    const status = errorOf(failed);

    expect(status.reason).toBe('MEMORY_NOT_FOUND');
    expect({ code: 'NOT_FOUND', message: status.message }).toMatchObject({
      code: (own as ReturnType<typeof refusalOf>).code,
      message: (own as ReturnType<typeof refusalOf>).message,
    });
    expect((await chat.ask(getOf(`${parent}/memories/x`))).$case).toBe('getMemory');
  });

  it('when a mutation is repeated with its request id, in a session or separately › it has one effect', async () => {
    const parent = freshNamespace();
    const request = StoreMemoryRequest.fromPartial({ parent, memory: { text: 'once' }, requestId: 'r-1' });
    const chat = session();
    const first = await chat.ask({ $case: 'storeMemory', value: request });
    const again = await chat.ask({ $case: 'storeMemory', value: request });
    const own = await ask(mneme.memories, mneme.memories.storeMemory, request);
    const other = await chat.ask({ $case: 'storeMemory', value: { ...request, memoryId: 'other' } });

    expect(again).toEqual(first);
    expect(first).toEqual({ $case: 'storeMemory', value: own });
    expect(errorOf(other).reason).toBe('REQUEST_ID_REUSED');
  });

  it('when many more operations are sent than it may have at once › all are answered, each once', async () => {
    const parent = freshNamespace();
    const chat = session();
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, at) => chat.ask(storeOf(parent, `t${at}`, { memoryId: `m${at}` }))),
    );

    expect(answers.filter(({ $case }) => $case === 'storeMemory')).toHaveLength(200);
    const ids = chat.results.map(({ correlationId }) => correlationId);
    expect(new Set(ids).size).toBe(200);
    expect(ids).toHaveLength(200);
  });

  it('when the caller half-closes it › all requests are answered before it ends with OK', async () => {
    const parent = freshNamespace();
    const chat = session();
    const answers = Array.from({ length: 30 }, (_, at) => chat.ask(storeOf(parent, `t${at}`)));
    chat.stream.end();

    expect(await chat.ended).toBeUndefined();
    expect(chat.results).toHaveLength(30);
    await Promise.all(answers);
  });

  it('when idle › it sends heartbeats', async () => {
    const chat = session();
    await chat.until(() => chat.heartbeats >= 2);
    chat.stream.write({ operations: [] });
    expect((await chat.ask({ $case: 'listRecallPresets', value: {} })).$case).toBe('listRecallPresets');
  });
});
