import { describe, expect, it } from '@jest/globals';
import { checkedJson, readCheckedJson } from '../../src/memory/json.ts';

const STATE = { id: 'a', text: 'said "this", and that: ,"crc":12}', tags: ['ä', '\ud83d'], revision: 7 };
const mismatch = expect.objectContaining({ reason: 'CHECKSUM_MISMATCH' });

describe('JSON with a checksum', () => {
  it('returns the stored object, without its checksum', () => {
    expect(readCheckedJson(checkedJson(STATE))).toEqual(STATE);
  });

  it('any changed character › CHECKSUM_MISMATCH', () => {
    const kept = checkedJson(STATE);
    for (let at = 0; at < kept.lastIndexOf(',"crc":'); at++) {
      const damaged = `${kept.slice(0, at)}${String.fromCharCode(kept.charCodeAt(at) ^ 1)}${kept.slice(at + 1)}`;
      expect(() => readCheckedJson(damaged)).toThrow(mismatch);
    }
    for (const damaged of ['', kept.slice(0, -1), kept.slice(1)])
      expect(() => readCheckedJson(damaged)).toThrow(mismatch);
  });

  it('of a folder from before checksums › is accepted unchecked', () => {
    expect(readCheckedJson(JSON.stringify(STATE))).toEqual(STATE);
  });
});
