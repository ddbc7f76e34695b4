import { describe, expect, it } from '@jest/globals';
import {
  type Comparison,
  FILTER_LIMITS,
  type Filter,
  type FilterValue,
  type Operator,
} from '../../../src/memory/filter.ts';
import { parseFilter } from '../../../src/memory/filter-text/parse-filter.ts';

const compare = (target: Comparison['target'], operator: Operator, ...values: FilterValue[]): Comparison => ({
  kind: 'comparison',
  target,
  operator,
  values,
  ignoreCase: false,
});
const field = (name: string, operator: Operator, ...values: FilterValue[]) =>
  compare({ kind: 'field', field: name as 'step' }, operator, ...values);
const content = (path: string, operator: Operator, ...values: FilterValue[]) =>
  compare({ kind: 'path', path: path === '' ? [] : path.split('/') }, operator, ...values);
const all = (...filters: Filter[]): Filter => ({ kind: 'all', filters });
const any = (...filters: Filter[]): Filter => ({ kind: 'any', filters });
const not = (filter: Filter): Filter => ({ kind: 'not', filter });
const [a, b, c] = ['a', 'b', 'c'].map((type) => field('type', 'equals', type)) as [Filter, Filter, Filter];

describe('filter text › means', () => {
  const cases: readonly (readonly [text: string, filter: Filter])[] = [
    ['type = "state" AND step >= 10', all(field('type', 'equals', 'state'), field('step', 'greater_or_equal', 10))],
    ['type = state', field('type', 'equals', 'state')],
    ['type = 5', field('type', 'equals', '5')],
    ['tags:"x"', field('tag', 'equals', 'x')],
    ['tags:["x", "y"]', field('tag', 'contains', { json: ['x', 'y'] })],
    ['contains(tags, x)', field('tag', 'contains', 'x')],
    ['text:cello', field('text', 'contains', 'cello')],
    ['starts_with(text, "Ada")', field('text', 'starts_with', 'Ada')],
    ['matches(text, "^A.*a$")', field('text', 'matches', '^A.*a$')],
    ['lower(type) = "STATE"', { ...field('type', 'equals', 'STATE'), ignoreCase: true }],
    ['starts_with(lower(text), "ada")', { ...field('text', 'starts_with', 'ada'), ignoreCase: true }],
    ['type = a AND (type = b OR type = c)', all(a, any(b, c))],
    ['type = a && (type = b || type = c)', all(a, any(b, c))],
    ['type = "a"&&type = "b"', all(a, b)],
    ['(type = a AND type = b) OR type = c', any(all(a, b), c)],
    ['type = a and (type = b or type = c)', all(a, any(b, c))],
    ['type == a', a],
    ['type <> a', not(a)],
    ['!(type = a)', not(a)],
    ['!type = a', not(a)],
    ['type NOT IN (a)', not(field('type', 'in', 'a'))],
    ['type in ["a"]', field('type', 'in', 'a')],
    ['text CONTAINS "Ada"', field('text', 'contains', 'Ada')],
    ['text NOT CONTAINS "Ada"', not(field('text', 'contains', 'Ada'))],
    ['NOT type = a', not(a)],
    ['-type = a', not(a)],
    ['type != a', not(a)],
    ['NOT (type = a OR type = b)', not(any(a, b))],
    ['-(type = a)', not(a)],
    ['type IN (a, "b")', field('type', 'in', 'a', 'b')],
    ['step = -1', field('step', 'equals', -1)],
    ['importance < .5e0', field('importance', 'less', 0.5)],
    ['step:*', field('step', 'exists')],
    ['NOT valid_until:*', not(field('valid_until', 'exists'))],
    [
      'event_time >= "2026-11-10T08:00:00Z"',
      field('event_time', 'greater_or_equal', { timeUs: 1_794_297_600_000_000 }),
    ],
    ['event_time<2026-11-10', field('event_time', 'less', { timeUs: 1_794_268_800_000_000 })],
    ['event_time<2026-11-10T09:00:00.5+01:00', field('event_time', 'less', { timeUs: 1_794_297_600_500_000 })],
    ['source.speaker = "Ada"', field('speaker', 'equals', 'Ada')],
    ['scope.agent_type = a', field('agent_type', 'equals', 'a')],
    ['content.position.room = "harbour"', content('position/room', 'equals', 'harbour')],
    ['content."a.b".0.\'c d\' = 1', content('a.b/0/c d', 'equals', 1)],
    ['content.a = true', content('a', 'equals', true)],
    ['content.a = "true"', content('a', 'equals', 'true')],
    ['content.a = null', content('a', 'is_null')],
    ['content.a != null', not(content('a', 'is_null'))],
    ['content.a:null', content('a', 'contains', { json: null })],
    ['content.a:12', content('a', 'contains', 12)],
    ['content.a = 2026-11-10T08:00:00Z', content('a', 'equals', '2026-11-10T08:00:00Z')],
    ['content.position = [12, 22]', content('position', 'equals', { json: [12, 22] })],
    ['content.inventory:{"wood": 5}', content('inventory', 'contains', { json: { wood: 5 } })],
    ['content:{"a": "]"}', content('', 'contains', { json: { a: ']' } })],
    ['within_radius([1, 2], 5)', { kind: 'place', area: { kind: 'point_radius', center: { x: 1, y: 2 }, radius: 5 } }],
    [
      'within_geo_box([1, 2], [3, -4])',
      {
        kind: 'place',
        area: {
          kind: 'geo_box',
          southWest: { latitudeDeg: 1, longitudeDeg: 2 },
          northEast: { latitudeDeg: 3, longitudeDeg: -4 },
        },
      },
    ],
  ];
  it.each(cases)('%s', (text, filter) => {
    expect(parseFilter(text)).toEqual(filter);
  });

  it('escapes in quotes › are the characters of JSON', () => {
    expect(parseFilter(String.raw`text = "a\"b\\cA\n'"`)).toEqual(field('text', 'equals', 'a"b\\cA\n\''));
    expect(parseFilter(String.raw`text = 'it\'s "so"'`)).toEqual(field('text', 'equals', 'it\'s "so"'));
  });
});

