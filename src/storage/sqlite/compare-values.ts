import { passesComparison } from '../../memory/evaluate-filter.ts';
import type { Comparison, Operator, Scalar } from '../../memory/filter.ts';
import { firstCharacters, VALUE_LIMITS } from '../../memory/values.ts';
import {
  ANY_TEXT,
  ANY_VALUE,
  greaterValues,
  lesserValues,
  oneValue,
  type TermRange,
  textsFrom,
} from './value-terms.ts';

/** Where in the terms of a path the values are that satisfy a comparison. */
export interface ValueRanges {
  readonly ranges: readonly TermRange[];
  /** True when all values there satisfy it. */
  readonly isExact: boolean;
}

/** `values`: those of the comparison that are no arrays or objects. */
export function compareValues(comparison: Comparison, values: readonly Scalar[]): ValueRanges {
  const { operator } = comparison;
  if (operator === 'exists') return exactly(ANY_VALUE);
  if (operator === 'is_null') return exactly(oneValue(null));
  const compared = values.map((value) => compareValue(comparison, value));
  return { ranges: compared.flatMap(({ ranges }) => ranges), isExact: compared.every(({ isExact }) => isExact) };
}

function compareValue(comparison: Comparison, value: Scalar): ValueRanges {
  switch (typeof value) {
    case 'string':
      return comparison.ignoreCase ? atMost(ANY_TEXT) : compareText(comparison.operator, value);
    case 'number':
      if (comparison.operator === 'contains') return { ranges: [oneValue(value)], isExact: false };
      return ordered(comparison.operator, value) ?? NEVER;
    case 'boolean':
      if (comparison.operator === 'contains') return { ranges: [oneValue(value)], isExact: false };
      return exactly(
        ...[false, true].filter((truth) => passesComparison(truth, { ...comparison, values: [value] })).map(oneValue),
      );
    default:
      return NEVER;
  }
}

/** Texts are kept cut, so those as long as the cut can only be told apart up to there. */
function compareText(operator: Operator, text: string): ValueRanges {
  const cut = firstCharacters(text, VALUE_LIMITS.textCharacters - 1);
  const isWhole = cut.length === text.length;
  const kept = isWhole ? text : firstCharacters(text, VALUE_LIMITS.textCharacters);
  const asKept = (isWhole ? undefined : AS_FAR_AS_CUT[operator]) ?? operator;
  const compared = asKept === 'starts_with' ? exactly(textsFrom(kept)) : ordered(asKept, kept);
  return compared ? { ...compared, isExact: isWhole } : atMost(ANY_TEXT);
}

const AS_FAR_AS_CUT: { readonly [O in Operator]?: Operator } = {
  less: 'less_or_equal',
  greater: 'greater_or_equal',
};

/** `undefined` for operators that the order of values has nothing to say of. */
function ordered(operator: Operator, value: string | number): ValueRanges | undefined {
  switch (operator) {
    case 'equals':
    case 'in':
      return exactly(oneValue(value));
    case 'less':
    case 'less_or_equal':
      return exactly(lesserValues(value, operator === 'less_or_equal'));
    case 'greater':
    case 'greater_or_equal':
      return exactly(greaterValues(value, operator === 'greater_or_equal'));
    default:
      return undefined;
  }
}

function exactly(...ranges: readonly TermRange[]): ValueRanges {
  return { ranges, isExact: true };
}

function atMost(range: TermRange): ValueRanges {
  return { ranges: [range], isExact: false };
}

const NEVER = exactly();
