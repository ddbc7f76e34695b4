import { describe, expect, it } from '@jest/globals';
import { packArguments } from '../../../../src/storage/redis/command-batch.ts';
import { seededRandom } from '../../../support/random.ts';

/** Parses the format of `packArguments`: an array of texts, all as bytes. */
function unpacked(packed: Buffer): Buffer[] {
  const count = packed.readUInt32BE(1);
  const parts: Buffer[] = [];
  let at = 5;
  for (let part = 0; part < count; part++) {
    const head = packed[at] ?? 0;
    const isShort = (head & 0xe0) === 0xa0;
    const length = isShort ? head & 0x1f : packed.readUInt32BE(at + 1);
    at += isShort ? 1 : 5;
    parts.push(packed.subarray(at, at + length));
    at += length;
  }
  expect(at).toBe(packed.length);
  return parts;
}

describe('packArguments', () => {
  it('texts of any length and script, and bytes › are unpacked unchanged', () => {
    const random = seededRandom('pack arguments');
    for (let round = 0; round < 200; round++) {
      const args = Array.from({ length: random.int(40) }, () => {
        const text = random.pick(['a', 'é', '漢', '😀', '\u0000']).repeat(random.int(60));
        return random.chance(0.3) ? Buffer.from(text) : text;
      });
      const expected = args.map((arg) => Buffer.from(arg).toString('hex'));
      expect(unpacked(packArguments(args)).map((part) => part.toString('hex'))).toEqual(expected);
    }
  });
});
