import { expect, it } from '@jest/globals';
import { checksumOf } from '../../../../src/memory/checksum.ts';
import { FULL_RESOLUTION, type Resolution } from '../../../../src/memory/resolution/resolution.ts';
import type { MoveOutcome, MoveWrite } from '../../../../src/storage/tiers.ts';
import { newMemory } from '../../../support/new-memory.ts';
import { because, getOne, idsOf, NOW_US, plain, put, SPACE } from '../memory-store/store-of-test.ts';
import { expectOneOf } from './one-of-two.ts';
import type { TieredSubject } from './tiered-subject.ts';

export const LOW: Resolution = { abstractBytesMax: 64, compressionLevel: 3, vector: 'i8', vectorDimension: 2 };

const LONG_TEXT = `The lighthouse stands at the end of the pier. ${'Nobody has climbed it for years. '.repeat(40)}Sébastien owns the key.`;
const CONTENT = {
  mediaType: 'application/json',
  data: Buffer.from(JSON.stringify({ reward: 3, notes: Array.from({ length: 90 }, (_, at) => `note ${at}`) })),
};

export function move(
  { store }: TieredSubject,
  ids: readonly string[],
  to: MoveWrite['to'],
  rest: Partial<MoveWrite> = {},
): Promise<MoveOutcome> {
  return store.write({ kind: 'move', namespace: SPACE, ids, to, resolution: LOW, atUs: NOW_US, ...rest });
}

const rich = (id: string) =>
  newMemory({
    id,
    text: LONG_TEXT,
    content: CONTENT,
    tags: ['a', 'b'],
    step: 4,
    scope: { project: 'p', agentType: 't', agent: 'ada', session: 's' },
    place: { point: { x: 1, y: 2 }, location: 'pier', room: '', region: '' },
    embedding: { model: 'm', values: Float32Array.of(0.1, -0.25, 1e-7, 3) },
    checksum: checksumOf(LONG_TEXT, CONTENT),
  });

