import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { GetServerInfoRequest } from '../../../../gen/ts/mneme/v1/admin_service.ts';
import { MemoryView } from '../../../../gen/ts/mneme/v1/memory.ts';
import {
  DeleteMemoryRequest,
  GetMemoryRequest,
  StoreMemoryRequest,
  UpdateMemoryRequest,
} from '../../../../gen/ts/mneme/v1/memory_service.ts';
import { RecallLane, RecallRequest } from '../../../../gen/ts/mneme/v1/recall_service.ts';
import { ask, refusal } from '../support/ask.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

let mneme: TestServer;
beforeAll(async () => {
  mneme = await startTestServer();
});
afterAll(() => mneme.stop());

const store = (
  parent: string,
  memoryId: string,
  memory: Parameters<typeof StoreMemoryRequest.fromPartial>[0]['memory'],
) => ask(mneme.memories, mneme.memories.storeMemory, StoreMemoryRequest.fromPartial({ parent, memoryId, memory }));
const recall = (query: Parameters<typeof RecallRequest.fromPartial>[0]) =>
  ask(mneme.recalls, mneme.recalls.recall, RecallRequest.fromPartial({ minRelevance: 0, ...query }));

describe('the static embedder', () => {
  it('is the default of a server', async () => {
    const { embedder } = await ask(mneme.admin, mneme.admin.getServerInfo, GetServerInfoRequest.fromPartial({}));
    expect(embedder).toEqual({ kind: 'static', model: 'static-minilm-v1', dimension: 256, laneWeight: 0.1 });
  });

  it('finds by meaning a memory that shares no word with the question', async () => {
    const parent = 'namespaces/meaning';
    await store(parent, 'pet', { text: 'She adopted a puppy', source: { speaker: 'Ann' } });
    await store(parent, 'report', { text: 'The report was sent as a PDF', source: { speaker: 'Bob' } });
    const { hits, lanes, degraded } = await recall({ parent, text: "Which dog is Ann's?", explain: true });
    expect(hits[0]?.memory?.text).toBe('She adopted a puppy');
    expect([lanes.includes(RecallLane.RECALL_LANE_VECTOR), degraded]).toEqual([true, []]);
    const name = `${parent}/memories/pet`;
    const full = GetMemoryRequest.fromPartial({ name, view: MemoryView.MEMORY_VIEW_FULL });
    const { memory } = await ask(mneme.memories, mneme.memories.getMemory, full);
    expect(memory?.embedding).toBeUndefined();
  });

  it('leaves vectors to the clients: the first one may come after texts, and texts are still found by meaning', async () => {
    const parent = 'namespaces/other';
    const embedding = { model: 'mine', dimension: 2, dataF32le: Buffer.from(Float32Array.of(1, 0).buffer) };
    await store(parent, 'plain', { text: 'a puppy' });
    await store(parent, 'own', { text: 'a receipt', embedding });
    const weights = { keyword: 0, vector: 1 };
    const { hits, degraded, lanes } = await recall({ parent, text: 'dog', weights });
    expect(hits.map(({ memory }) => memory?.text)).toEqual(['a puppy', 'a receipt']);
    expect([lanes, degraded]).toEqual([[RecallLane.RECALL_LANE_VECTOR], []]);
    expect((await recall({ parent, embedding })).hits.map(({ memory }) => memory?.text)).toEqual(['a receipt']);
  });

  it('follows texts that change and go', async () => {
    const parent = 'namespaces/changing';
    const weights = { keyword: 0, vector: 1, recency: 0 };
    const found = async () => (await recall({ parent, text: 'dog', weights })).hits.map(({ memory }) => memory?.text);
    await store(parent, 'a', { text: 'a puppy' });
    await store(parent, 'b', { text: 'an invoice' });
    expect(await found()).toEqual(['a puppy', 'an invoice']);
    const memory = { name: `${parent}/memories/b`, text: 'a dog' };
    await ask(
      mneme.memories,
      mneme.memories.updateMemory,
      UpdateMemoryRequest.fromPartial({ memory, updateMask: ['text'] }),
    );
    expect(await found()).toEqual(['a dog', 'a puppy']);
    await ask(mneme.memories, mneme.memories.deleteMemory, DeleteMemoryRequest.fromPartial({ name: memory.name }));
    expect(await found()).toEqual(['a puppy']);
  });

  it('a text found by its own words › its cosine is 1', async () => {
    const parent = 'namespaces/same';
    await store(parent, 'a', { text: 'the harbour at dawn' });
    const weights = { keyword: 0, vector: 1 };
    const { hits } = await recall({ parent, text: 'the harbour at dawn', weights, explain: true });
    expect(hits[0]?.components.find(({ name }) => name === 'vector')?.value).toBeCloseTo(1, 6);
  });

  it('asked for by vector alone where there is none › refused', async () => {
    const parent = 'namespaces/unknown';
    await store(parent, 'a', { text: 'a puppy' });
    const weights = { keyword: 0, vector: 1 };
    const refused = { code: 'FAILED_PRECONDITION', reason: 'LANE_UNAVAILABLE', fields: ['weights.keyword'] };
    expect(await refusal(recall({ parent, text: '?!', weights }))).toMatchObject(refused);
    expect((await recall({ parent, text: 'dog', weights })).hits).toHaveLength(1);
  });
});
