import type { Neighbor } from '../../vector-index/vector-index.ts';
import type { NearQuery } from './query-vectors.ts';

/** Of a query that more memories are near to, none are kept: it is searched for like any other. */
const MEMORIES_MAX = 1000;
/** What a search is asked for first, and by how much more each time that all found are near. */
const FIRST_LIMIT = 100;
const WIDEN_BY = 10;

/** Memories near to each standing query, so that no query has to look for them again. */
export class NearSets {
  /** Similarities by key; `null` when no memory is near. */
  private readonly sets = new Map<number, Map<number, number> | null>();
  private readonly holders = new Map<number, number[]>();
  private readonly unkept = new Set<number>();
  private readonly wide = new Set<number>();

  /** Queries whose near memories are not kept: what is changed elsewhere may matter to them. */
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

  /** From now on nothing is known of what is near. */
  clear(): void {
    for (const id of this.sets.keys()) this.unkept.add(id);
    this.sets.clear();
    this.holders.clear();
    this.wide.clear();
  }

  /** Takes a memory out of all sets; returns the queries that it was near to. */
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

  /** Puts a memory, which is in no set, into those of the queries that it is near to. */
  join(key: number, near: readonly NearQuery[]): void {
    for (const { id, similarity } of near) this.add(id, key, similarity);
  }

  /** Takes over how near a memory is now; returns the queries for which that is another order, or others that are near. */
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
