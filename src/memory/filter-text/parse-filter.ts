import { type Area, type Comparison, FILTER_LIMITS, type Filter } from '../filter.ts';
import type { GeoPoint, Point } from '../memory.ts';
import { nearestOf } from '../nearest-name.ts';
import { FIELD_NAMES, fieldNamed, type Operand } from './fields.ts';
import { Scanner } from './scanner.ts';
import { Values } from './values.ts';

const COMPARABLE_EXAMPLES = '`type = "state"` or `content.room = "hall"`';

const TEXT_FUNCTIONS = { starts_with: 'starts_with', matches: 'matches', contains: 'contains' } as const;
const AREA_FUNCTIONS = ['within_radius', 'within_box', 'within_geo_radius', 'within_geo_box'] as const;
type AreaFunction = (typeof AREA_FUNCTIONS)[number];
const FUNCTIONS: readonly string[] = [...Object.keys(TEXT_FUNCTIONS), ...AREA_FUNCTIONS];

/** Whether the function is a complete condition. */
function isFunction(name: string): boolean {
  return FUNCTIONS.includes(name);
}

/** Reads the operands of comparisons, and conditions written as functions. */
class Operands {
  private readonly scanner: Scanner;
  private readonly values: Values;

  constructor(scanner: Scanner, values: Values) {
    this.scanner = scanner;
    this.values = values;
  }

  /** A field, a path into the content, or `lower(…)` of one, of which the first name has been read. */
  operand(first: string, start: number): Operand {
    const { scanner } = this;
    if (first === 'lower' && scanner.peek() === '(') return this.lowered();
    if (first === 'content') return this.content(start);
    const names = [first];
    while (scanner.text[scanner.at] === '.') {
      scanner.at++;
      const name = scanner.name();
      if (name === undefined) throw scanner.expected(`a name after ${names.join('.')}.`);
      names.push(name);
    }
    const name = names.join('.');
    const named = fieldNamed(name);
    if (!named) throw scanner.error(unknownName(name), start);
    return { name, target: { kind: 'field', field: named.field }, kind: named.kind, ignoreCase: false };
  }

  /** A condition such as `starts_with(text, "Ada")`, of which the name has been read. */
  condition(name: string, start: number): Filter {
    const isArea = AREA_FUNCTIONS.some((area) => area === name);
    this.open(name);
    const filter: Filter = isArea
      ? { kind: 'place', area: this.area(name as AreaFunction, start) }
      : this.comparison(TEXT_FUNCTIONS[name as keyof typeof TEXT_FUNCTIONS]);
    if (!this.scanner.skip(')')) throw this.scanner.expected(`) after the values of ${name}`);
    return filter;
  }

  private open(name: string): void {
    if (!this.scanner.skip('(')) throw this.scanner.expected(`( after ${name}`);
  }

  private lowered(): Operand {
    this.open('lower');
    const operand = this.nextOperand();
    if (operand.kind === 'number' || operand.kind === 'time') {
      throw this.scanner.error(`lower is of texts; ${operand.name} is a ${operand.kind}`);
    }
    if (!this.scanner.skip(')')) throw this.scanner.expected(`) after ${operand.name}`);
    return { ...operand, name: `lower(${operand.name})`, ignoreCase: true };
  }

  private nextOperand(): Operand {
    this.scanner.skipSpace();
    const start = this.scanner.at;
    const name = this.scanner.name();
    if (name === undefined) throw this.scanner.expected('the name of a field or content.…');
    return this.operand(name, start);
  }

  private content(start: number): Operand {
    const { scanner } = this;
    const path: string[] = [];
    while (scanner.text[scanner.at] === '.') {
      scanner.at++;
      const key = scanner.quoted() ?? scanner.name();
      if (key === undefined) throw scanner.expected('a key after the dot');
      path.push(key);
    }
    const { pathParts, pathBytes } = FILTER_LIMITS;
    if (path.length > pathParts) throw scanner.error(`a path has at most ${pathParts} keys`, start);
    if (Buffer.byteLength(path.join('.')) > pathBytes)
      throw scanner.error(`a path is at most ${pathBytes} bytes`, start);
    const name = scanner.text.slice(start, scanner.at);
    return { name, target: { kind: 'path', path }, kind: 'json', ignoreCase: false };
  }

  private comparison(operator: 'starts_with' | 'matches' | 'contains'): Comparison {
    const operand = this.nextOperand();
    if (operand.kind === 'number' || operand.kind === 'time') {
      throw this.scanner.error(`${operator} is of texts; ${operand.name} is a ${operand.kind}`);
    }
    this.comma(operand.name);
    return this.values.ofFunction(operand, operator);
  }

  private comma(before: string): void {
    if (!this.scanner.skip(',')) throw this.scanner.expected(`, after ${before}`);
  }

