import type { Memory } from '../../memory/memory.ts';
import { type Pattern, patternOf } from '../../memory/pattern.ts';
import { type EntryPlace, placesOf, valuesAt } from './entry-place.ts';
import {
  type AttributeCondition,
  type AttributeScoring,
  type ImportanceScoring,
  instantOfValue,
  type Scorer,
  type Scoring,
  type ScoringMethod,
  type StepScoring,
  type TemporalScoring,
  type WindowScoring,
} from './scoring.ts';

export function scorerOf(scoring: Scoring): Scorer {
  switch (scoring.kind) {
    case 'newest':
      return ({ eventAtUs }) => ({ score: eventAtUs / 1e6 });
    case 'oldest':
      return ({ eventAtUs }) => ({ score: -eventAtUs / 1e6 });
    case 'step_asc':
      return ({ step, eventAtUs }) => (step === undefined ? undefined : { score: -step, next: -eventAtUs });
    case 'step_desc':
      return ({ step }) => (step === undefined ? undefined : { score: step });
    case 'importance':
      return importanceScorer(scoring);
    case 'step':
      return stepScorer(scoring);
    case 'temporal':
      return temporalScorer(scoring);
    case 'window':
      return windowScorer(scoring);
    case 'attribute':
      return attributeScorer(scoring);
  }
}

const SCORE_WITHOUT_REFERENCE = 0.5;

/** 1 at the reference, and half of it, bent by the weight, at the edge of the range. */
function stepScorer({ reference, range, weight }: StepScoring): Scorer {
  return ({ step }) => {
    if (step === undefined) return undefined;
    if (reference === undefined) return { score: SCORE_WITHOUT_REFERENCE, next: -step };
    const distance = Math.abs(step - reference);
    const share = distance === 0 ? 0 : Math.min(distance / (2 * range), 1);
    return { score: (1 - share) ** (1 / weight), next: -step };
  };
}

function windowScorer({ path, fromUs, isFromExcluded, toUs, oldestFirst }: WindowScoring): Scorer {
  const places = placesOf(path);
  return (memory, json) => {
    for (const value of valuesAt(places, memory, json)) {
      const atUs = instantOfValue(value);
      if (atUs === undefined || atUs > toUs || atUs < fromUs || (isFromExcluded && atUs === fromUs)) continue;
      return { score: (oldestFirst ? -atUs : atUs) / 1e6 };
    }
    return undefined;
  };
}

function importanceScorer({ min, max, sortBy, ascending }: ImportanceScoring): Scorer {
  const sign = ascending ? -1 : 1;
  return (memory) => {
    const importance = rounded(memory.importance);
    if (min !== undefined && importance < rounded(min)) return undefined;
    if (max !== undefined && importance > rounded(max)) return undefined;
    const values = { importance, recency: (memory.lastAccessedAtUs ?? memory.createdAtUs) / 1e6 };
    const [first = 'importance', second] = sortBy;
    const score = sign * values[first];
    return second === undefined ? { score } : { score, next: sign * values[second] };
  };
}

/** Rounds to 2 decimals by the number's exact value, halves to even: 0.995, which is stored as less, becomes 0.99. */
function rounded(importance: number): number {
  const isHalf = Number.isInteger(importance * 8) && !Number.isInteger(importance * 4);
  if (!isHalf) return Number(importance.toFixed(2));
  return (2 * Math.round(importance * 50)) / 100;
}

const BASE = 0.5;
const YEAR_US = 365 * 86_400_000_000;
const STEPS = 1000;
/** Factor for short-term memories. */
const FRESHNESS = 1.2;

function temporalScorer({ atUs, step, recencyWeight, stepWeight }: TemporalScoring): Scorer {
  return (memory) => {
    const byTime =
      atUs === undefined ? undefined : recencyWeight * (1 - Math.min(Math.abs(memory.eventAtUs - atUs) / YEAR_US, 1));
    const byStep =
      step === undefined || memory.step === undefined
        ? undefined
        : 1 - Math.min(Math.abs(memory.step - step) / STEPS, 1);
    const near = nearness(byTime, byStep, stepWeight);
    const fresh = memory.tier === 'short_term' ? near * FRESHNESS : near;
    // The cap would tie the nearest memories: the uncapped value still decides the order.
    return { score: Math.min(1, fresh), next: fresh };
  };
}

function nearness(byTime: number | undefined, byStep: number | undefined, stepWeight: number): number {
  if (byStep === undefined) return byTime ?? BASE;
  if (byTime === undefined || stepWeight >= 1) return byStep;
  return (byTime + byStep) / 2;
}

/** Score of a matching pattern: how much of a text it covers is irrelevant. */
const REGEX_SCORE = 0.8;

interface Prepared extends AttributeCondition {
  readonly places: readonly EntryPlace[];
  readonly wanted: string;
  readonly pattern?: Pattern;
}

/**
 * Average of the conditions' scores; where all are required, multiplied by the share of conditions that measure how
 * much of a memory they cover.
 */
function attributeScorer(scoring: AttributeScoring): Scorer {
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

/** The best score of a value of the field; `undefined` when none matches. */
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
  // A label assigns a memory to a kind, without a degree.
  return match === 'array_contains' ? 0 : matchScore(method, wanted, text);
}

function folded(text: string, caseSensitive: boolean): string {
  return caseSensitive ? text : text.toLowerCase();
}

const K1 = 1.2;
const B = 0.75;
const MEAN_WORDS = 100;
const BM25_SCALE = 10;

/** How much of a text a part that it contains makes up, 0 to 1. */
function matchScore(method: ScoringMethod, part: string, text: string): number {
  switch (method) {
    case 'binary':
      return 1;
    case 'length_ratio':
      return Math.min(1, part.length / Math.max(1, text.length));
    case 'term_frequency':
      return Math.min(1, countOf(part, text) / Math.max(1, wordCount(text)));
    case 'bm25': {
      const frequency = countOf(part, text);
      const length = 1 - B + (B * wordCount(text)) / MEAN_WORDS;
      return Math.min(1, (frequency * (K1 + 1)) / (frequency + K1 * length) / BM25_SCALE);
    }
  }
}

function countOf(part: string, text: string): number {
  return part === '' ? 0 : text.split(part).length - 1;
}

function wordCount(text: string): number {
  return text.split(/\s+/).filter((word) => word !== '').length;
}
