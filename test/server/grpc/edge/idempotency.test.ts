import { randomUUID } from 'node:crypto';
import { credentials } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  BatchStoreMemoriesRequest,
  DeleteMemoryRequest,
  ForgetMemoriesRequest,
  ListMemoriesRequest,
  SetMemoryImportanceRequest,
  StoreMemoryRequest,
  UpdateMemoryRequest,
} from '../../../../gen/ts/mneme/v1/memory_service.ts';
import { MnemeError } from '../../../../src/memory/errors.ts';
import type { Storage } from '../../../../src/server/assembly/storage-parts.ts';
import { withMethods } from '../../../../src/storage/with-methods.ts';
import { ask, refusal } from '../support/ask.ts';
import { freshNamespace, get, store } from '../support/memories.ts';
import { connect, startTestServer, type TestServer } from '../support/test-server.ts';

let mneme: TestServer;
/** Writes that take effect and then fail, as when the connection breaks before the answer. */
let failuresLeft = 0;
beforeAll(async () => {
  mneme = await startTestServer({}, { storage: failingAfterwards });
});
afterAll(() => mneme.stop());

function failingAfterwards({ store: made, engine, ...rest }: Storage): Storage {
  const store = withMethods(made, {
    write: async (change) => {
      const outcome = await made.write(change);
      const isLost = change.kind === 'store' && failuresLeft-- > 0;
      if (isLost) throw new MnemeError('STORAGE_UNAVAILABLE', 'lost', { metadata: { backend: 'test' } });
      return outcome;
    },
  });
  return { ...rest, store, engine };
}

async function textsIn(parent: string): Promise<string[]> {
  const { memories } = await ask(
    mneme.memories,
    mneme.memories.listMemories,
    ListMemoriesRequest.fromPartial({ parent }),
  );
  return memories.map(({ text }) => text);
}

describe('a mutation with a request id', () => {
  const { fromPartial } = StoreMemoryRequest;

  it('when Store is repeated › one effect and the first answer', async () => {
    const parent = freshNamespace();
    const request = fromPartial({ parent, memory: { text: 'x' }, requestId: randomUUID() });
    const first = await ask(mneme.memories, mneme.memories.storeMemory, request);

    expect(await ask(mneme.memories, mneme.memories.storeMemory, request)).toEqual(first);
    expect(await textsIn(parent)).toEqual(['x']);
  });

  it('when repetitions come at the same time › one effect and one answer', async () => {
    const parent = freshNamespace();
    const request = fromPartial({ parent, memory: { text: 'x' }, requestId: randomUUID() });
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => ask(mneme.memories, mneme.memories.storeMemory, request)),
    );

    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(await textsIn(parent)).toEqual(['x']);
  });

  it('when the id comes with another request or method › FAILED_PRECONDITION and no effect', async () => {
    const parent = freshNamespace();
    const requestId = randomUUID();
    const { memory } = await ask(
      mneme.memories,
      mneme.memories.storeMemory,
      fromPartial({ parent, memory: { text: 'x' }, requestId }),
    );
    const name = memory?.name ?? '';
    const others = [
      ask(mneme.memories, mneme.memories.storeMemory, fromPartial({ parent, memory: { text: 'y' }, requestId })),
      ask(mneme.memories, mneme.memories.deleteMemory, DeleteMemoryRequest.fromPartial({ name, requestId })),
      ask(
        mneme.memories,
        mneme.memories.forgetMemories,
        ForgetMemoriesRequest.fromPartial({ parent, all: true, requestId }),
      ),
      ask(
        mneme.memories,
        mneme.memories.setMemoryImportance,
        SetMemoryImportanceRequest.fromPartial({ name, importance: 1, requestId }),
      ),
      ask(
        mneme.memories,
        mneme.memories.updateMemory,
        UpdateMemoryRequest.fromPartial({ memory: { name, text: 'z' }, updateMask: ['text'], requestId }),
      ),
    ];
    for (const refused of await Promise.all(others.map(refusal))) {
      expect(refused).toMatchObject({
        code: 'FAILED_PRECONDITION',
        reason: 'REQUEST_ID_REUSED',
        metadata: { request_id: requestId },
      });
    }
    expect(await textsIn(parent)).toEqual(['x']);
    expect((await get(mneme, name)).importance).toBe(0.5);
  });

  it('when the same id is used in another namespace › it is another one', async () => {
    const requestId = randomUUID();
    for (const parent of [freshNamespace(), freshNamespace()]) {
      await ask(mneme.memories, mneme.memories.storeMemory, fromPartial({ parent, memory: { text: 'x' }, requestId }));
      expect(await textsIn(parent)).toEqual(['x']);
    }
  });

  it('when BatchStore, Update, SetImportance and Delete are repeated › the first answer', async () => {
    const parent = freshNamespace();
    const { name } = await store(mneme, parent, { text: 'x' });
    const { memories } = mneme;
    const requestId = () => randomUUID();
    const batch = BatchStoreMemoriesRequest.fromPartial({
      parent,
      requests: [{ memory: { text: 'b' } }],
      requestId: requestId(),
    });
    const memory = { name, text: 'y' };
    const update = UpdateMemoryRequest.fromPartial({ memory, updateMask: ['text'], requestId: requestId() });
    const importance = SetMemoryImportanceRequest.fromPartial({ name, importance: 1, requestId: requestId() });
    const erase = DeleteMemoryRequest.fromPartial({ name, requestId: requestId() });
    const calls = [
      () => ask<BatchStoreMemoriesRequest, unknown>(memories, memories.batchStoreMemories, batch),
      () => ask<UpdateMemoryRequest, unknown>(memories, memories.updateMemory, update),
      () => ask<SetMemoryImportanceRequest, unknown>(memories, memories.setMemoryImportance, importance),
      () => ask<DeleteMemoryRequest, unknown>(memories, memories.deleteMemory, erase),
    ];
    const firsts: unknown[] = [];
    for (const call of calls) firsts.push(await call());

    for (const [i, call] of calls.entries()) expect(await call()).toEqual(firsts[i]);
    expect(await textsIn(parent)).toEqual(['b']);
  });

  it('when it fails with UNAVAILABLE after it took effect and the client retries › one effect', async () => {
    const retryPolicy = {
      maxAttempts: 4,
      initialBackoff: '0.01s',
      maxBackoff: '0.1s',
      backoffMultiplier: 2,
      retryableStatusCodes: ['UNAVAILABLE'],
    };
    const config = { methodConfig: [{ name: [{ service: 'mneme.v1.MemoryService' }], retryPolicy }] };
    const retrying = connect(mneme.address, credentials.createInsecure(), {
      'grpc.service_config': JSON.stringify(config),
    });
    const parent = freshNamespace();
    const request = fromPartial({ parent, memory: { text: 'x' }, requestId: randomUUID() });
    failuresLeft = 1;
    try {
      const { memory } = await ask(retrying.memories, retrying.memories.storeMemory, request);

      expect(failuresLeft).toBeLessThan(0);
      expect(await textsIn(parent)).toEqual(['x']);
      expect((await get(mneme, memory?.name ?? '')).text).toBe('x');
    } finally {
      retrying.close();
    }
  });
});