  private area(name: AreaFunction, start: number): Area {
    switch (name) {
      case 'within_radius': {
        const center = this.point();
        this.comma('the point');
        return { kind: 'point_radius', center, radius: this.values.radius('the radius') };
      }
      case 'within_box': {
        const low = this.point();
        this.comma('the lowest corner');
        const high = this.point();
        const isInOrder = low.x <= high.x && low.y <= high.y && (low.z ?? -Infinity) <= (high.z ?? Infinity);
        if (!isInOrder) throw this.scanner.error('the lowest corner comes first', start);
        return { kind: 'point_box', low, high };
      }
      case 'within_geo_radius': {
        const center = this.geoPoint();
        this.comma('the point');
        return { kind: 'geo_radius', center, radiusM: this.values.radius('the radius in metres') };
      }
      case 'within_geo_box': {
        const southWest = this.geoPoint();
        this.comma('the south-west corner');
        const northEast = this.geoPoint();
        if (southWest.latitudeDeg > northEast.latitudeDeg) {
          throw this.scanner.error('the south-west corner comes first', start);
        }
        return { kind: 'geo_box', southWest, northEast };
      }
    }
  }

  private point(): Point {
    const [x = 0, y = 0, z] = this.values.numbers('a point [x, y] or [x, y, z]', 2, 3);
    return { x, y, ...(z === undefined ? {} : { z }) };
  }

  private geoPoint(): GeoPoint {
    const expected = 'a point on Earth [latitude, longitude] in degrees';
    const at = this.scanner.at;
    const [latitudeDeg = 0, longitudeDeg = 0] = this.values.numbers(expected, 2, 2);
    if (Math.abs(latitudeDeg) > 90 || Math.abs(longitudeDeg) > 180) {
      throw this.scanner.error('a latitude is from -90 to 90 and a longitude from -180 to 180', at);
    }
    return { latitudeDeg, longitudeDeg };
  }
}

/** Fields by the names that other programs have for them. */
const MEANT: { readonly [name: string]: string } = {
  created_at: 'create_time',
  createtime: 'create_time',
  updated_at: 'update_time',
  timestamp: 'event_time',
  date: 'event_time',
  eventtime: 'event_time',
  expires_at: 'expire_time',
  session_id: 'session',
  thread_id: 'session',
  run_id: 'session',
  agent_id: 'agent',
  role: 'speaker',
  category: 'type',
  categories: 'tags',
  memory: 'text',
};

function unknownName(name: string): string {
  const shown = name.length > 64 ? `${name.slice(0, 64)}…` : name;
  const meant = MEANT[name.toLowerCase()] ?? name.toLowerCase();
  const near = nearestOf(meant, [...FIELD_NAMES, ...FUNCTIONS], (nearest) => `; did you mean ${nearest}?`);
  return `there is no field ${shown}${near || `; a value of the content is content.${shown}`}`;
}

/** Parentheses in one another. */
const PARENTHESES_MAX = 64;
const SIGNS_OF_PROGRAMS: { readonly [sign: string]: string } = { '==': '=', '<>': '!=' };
const TERM = `a condition such as ${COMPARABLE_EXAMPLES}, or (`;

/**
 * Parses a filter in the grammar of AIP-160 (docs/filters.md): `type = "state" AND step >= 10`. AND and OR are mixed in
 * parentheses only: AIP-160 and SQL disagree on which of them binds closer. Signs and words of SQL and of programs are
 * understood: `==`, `<>`, `&&`, `||`, `!`, `NOT IN`, `IS NULL`, `CONTAINS`. Throws a `FilterTextError` that names the
 * column and what was expected there.
 */
export function parseFilter(text: string): Filter {
  return new FilterParser(text).filter();
}

class FilterParser {
  private readonly scanner: Scanner;
  private readonly operands: Operands;
  private readonly values: Values;
  private parentheses = 0;
  private nodes = 0;

  constructor(text: string) {
    this.scanner = new Scanner(text);
    this.values = new Values(this.scanner);
    this.operands = new Operands(this.scanner, this.values);
    const bytes = Buffer.byteLength(text);
    if (bytes > FILTER_LIMITS.textBytes) {
      throw this.scanner.error(`a filter is at most ${FILTER_LIMITS.textBytes} bytes long, got ${bytes}`);
    }
  }

  filter(): Filter {
    if (this.scanner.peek() === undefined) throw this.scanner.expected(TERM);
    const filter = this.expression();
    if (this.scanner.peek() !== undefined) throw this.scanner.expected('AND, OR or the end');
    return filter;
  }

  private expression(): Filter {
    const start = this.scanner.at;
    const first = this.term();
    const filters = [first];
    const word = this.joint();
    for (let next = word; next !== undefined; next = this.nextJoint(word)) filters.push(this.term());
    if (word === undefined) return first;
    if (filters.length > FILTER_LIMITS.listLength) {
      throw this.scanner.error(`at most ${FILTER_LIMITS.listLength} conditions are joined by ${word}`, start);
    }
    return this.counted({ kind: word === 'AND' ? 'all' : 'any', filters }, start);
  }

  /** The word that joins the next condition, if there is one. */
  private joint(): 'AND' | 'OR' | undefined {
    const { scanner } = this;
    if (scanner.keyword('AND') || scanner.skipText('&&')) return 'AND';
    return scanner.keyword('OR') || scanner.skipText('||') ? 'OR' : undefined;
  }

