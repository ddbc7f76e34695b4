import { parsedContent } from '../../memory/derive-text.ts';
import { MnemeError } from '../../memory/errors.ts';
import { admits } from '../../memory/evaluate-filter.ts';
import type { Filter } from '../../memory/filter.ts';
import type { FilterSet } from '../filtering/filter-set.ts';
import { scorerOf } from '../scoring/scorer.ts';
import type { Score, Scoring } from '../scoring/scoring.ts';
import type { HitReader } from './hit-reader.ts';
import type { NamespaceSource } from './namespace-source.ts';
import type { NamespaceState } from './namespace-state.ts';
import { TierQuota } from './rank.ts';
import type { RecallQuery, RecallResult, ScoredHit } from './recall-engine.ts';
import { remembered, type SearchProgress } from './search-progress.ts';

/** How many memories are looked at between two looks at the clock. */
const LOOK_EVERY = 64;

interface Scored extends Score {
  readonly sequence: number;
}

export interface ScoredSearch {
  readonly state: NamespaceState;
  readonly source: NamespaceSource;
  readonly hitReader: HitReader;
  readonly query: RecallQuery;
  readonly scoring: Scoring;
  /** To be tested on each memory. */
  readonly filter: Filter | undefined;
  /** Memories that the filter may admit; all when absent. */
  readonly narrowed: FilterSet | undefined;
  /** Ids of the memories of the session in one direction, nearest first. */
  readonly around: (sequence: number, step: 1 | -1) => string[];
  readonly progress: SearchProgress | undefined;
}

/** Memories that the filter admits, best first by the scoring alone; ties by event time, newest first. */
export function searchScored(search: ScoredSearch): RecallResult {
  const { state, source, hitReader, query, scoring, around } = search;
  const found = scoredOf(search);
  const quota = new TierQuota(query.limit);
  const chosen = query.isPerTier
    ? found.filter(({ sequence }) => !quota.isUsedUp && quota.take(source.tierOf(state.entry.firstKey + sequence)))
    : found.slice(0, query.limit);
  const hits = chosen.map(({ sequence, score }, place): ScoredHit => {
    const key = state.entry.firstKey + sequence;
    const component = { name: scoring.kind, value: score, contribution: score, rank: place + 1 };
    return {
      ...hitReader.identityOf(key),
      score,
      relevance: 1,
      equalCount: 0,
      components: query.explain ? [component] : [],
      features: [],
      matchedTerms: [],
      isRestored: query.explain && source.isPacked(key),
      before: around(sequence, -1).reverse(),
      after: around(sequence, 1),
    };
  });
  return { hits, lanes: ['filter'], degraded: [], candidateCount: found.length, revision: state.revision };
}

function scoredOf({ state, source, query, scoring, filter, narrowed, progress }: ScoredSearch): Scored[] {
  const { columns, entry } = state;
  const hasMinimum = narrowed !== undefined && query.minScore !== undefined;
  const isByTimeAlone = !filter && !hasMinimum && (scoring.kind === 'newest' || scoring.kind === 'oldest');
  const score = scorerOf(scoring);
  const found: Scored[] = [];
  let looked = 0;
  for (const sequence of sequencesOf(state, query, narrowed)) {
    if (++looked % LOOK_EVERY === 0) checkDeadline(query);
    if (isByTimeAlone) {
      // The order needs only the column: no memory is read.
      const seconds = columns.eventAtUs(sequence) / 1e6;
      found.push({ sequence, score: scoring.kind === 'newest' ? seconds : -seconds });
      continue;
    }
    const scored = remembered(sequence, progress, (): Score | undefined => {
      const memory = source.read(entry, entry.firstKey + sequence);
      if (!memory) return undefined;
      let parsed: { readonly value: unknown } | undefined;
      const json = (): unknown => {
        parsed ??= { value: parsedContent(memory.content) };
        return parsed.value;
      };
      return filter && !admits(filter, memory, json) ? undefined : score(memory, json);
    });
    if (scored && scored.score >= (query.minScore ?? Number.NEGATIVE_INFINITY)) found.push({ sequence, ...scored });
  }
  return found.sort(
    (a, b) =>
      b.score - a.score ||
      (b.next ?? 0) - (a.next ?? 0) ||
      columns.eventAtUs(b.sequence) - columns.eventAtUs(a.sequence) ||
      a.sequence - b.sequence,
  );
}

function* sequencesOf(
  { columns }: NamespaceState,
  query: RecallQuery,
  narrowed: FilterSet | undefined,
): Generator<number> {
  if (narrowed) {
    for (const sequence of narrowed.sequences) {
      if (columns.isCandidate(sequence, query)) yield sequence;
    }
    return;
  }
  for (let sequence = 1; sequence < columns.end; sequence++) {
    if (columns.isCandidate(sequence, query)) yield sequence;
  }
}

function checkDeadline({ deadlineAtMs }: RecallQuery): void {
  if (Date.now() < deadlineAtMs) return;
  throw new MnemeError('DEADLINE_EXCEEDED', 'too many memories had to be looked at to finish before the deadline');
}
