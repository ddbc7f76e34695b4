import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { StaticTexts } from '../../src/embedding/static/static-embedder.ts';
import { deriveText } from '../../src/memory/derive-text.ts';
import { comparedState } from '../../src/memory/states/state.ts';
import type { LocalEngine } from '../../src/recall/local-engine.ts';
import { NamespaceTexts } from '../../src/recall/namespace-texts.ts';
import { RankedMemories } from '../../src/recall/ranking/ranked-memories.ts';
import type { RecallQuery, RecallResult } from '../../src/recall/recall-engine.ts';
import { newMemory } from '../support/new-memory.ts';
import { seededRandom, type TestRandom } from '../support/random.ts';
import { aQuery, type RecallFixture, recallFixture } from '../support/recall-fixture.ts';

const texts = new StaticTexts();
const { table, tokenizer } = texts.load();
const COUNT = 4000;

let fixture: RecallFixture;
beforeEach(async () => {
  fixture = await recallFixture();
});
afterEach(async () => {
  await fixture.close();
});

/** With graphs from ten times `exactMax` memories on. */
function newEngine(exactMax: number): LocalEngine {
  return fixture.newStrictEngine({
    exactMax,
    texts,
    newTexts: () => new NamespaceTexts(new RankedMemories(table, tokenizer)),
  });
}

type State = Readonly<Record<string, unknown>>;
const contentOf = (state: State) => ({ mediaType: 'application/json', data: Buffer.from(JSON.stringify(state)) });
const WORDS = 'boat harbour pasta garden storm music river bridge letter winter horse market lamp forest train'.split(
  ' ',
);

const phrase = (random: TestRandom) => Array.from({ length: 5 }, () => random.pick(WORDS)).join(' ');

function randomState(random: TestRandom): State {
  return {
    position: [random.next() * 1000, random.next() * 1000],
    health: random.next(),
    room: random.pick(['hall', 'attic', 'cellar', 'garden']),
    ...(random.chance(0.5) && { note: phrase(random) }),
  };
}

function queryOf(cue: State | string, exact: boolean): RecallQuery {
  const weights = { keyword: 0, vector: 1, state: 1, recency: 0, importance: 0, session: 0 };
  if (typeof cue === 'string') return aQuery({ text: cue, embedText: true, weights, exact });
  const state = comparedState(cue);
  if (!state) throw new Error('no state');
  const text = state.textShare > 0 ? { text: deriveText(contentOf(cue)), embedText: true } : {};
  return aQuery({ state, weights, exact, ...text });
}

const ids = ({ hits }: RecallResult): string[] => hits.map(({ id }) => id);

async function store(first: number, count: number, random: TestRandom): Promise<void> {
  const memories = Array.from({ length: count }, (_, at) => {
    const content = contentOf(randomState(random));
    return newMemory({ id: `m${first + at}`, content, text: deriveText(content) });
  });
  await fixture.store.store({ namespace: 'n', memories, createNamespace: true, onConflict: 'replace', atUs: 1 });
}

/** Share of the exact hits that the graph's answer has, over some questions. */
function recallOf(engine: LocalEngine, cues: readonly (State | string)[]): number {
  let [found, wanted] = [0, 0];
  for (const cue of cues) {
    const exact = new Set(ids(engine.search(queryOf(cue, true))));
    wanted += exact.size;
    found += ids(engine.search(queryOf(cue, false))).filter((id) => exact.has(id)).length;
  }
  return found / wanted;
}

describe('Graphs of texts and states', () => {
  it('find the hits of a comparison with all, also after changes', async () => {
    const random = seededRandom('recall-graphs');
    for (let first = 0; first < COUNT; first += 500) await store(first, 500, random);
    const engine = newEngine(100);
    engine.states.open('n');
    while (engine.states.work(1000));
    engine.search(queryOf('the boat', false));
    engine.search(queryOf({ health: 1 }, false));
    while (engine.states.work(1000));
    const [state] = engine.states.all();
    expect(state?.texts?.graph).toBeDefined();
    const bare = () => ({ position: [random.next() * 1000, random.next() * 1000], health: random.next() });
    const kinds = [() => randomState(random), bare, () => ({ health: random.next() }), () => phrase(random)];
    const cues = () => Array.from({ length: 40 }, () => random.pick(kinds)());
    expect(recallOf(engine, cues())).toBeGreaterThan(0.95);
    await store(COUNT - 100, 150, random);
    const gone = Array.from({ length: 50 }, (_, at) => `m${at}`);
    await fixture.store.delete({ namespace: 'n', ids: gone, cause: 'deleted', mustExist: true, atUs: 2 });
    expect(recallOf(engine, cues())).toBeGreaterThan(0.95);
    while (engine.states.work(1000));
    expect(recallOf(engine, cues())).toBeGreaterThan(0.95);
    const near = { position: [500, 500], health: 0.5, room: 'hall' };
    const content = contentOf(near);
    await store(9000, 1, random);
    await fixture.store.store({
      namespace: 'n',
      memories: [newMemory({ id: 'new', content, text: deriveText(content) })],
      createNamespace: false,
      onConflict: 'fail',
      atUs: 3,
    });
    expect(ids(engine.search(queryOf(near, false)))[0]).toBe('new');
  });
});
