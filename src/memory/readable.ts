import { isDamage } from './errors.ts';
import type { Memory } from './memory.ts';

/** What can be read of some memories: in their order, `undefined` for those that are not there or damaged. */
export interface Readable {
  readonly memories: readonly (Memory | undefined)[];
  readonly damagedIds: readonly string[];
}

/** Reads them one by one where one is damaged. */
export async function readable(
  ids: readonly string[],
  read: (some: readonly string[]) => Promise<readonly (Memory | undefined)[]>,
): Promise<Readable> {
  try {
    return { memories: await read(ids), damagedIds: [] };
  } catch (error) {
    if (!isDamage(error)) throw error;
  }
  const memories: (Memory | undefined)[] = [];
  const damagedIds: string[] = [];
  for (const id of ids) {
    try {
      memories.push(...(await read([id])));
    } catch (error) {
      if (!isDamage(error)) throw error;
      memories.push(undefined);
      damagedIds.push(id);
    }
  }
  return { memories, damagedIds };
}
