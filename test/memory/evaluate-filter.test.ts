import { describe, expect, it } from '@jest/globals';
import { admits } from '../../src/memory/evaluate-filter.ts';
import type { Filter, FilterValue, MemoryField, Operator } from '../../src/memory/filter.ts';
import { parseFilter } from '../../src/memory/filter-text/parse-filter.ts';
import type { Json } from '../../src/memory/json-values.ts';
import type { Memory } from '../../src/memory/memory.ts';
import type { NewMemory } from '../../src/storage/records.ts';
import { newMemory } from '../support/new-memory.ts';

const memoryOf = (fields: Partial<NewMemory>): Memory => ({
  ...newMemory({ id: 'a', ...fields }),
  namespace: 'n',
  revision: 1,
});
const withJson = (json: string, mediaType = 'application/json') =>
  memoryOf({ content: { mediaType, data: Buffer.from(json) } });

function path(keys: string, operator: Operator, ...values: FilterValue[]): Filter {
  return {
    kind: 'comparison',
    target: { kind: 'path', path: keys === '' ? [] : keys.split('.') },
    operator,
    values,
    ignoreCase: false,
  };
}
function field(name: MemoryField, operator: Operator, ...values: FilterValue[]): Filter {
  return { kind: 'comparison', target: { kind: 'field', field: name }, operator, values, ignoreCase: false };
}

describe('filter › path of JSON content', () => {
  const cases: readonly (readonly [json: string, filter: Filter, admitted: boolean])[] = [
    ['{"a":5}', path('a', 'equals', 5), true],
    ['{"a":5}', path('a', 'equals', '5'), false],
    ['{"a":"5"}', path('a', 'equals', 5), false],
    ['{"a":true}', path('a', 'equals', 1), false],
    ['{"a":true}', path('a', 'equals', true), true],
    ['{"a":false}', path('a', 'less', true), true],
    ['{"a":null}', path('a', 'equals', 'null'), false],
    ['{"a":null}', path('a', 'is_null'), true],
    ['{"a":null}', path('a', 'exists'), true],
    ['{"a":0}', path('a', 'is_null'), false],
    ['{}', path('a', 'is_null'), false],
    ['{}', path('a', 'exists'), false],
    ['{"a":{}}', path('a', 'exists'), true],
    ['{"a":[]}', path('a', 'exists'), true],
    ['{"a":[]}', path('a.b', 'exists'), false],
    ['{"a":{"timeUs":5}}', path('a', 'equals', { timeUs: 5 }), false],
    ['{"a":5}', path('a', 'greater', { timeUs: 0 }), false],
    ['{"a":[1,[2,[3]]]}', path('a', 'equals', 3), true],
    ['{"a":[{"b":1},{"b":[2]}]}', path('a.b', 'equals', 2), true],
    ['{"a":[{"b":1},{"b":2}]}', path('a.1.b', 'equals', 2), true],
    ['{"a":[{"b":1},{"b":2}]}', path('a.0.b', 'equals', 2), false],
    ['{"a":[[1,2],[3,4]]}', path('a.1', 'equals', 2), true],
    ['{"a":[1]}', path('a.1', 'exists'), false],
    ['{"a":[1]}', path('a.00', 'exists'), false],
    ['{"a":{"0":"x"}}', path('a.0', 'equals', 'x'), true],
    ['[{"a":1}]', path('a', 'equals', 1), true],
    ['{"a":-0.0}', path('a', 'equals', 0), true],
    ['{"__proto__":{"x":1}}', path('__proto__.x', 'equals', 1), true],
    ['{}', path('__proto__', 'exists'), false],
    ['{}', path('constructor', 'exists'), false],
    ['{"a":"x"}', path('a.length', 'exists'), false],
    ['{"a":[1,2]}', path('a.length', 'exists'), false],
    ['{"a":"abc"}', path('a', 'contains', ''), true],
    ['{"a":5}', path('a', 'contains', ''), false],
    ['{"a":"\u{1f600}"}', path('a', 'greater', '\uffff'), true],
    ['{"a":["x",7]}', path('a', 'in', 8, 'x'), true],
    ['not json', path('a', 'exists'), false],
  ];
  it.each(cases)('%s › %j › %s', (json, filter, admitted) => {
    expect(admits(filter, withJson(json))).toBe(admitted);
  });

  it('content of another format › has no paths', () => {
    expect(admits(path('a', 'exists'), withJson('{"a":1}', 'text/plain'))).toBe(false);
    expect(admits(path('a', 'exists'), memoryOf({}))).toBe(false);
    expect(admits(path('a', 'exists'), withJson('{"a":1}', 'Application/JSON; charset=utf-8'))).toBe(true);
  });

  it('several paths › the content is parsed once, and not for fields', () => {
    let parsed = 0;
    const json = () => {
      parsed++;
      return { a: 1 };
    };
    admits(field('type', 'equals', 'fact'), memoryOf({}), json);
    expect(parsed).toBe(0);
  });
});

