import type { LaneScores } from './lane-scores.ts';
import type { SessionTops } from './session-tops.ts';
import type { TokenMatch } from './token-matches.ts';
import type { Writable } from './writable.ts';

/** A lane's score of a memory and of what stands around it in its session; 0 where there is nothing. */
export interface Around {
  readonly own: number;
  readonly previous: number;
  readonly next: number;
  /** Mean of the session's best three. */
  readonly session: number;
  /** Of the lane as a whole, to compare with. */
  readonly best: number;
  readonly mean: number;
  readonly deviation: number;
}

/** All that the features see of one candidate. */
export interface Signals {
  /** BM25 of body, speaker and date. */
  readonly keyword: Around;
  /** Keyword score with what sessions say, as `session-context.ts` adds it up. */
  readonly context: { readonly own: number; readonly best: number };
  readonly maxSim: Around;
  readonly window: Around;
  readonly cosine: Pick<Around, 'own' | 'best' | 'mean' | 'deviation'>;
  /** Cosine of the sentence encoder. */
  readonly meaning: number;
  readonly match: TokenMatch;
  /** `match.focus` of the memory before. */
  readonly focusPrevious: number;
  /** Soft match with what the first hits name and the question does not. */
  readonly echo: number;
  readonly echoWindow: number;
  /** Bits of `memory-traits.ts`. */
  readonly traits: number;
  readonly previousTraits: number;
  readonly tokenCount: number;
  readonly previousTokenCount: number;
  /** The question names a speaker at all; this memory's speaker. */
  readonly namesSomebody: boolean;
  readonly isBySomebodyNamed: boolean;
  /** Parts of a date (day, month, year) that the question names, and how many of them are this memory's. */
  readonly datePartsAsked: number;
  readonly datePartsMet: number;
  readonly meanTokenCount: number;
  readonly isTimeAsked: boolean;
  readonly queryTokenCount: number;
}

export function scoreIn({ values }: Pick<LaneScores, 'values'>, sequence: number): number {
  return values[sequence] ?? 0;
}

/** Writes into `to` all but the lane's own numbers; see `laneNumbers`. */
export function readAround(
  to: Writable<Around>,
  { values }: Pick<LaneScores, 'values'>,
  tops: SessionTops | undefined,
  { sequence, previous, next, session }: Whereabouts,
): void {
  to.own = values[sequence] ?? 0;
  to.previous = previous < 0 ? 0 : (values[previous] ?? 0);
  to.next = next < 0 ? 0 : (values[next] ?? 0);
  to.session = tops?.mean(session) ?? 0;
}

/** What is the same for every candidate. */
export function aroundNothing({
  best,
  mean,
  deviation,
}: Pick<Around, 'best' | 'mean' | 'deviation'>): Writable<Around> {
  return { own: 0, previous: 0, next: 0, session: 0, best, mean, deviation };
}

/** A candidate and what stands around it; -1 where there is nothing. */
export interface Whereabouts {
  readonly sequence: number;
  readonly previous: number;
  readonly next: number;
  readonly session: number;
}
