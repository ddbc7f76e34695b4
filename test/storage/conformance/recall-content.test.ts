import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Filter } from '../../../src/memory/filter.ts';
import { spokenDate, termsOf } from '../../../src/memory/words.ts';
import { StaticTexts } from '../../../src/search/embedding/static/static-embedder.ts';
import { resolvePreset } from '../../../src/search/presets/presets.ts';
import { RankedMemories } from '../../../src/search/ranking/ranked-memories.ts';
import { queryTermsOf } from '../../../src/search/recall/keyword-index.ts';
import { LearnedLane } from '../../../src/search/recall/learned-lane.ts';
import type { LocalEngine } from '../../../src/search/recall/local-engine.ts';
import { NamespaceTexts } from '../../../src/search/recall/namespace-texts.ts';
import type { RecallQuery, RecallResult } from '../../../src/search/recall/recall-engine.ts';
import type { NewMemory } from '../../../src/storage/records.ts';
import { sized } from '../../support/all-tests.ts';
import { longText } from '../../support/long-texts.ts';
import { newMemory } from '../../support/new-memory.ts';
import { seededRandom, type TestRandom } from '../../support/random.ts';
import { aQuery, type RecallFixture, recallFixture } from '../../support/recall-fixture.ts';

const ROUNDS = sized({ sample: 60, nightly: 200 });
const { table, tokenizer } = new StaticTexts().load();
const learned = new LearnedLane(table, tokenizer);

let fixture: RecallFixture;
beforeEach(async () => {
  fixture = await recallFixture();
});
afterEach(async () => {
  await fixture.close();
});

const WAYS: readonly [string, object][] = [
  ['words in memory', { newTexts: () => new NamespaceTexts(new RankedMemories(table, tokenizer)), learned }],
  ['words in the store', {}],
];

function engineBy(options: object): LocalEngine {
  return fixture.newStrictEngine({
    ...options,
  });
}

async function store(memories: readonly NewMemory[]): Promise<void> {
  await fixture.store.write({
    kind: 'store',
    namespace: 'n',
    memories,
    createNamespace: true,
    onConflict: 'fail',
    atUs: 1,
  });
}

/** The query that the preset sends to the engine. */
function contentQuery(query: string, changes: Partial<RecallQuery> = {}): RecallQuery {
  const plan = resolvePreset({ name: 'content', parameters: Buffer.from(JSON.stringify({ query })) }, 0);
  if (plan.kind !== 'cue') throw new Error(`${query}: ${plan.kind}`);
  const weights = { ...aQuery().weights, ...plan.weights };
  return aQuery({ text: plan.text ?? '', weights, ...changes });
}

/** With every text in memory, as the engine caches them. */
function asked(engine: LocalEngine, query: RecallQuery): RecallResult {
  engine.search(query);
  while (engine.states.work(1000));
  return engine.search(query);
}

const ids = ({ hits }: RecallResult): string[] => hits.map(({ id }) => id);

const HARBOUR = {
  both: 'The yellow buoy marks the entry of the harbour.',
  loud: 'Harbour, harbour, harbour: the harbour master speaks of nothing but the harbour.',
  short: 'A buoy.',
  crane: 'The crane at the harbour lifts containers.',
  fog: 'In the fog nobody saw the yellow lighthouse.',
  bread: 'Buy bread.',
};

