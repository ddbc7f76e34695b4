import { expect, test } from '@jest/globals';
import type {
  RecallEngine,
  RecallQuery,
  RecallResult,
  ScoredHit,
} from '../../../../../src/search/recall/recall-engine.ts';
import type { RecallHit } from '../../../../../src/server/operations/recall/recall-request.ts';
import { AnswerState } from '../../../../../src/server/operations/streams/answer-state.ts';
import { UnreadHits } from '../../../../../src/server/operations/streams/standing-answer.ts';
import { newMemory } from '../../../../support/new-memory.ts';
import { seededRandom, type TestRandom } from '../../../../support/random.ts';

const NOTHING_ELSE = {
  equalCount: 0,
  components: [],
  features: [],
  matchedTerms: [],
  isRestored: false,
  before: [],
  after: [],
};
const { signal } = new AbortController();

function engineOf(found: () => readonly ScoredHit[]): RecallEngine {
  const search = async (): Promise<RecallResult> => ({
    hits: found(),
    lanes: ['vector'],
    degraded: [],
    candidateCount: 0,
    revision: 1,
  });
  return { textModel: '', search, statistics: async () => [], close: async () => {} };
}

function readAs({ id, revision, ...found }: ScoredHit): RecallHit {
  const memory = { ...newMemory({ id, expiresAtUs: 1000 * revision }), namespace: 'n', revision };
  return { ...found, memory, before: [], after: [] };
}

/** Mostly unchanged: some hits are gone, new, changed, moved, or have another score, by much or by little. */
function nextHits(random: TestRandom, hits: readonly ScoredHit[]): ScoredHit[] {
  const kept = hits.filter(() => random.chance(0.9)).map((hit) => changed(random, hit));
  for (let count = random.int(3); count > 0; count--) {
    const hit = { ...NOTHING_ELSE, id: `m${random.int(30)}`, revision: 1, score: random.next(), relevance: 0.5 };
    if (!kept.some(({ id }) => id === hit.id)) kept.push(hit);
  }
  return kept.toSorted((one, other) => other.score - one.score).slice(0, 8);
}

function changed(random: TestRandom, hit: ScoredHit): ScoredHit {
  const drifted = random.chance(0.3) ? { ...hit, score: hit.score - 0.0004 } : hit;
  const moved = random.chance(0.1) ? { ...drifted, score: random.next() } : drifted;
  return random.chance(0.1) ? { ...moved, revision: moved.revision + 1 } : moved;
}

test('UnreadHits › the same events as if all hits were read, and only sent hits are read', async () => {
  const random = seededRandom('unread-hits');
  const [all, few] = [new AnswerState(), new AnswerState()];
  let hits: ScoredHit[] = [];
  const unread = new UnreadHits(
    engineOf(() => hits),
    few,
  );
  let [foundCount, readCount] = [0, 0];
  for (let step = 0; step < 2000; step++) {
    hits = nextHits(random, hits);
    const received = all.eventsTo({ hits: hits.map(readAs) });
    const found = await unread.search({} as RecallQuery, signal);
    expect(few.eventsTo({ hits: found.hits.map(readAs) }, unread.kept)).toEqual(received);
    expect(found.hits.map(({ id }) => id)).toEqual(received.flatMap(({ kind, id }) => (kind === 'leave' ? [] : [id])));
    expect([...few.times()]).toEqual([...all.times()]);
    foundCount += hits.length;
    readCount += found.hits.length;
  }
  expect(readCount).toBeGreaterThan(0);
  expect(readCount).toBeLessThan(foundCount);
});

test('UnreadHits › nothing is omitted where all are to be read', async () => {
  const hits = [{ ...NOTHING_ELSE, id: 'a', revision: 1, score: 1, relevance: 0.5 }];
  const state = new AnswerState();
  const unread = new UnreadHits(
    engineOf(() => hits),
    state,
  );
  state.eventsTo({ hits: hits.map(readAs) });
  expect((await unread.search({} as RecallQuery, signal)).hits).toEqual([]);
  unread.readsAll = true;
  expect((await unread.search({} as RecallQuery, signal)).hits).toEqual(hits);
  expect(unread.kept.size).toBe(0);
});
