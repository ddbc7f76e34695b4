import type { Call } from '../../../memory/call.ts';
import { invalidFields } from '../../../memory/errors.ts';
import type { Micros } from '../../../memory/memory.ts';
import { isoText } from '../../../memory/time/instants.ts';
import type { MemoryDeps } from './operation-deps.ts';

interface Expiring {
  readonly expiresAtUs?: Micros;
}

export function hasExpiry({ expiresAtUs }: Expiring, nowUs: Micros): boolean {
  return expiresAtUs !== undefined && expiresAtUs <= nowUs;
}

/**
 * Fails with FIELD_INVALID for memories that would have expired when they are written. A repetition of a call that has
 * been carried out passes, so that it gets its first answer. `pathOf` is the memory's path in the request.
 */
export async function checkExpiry(
  { store, clock }: Pick<MemoryDeps, 'store' | 'clock'>,
  { namespace, memories }: { readonly namespace: string; readonly memories: readonly Expiring[] },
  { idempotency }: Pick<Call, 'idempotency'>,
  pathOf: (at: number) => string = () => 'memory',
): Promise<void> {
  const nowUs = clock.nowUs();
  const faults = memories.flatMap((memory, at) =>
    hasExpiry(memory, nowUs)
      ? [{ field: `${pathOf(at)}.expire_time`, description: faultOf(memory.expiresAtUs ?? nowUs, nowUs) }]
      : [],
  );
  if (faults.length === 0) return;
  if (!idempotency || (await store.outcomeOf(namespace, idempotency)) === undefined) throw invalidFields(faults);
}

function faultOf(atUs: Micros, nowUs: Micros): string {
  return `must be after now, ${isoText(nowUs)}, got ${isoText(atUs)}; DeleteMemory erases a memory at once`;
}
