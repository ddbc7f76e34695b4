import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Embedder } from '../../../src/search/embedding/embedder.ts';

export interface EmbedderSubject {
  readonly name: string;
  create(): Promise<{ embedder: Embedder; close(): Promise<void> }>;
}

const TEXTS = [
  'The meeting with Ms Johnson is on Tuesday at nine.',
  'Blue whales eat krill.',
  '明日は雨が降ります。',
  'naïve café',
  'a',
  '7',
];

/** Contract of every `Embedder` that embeds. */
export function embedderSuite({ name, create }: EmbedderSubject): void {
  describe(`embedder (${name})`, () => {
    const { signal } = new AbortController();
    let embedder: Embedder;
    let close: () => Promise<void>;
    beforeEach(async () => {
      ({ embedder, close } = await create());
    });
    afterEach(() => close());

    it('embed › texts › a vector of length 1 for each, all of the dimension', async () => {
      const vectors = await embedder.embed(TEXTS, signal);
      expect(vectors).toHaveLength(TEXTS.length);
      expect(embedder.dimension).toBeGreaterThan(0);
      for (const vector of vectors) {
        expect(vector).toHaveLength(embedder.dimension);
        expect(Math.hypot(...(vector ?? []))).toBeCloseTo(1, 5);
      }
    });

    it('embed › the same text again, alone or among others › the same vector, in the order of the texts', async () => {
      const together = await embedder.embed(TEXTS, signal);
      for (const [place, text] of TEXTS.entries()) {
        expect(await embedder.embed([text], signal)).toEqual([together[place]]);
      }
      expect(await embedder.embed([...TEXTS].reverse(), signal)).toEqual([...together].reverse());
    });

    it('embed › texts without a word › undefined in their places', async () => {
      const [one, empty, blank, signs, other] = await embedder.embed(['one', '', ' \n', '?! …', 'other'], signal);
      expect([empty, blank, signs]).toEqual([undefined, undefined, undefined]);
      expect(one).toBeDefined();
      expect(other).toBeDefined();
      expect(await embedder.embed(['-'], signal)).toEqual([undefined]);
    });

    it('embed › no texts › no vectors', async () => {
      expect(await embedder.embed([], signal)).toEqual([]);
    });

    it('embed › very long text › a vector', async () => {
      const [vector] = await embedder.embed(['word and number 12 𝒳 '.repeat(20_000)], signal);
      expect(Math.hypot(...(vector ?? []))).toBeCloseTo(1, 5);
    });

    it('embed › signal aborted › fails with its reason', async () => {
      const reason = new Error('the caller left');
      await expect(embedder.embed(TEXTS, AbortSignal.abort(reason))).rejects.toBe(reason);
    });

    it('model and weight › are there', () => {
      expect(embedder.model).not.toBe('');
      expect(embedder.laneWeight).toBeGreaterThanOrEqual(0);
    });
  });
}
