import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { GetServerInfoRequest } from '../../gen/ts/mneme/v1/admin_service.ts';
import { MemoryView } from '../../gen/ts/mneme/v1/memory.ts';
import { GetRequest, StoreRequest } from '../../gen/ts/mneme/v1/memory_service.ts';
import { RecallLane, RecallRequest } from '../../gen/ts/mneme/v1/recall_service.ts';
import { ask, refusal } from './support/ask.ts';
import { startTestServer, type TestServer } from './support/test-server.ts';

let mneme: TestServer;
beforeAll(async () => {
  mneme = await startTestServer({ embedder: 'static' });
});
afterAll(() => mneme.stop());

const store = (parent: string, memoryId: string, memory: Parameters<typeof StoreRequest.fromPartial>[0]['memory']) =>
  ask(mneme.memories, mneme.memories.store, StoreRequest.fromPartial({ parent, memoryId, memory }));
const recall = (query: Parameters<typeof RecallRequest.fromPartial>[0]) =>
  ask(mneme.recalls, mneme.recalls.recall, RecallRequest.fromPartial(query));

describe('the static embedder', () => {
  it('tells what it is', async () => {
    const { embedder } = await ask(mneme.admin, mneme.admin.getServerInfo, GetServerInfoRequest.fromPartial({}));
    expect(embedder).toEqual({ kind: 'static', model: 'static-minilm-v1', dimension: 256, laneWeight: 0.1 });
  });

  it('finds by meaning what shares no word with the question', async () => {
    const parent = 'namespaces/meaning';
    await store(parent, 'pet', { text: 'She adopted a puppy', source: { speaker: 'Ann' } });
    await store(parent, 'report', { text: 'The report was sent as a PDF', source: { speaker: 'Bob' } });
    const { hits, lanes, degraded } = await recall({ parent, text: "Which dog is Ann's?", explain: true });
    expect(hits[0]?.memory?.text).toBe('She adopted a puppy');
    expect([lanes.includes(RecallLane.RECALL_LANE_VECTOR), degraded]).toEqual([true, []]);
    const name = `${parent}/memories/pet`;
    const full = GetRequest.fromPartial({ name, view: MemoryView.MEMORY_VIEW_FULL });
    const { memory } = await ask(mneme.memories, mneme.memories.get, full);
    expect(memory?.embedding).toMatchObject({ model: 'static-minilm-v1', dimension: 256 });
  });

  it('leaves a namespace of another model as it is: its texts get no vector, keywords answer, recall says so', async () => {
    const parent = 'namespaces/other';
    const dataF32le = Buffer.from(Float32Array.of(1, 0).buffer);
    await store(parent, 'own', { text: 'a puppy', embedding: { model: 'mine', dimension: 2, dataF32le } });
    await store(parent, 'plain', { text: 'a second puppy' });
    const { hits, degraded, lanes } = await recall({ parent, text: 'puppy' });
    expect(hits).toHaveLength(2);
    expect(lanes).toEqual([RecallLane.RECALL_LANE_KEYWORD]);
    expect(degraded.map(({ part }) => part)).toEqual(['vector']);
    const embedding = { model: 'mine', dimension: 2, dataF32le };
    expect((await recall({ parent, embedding })).hits).toHaveLength(1);
  });

  it('asked for by vector alone where there is none › refused', async () => {
    const parent = 'namespaces/unknown';
    await store(parent, 'a', { text: 'a puppy' });
    const weights = { keyword: 0, vector: 1 };
    expect((await refusal(recall({ parent, text: '?!', weights }))).reason).toBe('LANE_UNAVAILABLE');
    expect((await recall({ parent, text: 'dog', weights })).hits).toHaveLength(1);
  });
});
