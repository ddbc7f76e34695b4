import {
  type Comparison as ComparisonMessage,
  type Day as DayMessage,
  MemoryField as FieldNumber,
  type Filter as FilterMessage,
  Operator as OperatorNumber,
  type Value as ValueMessage,
} from '../../../../gen/ts/mneme/v1/filter.ts';
import { MnemeError } from '../../../memory/errors.ts';
import {
  type Comparison,
  FILTER_LIMITS,
  type Filter,
  type FilterValue,
  isJsonValue,
  type MemoryField,
  type Operator,
  TIME_FIELDS,
} from '../../../memory/filter.ts';
import { parseFilter } from '../../../memory/filter-text/parse-filter.ts';
import { FilterTextError } from '../../../memory/filter-text/scanner.ts';
import { exactDouble, exactNumber, parseNewJson } from '../../../memory/json.ts';
import { type Json, jsonDepthOf, leafCount } from '../../../memory/json-values.ts';
import { PatternError, patternOf } from '../../../memory/pattern.ts';
import { type ComparedTime, comparedWithTimes, dayInZone } from '../../../memory/time/calendar-day.ts';
import { isTimeZone } from '../../../memory/time/zone.ts';
import { instantOf, memoryNameIn, RequestChecks } from '../edge/request-checks.ts';
import { areaOf } from './filter-areas.ts';
import { TIER_NUMBERS } from './memory-messages.ts';

/** A filter of a request, checked; its faults are reported as FILTER_INVALID. */
export function filterOf(field: string, message: FilterMessage): Filter {
  const reading = new FilterReading();
  const filter = reading.filter(field, message, 1);
  reading.checks.finish('FILTER_INVALID');
  return filter;
}

/** A request with a filter, as a message or as text. */
export interface WithFilter {
  readonly filter: FilterMessage | undefined;
  readonly filterText: string;
}

/** The validated filter of a request, in either form. `prefix` is its path in the request. */
export function givenFilter({ filter, filterText }: WithFilter, prefix = ''): Filter | undefined {
  if (filterText === '') return filter && filterOf(`${prefix}filter`, filter);
  const field = `${prefix}filter_text`;
  if (filter) throw filterInvalid(field, `must be absent with ${prefix}filter`);
  try {
    return withIds(parseFilter(filterText));
  } catch (error) {
    if (!(error instanceof FilterTextError)) throw error;
    throw filterInvalid(field, error.message);
  }
}

function filterInvalid(field: string, description: string): MnemeError {
  const violations = [{ field, description }];
  return new MnemeError('FILTER_INVALID', `${field}: ${description}`, { violations });
}

/** With ids where memories are named. */
function withIds(filter: Filter): Filter {
  if (filter.kind === 'all' || filter.kind === 'any') return { ...filter, filters: filter.filters.map(withIds) };
  if (filter.kind === 'not') return { kind: 'not', filter: withIds(filter.filter) };
  const { kind } = filter;
  if (kind !== 'comparison' || filter.target.kind !== 'field' || filter.target.field !== 'superseded_by') return filter;
  return { ...filter, values: filter.values.map(idIn) };
}

function idIn(value: FilterValue): FilterValue {
  return typeof value === 'string' ? (memoryNameIn(value)?.id ?? value) : value;
}

const NOTHING: Filter = { kind: 'all', filters: [] };

class FilterReading {
  readonly checks = new RequestChecks();
  private nodes = 0;
  private values = 0;

