import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ServiceError } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  BatchStoreMemoriesRequest,
  DeleteMemoryRequest,
  ImportMemoriesRequest,
  StoreMemoryRequest,
  UpdateMemoryRequest,
} from '../../../../gen/ts/mneme/v1/memory_service.ts';
import { CreateNamespaceRequest, DeleteNamespaceRequest } from '../../../../gen/ts/mneme/v1/namespace_service.ts';
import { ask, refusal, refusalOf } from '../support/ask.ts';
import { TestIngest } from '../support/ingest.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

const PARENT = 'namespaces/own';

let folder: string;
let mneme: TestServer;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mneme-quotas-'));
});
afterEach(async () => {
  await mneme.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** A server without credentials, whose callers have these limits together. */
async function startWith(limits: object): Promise<void> {
  const policyFile = join(folder, 'policy.json');
  writeFileSync(policyFile, JSON.stringify({ limits: { everyone: limits } }));
  mneme = await startTestServer({ policyFile });
}

function store(memoryId: string, text = 'word', more: object = {}) {
  const { memories } = mneme;
  const request = StoreMemoryRequest.fromPartial({ parent: PARENT, memory: { text }, memoryId, ...more });
  return ask(memories, memories.storeMemory, request);
}

function createNamespace(name: string) {
  const request = CreateNamespaceRequest.fromPartial({ namespace: { name: `namespaces/${name}` } });
  return ask(mneme.namespaces, mneme.namespaces.createNamespace, request);
}

describe('memories in a namespace', () => {
  it('at the limit › a new one is refused without a time to wait; others are replaced, and room comes back', async () => {
    await startWith({ namespace_memories: 2 });
    await store('a', 'one', { requestId: 'first' });
    await store('b');
    const refused = await refusal(store('c'));
    expect(refused).toMatchObject({
      code: 'RESOURCE_EXHAUSTED',
      reason: 'QUOTA_EXCEEDED',
      metadata: {
        rule: 'everyone',
        identity: 'anonymous',
        limit: '2',
        unit: 'memories in a namespace',
        name: PARENT,
      },
      retryDelayMs: undefined,
    });
    expect(refused.trailer.get('grpc-retry-pushback-ms')).toEqual([]);
    expect((await store('a', 'one', { requestId: 'first' })).memory?.name).toBe(`${PARENT}/memories/a`);
    expect((await refusal(store('a'))).reason).toBe('MEMORY_EXISTS');
    const { memories } = mneme;
    await ask(memories, memories.deleteMemory, DeleteMemoryRequest.fromPartial({ name: `${PARENT}/memories/b` }));
    await store('c');
  });

  it('stored at the same time › exactly as many as the limit are stored', async () => {
    await startWith({ namespace_memories: 7 });
    const outcomes = await Promise.all(
      Array.from({ length: 40 }, (_, at) =>
        store(`m${at}`).then(
          () => 'stored',
          (error) => refusalOf(error).reason,
        ),
      ),
    );
    expect(outcomes.filter((outcome) => outcome === 'stored').length).toBe(7);
    expect(new Set(outcomes)).toEqual(new Set(['stored', 'QUOTA_EXCEEDED']));
  });

  it('an ingest › refuses the items beyond, each in its place, and goes on', async () => {
    await startWith({ namespace_memories: 2 });
    const ingest = new TestIngest(mneme.ingests, { parent: PARENT, streamId: 's' });
    ingest.batch(1, [{ text: 'one' }, { text: 'two' }, { text: 'three' }]);
    await ingest.until(() => ingest.acknowledged >= 3);
    const outcomes = ingest.results.map(({ outcome }) => outcome?.$case).toSorted();
    expect(outcomes).toEqual(['error', 'memory', 'memory']);
    ingest.batch(4, [{ text: 'four' }]);
    await ingest.until(() => ingest.acknowledged >= 4);
    ingest.stream.end();
    expect(await ingest.ended).toBeUndefined();
  });
});

describe('bytes in a namespace', () => {
  it('beyond the limit › stores and updates are refused, shorter texts are stored', async () => {
    await startWith({ namespace_bytes: 100 });
    await store('a', 'x'.repeat(60));
    expect(await refusal(store('b', 'y'.repeat(41)))).toMatchObject({ metadata: { unit: 'bytes in a namespace' } });
    await store('b', 'y'.repeat(40));
    const update = (text: string) => {
      const memory = { name: `${PARENT}/memories/a`, text };
      const request = UpdateMemoryRequest.fromPartial({ memory, updateMask: ['text'] });
      return ask(mneme.memories, mneme.memories.updateMemory, request);
    };
    expect(await refusal(update('x'.repeat(61)))).toMatchObject({ reason: 'QUOTA_EXCEEDED' });
    await update('short');
    await update('x'.repeat(60));
  });
});

describe('namespaces', () => {
  it('at the limit › none is made, by any call; the existing ones are written to', async () => {
    await startWith({ namespaces: 2 });
    await store('a');
    await createNamespace('second');
    expect(await refusal(createNamespace('third'))).toMatchObject({
      reason: 'QUOTA_EXCEEDED',
      metadata: { limit: '2', unit: 'namespaces' },
    });
    const other = StoreMemoryRequest.fromPartial({ parent: 'namespaces/third', memory: { text: 'x' } });
    const { memories, namespaces } = mneme;
    expect((await refusal(ask(memories, memories.storeMemory, other))).reason).toBe('QUOTA_EXCEEDED');
    await store('b');
    expect((await refusal(createNamespace('second'))).reason).toBe('NAMESPACE_EXISTS');
    const deletion = DeleteNamespaceRequest.fromPartial({ name: 'namespaces/second' });
    await ask(namespaces, namespaces.deleteNamespace, deletion);
    await createNamespace('third');
  });

  it('made at the same time › exactly as many as the limit', async () => {
    await startWith({ namespaces: 3 });
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        createNamespace(`n${at}`).then(
          () => 'made',
          () => 'refused',
        ),
      ),
    );
    expect(outcomes.filter((outcome) => outcome === 'made').length).toBe(3);
  });
});