  private nextJoint(word: 'AND' | 'OR' | undefined): 'AND' | 'OR' | undefined {
    this.scanner.skipSpace();
    const start = this.scanner.at;
    const next = this.joint();
    if (next === undefined || next === word) return next;
    const example = 'a = 1 AND (b = 2 OR c = 3)';
    throw this.scanner.error(
      `AND and OR are next to each other: put one of them into parentheses, as in ${example}`,
      start,
    );
  }

  private term(): Filter {
    this.scanner.skipSpace();
    const start = this.scanner.at;
    if (this.scanner.keyword('NOT') || this.skipMinus() || this.scanner.skipText('!')) {
      return this.counted({ kind: 'not', filter: this.simple() }, start);
    }
    return this.simple();
  }

  /** A minus in front of a condition means NOT. */
  private skipMinus(): boolean {
    if (this.scanner.peek() !== '-') return false;
    this.scanner.at++;
    return true;
  }

  private simple(): Filter {
    const start = this.scanner.at;
    if (!this.scanner.skip('(')) return this.condition();
    if (++this.parentheses > PARENTHESES_MAX) {
      throw this.scanner.error(`at most ${PARENTHESES_MAX} parentheses are open at a time`, start);
    }
    const filter = this.expression();
    if (!this.scanner.skip(')')) throw this.scanner.expected('AND, OR or )');
    this.parentheses--;
    return filter;
  }

  private condition(): Filter {
    const { scanner } = this;
    scanner.skipSpace();
    const start = scanner.at;
    const name = scanner.name();
    if (name === undefined) throw scanner.expected(TERM);
    if (isFunction(name) && scanner.peek() === '(') return this.counted(this.operands.condition(name, start), start);
    const operand = this.operands.operand(name, start);
    if (scanner.keyword('IN')) return this.counted(this.values.among(operand), start);
    if (scanner.keyword('IS')) return this.nullness(operand, start);
    const isNegated = scanner.keyword('NOT');
    if (isNegated && scanner.keyword('IN')) return this.negated(this.values.among(operand), start);
    const signAt = scanner.at;
    const sign = scanner.keyword('CONTAINS') ? ':' : isNegated ? undefined : scanner.sign();
    if (sign === undefined) throw this.noSign(operand);
    const meant = SIGNS_OF_PROGRAMS[sign] ?? sign;
    const comparison = this.values.comparison(operand, meant === '!=' ? '=' : meant, signAt);
    return meant === '!=' || isNegated ? this.negated(comparison, start) : this.counted(comparison, start);
  }

  private negated(filter: Filter, start: number): Filter {
    return this.counted({ kind: 'not', filter: this.counted(filter, start) }, start);
  }

  /** `IS NULL` as SQL has it: no value, or null. */
  private nullness(operand: Operand, start: number): Filter {
    const isNot = this.scanner.keyword('NOT');
    if (!this.scanner.keyword('NULL')) throw this.scanner.expected('NULL or NOT NULL after IS');
    const { target } = operand;
    const compared = (operator: 'exists' | 'is_null'): Comparison => ({
      kind: 'comparison',
      target,
      operator,
      values: [],
      ignoreCase: false,
    });
    const missing = this.negated(compared('exists'), start);
    const isNull = this.counted({ kind: 'any', filters: [missing, this.counted(compared('is_null'), start)] }, start);
    return isNot ? this.negated(isNull, start) : isNull;
  }

  private noSign({ name }: Operand): Error {
    const { scanner } = this;
    const signs = `=, !=, <, <=, >, >=, : or IN after ${name}`;
    if (scanner.keyword('LIKE') || scanner.keyword('ILIKE')) {
      return scanner.error(
        `there is no LIKE: write contains(${name}, "…"), starts_with(${name}, "…") or matches(${name}, "…")`,
      );
    }
    if (scanner.keyword('BETWEEN')) return scanner.error(`there is no BETWEEN: write ${name} >= 1 AND ${name} <= 9`);
    if (scanner.keyword('EXISTS')) return scanner.error(`write ${name}:* for a value that exists`);
    return scanner.expected(signs);
  }

  /** Counts the conditions and fails when the filter becomes too large. */
  private counted<F extends Filter>(filter: F, start: number): F {
    if (++this.nodes > FILTER_LIMITS.nodes) {
      throw this.scanner.error(`a filter has at most ${FILTER_LIMITS.nodes} conditions, ANDs, ORs and NOTs`, start);
    }
    const depth = depthOf(filter);
    if (depth > FILTER_LIMITS.depth) {
      throw this.scanner.error(`a filter is at most ${FILTER_LIMITS.depth} levels deep`, start);
    }
    return filter;
  }
}

function depthOf(filter: Filter): number {
  if (filter.kind === 'not') return 1 + depthOf(filter.filter);
  return filter.kind === 'all' || filter.kind === 'any' ? 1 + Math.max(...filter.filters.map(depthOf)) : 1;
}
