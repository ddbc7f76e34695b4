import type { Span } from '../../memory/passages.ts';
import type { ComparedState } from '../../memory/states/state.ts';
import { type CandidateOptions, searchVectors } from '../lanes.ts';
import type { NamespaceSource } from '../namespace-source.ts';
import type { NamespaceState } from '../namespace-state.ts';
import type { Degradation, RecallQuery } from '../recall-engine.ts';

/** Candidates by numbers and labels: enough for the fusion, and for texts to change their order. */
const CANDIDATES_MIN = 200;
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
  asked: ComparedState,
  options: CandidateOptions,
  isAllowed: (sequence: number) => boolean,
): StateMatches {
  const { keptStates: states } = state;
  if (!states) return { matches: [], truncated: false };
  const { firstKey } = state.entry;
  const limit = Math.max(CANDIDATES_MIN, 4 * query.limit) * options.widening;
  const among = options.narrowed?.map((key) => key - firstKey);
  const alike = states.nearest(asked, limit, { isAllowed, ...(among && { among }) });
  const hasVector = asked.textShare > 0 && (query.embedding ?? options.ownText) !== undefined;
  const least = query.minSimilarity ?? Number.MIN_VALUE;
  if (!hasVector) {
    const matches = [...alike].map(([sequence, sum]) => ({
      key: firstKey + sequence,
      similarity: rounded(sum / (1 - asked.textShare)),
    }));
    return { matches: ordered(matches, least), truncated: alike.size >= limit };
  }
  const near = searchVectors(state, { ...query, minSimilarity: -1 }, options, isAllowed);
  const found = new Map(near.neighbors.map((neighbor) => [neighbor.key - firstKey, neighbor]));
  const others = [...alike.keys()].filter((sequence) => !found.has(sequence)).map((sequence) => firstKey + sequence);
  const rest = searchVectors(
    state,
    { ...query, minSimilarity: -1, limit: others.length },
    { ...options, narrowed: others, widening: 1 },
    isAllowed,
  );
  for (const neighbor of rest.neighbors) found.set(neighbor.key - firstKey, neighbor);
  const sequences = [...new Set([...alike.keys(), ...found.keys()])];
  const sums = states.similarities(asked, sequences);
  const matches = sequences.map((sequence, at) => {
    const text = found.get(sequence);
    const cosine = Math.max(0, text?.similarity ?? 0);
    const similarity = rounded((sums[at] ?? 0) + asked.textShare * cosine);
    return { key: firstKey + sequence, similarity, ...(text?.passage && { passage: text.passage }) };
  });
  return { matches: ordered(matches, least), truncated: near.truncated || alike.size >= limit };
}

function rounded(similarity: number): number {
  return Math.min(1, Math.round(similarity * STEPS) / STEPS);
}

function ordered(matches: readonly StateMatch[], least: number): StateMatch[] {
  return matches
    .filter(({ similarity }) => similarity >= least)
    .sort((a, b) => b.similarity - a.similarity || a.key - b.key);
}
