import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { StaticTexts } from '../../../src/search/embedding/static/static-embedder.ts';
import { RankedMemories } from '../../../src/search/ranking/ranked-memories.ts';
import { LearnedLane } from '../../../src/search/recall/learned-lane.ts';
import type { LocalEngine } from '../../../src/search/recall/local-engine.ts';
import { NamespaceTexts } from '../../../src/search/recall/namespace-texts.ts';
import type { RecallQuery, ScoredHit } from '../../../src/search/recall/recall-engine.ts';
import { newMemory } from '../../support/new-memory.ts';
import { seededRandom } from '../../support/random.ts';
import { aQuery, type RecallFixture, recallFixture } from '../../support/recall-fixture.ts';

const { table, tokenizer } = new StaticTexts().load();
const learned = new LearnedLane(table, tokenizer);

let fixture: RecallFixture;
let engine: LocalEngine;
beforeEach(async () => {
  fixture = await recallFixture();
  engine = fixture.newStrictEngine({
    newTexts: () => new NamespaceTexts(new RankedMemories(table, tokenizer)),
    learned,
  });
});
afterEach(async () => {
  await fixture.close();
});

async function store(texts: readonly string[], session = ''): Promise<void> {
  const memories = texts.map((text, at) =>
    newMemory({
      id: `m${at}`,
      text,
      scope: { project: '', agentType: '', agent: '', session },
      eventAtUs: 1e15 + at * 1e9,
    }),
  );
  await fixture.store.write({
    kind: 'store',
    namespace: 'n',
    memories,
    createNamespace: true,
    onConflict: 'replace',
    atUs: 1,
  });
}

function ask(text: string, changes: Partial<RecallQuery> = {}): readonly ScoredHit[] {
  engine.search(aQuery({ text: 'anything' }));
  while (engine.states.work(1000));
  return engine.search(aQuery({ text, isLearned: true, ...changes })).hits;
}

describe('A recall by five words or more that a memory has one after the other', () => {
  it('any six words of a memory › find it first', async () => {
    const random = seededRandom('verbatim');
    const words = 'the a of to it and was we you did make that so nice thanks house dog garden painting Bruno'.split(
      ' ',
    );
    const texts = Array.from({ length: 300 }, () => Array.from({ length: 12 }, () => random.pick(words)).join(' '));
    await store(texts, 'talk');
    for (let round = 0; round < 50; round++) {
      const at = random.int(texts.length);
      const from = random.int(7);
      const text = (texts[at] ?? '')
        .split(' ')
        .slice(from, from + 6)
        .join(' ');
      const having = texts.flatMap((one, other) => (` ${one} `.includes(` ${text} `) ? [`m${other}`] : []));
      const first = ask(text).slice(0, having.length);
      expect(first.map(({ id }) => id).sort()).toEqual(having.sort());
    }
  });

  it('is at least as relevant as the others, and explained', async () => {
    await store(['Did you make that? It is so nice.', 'Nice that you did make so much of it.', 'The dog sleeps.']);
    const hits = ask('did you make that it is', { explain: true });
    expect(hits[0]?.id).toBe('m0');
    for (const { relevance } of hits) expect(relevance).toBeLessThanOrEqual(hits[0]?.relevance ?? 0);
    const [first] = hits;
    const sum = first?.components.reduce((total, { contribution }) => total + contribution, 0);
    expect(sum).toBeCloseTo(first?.score ?? Number.NaN, 9);
  });

  it('a question that repeats the one that is asked does not come before its answer', async () => {
    await store(['Where did we put the spare key?', 'We put the spare key under the blue pot.']);
    expect(ask('Where did we put the spare key?')[0]?.id).toBe('m1');
  });

  it('a filter is respected', async () => {
    await store(['did you make that it is so nice', 'you make it nice']);
    const hits = ask('did you make that it is', { excludeId: 'm0' });
    expect(hits.map(({ id }) => id)).toEqual(['m1']);
  });

  it('finds the passage of a long text', async () => {
    const page = 'The weather was fine and nothing else happened on that day. '.repeat(60);
    await store([`${page}At last did you make that it is so nice. ${page}`, 'you did make it nice']);
    const [first] = ask('did you make that it is so');
    expect(first?.id).toBe('m0');
    expect(first?.passage?.text).toContain('did you make that it is so nice');
  });
});

describe('A recall by a code alone', () => {
  it('finds the memory that has it first, whatever speaks for others', async () => {
    const random = seededRandom('codes');
    const words = 'garden rain cello market harbour winter letter engine bread river lamp meadow clock paper'.split(
      ' ',
    );
    const codes = Array.from({ length: 60 }, (_, at) => `r0l${at % 6}n${Math.floor(at / 6)}x${random.int(4)}`);
    const memories = codes.map((code, at) =>
      newMemory({
        id: `m${at}`,
        text: `${code} ${Array.from({ length: 6 }, () => random.pick(words)).join(' ')}`,
        scope: { project: '', agentType: '', agent: `a${random.int(3)}`, session: `s${random.int(5)}` },
        importance: random.next(),
        eventAtUs: 1e15 + at * 1e3,
      }),
    );
    await fixture.store.write({
      kind: 'store',
      namespace: 'n',
      memories,
      createNamespace: true,
      onConflict: 'replace',
      atUs: 1,
    });
    expect(codes.map((code) => ask(code, { limit: 3 })[0]?.id)).toEqual(memories.map(({ id }) => id));
  });
});
