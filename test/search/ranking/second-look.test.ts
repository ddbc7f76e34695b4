import { beforeAll, describe, expect, it } from '@jest/globals';
import { readTokenTable, type TokenTable } from '../../../src/search/embedding/static/token-table.ts';
import { WordPiece } from '../../../src/search/embedding/static/word-piece.ts';
import { NearTokens } from '../../../src/search/ranking/near-tokens.ts';
import { echoesOf, tokensNamedBy } from '../../../src/search/ranking/second-look.ts';
import { TokenIndex } from '../../../src/search/ranking/token-index.ts';

let table: TokenTable;
let tokenizer: WordPiece;

beforeAll(async () => {
  table = await readTokenTable();
  tokenizer = new WordPiece(table);
});

function indexOf(texts: readonly string[]): TokenIndex {
  const index = new TokenIndex();
  texts.forEach((text, at) => {
    index.put(at, tokenizer.encode(text));
  });
  // Enough others, or every token would be a common one.
  for (let at = texts.length; at < 100; at++) index.put(at, tokenizer.encode('filler'));
  return index;
}

const asked = ({ spans }: TokenIndex) => ({ spansOf: () => spans, placeOf: (sequence: number) => sequence });

const token = (word: string): number => tokenizer.encode(word)[0] ?? -1;

describe('tokensNamedBy', () => {
  it('selects rare tokens of the hits that the question lacks and that occur elsewhere too', () => {
    const index = indexOf(['my sister lives in oslo', 'oslo is cold', 'a lonely zebra']);
    const hits = [
      { sequence: 0, score: 2 },
      { sequence: 2, score: 1 },
    ];
    const named = tokensNamedBy(hits, new Set([token('sister')]), index);
    const tokens = named.map((one) => one.token);
    expect(tokens).toContain(token('oslo'));
    expect(tokens).not.toContain(token('sister'));
    expect(tokens).not.toContain(token('zebra'));
    expect(named.find((one) => one.token === token('oslo'))?.gifts[1]).toBe(0);
  });
});

describe('echoesOf', () => {
  it('measures a hit by the tokens of the other hits', () => {
    const index = indexOf(['my sister lives in oslo', 'oslo is cold', 'the weather is fine']);
    const near = new NearTokens(table);
    const named = tokensNamedBy([{ sequence: 0, score: 1 }], new Set(), index);
    const [own, other, none] = echoesOf(named, [0], [0, 1, 2], asked(index), near);
    expect(own).toBe(0);
    expect(other).toBeGreaterThan(0);
    expect(none).toBeLessThan(other ?? 0);
  });

  it('is 0 without tokens', () => {
    const index = indexOf(['a']);
    const near = new NearTokens(table);
    expect([...echoesOf([], [], [0], asked(index), near)]).toEqual([0]);
  });
});
