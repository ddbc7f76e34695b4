import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { StaticTexts } from '../../../src/search/embedding/static/static-embedder.ts';
import { FilterSet } from '../../../src/search/filtering/filter-set.ts';
import { RankedMemories } from '../../../src/search/ranking/ranked-memories.ts';
import type { NamespaceState } from '../../../src/search/recall/namespace-state.ts';
import { NamespaceTexts } from '../../../src/search/recall/namespace-texts.ts';
import { type NearText, nearestTexts, type TextSearch } from '../../../src/search/recall/near-texts.ts';
import { dotProduct, Nearest } from '../../../src/search/vectors/nearest.ts';
import { memoryReaders, SqliteRecallSource } from '../../../src/storage/sqlite/recall-source.ts';
import { longText } from '../../support/long-texts.ts';
import { newMemory } from '../../support/new-memory.ts';
import { seededRandom, type TestRandom } from '../../support/random.ts';
import { type RecallFixture, recallFixture } from '../../support/recall-fixture.ts';

const texts = new StaticTexts();
const { table, tokenizer } = texts.load();

let fixture: RecallFixture;
beforeEach(async () => {
  fixture = await recallFixture();
});
afterEach(async () => {
  await fixture.close();
});

const WORDS = [
  'boat',
  'harbour',
  'pasta',
  'garden',
  'storm',
  'music',
  'the',
  'ran',
  'x7',
  '北京',
  '☃',
  '!?',
  '…',
  '[SEP]',
];

function randomText(random: TestRandom): string {
  const phrase = Array.from({ length: 1 + random.int(8) }, () => random.pick(WORDS)).join(random.pick([' ', ', ']));
  return random.chance(0.05) ? longText(3000 + random.int(6000), phrase) : phrase;
}

/** Every memory compared one by one, with vectors of texts that are read from the store. */
function oneByOne(state: NamespaceState, search: TextSearch): NearText[] {
  const { asked, limit, isAllowed } = search;
  const rough = new Nearest(limit);
  for (let sequence = 1; sequence < state.columns.end; sequence++) {
    const cosine = isAllowed(sequence) ? (state.texts?.nearness(sequence, asked).cosine ?? 0) : 0;
    if (cosine !== 0 && cosine >= search.minSimilarity - 0.02) rough.offer(sequence, cosine);
  }
  const spanOf = (sequence: number) => state.texts?.nearness(sequence, asked).span;
  const nearest = new Nearest(limit);
  for (const { key: sequence } of rough.take()) {
    const { text = '', whole = '' } = search.source.text(state.entry.firstKey + sequence) ?? {};
    const span = spanOf(sequence);
    const own = texts.vectorOf(span ? whole.slice(span.from, span.end) : text);
    if (own) nearest.offer(state.entry.firstKey + sequence, Math.max(-1, Math.min(1, dotProduct(own, asked))));
  }
  return nearest.take().map((neighbor) => {
    const passage = spanOf(neighbor.key - state.entry.firstKey);
    return { ...neighbor, passage };
  });
}

describe('nearestTexts', () => {
  it('finds the same to the bit as a comparison one by one, after any changes', async () => {
    const random = seededRandom('near-texts');
    const source = new SqliteRecallSource(fixture.database, memoryReaders(fixture.database));
    const engine = fixture.newStrictEngine({
      source,
      texts,
      newTexts: () => new NamespaceTexts(new RankedMemories(table, tokenizer)),
    });
    for (let round = 0; round < 5; round++) {
      const ids = [...new Set(Array.from({ length: 120 }, () => `m${random.int(400)}`))];
      const memories = ids.map((id) => newMemory({ id, text: randomText(random) }));
      await fixture.store.write({
        kind: 'store',
        namespace: 'n',
        memories,
        createNamespace: true,
        onConflict: 'replace',
        atUs: 1,
      });
      const gone = ids.slice(0, 5);
      await fixture.store.write({
        kind: 'delete',
        namespace: 'n',
        ids: gone,
        cause: 'deleted',
        mustExist: true,
        atUs: 2,
      });
      const state = engine.states.open('n');
      while (state.readTexts(source, 1000));
      for (let question = 0; question < 8; question++) {
        const asked = texts.vectorOf(randomText(random));
        if (!asked) continue;
        const modulus = 1 + random.int(3);
        const search: TextSearch = {
          asked,
          texts,
          source,
          limit: random.pick([1, 10, 100, 1000]),
          minSimilarity: random.pick([-1, 0.3]),
          narrowed: undefined,
          isAllowed: (sequence) => state.columns.has(sequence) && sequence % modulus === 0,
        };
        const expected = oneByOne(state, search);
        expect(nearestTexts(state, search)).toEqual(expected);
        const { end } = state.columns;
        const narrowed = FilterSet.of(
          Array.from({ length: end }, (_, sequence) => sequence),
          end,
        );
        expect(nearestTexts(state, { ...search, narrowed })).toEqual(expected);
      }
    }
  });
});
