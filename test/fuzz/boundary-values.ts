import type { TestRandom } from '../support/random.ts';

export const NUMBERS: readonly bigint[] = [
  0n,
  1n,
  -1n,
  127n,
  128n,
  999n,
  1000n,
  1001n,
  2n ** 31n - 1n,
  2n ** 31n,
  -(2n ** 31n),
  2n ** 32n - 1n,
  2n ** 53n - 1n,
  2n ** 53n,
  2n ** 53n + 1n,
  -(2n ** 53n) - 1n,
  2n ** 63n - 1n,
  -(2n ** 63n),
];

export const REALS: readonly number[] = [
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  0,
  -0,
  -1,
  1,
  1.000001,
  1e-45,
  3e38,
  -3e38,
  Number.EPSILON,
];

const TEXTS: readonly string[] = [
  '',
  ' ',
  '\0',
  'a\nb',
  '*',
  'namespaces/',
  'namespaces//memories/',
  'namespaces/../memories/a',
  'namespaces/fuzz-a/memories/a/b/c',
  'namespaces/FUZZ',
  '%00%ff%zz',
  "'; DROP TABLE memory; --",
  '"\\u0000"',
  '__proto__',
  'constructor',
  'toString',
  'NaN',
  '-1',
  '1e999',
  '\u202Eabc',
  '\uFEFF',
  'e\u0301'.repeat(40),
  '👩‍👩‍👧‍👦',
  '(x+x+)+yN',
  '(?i)(ſ|k|K)*z',
  '((((((((((',
  'a = "',
  '{"a":',
  `${'['.repeat(200)}${']'.repeat(200)}`,
  `${'{"a":'.repeat(70)}1${'}'.repeat(70)}`,
  '2024-02-30T25:61:61Z',
];

/** Bytes that are no UTF-8: cut, overlong, surrogates, beyond the last sign. */
const BROKEN: readonly Uint8Array[] = [
  Uint8Array.of(0xff),
  Uint8Array.of(0xc3),
  Uint8Array.of(0xc0, 0xaf),
  Uint8Array.of(0xed, 0xa0, 0x80),
  Uint8Array.of(0x61, 0xed, 0xbf, 0xbf, 0x62),
  Uint8Array.of(0xf5, 0x80, 0x80, 0x80),
];

/** Lengths at the limits of ids, names, texts and values. */
const LENGTHS = [63, 64, 65, 127, 128, 129, 257, 1025, 8193, 65_537];
const HUGE = [1_048_576, 1_048_577];

/** The bytes of a text that seldom occurs. */
export function strangeText(random: TestRandom): Uint8Array {
  const kind = random.next();
  if (kind < 0.15) return random.pick(BROKEN);
  if (kind < 0.3) return Buffer.from(random.pick(['x', 'é', '音', '𝄞']).repeat(random.pick(LENGTHS)));
  if (kind < 0.302) return Buffer.alloc(random.pick(HUGE), 'y');
  return Buffer.from(random.pick(TEXTS));
}
