import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Embedding, MemoryDraft } from '../../../../src/memory/memory.ts';
import { embedPending } from '../../../../src/server/operations/memories/embed-texts.ts';
import { storeMemories } from '../../../../src/server/operations/memories/store-memories.ts';
import { updateMemory } from '../../../../src/server/operations/memories/update-memory.ts';
import { call, type Opened, openDeps } from '../support.ts';

let open: Opened;
beforeEach(async () => {
  open = await openDeps();
});
afterEach(() => open.close());

const namespace = 'n';
const { signal } = call;

function draft(text: string, embedding?: Embedding): MemoryDraft {
  return {
    id: text.replace(/\W/g, '-') || 'none',
    scope: { project: '', agentType: '', agent: '', session: '' },
    type: 'fact',
    text,
    textDerived: false,
    tags: [],
    importance: 0.5,
    priority: 1,
    source: { speaker: '', uri: '', origin: '' },
    embedding,
  };
}
const own = (...values: number[]): Embedding => ({ model: 'own', values: Float32Array.from(values) });
const storeAll = (...memories: MemoryDraft[]) =>
  storeMemories(open.deps, { namespace, memories, onConflict: 'fail' }, call);

async function vectorOf(id: string): Promise<Embedding | undefined> {
  const [memory] = await open.store.get({ namespace, ids: [id], view: 'full', nowUs: open.clock.us });
  return memory?.embedding;
}

async function pendingCount(): Promise<number> {
  return (await open.store.statistics(namespace)).embeddingPendingCount;
}

describe('storing with an embedder', () => {
  it('when it is asked later › the memory is stored at once and its vector is pending', async () => {
    open.embedder.down = true;
    const { memories } = await storeAll(draft('one two'));

    expect(memories).toMatchObject([{ embeddingPending: true }]);
    expect(open.pendingCalls()).toBe(1);
    expect(await vectorOf('one-two')).toBeUndefined();
  });

  it('when it is asked at once › the memory has its vector, or none for a text without words', async () => {
    open.embedder.inline = true;
    await storeAll(draft('one two'), draft('!?'));

    expect(await vectorOf('one-two')).toEqual({ model: 'test', values: Float32Array.of(7, 2) });
    expect(await vectorOf('--')).toBeUndefined();
    expect(await pendingCount()).toBe(0);
  });

  it('when the caller brings a vector › it wins', async () => {
    open.embedder.model = 'own';
    await storeAll(draft('one', own(3, 4)));

    expect((await vectorOf('one'))?.values).toEqual(Float32Array.of(3, 4));
    expect(open.embedder.batches).toEqual([]);
  });

  it('when the vectors of the namespace are of another model › nothing is embedded and nothing fails', async () => {
    for (const inline of [true, false]) {
      open.embedder.inline = inline;
      await storeAll(draft(`with ${inline}`, own(1)), draft(`beside ${inline}`));
      await storeAll(draft(`after ${inline}`));

      expect(await pendingCount()).toBe(0);
      expect(await vectorOf(`after-${inline}`)).toBeUndefined();
    }
  });
});

