import { expect, it } from '@jest/globals';
import { compressed, decompressed } from '../../../src/storage/sessions/manifest.ts';
import { seededRandom } from '../../support/random.ts';

it.each([0, 1, 4096, 786_431, 786_432, 1_200_000, 4_194_304, 6_000_000])(
  'when %i bytes are compressed › they come back as they were, and twice they make the same',
  (length) => {
    const random = seededRandom('compressed bytes');
    const piece = Buffer.from(Array.from({ length: 10_000 }, () => (random.chance(0.7) ? 97 : random.int(256))));
    const data = Buffer.alloc(length, piece);
    const stored = compressed(data);

    expect(decompressed('it', stored).equals(data)).toBe(true);
    expect(Buffer.compare(stored, compressed(data))).toBe(0);
  },
);

it('when compressed bytes are changed › CHECKSUM_MISMATCH', () => {
  const stored = Buffer.from(compressed(Buffer.from('a'.repeat(1_000_000))));
  stored[stored.length - 1] = (stored[stored.length - 1] ?? 0) ^ 1;

  expect(() => decompressed('it', stored)).toThrow('it is damaged');
});
