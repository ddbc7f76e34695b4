import { expect, it } from '@jest/globals';
import type { Filter } from '../../../../src/memory/filter.ts';
import { instantAt } from '../../../../src/memory/time/instants.ts';
import { newMemory } from '../../../support/new-memory.ts';
import { getOne, idsOf, listRead, NOW_US, put, SPACE, type StoreOfTest } from './store-of-test.ts';

const json = (value: unknown) => ({ mediaType: 'application/json', data: Buffer.from(JSON.stringify(value)) });
const memories = [
  newMemory({
    id: 'a',
    type: 'state',
    content: json({ n: 5, tags: ['x', ['y']], deep: { list: [{ k: 1 }, { k: 2 }] } }),
    step: 5,
  }),
  newMemory({
    id: 'b',
    type: 'state',
    content: json({ n: '5', tags: null }),
    source: { speaker: 'Ada', uri: '', origin: '' },
  }),
  newMemory({ id: 'c', content: { mediaType: 'text/plain', data: Buffer.from('{"n":5}') } }),
  newMemory({ id: 'd', content: json(Array.from({ length: 400 }, (_, k) => ({ k }))), tags: ['t'] }),
];
const long = (length: number) => 'x'.repeat(length);
const texts = [
  newMemory({ id: 'long', content: json({ text: long(256) }) }),
  newMemory({ id: 'longer', content: json({ text: long(257) }) }),
  newMemory({ id: 'broken', content: json({ text: '\ud800' }) }),
];
const LIMIT = 2n ** 53n;
/** Next to one another, where doubles would be the same. */
const integers = [
  newMemory({ id: 'under', content: json({ n: 2 ** 53 - 1 }) }),
  newMemory({ id: 'at', content: json({ n: LIMIT }) }),
  newMemory({ id: 'over', content: json({ n: LIMIT + 1n }) }),
  newMemory({ id: 'minus', content: json({ n: -LIMIT - 1n }) }),
  newMemory({ id: 'wide', content: json({ n: [10n ** 20n, 10n ** 20n + 1n] }) }),
];
const EARLY = instantAt(Date.parse('0001-01-01T00:00:00.001Z'), 0);
const LATE = instantAt(Date.parse('9999-12-31T23:59:59.998Z'), 0);
const LAST = instantAt(Date.parse('9999-12-31T23:59:59.999Z'), 999);
/** Where a double no longer holds every microsecond. */
const times = [
  newMemory({ id: 'early', eventAtUs: EARLY, createdAtUs: EARLY, validFromUs: EARLY, lastAccessedAtUs: EARLY }),
  newMemory({ id: 'late', eventAtUs: LATE, validUntilUs: LATE, expiresAtUs: LATE, updatedAtUs: LATE }),
  newMemory({ id: 'last', eventAtUs: LAST, validUntilUs: LAST, expiresAtUs: LAST, createdAtUs: LAST }),
];
const path = (at: string) => ({ kind: 'path', path: at.split('.') }) as const;
const field = (name: string) => ({ kind: 'field', field: name }) as never;
const compare = (target: never | ReturnType<typeof path>, operator: string, ...values: unknown[]): Filter =>
  ({ kind: 'comparison', target, operator, values, ignoreCase: false }) as Filter;

const CASES: readonly (readonly [string, Filter, string])[] = [
  ['a number at a path is not a text', compare(path('n'), 'equals', 5), 'a'],
  ['a text at a path is not a number', compare(path('n'), 'equals', '5'), 'b'],
  ['values of both types', compare(path('n'), 'in', 5, '5'), 'a b'],
  ['arrays are looked through', compare(path('tags'), 'equals', 'y'), 'a'],
  ['an index picks an element', compare(path('deep.list.1.k'), 'equals', 2), 'a'],
  ['an index picks no other element', compare(path('deep.list.0.k'), 'equals', 2), ''],
  ['null is there', compare(path('tags'), 'is_null'), 'b'],
  ['null exists', compare(path('tags'), 'exists'), 'a b'],
  ['an object exists', compare(path('deep'), 'exists'), 'a'],
  ['no value is false, so its negation is true', { kind: 'not', filter: compare(path('n'), 'greater', 4) }, 'b c d'],
  ['values beyond those that are kept', compare(path('k'), 'equals', 399), 'd'],
  ['a field that is not set does not exist', compare(field('speaker'), 'exists'), 'b'],
  ['an empty text is not a value of it', compare(field('speaker'), 'equals', ''), ''],
  ['tags', compare(field('tag'), 'starts_with', 't'), 'd'],
  ['numbers', compare(field('step'), 'greater_or_equal', 5), 'a'],
  ['times are not numbers', compare(field('event_time'), 'greater', 0), ''],
  ['times', compare(field('event_time'), 'greater', { timeUs: 0 }), 'a b c d'],
  ['tiers', compare(field('tier'), 'in', 'short_term', 'nothing'), 'a b c d'],
  ['all', { kind: 'all', filters: [compare(field('type'), 'equals', 'state'), compare(path('n'), 'exists')] }, 'a b'],
  ['any', { kind: 'any', filters: [compare(field('tag'), 'equals', 't'), compare(path('n'), 'equals', 5)] }, 'a d'],
];

