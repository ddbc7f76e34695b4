import { describe, expect, it } from '@jest/globals';
import { noEmbedder } from '../../../src/search/embedding/embedder.ts';
import { HashingEmbedder } from '../../../src/search/embedding/hashing.ts';

const { signal } = new AbortController();

async function similarity(one: string, other: string): Promise<number> {
  const [a, b] = await new HashingEmbedder().embed([one, other], signal);
  return [...(a ?? [])].reduce((sum, value, i) => sum + value * (b?.[i] ?? 0), 0);
}

describe('HashingEmbedder', () => {
  it('embed › in every run and on every machine › the same vector', async () => {
    const [vector] = await new HashingEmbedder().embed(['Remember the milk.'], signal);
    const places = [...(vector ?? [])].flatMap((value, place) => (value === 0 ? [] : [`${place}:${value.toFixed(4)}`]));
    expect(places.slice(0, 6)).toEqual([
      '3:-0.1474',
      '6:-0.1474',
      '15:0.1474',
      '40:-0.1474',
      '69:-0.1474',
      '82:0.1474',
    ]);
  });

  it('embed › case, diacritics and punctuation › make no difference', async () => {
    expect(await similarity('Café MÜNCHEN!', 'cafe, munchen')).toBeCloseTo(1, 6);
  });

  it('embed › typing errors › stay near, other words do not', async () => {
    const text = 'remember the meeting with Johnson on Tuesday';
    expect(await similarity(text, 'remeber the meting with Jonson on Tuesday')).toBeGreaterThan(0.5);
    expect(Math.abs(await similarity(text, 'blue whales eat krill in cold oceans'))).toBeLessThan(0.2);
  });

  it('embed › order of words › counts a little', async () => {
    const swapped = await similarity('dog bites man', 'man bites dog');
    expect(swapped).toBeGreaterThan(0.7);
    expect(swapped).toBeLessThan(0.999);
  });
});

describe('noEmbedder', () => {
  it('embed › any text › EMBEDDER_UNAVAILABLE; none › no vectors', async () => {
    await expect(noEmbedder.embed(['text'], signal)).rejects.toMatchObject({ reason: 'EMBEDDER_UNAVAILABLE' });
    expect(await noEmbedder.embed([], signal)).toEqual([]);
  });
});
