import type { Memory, Micros, Tier } from '../memory/memory.ts';
import type { Resolution } from '../memory/resolution/resolution.ts';

/**
 * Memories of a store by tier, and moves between tiers. Every backend passes `test/conformance/tier-store.suite.ts`.
 *
 * A move changes the tier of a memory, since when it is there, and at what resolution it is kept for searching; all else
 * stays as it is, revision, times, counts, vectors and former states included, and reads give it back bit for bit.
 * It is one transaction, with its entry in the change log. Methods fail with NAMESPACE_NOT_FOUND unless said otherwise.
 */
export interface TierStore {
  /** Memories that are gone, or in the tier already, are passed over. */
  move(write: MoveWrite): Promise<MoveOutcome>;
  /**
   * Members of a tier, longest in it first, at most `limit`. An index has them in this order, by agent and by type too:
   * the rest of the tier is never looked at.
   */
  members(read: MembersRead): Promise<TierMember[]>;
  /** What is in the tiers of a namespace, or of all of them, by agent and type; kept with every write, not counted. */
  totals(namespace?: string): Promise<TierTotal[]>;

  /** Settings that were set for a namespace, or for all of them where it is ''. Empty for a namespace that is not there. */
  tierSettings(namespace: string): Promise<ReadonlyMap<string, string>>;
  /** Replaces them; `null` takes one back. All or none. */
  setTierSettings(write: {
    readonly namespace: string;
    readonly settings: readonly (readonly [key: string, value: string | null])[];
    readonly atUs: Micros;
  }): Promise<void>;
  /** Notes that a namespace was maintained. */
  setMaintained(write: { readonly namespace: string; readonly atUs: Micros }): Promise<void>;
  /** When it was last maintained; absent when never. */
  maintainedAtUs(namespace: string): Promise<Micros | undefined>;
}

/** A tier that could not take new memories, and where they were stored instead. */
export interface Detour {
  readonly around: Tier;
  readonly storedIn: Tier;
  readonly reason: string;
}

export interface MoveWrite {
  readonly namespace: string;
  readonly ids: readonly string[];
  readonly to: Tier;
  /** In what form the tier keeps it for searching. */
  readonly resolution: Resolution;
  /** Only memories of these tiers are moved; absent: of any. */
  readonly from?: readonly Tier[];
  readonly atUs: Micros;
}

/** What a move has made of the tier of one memory. */
export interface TierStep {
  readonly from: Tier;
  readonly to: Tier;
}

export interface MoveOutcome {
  readonly revision: number;
  /** Those that were moved, in the order of the request. */
  readonly moved: readonly (TierStep & { readonly id: string })[];
  /** Those whose bytes do not give their checksum: they stay where they are. */
  readonly damagedIds: readonly string[];
}

export interface MembersRead {
  readonly namespace: string;
  readonly tier: Tier;
  readonly agent?: string;
  readonly type?: string;
  /** Only those that came to the tier at this instant or before it. */
  readonly untilUs?: Micros;
  /** Only those after this one. */
  readonly after?: Pick<TierMember, 'tierSinceUs' | 'tie'>;
  readonly limit: number;
}

/** What decides whether a memory stays in its tier. */
export interface TierMember {
  readonly id: string;
  readonly tier: Tier;
  /** When it came to the tier or was last touched in it. */
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
  /** Place among those that came at the same instant. */
  readonly tie: number;
}

export interface TierTotal {
  readonly namespace: string;
  readonly tier: Tier;
  readonly agent: string;
  readonly type: string;
  readonly count: number;
  /** Of texts and contents, as callers gave them. */
  readonly contentBytes: number;
}

/** A memory on its way between two stores, with all that its store knows of it. */
export interface CopiedMemory {
  /** In full view. */
  readonly memory: Memory;
  readonly tierSinceUs: Micros;
  readonly embeddingPending: boolean;
  /** Former states, newest first. */
  readonly past: readonly { readonly memory: Memory; readonly change: 'stored' | 'updated' }[];
}
