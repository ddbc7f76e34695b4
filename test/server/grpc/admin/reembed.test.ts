import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { GetReembedProgressRequest, ReembedMemoriesRequest } from '../../../../gen/ts/mneme/v1/admin_service.ts';
import { MemoryView } from '../../../../gen/ts/mneme/v1/memory.ts';
import {
  BatchStoreMemoriesRequest,
  GetMemoryRequest,
  UpdateMemoryRequest,
} from '../../../../gen/ts/mneme/v1/memory_service.ts';
import { GetNamespaceRequest } from '../../../../gen/ts/mneme/v1/namespace_service.ts';
import { RecallLane, RecallRequest } from '../../../../gen/ts/mneme/v1/recall_service.ts';
import type { Embedder } from '../../../../src/search/embedding/embedder.ts';
import { databaseFileIn, openWritable } from '../../../../src/storage/sqlite/database.ts';
import { ask, refusal } from '../support/ask.ts';
import { GatedEmbedder, vectorOf } from '../support/gated-embedder.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

let mneme: TestServer;
afterEach(() => mneme.stop());

const COUNT = 300;
const parent = 'namespaces/n';
const f32 = (...values: number[]) => Buffer.from(Float32Array.from(values).buffer);

const textOf = (at: number) => `memory ${'x'.repeat(at % 7)}`;

async function start(embedder: Embedder, flags: Record<string, string> = {}) {
  mneme = await startTestServer({ embedderBatchSize: '50', ...flags }, { embedder });
}

/** Memories with vectors of the model `old`. */
async function storeOld(count = COUNT) {
  const requests = Array.from({ length: count }, (_, at) => ({
    memoryId: `m${at}`,
    memory: { text: textOf(at), embedding: { model: 'old', dimension: 2, dataF32le: f32(0, 1) } },
  }));
  const request = BatchStoreMemoriesRequest.fromPartial({ parent, requests });
  await ask(mneme.memories, mneme.memories.batchStoreMemories, request);
}

const reembed = (name = parent) =>
  ask(mneme.admin, mneme.admin.reembedMemories, ReembedMemoriesRequest.fromPartial({ parent: name }));
const progress = () =>
  ask(mneme.admin, mneme.admin.getReembedProgress, GetReembedProgressRequest.fromPartial({ parent }));
const namespace = async () => {
  const request = GetNamespaceRequest.fromPartial({ name: parent });
  return (await ask(mneme.namespaces, mneme.namespaces.getNamespace, request)).namespace;
};
const vector = async (id: string) => {
  const request = GetMemoryRequest.fromPartial({ name: `${parent}/memories/${id}`, view: MemoryView.MEMORY_VIEW_FULL });
  return (await ask(mneme.memories, mneme.memories.getMemory, request)).memory?.embedding;
};
const recallBy = (model: string, values: readonly number[]) => {
  const embedding = { model, dimension: values.length, dataF32le: f32(...values) };
  return ask(mneme.recalls, mneme.recalls.recall, RecallRequest.fromPartial({ parent, embedding }));
};

