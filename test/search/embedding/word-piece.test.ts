import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { WordPiece } from '../../../src/search/embedding/static/word-piece.ts';
import { fixture, openTable, sentences } from './static-table.ts';

interface Proof {
  readonly texts: string[];
  readonly digests: string[];
  readonly tokens: number;
  readonly sweep: { readonly block: number; readonly digests: string[] };
}

function digest(rows: readonly Uint16Array[]): string {
  const hash = createHash('sha256');
  for (const ids of rows) hash.update(ids);
  return hash.digest('hex').slice(0, 16);
}

describe('WordPiece against the reference tokenizer', () => {
  const table = openTable();
  const tokenizer = new WordPiece(table);
  const proof: Proof = JSON.parse(gunzipSync(fixture('word-piece-texts.json.gz')).toString('utf8'));

  test('returns the same ids for each of the 10,000 texts', () => {
    expect(proof.texts).toHaveLength(10_000);
    const encoded = proof.texts.map((text) => tokenizer.encode(text));
    const wrong = proof.texts.flatMap((text, at) =>
      digest([encoded[at] ?? new Uint16Array()]) === proof.digests[at] ? [] : [{ at, text }],
    );
    expect(wrong.slice(0, 5)).toEqual([]);
    expect(encoded.reduce((sum, ids) => sum + ids.length, 0)).toBe(proof.tokens);
  });

  test('returns the same ids for every Unicode character between two letters', () => {
    const { block, digests } = proof.sweep;
    const wrong = digests.flatMap((expected, at) => {
      const points = Array.from({ length: block }, (_, step) => at * block + step);
      const characters = points.filter((point) => point < 0xd800 || point > 0xdfff);
      const rows = characters.map((point) => tokenizer.encode(`a${String.fromCodePoint(point)}b`));
      return digest(rows) === expected ? [] : [`U+${(at * block).toString(16)}`];
    });
    expect(digests).toHaveLength(0x110000 / block);
    expect(wrong).toEqual([]);
  });

  test('returns the same ids for the sentences, listed in full', () => {
    for (const { text, ids } of sentences().rows) expect([text, ...tokenizer.encode(text)]).toEqual([text, ...ids]);
  });

  test('returns the same ids again from the cache of words', () => {
    const texts = proof.texts.slice(0, 500);
    expect(texts.map((text) => digest([tokenizer.encode(text)]))).toEqual(proof.digests.slice(0, 500));
  });

  test('removes lone surrogates, which no UTF-8 text holds', () => {
    expect(tokenizer.encode('mem\ud800ory \udc00')).toEqual(tokenizer.encode('memory'));
  });

  test('processes a megabyte without a space, or of endless words, in linear time', () => {
    const hostile = [
      'a'.repeat(1e6),
      '\u302f\u1b44'.repeat(5e5),
      `${'z'.repeat(99)} `.repeat(1e4),
      '[SEP'.repeat(2.5e5),
    ];
    const [whole, marks, words, brackets] = hostile.map((text) => tokenizer.encode(text));
    expect(whole).toEqual(Uint16Array.of(tokenizer.unknown));
    expect(marks).toEqual(Uint16Array.of(tokenizer.unknown));
    expect(words?.length).toBeGreaterThan(1e4);
    expect(brackets).toHaveLength(5e5);
  });
});
