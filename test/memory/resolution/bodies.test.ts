import { describe, expect, it } from '@jest/globals';
import {
  abstractOf,
  type Body,
  compressed,
  HAS_DICTIONARY,
  layOut,
  lowerBody,
  packBody,
  readLayout,
  restoreBody,
  unpackBody,
} from '../../../src/memory/resolution/lower-body.ts';
import { seededRandom, type TestRandom } from '../../support/random.ts';

const SIGNS = [...'aeiou bcdfghklmnprst.,!?\n "{}:0123456789', 'é', 'ß', '語', '。', '😀', '\u0301'];

function randomBody(random: TestRandom): Body {
  const text = Array.from({ length: random.int(random.chance(0.1) ? 3000 : 200) }, () => random.pick(SIGNS)).join('');
  if (random.chance(0.3)) return { text };
  const data = random.chance(0.5)
    ? Buffer.from(JSON.stringify({ role: 'user', content: text, reward: random.next(), tags: ['agent', 'state'] }))
    : Buffer.from(Array.from({ length: random.int(500) }, () => random.int(256)));
  return {
    text: random.chance(0.2) ? '' : text,
    content: { mediaType: random.pick(['application/json', 'image/png']), data },
  };
}

const plain = ({ text, content }: Body) => ({
  text,
  ...(content && { mediaType: content.mediaType, data: Buffer.from(content.data).toString('hex') }),
});

/** The same bytes at an odd place of a larger buffer, as a driver may give them. */
const shifted = (bytes: Uint8Array) =>
  Buffer.concat([Buffer.alloc(3), bytes, Buffer.alloc(2)]).subarray(3, 3 + bytes.length);

const damagedAt = (bytes: Uint8Array, at: number, bits: number) => {
  const copy = Uint8Array.from(bytes);
  copy[at] = (copy[at] ?? 0) ^ bits;
  return copy;
};

describe('packBody, unpackBody', () => {
  it('any text and content › restored bit for bit, at every level', () => {
    const random = seededRandom('bodies');
    for (let i = 0; i < 600; i++) {
      const body = randomBody(random);
      expect(plain(unpackBody(shifted(packBody(body, 1 + random.int(19)))))).toEqual(plain(body));
    }
  });

  it('a content of no bytes › not the same as no content', () => {
    const empty = { text: '', content: { mediaType: 'text/plain', data: new Uint8Array() } };
    expect(plain(unpackBody(packBody(empty)))).toEqual(plain(empty));
    expect(unpackBody(packBody({ text: '' }))).toEqual({ text: '' });
  });

  it('the largest memory › fits', () => {
    const data = Buffer.alloc(1_048_576, 'mneme ');
    const body = { text: 'é'.repeat(32_768), content: { mediaType: 'text/plain', data } };
    expect(plain(unpackBody(packBody(body)))).toEqual(plain(body));
  });

  it('any bit turned over, or the end cut off › CHECKSUM_MISMATCH, never another body', () => {
    const body = {
      text: 'what she said about the garden',
      content: { mediaType: 'application/json', data: Buffer.from('{"a":1}') },
    };
    const packed = packBody(body);
    const mismatch = expect.objectContaining({ reason: 'CHECKSUM_MISMATCH' });
    let read = 0;
    for (let bit = 0; bit < 8 * packed.length; bit++) {
      try {
        expect(plain(unpackBody(damagedAt(packed, bit >> 3, 1 << (bit & 7))))).toEqual(plain(body));
        read++;
      } catch (error) {
        expect(error).toEqual(mismatch);
      }
    }
    // Some bits of a frame's header are independent of its contents.
    expect(read).toBeLessThan(10);
    for (let end = 0; end < packed.length; end++) expect(() => unpackBody(packed.subarray(0, end))).toThrow(mismatch);
    expect(() => unpackBody(packBody(body).with(1, 99))).toThrow(mismatch);
  });

  it('bytes that claim to be huge › refused before they fill the memory', () => {
    const bomb = Buffer.concat([Buffer.from([1, 0]), compressed(Buffer.alloc(50_000_000), 3)]);
    expect(() => unpackBody(bomb)).toThrow(expect.objectContaining({ reason: 'CHECKSUM_MISMATCH' }));
  });

  it('lengths that point outside › CHECKSUM_MISMATCH', () => {
    const laid = layOut({ text: 'abc', content: { mediaType: 'a/b', data: Buffer.from('xyz') } });
    for (const at of [0, 7]) {
      const copy = Buffer.from(laid);
      copy.writeUInt32LE(1000, at);
      expect(() => readLayout(copy)).toThrow(expect.objectContaining({ reason: 'CHECKSUM_MISMATCH' }));
    }
  });

  it('the dictionary › is used on this runtime, and makes a message of an agent half as large', () => {
    expect(HAS_DICTIONARY).toBe(true);
    const data = Buffer.from(
      JSON.stringify({
        role: 'assistant',
        content: 'I would love to hear about your plans for the weekend.',
        metadata: { source: 'chat', importance: 'high', tags: ['family'] },
        timestamp: '2024-05-08T13:56:00.000Z',
      }),
    );
    const body = { text: '', content: { mediaType: 'application/json', data } };
    expect(packBody(body).length).toBeLessThan(data.length * 0.65);
    expect(packBody(body).length).toBeLessThan(compressed(layOut(body), 3).length * 0.75);
  });

  it('stored bytes › are read: a change of format or dictionary has another number', () => {
    expect(unpackBody(Buffer.from(STORED, 'base64'))).toEqual({
      text: 'Ann moved to Berlin.',
      content: { mediaType: 'application/json', data: new Uint8Array(Buffer.from('{"reward":1.5}')) },
    });
  });
});

