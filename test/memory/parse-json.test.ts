import { describe, expect, it } from '@jest/globals';
import { parseJson } from '../../src/memory/json.ts';
import { seededRandom, type TestRandom } from '../support/random.ts';

const KEYS = ['\\', 'a\\', '"', '\n', '\r', 'a', 'b', '', '__proto__', '\u2028', '\u{1f600}', '\u0001', '\ud800', 'é"'];

describe('parseJson', () => {
  it('reads a key with an escape as itself after a key that ends in a backslash was read', () => {
    expect(parseJson('{"h":[],"\\\\":0}')).toEqual({ h: [], '\\': 0 });
    expect(parseJson('{"h":1,"\\"":2}')).toEqual({ h: 1, '"': 2 });
  });

  it('returns every value that was written as JSON', () => {
    const random = seededRandom('parse-json');
    for (let round = 0; round < 3000; round++) {
      const value = randomValue(random, 4);
      const text = JSON.stringify(value, undefined, random.chance(0.3) ? 2 : 0);
      expect(JSON.stringify(parseJson(text))).toBe(JSON.stringify(value));
    }
  });

  it('keeps __proto__ as an own key', () => {
    const value = parseJson('{"__proto__":{"\\n":1}}');
    expect(Object.keys(value as object)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  it.each([
    '{"\\n":1',
    '{"\\n":1}}',
    '{"\\n":}',
    '{"\\n":1,}',
    '{"\\n":[1,]}',
    '{"\\n":01}',
    '{"\\n":+1}',
    '{"\\n":1.}',
    '{"\\n":.5}',
    '{"\\n":tru}',
    '{"\\n":"\n"}',
    '{"\\n":"\\x"}',
    '{"\\n":"\\u12g4"}',
    '{"\\n" 1}',
    '{\\n:1}',
    '{"\\n":1 "a":2}',
    '[{"\\n":1}',
    `{"\\n":${'['.repeat(100_000)}`,
  ])('refuses what is not JSON: %.40s', (text) => {
    expect(() => parseJson(text)).toThrow(SyntaxError);
  });
});

function randomValue(random: TestRandom, depth: number): unknown {
  if (depth === 0 || random.chance(0.3)) {
    return random.pick([
      null,
      true,
      false,
      0,
      -0.5,
      1e-300,
      123456789,
      '',
      'a"\\b',
      '\n',
      '\u{1f600}\ud800',
      '{"\\\\":1}',
    ]);
  }
  if (random.chance(0.3)) return Array.from({ length: random.int(4) }, () => randomValue(random, depth - 1));
  const value = {};
  for (let i = random.int(5); i > 0; i--) {
    const key = random.pick(KEYS) + (random.chance(0.2) ? random.pick(KEYS) : '');
    Object.defineProperty(value, key, {
      value: randomValue(random, depth - 1),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return value;
}
