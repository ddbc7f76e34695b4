import { describe, expect, it } from '@jest/globals';
import { pathKey, pathStem, VALUE_LIMITS, valuesOf } from '../../src/memory/values.ts';

const pairs = (json: string) => valuesOf(JSON.parse(json)).values.map(({ path, value }) => [path, value]);

describe('valuesOf', () => {
  it('nested objects and arrays › every value once under its keys', () => {
    expect(pairs('{"a":{"b":[1,{"c":"x"},[1,2]]},"d":null,"e":true}')).toEqual([
      ['["a","b"]', 1],
      ['["a","b","c"]', 'x'],
      ['["a","b"]', 2],
      ['["d"]', null],
      ['["e"]', true],
    ]);
    expect(valuesOf({ a: 1 }).partial).toBe(false);
  });

  it('empty arrays and objects › are there without a value', () => {
    expect(pairs('{"a":[],"b":{},"c":[[]]}')).toEqual([
      ['["a"]', undefined],
      ['["b"]', undefined],
      ['["c"]', undefined],
    ]);
  });

  it('single values and unusual keys › have their own paths', () => {
    expect(pairs('5')).toEqual([['[]', 5]]);
    expect(pairs('{"":1,"a.b":2,"__proto__":{"x":3}}')).toEqual([
      ['[""]', 1],
      ['["a.b"]', 2],
      ['["__proto__","x"]', 3],
    ]);
  });

  it('more values than the limit › the first ones, partial; exactly the limit › complete', () => {
    const numbers = (count: number) => valuesOf({ a: Array.from({ length: count }, (_, number) => number) });
    expect(numbers(VALUE_LIMITS.leaves).partial).toBe(false);
    expect(numbers(VALUE_LIMITS.leaves + 1).partial).toBe(true);
    expect(numbers(5000).values).toHaveLength(VALUE_LIMITS.leaves);
    const repeated = valuesOf(Array.from({ length: 5000 }, () => 'same'));
    expect(repeated).toMatchObject({ partial: false, values: [{ path: '[]', value: 'same' }] });
  });

  it('long texts › cut between characters, and that is not partial', () => {
    const { values, partial } = valuesOf({ a: '\u{1f600}'.repeat(300) });
    expect(values).toEqual([{ path: '["a"]', value: '\u{1f600}'.repeat(VALUE_LIMITS.textCharacters) }]);
    expect(partial).toBe(false);
  });

  it('values that cannot be indexed › partial: lone surrogates, very long paths, very deep values', () => {
    expect(valuesOf({ a: '\ud800' })).toMatchObject({ values: [], partial: true });
    expect(valuesOf({ ['k'.repeat(2000)]: 1 })).toMatchObject({ values: [], partial: true });
    expect(valuesOf(JSON.parse(`${'['.repeat(1000)}1${']'.repeat(1000)}`))).toMatchObject({
      values: [],
      partial: true,
    });
  });

  it('keys of inner paths › start with the stem of the outer one, those of siblings do not', () => {
    expect(pathKey(['a', 'b']).startsWith(pathStem(['a']))).toBe(true);
    expect(pathKey(['ab']).startsWith(pathStem(['a']))).toBe(false);
    expect(pathKey(['a","b']).startsWith(pathStem(['a']))).toBe(false);
    expect(pathKey(['a']).startsWith(pathStem([]))).toBe(true);
  });
});
