import type { Micros, Tier } from '../memory/memory.ts';
import type { Resolution } from '../memory/resolution/resolution.ts';

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
