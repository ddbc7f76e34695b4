import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { StaticTexts } from '../../../src/search/embedding/static/static-embedder.ts';
import { RankedMemories } from '../../../src/search/ranking/ranked-memories.ts';
import { LearnedLane } from '../../../src/search/recall/learned-lane.ts';
import type { LocalEngine } from '../../../src/search/recall/local-engine.ts';
import { NamespaceTexts } from '../../../src/search/recall/namespace-texts.ts';
import type { RecallQuery } from '../../../src/search/recall/recall-engine.ts';
import { TextFolder } from '../../../src/search/vectors/text-folder.ts';
import { memoryReaders, SqliteRecallSource } from '../../../src/storage/sqlite/recall-source.ts';
import { newMemory } from '../../support/new-memory.ts';
import { seededRandom } from '../../support/random.ts';
import { aQuery, type RecallFixture, recallFixture } from '../../support/recall-fixture.ts';

/** More than a first query reads where a read takes as long as it may wait. */
const COUNT = 200;
const READ_MS = 300;
const QUESTION = 'who heard the violin';
const random = seededRandom('unread texts');
const texts = new StaticTexts();
const { table, tokenizer } = texts.load();
const weights = aQuery().weights;

const QUERIES: Readonly<Record<string, Partial<RecallQuery>>> = {
  'learned order': { isLearned: true },
  fusion: {},
  'fusion with the vector of the text': { embedText: true },
  weights: { weights: { ...weights, session: 0.2 } },
  'words of the text': { weights: { ...weights, words: 1 } },
  diversity: { diversity: 0.5 },
};

/** Its first read of texts takes as long as a query may wait. */
class SlowSource extends SqliteRecallSource {
  private hasRead = false;

  override texts(...args: Parameters<SqliteRecallSource['texts']>): ReturnType<SqliteRecallSource['texts']> {
    const untilMs = performance.now() + READ_MS;
    while (!this.hasRead && performance.now() < untilMs);
    this.hasRead = true;
    return super.texts(...args);
  }
}

class CountingSource extends SqliteRecallSource {
  /** Of texts. */
  pages = 0;

  override texts(...args: Parameters<SqliteRecallSource['texts']>): ReturnType<SqliteRecallSource['texts']> {
    this.pages++;
    return super.texts(...args);
  }
}

let fixture: RecallFixture;
let refused: string[];
beforeEach(async () => {
  fixture = await recallFixture();
  refused = [];
  await fixture.store.write({
    kind: 'store',
    namespace: 'n',
    memories: Array.from({ length: COUNT }, (_, number) => newMemory({ id: `m${number}`, text: textOf(number) })),
    createNamespace: true,
    onConflict: 'fail',
    atUs: 1,
  });
});
afterEach(() => fixture.close());

/** The index of the store weighs long texts as a whole, recall their passages: they have other places. */
function textOf(number: number): string {
  const isLong = number % 10 === 0;
  const words = Array.from({ length: isLong ? 900 : 20 + random.int(120) }, () =>
    random.pick(['rain', 'cello', 'harbour']),
  );
  if (number % 5 === 0) words.splice(random.int(words.length), 0, ...Array(isLong ? 3 : 1).fill('violin'));
  return words.join(' ');
}

function newEngine(
  settings: Parameters<RecallFixture['newStrictEngine']>[0] = {
    source: new SlowSource(fixture.database, memoryReaders(fixture.database)),
  },
): LocalEngine {
  return fixture.newStrictEngine({
    ...settings,
    textFiles: new TextFolder(fixture.folder, 'table', (_, reason) => refused.push(reason)),
    textsKeptMin: 1,
    newTexts: () => new NamespaceTexts(new RankedMemories(table, tokenizer)),
    learned: new LearnedLane(table, tokenizer),
    texts,
  });
}

function answerOf(engine: LocalEngine, query: Partial<RecallQuery>) {
  const { hits, degraded } = engine.search(aQuery({ text: QUESTION, ...query }));
  return { ids: hits.map(({ id }) => id), parts: degraded.map(({ part }) => part) };
}

describe('one flipped byte in the manifest of the texts', () => {
  it.each(Object.keys(QUERIES))(
    '%s › the first answer is that of later ones, or names what is unread',
    async (name) => {
      const query = QUERIES[name] ?? {};
      const before = newEngine();
      answerOf(before, {});
      while (before.states.work(1000));
      await before.states.save({ changesMin: 1 });
      const [manifest = ''] = globSync('texts/*/manifest', { cwd: fixture.folder });
      const bytes = readFileSync(join(fixture.folder, manifest));
      const at = random.int(bytes.length);
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      writeFileSync(join(fixture.folder, manifest), bytes);

      const engine = newEngine();
      const first = answerOf(engine, query);
      while (engine.states.work(1000));
      const later = answerOf(engine, query);

      expect(refused).toEqual(['the manifest is damaged']);
      expect(later.parts).toEqual([]);
      if (first.parts.length === 0) expect(first.ids).toEqual(later.ids);
      else expect(first.parts).toContain('ranker');
    },
  );
});

describe('texts that are not read yet', () => {
  it('more than the first query waits for › it reads none and names what is unread; later ones have all', () => {
    const source = new CountingSource(fixture.database, memoryReaders(fixture.database));
    const engine = newEngine({ source, textsAwaitedMax: COUNT - 1 });
    const first = answerOf(engine, { isLearned: true });
    expect([source.pages, first.parts]).toEqual([0, expect.arrayContaining(['ranker'])]);
    while (engine.states.work(1000));
    expect(answerOf(engine, { isLearned: true }).parts).toEqual([]);
  });

  it('as many as it waits for › it reads some', () => {
    const source = new CountingSource(fixture.database, memoryReaders(fixture.database));
    answerOf(newEngine({ source, textsAwaitedMax: COUNT }), { isLearned: true });
    expect(source.pages).toBeGreaterThan(0);
  });
});
