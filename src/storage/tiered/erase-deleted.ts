import type { Clock } from '../../memory/clock.ts';
import { MnemeError } from '../../memory/errors.ts';
import type { HotChanges } from '../hot-log.ts';
import type { MemoryStore } from '../memory-store.ts';

interface Stores {
  readonly cold: MemoryStore;
  readonly clock: Clock;
}

/**
 * Deletes the namespace here where the log tells that a server has deleted it, and makes it anew where it was made anew. What
 * only this server holds keeps it from being deleted by one that took it for empty. True when it was deleted: nothing of the
 * log was followed then.
 */
export async function eraseDeleted(
  { cold, clock }: Stores,
  name: string,
  { entries, isThere }: Pick<HotChanges, 'entries' | 'isThere'>,
): Promise<boolean> {
  const last = entries.findLast(({ kind }) => kind === 'namespace_deleted' || kind === 'namespace_emptied');
  if (!last) return false;
  const atUs = clock.nowUs();
  try {
    const { description, memoryLimit } = await cold.getNamespace(name);
    await cold.deleteNamespace({ name, force: last.kind === 'namespace_deleted', atUs });
    if (isThere) await cold.createNamespace({ name, description, memoryLimit, atUs });
    return true;
  } catch (error) {
    if (error instanceof MnemeError && error.reason === 'NAMESPACE_NOT_EMPTY') return false;
    throw error;
  }
}
