import { admits } from '../../memory/evaluate-filter.ts';
import { type Language, languageOf } from '../../memory/languages/languages.ts';
import { termsIn } from '../../memory/languages/terms.ts';
import type { Memory } from '../../memory/memory.ts';
import { stemOf, wordsOf } from '../../memory/words.ts';
import { queryTermsOf } from '../recall/keyword-index.ts';
import type { Neighbor } from '../vectors/vector-index.ts';
import { QueriesByKey } from './filter-keys.ts';
import { type NearQuery, QueryVectors } from './query-vectors.ts';
import type { StandingQuery } from './standing-query.ts';

/** The current state of a memory; undefined for one that was deleted. */
export interface ChangedMemory {
  /** Read when it is asked for. */
  readonly read: () => Memory | undefined;
  /** Result of `queriesNear` for its vector. */
  readonly near: readonly NearQuery[];
}

/** The standing queries of one namespace, by the properties that make a memory relevant to them. */
export class QueryGroup {
  private readonly queries = new Map<number, StandingQuery>();
  private readonly byKey = new QueriesByKey();
  private readonly byTerm = new Map<string, Set<number>>();
  /** Languages other than English of which a memory was seen; queries are kept by their terms in these. */
  private readonly languages = new Set<Language>();
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

  /** Whether any query depends on the vectors of memories. */
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
      this.addTerms(id, query.text);
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
      for (const { forms } of queryTermsOf(query.text, this.languages).terms) {
        for (const form of forms) {
          const ids = this.byTerm.get(form);
          ids?.delete(id);
          if (ids?.size === 0) this.byTerm.delete(form);
        }
      }
    }
  }

  private addTerms(id: number, text: string): void {
    for (const { forms } of queryTermsOf(text, this.languages).terms) {
      for (const form of forms) {
        const ids = this.byTerm.get(form) ?? new Set();
        if (ids.size === 0) this.byTerm.set(form, ids);
        ids.add(id);
      }
    }
  }

  /** Terms of a memory, by which queries are kept. */
  private termsOf(text: string): ReadonlySet<string> {
    const words = wordsOf(text);
    const language = languageOf(text, words);
    if (!language) return new Set(words.map(stemOf));
    if (!this.languages.has(language)) {
      this.languages.add(language);
      for (const [id, query] of this.queries) if (isByTerms(query)) this.addTerms(id, query.text);
    }
    return new Set(termsIn(language, text));
  }

  /** Adds the queries that are affected when a memory is stored, changed or, if undefined, deleted. */
  look(key: number, { read, near }: ChangedMemory, urgent: Set<number>, settling: Set<number>): void {
    if (this.hasNear) this.lookNear(key, read, near, urgent, settling);
    if (this.byKey.size === 0 && this.byTerm.size === 0) return;
    const memory = read();
    if (!memory) return;
    for (const id of this.byKey.candidates(memory)) this.addAdmitted(id, memory, urgent);
    if (this.byTerm.size === 0) return;
    for (const term of this.termsOf(memory.text)) {
      for (const id of this.byTerm.get(term) ?? []) this.addAdmitted(id, memory, urgent);
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

  /** The memories near to a query, as `NearSets.of` returns them. */
  nearTo(id: number, search: (limit: number) => readonly Neighbor[]): readonly Neighbor[] | undefined {
    return this.nearSets.of(id, this.queries.get(id)?.minSimilarity ?? -1, search);
  }

  /** Called after vectors were replaced: memories may no longer be near. */
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
      // A memory that the filter refuses may still be among the nearest, which affects the scores of others.
      if (!urgent.has(id)) settling.add(id);
    }
  }

  private addAdmitted(id: number, memory: Memory, urgent: Set<number>): void {
    if (urgent.has(id)) return;
    const filter = this.queries.get(id)?.filter;
    if (!filter || admits(filter, memory)) urgent.add(id);
  }
}

function isByTerms({ kind, embedding, text }: StandingQuery): boolean {
  return text !== '' && !(kind === 'near' && embedding);
}

/** Of a query that more memories are near to, none are kept: it is searched for like any other. */
const MEMORIES_MAX = 1000;
/** Initial limit of a search, and its growth factor while all results are near. */
const FIRST_LIMIT = 100;
const WIDEN_BY = 10;

