import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { firstCharacters } from '../../memory/compare-text.ts';
import { passesComparison } from '../../memory/evaluate-filter.ts';
import type { Comparison, Operator, Scalar } from '../../memory/filter.ts';
import { VALUE_LIMITS } from '../../memory/values.ts';
import { compareNumberColumn, compareTextColumn } from './compare-column.ts';
import { ALWAYS, atMost, type Condition, eitherOf, exactly, type Narrowing, NEVER } from './narrowing.ts';
import { storedValue } from './write-values.ts';

const VALUE: RawBuilder<unknown> = sql`memory_value.value`;
/** Numbers sort before texts and texts before bytes: '' is the first text, x'' the first bytes. */
const IS_NUMBER: Condition = sql`memory_value.value < ''`;
const IS_TEXT: Condition = sql`memory_value.value >= '' AND memory_value.value < x''`;

/** The comparison as a condition on `memory_value.value`, of which there always is one. */
export function compareValues(comparison: Comparison): Narrowing & { readonly may: Condition } {
  const narrowing = narrowValues(comparison);
  return { may: narrowing.may ?? sql<SqlBool>`1`, must: narrowing.must };
}

function narrowValues(comparison: Comparison): Narrowing {
  const { operator, values } = comparison;
  if (operator === 'exists') return ALWAYS;
  if (operator === 'is_null') return exactly(sql`${VALUE} = ${storedValue(null)}`);
  return eitherOf(values.map((value) => compareValue(comparison, value)));
}

function compareValue(comparison: Comparison, value: Scalar): Narrowing {
  switch (typeof value) {
    case 'string':
      return comparison.ignoreCase ? atMost(sql`(${IS_TEXT})`) : compareText(comparison.operator, value);
    case 'number':
      return exactly(sql`(${compareNumberColumn(VALUE, comparison.operator, value)} AND ${IS_NUMBER})`);
    case 'boolean':
      return compareTruth({ ...comparison, values: [value] });
    default:
      return NEVER;
  }
}

function compareTruth(comparison: Comparison): Narrowing {
  const passing = [false, true].filter((truth) => passesComparison(truth, comparison));
  return passing.length === 0 ? NEVER : exactly(sql`${VALUE} IN (${sql.join(passing.map(storedValue))})`);
}

/** Texts are kept cut, so those as long as the cut can only be told apart up to there. */
function compareText(operator: Operator, text: string): Narrowing {
  const cut = firstCharacters(text, VALUE_LIMITS.textCharacters - 1);
  if (cut.length === text.length) {
    const condition = compareTextColumn(VALUE, operator, text);
    return condition ? exactly(sql`(${condition} AND ${IS_TEXT})`) : atMost(sql`(${IS_TEXT})`);
  }
  const kept = firstCharacters(text, VALUE_LIMITS.textCharacters);
  const condition = compareTextColumn(VALUE, AS_FAR_AS_CUT[operator] ?? operator, kept);
  return atMost(sql`(${condition ?? sql`1`} AND ${IS_TEXT})`);
}

const AS_FAR_AS_CUT: { readonly [O in Operator]?: Operator } = {
  less: 'less_or_equal',
  greater: 'greater_or_equal',
};
