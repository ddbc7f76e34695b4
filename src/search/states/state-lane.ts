import type { Span } from '../../memory/passages.ts';
import type { ComparedState } from '../../memory/states/state.ts';
import { FilterSet } from '../filtering/filter-set.ts';
import type { Sought } from '../ranking/question.ts';
import { type CandidateOptions, searchVectors } from '../recall/lanes.ts';
import type { NamespaceSource } from '../recall/namespace-source.ts';
import type { NamespaceState } from '../recall/namespace-state.ts';
import { type NearText, type RoughText, roughTextCosines } from '../recall/near-texts.ts';
import type { Degradation, RecallQuery } from '../recall/recall-engine.ts';
import type { KeptStates } from './kept-states.ts';
import {
  type AskingTexts,
  type CosineOf,
  cosinesOfTexts,
  leastOf,
  nearTextsOf,
  type StateSearch,
} from './state-texts.ts';

/** Candidates: enough for the fusion, and for exact vectors of texts to change their order. */
const CANDIDATES_MIN = 80;
/** Differences below are rounding: equal states have equal similarities, whatever the order of their fields. */
const STEPS = 1e9;

/** Time that a query waits here for states that are not read; callers wait longer, in slices (`SearchLoop`). */
const STATES_MS = 250;

/** The state that memories are compared with, where it has weight. */
export function comparedStateOf({ state, weights }: RecallQuery): ComparedState | undefined {
  return (weights.state ?? 0) > 0 ? state : undefined;
}

/** Reads states that the query needs; the answer reports those that are still missing. */
export function readStates(state: NamespaceState, query: RecallQuery, source: NamespaceSource): Degradation[] {
  if (!comparedStateOf(query) || !state.readStates(source, STATES_MS)) return [];
  return [{ part: 'state', reason: 'the states of the namespace are still being read' }];
}

export interface StateMatch {
  readonly key: number;
  /** 0 to 1. */
  readonly similarity: number;
  /** Of a text that is a long one: its nearest passage. */
  readonly passage?: Span;
}

export interface StateMatches {
  /** Most similar first. */
  readonly matches: readonly StateMatch[];
  /** True when there may be more than it was asked for. */
  readonly truncated: boolean;
}

/**
 * The memories most similar to a state: the sum of the shares of its values, each times the similarity of the memory's
 * value at the same place. Texts of the state count by the cosine of the whole texts, or not at all where there is no
 * vector: the other shares are then the whole.
 */
export function searchStates(
  state: NamespaceState,
  query: RecallQuery,
  options: CandidateOptions,
  search: StateSearch,
): StateMatches {
  const { asked, isAllowed } = search;
  const { keptStates: states } = state;
  if (!states) return { matches: [], truncated: false };
  const limit = Math.max(CANDIDATES_MIN, 4 * query.limit) * options.widening;
  const among = options.narrowed?.few;
  const sought = { isAllowed, among };
  const { sequences, cosineOf } = candidates(state, query, options, { search, states, limit, sought });
  const sums = states.similarities(asked, sequences);
  const texts = cosineOf?.(sums);
  const least = leastOf(query);
  const matches = sequences.map((sequence, at) => {
    const text = texts?.(sequence);
    const byText = asked.textShare * Math.max(0, text?.cosine ?? 0);
    const similarity = texts ? (sums[at] ?? 0) + byText : (sums[at] ?? 0) / (1 - asked.textShare);
    const passage = text?.passage;
    return { key: state.entry.firstKey + sequence, similarity: rounded(similarity), passage };
  });
  const truncated = sequences.length >= limit;
  return { matches: ordered(matches, least), truncated };
}

interface Candidates {
  readonly sequences: readonly number[];
  /** Cosines of their texts, by the similarities of their values in the same order; absent where texts do not count. */
  readonly cosineOf?: (sums: readonly number[]) => CosineOf;
}

interface Choosing {
  readonly search: StateSearch;
  readonly states: KeptStates;
  readonly limit: number;
  readonly sought: Sought;
}

/** The best by numbers, labels and texts together, or where vectors are stored, by either. */
function candidates(
  state: NamespaceState,
  query: RecallQuery,
  options: CandidateOptions,
  { search, states, limit, sought }: Choosing,
): Candidates {
  const { ownText } = options;
  const { asked, isAllowed } = search;
  const byGraph = query.exact || sought.among ? undefined : states.nearestByGraph(asked, limit, isAllowed);
  const alike = () => byGraph ?? states.nearest(asked, limit, sought);
  if (asked.textShare === 0 || !(query.embedding ?? ownText)) return { sequences: alike() };
  if (!ownText) return byStoredVectors(state, query, options, { isAllowed, byValues: alike() });
  const asking = { ...ownText, state, query, options, search };
  if (byGraph) {
    const near = nearTextsOf(asking);
    return ofOwnTexts(asking, [...new Set([...byGraph, ...near.map(({ sequence }) => sequence)])], near);
  }
  const rough = { ...roughTextCosines(state, ownText.asked), share: asked.textShare };
  return ofOwnTexts(asking, states.nearest(asked, limit, sought, rough));
}

function ofOwnTexts(asking: AskingTexts, sequences: readonly number[], near: readonly RoughText[] = []): Candidates {
  return { sequences, cosineOf: (sums) => cosinesOfTexts(asking, { sequences, sums, near }) };
}

function byStoredVectors(
  state: NamespaceState,
  query: RecallQuery,
  options: CandidateOptions,
  { isAllowed, byValues }: { isAllowed: StateSearch['isAllowed']; byValues: readonly number[] },
): Candidates {
  const bySequence = (found: readonly NearText[]) =>
    found.map(({ key, similarity }) => [key - state.entry.firstKey, { cosine: similarity }] as const);
  const open = { ...query, minSimilarity: -1 };
  const near = new Map(bySequence(searchVectors(state, open, options, isAllowed).neighbors));
  const others = byValues.filter((sequence) => !near.has(sequence));
  const known = { ...options, narrowed: FilterSet.of(others, state.columns.end), widening: 1 };
  const rest = bySequence(searchVectors(state, { ...open, limit: others.length }, known, isAllowed).neighbors);
  const all = new Map([...near, ...rest]);
  return { sequences: [...new Set([...byValues, ...near.keys()])], cosineOf: () => (sequence) => all.get(sequence) };
}

function rounded(similarity: number): number {
  return Math.min(1, Math.round(similarity * STEPS) / STEPS);
}

function ordered(matches: readonly StateMatch[], least: number): StateMatch[] {
  return matches
    .filter(({ similarity }) => similarity >= least)
    .sort((a, b) => b.similarity - a.similarity || a.key - b.key);
}
