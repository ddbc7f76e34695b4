import {
  type Comparison,
  FILTER_LIMITS,
  type Filter,
  type FilterValue,
  type Operator,
  type TimeField,
} from '../filter.ts';
import { exactNumber } from '../json.ts';
import { type Json, jsonDepthOf, leafCount } from '../json-values.ts';
import { TIERS } from '../memory.ts';
import { PatternError, patternOf } from '../pattern.ts';
import { type ComparedTime, comparedTimeIn, comparedWithTimes } from '../time/calendar-day.ts';
import type { Operand } from './fields.ts';
import type { Scanner } from './scanner.ts';

/** JSON's numbers, and also such as `+1` and `.5`. */
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const OPERATORS: { readonly [sign: string]: Operator } = {
  '=': 'equals',
  '<': 'less',
  '<=': 'less_or_equal',
  '>': 'greater',
  '>=': 'greater_or_equal',
  ':': 'contains',
};
const EXPECTED = {
  text: 'a text such as "state"',
  tags: 'a tag such as "travel", or an array of tags',
  number: 'a number such as 10',
  time: 'a time such as 2026-11-10T08:00:00Z, or a day such as 2026-11-10 or 2026-11-10[Europe/Berlin]',
  json: 'a text in quotes, a number, true, false, null, an array or an object',
} as const;

/** Reads the right side of a comparison. */
export class Values {
  private readonly scanner: Scanner;
  private count = 0;

  constructor(scanner: Scanner) {
    this.scanner = scanner;
  }

  comparison(operand: Operand, sign: string, signAt: number): Filter {
    const { scanner } = this;
    if (sign === ':' && scanner.peek() === '*') {
      scanner.at++;
      return comparisonOf(operand, 'exists', []);
    }
    const operator = OPERATORS[sign] ?? 'equals';
    if (operator === 'contains' && (operand.kind === 'number' || operand.kind === 'time')) {
      throw scanner.error(`expected =, !=, <, <=, > or >= after ${operand.name}, a ${operand.kind}`, signAt);
    }
    if (operand.kind === 'time') return comparedWithTimes(timeField(operand), operator, [this.time()]);
    scanner.skipSpace();
    const start = scanner.at;
    const value = this.value(operand, operator);
    const isJson = typeof value === 'object' && 'json' in value;
    if (isJson && value.json === null && operator === 'equals') return comparisonOf(operand, 'is_null', []);
    if (isJson && operator !== 'equals' && operator !== 'contains') {
      throw scanner.error(`an array, an object or null has no order: use = or :`, start);
    }
    // Of several tags, one is asked for as a whole.
    const isTag = operator === 'contains' && operand.kind === 'tags' && typeof value === 'string';
    return comparisonOf(operand, isTag ? 'equals' : operator, [value]);
  }

  /** The list behind IN. */
  among(operand: Operand): Filter {
    if (operand.kind === 'time')
      return comparedWithTimes(
        timeField(operand),
        'in',
        this.listed(() => this.time()),
      );
    return comparisonOf(
      operand,
      'in',
      this.listed(() => this.value(operand, 'in')),
    );
  }

  private listed<T>(read: () => T): readonly T[] {
    const { scanner } = this;
    const close = scanner.skip('(') ? ')' : scanner.skip('[') ? ']' : undefined;
    if (close === undefined) throw scanner.expected('( and values after IN');
    const values: T[] = [];
    do values.push(read());
    while (scanner.skip(','));
    if (!scanner.skip(close)) throw scanner.expected(`, or ${close} after a value`);
    return values;
  }

  ofFunction(operand: Operand, operator: 'starts_with' | 'matches' | 'contains'): Comparison {
    if (operator === 'contains') return comparisonOf(operand, operator, [this.value(operand, operator)]);
    this.scanner.skipSpace();
    const start = this.scanner.at;
    const text = this.scanner.quoted() ?? this.scanner.bare();
    if (text === undefined) throw this.scanner.expected('a text in quotes');
    this.checkText(text, start);
    if (operator === 'matches') this.checkPattern(text, start);
    return comparisonOf(operand, operator, [text]);
  }

  radius(what: string): number {
    this.scanner.skipSpace();
    const start = this.scanner.at;
    const text = this.scanner.bare();
    const radius = text !== undefined && NUMBER.test(text) ? Number(text) : Number.NaN;
    if (!Number.isFinite(radius) || radius < 0)
      throw this.scanner.error(`expected ${what}, a number of at least 0`, start);
    return radius;
  }

