import { admits } from '../../memory/evaluate-filter.ts';
import type { Memory } from '../../memory/memory.ts';
import { stemOf, wordsOf } from '../../memory/words.ts';
import { queryTermsOf } from '../query-terms.ts';
import { QueriesByKey } from './filter-keys.ts';
import type { NearestRows } from './query-rows.ts';
import { QueryVectors } from './query-vectors.ts';
import type { StandingQuery } from './standing-query.ts';

/** The standing queries of one namespace, by what a memory must have to matter to them. */
export class QueryGroup {
  private readonly nearest: NearestRows;
  private readonly queries = new Map<number, StandingQuery>();
  private readonly byKey = new QueriesByKey();
  private readonly byTerm = new Map<string, Set<number>>();
  private readonly vectors = new Map<number, QueryVectors>();
  private readonly touchable = new Set<number>();
  private rankedCount = 0;

  constructor(nearest: NearestRows) {
    this.nearest = nearest;
  }

  get size(): number {
    return this.queries.size;
  }

  get hasRanked(): boolean {
    return this.rankedCount > 0;
  }

  get hasNear(): boolean {
    return this.vectors.size > 0;
  }

  /** Whether a memory itself, and not only its vector, says which queries it matters to. */
  get needsMemory(): boolean {
    return this.byKey.size > 0 || this.byTerm.size > 0;
  }

  ids(): Iterable<number> {
    return this.queries.keys();
  }

  touched(): Iterable<number> {
    return this.touchable;
  }

  put(id: number, query: StandingQuery): void {
    this.remove(id);
    this.queries.set(id, query);
    if (query.seesTouches) this.touchable.add(id);
    if (query.kind === 'ranked') this.rankedCount++;
    if (query.kind === 'near' && query.vector) {
      const { length } = query.vector;
      const vectors = this.vectors.get(length) ?? new QueryVectors(length, this.nearest);
      this.vectors.set(length, vectors);
      vectors.put(id, query.vector, query.minSimilarity);
    } else if (query.text === '') {
      this.byKey.put(id, query.filter);
    } else {
      for (const term of queryTermsOf(query.text).terms) {
        const ids = this.byTerm.get(term) ?? new Set();
        if (ids.size === 0) this.byTerm.set(term, ids);
        ids.add(id);
      }
    }
  }

  remove(id: number): void {
    const query = this.queries.get(id);
    if (!query) return;
    this.queries.delete(id);
    this.touchable.delete(id);
    if (query.kind === 'ranked') this.rankedCount--;
    if (query.kind === 'near' && query.vector) {
      const vectors = this.vectors.get(query.vector.length);
      vectors?.remove(id);
      if (vectors?.size === 0) this.vectors.delete(query.vector.length);
    } else if (query.text === '') {
      this.byKey.remove(id, query.filter);
    } else {
      for (const term of queryTermsOf(query.text).terms) {
        const ids = this.byTerm.get(term);
        ids?.delete(id);
        if (ids?.size === 0) this.byTerm.delete(term);
      }
    }
  }

  /** Adds the queries to which the memory, as it is now, matters. */
  match(read: () => Memory | undefined, vector: () => Float32Array | undefined, urgent: Set<number>): void {
    if (this.vectors.size > 0) this.matchVector(read, vector(), urgent);
    if (!this.needsMemory) return;
    const memory = read();
    if (!memory) return;
    for (const id of this.byKey.candidates(memory)) this.addAdmitted(id, memory, urgent);
    if (this.byTerm.size === 0) return;
    for (const stem of new Set(wordsOf(memory.text).map(stemOf))) {
      for (const id of this.byTerm.get(stem) ?? []) this.addAdmitted(id, memory, urgent);
    }
  }

  matchVector(read: () => Memory | undefined, vector: Float32Array | undefined, urgent: Set<number>): void {
    if (!vector) return;
    for (const id of this.vectors.get(vector.length)?.near(vector) ?? []) {
      if (!this.queries.get(id)?.filter) urgent.add(id);
      else {
        const memory = read();
        if (memory) this.addAdmitted(id, memory, urgent);
      }
    }
  }

  private addAdmitted(id: number, memory: Memory, urgent: Set<number>): void {
    if (urgent.has(id)) return;
    const filter = this.queries.get(id)?.filter;
    if (!filter || admits(filter, memory)) urgent.add(id);
  }
}
