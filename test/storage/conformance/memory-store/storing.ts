import { expect, it } from '@jest/globals';
import { newMemory } from '../../../support/new-memory.ts';
import { because, getOne, NOW_US, plain, put, SPACE, type StoreOfTest } from './store-of-test.ts';

const whole = newMemory({
  id: 'whole',
  scope: { project: 'p', agentType: 'planner', agent: 'ada', session: 's1' },
  type: 'message',
  step: 7,
  eventAtUs: 1_683_504_000_000_001,
  text: 'Grüße, 世界 🌍',
  content: { mediaType: 'application/json', data: Buffer.from('{"a":[1,{"b":null}],"__proto__":{"c":"x"}}') },
  tags: ['b', 'a'],
  place: {
    point: { x: 1.5, y: -2, z: 0 },
    geo: { latitudeDeg: 52.5, longitudeDeg: 13.4 },
    location: 'l',
    room: 'r',
    region: 'g',
  },
  importance: 0.25,
  priority: 0,
  source: { speaker: 'Caroline', uri: 'file:///x', origin: 'import' },
  expiresAtUs: NOW_US + 1,
  validFromUs: 1,
  validUntilUs: 2,
  supersededBy: 'other',
  retrievalCount: 3,
  lastAccessedAtUs: 5,
  tier: 'long_term',
  embedding: { model: 'm', values: Float32Array.of(0.5, -0.25, 1e-7) },
});

