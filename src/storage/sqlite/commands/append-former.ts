import type { Micros } from '../../../memory/memory.ts';
import type { MirroredMemory } from '../../hot-log.ts';
import type { Changes } from '../changes.ts';
import { formerStateOf } from '../former-state.ts';

/** Notes states that a memory had elsewhere, newest first, as if it had been updated here. */
export function appendFormer(
  { log }: Pick<Changes, 'log'>,
  namespaceKey: number,
  pk: number,
  past: MirroredMemory['past'],
  atUs: Micros,
): void {
  for (const { memory } of past.toReversed()) {
    log.append('updated', { namespaceKey, pk, id: memory.id, atUs, former: formerStateOf(memory) });
  }
}
