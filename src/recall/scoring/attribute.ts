import type { Memory } from '../../memory/memory.ts';
import { type Pattern, patternOf } from '../../memory/pattern.ts';
import { type EntryPlace, placesOf, valuesAt } from './entry-place.ts';
import { matchScore } from './match-score.ts';
import type { AttributeCondition, AttributeScoring, Scorer } from './scoring.ts';

/** What a pattern that matches counts: how much of a text it covers says nothing. */
const REGEX_SCORE = 0.8;

interface Prepared extends AttributeCondition {
  readonly places: readonly EntryPlace[];
  readonly wanted: string;
  readonly pattern?: Pattern;
}

/**
 * Sums what each condition gives and divides by the number of conditions; where all are needed, the sum counts by the
 * share of conditions that say how much of a memory they are about.
 */
export function attributeScorer(scoring: AttributeScoring): Scorer {
  const conditions = scoring.conditions.map((condition) => prepared(condition, scoring));
  const total = conditions.length;
  return (memory, json) => {
    let sum = 0;
    let matched = 0;
    let scored = 0;
    for (const condition of conditions) {
      const score = conditionScore(condition, scoring, memory, json);
      if (score === undefined) continue;
      matched++;
      sum += score;
      if (condition.match !== 'array_contains') scored++;
    }
    if (matched < (scoring.matchAll ? total : 1)) return undefined;
    return { score: scoring.matchAll ? (sum * scored) / total : sum / total };
  };
}

function prepared(condition: AttributeCondition, { caseSensitive }: AttributeScoring): Prepared {
  const places = placesOf(condition.path);
  const wanted = folded(String(condition.value), caseSensitive);
  if (condition.match !== 'regex') return { ...condition, places, wanted };
  return { ...condition, places, wanted, pattern: patternOf(String(condition.value), !caseSensitive) };
}

/** The best that a value of the field gives; `undefined` when none matches. */
function conditionScore(
  condition: Prepared,
  { caseSensitive, method }: AttributeScoring,
  memory: Memory,
  json: () => unknown,
): number | undefined {
  const values = valuesAt(condition.places, memory, json);
  if (Array.isArray(condition.value)) return isSameList(values, condition.value) ? 1 : undefined;
  let best: number | undefined;
  for (const value of values) {
    const text = folded(String(value), caseSensitive);
    if (!matches(condition, text, String(value))) continue;
    const score = scoreOf(condition, text, method);
    if (best === undefined || score > best) best = score;
  }
  return best;
}

function isSameList(values: readonly unknown[], wanted: readonly unknown[]): boolean {
  return values.length === wanted.length && values.every((value, at) => value === wanted[at]);
}

function matches({ match, wanted, value, pattern }: Prepared, text: string, unfolded: string): boolean {
  if (match === 'contains') return text.includes(wanted);
  if (match === 'regex') return pattern?.isIn(unfolded) === true;
  return match === 'equals' ? unfolded === String(value) : text === wanted;
}

function scoreOf({ match, wanted }: Prepared, text: string, method: AttributeScoring['method']): number {
  if (match === 'regex') return REGEX_SCORE;
  if (match === 'equals') return 1;
  // A label says that a memory is of a kind, not how much of it is about that.
  return match === 'array_contains' ? 0 : matchScore(method, wanted, text);
}

function folded(text: string, caseSensitive: boolean): string {
  return caseSensitive ? text : text.toLowerCase();
}