  /** An array of so many finite numbers. */
  numbers(expected: string, countMin: number, countMax: number): readonly number[] {
    this.scanner.skipSpace();
    const start = this.scanner.at;
    const array = this.scanner.json();
    const isPoint =
      Array.isArray(array) &&
      array.length >= countMin &&
      array.length <= countMax &&
      array.every((number) => Number.isFinite(number));
    if (!isPoint) throw this.scanner.error(`expected ${expected}`, start);
    return array as readonly number[];
  }

  private value(operand: Operand, operator: Operator): FilterValue {
    const start = this.startOfValue();
    switch (operand.kind) {
      case 'number':
        return this.number(start);
      case 'text':
        return this.fieldText(operand, operator, start);
      case 'tags':
        return this.json(start) ?? this.text(EXPECTED.tags, start);
      case 'json':
        return this.jsonOrBare(start);
      case 'time':
        throw new Error('times are compared as instants and days');
    }
  }

  private number(start: number): number | bigint {
    const bare = this.scanner.bare();
    if (bare !== undefined && NUMBER.test(bare)) return this.exact(bare, start);
    this.scanner.quoted();
    const end = this.scanner.at;
    this.scanner.at = start;
    throw this.scanner.expected(EXPECTED.number, end);
  }

  private exact(bare: string, start: number): number | bigint {
    try {
      return exactNumber(bare);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      throw this.scanner.error(error.message, start);
    }
  }

  /** Counts the value that begins here. */
  private startOfValue(): number {
    this.scanner.skipSpace();
    if (++this.count > FILTER_LIMITS.values) {
      throw this.scanner.error(`a filter has at most ${FILTER_LIMITS.values} values`);
    }
    return this.scanner.at;
  }

  private time(): ComparedTime {
    const start = this.startOfValue();
    const text = this.scanner.quoted() ?? this.scanner.bareWithBrackets();
    const time = text === undefined ? undefined : comparedTimeIn(text);
    if (time !== undefined) return time;
    const end = this.scanner.at;
    this.scanner.at = start;
    throw this.scanner.expected(EXPECTED.time, end);
  }

  private fieldText({ name, target }: Operand, operator: Operator, start: number): string {
    const text = this.text(EXPECTED.text, start);
    const isTier = target.kind === 'field' && target.field === 'tier' && (operator === 'equals' || operator === 'in');
    // A misspelt tier would silently admit no memory, or all.
    if (isTier && !TIERS.some((tier) => tier === text.toLowerCase())) {
      throw this.scanner.error(`${name} is one of ${TIERS.join(', ')}`, start);
    }
    return text;
  }

  private text(expected: string, start: number): string {
    const text = this.scanner.quoted() ?? this.scanner.bare();
    if (text === undefined) throw this.scanner.expected(expected);
    return this.checkText(text, start);
  }

  private jsonOrBare(start: number): FilterValue {
    const json = this.json(start);
    if (json !== undefined) return json;
    const quoted = this.scanner.quoted();
    if (quoted !== undefined) return this.checkText(quoted, start);
    const bare = this.scanner.bare();
    if (bare === undefined) throw this.scanner.expected(EXPECTED.json);
    if (bare === 'null') return { json: null };
    if (bare === 'true' || bare === 'false') return bare === 'true';
    return NUMBER.test(bare) ? this.exact(bare, start) : this.checkText(bare, start);
  }

  private json(start: number): FilterValue | undefined {
    const json = this.scanner.json();
    if (json === undefined) return undefined;
    const { jsonLeaves, jsonDepth } = FILTER_LIMITS;
    const bytes = this.scanner.text.slice(start, this.scanner.at);
    this.checkText(bytes, start);
    if (leafCount(json) > jsonLeaves)
      throw this.scanner.error(`an array or object has at most ${jsonLeaves} values`, start);
    if (jsonDepthOf(json) > jsonDepth)
      throw this.scanner.error(`an array or object is at most ${jsonDepth} deep`, start);
    return { json: json as readonly Json[] };
  }

  private checkText(text: string, start: number): string {
    const { valueBytes } = FILTER_LIMITS;
    if (Buffer.byteLength(text) > valueBytes) throw this.scanner.error(`a value is at most ${valueBytes} bytes`, start);
    return text;
  }

  private checkPattern(text: string, start: number): void {
    try {
      patternOf(text, false);
    } catch (error) {
      if (!(error instanceof PatternError)) throw error;
      throw this.scanner.error(error.message, start);
    }
  }
}

function comparisonOf({ target, ignoreCase }: Operand, operator: Operator, values: readonly FilterValue[]): Comparison {
  return { kind: 'comparison', target, operator, values, ignoreCase };
}

function timeField({ target }: Operand): TimeField {
  if (target.kind === 'path') throw new Error('only a field is a time');
  return target.field as TimeField;
}