describe.each(WAYS)('Preset content by %s', (_, options) => {
  it('ranks a memory with all words before those with more occurrences of some', async () => {
    await store(Object.entries(HARBOUR).map(([id, text]) => newMemory({ id, text })));
    const { hits } = asked(engineBy(options), contentQuery('harbours buoy', { explain: true }));
    expect(hits.map(({ id }) => id)).toEqual(['both', 'short', 'loud', 'crane']);
    expect(hits.map(({ relevance }) => relevance)).toEqual([1, 0.5, 0.5, 0.5]);
    expect(hits[0]?.components[0]).toEqual({ name: 'words', value: 2, contribution: 20, rank: 0 });
    expect(hits[0]?.matchedTerms.toSorted()).toEqual(['buoi', 'harbour']);
    for (const { score, components } of hits) {
      expect(components.reduce((sum, { contribution }) => sum + contribution, 0)).toBeCloseTo(score, 9);
    }
  });

  it('puts more words before fewer where a word is found nowhere', async () => {
    await store(Object.entries(HARBOUR).map(([id, text]) => newMemory({ id, text })));
    const { hits } = asked(engineBy(options), contentQuery('harbour xyzzy yellow'));
    expect(hits[0]?.id).toBe('both');
    expect(hits.map(({ relevance }) => relevance)).toEqual([2 / 3, 1 / 3, 1 / 3, 1 / 3]);
    expect(ids(engineBy(options).search(contentQuery('xyzzy')))).toEqual([]);
    expect(ids(engineBy(options).search(contentQuery('of the and')))).toEqual([]);
  });

  it('limits results by the share of the words and by a score of 10 a word', async () => {
    await store(Object.entries(HARBOUR).map(([id, text]) => newMemory({ id, text })));
    const engine = engineBy(options);
    expect(ids(asked(engine, contentQuery('harbour buoy', { minRelevance: 1 })))).toEqual(['both']);
    expect(ids(engine.search(contentQuery('harbour buoy', { minScore: 20 })))).toEqual(['both']);
    expect(ids(engine.search(contentQuery('harbour buoy', { limit: 1 })))).toEqual(['both']);
  });

  it('time, place, recency and importance do not rank some of the words before all', async () => {
    const old = { eventAtUs: 1, importance: 0 };
    const place = { location: 'pier', room: '', region: '' };
    const near = { eventAtUs: aQuery().nowUs, importance: 1, step: 7, place };
    await store([
      newMemory({ id: 'all', text: HARBOUR.both, ...old }),
      newMemory({ id: 'some', text: HARBOUR.loud, ...near }),
      newMemory({ id: 'none', text: HARBOUR.bread, ...near }),
    ]);
    const { weights, ...query } = contentQuery('harbour buoy');
    const nearTime = { kind: 'step', step: 7, scale: 1 } as const;
    const nearPlace = { kind: 'named', names: place } as const;
    const nearness = { nearTime, nearPlace, weights: { ...weights, time: 0.5, place: 0.5 } };
    const result = asked(engineBy(options), { ...query, ...nearness });
    expect(ids(result)).toEqual(['all', 'some', 'none']);
    expect(result.hits.map(({ relevance }) => relevance)).toEqual([1, 0.5, 0]);
  });

  it('finds the words of a long text on different pages of it', async () => {
    const long = longText(20_000, 'At last they saw a walrus.');
    await store([
      newMemory({ id: 'long', text: `A narwhal came by.\n\n${long}` }),
      newMemory({ id: 'short', text: 'Narwhal! Narwhal! Narwhal!' }),
      newMemory({ id: 'other', text: long }),
    ]);
    const { hits } = asked(engineBy(options), contentQuery('narwhal walrus'));
    expect(hits[0]).toMatchObject({ id: 'long', relevance: 1 });
    expect(hits.slice(1).map(({ relevance }) => relevance)).toEqual([0.5, 0.5]);
  });

  it('finds the only memory of 20,000 with all words though thousands have a greater keyword score', async () => {
    const common = 'harbour buoy yellow crane';
    const filler = 'gull '.repeat(60);
    const memories = Array.from({ length: 20_000 }, (_, at) => {
      const said =
        at < 5000
          ? 'walrus walrus walrus'
          : common
              .split(' ')
              .slice(at % 4)
              .join(' ');
      return newMemory({ id: `m${at}`, text: `${said} ${at}` });
    });
    // Long, so that each of its words counts little, and stored in the middle.
    memories.splice(9000, 1, newMemory({ id: 'all', text: `${filler} walrus ${common} ${filler}` }));
    await store(memories);
    const engine = engineBy(options);
    const query = contentQuery(`${common} walrus`);
    expect(asked(engine, { ...query, limit: 1 }).hits).toMatchObject([{ id: 'all', relevance: 1 }]);
    const { hits } = engine.search({ ...query, limit: 1000 });
    expect(hits.map(({ relevance }) => relevance).slice(0, 3)).toEqual([1, 0.8, 0.8]);
    const byKeywords = engine.search(aQuery({ text: query.text, limit: 1000 }));
    expect(ids(byKeywords)).not.toContain('all');
  }, 120_000);

  it('equals counting by hand, for any query', async () => {
    const random = seededRandom('preset content');
    const memories = Array.from({ length: 150 }, (_, at) => aMemory(random, `m${at}`));
    await store(memories);
    const engine = engineBy(options);
    asked(engine, contentQuery('garden'));
    for (let round = 0; round < ROUNDS; round++) {
      const query = Array.from({ length: 1 + random.int(6) }, () => random.pick(ASKED)).join(' ');
      const type = random.pick(['', 'a', 'b']);
      const limit = random.pick([1, 3, 10, 1000]);
      const { terms } = queryTermsOf(query);
      const of = (memory: NewMemory) => terms.filter(({ term }) => stemsOf(memory).has(term)).length;
      const due = memories.filter((memory) => (type === '' || memory.type === type) && of(memory) > 0);
      const counts = due.map(of).sort((a, b) => b - a);
      const asking = contentQuery(query, { limit, ...(type === '' ? {} : { filter: ofType(type) }) });
      const { hits } = engine.search(asking);
      const byId = new Map(memories.map((memory) => [memory.id, memory]));
      const found = hits.map(({ id }) => of(byId.get(id) as NewMemory));
      expect([query, found]).toEqual([query, counts.slice(0, limit)]);
      expect(hits.map(({ relevance }) => relevance)).toEqual(found.map((count) => count / terms.length));
    }
  }, 60_000);
});

const SAID = 'garden gardens painting paint the of Mail naïve 東京 x1 running run ran 2023 May'.split(' ');
const ASKED = [...SAID, 'xyzzy', 'Ann', 'November'];

function aMemory(random: TestRandom, id: string): NewMemory {
  const words = Array.from({ length: 1 + random.int(12) }, () => random.pick(SAID));
  const text = random.chance(0.1) ? `${words.join(' ')}\n\n${longText(5000, random.pick(SAID))}` : words.join(' ');
  const speaker = random.pick(['Ann Paint', '']);
  return newMemory({ id, text, type: random.pick(['a', 'b']), source: { speaker, uri: '', origin: '' } });
}

function stemsOf({ text, source, eventAtUs }: NewMemory): ReadonlySet<string> {
  return new Set(termsOf(`${text} ${source.speaker} ${spokenDate(eventAtUs)}`));
}

function ofType(type: string): Filter {
  const target = { kind: 'field', field: 'type' } as const;
  return { kind: 'comparison', target, operator: 'equals', values: [type], ignoreCase: false };
}