describe('embedding queued texts', () => {
  it('when the embedder answers › all get their vectors in batches', async () => {
    await storeAll(draft('a'), draft('b b'), draft('c'));

    expect(await embedPending(open.deps, 2, signal)).toEqual({ embeddedCount: 2, isDone: false });
    expect(await embedPending(open.deps, 2, signal)).toEqual({ embeddedCount: 1, isDone: true });
    expect((await vectorOf('b-b'))?.values).toEqual(Float32Array.of(3, 2));
    expect(await pendingCount()).toBe(0);
  });

  it('when it does not answer › they wait longer after each attempt, and get their vectors in the end', async () => {
    await storeAll(draft('a'));
    open.embedder.down = true;
    for (const waitS of [1, 2, 4]) {
      expect(await embedPending(open.deps, 9, signal)).toMatchObject({ failure: { reason: 'EMBEDDER_UNAVAILABLE' } });
      open.clock.us += waitS * 1_000_000 - 1;
      expect(await embedPending(open.deps, 9, signal)).toEqual({ embeddedCount: 0, isDone: true });
      open.clock.us += 1;
    }
    open.embedder.down = false;

    expect(await embedPending(open.deps, 9, signal)).toMatchObject({ embeddedCount: 1 });
    expect(await vectorOf('a')).toBeDefined();
  });

  it('when it refuses one text › that one is sent alone and the others get their vectors', async () => {
    await storeAll(draft('a'), draft('poison'), draft('c'));
    open.embedder.refused.add('poison');
    for (let i = 0; i < 12; i++) {
      await embedPending(open.deps, 9, signal);
      open.clock.us += 1_000_000;
    }

    expect(await vectorOf('a')).toBeDefined();
    expect(await vectorOf('c')).toBeDefined();
    expect(await pendingCount()).toBe(1);
  });

  it('when a text has no words › it leaves the queue without a vector', async () => {
    await storeAll(draft('!?'), draft('a'));
    await embedPending(open.deps, 9, signal);

    expect(await pendingCount()).toBe(0);
    expect(await vectorOf('--')).toBeUndefined();
  });

  it('when the namespace has got another model meanwhile › its texts leave the queue without vectors', async () => {
    await storeAll(draft('a'));
    await storeAll(draft('b', own(1, 2, 3)));
    await embedPending(open.deps, 9, signal);

    expect(await pendingCount()).toBe(0);
    expect(await vectorOf('a')).toBeUndefined();
  });

  it('when recall derives all vectors by now › its texts leave the queue without vectors, and it keeps no model', async () => {
    await storeAll(draft('one two'));
    open.embedder.isDerived = true;
    expect(await embedPending(open.deps, 10, signal)).toMatchObject({ embeddedCount: 1, isDone: true });

    expect(await pendingCount()).toBe(0);
    expect(await vectorOf('one-two')).toBeUndefined();
    expect(await open.store.getNamespace(namespace)).toMatchObject({ embeddingModel: '', embeddingDimension: 0 });
  });

  it('when the text changes meanwhile › the vector is that of the new text', async () => {
    await storeAll(draft('a'));
    const embed = open.embedder.embed.bind(open.embedder);
    open.embedder.embed = async (texts) => {
      open.embedder.embed = embed;
      await updateMemory(open.deps, { namespace, id: 'a', patch: { text: 'a longer text' } }, call);
      return embed(texts);
    };
    await embedPending(open.deps, 9, signal);
    expect(await pendingCount()).toBe(1);
    await embedPending(open.deps, 9, signal);

    expect((await vectorOf('a'))?.values).toEqual(Float32Array.of(13, 3));
  });
});

describe('changing a text', () => {
  const update = (id: string, patch: Parameters<typeof updateMemory>[1]['patch']) =>
    updateMemory(open.deps, { namespace, id, patch }, call);

  it('when the vector was computed › the old one is deleted and a new one is pending', async () => {
    await storeAll(draft('a'));
    await embedPending(open.deps, 9, signal);
    const { memories } = await update('a', { text: 'b b' });

    expect(memories).toMatchObject([{ embeddingPending: true }]);
    expect(await vectorOf('a')).toBeUndefined();
  });

  it('when another field changes › the vector stays', async () => {
    await storeAll(draft('a'));
    await embedPending(open.deps, 9, signal);
    await update('a', { importance: 1, tags: ['t'] });

    expect(await vectorOf('a')).toBeDefined();
  });

  it('when the vector is of the caller › it stays until the caller changes it', async () => {
    await storeAll(draft('a', own(1, 2)));
    await update('a', { text: 'b' });
    expect((await vectorOf('a'))?.values).toEqual(Float32Array.of(1, 2));
    await update('a', { embedding: own(2, 1) });
    expect((await vectorOf('a'))?.values).toEqual(Float32Array.of(2, 1));
    await update('a', { embedding: undefined });
    expect(await vectorOf('a')).toBeUndefined();
  });
});
