import type { VectorIndex } from '../vector-index/vector-index.ts';
import type { KeywordIndex } from './keyword-index.ts';
import { type KeywordMatches, searchKeywords } from './keyword-lane.ts';
import type { NamespaceState } from './namespace-state.ts';
import { queryTermsOf } from './query-terms.ts';
import type { Candidate } from './rank.ts';
import type { Degradation, RecallLane, RecallQuery } from './recall-engine.ts';
import { totalOf, withSurroundings } from './session-context.ts';

export interface Lanes {
  readonly candidates: Map<number, Candidate>;
  readonly searched: RecallLane[];
  readonly degraded: Degradation[];
  readonly terms: KeywordMatches['terms'];
  /** True when a lane had more than it was asked for. */
  readonly truncated: boolean;
}

export interface CandidateOptions {
  /** Keys that the filter may admit, when an index narrowed it. */
  readonly narrowed: readonly number[] | undefined;
  /** A memory that is not to be found. */
  readonly excludedKey: number | undefined;
  /** How many times more candidates than usual each lane is to give. */
  readonly widening: number;
  readonly onFault: (part: string, error: unknown) => void;
}

/** Candidates that the lanes give: enough for the fusion, and for a filter that refuses some, to see past the first page. */
const KEYWORD_CANDIDATES_MIN = 1000;
const VECTOR_CANDIDATES_MIN = 100;
/** With a narrow filter common words matter more, so more of their matches are read. */
const FILTERED_MATCHES_MAX = 24_000;

/** Asks every lane that the query calls for, and the filter alone when it calls for none. */
export function findCandidates(
  state: NamespaceState,
  query: RecallQuery,
  keywords: KeywordIndex,
  options: CandidateOptions,
): Lanes {
  const search = new CandidateSearch(state, query, options);
  const hasText = query.text !== '' && query.weights.keyword > 0;
  const hasVector = query.embedding !== undefined && query.weights.vector > 0;
  const failures: unknown[] = [];
  const attempt = (part: RecallLane, lane: () => void): void => {
    try {
      lane();
      search.searched.push(part);
    } catch (error) {
      options.onFault(part, error);
      failures.push(error);
      search.degraded.push({ part, reason: `the ${part} lane failed; the server's log has the details` });
    }
  };
  if (hasText) attempt('keyword', () => search.byKeywords(keywords));
  if (hasVector) attempt('vector', () => search.byVector());
  if (!hasText && !hasVector) attempt('filter', () => search.byFilter());
  if (search.searched.length === 0) throw failures[0];
  return search;
}

class CandidateSearch implements Lanes {
  readonly candidates = new Map<number, Candidate>();
  readonly searched: RecallLane[] = [];
  readonly degraded: Degradation[] = [];
  terms: KeywordMatches['terms'] = [];
  truncated = false;
  private readonly state: NamespaceState;
  private readonly query: RecallQuery;
  private readonly options: CandidateOptions;
  private readonly allowed: ReadonlySet<number> | undefined;

  constructor(state: NamespaceState, query: RecallQuery, options: CandidateOptions) {
    this.state = state;
    this.query = query;
    this.options = options;
    this.allowed = options.narrowed && new Set(options.narrowed);
  }

  byKeywords(keywords: KeywordIndex): void {
    const { entry, columns } = this.state;
    const { words, terms } = queryTermsOf(this.query.text);
    const namespace = { key: entry.key, firstKey: entry.firstKey, size: columns.size };
    const matches = searchKeywords(keywords, namespace, terms, {
      explain: this.query.explain,
      ...(this.allowed ? { matchesMax: FILTERED_MATCHES_MAX } : {}),
    });
    this.terms = matches.terms;
    const named = columns.speakers.named(words);
    const surroundings = withSurroundings(matches.scores, columns, named, this.query.weights.session);
    const found: { sequence: number; total: number }[] = [];
    for (const [sequence, parts] of surroundings) {
      if (this.isAllowed(sequence)) found.push({ sequence, total: totalOf(parts) });
    }
    found.sort((a, b) => b.total - a.total || a.sequence - b.sequence);
    const wanted = Math.max(KEYWORD_CANDIDATES_MIN, 4 * this.query.limit) * this.options.widening;
    this.truncated ||= found.length > wanted;
    found.slice(0, wanted).forEach(({ sequence }, place) => {
      const candidate = this.candidate(sequence);
      candidate.keywordRank = place + 1;
      const parts = surroundings.get(sequence);
      if (parts) candidate.surroundings = parts;
    });
  }

  byVector(): void {
    const index: VectorIndex | undefined = this.state.index;
    const query = this.query.embedding?.values;
    if (!index || !query) return;
    const { firstKey } = this.state.entry;
    const { narrowed, widening } = this.options;
    const limit = Math.max(VECTOR_CANDIDATES_MIN, this.query.limit) * widening;
    const isOpen = !narrowed && this.options.excludedKey === undefined && !this.state.columns.hasHidden;
    const neighbors = index.search(query, limit, {
      exact: this.query.exact,
      ...(isOpen ? {} : { admits: (key: number) => this.isAllowed(key - firstKey) }),
      ...(narrowed ? { candidates: narrowed } : {}),
    });
    this.truncated ||= neighbors.length >= limit && limit < index.size;
    neighbors.forEach(({ key, similarity }, place) => {
      if (similarity < (this.query.minSimilarity ?? -1)) return;
      const candidate = this.candidate(key - firstKey);
      candidate.vectorRank = place + 1;
      candidate.similarity = similarity;
    });
  }

  byFilter(): void {
    const { columns, entry } = this.state;
    if (this.options.narrowed) {
      for (const key of this.options.narrowed) {
        if (this.isAllowed(key - entry.firstKey)) this.candidate(key - entry.firstKey);
      }
      return;
    }
    for (let sequence = 1; sequence < columns.end; sequence++) if (this.isAllowed(sequence)) this.candidate(sequence);
  }

  private isAllowed(sequence: number): boolean {
    const { columns, entry } = this.state;
    const key = entry.firstKey + sequence;
    return (
      key !== this.options.excludedKey &&
      columns.isCandidate(sequence, this.query.nowUs, this.query.includeSuperseded) &&
      (this.allowed === undefined || this.allowed.has(key))
    );
  }

  private candidate(sequence: number): Candidate {
    let candidate = this.candidates.get(sequence);
    if (!candidate) {
      candidate = { sequence, keywordRank: 0, vectorRank: 0, similarity: 0 };
      this.candidates.set(sequence, candidate);
    }
    return candidate;
  }
}
