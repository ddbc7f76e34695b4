import { hash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { EncoderFile, EncoderFileError } from '../../../src/search/embedding/sentence/encoder-file.ts';
import { LazyEncoder, PIECES_MAX, SentenceEncoder } from '../../../src/search/embedding/sentence/lazy-encoder.ts';

/** Output of the model's own code in Python for a text. */
interface Expected {
  readonly text: string;
  readonly ids: readonly number[];
  readonly head: readonly number[];
  readonly sum: number;
}

const FIXTURE = new URL('./fixtures/sentence-encoder.jsonl', import.meta.url);
const ASSET = new URL('../../../assets/sentence-use-v1.bin.zst', import.meta.url);
const [about, ...lines] = readFileSync(FIXTURE, 'utf8').trim().split('\n');
const expected = lines.map((line) => JSON.parse(line) as Expected);
const encoder = new SentenceEncoder();

function cosine(one: string, other: string): number {
  const [a, b] = [encoder.vectorOf(one), encoder.vectorOf(other)];
  return a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);
}

describe('SentenceEncoder', () => {
  it('the fixture is of this asset', () => {
    expect((JSON.parse(about ?? '') as { assetSha256: string }).assetSha256).toBe(hash('sha256', readFileSync(ASSET)));
  });

  it('splits texts of sixteen languages, punctuation and the empty text into the pieces of the reference', () => {
    const limits = { wholeMax: PIECES_MAX, partMax: PIECES_MAX, countMax: 1 };
    for (const { text, ids } of expected) {
      const pieces = ids.length > PIECES_MAX ? [...ids.slice(0, PIECES_MAX - 1), 2] : ids;
      expect({ text, pieces: encoder.partsOf(text, limits)[0] }).toEqual({ text, pieces });
    }
  });

  it('returns the vectors of the reference', () => {
    for (const { text, ids, head, sum } of expected.filter((one) => one.ids.length <= PIECES_MAX)) {
      const vector = encoder.vectorOf(text);
      const furthest = head.reduce((most, value, at) => Math.max(most, Math.abs(value - (vector[at] ?? 9))), 0);
      expect({ text, isNear: furthest < 1e-4 }).toEqual({ text, isNear: true });
      expect(vector.reduce((total, value) => total + value, 0)).toBeCloseTo(sum, 2);
      expect(vector).toHaveLength(512);
      expect(ids.length).toBeGreaterThan(2);
    }
  });

  it('a text behind another one is not changed by it', () => {
    const first = encoder.vectorOf('Ada plays the cello.');
    encoder.vectorOf('no '.repeat(PIECES_MAX));
    expect(encoder.vectorOf('Ada plays the cello.')).toEqual(first);
  });

  it('a text has the same vector when the pieces of many others came between', () => {
    const text = 'Ada plays the cello in an orchestra.';
    const first = encoder.vectorOf(text);
    const pieces = new Set<number>();
    for (let from = 0; pieces.size < 2000; from += 100) {
      const others = Array.from({ length: 100 }, (_, at) => 300 + from + at);
      encoder.vectorOfPieces(others);
      for (const piece of others) pieces.add(piece);
    }
    expect(encoder.vectorOf(text)).toEqual(first);
  });

  it('its table in a file › the vectors are the same to the bit, and no file is left', () => {
    const folder = mkdtempSync(join(tmpdir(), 'mneme-encoder-'));
    const lazy = new LazyEncoder();
    lazy.spillFolder = folder;
    const spilled = lazy.load();
    expect(readdirSync(folder)).toEqual([]);
    rmSync(folder, { recursive: true });
    for (const { text } of expected) expect(spilled.vectorOf(text)).toEqual(encoder.vectorOf(text));
    // More pieces than are kept in memory.
    for (let from = 0; from < 3000; from += 100) {
      const pieces = Array.from({ length: 100 }, (_, at) => 5000 + 37 * (from + at));
      expect(spilled.vectorOfPieces(pieces)).toEqual(encoder.vectorOfPieces(pieces));
    }
  });

  it('a folder that takes no file › the table stays in memory', () => {
    const lazy = new LazyEncoder();
    lazy.spillFolder = join(tmpdir(), 'mneme-no-such-folder');
    expect(lazy.load().vectorOf('Ada')).toEqual(encoder.vectorOf('Ada'));
  });

  it.each([
    'Where does my sister live?',
    'Wo wohnt meine Schwester?',
    'Где живёт моя сестра, которая изучает медицину?',
    'أين تسكن أختي التي تدرس الطب؟',
    '妹妹在哪里学医？',
    '妹はどこに住んでいますか？',
    'น้องสาวของฉันเรียนแพทย์ที่ไหน',
    '여동생은 어디에 살고 있습니까?',
    'Error E4711-XZ in 0x3fa8c1 of qwx/9f3c-77aa',
    '402',
  ])('knows the language of "%s", or sees none', (text) => {
    expect(encoder.knows(text)).toBe(true);
  });

  it.each([
    'איפה אני גר?',
    'Πού μένω;',
    'मैं कहाँ रहता हूँ?',
    'நான் எங்கே வசிக்கிறேன்?',
    'რომელ ქუჩაზე ვცხოვრობ?',
    'Vé máy bay đi Luân Đôn giá bao nhiêu?',
    'خواهرم کجا پزشکی می‌خواند؟',
  ])('does not know the language of "%s"', (text) => {
    expect(encoder.knows(text)).toBe(false);
  });

  it('keeps the vectors of recent questions', () => {
    const lazy = new LazyEncoder();
    const vector = lazy.vectorOfQuestion('Who plays the cello?');
    expect(lazy.vectorOfQuestion('Who plays the cello?')).toBe(vector);
    expect(vector).toEqual(encoder.vectorOf('Who plays the cello?'));
    for (let at = 0; at < 1100; at++) lazy.vectorOfQuestion(`${at}`);
    expect(lazy.vectorOfQuestion('Who plays the cello?')).not.toBe(vector);
  });

  it('cuts a long text into parts, none longer than asked for, and leaves out none of the pieces', () => {
    const text = 'We moved from Paris to Berlin, and the dog sleeps in the kitchen. '.repeat(30);
    const parts = encoder.partsOf(text, { wholeMax: 64, partMax: 42, countMax: 100 });
    expect(parts.length).toBeGreaterThan(8);
    for (const part of parts) expect(part.length).toBeLessThanOrEqual(42);
    const pieces = parts.flatMap((part) => part.slice(1, -1));
    const first = encoder.partsOf(text)[0]?.slice(1, -1) ?? [];
    expect(pieces.slice(0, first.length)).toEqual(first);
    expect(encoder.partsOf(text, { wholeMax: 64, partMax: 42, countMax: 3 })).toEqual(parts.slice(0, 3));
    expect(encoder.partsOf('short', { wholeMax: 64, partMax: 42, countMax: 3 })).toHaveLength(1);
  });

  it.each([
    ['Wo wohnt meine Schwester?', 'My sister lives in Cologne.', 'The printer is out of ink.'],
    ['What is our cat called?', 'Notre chat s’appelle Minka.', 'Le train part à huit heures.'],
    ['What does she do for a living?', 'Nina works as a nurse.', 'The bins go out on Wednesday.'],
  ])('"%s" is nearer to "%s" than to "%s"', (question, answer, other) => {
    expect(cosine(question, answer)).toBeGreaterThan(cosine(question, other) + 0.1);
  });
});

