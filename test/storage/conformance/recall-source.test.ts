import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { CONSOLIDATION_ORIGIN } from '../../../src/memory/consolidation/derivation.ts';
import { openReadOnly, type SqliteDatabase } from '../../../src/storage/sqlite/database.ts';
import { memoryReaders, SqliteRecallSource } from '../../../src/storage/sqlite/recall-source.ts';
import { damageInFolder } from '../../support/damage.ts';
import { newMemory } from '../../support/new-memory.ts';
import { type RecallFixture, recallFixture } from '../../support/recall-fixture.ts';

let fixture: RecallFixture;
let database: SqliteDatabase;
beforeEach(async () => {
  fixture = await recallFixture();
  database = openReadOnly(fixture.folder);
});
afterEach(async () => {
  database.close();
  await fixture.close();
});

it('NamespaceSource › shows one state between begin and end, also in a pair within a pair, and the newest one after', async () => {
  const source = new SqliteRecallSource(database, memoryReaders(database));
  const before = source.revision();
  source.begin();
  expect(source.revision()).toBe(before);
  const memories = [newMemory({ id: 'meanwhile', text: 'stored while a state is seen' })];
  await fixture.store.write({
    kind: 'store',
    namespace: 'n',
    memories,
    createNamespace: true,
    onConflict: 'fail',
    atUs: 1,
  });
  source.begin();
  expect(source.revision()).toBe(before);
  expect(source.changes(before, 10)).toEqual([]);
  source.end();
  expect(source.revision()).toBe(before);
  expect(source.changes(before, 10)).toEqual([]);
  source.end();
  expect(source.revision()).toBeGreaterThan(before);
  source.begin();
  expect(source.changes(before, 10).map(({ kind, id }) => `${kind} ${id}`)).toContain('stored meanwhile');
  source.end();
});

it('NamespaceSource › repeated reads in one state are equal, whatever is read; the next state has the changes', async () => {
  const source = new SqliteRecallSource(database, memoryReaders(database));
  const before = source.revision();
  const embedding = { model: 'm', values: Float32Array.of(1, 0) };
  const memories = ['one', 'two', 'three'].map((id) => newMemory({ id, embedding }));
  await fixture.store.write({
    kind: 'store',
    namespace: 'n',
    memories,
    createNamespace: true,
    onConflict: 'fail',
    atUs: 1,
  });
  source.begin();
  const changes = source.changes(before, 10);
  expect(source.changes(before, 1000)).toEqual(changes);
  expect(source.changes(before, 2)).toEqual(changes.slice(0, 2));
  const [first] = changes.filter(({ kind }) => kind === 'stored');
  if (!first) throw new Error('nothing was stored');
  expect(source.changes(first.revision, 10)).toEqual(changes.filter(({ revision }) => revision > first.revision));
  const vector = source.vector(first.key);
  expect(vector).toEqual(embedding.values);
  await fixture.store.write({
    kind: 'delete',
    namespace: 'n',
    ids: ['one'],
    atUs: 2,
    cause: 'deleted',
    mustExist: true,
  });
  expect(source.vector(first.key)).toEqual(vector);
  expect(source.changes(before, 10)).toEqual(changes);
  source.end();
  source.begin();
  expect(source.vector(first.key)).toBeUndefined();
  expect(source.changes(before, 10).map(({ kind, id }) => `${kind} ${id}`)).toContain('erased one');
  source.end();
});

it('NamespaceSource › the episode that consolidation makes of a conversation is its summary and in no session', async () => {
  const source = new SqliteRecallSource(database, memoryReaders(database));
  const before = source.revision();
  const scope = { project: '', agentType: '', agent: '', session: 's' };
  const derived = { speaker: '', uri: '', origin: CONSOLIDATION_ORIGIN };
  const memories = [
    newMemory({ id: 'turn', scope, type: 'message' }),
    newMemory({ id: 'recorded', scope, type: 'episode' }),
    newMemory({ id: 'summary', scope, type: 'episode', source: derived }),
    newMemory({ id: 'merged', scope, type: 'note', source: derived }),
  ];
  await fixture.store.write({
    kind: 'store',
    namespace: 'n',
    memories,
    createNamespace: true,
    onConflict: 'fail',
    atUs: 1,
  });
  const stored = source.changes(before, 100).filter(({ kind }) => kind === 'stored');
  const rows = stored.map(({ id, key }) => ({ id, ...source.column(key) }));
  expect(rows.map(({ id, isSummary = false }) => [id, isSummary])).toEqual([
    ['turn', false],
    ['recorded', false],
    ['summary', true],
    ['merged', false],
  ]);
  expect(rows.filter(({ session }) => session === '').map(({ id }) => id)).toEqual(['summary']);
});

it('NamespaceSource › readHit returns what the store returns, without expired and damaged memories', async () => {
  const source = new SqliteRecallSource(database, memoryReaders(database));
  const { store, folder } = fixture;
  const embedding = { model: 'm', values: Float32Array.of(1, 0) };
  const memories = ['kept', 'expired', 'damaged'].map((id) =>
    newMemory({ id, embedding, ...(id === 'expired' && { expiresAtUs: 10 }) }),
  );
  await store.write({ kind: 'store', namespace: 'n', memories, createNamespace: true, onConflict: 'fail', atUs: 1 });
  damageInFolder(folder, 'damaged', 'text');
  const entry = source.namespace('n');
  if (!entry) throw new Error('the namespace is missing');
  for (const view of ['metadata', 'basic', 'full'] as const) {
    const read = (id: string, nowUs: number) => source.readHit(entry, source.keyOf(entry, id) ?? 0, view, nowUs);
    const [kept, expiring] = await store.get({ namespace: 'n', ids: ['kept', 'expired'], view, nowUs: 9 });
    expect([read('kept', 9), read('expired', 9)]).toEqual([kept, expiring]);
    expect(read('expired', 10)).toBeUndefined();
    // Without texts, damage of a text is not noticed.
    expect(read('damaged', 9) === undefined).toBe(view !== 'metadata');
  }
});
