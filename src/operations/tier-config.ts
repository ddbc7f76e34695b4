import { invalidFields } from '../memory/errors.ts';
import { type SettingChange, settingViolations, type TierSettings } from '../memory/tier-settings.ts';
import type { TierDeps } from './tier-policy-of.ts';

/** Settings of the tiers that hold for every namespace that has none of its own. */
export function tierConfig({ tiers }: Pick<TierDeps, 'tiers'>): Promise<TierSettings> {
  return tiers.tierSettings('');
}

/** Sets and takes back settings, all or none: the whole is checked before any of it is applied. */
export async function updateTierConfig(
  { tiers, clock }: Pick<TierDeps, 'tiers' | 'clock'>,
  changes: readonly SettingChange[],
): Promise<TierSettings> {
  const violations = settingViolations(changes, await tiers.tierSettings(''), 'settings');
  if (violations.length > 0) throw invalidFields(violations);
  await tiers.setTierSettings({ namespace: '', settings: changes, atUs: clock.nowUs() });
  return tiers.tierSettings('');
}
