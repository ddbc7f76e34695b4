import { describe, expect, test } from '@jest/globals';
import { PooledVector } from '../../../src/search/embedding/static/pooled-vector.ts';
import { WordPiece } from '../../../src/search/embedding/static/word-piece.ts';
import { openTable, sentences } from './static-table.ts';

describe('PooledVector', () => {
  const table = openTable();
  const pooled = new PooledVector(table, new WordPiece(table));

  function cosine(a: string, b: string): number {
    const [x, y] = [pooled.ofText(a) ?? [], pooled.ofText(b) ?? []];
    return Array.from(x).reduce((sum, value, at) => sum + value * (y[at] ?? 0), 0);
  }

  test('equals the reference for each sentence', () => {
    for (const { text, head } of sentences().rows) {
      const unit = pooled.ofText(text);
      expect(unit === undefined).toBe(head === undefined);
      head?.forEach((value, at) => {
        expect(unit?.[at]).toBeCloseTo(value, 5);
      });
    }
  });

  test('is of unit length', () => {
    const unit = pooled.ofText('adopted a greyhound called Turbo') ?? new Float32Array();
    expect(unit).toHaveLength(256);
    expect(Math.hypot(...unit)).toBeCloseTo(1, 6);
  });

  test.each(['', ' \n', '\u0000', '😀', 'x'.repeat(101), '[UNK] 🦩'])('has no direction for %j', (text) => {
    expect(pooled.ofText(text)).toBeUndefined();
  });

  test('passes over unknown words, and keeps no trace of the text before', () => {
    const before = pooled.ofText('a blue crate');
    pooled.ofText('something else entirely');
    expect(pooled.ofText('a 🦩 blue crate')).toEqual(before);
  });

  test('is near for texts of near meaning', () => {
    const question = 'Which pet does she have?';
    expect(cosine(question, 'She adopted a puppy')).toBeGreaterThan(cosine(question, 'The report was sent as a PDF'));
  });
});
