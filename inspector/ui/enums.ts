import { ChangeKind } from '../../gen/ts/mneme/v1/change.ts';
import { Tier } from '../../gen/ts/mneme/v1/memory.ts';

const TIERS: Readonly<Record<number, string>> = {
  [Tier.TIER_SHORT_TERM]: 'short term',
  [Tier.TIER_INTERMEDIATE]: 'intermediate',
  [Tier.TIER_LONG_TERM]: 'long term',
};

export function tierText(tier: Tier): string {
  return TIERS[tier] ?? 'unknown';
}

/** As filters and settings write it. */
export function tierWord(tier: Tier): string {
  return tierText(tier).replace(' ', '_');
}

const CHANGES: Readonly<Record<number, string>> = {
  [ChangeKind.CHANGE_KIND_STORED]: 'stored',
  [ChangeKind.CHANGE_KIND_UPDATED]: 'updated',
  [ChangeKind.CHANGE_KIND_DELETED]: 'deleted',
  [ChangeKind.CHANGE_KIND_EXPIRED]: 'expired',
  [ChangeKind.CHANGE_KIND_EMBEDDED]: 'embedded',
  [ChangeKind.CHANGE_KIND_TOUCHED]: 'read',
  [ChangeKind.CHANGE_KIND_NAMESPACE_CREATED]: 'namespace created',
  [ChangeKind.CHANGE_KIND_NAMESPACE_UPDATED]: 'namespace updated',
  [ChangeKind.CHANGE_KIND_NAMESPACE_DELETED]: 'namespace deleted',
  [ChangeKind.CHANGE_KIND_VECTORS_REPLACED]: 'vectors replaced',
  [ChangeKind.CHANGE_KIND_MOVED]: 'moved',
};

export function changeText(kind: ChangeKind): string {
  return CHANGES[kind] ?? 'unknown';
}
