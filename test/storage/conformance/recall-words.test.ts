import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { checksumOf } from '../../../src/memory/checksum.ts';
import { StaticTexts } from '../../../src/search/embedding/static/static-embedder.ts';
import { RankedMemories } from '../../../src/search/ranking/ranked-memories.ts';
import { queryTermsOf } from '../../../src/search/recall/keyword-index.ts';
import { LearnedLane } from '../../../src/search/recall/learned-lane.ts';
import type { LocalEngine } from '../../../src/search/recall/local-engine.ts';
import { NamespaceTexts } from '../../../src/search/recall/namespace-texts.ts';
import { SqliteKeywordIndex } from '../../../src/storage/sqlite/keyword-index.ts';
import { memoryReaders, SqliteRecallSource } from '../../../src/storage/sqlite/recall-source.ts';
import { newMemory } from '../../support/new-memory.ts';
import { seededRandom } from '../../support/random.ts';
import { aQuery, type RecallFixture, recallFixture } from '../../support/recall-fixture.ts';

const WORDS = 'garden gardens painting paint the of Mail naïve 東京 x1 running run ran 2023 May'.split(' ');
const GERMAN = 'Katze Katzen und die nicht Haus Häuser müde mude 2023 Garden'.split(' ');
const SPANISH = 'canción canciones una también perros perro garden'.split(' ');
const { table, tokenizer } = new StaticTexts().load();
const learned = new LearnedLane(table, tokenizer);

let fixture: RecallFixture;
let source: SqliteRecallSource;
let engine: LocalEngine;
let nowMs = 0;
beforeEach(async () => {
  fixture = await recallFixture();
  source = new SqliteRecallSource(fixture.database, memoryReaders(fixture.database));
  engine = fixture.newStrictEngine({
    source,
    nowMs: () => nowMs,
    newTexts: () => new NamespaceTexts(new RankedMemories(table, tokenizer)),
    learned,
  });
});
afterEach(async () => {
  await fixture.close();
});

function textOf(random: ReturnType<typeof seededRandom>): string {
  const words = random.pick([WORDS, WORDS, GERMAN, SPANISH]);
  return Array.from({ length: 1 + random.int(30) }, () => random.pick(words)).join(' ');
}

async function store(namespace: string, id: string, text: string, speaker: string): Promise<void> {
  const memories = [newMemory({ id, text, source: { speaker, uri: '', origin: '' } })];
  await fixture.store.write({ kind: 'store', namespace, memories, createNamespace: true, onConflict: 'fail', atUs: 1 });
}

