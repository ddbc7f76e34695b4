import { CACHE_SETTINGS } from './cache-settings.ts';
import type { FieldViolation } from './errors.ts';
import { nearestOf } from './nearest-name.ts';
import { type SettingKind, spanOrNone, wholeNumber } from './setting-kinds.ts';
import { DEFAULT_TIER_POLICY, type TierPolicy, type TypeRule } from './tier-policy.ts';
import { TIER_SETTINGS } from './tier-setting-table.ts';

/** Settings by dotted key, as they are stored and as callers write them. */
export type TierSettings = ReadonlyMap<string, string>;

/** A value to set, or `null` to take the setting back. */
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

/** What is wrong with changes of `own` settings, which go before those of the server; `field` is where the request has them. */
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

/** What the key may have been meant to be, in few enough words to reach the caller. */
function knownLike(key: string): string {
  const [group = ''] = key.split('.', 1);
  if (group === 'type') return `those of a type are ${TYPE_KEY_SHAPE}`;
  const keys = [...Object.keys(TIER_SETTINGS), ...Object.keys(CACHE_SETTINGS)];
  const ofGroup = keys.filter((known) => known.startsWith(`${group}.`));
  const groups = new Set(keys.map((known) => known.split('.', 1)[0]));
  const nearest = nearestOf(key, keys, (name) => `did you mean ${name}? `);
  if (ofGroup.length === 0)
    return `${nearest}there are ${[...groups].map((name) => `${name}.*`).join(', ')} and ${TYPE_KEY_SHAPE}`;
  return `${nearest}there are ${group}.{${ofGroup.map((known) => known.slice(group.length + 1)).join('|')}}`;
}

function kindOf(key: string): SettingKind<unknown> | undefined {
  if (Object.hasOwn(CACHE_SETTINGS, key)) return CACHE_SETTINGS[key];
  if (Object.hasOwn(TIER_SETTINGS, key)) return TIER_SETTINGS[key]?.kind;
  return TYPE_KINDS[TYPE_KEY.exec(key)?.[3] ?? ''];
}

/** What no single setting is wrong about. */
function contradictions({ importance, types }: TierPolicy): [key: string, description: string][] {
  const { rewardWeight, retrievalWeight, recencyWeight, surpriseWeight } = importance;
  const found: [string, string][] = [];
  if (rewardWeight + retrievalWeight + recencyWeight + surpriseWeight === 0) {
    found.push(['importance.reward_weight', 'must not be 0 when the three other weights are']);
  }
  const names = new Set(types.map(({ type }) => type));
  if (names.size > TYPES_MAX) found.push(['type', `may tell of at most ${TYPES_MAX} types, got ${names.size}`]);
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
