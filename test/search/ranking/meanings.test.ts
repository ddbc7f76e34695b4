import { describe, expect, it } from '@jest/globals';
import { LazyEncoder } from '../../../src/search/embedding/sentence/lazy-encoder.ts';
import { Meanings, Meant } from '../../../src/search/ranking/meanings.ts';
import { seededRandom } from '../../support/random.ts';

const encoder = new LazyEncoder();
const TEXTS = ['', 'Ada plays the cello in an orchestra.', 'Buy three litres of milk.', 'My sister lives in Cologne.'];

function filled(): Meanings {
  const meanings = new Meanings(encoder);
  TEXTS.forEach((text, sequence) => {
    if (sequence === 0) return;
    meanings.await(sequence);
    meanings.make(sequence, text);
  });
  return meanings;
}

function askedOf(meanings: Meanings, text: string): Float32Array {
  const asked = meanings.asked(text);
  if (!asked) throw new Error(`no vector: ${text}`);
  return asked;
}

describe('Meanings', () => {
  it('computes nothing before a recall has needed the encoder', () => {
    const meanings = new Meanings(new LazyEncoder());
    meanings.await(1);
    expect(meanings.canAdvance).toBe(false);
    expect(meanings.advance(() => 'a text', performance.now() + 1000)).toBe(0);
    expect([...meanings.unmade]).toEqual([1]);
  });

  it('finds the nearest across languages, and omits disallowed ones', () => {
    const meanings = filled();
    const asked = askedOf(meanings, 'Wo wohnt meine Schwester?');
    expect(meanings.nearest(asked, 1)).toEqual([3]);
    expect(meanings.nearest(asked, 3, { isAllowed: (sequence) => sequence !== 3 })).not.toContain(3);
    expect(meanings.cosine(3, asked)).toBeGreaterThan((meanings.cosine(2, asked) ?? 1) + 0.1);
    expect(meanings.cosine(9, asked)).toBeUndefined();
  });

  it('finds the same as all exact cosines', () => {
    const random = seededRandom('meanings');
    const values = (count: number): number[] => Array.from({ length: count }, () => random.next() - 0.5);
    const meanings = new Meanings(encoder);
    for (let sequence = 1; sequence <= 1000; sequence++) {
      // Each tenth text is a long one.
      const parts = sequence % 10 === 0 ? 24 : 1;
      meanings.putBytes(
        sequence,
        Int8Array.from(values(512 * parts), (value) => 254 * value),
      );
    }
    for (let round = 0; round < 20; round++) {
      const direction = values(512);
      const length = Math.hypot(...direction);
      const asked = Float32Array.from(direction, (value) => value / length);
      const exact = Array.from({ length: 1000 }, (_, at) => at + 1)
        .map((sequence) => ({ sequence, cosine: meanings.cosine(sequence, asked) ?? -1 }))
        .sort((a, b) => b.cosine - a.cosine || a.sequence - b.sequence);
      const sequences = exact.map(({ sequence }) => sequence);
      expect(meanings.nearest(asked, 60)).toEqual(sequences.slice(0, 60));
      const among = sequences.filter((sequence) => sequence % 3 === 0);
      expect(meanings.nearest(asked, 60, { among: among.toReversed() })).toEqual(among.slice(0, 60));
      const odd = among.filter((sequence) => sequence % 2 === 1);
      expect(meanings.nearest(asked, 60, { among, isAllowed: (one) => one % 2 === 1 })).toEqual(odd.slice(0, 60));
    }
  });

  it('a text in a language that the encoder does not know has no vector', () => {
    const meanings = filled();
    meanings.await(4);
    meanings.make(4, 'אני גר ברחוב הרצל בחיפה.');
    expect(meanings.unmade.size).toBe(0);
    expect(meanings.asked('איפה אני גר?')).toBeUndefined();
    const asked = askedOf(meanings, 'Where do I live?');
    expect(meanings.cosine(4, asked)).toBeUndefined();
    expect(meanings.cosines([4], asked, 0.05)).toEqual(Float32Array.of(0.05));
    expect(meanings.nearest(asked, 4)).not.toContain(4);
  });

  it('computes missing vectors in the background, and of a long text by its parts', () => {
    const meanings = filled();
    const long = `${'The office opens at seven and closes at nine. '.repeat(20)}Bruno hates cheese. ${'Bring a mug. '.repeat(30)}`;
    meanings.await(4);
    expect([...meanings.unmade]).toEqual([4]);
    expect(meanings.advance(() => long, Number.POSITIVE_INFINITY)).toBe(1);
    expect(meanings.unmade.size).toBe(0);
    expect(meanings.bytesOf(4).length).toBeGreaterThan(3 * 512);
    expect(meanings.nearest(askedOf(meanings, 'What does Bruno not like to eat?'), 1)).toEqual([4]);
  });

  it('a deleted text is not awaited', () => {
    const meanings = filled();
    meanings.await(7);
    expect(meanings.advance(() => undefined, Number.POSITIVE_INFINITY)).toBe(0);
    expect(meanings.unmade.size).toBe(0);
  });

  it('another text, or none, replaces the vectors', () => {
    const meanings = filled();
    const { bytes } = meanings;
    meanings.await(1);
    expect(meanings.bytesOf(1)).toHaveLength(0);
    // The room is used again.
    meanings.make(5, 'Ada plays the piano.');
    expect(meanings.bytes).toBe(bytes);
    meanings.remove(1);
    expect(meanings.unmade.size).toBe(0);
  });

  it('persisted vectors give the same', () => {
    const [meanings, kept] = [filled(), new Meanings(encoder)];
    const asked = askedOf(meanings, 'Who makes music?');
    kept.putBytes(1, meanings.bytesOf(1));
    expect(kept.cosine(1, asked)).toBe(meanings.cosine(1, asked));
    expect(kept.bytesOf(1)).toEqual(meanings.bytesOf(1));
  });

  it('of many vectors by their signs › the nearest are those of all exact cosines', () => {
    const random = seededRandom('signs');
    const value = () => random.next() - 0.5;
    const meanings = new Meanings(encoder);
    const centres = Array.from({ length: 100 }, () => Array.from({ length: 512 }, value));
    for (let sequence = 1; sequence <= 6000; sequence++) {
      const centre = centres[sequence % 100] as number[];
      meanings.putBytes(
        sequence,
        Int8Array.from(centre, (one) => 84 * (one + 2 * value())),
      );
    }
    for (let sequence = 1000; sequence < 1100; sequence++) meanings.remove(sequence);
    const all = Array.from({ length: 6000 }, (_, at) => at + 1);
    for (const centre of centres.slice(0, 20)) {
      const length = Math.hypot(...centre);
      const asked = Float32Array.from(centre, (one) => one / length);
      const exact = meanings.nearest(asked, 10, { among: all });
      expect(exact).toHaveLength(10);
      expect(meanings.nearest(asked, 10)).toEqual(exact);
      const isAllowed = (sequence: number) => sequence % 7 === 0;
      expect(meanings.nearest(asked, 5, { isAllowed })).toEqual(
        meanings.nearest(asked, 5, { among: all.filter(isAllowed) }),
      );
    }
    expect(meanings.nearest(new Float32Array(512), 10, { isAllowed: (sequence) => sequence === 42 })).toEqual([42]);
  });

  it('a recall makes few vectors where very many are missing', () => {
    const meanings = new Meanings(encoder);
    for (let sequence = 1; sequence <= 20_040; sequence++) meanings.await(sequence);
    const asked = { text: 'Who plays the cello?', textOf: () => 'Ada plays the cello in an orchestra, every evening.' };
    const scope = { count: 20_040, lacksWords: true };
    const meant = Meant.of(asked as unknown as Parameters<typeof Meant.of>[0], meanings, scope);
    expect(meanings.unmade.size).toBe(20_040);
    meant?.makeBest(Array.from({ length: 40 }, (_, at) => 20_001 + at));
    expect(20_040 - meanings.unmade.size).toBeGreaterThan(2);
    expect(20_040 - meanings.unmade.size).toBeLessThan(8);
  });

  it('a recall makes vectors of the newest memories only where few may be found', () => {
    const asked = { text: 'Who plays the cello?', textOf: () => 'Ada plays the cello.' };
    const unmadeAfter = (count: number, lacksWords = false) => {
      const meanings = new Meanings(encoder);
      for (let sequence = 1; sequence <= 100; sequence++) meanings.await(sequence);
      Meant.of(asked as unknown as Parameters<typeof Meant.of>[0], meanings, { count, lacksWords });
      return meanings.unmade.size;
    };
    expect(unmadeAfter(3001)).toBe(100);
    expect(unmadeAfter(3000)).toBeLessThan(80);
    expect(unmadeAfter(3001, true)).toBeLessThan(80);
  });
});