describe('Words kept in memory', () => {
  it("equal the results of the store's full-text index, through stores, updates and deletions", async () => {
    const random = seededRandom('words in memory');
    for (let at = 0; at < 60; at++) {
      await store(at % 3 ? 'n' : 'other', `m${at}`, textOf(random), random.pick(['Ann Paint', '']));
      if (at === 20) engine.search(aQuery({ text: 'garden' }));
    }
    for (const id of ['m1', 'm2', 'm4']) {
      const text = textOf(random);
      await fixture.store.write({
        kind: 'update',
        namespace: 'n',
        id,
        changes: { text, checksum: checksumOf(text) },
        atUs: 2,
      });
    }
    await fixture.store.write({
      kind: 'delete',
      namespace: 'n',
      ids: ['m5', 'm7'],
      cause: 'deleted',
      mustExist: true,
      atUs: 3,
    });
    engine.search(aQuery({ text: 'garden' }));
    const state = engine.states.open('n');
    const stored = new SqliteKeywordIndex(fixture.database);
    const kept = state.texts?.keywords(stored, state.entry.firstKey);
    const { key } = state.entry;
    const languages = [...(kept?.languages(key) ?? [])].sort();
    expect([...stored.languages(key)].sort()).toEqual(languages);
    expect(languages).toEqual(expect.arrayContaining(['de', 'es']));
    const words = [...WORDS, ...GERMAN, ...SPANISH, 'ann', 'november', 'none'];
    for (const term of words.flatMap((word) => queryTermsOf(word, languages).terms.flatMap(({ forms }) => forms))) {
      const frequency = stored.documentFrequency(key, term);
      expect([term, kept?.documentFrequency(key, term)]).toEqual([term, frequency]);
      const [dueKeys, foundKeys] = [stored, kept].map((index) => {
        const keys: number[] = [];
        index?.having(key, term, (row) => keys.push(row));
        return keys;
      });
      expect(foundKeys).toEqual(dueKeys);
      const [due, found] = [stored, kept].map((index) => {
        const scores: [number, number][] = [];
        index?.matches(key, term, frequency, (row, saturation) => scores.push([row, saturation]));
        return scores;
      });
      expect(found?.map(([row]) => row)).toEqual(due?.map(([row]) => row));
      expect(found?.map(([row]) => row)).toEqual(foundKeys);
      due?.forEach(([, saturation], at) => {
        expect(found?.[at]?.[1]).toBeCloseTo(saturation, 9);
      });
    }
  });

  it('forget an erased memory in every way of finding it', async () => {
    for (const id of ['a', 'b', 'c']) await store('n', id, `a dog of ${id}`, '');
    expect(engine.search(aQuery({ text: 'puppy dog', isLearned: true })).hits).toHaveLength(3);
    await fixture.store.write({
      kind: 'delete',
      namespace: 'n',
      ids: ['b'],
      cause: 'deleted',
      mustExist: true,
      atUs: 3,
    });
    const { hits } = engine.search(aQuery({ text: 'puppy dog', isLearned: true }));
    expect(hits.map(({ id }) => id).sort()).toEqual(['a', 'c']);
  });

  it('are searched by meaning where a filter leaves few, however many others there are', async () => {
    const fillers = Array.from({ length: 5100 }, (_, at) => newMemory({ id: `m${at}`, type: 'other', text: `x${at}` }));
    const few = ['My sister plays the violin.', 'Buy bread.'].map((text, at) =>
      newMemory({ id: `few${at}`, type: 'few', text }),
    );
    const memories = [...fillers, ...few];
    await fixture.store.write({
      kind: 'store',
      namespace: 'n',
      memories,
      createNamespace: true,
      onConflict: 'fail',
      atUs: 1,
    });
    engine.search(aQuery({ text: 'x1' }));
    while (engine.states.work(1000));
    const query = aQuery({ text: 'orchestra', isLearned: true });
    expect(engine.search(query).hits).toEqual([]);
    const target = { kind: 'field', field: 'type' } as const;
    const filter = { kind: 'comparison', target, operator: 'equals', values: ['few'], ignoreCase: false } as const;
    expect(engine.search({ ...query, filter }).hits.map(({ id }) => id)).toEqual(['few0']);
  });

  it('are not read in a storm of writes without recalls, but after a recall', async () => {
    await store('n', 'a', 'a dog of a', '');
    engine.states.open('n');
    const memories = Array.from({ length: 300 }, (_, at) => newMemory({ id: `m${at}`, text: `cat number x${at}` }));
    await fixture.store.write({
      kind: 'store',
      namespace: 'n',
      memories,
      createNamespace: true,
      onConflict: 'fail',
      atUs: 2,
    });
    while (engine.states.work(5));
    expect([...engine.states.all()].map(({ isTextRead }) => isTextRead)).toEqual([false]);
    const { hits } = engine.search(aQuery({ text: 'x299', isLearned: true }));
    expect(hits[0]?.id).toBe('m299');
    while (engine.states.work(5));
    const [state] = engine.states.all();
    expect(state?.isTextRead).toBe(true);
    expect(state?.texts?.ranked.tokens.size).toBe(301);
  });

  it('are not read in a storm of single writes; deferrable work waits for its end', async () => {
    await store('n', 'a', 'a dog of a', '');
    engine.states.open('n', false);
    expect(engine.states.canWait).toBe(false);
    for (let at = 0; at < 100; at++) {
      await store('n', `m${at}`, `cat number x${at}`, '');
      engine.states.open('n', false);
    }
    while (engine.states.work(5));
    expect(engine.states.canWait).toBe(true);
    expect([...engine.states.all()].map(({ isTextRead }) => isTextRead)).toEqual([false]);
    nowMs += 1000;
    expect(engine.states.canWait).toBe(false);
    while (engine.states.work(5));
    expect([...engine.states.all()].map(({ isTextRead }) => isTextRead)).toEqual([true]);
  });

  it('are read once a storm is over', async () => {
    await store('n', 'a', 'a dog of a', '');
    engine.states.open('n');
    const memories = Array.from({ length: 300 }, (_, at) => newMemory({ id: `m${at}`, text: `cat number x${at}` }));
    await fixture.store.write({
      kind: 'store',
      namespace: 'n',
      memories,
      createNamespace: true,
      onConflict: 'fail',
      atUs: 2,
    });
    while (engine.states.work(5));
    nowMs += 1000;
    while (engine.states.work(5));
    expect([...engine.states.all()].map(({ isTextRead }) => isTextRead)).toEqual([true]);
  });

  it('are kept up to date in a storm where somebody recalls', async () => {
    await store('n', 'a', 'a dog of a', '');
    engine.search(aQuery({ text: 'dog' }));
    const memories = Array.from({ length: 300 }, (_, at) => newMemory({ id: `m${at}`, text: `cat number x${at}` }));
    await fixture.store.write({
      kind: 'store',
      namespace: 'n',
      memories,
      createNamespace: true,
      onConflict: 'fail',
      atUs: 2,
    });
    while (engine.states.work(5));
    expect([...engine.states.all()].map(({ isTextRead }) => isTextRead)).toEqual([true]);
  });
});
