import type { Memory, Micros } from '../../memory/memory.ts';
import { type ComparedTime, comparedTimeIn } from '../../memory/time/calendar-day.ts';
import { instantIn } from '../../memory/time-window.ts';

/** How to score memories one by one; plain values, so that it can be sent to the thread that does it. */
export type Scoring =
  | OrderScoring
  | ImportanceScoring
  | StepScoring
  | TemporalScoring
  | WindowScoring
  | AttributeScoring;

/**
 * By one value of the record; memories without it are omitted. Times score as seconds; values that sort first are
 * negated.
 */
export interface OrderScoring {
  readonly kind: 'newest' | 'oldest' | 'step_asc' | 'step_desc';
}

export interface ImportanceScoring {
  readonly kind: 'importance';
  /** Bounds, both included, of the importance rounded to 2 decimals. */
  readonly min?: number;
  readonly max?: number;
  readonly sortBy: readonly ('importance' | 'recency')[];
  readonly ascending: boolean;
}

/** Nearness to a step; without a reference every memory with a step scores the same, lower steps first. */
export interface StepScoring {
  readonly kind: 'step';
  readonly reference?: number;
  readonly range: number;
  readonly weight: number;
}

/** Nearness to an instant, a step, or both. */
export interface TemporalScoring {
  readonly kind: 'temporal';
  readonly atUs?: Micros;
  readonly step?: number;
  readonly recencyWeight: number;
  readonly stepWeight: number;
}

/** Memories whose time at a path is in the window, ordered by that time. */
export interface WindowScoring {
  readonly kind: 'window';
  readonly path: string;
  readonly fromUs: Micros;
  /** The window does not include its start. */
  readonly isFromExcluded: boolean;
  readonly toUs: Micros;
  readonly oldestFirst: boolean;
}

export interface AttributeScoring {
  readonly kind: 'attribute';
  readonly conditions: readonly AttributeCondition[];
  /** Every condition must be satisfied, rather than any. */
  readonly matchAll: boolean;
  readonly caseSensitive: boolean;
  readonly method: ScoringMethod;
}

export interface AttributeCondition {
  readonly path: string;
  readonly match: 'contains' | 'equals' | 'array_contains' | 'regex';
  readonly value: AttributeValue;
}

/** An array is compared as a whole, in its order. */
export type AttributeValue = string | number | boolean | readonly (string | number | boolean)[];

export type ScoringMethod = (typeof SCORING_METHODS)[number];

export const SCORING_METHODS = ['length_ratio', 'term_frequency', 'bm25', 'binary'] as const;

/** Higher is better; `next` decides between equal scores. */
export interface Score {
  readonly score: number;
  readonly next?: number;
}

/** Scores one memory; `undefined` omits it. `json` returns the value of its content. */
export type Scorer = (memory: Memory, json: () => unknown) => Score | undefined;

const YEAR_FIRST = /^(\d{4})\/(\d\d)\/(\d\d)$/;
const MONTH_FIRST = /^(\d\d)\/(\d\d)\/(\d{4})$/;
/** Larger numbers are milliseconds: as seconds they would be after the year 5000. */
const SECONDS_MAX = 1e11;

/** As `comparedTimeIn`, and the days `2024/07/17` and `07/17/2024`. */
export function looseTimeIn(text: string): ComparedTime | undefined {
  return comparedTimeIn(text.replace(YEAR_FIRST, '$1-$2-$3').replace(MONTH_FIRST, '$3-$1-$2'));
}

/** The instant of a JSON value: a text of ISO 8601, or a number of seconds or milliseconds since 1970. */
export function instantOfValue(value: unknown): Micros | undefined {
  if (typeof value === 'string') return instantIn(value);
  if (typeof value !== 'number' || !Number.isFinite(value)) return undefined;
  return value > SECONDS_MAX ? value * 1000 : value * 1e6;
}
