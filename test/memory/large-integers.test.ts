import { describe, expect, it } from '@jest/globals';
import { passesComparison } from '../../src/memory/evaluate-filter.ts';
import type { Comparison, Operator } from '../../src/memory/filter.ts';
import { asWritten, exactDouble, exactNumber, numberIn, parseJson } from '../../src/memory/json.ts';
import { alike } from '../../src/search/presets/common-parameters.ts';
import { valueOfTerm, valueTerm } from '../../src/storage/sqlite/value-terms.ts';
import { seededRandom, type TestRandom } from '../support/random.ts';

/** Integers around powers of two and ten of any length that JSON has, often next to one another. */
function randomInteger(random: TestRandom): bigint {
  const base = random.chance(0.5) ? 2n ** BigInt(random.int(1020)) : 10n ** BigInt(random.int(300));
  const integer = base * BigInt(1 + random.int(3)) + BigInt(random.int(7) - 3);
  return random.chance(0.5) ? integer : -integer;
}

function integers(label: string, count: number): readonly bigint[] {
  const random = seededRandom(label);
  const near = [0n, 1n, 2n ** 53n - 1n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 63n, 2n ** 64n + 1n, 10n ** 20n];
  return [...near, ...near.map((integer) => -integer), ...Array.from({ length: count }, () => randomInteger(random))];
}

const sign = (difference: bigint | number) => (difference < 0 ? -1 : difference > 0 ? 1 : 0);

describe('A2 large integers', () => {
  it('read from decimals › have the value of all their digits; they are numbers up to ±(2^53 - 1)', () => {
    for (const integer of integers('exact-number', 2000)) {
      const read = exactNumber(String(integer));
      expect(BigInt(read)).toBe(integer);
      expect(typeof read).toBe(Number.isSafeInteger(Number(integer)) ? 'number' : 'bigint');
    }
  });

  it.each([
    ['9007199254740991', 9007199254740991],
    ['9007199254740992', 9007199254740992n],
    ['-9007199254740993', -9007199254740993n],
    ['9007199254740993.000', 9007199254740993n],
    ['1e20', 100000000000000000000n],
    ['+1.145678901234567890E18', 1145678901234567890n],
    ['.9007199254740993e16', 9007199254740993n],
    ['0.25', 0.25],
    ['1e-400', 0],
  ])('the decimal %s › is %s', (text, value) => {
    expect(exactNumber(text)).toBe(value);
  });

  it.each([
    ['9007199254740993.5', 'number beyond 2^53 must be an integer, got 9007199254740993.5'],
    ['1145678901234567.89e4', undefined],
    ['1145678901234567.891e2', 'number beyond 2^53 must be an integer'],
    ['1e400', 'number must be within ±1.8e308, got 1e400'],
    ['-1e400', 'number must be within'],
  ])('the decimal %s, where it cannot be exact › is refused, not rounded', (text, message) => {
    if (message === undefined) expect(exactNumber(text)).toBe(11456789012345678900n);
    else expect(() => exactNumber(text)).toThrow(message);
  });

  it('in JSON › keep all digits, read and written again', () => {
    for (const integer of integers('json-integers', 500)) {
      const text = `{"a":[${integer},"${integer}"],"b":{"${integer}":-1.5}}`;
      expect(JSON.stringify(parseJson(text))).toBe(text);
      expect(JSON.stringify(asWritten(text))).toBe(text);
    }
  });

  it('compared by a filter › are ordered as integers', () => {
    const all = integers('compared-integers', 60);
    for (const one of all) {
      for (const other of all) {
        const results = (['less', 'equals', 'greater', 'in'] as const).map((operator) => passes(one, operator, other));
        expect([one, other, results]).toEqual([one, other, [one < other, one === other, one > other, one === other]]);
      }
    }
  });

  it('beside doubles › are compared exactly', () => {
    expect(passesComparison(2 ** 53 - 1, comparison('less', 2n ** 53n))).toBe(true);
    expect(passesComparison(10n ** 20n, comparison('greater', 0.5))).toBe(true);
    expect(passesComparison(-(10n ** 20n), comparison('greater', 0.5))).toBe(false);
    expect(passesComparison(10n ** 20n, comparison('equals', exactDouble(1e20)))).toBe(true);
    expect(passesComparison(10n ** 20n + 1n, comparison('equals', exactDouble(1e20)))).toBe(false);
  });

  it('as terms of SQLite › are in the order of the integers, and read back', () => {
    const all = integers('integer-terms', 100).map((integer) => exactNumber(String(integer)));
    for (const one of all) {
      expect(valueOfTerm(valueTerm(one))).toBe(one);
      for (const other of all) {
        const [term, otherTerm] = [valueTerm(one), valueTerm(other)];
        const order = term < otherTerm ? -1 : term > otherTerm ? 1 : 0;
        expect([one, other, order]).toEqual([one, other, sign(BigInt(one) - BigInt(other))]);
      }
    }
  });

  it.each([
    ['1145678901234567890', ['1145678901234567890', 1145678901234567890n]],
    [' 9007199254740993 ', [' 9007199254740993 ', 9007199254740993n]],
    ['1e20', ['1e20', 10n ** 20n]],
    ['9007199254740993.5', ['9007199254740993.5']],
    ['0x20000000000001', ['0x20000000000001']],
    ['5', ['5', 5]],
    [1145678901234567890n, [1145678901234567890n, '1145678901234567890']],
  ])('the value %j of a metadata filter › equals the same number and text only', (value, alternatives) => {
    expect(alike(value)).toEqual(alternatives);
  });

  it.each([
    ['', undefined],
    [' ', undefined],
    ['Infinity', undefined],
    ['1e400', undefined],
    ['12 oaks', undefined],
    ['-12.5', -12.5],
  ])('the number in the text %j › is %j', (text, number) => {
    expect(numberIn(text)).toBe(number);
  });
});

function comparison(operator: Operator, value: number | bigint): Comparison {
  return {
    kind: 'comparison',
    target: { kind: 'path', path: ['n'] },
    operator,
    values: [value],
    ignoreCase: false,
  };
}

/** As the values are after reading: numbers where a double holds them. */
function passes(one: bigint, operator: Operator, other: bigint): boolean {
  return passesComparison(exactNumber(String(one)), comparison(operator, exactNumber(String(other))));
}
