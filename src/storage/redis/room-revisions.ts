import { memoryNotFound } from '../../memory/errors.ts';
import { isExpired } from '../in-memory/draft.ts';
import type { MemoryStore, PastState } from '../memory-store.ts';
import { pastOf } from './room-log.ts';
import type { RoomReader } from './room-reader.ts';

/** States of a memory, newest first: those that are damaged are told of as such. */
export async function revisionsIn(
  reader: RoomReader,
  { namespace, id, limit, beforeRevision, nowUs }: Parameters<MemoryStore['revisions']>[0],
): Promise<PastState[]> {
  const entry = (await reader.loadThere([id], 'basic')).entries.get(id);
  if (!entry || isExpired(entry.memory, nowUs)) throw memoryNotFound(namespace, id);
  const { memory, change, isDamaged } = entry;
  const past = await pastOf(reader, entry);
  const states: PastState[] = [{ memory, change, ...(isDamaged && { isDamaged }) }, ...past];
  return states.filter((state) => state.memory.revision < (beforeRevision ?? Number.POSITIVE_INFINITY)).slice(0, limit);
}