const TEXT_CASES: readonly (readonly [string, Filter, string])[] = [
  ['a long text before a longer one', compare(path('text'), 'less', long(257)), 'long'],
  ['a longer text after a long one', compare(path('text'), 'greater', long(256)), 'longer broken'],
  ['long texts are the same', compare(path('text'), 'equals', long(257)), 'longer'],
  ['a long beginning', compare(path('text'), 'starts_with', long(257)), 'longer'],
  ['half a surrogate pair by its code point', compare(path('text'), 'less', '\ue000'), 'long longer broken'],
  ['half a surrogate pair is not what replaces it', compare(path('text'), 'equals', '\ufffd'), ''],
];

const INTEGER_CASES: readonly (readonly [string, Filter, string])[] = [
  ['the last number', compare(path('n'), 'equals', 2 ** 53 - 1), 'under'],
  ['the first bigint', compare(path('n'), 'equals', LIMIT), 'at'],
  ['the one next to it', compare(path('n'), 'equals', LIMIT + 1n), 'over'],
  ['one that is not there', compare(path('n'), 'equals', LIMIT + 2n), ''],
  ['less', compare(path('n'), 'less', LIMIT + 1n), 'under at minus'],
  ['greater', compare(path('n'), 'greater', LIMIT), 'over wide'],
  ['greater or equal, negative', compare(path('n'), 'greater_or_equal', -LIMIT - 1n), 'under at over minus wide'],
  ['greater, negative', compare(path('n'), 'greater', -LIMIT - 1n), 'under at over wide'],
  ['a double below all bigints', compare(path('n'), 'greater', 0.5), 'under at over wide'],
  ['one of several', compare(path('n'), 'in', LIMIT, 10n ** 20n), 'at wide'],
  ['an element', compare(path('n'), 'contains', 10n ** 20n + 1n), 'wide'],
  ['no element', compare(path('n'), 'contains', 10n ** 20n + 2n), ''],
  ['an array', compare(path('n'), 'equals', { json: [10n ** 20n, 10n ** 20n + 1n] }), 'wide'],
  ['another array', compare(path('n'), 'equals', { json: [10n ** 20n, 10n ** 20n] }), ''],
];

const at = (name: string, operator: string, ...instants: number[]) =>
  compare(field(name), operator, ...instants.map((timeUs) => ({ timeUs })));
const TIME_CASES: readonly (readonly [string, Filter, string])[] = [
  ['the first', at('event_time', 'equals', EARLY), 'early'],
  ['before the last', at('event_time', 'less', LAST), 'early late'],
  ['up to the last', at('valid_until', 'less_or_equal', LAST), 'late last'],
  ['after', at('expire_time', 'greater', LATE), 'last'],
  ['none after the last', at('create_time', 'greater', LAST), ''],
  ['one of several', at('event_time', 'in', EARLY, LAST), 'early last'],
];

export function filtering(store: StoreOfTest): void {
  it.each([
    { of: 'all sorts of values', stored: memories, cases: CASES },
    { of: 'A2 integers that a double cannot hold', stored: integers, cases: INTEGER_CASES },
    { of: 'A4 times from year 1 to 9999', stored: times, cases: TIME_CASES },
    { of: 'texts longer than are kept beside a content', stored: texts, cases: TEXT_CASES },
  ])('list and count › with a filter on $of › what it admits', async ({ stored, cases }) => {
    await put(store(), stored);
    for (const [name, filter, ids] of cases) {
      const found = await idsOf(store(), { filter });
      expect([name, found.join(' ')]).toEqual([name, ids]);
      const counts = await store().count({ namespace: SPACE, filter, nowUs: NOW_US });
      expect([name, counts.get('short_term') ?? 0]).toEqual([name, found.length]);
    }
  });

  it('get and list › A4 times from year 1 to 9999 › come back as they were given, and in order', async () => {
    await put(store(), times);
    const NAMES = [
      'eventAtUs',
      'createdAtUs',
      'updatedAtUs',
      'lastAccessedAtUs',
      'validFromUs',
      'validUntilUs',
      'expiresAtUs',
    ] as const;
    for (const given of times) {
      const stored = await getOne(store(), given.id);
      expect([given.id, ...NAMES.map((name) => stored?.[name])]).toEqual([
        given.id,
        ...NAMES.map((name) => given[name]),
      ]);
    }
    expect(await idsOf(store(), { order: 'event_time_asc' })).toEqual(['early', 'late', 'last']);
    expect(await idsOf(store(), { order: 'event_time_desc' })).toEqual(['last', 'late', 'early']);
    const { memories: expired } = await store().list(listRead({ nowUs: LATE }));
    expect(expired.map(({ id }) => id)).toEqual(['early', 'last']);
  });

  it('list › many values to compare with › no limit of the store is reached', async () => {
    await put(store(), memories);
    const others = Array.from({ length: 999 }, (_, number) => `nothing ${number}`);
    expect(await idsOf(store(), { filter: compare(path('n'), 'in', ...others, '5') })).toEqual(['b']);
    expect(await idsOf(store(), { filter: compare(field('id'), 'in', ...others, 'a') })).toEqual(['a']);
    expect(await idsOf(store(), { filter: compare(field('tag'), 'in', ...others, 't') })).toEqual(['d']);
  });
}