describe('filter text › at fault', () => {
  it.each([
    ['', 'column 1: expected a condition such as `type = "state"` or `content.room = "hall"`, or (, found the end'],
    ['   ', 'column 4: expected a condition such as `type = "state"` or `content.room = "hall"`, or (, found the end'],
    ['foo = 1', 'column 1: there is no field foo; a value of the content is content.foo'],
    ['spep = 5', 'column 1: there is no field spep; did you mean step?'],
    ['room2.x = 5', 'column 1: there is no field room2.x; a value of the content is content.room2.x'],
    ['cello', 'column 1: there is no field cello; a value of the content is content.cello'],
    ['type', 'column 5: expected =, !=, <, <=, >, >=, : or IN after type, found the end'],
    [
      'type = a AND type = b OR type = c',
      'column 23: AND and OR are next to each other: put one of them into parentheses',
    ],
    ['type = a or type = b and type = c', 'column 22: AND and OR are next to each other'],
    ['type LIKE "no%"', 'there is no LIKE: write contains(type, "…"), starts_with(type, "…") or matches(type, "…")'],
    ['step BETWEEN 1 AND 9', 'there is no BETWEEN: write step >= 1 AND step <= 9'],
    ['content.a exists', 'write content.a:* for a value that exists'],
    ['type IS "a"', 'expected NULL or NOT NULL after IS'],
    ['created_at > 2026-01-01', 'there is no field created_at; did you mean create_time?'],
    ['TYPE = "a"', 'there is no field TYPE; did you mean type?'],
    ['type = "a', 'column 8: the quote " is not closed'],
    ['type = "a" step = 5', 'column 12: expected AND, OR or the end, found `step`'],
    [
      'type = "a" AND',
      'column 15: expected a condition such as `type = "state"` or `content.room = "hall"`, or (, found the end',
    ],
    ['(type = "a"', 'column 12: expected AND, OR or ), found the end'],
    ['type = "a")', 'column 11: expected AND, OR or the end, found `)`'],
    ['step >= "10"', 'column 9: expected a number such as 10, found `"10"`'],
    ['step >= ten', 'column 9: expected a number such as 10, found `ten`'],
    ['step >= ', 'column 9: expected a number such as 10, found the end'],
    [
      'event_time < yesterday',
      'column 14: expected a time such as 2026-11-10T08:00:00Z, or a day such as 2026-11-10 or 2026-11-10[Europe/Berlin], found `yesterday`',
    ],
    [
      'event_time < 2026-13-01',
      'column 14: expected a time such as 2026-11-10T08:00:00Z, or a day such as 2026-11-10 or 2026-11-10[Europe/Berlin], found `2026-13-01`',
    ],
    [
      'event_time < "last week"',
      'column 14: expected a time such as 2026-11-10T08:00:00Z, or a day such as 2026-11-10 or 2026-11-10[Europe/Berlin], found `"last week"`',
    ],
    [
      'event_time < "10.11.2026 08:00"',
      'column 14: expected a time such as 2026-11-10T08:00:00Z, or a day such as 2026-11-10 or 2026-11-10[Europe/Berlin], found `"10.11.2026 08:00"`',
    ],
    [
      'event_time < 2026-11-10T8:00',
      'column 14: expected a time such as 2026-11-10T08:00:00Z, or a day such as 2026-11-10 or 2026-11-10[Europe/Berlin], found `2026-11-10T8:00`',
    ],
    ['step:5', 'column 5: expected =, !=, <, <=, > or >= after step, a number'],
    ['tier = warm', 'column 8: tier is one of short_term, intermediate, long_term'],
    ['content.a < [1]', 'column 13: an array, an object or null has no order: use = or :'],
    ['content.a = [1', 'column 13: the bracket [ is not closed'],
    ['content.a = {wood: 5}', 'column 13: expected a JSON object, such as {"wood": 5}'],
    ['content. = 5', 'column 10: expected a key after the dot, found `=`'],
    ['type IN a', 'column 9: expected ( and values after IN, found `a`'],
    ['type IN ("a" "b")', 'column 14: expected , or ) after a value, found `"`'],
    ['matches(text, "(")', 'column 15: must be a regular expression in RE2 syntax: missing closing ): `'],
    ['starts_with(step, "1")', 'column 17: starts_with is of texts; step is a number'],
    ['within_radius(5, 1)', 'column 15: expected a point [x, y] or [x, y, z]'],
    ['within_radius([0, 0], -1)', 'column 23: expected the radius, a number of at least 0'],
    [
      'text = "\u{1f600}" OR wohnort',
      'column 15: there is no field wohnort; a value of the content is content.wohnort',
    ],
    [String.raw`text = "\x"`, String.raw`column 9: expected \", \', \\, \n, \r, \t or \u after a backslash`],
  ])('%s', (text, message) => {
    expect(() => parseFilter(text)).toThrow(message);
  });

  it.each([
    ['longer than it may be', `type = "${'x'.repeat(FILTER_LIMITS.textBytes)}"`, /at most 32768 bytes/],
    ['a value too long', `type = "${'x'.repeat(5000)}"`, /column 8: a value is at most 4096 bytes/],
    ['too many levels', `${'NOT ('.repeat(16)}type = a${')'.repeat(16)}`, /at most 16 levels/],
    ['too many parentheses', `${'('.repeat(65)}type = a${')'.repeat(65)}`, /column 65: at most 64 parentheses/],
    ['too many in one AND', Array(65).fill('type = a').join(' AND '), /at most 64 conditions/],
    [
      'too many conditions',
      Array(5)
        .fill(`(${Array(60).fill('type = a').join(' OR ')})`)
        .join(' AND '),
      /at most 256 conditions/,
    ],
    ['too many values', `type IN (${Array(1001).fill('a').join(',')})`, /at most 1000 values/],
    ['too many values in an array', `content.a = [${Array(129).fill('1').join(',')}]`, /at most 128 values/],
    ['an array too deep', `content.a = ${'['.repeat(17)}${']'.repeat(17)}`, /at most 16 deep/],
    ['a path with too many keys', `content${'.a'.repeat(33)} = 1`, /at most 32 keys/],
  ])('%s › is refused', (_, text, message) => {
    expect(() => parseFilter(text)).toThrow(message);
  });
});
