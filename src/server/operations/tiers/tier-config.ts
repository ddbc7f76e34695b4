import type { Clock } from '../../../memory/clock.ts';
import { type FieldViolation, invalidFields } from '../../../memory/errors.ts';
import type { TierPolicy } from '../../../memory/tier-policy.ts';
import {
  changed,
  type SettingChange,
  settingViolations,
  type TierSettings,
  tierPolicyOf,
} from '../../../memory/tier-settings.ts';
import type { Records } from '../../../storage/records.ts';
import type { View } from '../../../storage/view.ts';
import { limitViolations } from '../namespaces/namespaces.ts';
import type { MemoryPressure } from './memory-pressure.ts';

/** Where a request has the settings. */
const FIELD = 'settings';

/** Server-wide settings of the tiers, which apply to namespaces without their own. */
export function tierConfig({ store }: Pick<TierDeps, 'store'>): Promise<TierSettings> {
  return store.tierSettings('');
}

export interface ConfigDeps {
  /** Called with the new effective settings. */
  readonly onConfig?: (settings: TierSettings) => void;
}

/** Sets and removes settings atomically: the whole is validated before any of it is applied. */
export async function updateTierConfig(
  deps: Pick<TierDeps, 'store' | 'view' | 'clock'> & ConfigDeps,
  changes: readonly SettingChange[],
  { allowDemotion }: { readonly allowDemotion: boolean },
): Promise<TierSettings> {
  const { store, clock, onConfig } = deps;
  const violations = settingViolations(changes, { server: new Map(), own: await store.tierSettings('') }, FIELD);
  if (violations.length === 0 && !allowDemotion) violations.push(...(await crowded(deps, changes)));
  if (violations.length > 0) throw invalidFields(violations);
  await store.write({ kind: 'setTierSettings', namespace: '', settings: changes, atUs: clock.nowUs() });
  const now = await store.tierSettings('');
  onConfig?.(now);
  return now;
}

/**
 * Limits that would fall below the contents of some namespace without own settings; one such namespace is named for
 * each.
 */
async function crowded(
  { store, view }: Pick<TierDeps, 'store' | 'view'>,
  changes: readonly SettingChange[],
): Promise<FieldViolation[]> {
  if (!changes.some(([key]) => key.endsWith('_limit'))) return [];
  const before = await store.tierSettings('');
  const after = changed(before, changes);
  const found = new Map<string, FieldViolation>();
  for (const [namespace, totals] of Map.groupBy(await view.totals(), (total) => total.namespace)) {
    const own = await store.tierSettings(namespace);
    const inForce = changes.filter(([key]) => !own.has(key));
    const policies = { before: tierPolicyOf(before, own), after: tierPolicyOf(after, own) };
    for (const violation of limitViolations(inForce, policies, totals, FIELD, ` in namespaces/${namespace}`)) {
      if (!found.has(violation.field)) found.set(violation.field, violation);
    }
  }
  return [...found.values()];
}

/** Namespaces without work until they change. */
export interface IdleNamespaces {
  has(namespace: string): Promise<boolean>;
  /** To be called when maintenance has found nothing to do. */
  note(namespace: string): Promise<void>;
}

/** Dependencies of operations on tiers. */
export interface TierDeps {
  readonly store: Records;
  readonly view: View;
  readonly clock: Clock;
  /** Absent where no resource has a limit. */
  readonly pressure?: MemoryPressure;
  /** Namespaces that background maintenance need not look at; absent where each one is looked at. */
  readonly idle?: IdleNamespaces;
  /** Awaited by maintenance before each part of its moves: notifications of writes have priority. */
  readonly othersFirst?: () => Promise<void>;
}

/** Policy of a namespace's tiers: its own settings override those of the server. */
export async function policyOf(
  { store }: { readonly store: Pick<Records, 'tierSettings'> },
  namespace: string,
): Promise<TierPolicy> {
  const [ofServer, own] = await Promise.all([store.tierSettings(''), store.tierSettings(namespace)]);
  return tierPolicyOf(ofServer, own);
}