export function moving(subject: () => TieredSubject): void {
  const store = () => subject().store;
  const moved = (ids: readonly string[], to: MoveWrite['to'], rest: Partial<MoveWrite> = {}) =>
    move(subject(), ids, to, rest);
  const states = async (id: string) =>
    (await store().revisions({ namespace: SPACE, id, limit: 10, nowUs: NOW_US })).map(({ memory, change }) => ({
      change,
      memory: plain({ ...memory, tier: 'short_term' }),
    }));

  it('store › one new id in two tiers at the same time › one is stored, and the other is refused', async () => {
    await expectOneOf(store(), store());
  });

  it('move › down and up again › every field, the vector, the history and the revision are unchanged', async () => {
    await put(store(), [rich('a'), newMemory({ id: 'other' })]);
    await store().write({ kind: 'update', namespace: SPACE, id: 'a', changes: { importance: 0.9 }, atUs: NOW_US });
    const before = await getOne(store(), 'a');
    const history = await states('a');
    for (const tier of ['intermediate', 'long_term', 'short_term', 'long_term'] as const) {
      const resolution = tier === 'short_term' ? FULL_RESOLUTION : LOW;
      await moved(['a'], tier, { resolution });
      const after = await getOne(store(), 'a');
      expect(plain(after)).toEqual({ ...(plain(before) as object), tier });
      expect(await states('a')).toEqual(history);
    }
    expect((await getOne(store(), 'other'))?.tier).toBe('short_term');
  });

  it('move › done › has a new revision of the store and returns the former tier of each memory', async () => {
    const { revision } = await put(store(), [newMemory({ id: 'a' }), newMemory({ id: 'b' })]);
    const outcome = await moved(['b', 'a'], 'intermediate');
    expect(outcome.revision).toBe(revision + 2);
    expect(store().revision).toBe(outcome.revision);
    expect(outcome.moved).toEqual([
      { id: 'b', from: 'short_term', to: 'intermediate' },
      { id: 'a', from: 'short_term', to: 'intermediate' },
    ]);
    expect(outcome.damagedIds).toEqual([]);
  });

  it('move › a second time, of unknown or expired memories › nothing changes', async () => {
    await put(store(), [newMemory({ id: 'a' }), newMemory({ id: 'old', expiresAtUs: NOW_US })]);
    await moved(['a'], 'long_term');
    const { revision } = store();
    const outcome = await moved(['a', 'old', 'none'], 'long_term');
    expect(outcome).toEqual({ revision, moved: [], damagedIds: [] });
  });

  it('move › from some tiers › leaves the others', async () => {
    await put(store(), [newMemory({ id: 'a' }), newMemory({ id: 'b' })]);
    await moved(['b'], 'intermediate');
    const outcome = await moved(['a', 'b'], 'long_term', { from: ['intermediate'] });
    expect(outcome.moved.map(({ id }) => id)).toEqual(['b']);
    expect((await getOne(store(), 'a'))?.tier).toBe('short_term');
  });

  it('move › missing namespace › refused', async () => {
    await expect(moved(['a'], 'long_term')).rejects.toMatchObject(because('NAMESPACE_NOT_FOUND'));
  });

  it('list, count › of moved memories › filters see the whole text and content', async () => {
    await put(store(), [rich('a'), newMemory({ id: 'b' })]);
    await moved(['a'], 'long_term');
    const filter = (field: 'text' | 'tier', operator: 'contains' | 'equals', value: string) =>
      ({ kind: 'comparison', target: { kind: 'field', field }, operator, values: [value], ignoreCase: false }) as const;
    expect(await idsOf(store(), { filter: filter('text', 'contains', 'Sébastien') })).toEqual(['a']);
    expect(await idsOf(store(), { filter: filter('tier', 'equals', 'long_term') })).toEqual(['a']);
    const note = { kind: 'path', path: ['notes'] } as const;
    const values = ['note 89'];
    const noted = { kind: 'comparison', target: note, operator: 'equals', values, ignoreCase: false } as const;
    expect(await idsOf(store(), { filter: noted, view: 'metadata' })).toEqual(['a']);
    expect([...(await store().count({ namespace: SPACE, nowUs: NOW_US }))].sort()).toEqual([
      ['long_term', 1],
      ['short_term', 1],
    ]);
    expect((await store().statistics(SPACE)).tiers.map(({ tier, count }) => [tier, count])).toEqual([
      ['short_term', 1],
      ['long_term', 1],
    ]);
  });

  it('update › of a moved memory › keeps its tier and its complete former state', async () => {
    await put(store(), [rich('a')]);
    await moved(['a'], 'long_term');
    const text = 'short now';
    const changes = { text, tags: ['c'], checksum: checksumOf(text, CONTENT) };
    await store().write({ kind: 'update', namespace: SPACE, id: 'a', changes, atUs: NOW_US });
    const memory = await getOne(store(), 'a');
    expect(memory).toMatchObject({ text, tags: ['c'], tier: 'long_term' });
    expect([...(memory?.content?.data ?? [])]).toEqual([...CONTENT.data]);
    expect([...(memory?.embedding?.values ?? [])]).toEqual([...(rich('a').embedding?.values ?? [])]);
    const [, former] = await store().revisions({ namespace: SPACE, id: 'a', limit: 2, nowUs: NOW_US });
    expect(former?.memory.text).toBe(LONG_TEXT);
    await moved(['a'], 'short_term', { resolution: FULL_RESOLUTION });
    expect(plain(await getOne(store(), 'a'))).toEqual({ ...(plain(memory) as object), tier: 'short_term' });
  });

  it('store › replacing a moved memory › keeps its tier', async () => {
    await put(store(), [rich('a')]);
    await moved(['a'], 'intermediate');
    await put(store(), [newMemory({ id: 'a', text: 'new' })], { onConflict: 'replace' });
    expect(await getOne(store(), 'a')).toMatchObject({ text: 'new', tier: 'intermediate' });
  });

  it('pendingEmbeddings, setEmbeddings › of moved memories › returns the whole text, stores the exact vector', async () => {
    await put(store(), [newMemory({ id: 'late', text: LONG_TEXT, embeddingPending: true })]);
    await moved(['late'], 'long_term');
    const [item] = await store().pendingEmbeddings({ limit: 1, nowUs: NOW_US });
    expect(item?.text).toBe(LONG_TEXT);
    const embedding = { model: 'm', values: Float32Array.of(0.1, 0.2, 0.3) };
    await store().write({
      kind: 'setEmbeddings',
      atUs: NOW_US,
      namespace: SPACE,
      vectors: [{ id: 'late', checksum: checksumOf(LONG_TEXT), embedding }],
    });
    expect([...((await getOne(store(), 'late'))?.embedding?.values ?? [])]).toEqual([...embedding.values]);
  });
}
