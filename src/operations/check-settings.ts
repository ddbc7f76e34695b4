import { CACHE_SETTINGS } from '../memory/cache-settings.ts';
import { type FieldViolation, invalidFields } from '../memory/errors.ts';
import {
  changed,
  type SettingChange,
  settingViolations,
  type TierSettings,
  tierPolicyOf,
} from '../memory/tier-settings.ts';
import { UPPER_TIERS } from '../memory/tiers.ts';
import type { TierTotal } from '../storage/tier-store.ts';
import type { MemoryDeps } from './operation-deps.ts';

/** Where a request has the settings of a namespace. */
const FIELD = 'namespace.settings';

/**
 * Fails with FIELD_INVALID, naming every setting that is wrong, before anything is changed. Limits that are new must not be
 * below what the tiers hold, unless `allowDemotion`.
 */
export async function checkSettings(
  { tiers }: Pick<MemoryDeps, 'tiers'>,
  { name, settings, allowDemotion }: { name: string; settings: readonly SettingChange[]; allowDemotion: boolean },
): Promise<void> {
  if (settings.length === 0) return;
  const before: TierSettings = new Map([...(await tiers.tierSettings('')), ...(await tiers.tierSettings(name))]);
  const violations = settingViolations(settings, before, FIELD);
  for (const [key] of settings) {
    if (!Object.hasOwn(CACHE_SETTINGS, key)) continue;
    violations.push({
      field: `${FIELD}[${key}]`,
      description: 'is of the server: set it with AdminService.UpdateConfig',
    });
  }
  if (violations.length === 0 && !allowDemotion) {
    const policy = tierPolicyOf(changed(before, settings));
    violations.push(...limitViolations(settings, policy, await tiers.totals(name), FIELD));
  }
  if (violations.length > 0) throw invalidFields(violations);
}

/** New limits that are below what tiers hold, each with the number that is there. */
export function limitViolations(
  settings: readonly SettingChange[],
  { rules, types }: ReturnType<typeof tierPolicyOf>,
  totals: readonly TierTotal[],
  field: string,
  where = '',
): FieldViolation[] {
  const isSet = new Set(settings.map(([key]) => key));
  const held = (tier: string, part: 'count' | 'contentBytes', type?: string) =>
    totals
      .filter((total) => total.tier === tier && (type === undefined || total.type === type))
      .reduce((sum, total) => sum + total[part], 0);
  const limits = [
    ...UPPER_TIERS.flatMap((tier) => [
      { key: `${tier}.memory_limit`, limit: rules[tier].memoryLimit, holds: held(tier, 'count'), what: 'memories' },
      { key: `${tier}.bytes_limit`, limit: rules[tier].bytesLimit, holds: held(tier, 'contentBytes'), what: 'bytes' },
    ]),
    ...types.map(({ type, tier, memoryLimit }) => {
      const key = `type.${type}.${tier}.memory_limit`;
      return { key, limit: memoryLimit, holds: held(tier, 'count', type), what: 'memories' };
    }),
  ];
  return limits
    .filter(({ key, limit, holds }) => isSet.has(key) && limit > 0 && limit < holds)
    .map(({ key, holds, what }) => ({
      field: `${field}[${key}]`,
      description: `must be at least the ${holds} ${what} that are there${where}, or allow_demotion be set to move the rest down`,
    }));
}