export function storing(store: StoreOfTest): void {
  it('store › all fields set › get returns every field bit for bit', async () => {
    const outcome = await put(store(), [whole]);
    const revision = outcome.memories[0]?.revision;
    const { embeddingPending: _, ...fields } = whole;
    expect(plain(await getOne(store(), 'whole'))).toEqual(
      plain({ ...fields, namespace: SPACE, revision: revision ?? 0 }),
    );
  });

  it.each(['short_term', 'long_term'] as const)(
    'store › with expected revisions in %s › all as expected are written, one other refuses the whole',
    async (tier) => {
      const [kept, changed] = ['kept', 'changed'].map((id) => newMemory({ id, tier, text: `first of ${id}` }));
      if (!kept || !changed) throw new Error('two memories');
      const before = (await put(store(), [kept, changed])).memories[1]?.revision ?? 0;
      const second = { ...newMemory({ id: 'changed', tier, text: 'second' }) };
      const free = newMemory({ id: 'free', tier });
      const write = (expectedRevisions: Record<string, number>) =>
        put(store(), [free, second], { onConflict: 'replace', expectedRevisions, atUs: NOW_US + 1 });

      const refused: Record<string, number>[] = [
        { changed: before + 1 },
        { changed: 0 },
        { changed: before, free: before },
      ];
      for (const wrong of refused) {
        await expect(write(wrong)).rejects.toMatchObject(because('VERSION_MISMATCH'));
      }
      expect(await getOne(store(), 'free')).toBeUndefined();
      expect(await getOne(store(), 'changed')).toMatchObject({ text: 'first of changed', revision: before });

      const outcome = await write({ changed: before, free: 0, other: 12 });
      expect(outcome.memories).toMatchObject([
        { id: 'free', written: true },
        { id: 'changed', written: true },
      ]);
      expect(await getOne(store(), 'changed')).toMatchObject({ text: 'second', tier });
      await expect(write({ changed: before })).rejects.toMatchObject(because('VERSION_MISMATCH'));
    },
  );

  it.each(['short_term', 'long_term'] as const)(
    'store › with erased ids in %s › stores and erases all at once, or nothing',
    async (tier) => {
      const old = ['a', 'b', 'c'].map((id) => newMemory({ id, tier, text: `old ${id}` }));
      const [, ofB] = (await put(store(), old)).memories;
      const write = (expectedRevisions: Record<string, number>) =>
        put(store(), [newMemory({ id: 'a', text: 'new a' }), newMemory({ id: 'd', text: 'new d' })], {
          onConflict: 'replace',
          erasedIds: ['b', 'unknown'],
          expectedRevisions,
          atUs: NOW_US + 1,
          idempotency: { requestId: 'erasing', fingerprint: 'f' },
        });
      const refused: Record<string, number>[] = [{ b: 0 }, { unknown: 7 }];
      for (const wrong of refused) {
        await expect(write(wrong)).rejects.toMatchObject(because('VERSION_MISMATCH'));
      }
      expect(await getOne(store(), 'a')).toMatchObject({ text: 'old a' });
      expect(await getOne(store(), 'd')).toBeUndefined();

      const expected = { b: ofB?.revision ?? 0, unknown: 0 };
      const outcome = await write(expected);
      expect(await getOne(store(), 'a')).toMatchObject({ text: 'new a' });
      expect(await getOne(store(), 'b')).toBeUndefined();
      expect(await getOne(store(), 'c')).toMatchObject({ text: 'old c' });
      expect(await getOne(store(), 'd')).toMatchObject({ text: 'new d' });
      await put(store(), [newMemory({ id: 'b', text: 'again' })]);
      expect(await write(expected)).toEqual(outcome);
      expect(await getOne(store(), 'b')).toMatchObject({ text: 'again' });

      await put(store(), [], { erasedIds: ['c'], atUs: NOW_US + 2 });
      expect(await getOne(store(), 'c')).toBeUndefined();
    },
  );

  it('store › several writers expect the same revision › one of them succeeds', async () => {
    const { memories } = await put(store(), [newMemory({ id: 'a' })]);
    const expectedRevisions = { a: memories[0]?.revision ?? 0 };
    const writes = ['b', 'c', 'd', 'e'].map((text) =>
      put(store(), [newMemory({ id: 'a', text })], { onConflict: 'replace', expectedRevisions }),
    );
    const done = await Promise.allSettled(writes);
    expect(done.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('store › only a text › other fields are absent', async () => {
    await put(store(), [newMemory({ id: 'a' })]);
    const memory = await getOne(store(), 'a');
    for (const name of ['step', 'content', 'place', 'expiresAtUs', 'supersededBy', 'embedding', 'lastAccessedAtUs']) {
      expect(Object.hasOwn(memory ?? {}, name)).toBe(false);
    }
  });

  it('store › content of no bytes and text of none › both come back', async () => {
    await put(store(), [newMemory({ id: 'a', text: '', content: { mediaType: 'image/png', data: new Uint8Array() } })]);
    expect(plain(await getOne(store(), 'a'))).toMatchObject({
      text: '',
      content: { mediaType: 'image/png', data: [] },
    });
  });

  it('store › bytes inside a larger buffer › only these are stored', async () => {
    const around = Buffer.from('....hello....');
    const values = new Float32Array([9, 1, 2, 9]).subarray(1, 3);
    const content = { mediaType: 'text/plain', data: around.subarray(4, 9) };
    await put(store(), [newMemory({ id: 'a', content, embedding: { model: 'm', values } })]);
    around.fill(0);
    const memory = await getOne(store(), 'a');
    expect(Buffer.from(memory?.content?.data ?? []).toString()).toBe('hello');
    expect([...(memory?.embedding?.values ?? [])]).toEqual([1, 2]);
  });

  it('store › several › receipts in order, revisions rise, the store is at the last one', async () => {
    const before = store().revision;
    const outcome = await put(store(), [newMemory({ id: 'b' }), newMemory({ id: 'a', embeddingPending: true })]);
    const [first, second] = outcome.memories;
    expect([first?.id, second?.id]).toEqual(['b', 'a']);
    expect([first?.embeddingPending, second?.embeddingPending]).toEqual([false, true]);
    expect(before).toBeLessThan(first?.revision ?? 0);
    expect(first?.revision).toBeLessThan(second?.revision ?? 0);
    expect(outcome.revision).toBe(second?.revision);
    expect(store().revision).toBe(outcome.revision);
  });

  it('store › one of several has an id in use › none is stored', async () => {
    await put(store(), [newMemory({ id: 'taken' })]);
    const { revision } = store();
    const again = put(store(), [newMemory({ id: 'new' }), newMemory({ id: 'taken' })]);
    await expect(again).rejects.toMatchObject(because('MEMORY_EXISTS'));
    expect(await getOne(store(), 'new')).toBeUndefined();
    expect(store().revision).toBe(revision);
  });

  it('store › the same id twice in one write › refused', async () => {
    const twice = put(store(), [newMemory({ id: 'a' }), newMemory({ id: 'a' })]);
    await expect(twice).rejects.toMatchObject(because('MEMORY_EXISTS'));
    await expect(store().getNamespace(SPACE)).rejects.toMatchObject(because('NAMESPACE_NOT_FOUND'));
  });

  it('store › id in use, keep › the existing memory stays, as the receipt says', async () => {
    await put(store(), [newMemory({ id: 'a', text: 'old' })]);
    const { memories } = await put(store(), [newMemory({ id: 'a', text: 'new' })], { onConflict: 'keep' });
    const kept = await getOne(store(), 'a');
    expect(kept?.text).toBe('old');
    expect(memories).toMatchObject([{ written: false, revision: kept?.revision, checksum: kept?.checksum }]);
  });

  it('store › id in use, replace › the new memory is stored, the old one is a revision', async () => {
    await put(store(), [newMemory({ id: 'a', text: 'old' })]);
    const { memories } = await put(store(), [newMemory({ id: 'a', text: 'new' })], { onConflict: 'replace' });
    expect(memories).toMatchObject([{ written: true }]);
    const states = await store().revisions({ namespace: SPACE, id: 'a', limit: 9, nowUs: NOW_US });
    expect(states.map(({ memory, change }) => [memory.text, change])).toEqual([
      ['new', 'updated'],
      ['old', 'stored'],
    ]);
  });

  it('store › id in use, replace by equal fields › kept unchanged, without a revision', async () => {
    await put(store(), [whole]);
    const { revision } = store();
    const { memories } = await put(store(), [{ ...whole, updatedAtUs: NOW_US }], { onConflict: 'replace' });
    expect(memories).toMatchObject([{ written: false }]);
    expect(store().revision).toBe(revision);
  });

  it('store › equal fields, also to be replaced › the times of the new memory, and a revision', async () => {
    await put(store(), [whole]);
    const times = { createdAtUs: whole.createdAtUs + 1, updatedAtUs: whole.updatedAtUs + 2 };
    const replacing = { onConflict: 'replace', replacesEqual: true } as const;
    const { memories } = await put(store(), [{ ...whole, ...times }], replacing);
    expect(memories).toMatchObject([{ written: true }]);
    expect(await getOne(store(), whole.id)).toMatchObject(times);
    const states = await store().revisions({ namespace: SPACE, id: whole.id, limit: 9, nowUs: NOW_US });
    expect(states.map(({ memory }) => memory.updatedAtUs)).toEqual([times.updatedAtUs, whole.updatedAtUs]);
  });

  it('store › record of permanently dropped data › kept until other bytes replace it', async () => {
    const compaction = { checksum: 'd'.repeat(64), contentBytes: 90, droppedKeys: ['trace'], decimals: 2 };
    await put(store(), [newMemory({ id: 'a', compaction })]);
    expect((await getOne(store(), 'a'))?.compaction).toEqual(compaction);
    await put(store(), [newMemory({ id: 'a', importance: 0.9 })], { onConflict: 'replace' });
    expect(await getOne(store(), 'a')).toMatchObject({ importance: 0.9, compaction });
    const other = { ...compaction, droppedKeys: ['debug'] };
    const { memories } = await put(store(), [newMemory({ id: 'a', importance: 0.9, compaction: other })], {
      onConflict: 'replace',
    });
    expect([memories[0]?.written, (await getOne(store(), 'a'))?.compaction]).toEqual([true, other]);
    await put(store(), [newMemory({ id: 'a', text: 'new' })], { onConflict: 'replace' });
    expect(await getOne(store(), 'a')).not.toHaveProperty('compaction');
  });

  it('store › id of an expired memory › stored as new', async () => {
    await put(store(), [newMemory({ id: 'a', text: 'old', expiresAtUs: NOW_US })]);
    await put(store(), [newMemory({ id: 'a', text: 'new' })]);
    expect((await getOne(store(), 'a'))?.text).toBe('new');
    expect(await store().revisions({ namespace: SPACE, id: 'a', limit: 9, nowUs: NOW_US })).toHaveLength(1);
  });

  it('store › namespace is missing and not to be created › refused', async () => {
    const write = put(store(), [newMemory({ id: 'a' })], { createNamespace: false });
    await expect(write).rejects.toMatchObject(because('NAMESPACE_NOT_FOUND'));
  });

  it("store › more than the namespace's limit › refused as a whole, replacing still works", async () => {
    await store().write({ kind: 'createNamespace', name: SPACE, description: '', memoryLimit: 2, atUs: NOW_US });
    await put(store(), [newMemory({ id: 'a' })]);
    const tooMany = put(store(), [newMemory({ id: 'b' }), newMemory({ id: 'c' })]);
    await expect(tooMany).rejects.toMatchObject({ ...because('NAMESPACE_FULL'), metadata: { limit: '2' } });
    await put(store(), [newMemory({ id: 'b' })]);
    await put(store(), [newMemory({ id: 'b', text: 'other' })], { onConflict: 'replace' });
    await expect(put(store(), [newMemory({ id: 'c' })])).rejects.toMatchObject(because('NAMESPACE_FULL'));
    await store().write({
      kind: 'delete',
      namespace: SPACE,
      ids: ['a'],
      cause: 'deleted',
      mustExist: true,
      atUs: NOW_US,
    });
    await put(store(), [newMemory({ id: 'c' })]);
  });

  it('store › vector of another model or dimension › refused, and the store continues', async () => {
    const embedding = { model: 'm', values: Float32Array.of(1, 0) };
    await put(store(), [newMemory({ id: 'a', embedding })]);
    const otherModel = put(store(), [newMemory({ id: 'b', embedding: { ...embedding, model: 'n' } })]);
    await expect(otherModel).rejects.toMatchObject({
      ...because('MODEL_MISMATCH'),
      metadata: { expected: 'm', actual: 'n' },
    });
    const otherSize = put(store(), [newMemory({ id: 'b', embedding: { model: 'm', values: Float32Array.of(1) } })]);
    await expect(otherSize).rejects.toMatchObject({
      ...because('DIMENSION_MISMATCH'),
      metadata: { expected: '2', actual: '1' },
    });
    await put(store(), [newMemory({ id: 'b', embedding })]);
  });

  it('store › a failing write among many at once › the others are stored', async () => {
    await put(store(), [newMemory({ id: 'taken' })]);
    const ids = Array.from({ length: 50 }, (_, number) => (number % 5 === 0 ? 'taken' : `id-${number}`));
    const results = await Promise.allSettled(ids.map((id) => put(store(), [newMemory({ id })])));
    expect(results.map(({ status }) => status)).toEqual(ids.map((id) => (id === 'taken' ? 'rejected' : 'fulfilled')));
    const there = await store().get({ namespace: SPACE, ids, view: 'basic', nowUs: NOW_US });
    expect(there.every((memory) => memory !== undefined)).toBe(true);
  });

  it('get › views › metadata has neither text nor content nor vector, basic no vector', async () => {
    await put(store(), [whole]);
    const read = { namespace: SPACE, ids: ['whole'], nowUs: NOW_US };
    const [metadata] = await store().get({ ...read, view: 'metadata' });
    expect(metadata).toMatchObject({ text: '', tags: ['b', 'a'], checksum: whole.checksum, step: 7 });
    expect(metadata?.content ?? metadata?.embedding).toBeUndefined();
    const [basic] = await store().get({ ...read, view: 'basic' });
    expect(basic?.text).toBe(whole.text);
    expect(basic?.content).toBeDefined();
    expect(basic?.embedding).toBeUndefined();
  });

  it('get › several ids, some missing › in the requested order, undefined in the gaps', async () => {
    await put(store(), [newMemory({ id: 'a' }), newMemory({ id: 'b' })]);
    const found = await store().get({ namespace: SPACE, ids: ['b', 'x', 'a', 'b'], view: 'basic', nowUs: NOW_US });
    expect(found.map((memory) => memory?.id)).toEqual(['b', undefined, 'a', 'b']);
  });

  it('get › unknown namespace › refused', async () => {
    const read = store().get({ namespace: 'nowhere', ids: ['a'], view: 'basic', nowUs: NOW_US });
    await expect(read).rejects.toMatchObject(because('NAMESPACE_NOT_FOUND'));
  });

  it('get › memory of another namespace › not found', async () => {
    await put(store(), [newMemory({ id: 'a' })]);
    await put(store(), [newMemory({ id: 'b' })], { namespace: 'other' });
    expect(await store().get({ namespace: 'other', ids: ['a'], view: 'basic', nowUs: NOW_US })).toEqual([undefined]);
  });

  it('touch › an id twice › one retrieval', async () => {
    await put(store(), [newMemory({ id: 'a' })]);
    await store().write({ kind: 'touch', namespace: SPACE, ids: ['a', 'a'], atUs: NOW_US + 5 });

    expect(await getOne(store(), 'a')).toMatchObject({ retrievalCount: 1 });
  });

  it('touch › some exist, some do not › counted, revisions of the memories stay', async () => {
    const { memories } = await put(store(), [newMemory({ id: 'a' }), newMemory({ id: 'b', expiresAtUs: NOW_US + 1 })]);
    const { revision } = await store().write({
      kind: 'touch',
      namespace: SPACE,
      ids: ['a', 'x', 'b'],
      atUs: NOW_US + 5,
    });
    await store().write({ kind: 'touch', namespace: SPACE, ids: ['a'], atUs: NOW_US + 6 });
    expect(revision).toBeGreaterThan(memories[1]?.revision ?? 0);
    expect(await getOne(store(), 'a')).toMatchObject({
      retrievalCount: 2,
      lastAccessedAtUs: NOW_US + 6,
      revision: memories[0]?.revision,
    });
    expect(await getOne(store(), 'b')).toMatchObject({ retrievalCount: 0 });
  });
}
