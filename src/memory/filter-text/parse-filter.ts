import { FILTER_LIMITS, type Filter } from '../filter.ts';
import type { Operand } from './operand.ts';
import { COMPARABLE_EXAMPLES, isFunction, Operands } from './operands.ts';
import { Scanner } from './scanner.ts';
import { Values } from './values.ts';

/** Parentheses in one another. */
const PARENTHESES_MAX = 64;
const TERM = `a condition such as ${COMPARABLE_EXAMPLES}, or (`;

/**
 * The filter that a text says, in the grammar of AIP-160 (docs/filters.md): `type = "state" AND step >= 10`. OR binds
 * closer than AND. Throws a `FilterTextError` that names the column and what was expected there.
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
    return this.joined('AND', 'all', () => this.joined('OR', 'any', () => this.term()));
  }

  private joined(word: string, kind: 'all' | 'any', part: () => Filter): Filter {
    const start = this.scanner.at;
    const first = part();
    const filters = [first];
    while (this.scanner.keyword(word)) filters.push(part());
    if (filters.length === 1) return first;
    if (filters.length > FILTER_LIMITS.listLength) {
      throw this.scanner.error(`at most ${FILTER_LIMITS.listLength} conditions are joined by ${word}`, start);
    }
    return this.counted({ kind, filters }, start);
  }

  private term(): Filter {
    this.scanner.skipSpace();
    const start = this.scanner.at;
    if (this.scanner.keyword('NOT') || this.skipMinus()) {
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
    const signAt = scanner.at;
    const sign = scanner.sign();
    if (sign === undefined) throw scanner.expected(`=, !=, <, <=, >, >=, : or IN after ${operand.name}`);
    return this.compared(operand, sign, start, signAt);
  }

  private compared(operand: Operand, sign: string, start: number, signAt: number): Filter {
    const comparison = this.values.comparison(operand, sign === '!=' ? '=' : sign, signAt);
    const filter = this.counted(comparison, start);
    return sign === '!=' ? this.counted({ kind: 'not', filter }, start) : filter;
  }

  /** Counts what it gives, and sees that the filter does not grow too large. */
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
