import { CONSOLIDATION_SETTINGS } from './consolidation/consolidation-settings.ts';
import type { FieldViolation } from './errors.ts';
import { EXTRACTION_SETTINGS } from './extraction-settings.ts';
import { nearestOf } from './nearest-name.ts';
import { RECALL_SETTINGS } from './recall-settings.ts';
import type { Compaction, Resolution } from './resolution/resolution.ts';
import {
  CACHE_SETTINGS,
  choice,
  numberFrom,
  type SettingKind,
  spanOrNone,
  timeOrSteps,
  timeSpan,
  wholeNumber,
  words,
} from './setting-kinds.ts';
import { DEFAULT_TIER_POLICY, type ImportanceSettings, type TierPolicy, type TypeRule } from './tier-policy.ts';

/** Settings by dotted key, as they are stored and as callers write them. */
export type TierSettings = ReadonlyMap<string, string>;

/** A value to set, or `null` to remove the setting. */
export type SettingChange = readonly [key: string, value: string | null];

const CHANGES_MAX = 256;
const TYPES_MAX = 64;
const VALUE_LENGTH_MAX = 8192;
const TYPE_KEY = /^type\.([A-Za-z0-9_]{1,64})\.(short_term|intermediate)\.(memory_limit|ttl)$/;
const TYPE_KINDS: Readonly<Record<string, SettingKind<unknown>>> = {
  memory_limit: wholeNumber(0, Number.MAX_SAFE_INTEGER, ' (0: no limit)'),
  ttl: spanOrNone(),
};
const TYPE_KEY_SHAPE = 'type.{type}.{short_term|intermediate}.{memory_limit|ttl}';

/**
 * The problems with changes of the namespace's `own` settings, which override those of the server; `field` is their
 * path in the request.
 */
export function settingViolations(
  changes: readonly SettingChange[],
  { server, own }: { readonly server: TierSettings; readonly own: TierSettings },
  field: string,
): FieldViolation[] {
  if (changes.length > CHANGES_MAX) {
    return [{ field, description: `must be at most ${CHANGES_MAX} settings, got ${changes.length}` }];
  }
  const violations = changes.flatMap(([key, value]) => {
    const description = wrong(key, value);
    return description === undefined ? [] : [{ field: `${field}[${printed(key)}]`, description }];
  });
  if (violations.length > 0) return violations;
  const policy = tierPolicyOf(server, changed(own, changes));
  return contradictions(policy).map(([key, description]) => ({ field: `${field}[${key}]`, description }));
}

/** The settings with changes made to them. */
export function changed(before: TierSettings, changes: readonly SettingChange[]): TierSettings {
  const after = new Map(before);
  for (const [key, value] of changes) {
    if (value === null) after.delete(key);
    else after.set(key, value);
  }
  return after;
}

/** The policy that settings make of the default one; later layers win. Settings that are not known, or wrong, are passed over. */
export function tierPolicyOf(...layers: readonly TierSettings[]): TierPolicy {
  const settings = new Map(layers.flatMap((layer) => [...layer]));
  let policy = DEFAULT_TIER_POLICY;
  for (const [key, value] of settings) {
    if (Object.hasOwn(TIER_SETTINGS, key)) policy = TIER_SETTINGS[key]?.apply(policy, value) ?? policy;
  }
  return { ...policy, types: typeRulesOf(settings) };
}

function wrong(key: string, value: string | null): string | undefined {
  const kind = kindOf(key);
  if (!kind) return `is not a setting; ${knownLike(key)}`;
  if (value === null || (value.length <= VALUE_LENGTH_MAX && kind.read(value) !== undefined)) return undefined;
  return `must be ${kind.expected}, got ${JSON.stringify(value.slice(0, 80))}`;
}

/** A suggestion of the key that may have been meant, short enough for an error text. */
function knownLike(key: string): string {
  const [group = ''] = key.split('.', 1);
  if (group === 'type') return `settings of a type have the form ${TYPE_KEY_SHAPE}`;
  const keys = [TIER_SETTINGS, CACHE_SETTINGS, EXTRACTION_SETTINGS, CONSOLIDATION_SETTINGS, RECALL_SETTINGS].flatMap(
    (settings) => Object.keys(settings),
  );
  const ofGroup = keys.filter((known) => known.startsWith(`${group}.`));
  const groups = new Set(keys.map((known) => known.split('.', 1)[0]));
  const nearest = nearestOf(key, keys, (name) => `did you mean ${name}? `);
  if (ofGroup.length === 0)
    return `${nearest}there are ${[...groups].map((name) => `${name}.*`).join(', ')} and ${TYPE_KEY_SHAPE}`;
  return `${nearest}there are ${group}.{${ofGroup.map((known) => known.slice(group.length + 1)).join('|')}}`;
}

function kindOf(key: string): SettingKind<unknown> | undefined {
  if (Object.hasOwn(CACHE_SETTINGS, key)) return CACHE_SETTINGS[key];
  if (Object.hasOwn(CONSOLIDATION_SETTINGS, key)) return CONSOLIDATION_SETTINGS[key];
  if (Object.hasOwn(EXTRACTION_SETTINGS, key)) return EXTRACTION_SETTINGS[key];
  if (Object.hasOwn(RECALL_SETTINGS, key)) return RECALL_SETTINGS[key];
  if (Object.hasOwn(TIER_SETTINGS, key)) return TIER_SETTINGS[key]?.kind;
  return TYPE_KINDS[TYPE_KEY.exec(key)?.[3] ?? ''];
}

/** Problems that arise from a combination of settings. */
function contradictions({ importance, types }: TierPolicy): [key: string, description: string][] {
  const { rewardWeight, retrievalWeight, recencyWeight, surpriseWeight } = importance;
  const found: [string, string][] = [];
  if (rewardWeight + retrievalWeight + recencyWeight + surpriseWeight === 0) {
    found.push(['importance.reward_weight', 'must not be 0 when the three other weights are']);
  }
  const names = new Set(types.map(({ type }) => type));
  if (names.size > TYPES_MAX)
    found.push(['type', `may have settings for at most ${TYPES_MAX} types, got ${names.size}`]);
  return found;
}

function typeRulesOf(settings: TierSettings): TypeRule[] {
  const rules = new Map<string, TypeRule>();
  for (const [key, value] of settings) {
    const [, type = '', tier, name] = TYPE_KEY.exec(key) ?? [];
    if (tier !== 'short_term' && tier !== 'intermediate') continue;
    const rule = rules.get(`${type}.${tier}`) ?? { type, tier, memoryLimit: 0 };
    const us = name === 'ttl' ? spanOrNone().read(value)?.us : undefined;
    const limit = name === 'memory_limit' ? Number(value) : rule.memoryLimit;
    rules.set(`${type}.${tier}`, { ...rule, memoryLimit: limit, ...(us === undefined ? {} : { ttlUs: us }) });
  }
  return [...rules.values()];
}

function printed(key: string): string {
  return /^[\w.-]{1,160}$/.test(key) ? key : JSON.stringify(key.slice(0, 80));
}

/** The valid text of a setting and its effect on a policy; an invalid text changes nothing. */
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
/** Every setting of the tiers by its dotted key, except those of single types. */
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
};
