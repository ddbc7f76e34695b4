import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { StaticTexts } from '../../../src/search/embedding/static/static-embedder.ts';
import { RankedMemories } from '../../../src/search/ranking/ranked-memories.ts';
import { LearnedLane } from '../../../src/search/recall/learned-lane.ts';
import type { LocalEngine } from '../../../src/search/recall/local-engine.ts';
import { NamespaceTexts } from '../../../src/search/recall/namespace-texts.ts';
import { TextFolder } from '../../../src/search/vectors/text-folder.ts';
import { newMemory } from '../../support/new-memory.ts';
import { seededRandom } from '../../support/random.ts';
import { aQuery, type RecallFixture, recallFixture } from '../../support/recall-fixture.ts';

const WORDS = 'garden gardens painting paint the of Mail naïve 東京 x1 running run ran 2023 May'.split(' ');
const QUESTIONS = ['who paints the garden', 'running in May', '東京', 'naive mail'];
const { table, tokenizer } = new StaticTexts().load();
const learned = new LearnedLane(table, tokenizer);

let fixture: RecallFixture;
/** Texts that were read from the store. */
let readCount: number;
let refused: string[];
beforeEach(async () => {
  fixture = await recallFixture();
  [readCount, refused] = [0, []];
});
afterEach(async () => {
  await fixture.close();
});

class CountingTexts extends NamespaceTexts {
  override put(...args: Parameters<NamespaceTexts['put']>): ReturnType<NamespaceTexts['put']> {
    readCount++;
    return super.put(...args);
  }
}

function newEngine(tableName = 'table'): LocalEngine {
  readCount = 0;
  return fixture.newStrictEngine({
    textFiles: new TextFolder(fixture.folder, tableName, (_, reason) => refused.push(reason)),
    textsKeptMin: 1,
    newTexts: () => new CountingTexts(new RankedMemories(table, tokenizer)),
    learned,
  });
}

const random = seededRandom('kept texts');
let written = 0;

async function store(ids: readonly string[]): Promise<void> {
  const memories = ids.map((id) => {
    const text = Array.from({ length: random.int(30) }, () => random.pick(WORDS)).join(' ');
    // Replacing a text with an equal one changes nothing and is not read.
    const uri = `turn:${written++}`;
    return newMemory({ id, text, source: { speaker: random.pick(['Ann Paint', '']), uri, origin: '' } });
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

const idsFrom = (first: number, count: number) => Array.from({ length: count }, (_, at) => `m${first + at}`);

/** With every text in memory, however slow the machine. */
function answers(engine: LocalEngine): unknown {
  engine.search(aQuery({ text: 'garden' }));
  while (engine.states.work(1000));
  return QUESTIONS.map((text) => {
    const { hits, degraded } = engine.search(aQuery({ text, isLearned: true, explain: true, limit: 50 }));
    return { hits, degraded };
  });
}

describe('Texts kept between runs', () => {
  it('give the answers of newly analysed texts, without reading any', async () => {
    await store(idsFrom(0, 300));
    const engine = newEngine();
    const expected = answers(engine);
    expect(readCount).toBe(300);
    await engine.states.save({ changesMin: 1 });
    const again = newEngine();
    expect(answers(again)).toEqual(expected);
    expect(readCount).toBe(0);
  });

  it('only later changes, before the start and after it › are read', async () => {
    await store(idsFrom(0, 200));
    const engine = newEngine();
    answers(engine);
    await engine.states.save({ changesMin: 1 });
    await store(idsFrom(190, 30));
    await fixture.store.write({
      kind: 'delete',
      namespace: 'n',
      ids: ['m3', 'm195'],
      cause: 'deleted',
      mustExist: true,
      atUs: 2,
    });
    const again = newEngine();
    again.search(aQuery({ text: 'garden' }));
    while (again.states.work(1000));
    await store(idsFrom(5, 2));
    const changed = answers(again);
    expect(readCount).toBe(29 + 2);
    const anew = newEngine('another table');
    expect(changed).toEqual(answers(anew));
    expect(readCount).toBe(218);
    await again.states.save({ changesMin: 1 });
    expect(answers(newEngine())).toEqual(changed);
    expect(readCount).toBe(0);
  });

  it.each([0, 1, 5, 2000])('a file with a changed byte at %i › is refused, and the texts are read', async (place) => {
    await store(idsFrom(0, 50));
    const engine = newEngine();
    const expected = answers(engine);
    await engine.states.save({ changesMin: 1 });
    const folder = join(fixture.folder, 'texts', readdirSync(join(fixture.folder, 'texts'))[0] ?? '');
    for (const name of readdirSync(folder).filter((one) => one !== 'manifest')) {
      const bytes = readFileSync(join(folder, name));
      bytes[place] = (bytes[place] ?? 0) ^ 1;
      writeFileSync(join(folder, name), bytes);
    }
    expect(answers(newEngine())).toEqual(expected);
    expect(readCount).toBe(50);
    expect(refused).toHaveLength(1);
  });

  it('an interrupted save › leaves the previous one', async () => {
    await store(idsFrom(0, 50));
    const engine = newEngine();
    answers(engine);
    await engine.states.save({ changesMin: 1 });
    const folder = join(fixture.folder, 'texts', readdirSync(join(fixture.folder, 'texts'))[0] ?? '');
    writeFileSync(join(folder, 'texts-1'), 'half');
    writeFileSync(join(folder, 'manifest.new'), 'half');
    answers(newEngine());
    expect([readCount, refused]).toEqual([0, []]);
  });

  it('an erased namespace › leaves no files', async () => {
    await store(idsFrom(0, 50));
    const engine = newEngine();
    answers(engine);
    await engine.states.save({ changesMin: 1 });
    await fixture.store.write({ kind: 'deleteNamespace', name: 'n', force: true, atUs: 3 });
    expect(() => answers(engine)).toThrow();
    expect(readdirSync(join(fixture.folder, 'texts'))).toEqual([]);
  });
});
