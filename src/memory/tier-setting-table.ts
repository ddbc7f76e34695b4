import type { ImportanceSettings } from './importance.ts';
import type { Compaction, Resolution } from './resolution/resolution.ts';
import {
  choice,
  numberFrom,
  type SettingKind,
  spanOrNone,
  timeOrSteps,
  timeSpan,
  wholeNumber,
  words,
} from './setting-kinds.ts';
import type { TierPolicy } from './tier-policy.ts';

/** What the text of a setting must be, and what it makes of a policy; a text that is wrong changes nothing. */
export interface Definition {
  readonly kind: SettingKind<unknown>;
  apply(policy: TierPolicy, text: string): TierPolicy;
}

const COUNT_MAX = Number.MAX_SAFE_INTEGER;
const LIMIT = wholeNumber(0, COUNT_MAX, ' (0: no limit)');

function setting<T>(kind: SettingKind<T>, set: (policy: TierPolicy, value: T) => TierPolicy): Definition {
  return {
    kind,
    apply: (policy, text) => {
      const value = kind.read(text);
      return value === undefined ? policy : set(policy, value);
    },
  };
}

function limits(tier: 'short_term' | 'intermediate'): Record<string, Definition> {
  const rules = (policy: TierPolicy, changes: object): TierPolicy => ({
    ...policy,
    rules: { ...policy.rules, [tier]: { ...policy.rules[tier], ...changes } },
  });
  return {
    [`${tier}.memory_limit`]: setting(LIMIT, (policy, memoryLimit) => rules(policy, { memoryLimit })),
    [`${tier}.bytes_limit`]: setting(LIMIT, (policy, bytesLimit) => rules(policy, { bytesLimit })),
    [`${tier}.ttl`]: setting(spanOrNone(), (policy, { us }) => {
      const { ttlUs: _, ...others } = policy.rules[tier];
      const changed = us === undefined ? others : { ...others, ttlUs: us };
      return { ...policy, rules: { ...policy.rules, [tier]: changed } };
    }),
  };
}

function resolution(tier: 'intermediate' | 'long_term'): Record<string, Definition> {
  const resolved = (policy: TierPolicy, changes: Partial<Resolution>): TierPolicy => {
    const rules = policy.rules[tier];
    return {
      ...policy,
      rules: { ...policy.rules, [tier]: { ...rules, resolution: { ...rules.resolution, ...changes } } },
    };
  };
  const lossy = (policy: TierPolicy, changes: Partial<Compaction>): TierPolicy => {
    const before = policy.rules[tier].resolution.lossy ?? { dropKeys: [] };
    return resolved(policy, { lossy: { ...before, ...changes } });
  };
  return {
    [`${tier}.abstract_bytes`]: setting(wholeNumber(0, 65_536, ' (0: the whole text)'), (policy, abstractBytesMax) =>
      resolved(policy, { abstractBytesMax }),
    ),
    [`${tier}.compression_level`]: setting(wholeNumber(0, 19), (policy, compressionLevel) =>
      resolved(policy, { compressionLevel }),
    ),
    [`${tier}.vector`]: setting(choice('f32', 'bf16', 'i8'), (policy, vector) => resolved(policy, { vector })),
    [`${tier}.vector_dimension`]: setting(wholeNumber(0, 4096, ' (0: all)'), (policy, vectorDimension) =>
      resolved(policy, { vectorDimension }),
    ),
    [`${tier}.drop_keys`]: setting(words(/^[^,\p{Cc}]{1,128}$/u, 'keys'), (policy, dropKeys) =>
      lossy(policy, { dropKeys }),
    ),
    [`${tier}.round_decimals`]: setting(wholeNumber(0, 12), (policy, decimals) => lossy(policy, { decimals })),
  };
}

function importance<T>(
  kind: SettingKind<T>,
  changes: (value: T, before: ImportanceSettings) => Partial<ImportanceSettings>,
) {
  return setting(kind, (policy, value) => {
    const { importance: before } = policy;
    return { ...policy, importance: { ...before, ...changes(value, before) } };
  });
}

const WEIGHT = numberFrom(0, 1000);
/** Every setting of the tiers by its dotted key, but those of single types. */
export const TIER_SETTINGS: Readonly<Record<string, Definition>> = {
  ...limits('short_term'),
  ...limits('intermediate'),
  ...resolution('intermediate'),
  ...resolution('long_term'),
  'long_term.types': setting(words(/^[A-Za-z0-9_]{1,64}$/, 'types'), (policy, longTermTypes) => ({
    ...policy,
    longTermTypes,
  })),
  'importance.reward_weight': importance(WEIGHT, (rewardWeight) => ({ rewardWeight })),
  'importance.retrieval_weight': importance(WEIGHT, (retrievalWeight) => ({ retrievalWeight })),
  'importance.recency_weight': importance(WEIGHT, (recencyWeight) => ({ recencyWeight })),
  'importance.surprise_weight': importance(WEIGHT, (surpriseWeight) => ({ surpriseWeight })),
  'importance.reward_max': importance(numberFrom(0.000001, 1e12), (rewardMax) => ({ rewardMax })),
  'importance.retrieval_max': importance(wholeNumber(1, 1e9), (retrievalMax) => ({ retrievalMax })),
  'importance.recency': importance(timeSpan(), (recencyUs) => ({ recencyUs })),
  'importance.decay_factor': importance(numberFrom(0, 1), (factor, { decay }) => ({ decay: { ...decay, factor } })),
  'importance.decay_interval': importance(timeOrSteps(), (interval, { decay }) => ({
    decay: { ...decay, ...interval },
  })),
  'promotion.retrieval_count': setting(wholeNumber(1, 1e9), (policy, retrievalCountMin) => ({
    ...policy,
    promotion: { ...policy.promotion, retrievalCountMin },
  })),
  'promotion.importance': setting(numberFrom(0, 1), (policy, importanceMin) => ({
    ...policy,
    promotion: { ...policy.promotion, importanceMin },
  })),
  'redis.when_lost': setting(choice('refuse', 'store_below'), (policy, whenLost) => ({ ...policy, whenLost })),
};