  filter(field: string, { node }: FilterMessage, depth: number): Filter {
    const { depth: depthMax, nodes: nodesMax } = FILTER_LIMITS;
    if (++this.nodes > nodesMax) {
      if (this.nodes === nodesMax + 1)
        this.checks.add(field, `is node ${this.nodes}; a filter has at most ${nodesMax}`);
      return NOTHING;
    }
    if (depth > depthMax) {
      this.checks.add(field, `is level ${depth}; a filter is at most ${depthMax} levels deep`);
      return NOTHING;
    }
    switch (node?.$case) {
      case 'all':
      case 'any':
        return { kind: node.$case, filters: this.list(`${field}.${node.$case}`, node.value.filters, depth + 1) };
      case 'negate':
        return { kind: 'not', filter: this.filter(`${field}.negate`, node.value, depth + 1) };
      case 'comparison':
        return this.comparison(`${field}.comparison`, node.value);
      case 'place':
        return { kind: 'place', area: areaOf(this.checks, `${field}.place`, node.value) };
      default:
        this.checks.add(field, 'must have one of all, any, not, comparison and place');
        return NOTHING;
    }
  }

  private list(field: string, filters: readonly FilterMessage[], depth: number): Filter[] {
    const { listLength } = FILTER_LIMITS;
    if (filters.length < 1 || filters.length > listLength) {
      this.checks.add(`${field}.filters`, `must be 1 to ${listLength}, got ${filters.length}`);
    }
    return filters.slice(0, listLength).map((filter, at) => this.filter(`${field}.filters[${at}]`, filter, depth));
  }

  private comparison(field: string, message: ComparisonMessage): Filter {
    const operator = this.checks.choice(`${field}.op`, message.op, OPERATORS);
    const target = this.target(field, message);
    this.checkCount(`${field}.values`, operator, message.values.length);
    if (message.values.some(({ kind }) => kind?.$case === 'dayValue')) {
      return this.comparisonWithDays(field, target, operator, message.values);
    }
    const values = message.values
      .slice(0, FILTER_LIMITS.values)
      .map((value, at) => this.compared(`${field}.values[${at}]`, target, operator, value));
    const [only] = values;
    const isNull = operator === 'equals' && typeof only === 'object' && isJsonValue(only) && only.json === null;
    if (isNull) return { kind: 'comparison', target, operator: 'is_null', values: [], ignoreCase: false };
    return { kind: 'comparison', target, operator, values, ignoreCase: message.ignoreCase };
  }

  /** Times that are not instants alone. Values of other types equal none. */
  private comparisonWithDays(
    field: string,
    target: Comparison['target'],
    operator: Operator,
    messages: readonly ValueMessage[],
  ): Filter {
    const time = target.kind === 'field' ? TIME_FIELDS.find((name) => name === target.field) : undefined;
    const times = messages.slice(0, FILTER_LIMITS.values).flatMap((message, at): readonly ComparedTime[] => {
      const place = `${field}.values[${at}]`;
      if (message.kind?.$case === 'dayValue')
        return this.day(`${place}.day_value`, message.kind.value, time !== undefined);
      const value = this.value(place, message);
      return typeof value === 'object' && 'timeUs' in value ? [value] : [];
    });
    return time ? comparedWithTimes(time, operator, times) : NOTHING;
  }

  private day(field: string, { date, timeZone }: DayMessage, isOfTime: boolean): readonly ComparedTime[] {
    if (!isOfTime) this.checks.add(field, 'must be absent for what is not a time field');
    else if (dayInZone(date, 'UTC') === undefined) {
      this.checks.add(`${field}.date`, `must be a day such as 2026-06-10, got ${JSON.stringify(date)}`);
    } else if (timeZone !== '' && !isTimeZone(timeZone)) {
      this.checks.add(
        `${field}.time_zone`,
        `must be an IANA name such as Europe/Berlin, got ${JSON.stringify(timeZone)}`,
      );
    }
    const day = dayInZone(date, timeZone || 'UTC');
    return day ? [day] : [];
  }

