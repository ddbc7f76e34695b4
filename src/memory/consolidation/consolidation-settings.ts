import type { Micros } from '../memory.ts';
import { type SettingKind, spanOrNone } from '../setting-kinds.ts';

const INTERVAL = 'consolidation.interval';
const KIND = spanOrNone();

/** Settings of consolidation in the background: those of a namespace override those of the server. */
export const CONSOLIDATION_SETTINGS: Readonly<Record<string, SettingKind<unknown>>> = { [INTERVAL]: KIND };

/** Time between two consolidations of a namespace; later layers win. Absent: there are none in the background. */
export function consolidationIntervalOf(...layers: readonly ReadonlyMap<string, string>[]): Micros | undefined {
  const text = layers.findLast((layer) => layer.has(INTERVAL))?.get(INTERVAL);
  return text === undefined ? undefined : KIND.read(text)?.us;
}
