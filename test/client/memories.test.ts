import { afterEach, describe, expect, it } from '@jest/globals';
import { Content, type NewMemory, PreciseDate } from '../../clients/typescript/src/index.ts';
import type {
  BatchGetMemoriesRequest,
  BatchStoreMemoriesRequest,
  DeleteMemoryRequest,
  ForgetMemoriesRequest,
  GetMemoryRequest,
  MemoryServiceService,
  SetMemoryImportanceRequest,
  StoreMemoryRequest,
  UpdateMemoryRequest,
} from '../../gen/ts/mneme/v1/memory_service.ts';
import { cleanUp, serve } from './support/clean-up.ts';
import { bareMemoryMessage, fullMemoryMessage } from './support/proto-memory.ts';
import { unary } from './support/start-service.ts';

afterEach(cleanUp);

const RECEIPT = {
  name: 'namespaces/default/memories/m1',
  version: 11n,
  createTime: { seconds: 1n, nanos: 500_000 },
  checksum: 'c',
  embeddingPending: true,
};

/** A client of a server that records each request to a method and returns this answer. */
async function recording<Request>(method: keyof typeof MemoryServiceService, answer: object) {
  const requests: Request[] = [];
  const handler = unary<Request, object>((request) => {
    requests.push(request);
    return answer;
  });
  const { mneme } = await serve({ memory: { [method]: handler } });
  return { mneme, requests };
}

describe('client › reading a memory', () => {
  it('a memory with every field › comes as plain values, times to the microsecond', async () => {
    const { mneme } = await recording<GetMemoryRequest>('getMemory', { memory: fullMemoryMessage(), revision: 12n });

    const memory = await mneme.get('m1');

    expect(memory).toEqual({
      name: 'namespaces/default/memories/m1',
      namespace: 'default',
      id: 'm1',
      scope: { project: 'p', agentType: 'planner', agent: 'a', session: 's' },
      type: 'episode',
      step: Number.MAX_SAFE_INTEGER,
      eventTime: new PreciseDate(1_700_000_000_123_456),
      createTime: new PreciseDate(1_700_000_001_123_456),
      updateTime: new PreciseDate(1_700_000_002_123_456),
      text: 'tea at five',
      content: new Content('application/json', Buffer.from('{"a": 1.0}')),
      tags: ['x', 'y'],
      embedding: { model: 'test', values: new Float32Array([0.1, -2, 3e-38]) },
      place: {
        point: { x: 1, y: 2, z: 3 },
        geo: { latitudeDeg: 52.5, longitudeDeg: 13.4 },
        location: 'harbour',
        room: 'hall',
        region: 'north',
      },
      importance: 0,
      priority: 0.25,
      source: { speaker: 'Ann', uri: 'file:1', origin: 'import' },
      tier: 'short_term',
      retrievalCount: 3,
      lastAccessTime: new PreciseDate(1_700_000_003_123_456),
      expireTime: new PreciseDate(4_000_000_000_123_456),
      validFrom: new PreciseDate(-876_544),
      validUntil: new PreciseDate(1_800_000_000_123_456),
      supersededBy: 'm2',
      checksum: 'c'.repeat(64),
      version: 11,
      compaction: { checksum: 'd'.repeat(64), contentBytes: 90, droppedKeys: ['debug_info'], decimals: 3 },
    });
    expect(memory.eventTime.toISOString()).toBe('2023-11-14T22:13:20.123456Z');
    expect(memory.content?.json()).toEqual({ a: 1 });
  });

  it('a sparse memory › has no keys for absent fields', async () => {
    const { mneme } = await recording<GetMemoryRequest>('getMemory', { memory: bareMemoryMessage('m1'), revision: 1n });

    const memory = await mneme.get('m1');

    for (const key of ['step', 'content', 'embedding', 'place', 'lastAccessTime', 'expireTime', 'supersededBy']) {
      expect(memory).not.toHaveProperty(key);
    }
    expect(memory).toMatchObject({ scope: {}, source: {}, tags: [], importance: 0.5, priority: 1 });
  });

  it('an id or a full name › leads to the same request', async () => {
    const { mneme, requests } = await recording<GetMemoryRequest>('getMemory', {
      memory: bareMemoryMessage('m1'),
      revision: 1n,
    });

    await mneme.get('m1', { view: 'full', touch: true });
    await mneme.withNamespace('other').get('m1');
    await mneme.withNamespace('other').get('namespaces/default/memories/m1');

    expect(requests).toMatchObject([
      { name: 'namespaces/default/memories/m1', view: 2, touch: true },
      { name: 'namespaces/other/memories/m1', view: 1, touch: false },
      { name: 'namespaces/default/memories/m1' },
    ]);
  });

  it('several memories › come with the ids that lead to none', async () => {
    const { mneme, requests } = await recording<BatchGetMemoriesRequest>('batchGetMemories', {
      memories: [bareMemoryMessage('m2')],
      missing: ['namespaces/default/memories/m1'],
      damaged: ['namespaces/default/memories/m3'],
      revision: 5n,
    });

    const { memories, missingIds: missing, damagedIds, revision } = await mneme.batchGet(['m1', 'm2']);

    expect(requests[0]?.names).toEqual(['namespaces/default/memories/m1', 'namespaces/default/memories/m2']);
    expect([memories.map(({ id }) => id), missing, damagedIds, revision]).toEqual([['m2'], ['m1'], ['m3'], 5]);
  });
});

