import { CACHE_SETTINGS } from '../../memory/cache-settings.ts';
import { type FieldViolation, invalidFields } from '../../memory/errors.ts';
import type { TierPolicy } from '../../memory/tier-policy.ts';
import { changed, type SettingChange, settingViolations, tierPolicyOf } from '../../memory/tier-settings.ts';
import { UPPER_TIERS } from '../../memory/tiers.ts';
import type { TierTotal } from '../../storage/tier-store.ts';
import type { MemoryDeps } from '../memories/operation-deps.ts';

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
  const layers = { server: await tiers.tierSettings(''), own: await tiers.tierSettings(name) };
  const violations = settingViolations(settings, layers, FIELD);
  for (const [key] of settings) {
    if (!Object.hasOwn(CACHE_SETTINGS, key)) continue;
    violations.push({
      field: `${FIELD}[${key}]`,
      description: 'is of the server: set it with AdminService.UpdateConfig',
    });
  }
  if (violations.length === 0 && !allowDemotion) {
    const before = tierPolicyOf(layers.server, layers.own);
    const after = tierPolicyOf(layers.server, changed(layers.own, settings));
    violations.push(...limitViolations(settings, { before, after }, await tiers.totals(name), FIELD));
  }
  if (violations.length > 0) throw invalidFields(violations);
}

interface Limit {
  readonly key: string;
  /** 0: none. */
  readonly limit: number;
  readonly holds: number;
  readonly what: string;
}

/** Limits that are set below what tiers hold, or come down below it by being taken back, each with the number that is there. */
export function limitViolations(
  settings: readonly SettingChange[],
  { before, after }: { readonly before: TierPolicy; readonly after: TierPolicy },
  totals: readonly TierTotal[],
  field: string,
  where = '',
): FieldViolation[] {
  const values = new Map(settings);
  const former = new Map(limitsOf(before, totals).map(({ key, limit }) => [key, limit]));
  const isLess = ({ key, limit }: Limit): boolean => limit < (former.get(key) || Number.POSITIVE_INFINITY);
  return limitsOf(after, totals)
    .filter(({ key, limit, holds }) => values.has(key) && limit > 0 && limit < holds)
    .filter((one) => values.get(one.key) !== null || isLess(one))
    .map(({ key, limit, holds, what }) => {
      const least = `must be at least the ${holds} ${what} that are there${where}`;
      const description =
        values.get(key) === null
          ? `${least}, but would fall to ${limit} when taken back; set it, or allow_demotion to move the rest down`
          : `${least}, or allow_demotion be set to move the rest down`;
      return { field: `${field}[${key}]`, description };
    });
}

/** Every limit of the upper tiers, with what they hold of it. */
export function limitsOf({ rules, types }: TierPolicy, totals: readonly TierTotal[]): Limit[] {
  const held = (tier: string, part: 'count' | 'contentBytes', type?: string) =>
    totals
      .filter((total) => total.tier === tier && (type === undefined || total.type === type))
      .reduce((sum, total) => sum + total[part], 0);
  return [
    ...UPPER_TIERS.flatMap((tier) => [
      { key: `${tier}.memory_limit`, limit: rules[tier].memoryLimit, holds: held(tier, 'count'), what: 'memories' },
      { key: `${tier}.bytes_limit`, limit: rules[tier].bytesLimit, holds: held(tier, 'contentBytes'), what: 'bytes' },
    ]),
    ...types.map(({ type, tier, memoryLimit }) => {
      const key = `type.${type}.${tier}.memory_limit`;
      return { key, limit: memoryLimit, holds: held(tier, 'count', type), what: 'memories' };
    }),
  ];
}
