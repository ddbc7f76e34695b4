import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { checksumOf } from '../../../src/memory/checksum.ts';
import { StaticTexts } from '../../../src/search/embedding/static/static-embedder.ts';
import { RankedMemories } from '../../../src/search/ranking/ranked-memories.ts';
import { LearnedLane } from '../../../src/search/recall/learned-lane.ts';
import type { LocalEngine } from '../../../src/search/recall/local-engine.ts';
import { NamespaceTexts } from '../../../src/search/recall/namespace-texts.ts';
import type { RecallQuery } from '../../../src/search/recall/recall-engine.ts';
import { TextFolder } from '../../../src/search/vectors/text-folder.ts';
import { longText, SHORT_TEXTS } from '../../support/long-texts.ts';
import { newMemory } from '../../support/new-memory.ts';
import { aQuery, type RecallFixture, recallFixture } from '../../support/recall-fixture.ts';

const texts = new StaticTexts();
const { table, tokenizer } = texts.load();
const ANSWER = 'The spare key of the boat house hangs behind the blue barometer.';
const QUESTION = 'Where is the spare key of the boat house?';

let fixture: RecallFixture;
beforeEach(async () => {
  fixture = await recallFixture();
});
afterEach(async () => {
  await fixture.close();
});

function newEngine(): LocalEngine {
  return fixture.newStrictEngine({
    textFiles: new TextFolder(fixture.folder, 'table', (_, reason) => {
      throw new Error(reason);
    }),
    textsKeptMin: 1,
    newTexts: () => new NamespaceTexts(new RankedMemories(table, tokenizer)),
    learned: new LearnedLane(table, tokenizer),
    texts,
  });
}

async function store(entries: Readonly<Record<string, string>>): Promise<void> {
  const memories = Object.entries(entries).map(([id, text]) => newMemory({ id, text }));
  await fixture.store.write({
    kind: 'store',
    namespace: 'n',
    memories,
    createNamespace: true,
    onConflict: 'replace',
    atUs: 1,
  });
}

/** With every passage in memory, however slow the machine. */
function asked(engine: LocalEngine, query: Partial<RecallQuery>) {
  engine.search(aQuery({ text: QUESTION }));
  while (engine.states.work(1000));
  return engine.search(aQuery({ text: QUESTION, ...query }));
}

const KINDS: readonly [string, Partial<RecallQuery>][] = [
  ['in the learned order', { isLearned: true, embedText: true }],
  ['by words', {}],
  ['by the vector of the text', { embedText: true, weights: { ...aQuery({}).weights, keyword: 0, vector: 1 } }],
];

describe('A long text', () => {
  it.each(KINDS)('is found by its last passage among short ones: %s', async (_, query) => {
    const text = longText(300_000, ANSWER);
    await store({ ...SHORT_TEXTS, long: text });
    const { hits, degraded } = asked(newEngine(), query);
    expect(degraded).toEqual([]);
    expect(hits[0]?.id).toBe('long');
    const passage = hits[0]?.passage;
    expect(passage?.text).toContain(ANSWER);
    expect(
      Buffer.from(text)
        .subarray(passage?.offsetBytes)
        .toString()
        .startsWith(passage?.text ?? '-'),
    ).toBe(true);
    expect(hits.slice(1).every(({ passage }) => passage === undefined)).toBe(true);
  });

  it.each(KINDS)('ranks behind a short answer, whatever words it has: %s', async (_, query) => {
    await store({ ...SHORT_TEXTS, short: ANSWER, long: longText(300_000, 'The house has a boat, and a key to it.') });
    expect(asked(newEngine(), query).hits[0]?.id).toBe('short');
  });

  it('is found only by its new passages after a change, and not at all after deletion', async () => {
    await store({ ...SHORT_TEXTS, long: longText(20_000, ANSWER) });
    const engine = newEngine();
    expect(asked(engine, { isLearned: true }).hits[0]?.id).toBe('long');
    const changed = async (text: string) => {
      await fixture.store.write({
        kind: 'update',
        namespace: 'n',
        id: 'long',
        changes: { text, checksum: checksumOf(text) },
        atUs: 2,
      });
      const { hits } = asked(engine, { isLearned: true, explain: true, limit: 1000 });
      return hits.find(({ id }) => id === 'long');
    };
    const other = longText(30_000, 'Nothing is known of it.');
    expect((await changed(other))?.matchedTerms ?? []).not.toContain('barometer');
    const short = await changed(ANSWER);
    expect([short?.passage, short?.matchedTerms.includes('boat')]).toEqual([undefined, true]);
    expect((await changed(longText(5000, ANSWER)))?.passage).toBeDefined();
    await fixture.store.write({
      kind: 'delete',
      namespace: 'n',
      ids: ['long'],
      cause: 'deleted',
      mustExist: true,
      atUs: 3,
    });
    expect(asked(engine, { isLearned: true, limit: 1000 }).hits.map(({ id }) => id)).not.toContain('long');
    expect(engine.states.open('n').texts?.passages.size).toBe(0);
  });

  it('is found as before from persisted analyses', async () => {
    await store({ ...SHORT_TEXTS, long: longText(20_000, ANSWER), other: longText(9000, 'Another key.') });
    const engine = newEngine();
    const query = { isLearned: true, explain: true, limit: 1000 };
    const expected = asked(engine, query);
    await engine.states.save({ changesMin: 1 });
    const again = newEngine();
    expect(asked(again, query)).toEqual(expected);
    expect(again.states.open('n').unsavedTexts).toBe(0);
  });

  it('is read in slices, and is found once all of it is read', async () => {
    await store({ ...SHORT_TEXTS });
    const engine = newEngine();
    expect(asked(engine, { isLearned: true }).degraded).toEqual([]);
    await store({ long: longText(1_000_000, ANSWER) });
    const state = engine.states.open('n', false);
    const readCount = () => state.texts?.passages.size ?? 0;
    while (readCount() === 0) expect(engine.states.work(0.01)).toBe(true);
    const first = readCount();
    expect(state.arePassagesRead).toBe(false);
    while (engine.states.work(5));
    expect(state.arePassagesRead).toBe(true);
    expect(first).toBeLessThan(readCount() / 2);
    expect(engine.search(aQuery({ text: QUESTION, isLearned: true })).hits[0]?.id).toBe('long');
  });
});
