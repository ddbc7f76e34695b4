import { invalidFields } from '../memory/errors.ts';
import { type SettingChange, settingViolations, type TierSettings } from '../memory/tier-settings.ts';
import type { TierDeps } from './tier-policy-of.ts';

/** Settings of the tiers that hold for every namespace that has none of its own. */
export function tierConfig({ tiers }: Pick<TierDeps, 'tiers'>): Promise<TierSettings> {
  return tiers.tierSettings('');
}

export interface ConfigDeps {
  /** Told of the settings that hold from now on. */
  readonly onConfig?: (settings: TierSettings) => void;
}

/** Sets and takes back settings, all or none: the whole is checked before any of it is applied. */
export async function updateTierConfig(
  { tiers, clock, onConfig }: Pick<TierDeps, 'tiers' | 'clock'> & ConfigDeps,
  changes: readonly SettingChange[],
): Promise<TierSettings> {
  const violations = settingViolations(changes, await tiers.tierSettings(''), 'settings');
  if (violations.length > 0) throw invalidFields(violations);
  await tiers.setTierSettings({ namespace: '', settings: changes, atUs: clock.nowUs() });
  const now = await tiers.tierSettings('');
  onConfig?.(now);
  return now;
}