/** Memories near to each standing query, so that no query has to look for them again. */
export class NearSets {
  /** Similarities by key; `null` when no memory is near. */
  private readonly sets = new Map<number, Map<number, number> | null>();
  private readonly holders = new Map<number, number[]>();
  private readonly unkept = new Set<number>();
  private readonly wide = new Set<number>();

  /** Queries whose near memories are not stored: any change may affect them. */
  get unkeptIds(): ReadonlySet<number> {
    return this.unkept;
  }

  put(id: number): void {
    this.unkept.add(id);
  }

  remove(id: number): void {
    this.drop(id);
    this.unkept.delete(id);
    this.wide.delete(id);
  }

  /** Discards all near sets. */
  clear(): void {
    for (const id of this.sets.keys()) this.unkept.add(id);
    this.sets.clear();
    this.holders.clear();
    this.wide.clear();
  }

  /** Removes a memory from all sets; returns the queries that it was near to. */
  leave(key: number): readonly number[] {
    const ids = this.holders.get(key);
    if (!ids) return [];
    this.holders.delete(key);
    for (const id of ids) {
      const set = this.sets.get(id);
      set?.delete(key);
      if (set?.size === 0) this.sets.set(id, null);
    }
    return ids;
  }

  /** Adds a memory, which is in no set, to the sets of the queries that it is near to. */
  join(key: number, near: readonly NearQuery[]): void {
    for (const { id, similarity } of near) this.add(id, key, similarity);
  }

  /** Updates the similarity of a memory; returns the queries whose order or near set changes. */
  reform(key: number, near: readonly NearQuery[]): number[] {
    const places = new Map((this.holders.get(key) ?? []).map((id) => [id, this.placeOf(id, key)]));
    this.leave(key);
    this.join(key, near);
    const ids = new Set([...places.keys(), ...near.map(({ id }) => id)]);
    return [...ids].filter((id) => places.get(id) === undefined || places.get(id) !== this.placeOf(id, key));
  }

  /** Nearest first; `undefined` when there are too many to keep. `search` finds the nearest of all, up to a limit. */
  of(id: number, leastCosine: number, search: (limit: number) => readonly Neighbor[]): readonly Neighbor[] | undefined {
    if (!this.sets.has(id) && !this.fill(id, leastCosine, search)) return undefined;
    const set = this.sets.get(id);
    if (!set) return [];
    const near = Array.from(set, ([key, similarity]): Neighbor => ({ key, similarity }));
    return near.sort((one, other) => other.similarity - one.similarity || one.key - other.key);
  }

  /** How many are nearer; `undefined` where the memory is not known to be near. */
  private placeOf(id: number, key: number): number | undefined {
    const set = this.sets.get(id);
    const own = set?.get(key);
    if (!set || own === undefined) return undefined;
    let place = 0;
    for (const [other, similarity] of set) {
      if (similarity > own || (similarity === own && other < key)) place++;
    }
    return place;
  }

  private fill(id: number, leastCosine: number, search: (limit: number) => readonly Neighbor[]): boolean {
    if (this.wide.has(id)) return false;
    for (let limit = FIRST_LIMIT; limit <= MEMORIES_MAX; limit *= WIDEN_BY) {
      const found = search(limit);
      const last = found.at(-1);
      if (last && found.length >= limit && last.similarity >= leastCosine) continue;
      this.sets.set(id, null);
      this.unkept.delete(id);
      for (const { key, similarity } of found) if (similarity >= leastCosine) this.add(id, key, similarity);
      return true;
    }
    this.wide.add(id);
    return false;
  }

  private add(id: number, key: number, similarity: number): void {
    const kept = this.sets.get(id);
    if (kept === undefined) return;
    const set = kept ?? new Map<number, number>();
    if (!kept) this.sets.set(id, set);
    set.set(key, similarity);
    const holders = this.holders.get(key);
    if (holders) holders.push(id);
    else this.holders.set(key, [id]);
    if (set.size <= MEMORIES_MAX) return;
    this.drop(id);
    this.unkept.add(id);
    this.wide.add(id);
  }

  private drop(id: number): void {
    for (const key of this.sets.get(id)?.keys() ?? []) {
      const left = this.holders.get(key)?.filter((holder) => holder !== id) ?? [];
      if (left.length > 0) this.holders.set(key, left);
      else this.holders.delete(key);
    }
    this.sets.delete(id);
  }
}
