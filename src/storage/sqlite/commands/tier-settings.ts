import type { TierStore } from '../../tier-store.ts';
import type { Changes } from '../changes.ts';
import { prepared, queries } from '../prepared.ts';

const putSetting = prepared((p: { namespace_key: number; key: string; value: string }) =>
  queries.replaceInto('tier_setting').values({ namespace_key: p.namespace_key, key: p.key, value: p.value }),
);
const dropSetting = prepared((p: { namespace_key: number; key: string }) =>
  queries.deleteFrom('tier_setting').where('namespace_key', '=', p.namespace_key).where('key', '=', p.key),
);
const putMaintained = prepared((p: { namespace_key: number; at_us: number }) =>
  queries.replaceInto('tier_maintenance').values({ namespace_key: p.namespace_key, at_us: p.at_us }),
);

/** Key of the settings that hold for all namespaces. */
export const ALL_NAMESPACES = 0;

export function setTierSettings(changes: Changes, write: Parameters<TierStore['setTierSettings']>[0]): undefined {
  const key = write.namespace === '' ? ALL_NAMESPACES : changes.namespace(write.namespace).key;
  writeTierSettings(changes, key, write.settings);
  return undefined;
}

export function writeTierSettings(
  { database }: Changes,
  namespace_key: number,
  settings: readonly (readonly [key: string, value: string | null])[],
): void {
  for (const [key, value] of settings) {
    if (value === null) dropSetting(database).run({ namespace_key, key });
    else putSetting(database).run({ namespace_key, key, value });
  }
}

export function setMaintained(
  changes: Changes,
  { namespace, atUs }: Parameters<TierStore['setMaintained']>[0],
): undefined {
  putMaintained(changes.database).run({ namespace_key: changes.namespace(namespace).key, at_us: atUs });
  return undefined;
}
