import { admits } from '../../memory/evaluate-filter.ts';
import type { Memory } from '../../memory/memory.ts';
import { stemOf, wordsOf } from '../../memory/words.ts';
import type { Neighbor } from '../../vector-index/vector-index.ts';
import { queryTermsOf } from '../query-terms.ts';
import { QueriesByKey } from './filter-keys.ts';
import { NearSets } from './near-sets.ts';
import { type NearQuery, QueryVectors } from './query-vectors.ts';
import type { StandingQuery } from './standing-query.ts';

/** What a memory is like now; nothing of one that was erased. */
export interface ChangedMemory {
  /** Read when it is asked for. */
  readonly read: () => Memory | undefined;
  /** What `queriesNear` gives for its vector. */
  readonly near: readonly NearQuery[];
}

/** The standing queries of one namespace, by what a memory must have to matter to them. */
export class QueryGroup {
  private readonly queries = new Map<number, StandingQuery>();
  private readonly byKey = new QueriesByKey();
  private readonly byTerm = new Map<string, Set<number>>();
  private readonly vectors = new Map<number, QueryVectors>();
  private readonly nearSets = new NearSets();
  private readonly touchable = new Set<number>();
  private readonly movable = new Set<number>();
  private rankedCount = 0;

  get size(): number {
    return this.queries.size;
  }

  get hasRanked(): boolean {
    return this.rankedCount > 0;
  }

  /** Whether it matters what vectors memories have. */
  get hasNear(): boolean {
    return this.vectors.size > 0;
  }

  /** Queries of kind `near` to which changes of any memory may matter. */
  get unkeptIds(): ReadonlySet<number> {
    return this.nearSets.unkeptIds;
  }

  query(id: number): StandingQuery | undefined {
    return this.queries.get(id);
  }

  ids(): Iterable<number> {
    return this.queries.keys();
  }

  touched(): Iterable<number> {
    return this.touchable;
  }

  /** Queries whose filter looks at the tier. */
  moved(): Iterable<number> {
    return this.movable;
  }

  put(id: number, query: StandingQuery): void {
    this.remove(id);
    this.queries.set(id, query);
    if (query.seesTouches) this.touchable.add(id);
    if (query.seesMoves) this.movable.add(id);
    if (query.kind === 'ranked') this.rankedCount++;
    if (query.kind === 'near' && query.embedding) {
      const { values } = query.embedding;
      const vectors = this.vectors.get(values.length) ?? new QueryVectors(values.length);
      this.vectors.set(values.length, vectors);
      vectors.put(id, values, query.minSimilarity);
      this.nearSets.put(id);
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
    this.movable.delete(id);
    if (query.kind === 'ranked') this.rankedCount--;
    if (query.kind === 'near' && query.embedding) {
      const { length } = query.embedding.values;
      const vectors = this.vectors.get(length);
      vectors?.remove(id);
      if (vectors?.size === 0) this.vectors.delete(length);
      this.nearSets.remove(id);
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

  /** Adds the queries to which it matters that a memory is stored, changed or, with nothing, erased. */
  look(key: number, { read, near }: ChangedMemory, urgent: Set<number>, settling: Set<number>): void {
    if (this.hasNear) this.lookNear(key, read, near, urgent, settling);
    if (this.byKey.size === 0 && this.byTerm.size === 0) return;
    const memory = read();
    if (!memory) return;
    for (const id of this.byKey.candidates(memory)) this.addAdmitted(id, memory, urgent);
    if (this.byTerm.size === 0) return;
    for (const stem of new Set(wordsOf(memory.text).map(stemOf))) {
      for (const id of this.byTerm.get(stem) ?? []) this.addAdmitted(id, memory, urgent);
    }
  }

  /**
   * Adds the queries to which it matters that a tier keeps another form of the vector of a memory: scores go by how many are
   * nearer, so it does not where the order is the same.
   */
  reform(key: number, near: readonly NearQuery[], urgent: Set<number>): void {
    if (!this.hasNear) return;
    for (const id of this.nearSets.reform(key, near)) urgent.add(id);
  }

  /** For each of the vectors the queries that it is near enough to: for several at once each costs less. */
  queriesNear(vectors: readonly (Float32Array | undefined)[]): NearQuery[][] {
    const found: NearQuery[][] = vectors.map(() => []);
    for (const [dimension, queries] of this.vectors) {
      const places = [...vectors.keys()].filter((at) => vectors[at]?.length === dimension);
      const near = queries.near(places.flatMap((at) => vectors[at] ?? []));
      for (const [at, place] of places.entries()) found[place] = near[at] ?? [];
    }
    return found;
  }

  /** The memories near to a query, as `NearSets.of` gives them. */
  nearTo(id: number, search: (limit: number) => readonly Neighbor[]): readonly Neighbor[] | undefined {
    return this.nearSets.of(id, this.queries.get(id)?.minSimilarity ?? -1, search);
  }

  /** Vectors were replaced: what was near need not be any more. */
  forgetNear(): void {
    this.nearSets.clear();
  }

  private lookNear(
    key: number,
    read: ChangedMemory['read'],
    near: readonly NearQuery[],
    urgent: Set<number>,
    settling: Set<number>,
  ): void {
    for (const id of this.nearSets.leave(key)) urgent.add(id);
    this.nearSets.join(key, near);
    for (const { id } of near) {
      const memory = this.queries.get(id)?.filter && read();
      if (memory) this.addAdmitted(id, memory, urgent);
      else urgent.add(id);
      // One that the filter refuses may still have a place among the nearest, which the scores of others show.
      if (!urgent.has(id)) settling.add(id);
    }
  }

  private addAdmitted(id: number, memory: Memory, urgent: Set<number>): void {
    if (urgent.has(id)) return;
    const filter = this.queries.get(id)?.filter;
    if (!filter || admits(filter, memory)) urgent.add(id);
  }
}
