import type { Span } from '../memory/passages.ts';
import type { Neighbor } from '../vector-index/vector-index.ts';
import type { KeywordMatches } from './keyword-lane.ts';
import type { LearnedLane } from './learned-lane.ts';
import type { NamespaceSource } from './namespace-source.ts';
import type { Candidate } from './rank.ts';
import type { Degradation, RecallLane } from './recall-engine.ts';
import type { SequenceScores } from './sequence-scores.ts';
import type { SessionContext } from './session-context.ts';
import type { TextSearch } from './text-lane.ts';
import type { WordCounts } from './word-counts.ts';

export interface Lanes {
  readonly candidates: Map<number, Candidate>;
  /** How many more were put in order, too far behind to be among the hits. */
  readonly leftBehind: number;
  readonly searched: RecallLane[];
  readonly degraded: Degradation[];
  readonly terms: KeywordMatches['terms'];
  /** The passage that a memory was found by; none where its text is no long one, or was not asked for. */
  passageOf(sequence: number): Span | undefined;
  /** 0 to 1. */
  relevanceOf(candidate: Candidate): number;
  /** False while the same question may be answered better soon, without a change of any memory. */
  readonly isSettled: boolean;
  /** True when a lane had more than it was asked for. */
  readonly truncated: boolean;
}

/** Arrays that one query after the other works in. */
export interface KeywordRoom {
  readonly scores: SequenceScores;
  readonly passages: SequenceScores;
  readonly context: SessionContext;
  readonly words: WordCounts;
}

export interface CandidateOptions {
  /** Keys that the filter may admit, when an index narrowed it. */
  readonly narrowed: readonly number[] | undefined;
  /** True when the evaluator, or the number of hits of a tier, will decide on each hit and may refuse it. */
  readonly isFiltered: boolean;
  /** A memory that is not to be found. */
  readonly excludedKey: number | undefined;
  /** How many times more candidates than usual each lane is to give. */
  readonly widening: number;
  /** Texts, and indexes of time and place. */
  readonly source: Pick<NamespaceSource, 'nearestMoments' | 'nearestPlaces' | 'text'>;
  /** Vector of the query's text, for the texts of the memories, and what makes theirs. */
  readonly ownText: Pick<TextSearch, 'asked' | 'texts'> | undefined;
  /** Puts what the words find in order where the query asks for it, and tells how relevant it is; absent where the server goes without. */
  readonly learned: LearnedLane | undefined;
  /** All memories that are near enough, nearest first, where that is known without a search. */
  readonly near: readonly Neighbor[] | undefined;
  readonly room: KeywordRoom;
  readonly onFault: (part: string, error: unknown) => void;
}