/** Repeats the call until the condition holds: the server answers every call, so no sleep is needed. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo()));
}
const finished = () => until(async () => (await progress()).namespaces.length === 0);

describe('Reembed', () => {
  it('another embedder › all vectors are its own afterwards, and found by it', async () => {
    await start(new GatedEmbedder('new', 8));
    await storeOld();
    const { namespaces } = await reembed();
    expect(namespaces).toMatchObject([{ namespace: parent, fromModel: 'old', toModel: 'new', totalCount: COUNT }]);
    await finished();
    expect(await namespace()).toMatchObject({ embeddingModel: 'new', embeddingDimension: 8 });
    const one = await vector('m3');
    expect(one).toMatchObject({ model: 'new', dimension: 8 });
    expect(one?.dataF32le).toEqual(Buffer.from(vectorOf(textOf(3), 8).buffer));
    const { hits, lanes } = await recallBy('new', [...vectorOf(textOf(3), 8)]);
    expect(hits).toHaveLength(10);
    expect(new Set(hits.map(({ memory }) => memory?.text))).toEqual(new Set([textOf(3)]));
    expect(lanes).toEqual([RecallLane.RECALL_LANE_VECTOR]);
    expect((await refusal(recallBy('old', [0, 1]))).reason).toBe('MODEL_MISMATCH');
  });

  it('in progress › the former vectors serve, the new ones are refused, progress is reported', async () => {
    const embedder = new GatedEmbedder('new', 8);
    embedder.allowed = 2;
    await start(embedder);
    await storeOld();
    await reembed();
    await until(async () => (await progress()).namespaces[0]?.doneCount === 100);
    expect(await namespace()).toMatchObject({ embeddingModel: 'old', embeddingDimension: 2 });
    expect(await vector('m3')).toMatchObject({ model: 'old', dimension: 2 });
    expect((await recallBy('old', [0, 1])).hits).toHaveLength(10);
    expect((await refusal(recallBy('new', [1, 0, 0, 0, 0, 0, 0, 0]))).reason).toBe('MODEL_MISMATCH');
    embedder.open();
    await finished();
    expect(await vector('m3')).toMatchObject({ model: 'new' });
  });

  it('texts changed, stored and erased in the middle › each memory has the vector of its last text', async () => {
    const embedder = new GatedEmbedder('new', 8);
    embedder.allowed = 2;
    await start(embedder);
    await storeOld();
    await reembed();
    await until(async () => (await progress()).namespaces[0]?.doneCount === 100);
    for (const id of ['m1', 'm250']) {
      const memory = { name: `${parent}/memories/${id}`, text: 'changed text' };
      const request = UpdateMemoryRequest.fromPartial({ memory, updateMask: ['text'] });
      await ask(mneme.memories, mneme.memories.updateMemory, request);
    }
    const late = { memoryId: 'late', memory: { text: 'stored so late' } };
    await ask(
      mneme.memories,
      mneme.memories.batchStoreMemories,
      BatchStoreMemoriesRequest.fromPartial({ parent, requests: [late] }),
    );
    await ask(mneme.memories, mneme.memories.deleteMemory, { ...deletion('m2') });
    embedder.open();
    await finished();
    for (const [id, text] of [
      ['m1', 'changed text'],
      ['m250', 'changed text'],
      ['late', 'stored so late'],
    ] as const) {
      expect((await vector(id))?.dataF32le).toEqual(Buffer.from(vectorOf(text, 8).buffer));
    }
    const { hits } = await recallBy('new', [...vectorOf('stored so late', 8)]);
    expect(hits.map(({ memory }) => memory?.text)).toContain('stored so late');
  });

  it('X2 bodies lost behind, before and at the cursor › the rest is recomputed, and it ends', async () => {
    const data = await mkdtemp(join(tmpdir(), 'mneme-reembed-lost-'));
    const embedder = new GatedEmbedder('new', 8);
    embedder.allowed = 2;
    await start(embedder, { data });
    await storeOld();
    await reembed();
    await until(async () => (await progress()).namespaces[0]?.doneCount === 100);
    const memory = { name: `${parent}/memories/m2`, text: 'changed text' };
    const request = UpdateMemoryRequest.fromPartial({ memory, updateMask: ['text'] });
    await ask(mneme.memories, mneme.memories.updateMemory, request);
    const database = openWritable(databaseFileIn(data));
    const lost = ['m2', 'm120', `m${COUNT - 1}`];
    for (const id of lost) {
      database.prepare('DELETE FROM memory_body WHERE pk = (SELECT pk FROM memory WHERE id = ?)').run(id);
    }
    database.close();
    embedder.open();
    await finished();
    expect(await vector('m3')).toMatchObject({ model: 'new' });
    for (const id of lost) expect((await refusal(vector(id))).reason).toBe('CHECKSUM_MISMATCH');
    await rm(data, { recursive: true, force: true });
  });

  it('vectors of the embedder exist already › nothing to do', async () => {
    await start(new GatedEmbedder('old', 2));
    await storeOld(3);
    expect((await reembed()).namespaces).toEqual([]);
  });

  it('all namespaces, memories without vectors › get them', async () => {
    await start(new GatedEmbedder('new', 8));
    await storeOld(3);
    expect((await reembed('')).namespaces).toHaveLength(1);
    await finished();
    expect(await vector('m0')).toMatchObject({ model: 'new' });
  });

  it('a failing embedder › the former vectors serve and the failure is reported', async () => {
    const embedder = new GatedEmbedder('new', 8);
    embedder.failure = 'it is asleep';
    await start(embedder);
    await storeOld(3);
    await reembed();
    await until(async () => (await progress()).failure === 'it is asleep');
    const received = {
      level: 'warn',
      part: 'reembedding',
      reason: 'it is asleep',
      msg: 'vectors cannot be recomputed',
    };
    expect(mneme.log).toContainEqual(expect.objectContaining(received));
    expect((await recallBy('old', [0, 1])).hits).toHaveLength(3);
    embedder.failure = undefined;
    await reembed();
    expect((await progress()).failure).toBe('');
    await finished();
  });

  it('an embedder that stores no vectors › stored vectors are deleted, texts are found by computed ones', async () => {
    mneme = await startTestServer();
    await storeOld(3);
    expect((await reembed()).namespaces).toMatchObject([{ fromModel: 'old', toModel: 'static-minilm-v1' }]);
    await finished();
    expect(await namespace()).toMatchObject({ embeddingModel: '', embeddingDimension: 0 });
    expect(await vector('m0')).toBeUndefined();
    expect((await refusal(recallBy('any other', [1, 0]))).reason).toBe('NO_VECTORS');
    const asked = RecallRequest.fromPartial({
      minRelevance: 0,
      parent,
      text: textOf(1),
      weights: { keyword: 0, vector: 1 },
    });
    expect((await ask(mneme.recalls, mneme.recalls.recall, asked)).hits).toHaveLength(3);
    expect((await reembed('')).namespaces).toEqual([]);
  });

  it('no embedder, no such namespace, bad name › refused', async () => {
    mneme = await startTestServer({ embedder: 'none' });
    expect((await refusal(reembed())).reason).toBe('LANE_UNAVAILABLE');
    await mneme.stop();
    await start(new GatedEmbedder('new', 8));
    expect((await refusal(reembed(`namespaces/${randomUUID()}`))).reason).toBe('NAMESPACE_NOT_FOUND');
    expect((await refusal(reembed('nonsense'))).fields).toEqual(['parent']);
  });
});

function deletion(id: string) {
  return { name: `${parent}/memories/${id}`, ifVersion: undefined, allowMissing: false, requestId: '' };
}
