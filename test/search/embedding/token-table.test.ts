import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { TokenTable } from '../../../src/search/embedding/static/token-table.ts';
import { assetBytes, manifest, sentences } from './static-table.ts';

describe('TokenTable', () => {
  const bytes = assetBytes();
  const table = new TokenTable(bytes);
  const vocabulary = table.readVocabulary();
  const id = (token: string) => vocabulary.indexOf(token);

  function cosine(a: number, b: number): number {
    const [x, y] = [table.vector(a), table.vector(b)];
    const dot = (p: Int8Array, q: Int8Array) => p.reduce((sum, value, at) => sum + value * (q[at] ?? 0), 0);
    return dot(x, y) / Math.sqrt(dot(x, x) * dot(y, y));
  }

  test('is the file that the manifest and the fixture were written with, at most 12 MB', () => {
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    expect(manifest()).toMatchObject({ bytes: bytes.length, sha256 });
    expect(sentences().assetSha256).toBe(sha256);
    expect(bytes.length).toBeLessThanOrEqual(12_000_000);
  });

  test('holds a vector, a scale and a weight for each token', () => {
    expect([table.size, table.dimensions, vocabulary.length]).toEqual([30_522, 256, 30_522]);
    expect(table.vectors).toHaveLength(table.size * table.dimensions);
    expect(table.scales.every((scale) => scale > 0)).toBe(true);
    expect(table.poolingWeights[id('the')]).toBeLessThan(table.poolingWeights[id('greyhound')] ?? 0);
  });

  test('lists neighbours best first, with the cosine of their vectors', () => {
    for (const word of ['dog', 'monday', '##ing', '139', 'coffee']) {
      const { tokens, codes } = table.neighbours(id(word));
      expect(tokens.length).toBeGreaterThan(0);
      expect(tokens.length).toBeLessThanOrEqual(64);
      expect(tokens).not.toContain(id(word));
      expect([...codes]).toEqual([...codes].sort((a, b) => b - a));
      tokens.forEach((token, at) => {
        expect(table.cosineOfCode[codes[at] ?? 0]).toBeCloseTo(cosine(id(word), token), 2);
      });
    }
    expect([...table.neighbours(id('dog')).tokens].map((token) => vocabulary[token])).toContain('puppy');
  });

  test('returns no neighbours for tokens without meaning, nor for invalid tokens', () => {
    for (const token of [id('[UNK]'), id('[unused7]'), id('##書'), -1, table.size, table.size + 1]) {
      expect(table.neighbours(token).tokens).toHaveLength(0);
    }
  });

  test('reads the same from unaligned and from shared memory', () => {
    const shifted = new Uint8Array(bytes.length + 3).subarray(3);
    shifted.set(bytes);
    const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
    shared.set(bytes);
    for (const other of [new TokenTable(shifted), new TokenTable(shared)]) {
      expect(other.vector(id('dog'))).toEqual(table.vector(id('dog')));
      expect(other.readVocabulary()).toEqual(vocabulary);
    }
  });

  test.each<[string, (copy: Buffer) => Uint8Array]>([
    ['empty', () => new Uint8Array()],
    ['cut short', (copy) => copy.subarray(0, copy.length - 1)],
    ['longer', (copy) => Buffer.concat([copy, Buffer.alloc(1)])],
    ['other magic', (copy) => copy.fill('X', 0, 1)],
    ['newer format', (copy) => writeWord(copy, 8, 2)],
    ['wrong vocabulary size', (copy) => writeWord(copy, 12, 30_521)],
    ['no dimensions', (copy) => writeWord(copy, 16, 0)],
    ['section outside', (copy) => writeWord(copy, 32, copy.length)],
    ['section unaligned', (copy) => writeWord(copy, 32, 129)],
    ['neighbour lists that run backwards', (copy) => writeWord(copy, copy.readUInt32LE(32 + 6 * 8) + 4000, 0xffffffff)],
    ['neighbour out of the vocabulary', (copy) => writeWord(copy, copy.readUInt32LE(32 + 7 * 8), 0xffffffff)],
  ])('refuses a file that is %s', (_, spoil) => {
    expect(() => new TokenTable(spoil(Buffer.from(bytes)))).toThrow(
      expect.objectContaining({ name: 'TokenTableError' }),
    );
  });
});

function writeWord(copy: Buffer, at: number, value: number): Buffer {
  copy.writeUInt32LE(value, at);
  return copy;
}