describe('lowerBody, restoreBody', () => {
  it('any body at any resolution › restored bit for bit; the scanned part stays within its limit', () => {
    const random = seededRandom('lowered bodies');
    for (let i = 0; i < 600; i++) {
      const body = randomBody(random);
      const resolution = { abstractBytesMax: random.pick([0, 20, 100]), compressionLevel: random.pick([0, 1, 3, 9]) };
      const lowered = lowerBody(body, resolution);
      expect(plain(restoreBody(lowered))).toEqual(plain(body));
      if (resolution.abstractBytesMax > 0)
        expect(Buffer.byteLength(lowered.text)).toBeLessThanOrEqual(resolution.abstractBytesMax);
      if (lowered.packed) expect(lowered.content).toBeUndefined();
    }
  });

  it('packing gains nothing › the body stays unchanged', () => {
    const body = { text: 'short', content: { mediaType: 'image/png', data: Buffer.from([1, 2, 3]) } };
    expect(lowerBody(body, { abstractBytesMax: 100, compressionLevel: 9 })).toBe(body);
    expect(lowerBody({ text: 'short' }, { abstractBytesMax: 100, compressionLevel: 9 })).toEqual({ text: 'short' });
  });

  it('a content of less than 128 bytes behind a short text › stays unchanged', () => {
    const of = (bytes: number) => ({ text: 'short', content: { mediaType: 'x/y', data: Buffer.alloc(bytes) } });
    const resolution = { abstractBytesMax: 100, compressionLevel: 3 };
    expect(lowerBody(of(127), resolution)).toEqual(of(127));
    expect(lowerBody(of(128), resolution).packed?.byteLength).toBeLessThan(128);
  });

  it('a short text with a large content › the text is not kept twice', () => {
    const data = Buffer.from(JSON.stringify({ role: 'user', content: 'x '.repeat(200) }));
    const lowered = lowerBody(
      { text: 'one of a kind', content: { mediaType: 'application/json', data } },
      { abstractBytesMax: 100, compressionLevel: 3 },
    );
    expect(unpackBody(lowered.packed ?? new Uint8Array()).text).toBe('');
  });
});

describe('abstractOf', () => {
  const text =
    'Well. So I went to the museum with Clara. It was. We saw paintings of Turner and Monet! Then then then then we ate.';

  it('short enough, or no limit › the text itself', () => {
    expect(abstractOf(text, 0)).toBe(text);
    expect(abstractOf(text, Buffer.byteLength(text))).toBe(text);
    expect(abstractOf('', 10)).toBe('');
  });

  it('too long › its first meaningful sentence and the most informative ones, in reading order', () => {
    expect(abstractOf(text, 90)).toBe(
      'Well. So I went to the museum with Clara. We saw paintings of Turner and Monet!',
    );
  });

  it('one sentence that is too long › cut at the end of a word, never inside a sign', () => {
    expect(abstractOf('alpha beta gamma delta', 14)).toBe('alpha beta');
    expect(abstractOf('語'.repeat(10), 10)).toBe('語語語');
    expect(abstractOf('😀'.repeat(10), 7)).toBe('😀');
  });

  it('any text › well-formed and within its bytes', () => {
    const random = seededRandom('abstracts');
    for (let i = 0; i < 500; i++) {
      const long = Array.from({ length: random.int(400) }, () => random.pick(SIGNS)).join('');
      const bytesMax = 1 + random.int(200);
      const abstract = abstractOf(long, bytesMax);
      expect(Buffer.byteLength(abstract)).toBeLessThanOrEqual(bytesMax);
      expect(abstract.isWellFormed()).toBe(true);
    }
  });
});

const STORED = 'AQEotS/9JQE67QAAeBQAAABBbm5CZXJsMS41fQP88dcFgN0cGEzwui84Plxp';