describe('filter › field', () => {
  const memory = memoryOf({
    tags: ['x', 'Straße'],
    step: 3,
    text: '',
    expiresAtUs: 5,
    source: { speaker: 'Ada', uri: '', origin: '' },
  });
  const cases: readonly (readonly [filter: Filter, admitted: boolean])[] = [
    [field('text', 'exists'), true],
    [field('text', 'equals', ''), true],
    [field('project', 'exists'), false],
    [field('project', 'equals', ''), false],
    [field('project', 'less', 'a'), false],
    [field('media_type', 'exists'), false],
    [field('speaker', 'starts_with', 'A'), true],
    [field('tag', 'equals', 'x'), true],
    [field('tag', 'exists'), true],
    [field('tag', 'is_null'), false],
    [field('step', 'greater', 2.5), true],
    [field('step', 'equals', '3'), false],
    [field('step', 'equals', { timeUs: 3 }), false],
    [field('step', 'contains', '3'), false],
    [field('expire_time', 'less_or_equal', { timeUs: 5 }), true],
    [field('expire_time', 'equals', 5), false],
    [field('valid_from', 'less', { timeUs: 5 }), false],
    [field('tier', 'greater', 'long_term'), true],
    [{ kind: 'not', filter: field('project', 'equals', 'p') }, true],
    [{ kind: 'all', filters: [field('tag', 'exists'), field('agent', 'exists')] }, false],
    [{ kind: 'any', filters: [field('tag', 'exists'), field('agent', 'exists')] }, true],
  ];
  it.each(cases)('%j › %s', (filter, admitted) => {
    expect(admits(filter, memory)).toBe(admitted);
  });

  it('without regard to case › both sides are lower-cased', () => {
    const ignoring = (operator: Operator, value: string): Filter => ({
      ...(field('speaker', operator, value) as Extract<Filter, { kind: 'comparison' }>),
      ignoreCase: true,
    });
    expect(admits(ignoring('equals', 'ADA'), memory)).toBe(true);
    expect(admits(ignoring('contains', 'DA'), memory)).toBe(true);
    expect(admits(ignoring('less', 'B'), memory)).toBe(true);
    expect(admits(field('speaker', 'equals', 'ADA'), memory)).toBe(false);
  });
});

