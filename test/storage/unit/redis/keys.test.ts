import { describe, expect, it } from '@jest/globals';
import { keyspacePrefix, slotOf } from '../../../../src/storage/redis/keys.ts';

describe('keyspacePrefix', () => {
  it('when parts hold braces and colons › keeps one hash tag, and different parts apart', () => {
    const keys = [
      keyspacePrefix('m', 'a', 'b}c'),
      keyspacePrefix('m', 'a:b', '}c'),
      keyspacePrefix('m', 'a', 'b', 'c'),
      keyspacePrefix('m', 'a%3ab'),
    ];

    expect(new Set(keys).size).toBe(keys.length);
    for (const key of keys) expect(key).toMatch(/^m:\{[^{}]+\}$/);
  });
});

describe('slotOf', () => {
  // By CLUSTER KEYSLOT of Redis 7.0.
  it.each([
    ['123456789', 12_739],
    ['foo', 12_182],
    ['{user1000}.following', 3443],
    ['foo{}{bar}', 8363],
    ['foo{{bar}}zap', 4015],
    ['m:{a:b}:x', 2785],
    ['grüße', 3194],
  ])('%s › the slot that Redis gives it', (key, slot) => {
    expect(slotOf(key)).toBe(slot);
  });
});
