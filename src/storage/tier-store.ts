import type { Micros, Tier } from '../memory/memory.ts';
import type { Resolution } from '../memory/resolution/resolution.ts';

/**
 * Tiers of the memories of a store, and moves between tiers. Every backend passes
 * `test/conformance/tier-store.suite.ts`.
 *
 * A move changes a memory's tier, its time of entry, and the resolution at which it is searched; revision, times,
 * counts, vectors and former states stay, and reads return them bit for bit. It is one transaction, with its entry in
 * the change log. Methods fail with NAMESPACE_NOT_FOUND unless stated otherwise.
 */
export interface TierStore {
  /** Memories that are missing, or in the tier already, are skipped. */
  move(write: MoveWrite): Promise<MoveOutcome>;
  /**
   * Members of a tier, oldest in the tier first, at most `limit`. Indexes have this order, also by agent and type: the
   * rest of the tier is not read.
   */
  members(read: MembersRead): Promise<TierMember[]>;
  /** Totals of the tiers of a namespace, or of all, by agent and type; each write maintains them. */
  totals(namespace?: string): Promise<TierTotal[]>;
  /** The sum of the totals of a namespace, without a row for each: callers ask for it with every limited write. */
  size(namespace: string): Promise<NamespaceSize>;

  /** Settings of a namespace, or for all namespaces where it is ''. Empty for a missing namespace. */
  tierSettings(namespace: string): Promise<ReadonlyMap<string, string>>;
  /** Replaces settings; `null` removes one. All or none. */
  setTierSettings(write: {
    readonly namespace: string;
    readonly settings: readonly (readonly [key: string, value: string | null])[];
    readonly atUs: Micros;
  }): Promise<void>;
  /** Records a maintenance run of a namespace. */
  setMaintained(write: { readonly namespace: string; readonly atUs: Micros }): Promise<void>;
  /** Time of its last maintenance; absent without one. */
  maintainedAtUs(namespace: string): Promise<Micros | undefined>;
}

/** All memories of a namespace. */
export interface NamespaceSize {
  readonly count: number;
  /** Bytes of texts and contents. */
  readonly contentBytes: number;
}

export interface MoveWrite {
  readonly namespace: string;
  readonly ids: readonly string[];
  readonly to: Tier;
  /** The form in which the tier stores it for searching. */
  readonly resolution: Resolution;
  /** Only memories in these tiers are moved; absent: in any tier. */
  readonly from?: readonly Tier[];
  readonly atUs: Micros;
}

/** The effect of a move on one memory. */
export interface TierStep {
  readonly from: Tier;
  readonly to: Tier;
}

export interface MoveOutcome {
  readonly revision: number;
  /** Moved memories, in the order of the request. */
  readonly moved: readonly (TierStep & { readonly id: string })[];
  /** Memories that fail checksum verification: they stay in their tier. */
  readonly damagedIds: readonly string[];
}

export interface MembersRead {
  readonly namespace: string;
  readonly tier: Tier;
  readonly agent?: string;
  readonly type?: string;
  /** Only memories that entered the tier at this instant or before it. */
  readonly untilUs?: Micros;
  /** Only memories after this one. */
  readonly after?: Pick<TierMember, 'tierSinceUs' | 'tie'>;
  readonly limit: number;
}

/** Values that decide whether a memory stays in its tier. */
export interface TierMember {
  readonly id: string;
  readonly tier: Tier;
  /** Time of entry into the tier or of the last retrieval in it. */
  readonly tierSinceUs: Micros;
  readonly type: string;
  readonly agent: string;
  readonly importance: number;
  readonly priority: number;
  readonly retrievalCount: number;
  readonly createdAtUs: Micros;
  readonly lastAccessedAtUs?: Micros;
  readonly step?: number;
  readonly contentBytes: number;
  /** Numbers at these paths of a JSON content. */
  readonly reward?: number;
  readonly surprise?: number;
  /** Position among members with the same instant. */
  readonly tie: number;
}

export interface TierTotal {
  readonly namespace: string;
  readonly tier: Tier;
  readonly agent: string;
  readonly type: string;
  readonly count: number;
  /** Size of original texts and contents. */
  readonly contentBytes: number;
}
