import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  GetReembedProgressRequest,
  GetServerInfoRequest,
  ReembedMemoriesRequest,
} from '../../../../gen/ts/mneme/v1/admin_service.ts';
import { BatchStoreMemoriesRequest } from '../../../../gen/ts/mneme/v1/memory_service.ts';
import { GetNamespaceRequest } from '../../../../gen/ts/mneme/v1/namespace_service.ts';
import { RecallRequest } from '../../../../gen/ts/mneme/v1/recall_service.ts';
import { ask, refusal } from '../support/ask.ts';
import { GatedEmbedder, vectorOf } from '../support/gated-embedder.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

const COUNT = 120;
const TEXTS = 7;
const parent = 'namespaces/n';

let data: string;
let mneme: TestServer;
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'mneme-spaces-'));
});
afterEach(async () => {
  await mneme.stop();
  rmSync(data, { recursive: true, force: true });
});

/** A server over the same folder, again and again. */
async function start(embedder: GatedEmbedder): Promise<void> {
  mneme = await startTestServer({ data, embedderBatchSize: '50' }, { embedder });
}

/** Memories with vectors of two values of the model `m`. */
async function store(): Promise<void> {
  const requests = Array.from({ length: COUNT }, (_, at) => {
    const text = `memory ${'x'.repeat(at % TEXTS)}`;
    const dataF32le = Buffer.from(vectorOf(text, 2).buffer);
    return { memoryId: `m${at}`, memory: { text, embedding: { model: 'm', dimension: 2, dataF32le } } };
  });
  await ask(
    mneme.memories,
    mneme.memories.batchStoreMemories,
    BatchStoreMemoriesRequest.fromPartial({ parent, requests }),
  );
}

const reembed = () => ask(mneme.admin, mneme.admin.reembedMemories, ReembedMemoriesRequest.fromPartial({ parent }));
const progress = () =>
  ask(mneme.admin, mneme.admin.getReembedProgress, GetReembedProgressRequest.fromPartial({ parent }));
const recall = (weights: object = {}) =>
  ask(
    mneme.recalls,
    mneme.recalls.recall,
    RecallRequest.fromPartial({ minRelevance: 0, parent, text: 'memory xxx', weights }),
  );
/** Without the notices that texts are still being read, for the encoder of sentences or the ranker: this is not controlled here. */
const settled = (parts: readonly { readonly part: string; readonly reason: string }[]) =>
  parts.filter(({ part }) => part !== 'encoder' && part !== 'ranker');
const space = async () => {
  const request = GetNamespaceRequest.fromPartial({ name: parent });
  const { namespace } = await ask(mneme.namespaces, mneme.namespaces.getNamespace, request);
  return `${namespace?.embeddingModel} ${namespace?.embeddingDimension}`;
};

/** Repeats the call until the condition holds: the server answers every call, so no sleep is needed. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo()));
}
const finished = () => until(async () => (await progress()).namespaces.length === 0);

describe('a model whose vectors have another dimension than the namespace', () => {
  it('recall by a text › keywords answer, and the answer gives advice', async () => {
    await start(new GatedEmbedder('m', 8));
    await store();
    const { hits, degraded } = await recall();
    expect(hits).toHaveLength(TEXTS);
    const reason = `the namespace's vectors have 2 values, but those of the embedder ("m") have 8: Reembed recomputes them`;
    expect(settled(degraded)).toEqual([expect.objectContaining({ part: 'vector', reason })]);
    const { reason: code, message } = await refusal(recall({ keyword: 0, vector: 1 }));
    expect(code).toBe('LANE_UNAVAILABLE');
    expect(message).toContain(reason);
    const preset = { name: 'similarity', parameters: '{"query":"memory xxx"}' };
    const asked = ask(mneme.recalls, mneme.recalls.recall, RecallRequest.fromPartial({ parent, preset }));
    expect((await refusal(asked)).message).toContain(reason);
  });

  it.each([true, false])(
    'Reembed, dimension known before: %s › vectors are recomputed and searchable',
    async (isKnown) => {
      await start(new GatedEmbedder('m', 8, isKnown));
      await store();
      expect((await reembed()).namespaces).toMatchObject([{ fromModel: 'm', toModel: 'm', totalCount: COUNT }]);
      await finished();
      expect(await space()).toBe('m 8');
      expect(settled((await recall({ keyword: 0, vector: 1 })).degraded)).toEqual([]);
      expect((await reembed()).namespaces).toEqual([]);
    },
  );

  it('dimension is unknown, and the embedder fails › Reembed reports the reason', async () => {
    const embedder = new GatedEmbedder('m', 8, false);
    embedder.failure = 'it is asleep';
    await start(embedder);
    await store();
    expect(await refusal(reembed())).toMatchObject({ reason: 'EMBEDDER_UNAVAILABLE', message: 'it is asleep' });
  });
});

describe('a server that restarts during a re-embedding', () => {
  async function stoppedAmid(): Promise<void> {
    const embedder = new GatedEmbedder('new', 8);
    embedder.allowed = 1;
    await start(embedder);
    await store();
    await reembed();
    await until(async () => (await progress()).namespaces[0]?.doneCount === 50);
    await mneme.stop();
  }

  it('the dimension of the model has changed › all vectors are recomputed', async () => {
    await stoppedAmid();
    await start(new GatedEmbedder('new', 4));
    await finished();
    expect(await space()).toBe('new 4');
    expect((await recall({ keyword: 0, vector: 1 })).hits).toHaveLength(TEXTS);
  });

  it('the embedder has changed › the former vectors serve; the missing embedder is named, and Reembed starts again', async () => {
    await stoppedAmid();
    await start(new GatedEmbedder('other', 4));
    const waits = 'it was started with "new" and waits for that embedder; Reembed starts again with "other"';
    await until(async () => (await progress()).failure === waits);
    const { degraded } = await ask(mneme.admin, mneme.admin.getServerInfo, GetServerInfoRequest.fromPartial({}));
    expect(degraded).toContain(`reembedding: ${waits}`);
    expect(await space()).toBe('m 2');
    const parts = settled((await recall()).degraded);
    expect(parts).toMatchObject([{ reason: expect.stringContaining('the embedder is "other"') }]);
    await reembed();
    expect((await progress()).failure).toBe('');
    await finished();
    expect(await space()).toBe('other 4');
  });
});
