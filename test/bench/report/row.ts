import type { Measured } from '../load/load-client.ts';

/** The target, in words, and whether it was reached. */
export interface Wanted {
  readonly words: string;
  readonly isMet: boolean;
}

/** Calls, compared with the same calls of the limit. */
export interface CallRow {
  readonly part: string;
  readonly what: string;
  readonly subject: Measured;
  readonly limit?: Measured;
  /** The limit. */
  readonly limitName?: string;
  /** Results of other systems with the same calls, by name. */
  readonly beside?: ReadonlyMap<string, Measured>;
  readonly ratio?: number;
  readonly wanted?: Wanted;
}

/** One figure of another kind. */
export interface FigureRow {
  readonly part: string;
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  readonly limit?: number;
  readonly limitName?: string;
  readonly ratio?: number;
  readonly wanted?: Wanted;
}

export type Row = CallRow | FigureRow;

export function atLeast(value: number, least: number, name = 'ratio'): Wanted {
  return { words: `${name} ≥ ${least}`, isMet: value >= least };
}

export function atMost(value: number, most: number, name = 'ratio'): Wanted {
  return { words: `${name} ≤ ${most}`, isMet: value <= most };
}

export function allOf(...wanted: readonly Wanted[]): Wanted {
  return { words: wanted.map(({ words }) => words).join(', '), isMet: wanted.every(({ isMet }) => isMet) };
}
