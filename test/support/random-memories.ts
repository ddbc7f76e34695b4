import { type Content, type Memory, TIERS } from '../../src/memory/memory.ts';
import type { NewMemory } from '../../src/storage/records.ts';
import { newMemory } from './new-memory.ts';
import type { TestRandom } from './random.ts';

/**
 * Order of code points, which differs from that of UTF-16 units, and the neighbours of the replacement of broken
 * characters.
 */
const ORDER = [
  '\ud7ff',
  '\ue000',
  '\ufffd',
  '\uffff',
  '\u{10000}',
  '\u{1f600}',
  '\u{10ffff}',
  'a\u{10ffff}',
  'a\uffff',
];
/** Around the length up to which a store keeps texts with a content. */
const LONG = [255, 256, 257].flatMap((length) => [
  'x'.repeat(length),
  `${'x'.repeat(length - 1)}y`,
  '\u{1f600}'.repeat(length),
]);
/** Case, prefixes, look-alikes of other types. */
const ODD = [
  '',
  'a',
  'A',
  'ab',
  'b',
  'abc',
  '5',
  '05',
  '5.0',
  'true',
  'null',
  'é',
  'e\u0301',
  'ß',
  'SS',
  'İ',
  'i',
  'Σ',
  'ς',
  '世界',
  ' ',
];
/** Values that only JSON can represent. */
const BROKEN = ['\ud800', '\udc00', 'a\ud83d', '\0', 'a\0b'];

/** A text of one of the families, so that similar texts occur often. */
export function randomText(random: TestRandom): string {
  return random.pick(random.pick([ORDER, LONG, ODD]));
}

export const NUMBERS: readonly number[] = [
  0,
  -0,
  1,
  5,
  -5,
  0.1,
  0.5,
  1e-300,
  1e308,
  -1e308,
  2 ** 53,
  4.999999999999999,
];
export const KEYS: readonly string[] = [
  'a',
  'b',
  'c',
  '0',
  '1',
  '05',
  '',
  'a.b',
  '"',
  '\\',
  'a\\',
  '\n',
  '__proto__',
  'constructor',
  'é',
  '\u{1f600}',
];
export const TIMES_US: readonly number[] = [-1, 0, 1, 1_700_000_000_000_000, 1_700_000_000_000_001];

export function randomMemory(random: TestRandom, id: string): NewMemory {
  const text = () => (random.chance(0.4) ? '' : randomText(random));
  const content = random.chance(0.85) ? randomContent(random) : undefined;
  return newMemory({
    id,
    scope: { project: text(), agentType: text(), agent: text(), session: text() },
    type: random.pick(['fact', 'state', 'Fact']),
    text: randomText(random),
    tags: [...new Set(Array.from({ length: random.int(4) }, () => randomText(random) || 'tag'))],
    source: { speaker: text(), uri: text(), origin: text() },
    importance: random.pick([0, 0.1, 0.5, 1]),
    priority: random.pick([0, 0.5, 1]),
    eventAtUs: random.pick(TIMES_US),
    createdAtUs: random.pick(TIMES_US),
    tier: random.pick(TIERS),
    retrievalCount: random.int(3),
    ...(random.chance(0.6) && { step: random.int(7) }),
    ...(random.chance(0.5) && { validFromUs: random.pick(TIMES_US) }),
    ...(random.chance(0.3) && { supersededBy: random.pick(['a', 'b']) }),
    ...(random.chance(0.7) && { place: randomPlace(random) }),
    ...(content && { content }),
  });
}

function randomPlace(random: TestRandom): NonNullable<Memory['place']> {
  const name = () => (random.chance(0.5) ? '' : randomText(random));
  const point = { x: random.int(5) - 2, y: random.pick(NUMBERS), ...(random.chance(0.5) && { z: random.int(3) }) };
  return {
    location: name(),
    room: name(),
    region: name(),
    ...(random.chance(0.6) && { point }),
    ...(random.chance(0.6) && { geo: randomGeo(random) }),
  };
}

export function randomGeo(random: TestRandom): { latitudeDeg: number; longitudeDeg: number } {
  return {
    latitudeDeg: random.pick([-90, -89.9, -45, 0, 0.001, 52.5, 89.9, 90]),
    longitudeDeg: random.pick([-180, -179.9, -90, 0, 0.001, 13.4, 179.9, 180]),
  };
}

function randomContent(random: TestRandom): Content {
  const data = (text: string) => Buffer.from(text);
  if (random.chance(0.05)) return { mediaType: 'text/plain', data: data('{"a":5}') };
  if (random.chance(0.03)) return { mediaType: 'application/json', data: data('{"a":1e999,"b":-1e999}') };
  if (random.chance(0.08)) return { mediaType: 'application/json', data: data(JSON.stringify(tooMuch(random))) };
  return { mediaType: 'application/json', data: data(JSON.stringify(randomJson(random, 4))) };
}

/** More values than a store indexes of a content. */
function tooMuch(random: TestRandom): unknown {
  const many = Array.from({ length: 300 }, (_, number) => number);
  return random.chance(0.5)
    ? { c: many, a: randomText(random), b: random.pick(NUMBERS) }
    : { a: many.map((number) => ({ b: number })) };
}

function randomJson(random: TestRandom, depth: number): unknown {
  const kind = random.int(depth > 0 ? 9 : 4);
  if (kind === 0) return random.chance(0.15) ? random.pick(BROKEN) : randomText(random);
  if (kind === 1) return random.pick(NUMBERS);
  if (kind === 2) return random.pick([true, false]);
  if (kind === 3) return null;
  if (kind <= 5) return Array.from({ length: random.int(4) }, () => randomJson(random, depth - 1));
  // A prototype would swallow `__proto__`; entries become own properties.
  return Object.fromEntries(
    Array.from({ length: random.int(4) }, () => [
      random.pick(random.pick([KEYS, ['a', 'b']])),
      randomJson(random, depth - 1),
    ]),
  );
}