describe('a batch', () => {
  it('counts as one call', async () => {
    await startWith({ write_calls: { per_second: 0.01, burst: 1 } });
    const requests = Array.from({ length: 100 }, (_, at) => ({ memory: { text: `one ${at}` } }));
    const request = BatchStoreMemoriesRequest.fromPartial({ parent: PARENT, requests });
    await ask(mneme.memories, mneme.memories.batchStoreMemories, request);
    expect((await refusal(store('a'))).metadata).toMatchObject({ unit: 'write calls per second' });
  });
});

describe('messages of streams of writes', () => {
  const FAST = { write_calls: { per_second: 100, burst: 1 } };

  it('an import › goes on at the rate, and stores everything', async () => {
    await startWith(FAST);
    const startMs = performance.now();
    const stream = mneme.memories.importMemories();
    const counts: number[] = [];
    stream.on('data', ({ acknowledgedCount }: { acknowledgedCount: number }) => counts.push(acknowledgedCount));
    for (let message = 0; message < 20; message++) {
      const memories = [{ text: `word ${message}`, name: `${PARENT}/memories/m${message}` }];
      stream.write(ImportMemoriesRequest.fromPartial({ parent: PARENT, memories }));
    }
    stream.end();
    await once(stream, 'end');
    expect(counts.at(-1)).toBe(20);
    expect(performance.now() - startMs).toBeGreaterThan(180);
  });

  it('an ingest › goes on at the rate, and refuses nothing', async () => {
    await startWith(FAST);
    const ingest = new TestIngest(mneme.ingests, { parent: PARENT, streamId: 's' });
    for (let batch = 1; batch <= 10; batch++) ingest.batch(batch, [{ text: `word ${batch}` }]);
    await ingest.until(() => ingest.acknowledged >= 10);
    expect(ingest.results.every(({ outcome }) => outcome?.$case === 'memory')).toBe(true);
    ingest.stream.end();
    expect(await ingest.ended).toBeUndefined();
  });

  it('an import that waits for its rate until its deadline › DEADLINE_EXCEEDED', async () => {
    await startWith({ write_calls: { per_second: 0.01, burst: 1 } });
    const stream = mneme.memories.importMemories({ deadline: Date.now() + 500 });
    stream.on('data', () => undefined);
    for (const id of ['a', 'b', 'c']) {
      const memories = [{ text: 'word', name: `${PARENT}/memories/${id}` }];
      stream.write(ImportMemoriesRequest.fromPartial({ parent: PARENT, memories }));
    }
    const [error] = (await once(stream, 'error')) as [ServiceError];
    expect(refusalOf(error).code).toBe('DEADLINE_EXCEEDED');
    expect(mneme.log.filter(({ level }) => level === 'error')).toEqual([]);
  });
});

describe('a policy with grants', () => {
  it('without identities › the server does not start', async () => {
    await startWith({});
    const policyFile = join(folder, 'grants.json');
    writeFileSync(policyFile, '{"identities": {}}');
    await expect(startTestServer({ policyFile })).rejects.toThrow('--policy-file: grants require identities');
  });
});