  /** A value, and whether the operand can be compared with it by this operator. */
  private compared(
    field: string,
    target: Comparison['target'],
    operator: Operator,
    message: ValueMessage,
  ): FilterValue {
    const value = this.value(field, message);
    const isText = typeof value === 'string';
    if (typeof value === 'object' && isJsonValue(value)) this.checkJson(field, target, operator);
    else if ((operator === 'starts_with' || operator === 'matches') && !isText) {
      this.checks.add(field, `must be a text for ${operator}`);
    } else if (operator === 'contains' && !isText && (target.kind === 'field' || typeof value === 'object')) {
      this.checks.add(field, `must be a text for ${operator} of a field`);
    }
    if (operator === 'matches') this.checkPattern(`${field}.string_value`, value);
    if (target.kind !== 'field') return value;
    if (target.field === 'tier') this.checkTier(field, operator, value);
    return target.field === 'superseded_by' ? idIn(value) : value;
  }

  private checkJson(field: string, target: Comparison['target'], operator: Operator): void {
    if (operator !== 'equals' && operator !== 'in' && operator !== 'contains') {
      this.checks.add(
        `${field}.json_value`,
        `must be absent for ${operator}: an array, an object or null has no order`,
      );
    } else if (target.kind === 'field' && target.field !== 'tag') {
      this.checks.add(`${field}.json_value`, 'must be absent for a field other than MEMORY_FIELD_TAG');
    }
  }

  /** A misspelt tier would silently admit no memory, or all. */
  private checkTier(field: string, operator: Operator, value: FilterValue): void {
    if (operator !== 'equals' && operator !== 'in') return;
    if (typeof value === 'string' && Object.hasOwn(TIER_NUMBERS, value.toLowerCase())) return;
    this.checks.add(field, `must be one of ${Object.keys(TIER_NUMBERS).join(', ')}`);
  }

  private checkPattern(field: string, pattern: FilterValue): void {
    if (typeof pattern !== 'string') return;
    try {
      patternOf(pattern, false);
    } catch (error) {
      if (!(error instanceof PatternError)) throw error;
      this.checks.add(field, error.message);
    }
  }

  private target(field: string, { target }: ComparisonMessage): Comparison['target'] {
    if (target?.$case === 'path') return { kind: 'path', path: pathOf(this.checks, `${field}.path`, target.value) };
    if (target?.$case !== 'field') this.checks.add(field, 'must have one of field and path');
    else return { kind: 'field', field: this.checks.choice(`${field}.field`, target.value, FIELDS) };
    return { kind: 'path', path: [] };
  }

  /** An unknown operator, already reported, implies no number of values. */
  private checkCount(field: string, operator: Operator | undefined, count: number): void {
    if (operator === undefined) return;
    const [min, max] = COUNTS[operator] ?? [1, 1];
    const wanted = min === max ? `${min}` : `${min} to ${max}`;
    if (count < min || count > max) this.checks.add(field, `must be ${wanted} for ${operator}, got ${count}`);
    else if (this.values <= FILTER_LIMITS.values && this.values + count > FILTER_LIMITS.values) {
      this.checks.add(field, `make more than the ${FILTER_LIMITS.values} values that a filter has in all`);
    }
    this.values += count;
  }

  private value(field: string, { kind }: ValueMessage): FilterValue {
    switch (kind?.$case) {
      case 'stringValue':
        if (Buffer.byteLength(kind.value) > FILTER_LIMITS.valueBytes) {
          this.checks.add(`${field}.string_value`, `must be at most ${FILTER_LIMITS.valueBytes} bytes`);
        }
        return kind.value;
      case 'numberValue':
        return exactDouble(this.checks.finite(`${field}.number_value`, kind.value));
      case 'boolValue':
        return kind.value;
      case 'timeValue':
        return { timeUs: instantOf(this.checks, `${field}.time_value`, kind.value) };
      case 'jsonValue':
        return this.json(`${field}.json_value`, kind.value);
      case 'numberText':
        return this.numberText(`${field}.number_text`, kind.value);
      default:
        this.checks.add(
          field,
          'must have one of string_value, number_value, bool_value, time_value, json_value, number_text and day_value',
        );
        return false;
    }
  }

