import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { deriveText } from '../../../src/memory/derive-text.ts';
import { comparedState } from '../../../src/memory/states/state.ts';
import { StaticTexts } from '../../../src/search/embedding/static/static-embedder.ts';
import { RankedMemories } from '../../../src/search/ranking/ranked-memories.ts';
import type { LocalEngine } from '../../../src/search/recall/local-engine.ts';
import { NamespaceTexts } from '../../../src/search/recall/namespace-texts.ts';
import type { RecallQuery, RecallResult } from '../../../src/search/recall/recall-engine.ts';
import { GraphFolder } from '../../../src/search/vectors/graph-folder.ts';
import { newMemory } from '../../support/new-memory.ts';
import { seededRandom, type TestRandom } from '../../support/random.ts';
import { aQuery, type RecallFixture, recallFixture } from '../../support/recall-fixture.ts';

const texts = new StaticTexts();
const { table, tokenizer } = texts.load();
const COUNT = 4000;
/** Of the exact hits. Graphs find 0.988 of them on average, and down to 0.96 with some seeds. */
const SHARE_MIN = 0.92;

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
    graphFiles: graphFiles(),
    newTexts: () => new NamespaceTexts(new RankedMemories(table, tokenizer)),
  });
}

const refused: string[] = [];
const graphFiles = (models = { texts: 'table', states: 'formula' }) =>
  new GraphFolder(fixture.folder, models, (_, reason, isFormer) =>
    refused.push(`${isFormer ? 'former' : 'damaged'}: ${reason}`),
  );

/** An engine whose graphs are complete. */
function grownEngine(exactMax: number): LocalEngine {
  const engine = newEngine(exactMax);
  engine.states.open('n');
  while (engine.states.work(1000));
  engine.search(queryOf('the boat', false));
  engine.search(queryOf({ health: 1 }, false));
  while (engine.states.work(1000));
  return engine;
}

/** Vectors that came into the graphs, or left them, since they were begun or last saved. */
function changesOf(engine: LocalEngine): Readonly<Record<string, number>> {
  const [state] = engine.states.all();
  return Object.fromEntries(state?.graphs().map(([kind, { unsavedChanges }]) => [kind, unsavedChanges]) ?? []);
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
  await fixture.store.write({
    kind: 'store',
    namespace: 'n',
    memories,
    createNamespace: true,
    onConflict: 'replace',
    atUs: 1,
  });
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
    const engine = grownEngine(100);
    const [state] = engine.states.all();
    expect(state?.texts?.graph).toBeDefined();
    const bare = () => ({ position: [random.next() * 1000, random.next() * 1000], health: random.next() });
    const kinds = [() => randomState(random), bare, () => ({ health: random.next() }), () => phrase(random)];
    const cues = () => Array.from({ length: 40 }, () => random.pick(kinds)());
    expect(recallOf(engine, cues())).toBeGreaterThan(SHARE_MIN);
    await store(COUNT - 100, 150, random);
    const gone = Array.from({ length: 50 }, (_, at) => `m${at}`);
    await fixture.store.write({
      kind: 'delete',
      namespace: 'n',
      ids: gone,
      cause: 'deleted',
      mustExist: true,
      atUs: 2,
    });
    expect(recallOf(engine, cues())).toBeGreaterThan(SHARE_MIN);
    while (engine.states.work(1000));
    expect(recallOf(engine, cues())).toBeGreaterThan(SHARE_MIN);
    const near = { position: [500, 500], health: 0.5, room: 'hall' };
    const content = contentOf(near);
    await store(9000, 1, random);
    await fixture.store.write({
      kind: 'store',
      namespace: 'n',
      memories: [newMemory({ id: 'new', content, text: deriveText(content) })],
      createNamespace: false,
      onConflict: 'fail',
      atUs: 3,
    });
    expect(ids(engine.search(queryOf(near, false)))[0]).toBe('new');
  });

  it('are kept between runs: only later changes come into them', async () => {
    const random = seededRandom('recall-graphs kept');
    await store(0, 1500, random);
    const engine = grownEngine(20);
    expect(changesOf(engine)['states']).toBe(1500);
    await engine.states.save({ changesMin: 1 });
    expect(changesOf(engine)).toEqual({ texts: 0, states: 0 });
    const cues = Array.from({ length: 30 }, () => random.pick([() => randomState(random), () => phrase(random)])());
    const answers = (one: LocalEngine) => cues.map((cue) => one.search(queryOf(cue, false)).hits);
    const again = grownEngine(20);
    expect(changesOf(again)).toEqual({ texts: 0, states: 0 });
    expect(answers(again)).toEqual(answers(engine));
    await store(1490, 30, random);
    await fixture.store.write({
      kind: 'delete',
      namespace: 'n',
      ids: ['m3', 'm4'],
      cause: 'deleted',
      mustExist: true,
      atUs: 2,
    });
    while (engine.states.work(1000));
    const later = grownEngine(20);
    // 10 are replaced and 2 deleted: they leave the graph; 30 come into it.
    expect(changesOf(later)['states']).toBe(10 + 2 + 30);
    expect(recallOf(later, cues)).toBeGreaterThan(SHARE_MIN);
    expect(recallOf(engine, cues)).toBeGreaterThan(SHARE_MIN);
    expect(refused.splice(0)).toEqual([]);
  });

  it('of other models, damaged, or of an erased namespace › are grown again', async () => {
    const random = seededRandom('recall-graphs refused');
    await store(0, 600, random);
    const engine = grownEngine(20);
    await engine.states.save({ changesMin: 1 });
    const [state] = engine.states.all();
    if (!state) throw new Error('no state');
    const { entry } = state;
    expect(graphFiles({ texts: 'other', states: 'formula' }).load(entry, 'texts', 64)).toBeUndefined();
    expect(refused.splice(0)).toEqual(['former: the snapshot is of "table", not of "other"']);
    for (const kind of ['texts', 'states']) {
      const folder = join(fixture.folder, 'graphs', String(entry.key), kind);
      const name = readdirSync(folder).find((each) => each.startsWith(kind === 'texts' ? 'graph' : 'places')) ?? '';
      const bytes = readFileSync(join(folder, name));
      bytes[300] = (bytes[300] ?? 0) ^ 1;
      writeFileSync(join(folder, name), bytes);
    }
    const again = grownEngine(20);
    expect(changesOf(again)['states']).toBe(600);
    expect(refused.splice(0)).toEqual(['damaged: graph-0 has changed', 'damaged: places-0 has changed']);
    await again.states.save({ changesMin: 1 });
    await fixture.store.write({ kind: 'deleteNamespace', name: 'n', force: true, atUs: 3 });
    again.states.follow();
    expect(readdirSync(join(fixture.folder, 'graphs'))).toEqual([]);
  });
});