describe('EncoderFile', () => {
  const packed = (bytes: Uint8Array) => zstdCompressSync(bytes);

  it.each([
    ['nothing', new Uint8Array(), 'cut short or damaged'],
    ['half of it', readFileSync(ASSET).subarray(0, 1_000_000), 'cut short or damaged'],
    ['too little', packed(new Uint8Array(4)), 'cut short'],
    ['another file', packed(Buffer.alloc(64)), 'magic'],
    [
      'a later format',
      packed(Buffer.concat([Buffer.from('MNEMEUSE'), Buffer.from([9, 0, 0, 0]), Buffer.alloc(52)])),
      'format 9',
    ],
  ])('refuses %s', (_, bytes, reason) => {
    expect(() => new EncoderFile(bytes)).toThrow(EncoderFileError);
    expect(() => new EncoderFile(bytes)).toThrow(reason);
  });

  it('refuses a file without a section, or with one outside of the file', () => {
    const file = (header: object) => {
      const text = Buffer.from(JSON.stringify({ pieces: 0, dimensions: 512, chunks: 17, matrices: {}, ...header }));
      const counts = Buffer.alloc(8);
      counts.writeUInt32LE(1, 0);
      counts.writeUInt32LE(text.length, 4);
      return packed(Buffer.concat([Buffer.from('MNEMEUSE'), counts, text]));
    };
    expect(() => new EncoderFile(file({ sections: { nibbles: [0, 1e9] } }))).toThrow('outside');
    expect(() => new EncoderFile(file({ sections: {} })).bytes('nibbles')).toThrow('without the section');
  });
});
