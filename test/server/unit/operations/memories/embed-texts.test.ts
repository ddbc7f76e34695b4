import { describe, expect, it } from '@jest/globals';
import { PASSAGE_LIMITS, passagesOf } from '../../../../../src/memory/passages.ts';
import { HashingEmbedder } from '../../../../../src/search/embedding/hashing.ts';
import { embedTexts, PASSAGES_EMBEDDED_MAX } from '../../../../../src/server/operations/memories/embed-texts.ts';
import { longText } from '../../../../support/long-texts.ts';

const { signal } = new AbortController();

class Recording extends HashingEmbedder {
  readonly asked: string[] = [];
  override async embed(texts: readonly string[], provided: AbortSignal): Promise<(Float32Array | undefined)[]> {
    this.asked.push(...texts);
    return super.embed(texts, provided);
  }
}

describe('embedTexts', () => {
  it('passes short texts to the embedder unchanged', async () => {
    const embedder = new Recording();
    const texts = ['one', '', '!?', 'x'.repeat(PASSAGE_LIMITS.wholeMax)];
    expect(await embedTexts(embedder, texts, signal)).toEqual(await new HashingEmbedder().embed(texts, signal));
    expect(embedder.asked).toEqual(texts);
  });

  it('assigns a long text the mean of its passages, and adjacent texts their own vectors', async () => {
    const text = longText(5000, 'The end.');
    const embedder = new Recording();
    const [before, long, after] = await embedTexts(embedder, ['one', text, 'two'], signal);
    const passages = passagesOf(text).map(({ from, end }) => text.slice(from, end));
    expect(embedder.asked).toEqual(['one', ...passages, 'two']);
    expect([before, after]).toEqual(await new HashingEmbedder().embed(['one', 'two'], signal));
    const vectors = await new HashingEmbedder().embed(passages, signal);
    const sum = Array.from(long ?? [], (_, d) => vectors.reduce((total, vector) => total + (vector?.[d] ?? 0), 0));
    const length = Math.hypot(...sum);
    long?.forEach((value, d) => {
      expect(value).toBeCloseTo((sum[d] ?? 0) / length, 5);
    });
  });

  it('embeds so many passages at most, from the first to nearly the last', async () => {
    const text = longText(300_000, 'The end.');
    const embedder = new Recording();
    const [vector] = await embedTexts(embedder, [text], signal);
    expect(embedder.asked).toHaveLength(PASSAGES_EMBEDDED_MAX);
    expect(text.startsWith(embedder.asked[0] ?? '-')).toBe(true);
    expect(text.indexOf(embedder.asked.at(-1) ?? '-')).toBeGreaterThan(280_000);
    expect(Math.hypot(...(vector ?? []))).toBeCloseTo(1, 5);
  });

  it('assigns no vector to a long text without a word', async () => {
    expect(await embedTexts(new HashingEmbedder(), ['!? '.repeat(2000)], signal)).toEqual([undefined]);
  });
});
