import { describe, expect, it } from '@jest/globals';
import { languageOf } from '../../src/memory/languages/languages.ts';
import { foreignFormsOf, indexTermsOf, languageOfTerm, termsIn } from '../../src/memory/languages/terms.ts';

describe('languageOf', () => {
  it.each([
    ['de', 'Unsere Katze heißt Minka.'],
    ['de', 'Was machst du am Wochenende?'],
    ['fr', 'Mon frère est instituteur dans une école de village.'],
    ['es', '¿Cómo se llama nuestra gata?'],
    ['pt', 'O meu irmão é professor numa escola de aldeia.'],
    ['it', 'Il nostro gatto non mangia quando piove.'],
    ['nl', 'Onze kat slaapt altijd op het bed.'],
    ['sv', 'Vi har inte hunnit köpa någon ny cykel.'],
    ['da', 'Jeg har ikke været i København.'],
    ['no', 'Jeg har ikke vært i Bergen på mange år.'],
    ['fi', 'Minä olen asunut Helsingissä, mutta en enää.'],
    ['hu', 'Nem tudom, hogy mikor indul a vonat.'],
    ['ro', 'Nu știu unde este cartea pentru copii.'],
    ['tr', 'Bu akşam için çok güzel bir yemek yaptım.'],
    ['ru', 'Моя сестра работает в больнице.'],
    ['el', 'Η γάτα μας κοιμάται στον καναπέ.'],
    ['ar', 'القطة تنام على السرير'],
    [undefined, 'What does she do for a living?'],
    [undefined, 'He was in Los Angeles with Zoë at the café.'],
    [undefined, 'I want so die hard movies, also in German.'],
    [undefined, 'Моя сестра працює в лікарні, її звати Оля.'],
    [undefined, 'Nie wiem, gdzie jest mój rower.'],
    [undefined, '我喜欢茶'],
    [undefined, 'Minka'],
    [undefined, ''],
  ])('%s: %s', (language, text) => {
    expect(languageOf(text)).toBe(language);
  });
});

describe('terms of a text', () => {
  it('are English stems where the language is English or unknown', () => {
    const terms = { body: ['mel', 'paint', 'hors'], meta: ['ann', 'novemb'] };
    expect(indexTermsOf('What did Mel paint? The horses!', 'Ann November')).toEqual(terms);
  });

  it('are stems of its language, with its mark, also of the speaker and the date', () => {
    expect(indexTermsOf('Die Katzen sind nicht müde.', 'Ann')).toEqual({
      body: ['_de_die', '_de_katz', '_de_sind', '_de_nicht', '_de_mud'],
      meta: ['_de_ann'],
    });
  });

  it('have two forms of a word that has another stem without its accents', () => {
    expect(termsIn('es', 'educación')).toEqual(['_es_educ', '_es_educacion']);
    expect(foreignFormsOf('educacion', 'educacion', ['es'])).toEqual(['_es_educacion']);
    expect(foreignFormsOf('educaciones', 'educaciones', ['es'])).toEqual(['_es_educ']);
  });

  it('share one with every other spelling of the same word, whatever the accents', () => {
    const words = ['Straße', 'STRASSE', 'Größe', 'fatigué', 'CANÇÃO', 'ёлка', 'γάτα', 'naïve', 'x1', '2023'];
    for (const word of words) {
      const folded = word.toLowerCase().normalize('NFKD').replace(/\p{M}/gu, '');
      for (const language of ['de', 'fr', 'es', 'ru', 'el'] as const) {
        const forms = foreignFormsOf(folded, word.toLowerCase(), [language]);
        expect(termsIn(language, folded).some((term) => forms.includes(term))).toBe(true);
        expect(termsIn(language, word).some((term) => forms.includes(term))).toBe(true);
      }
    }
  });

  it('name their language', () => {
    expect(['_de_katz', '_ru_книг', 'katz', '_xx_katz'].map(languageOfTerm)).toEqual([
      'de',
      'ru',
      undefined,
      undefined,
    ]);
  });
});
