import { expect, it } from '@jest/globals';
import { checksumOf } from '../../../../src/memory/checksum.ts';
import type { MemoryChanges, WriteOutcome } from '../../../../src/storage/records.ts';
import { newMemory } from '../../../support/new-memory.ts';
import { because, getOne, idsOf, NOW_US, plain, put, SPACE, type StoreOfTest } from './store-of-test.ts';

const LATER_US = NOW_US + 10;

export function changing(store: StoreOfTest): void {
  const change = (id: string, changes: MemoryChanges, expectedRevision?: number): Promise<WriteOutcome> =>
    store().write({
      kind: 'update',
      namespace: SPACE,
      id,
      changes,
      atUs: LATER_US,
      expectedRevision,
    });
  const states = async (id: string, options: { limit?: number; beforeRevision?: number } = {}) =>
    store().revisions({ namespace: SPACE, id, limit: 100, nowUs: NOW_US, ...options });

  it("update › some fields › they change; other fields and the server's counters stay", async () => {
    const { memories } = await put(store(), [newMemory({ id: 'a', tags: ['x'], step: 3, retrievalCount: 2 })]);
    const before = await getOne(store(), 'a');
    const outcome = await change('a', {
      importance: 0.9,
      tags: ['y', 'z'],
      scope: { project: 'q', agentType: '', agent: '', session: '' },
    });
    const after = await getOne(store(), 'a');
    expect(after).toEqual({
      ...before,
      importance: 0.9,
      tags: ['y', 'z'],
      scope: { project: 'q', agentType: '', agent: '', session: '' },
      updatedAtUs: LATER_US,
      revision: outcome.revision,
    });
    expect(outcome.revision).toBeGreaterThan(memories[0]?.revision ?? 0);
    expect(outcome.memories).toMatchObject([
      { id: 'a', revision: outcome.revision, checksum: before?.checksum, written: true },
    ]);
  });

  it('update › undefined › clears the field', async () => {
    const place = { location: 'l', room: '', region: '', geo: { latitudeDeg: 1, longitudeDeg: 2 } };
    await put(store(), [newMemory({ id: 'a', step: 3, place, expiresAtUs: NOW_US + 99, supersededBy: 'b' })]);
    await change('a', { step: undefined, place: undefined, expiresAtUs: undefined, supersededBy: undefined });
    const memory = await getOne(store(), 'a');
    for (const name of ['step', 'place', 'expiresAtUs', 'supersededBy']) {
      expect(Object.hasOwn(memory ?? {}, name)).toBe(false);
    }
  });

  it('update › text, content and tags › filters find the new values and not the old ones', async () => {
    const json = (value: unknown) => ({ mediaType: 'application/json', data: Buffer.from(JSON.stringify(value)) });
    await put(store(), [newMemory({ id: 'a', content: json({ k: 'old' }), tags: ['old'] })]);
    const content = json({ k: 'new' });
    await change('a', { content, tags: ['new'], checksum: checksumOf('memory a', content) });
    const found = (target: object, value: string) =>
      idsOf(store(), {
        filter: { kind: 'comparison', target: target as never, operator: 'equals', values: [value], ignoreCase: false },
      });
    const path = { kind: 'path', path: ['k'] };
    const tag = { kind: 'field', field: 'tag' };
    expect(await found(path, 'old')).toEqual([]);
    expect(await found(path, 'new')).toEqual(['a']);
    expect(await found(tag, 'old')).toEqual([]);
    expect(await found(tag, 'new')).toEqual(['a']);
    await change('a', { content: undefined, checksum: checksumOf('memory a') });
    expect(await found(path, 'new')).toEqual([]);
  });

  it('update › expected revision › accepted when it is the current one, refused otherwise', async () => {
    const { revision } = await put(store(), [newMemory({ id: 'a' })]);
    const { revision: next } = await change('a', { importance: 0.1 }, revision);
    await expect(change('a', { importance: 0.2 }, revision)).rejects.toMatchObject({
      ...because('VERSION_MISMATCH'),
      metadata: {
        name: 'namespaces/space/memories/a',
        expected: String(revision),
        actual: String(next),
      },
    });
    expect((await getOne(store(), 'a'))?.importance).toBe(0.1);
  });

  it('update › missing or expired › refused', async () => {
    await put(store(), [newMemory({ id: 'gone', expiresAtUs: LATER_US })]);
    await expect(change('x', {})).rejects.toMatchObject(because('MEMORY_NOT_FOUND'));
    await expect(change('gone', {})).rejects.toMatchObject(because('MEMORY_NOT_FOUND'));
  });

  it('update › vector › set, verified, removed; a pending one drops the old one', async () => {
    const values = Float32Array.of(1, 2);
    await put(store(), [newMemory({ id: 'a', embedding: { model: 'm', values } })]);
    const other = { model: 'm', values: Float32Array.of(3, 4) };
    await change('a', { embedding: other });
    expect([...((await getOne(store(), 'a'))?.embedding?.values ?? [])]).toEqual([3, 4]);
    const wrong = change('a', { embedding: { model: 'm', values: Float32Array.of(1, 2, 3) } });
    await expect(wrong).rejects.toMatchObject(because('DIMENSION_MISMATCH'));
    await change('a', { importance: 0.3 });
    expect((await getOne(store(), 'a'))?.embedding).toBeDefined();
    await change('a', { embedding: null });
    expect((await getOne(store(), 'a'))?.embedding).toBeUndefined();
    await change('a', { embedding: other });
    const { memories } = await change('a', { text: 'new', checksum: checksumOf('new'), embeddingPending: true });
    expect(memories).toMatchObject([{ embeddingPending: true, checksum: checksumOf('new') }]);
    expect((await getOne(store(), 'a'))?.embedding).toBeUndefined();
    expect(await store().pendingEmbeddings({ limit: 9, nowUs: LATER_US })).toMatchObject([{ id: 'a', text: 'new' }]);
  });

  it('revisions › after updates › every state, newest first, without vectors', async () => {
    const content = { mediaType: 'image/png', data: Uint8Array.of(0, 255) };
    const embedding = { model: 'm', values: Float32Array.of(1) };
    await put(store(), [newMemory({ id: 'a', text: 'one', content, embedding })]);
    const first = await getOne(store(), 'a');
    await change('a', { text: 'two', checksum: checksumOf('two', content) });
    await change('a', { text: 'three', checksum: checksumOf('three', content) });
    const all = await states('a');
    expect(all.map(({ memory, change: made }) => [memory.text, made])).toEqual([
      ['three', 'updated'],
      ['two', 'updated'],
      ['one', 'stored'],
    ]);
    const { embedding: _, ...withoutVector } = first ?? newMemory({ id: 'a' });
    expect(plain(all[2]?.memory)).toEqual(plain(withoutVector as never));
    expect(all.every(({ memory }) => memory.embedding === undefined)).toBe(true);
  });

  it('revisions › in pages › every state once', async () => {
    await put(store(), [newMemory({ id: 'a', text: '0' })]);
    for (const text of ['1', '2', '3', '4']) await change('a', { text, checksum: checksumOf(text) });
    const seen: string[] = [];
    for (let beforeRevision: number | undefined; ; ) {
      const page = await states('a', { limit: 2, beforeRevision });
      if (page.length === 0) break;
      seen.push(...page.map(({ memory }) => memory.text));
      beforeRevision = page.at(-1)?.memory.revision;
    }
    expect(seen).toEqual(['4', '3', '2', '1', '0']);
    const [, , second] = await states('a');
    const before = (second?.memory.revision ?? 0) + 1;
    expect((await states('a', { beforeRevision: before }))[0]?.memory.text).toBe('2');
  });

  it('revisions › missing memory › refused', async () => {
    await put(store(), [newMemory({ id: 'a' })]);
    await expect(states('x')).rejects.toMatchObject(because('MEMORY_NOT_FOUND'));
  });

  it('update › with a record of dropped data › kept until text or content change again; the former state is dropped, older ones stay', async () => {
    const { memories } = await put(store(), [newMemory({ id: 'a' })]);
    await change('a', { importance: 0.7 });
    const content = { mediaType: 'application/json', data: Buffer.from('{"x":1}') };
    const checksum = checksumOf('memory a', content);
    const compaction = { checksum: 'c'.repeat(64), contentBytes: 99, droppedKeys: ['trace'], decimals: 3 };
    const changes = { content, checksum, compaction };
    const { revision } = await store().write({
      kind: 'update',
      namespace: SPACE,
      id: 'a',
      changes,
      dropsFormer: true,
      atUs: LATER_US,
    });

    expect(await getOne(store(), 'a')).toMatchObject({ compaction, checksum, revision });
    expect((await states('a')).map(({ memory }) => memory.revision)).toEqual([revision, memories[0]?.revision]);
    await change('a', { importance: 0.1 });
    expect((await getOne(store(), 'a'))?.compaction).toEqual(compaction);
    await change('a', { text: 'new', checksum: checksumOf('new', content) });
    expect(Object.hasOwn((await getOne(store(), 'a')) ?? {}, 'compaction')).toBe(false);
    expect((await states('a'))[1]?.memory.compaction).toEqual(compaction);
  });
}