  private numberText(field: string, text: string): FilterValue {
    const { valueBytes } = FILTER_LIMITS;
    try {
      if (text.length <= valueBytes && JSON_NUMBER.test(text)) return exactNumber(text);
      this.checks.add(field, `must be a number in JSON notation of at most ${valueBytes} bytes`);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      this.checks.add(field, error.message);
    }
    return 0;
  }

  private json(field: string, text: string): FilterValue {
    const { valueBytes, jsonLeaves, jsonDepth } = FILTER_LIMITS;
    if (Buffer.byteLength(text) > valueBytes) {
      this.checks.add(field, `must be at most ${valueBytes} bytes`);
      return false;
    }
    const json = this.parsed(field, text);
    if (typeof json !== 'object') return json;
    if (leafCount(json) > jsonLeaves) this.checks.add(field, `must have at most ${jsonLeaves} values`);
    if (jsonDepthOf(json) > jsonDepth) this.checks.add(field, `must be at most ${jsonDepth} levels deep`);
    return { json };
  }

  private parsed(field: string, text: string): Json {
    try {
      return parseNewJson(text) as Json;
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      this.checks.add(field, `must be JSON: ${error.message}`);
      return false;
    }
  }
}

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Minimum and maximum number of values; default: one. */
const COUNTS: Readonly<Partial<Record<Operator, readonly [number, number]>>> = {
  in: [1, FILTER_LIMITS.values],
  exists: [0, 0],
  is_null: [0, 0],
};

/** Keys of a path into JSON content. */
export function pathOf(checks: RequestChecks, field: string, path: string): string[] {
  const { pathBytes, pathParts } = FILTER_LIMITS;
  checks.text(field, path, pathBytes);
  if (path === '') checks.add(field, 'must not be empty');
  if (!/^(?:[^\\]|\\[.\\])*$/s.test(path)) checks.add(field, 'must have a dot or a backslash after a backslash');
  const parts = partsOf(path);
  if (parts.length > pathParts) checks.add(field, `must have at most ${pathParts} parts, got ${parts.length}`);
  return parts;
}

/** Keys of a path: split at dots that are not escaped by a backslash. */
function partsOf(path: string): string[] {
  const parts = [''];
  for (const [sign] of path.matchAll(/\\.|[^.\\]+|./gs)) {
    if (sign === '.') parts.push('');
    else parts[parts.length - 1] += sign.startsWith('\\') ? sign.slice(1) : sign;
  }
  return parts;
}

/** Values of the enum's numbers; the unspecified one is omitted, so that it is refused. */
const OPERATORS: Readonly<Record<number, Operator>> = {
  [OperatorNumber.OPERATOR_EQUALS]: 'equals',
  [OperatorNumber.OPERATOR_IN]: 'in',
  [OperatorNumber.OPERATOR_LESS]: 'less',
  [OperatorNumber.OPERATOR_LESS_OR_EQUAL]: 'less_or_equal',
  [OperatorNumber.OPERATOR_GREATER]: 'greater',
  [OperatorNumber.OPERATOR_GREATER_OR_EQUAL]: 'greater_or_equal',
  [OperatorNumber.OPERATOR_CONTAINS]: 'contains',
  [OperatorNumber.OPERATOR_STARTS_WITH]: 'starts_with',
  [OperatorNumber.OPERATOR_EXISTS]: 'exists',
  [OperatorNumber.OPERATOR_IS_NULL]: 'is_null',
  [OperatorNumber.OPERATOR_MATCHES]: 'matches',
};

const PREFIX = 'MEMORY_FIELD_';

/** The domain's name of a field is the enum's in lower case. */
const FIELDS: Readonly<Record<number, MemoryField>> = Object.fromEntries(
  Object.entries(FieldNumber)
    .filter(([name, number]) => name.startsWith(PREFIX) && number > 0)
    .map(([name, number]) => [number, name.slice(PREFIX.length).toLowerCase() as MemoryField]),
);
