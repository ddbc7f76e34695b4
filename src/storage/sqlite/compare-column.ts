import { type RawBuilder, type SqlBool, sql } from '#kysely';
import type { Operator } from '../../memory/filter.ts';
import { afterPrefix } from '../../memory/values.ts';

type Column = RawBuilder<unknown>;

/**
 * The comparison of a text column, which must not be NULL, with a text. SQLite compares the bytes of UTF-8, which gives
 * the order of code points. `undefined` for operators that an index has no use for.
 */
export function compareTextColumn(column: Column, operator: Operator, text: string): RawBuilder<SqlBool> | undefined {
  switch (operator) {
    case 'equals':
    case 'in':
      return sql`${column} = ${text}`;
    case 'less':
      return sql`${column} < ${text}`;
    case 'less_or_equal':
      return sql`${column} <= ${text}`;
    case 'greater':
      return sql`${column} > ${text}`;
    case 'greater_or_equal':
      return sql`${column} >= ${text}`;
    case 'starts_with': {
      const end = afterPrefix(text);
      return end === undefined ? sql`${column} >= ${text}` : sql`(${column} >= ${text} AND ${column} < ${end})`;
    }
    default:
      return undefined;
  }
}

/** The same of a number column and a number; no number fulfils the operators of texts. */
export function compareNumberColumn(column: Column, operator: Operator, number: number): RawBuilder<SqlBool> {
  switch (operator) {
    case 'equals':
    case 'in':
      return sql`${column} = ${number}`;
    case 'less':
      return sql`${column} < ${number}`;
    case 'less_or_equal':
      return sql`${column} <= ${number}`;
    case 'greater':
      return sql`${column} > ${number}`;
    case 'greater_or_equal':
      return sql`${column} >= ${number}`;
    default:
      return sql`0`;
  }
}