describe('filter › arrays and objects of JSON content', () => {
  const whole = (json: unknown): FilterValue => ({ json: json as Json[] });
  const cases: readonly (readonly [json: string, filter: Filter, admitted: boolean])[] = [
    ['{"a":[12,22]}', path('a', 'equals', whole([12, 22])), true],
    ['{"a":[22,12]}', path('a', 'equals', whole([12, 22])), false],
    ['{"a":[12,22,5]}', path('a', 'equals', whole([12, 22])), false],
    ['{"a":[[12,22],[1,2]]}', path('a', 'equals', whole([1, 2])), true],
    ['{"a":{"x":1,"y":[2]}}', path('a', 'equals', whole({ y: [2], x: 1 })), true],
    ['{"a":{"x":1,"y":2}}', path('a', 'equals', whole({ x: 1 })), false],
    ['{"a":{"x":"1"}}', path('a', 'equals', whole({ x: 1 })), false],
    ['{"a":{}}', path('a', 'equals', whole([])), false],
    ['{"a":{"__proto__":1}}', path('a', 'equals', whole({})), false],
    ['{"a":[1]}', path('a', 'in', 5, whole([1])), true],
    ['{"a":null}', path('a', 'in', 5, whole(null)), true],
    ['{"a":{"wood":5,"iron":1}}', path('a', 'contains', whole({ wood: 5 })), true],
    ['{"a":{"wood":6}}', path('a', 'contains', whole({ wood: 5 })), false],
    ['{"a":{"b":{"wood":5}}}', path('a', 'contains', whole({ wood: 5 })), false],
    ['{"a":[{"wood":5,"iron":1}]}', path('a', 'contains', whole({ wood: 5 })), true],
    ['{"a":[3,1,2]}', path('a', 'contains', whole([1, 3])), true],
    ['{"a":[3,1,2]}', path('a', 'contains', whole([1, 4])), false],
    ['{"a":[3,1,2]}', path('a', 'contains', 1), true],
    ['{"a":[3,1,2]}', path('a', 'contains', '1'), false],
    ['{"a":1}', path('a', 'contains', 1), false],
    ['{"a":[true]}', path('a', 'contains', true), true],
    ['{"a":[null]}', path('a', 'contains', whole(null)), true],
    ['{"a":null}', path('a', 'contains', whole(null)), false],
    ['{"a":[1,2]}', path('a', 'less', whole([2])), false],
    ['{"a":1}', path('', 'contains', whole({ a: 1 })), true],
  ];
  it.each(cases)('%s › %j › %s', (json, filter, admitted) => {
    expect(admits(filter, withJson(json))).toBe(admitted);
  });

  it('without regard to case › texts inside are lower-cased, keys are not', () => {
    const ignoring = (json: unknown): Filter => ({
      ...(path('a', 'equals', whole(json)) as Extract<Filter, { kind: 'comparison' }>),
      ignoreCase: true,
    });
    expect(admits(ignoring(['HALL']), withJson('{"a":["hall"]}'))).toBe(true);
    expect(admits(ignoring({ K: 1 }), withJson('{"a":{"k":1}}'))).toBe(false);
  });

  it('many elements › each is looked for', () => {
    const numbers = Array.from({ length: 100 }, (_, at) => at);
    const content = withJson(JSON.stringify({ a: [...numbers].reverse() }));
    expect(admits(path('a', 'contains', whole(numbers)), content)).toBe(true);
    expect(admits(path('a', 'contains', whole([...numbers, 'x'])), content)).toBe(false);
  });

  it('tags › are one array, too', () => {
    const memory = memoryOf({ tags: ['x', 'y'] });
    expect(admits(field('tag', 'equals', whole(['x', 'y'])), memory)).toBe(true);
    expect(admits(field('tag', 'equals', whole(['y', 'x'])), memory)).toBe(false);
    expect(admits(field('tag', 'contains', whole(['y'])), memory)).toBe(true);
    expect(admits(field('tag', 'contains', whole([])), memoryOf({ tags: [] }))).toBe(false);
  });
});

describe('IS NULL in the text of a filter', () => {
  it.each([
    [{ a: 1 }, false],
    [{ a: null }, true],
    [{ b: 1 }, true],
  ])('content.a IS NULL of %j is %j', (json, isNull) => {
    expect(admits(parseFilter('content.a IS NULL'), withJson(JSON.stringify(json)))).toBe(isNull);
    expect(admits(parseFilter('content.a IS NOT NULL'), withJson(JSON.stringify(json)))).toBe(!isNull);
  });
});
