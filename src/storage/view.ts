import type { Micros, Scope, Tier } from '../memory/memory.ts';
import type { CountRead, ListPage, ListRead, Records } from './records.ts';
import type { MembersRead, NamespaceSize, TierMember, TierTotal } from './tiers.ts';

/**
 * Lists, counts and sums over many memories: always local, whichever store owns the memories. Every read sees each write
 * that was acknowledged before; lists and counts do not see expired memories. Reads of a missing namespace fail with
 * NAMESPACE_NOT_FOUND.
 */
export interface View {
  /**
   * Resolves to a revision of the namespace whose changes every later read has: readers of the change log go on from
   * it, at any server of the store.
   */
  reached(namespace: string): Promise<number>;
  /** One page in a stable order; a memory that exists throughout is in exactly one page. */
  list(read: ListRead): Promise<ListPage>;
  /** Number of memories that the filter admits, by tier. */
  count(read: CountRead): Promise<ReadonlyMap<Tier, number>>;
  /** Scopes of memories, in order of their parts, at most `limit`, after `after` if present. */
  listScopes(read: { namespace: string; limit: number; after?: Scope }): Promise<{ scope: Scope; count: number }[]>;
  /** Counts of one namespace, or of all namespaces. */
  statistics(namespace?: string): Promise<StoreStatistics>;
  /**
   * Members of a tier, oldest in the tier first, at most `limit`. Indexes have this order, also by agent and type: the
   * rest of the tier is not read.
   */
  members(read: MembersRead): Promise<TierMember[]>;
  /** Totals of the tiers of a namespace, or of all, by agent and type; each write maintains them. */
  totals(namespace?: string): Promise<TierTotal[]>;
  /** The sum of the totals of a namespace, without a row for each: callers ask for it with every limited write. */
  size(namespace: string): Promise<NamespaceSize>;
}

export interface MemoryAccess {
  readonly namespace: string;
  readonly id: string;
  readonly retrievalCount: number;
  readonly lastAccessedAtUs?: Micros;
}

export interface StoreStatistics {
  readonly namespaceCount: number;
  readonly memoryCount: number;
  readonly contentBytes: number;
  readonly embeddedCount: number;
  readonly embeddingPendingCount: number;
  readonly importanceMean: number;
  readonly retrievalCount: number;
  /** Types in descending order of their counts, at most 100. */
  readonly types: readonly { type: string; count: number }[];
  readonly tiers: readonly {
    readonly tier: Tier;
    readonly count: number;
    readonly contentBytes: number;
    /** Bytes as stored; absent where the store does not count them. */
    readonly storedBytes?: number;
    readonly importanceMean?: number;
  }[];
  /** Memories with the most and the fewest retrievals, at most 5 each; absent where the store does not compute them. */
  readonly mostAccessed?: readonly MemoryAccess[];
  readonly leastAccessed?: readonly MemoryAccess[];
  readonly diskBytes: number;
  /** Why the counts are incomplete; absent where they are complete. */
  readonly degraded?: string;
}

/** Reads of records and of a view. */
type Reads = Omit<Records & View, 'isShared' | 'revision' | 'write'>;

/** The first argument of a read. */
export type Asked<K extends keyof Reads> = Parameters<Reads[K]>[0];

export type Answer<K extends keyof Reads> = ReturnType<Reads[K]>;
