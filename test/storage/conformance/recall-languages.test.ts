import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { StaticTexts } from '../../../src/search/embedding/static/static-embedder.ts';
import { RankedMemories } from '../../../src/search/ranking/ranked-memories.ts';
import { LearnedLane } from '../../../src/search/recall/learned-lane.ts';
import type { LocalEngine } from '../../../src/search/recall/local-engine.ts';
import { NamespaceTexts } from '../../../src/search/recall/namespace-texts.ts';
import { newMemory } from '../../support/new-memory.ts';
import { aQuery, type RecallFixture, recallFixture } from '../../support/recall-fixture.ts';

/** A memory, and a question with other forms of its words. */
const CASES: readonly (readonly [language: string, memory: string, question: string])[] = [
  ['German', 'Unsere Katzen schlafen auf dem Sofa.', 'Wo schläft die Katze?'],
  ['German', 'Anna wohnt in einem alten Haus mit Garten.', 'Häuser'],
  ['French', 'Nous avons écouté toutes les chansons de Marie.', 'chanson'],
  ['French', 'Il travaille dans une école avec des enfants.', 'écoles'],
  ['Spanish', 'Ayer escuchamos las canciones de mi hermana.', '¿Qué canción?'],
  ['Spanish', 'La educación de los niños es lo más importante.', 'educaciones'],
  ['Portuguese', 'Os meus gatos não gostam de água.', 'gato'],
  ['Italian', 'Il mio fratello non mangia le mele.', 'mela'],
  ['Dutch', 'Wij hebben twee katten en een hond.', 'kat'],
  ['Swedish', 'Jag har inte tvättat bilen.', 'bilar'],
  ['Danish', 'Jeg har ikke fundet bøgerne.', 'bøger'],
  ['Norwegian', 'Jeg har ikke sett fiskene på lenge.', 'fisker'],
  ['Finnish', 'Minä olen nähnyt kissan, mutta en koiraa.', 'kissat'],
  ['Hungarian', 'Nem tudom, hogy hol vannak a házak.', 'ház'],
  ['Romanian', 'Noi avem o pisică foarte frumoasă.', 'pisici'],
  ['Turkish', 'Bu akşam için çok güzel kitaplar aldım.', 'kitap'],
  ['Russian', 'Моя сестра читает книгу о кошках.', 'книги'],
  ['Russian', 'Мой брат работал в этом городе.', 'города'],
  ['Greek', 'Η γάτα μας κοιμάται στον καναπέ.', 'γάτες'],
  ['Arabic', 'قرأت الكتاب في البيت', 'كتاب'],
];
/** Found by their words as before. */
const OTHERS = [
  ['English', 'The horses are in the stable.', 'horse'],
  ['no language', 'Minka Zug Bahnhof', 'zug'],
] as const;

let fixture: RecallFixture;
beforeEach(async () => {
  fixture = await recallFixture();
});
afterEach(async () => {
  await fixture.close();
});

async function storeAll(): Promise<void> {
  const memories = [...CASES, ...OTHERS].map(([, text], at) => newMemory({ id: `m${at}`, text }));
  await fixture.store.write({
    kind: 'store',
    namespace: 'n',
    memories,
    createNamespace: true,
    onConflict: 'fail',
    atUs: 1,
  });
}

function engineWithTexts(): LocalEngine {
  const { table, tokenizer } = new StaticTexts().load();
  const newTexts = () => new NamespaceTexts(new RankedMemories(table, tokenizer));
  const engine = fixture.newStrictEngine({ newTexts, learned: new LearnedLane(table, tokenizer) });
  engine.search(aQuery({ text: 'horse' }));
  while (engine.states.work(1000));
  return engine;
}

const ENGINES: readonly (readonly [string, () => LocalEngine])[] = [
  ["the store's full-text index", () => fixture.newStrictEngine()],
  ['texts in memory', engineWithTexts],
];

describe.each(ENGINES)('Recall by words in several languages, by %s', (_, newEngine) => {
  it('finds a memory by other forms of its words, beside memories of all languages', async () => {
    await storeAll();
    const engine = newEngine();
    for (const [at, [language, , question]] of [...CASES, ...OTHERS].entries()) {
      const [hit] = engine.search(aQuery({ text: question })).hits;
      expect([language, question, hit?.id]).toEqual([language, question, `m${at}`]);
    }
  });

  it('finds a text by each of its own words, with and without accents', async () => {
    await storeAll();
    const engine = newEngine();
    for (const [at, [language, text]] of CASES.entries()) {
      for (const word of text.match(/[\p{L}\p{M}]{5,}/gu) ?? []) {
        for (const form of [word, word.normalize('NFKD').replace(/\p{M}/gu, '')]) {
          const ids = engine.search(aQuery({ text: form })).hits.map(({ id }) => id);
          expect([language, form, ids.includes(`m${at}`)]).toEqual([language, form, true]);
        }
      }
    }
  });

  it('counts a word in two forms as one word', async () => {
    const text = 'Die Katze und die Katzen, müde und mude, sind nicht im Haus.';
    const memories = [newMemory({ id: 'a', text }), newMemory({ id: 'b', text: 'The horses are tired.' })];
    await fixture.store.write({
      kind: 'store',
      namespace: 'n',
      memories,
      createNamespace: true,
      onConflict: 'fail',
      atUs: 1,
    });
    const weights = { ...aQuery().weights, words: 1 };
    const { hits } = newEngine().search(aQuery({ text: 'müde Häuser xyzzy', weights, explain: true }));
    expect(hits.map(({ id, relevance }) => [id, relevance])).toEqual([['a', 2 / 3]]);
    expect(hits[0]?.matchedTerms).toEqual(['mude', 'hauser']);
  });
});