describe('client › storing', () => {
  it('a memory that was read › is sent unchanged, without fields set by the server', async () => {
    const read = await recording<GetMemoryRequest>('getMemory', { memory: fullMemoryMessage(), revision: 1n });
    const { mneme, requests } = await recording<StoreMemoryRequest>('storeMemory', {
      memory: RECEIPT,
      revision: 12n,
      degraded: [],
    });

    await mneme.store(await read.mneme.get('m1'));

    expect(requests[0]?.memoryId).toBe('m1');
    expect(requests[0]?.memory).toEqual({
      ...fullMemoryMessage(),
      name: '',
      scope: { namespace: '', project: 'p', agentType: 'planner', agent: 'a', session: 's' },
      tier: 0,
      checksum: '',
      version: 0n,
    });
  });

  it('a plain value as content › is sent as JSON', async () => {
    const { mneme, requests } = await recording<StoreMemoryRequest>('storeMemory', {
      memory: RECEIPT,
      revision: 12n,
      degraded: [],
    });

    await mneme.store({ content: { room: 'hall', steps: [1, null, true] } });

    const content = requests[0]?.memory?.content;
    expect(content?.mediaType).toBe('application/json');
    expect(content?.body?.value).toBe('{"room":"hall","steps":[1,null,true]}');
  });

  it('a vector as numbers › is sent as little-endian single precision', async () => {
    const { mneme, requests } = await recording<StoreMemoryRequest>('storeMemory', {
      memory: RECEIPT,
      revision: 12n,
      degraded: [],
    });

    await mneme.store({ embedding: { model: 'm', values: [1, -0.5] } });

    const embedding = requests[0]?.memory?.embedding;
    expect(embedding).toMatchObject({ dimension: 2, model: 'm' });
    expect(embedding?.dataF32le.toString('hex')).toBe('0000803f000000bf');
  });

  it('a batch › keeps its order under one request id', async () => {
    const { mneme, requests } = await recording<BatchStoreMemoriesRequest>('batchStoreMemories', {
      memories: [RECEIPT, { ...RECEIPT, name: 'namespaces/default/memories/m2' }],
      revision: 12n,
      degraded: [],
    });
    const memories: NewMemory[] = [{ text: 'a' }, { id: 'm2', text: 'b' }];

    const receipts = await mneme.batchStore(memories);

    expect(requests[0]?.requests.map(({ memoryId, requestId }) => [memoryId, requestId])).toEqual([
      ['', ''],
      ['m2', ''],
    ]);
    expect(requests[0]?.requestId).not.toBe('');
    expect(receipts.map(({ id, revision }) => [id, revision])).toEqual([
      ['m1', 12],
      ['m2', 12],
    ]);
    expect(receipts[0]?.createTime).toEqual(new PreciseDate(1_000_500));
  });
});

describe('client › changing', () => {
  it('an update › names exactly the fields that are set, and clears null ones', async () => {
    const { mneme, requests } = await recording<UpdateMemoryRequest>('updateMemory', {
      memory: RECEIPT,
      revision: 12n,
    });

    await mneme.update(
      'm1',
      { text: 'new', expireTime: null, scope: { agentType: 'critic', session: '' }, supersededBy: 'm9' },
      { ifVersion: 11 },
    );

    const [request] = requests;
    expect(request?.updateMask?.sort()).toEqual([
      'expire_time',
      'scope.agent_type',
      'scope.session',
      'superseded_by',
      'text',
    ]);
    expect(request?.memory).toMatchObject({
      name: 'namespaces/default/memories/m1',
      text: 'new',
      supersededBy: 'namespaces/default/memories/m9',
    });
    expect(request?.ifVersion).toBe(11n);
    expect(request?.memory?.expireTime).toBeUndefined();
  });

  it('importance and deletion › carry version and request id', async () => {
    const importance = await recording<SetMemoryImportanceRequest>('setMemoryImportance', {
      memory: RECEIPT,
      revision: 12n,
    });
    await importance.mneme.setImportance('m1', 0.9, { ifVersion: 11, requestId: 'r' });
    const deletion = await recording<DeleteMemoryRequest>('deleteMemory', { revision: 13n });
    const deleted = await deletion.mneme.delete('m1', { allowMissing: true, requestId: 'r' });

    const name = 'namespaces/default/memories/m1';
    expect(importance.requests).toEqual([{ name, importance: 0.9, ifVersion: 11n, requestId: 'r' }]);
    expect(deletion.requests).toEqual([{ name, ifVersion: undefined, allowMissing: true, requestId: 'r' }]);
    expect(deleted).toEqual({ revision: 13 });
  });

  it('forgetting › returns number, store and names', async () => {
    const { mneme, requests } = await recording<ForgetMemoriesRequest>('forgetMemories', {
      forgottenCount: 2,
      tiers: [{ tier: 1, count: 2 }],
      names: ['namespaces/default/memories/m1', 'namespaces/default/memories/m2'],
      revision: 14n,
    });

    const forgotten = await mneme.forget({ all: true, dryRun: true });

    expect(requests[0]).toMatchObject({ parent: 'namespaces/default', filter: undefined, all: true, dryRun: true });
    expect(forgotten).toEqual({
      forgottenCount: 2,
      tiers: [{ tier: 'short_term', count: 2 }],
      ids: ['m1', 'm2'],
      revision: 14,
    });
  });
});
