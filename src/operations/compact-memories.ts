import { checksumOf } from '../memory/checksum.ts';
import { deriveText } from '../memory/derive-text.ts';
import { MnemeError } from '../memory/errors.ts';
import type { Memory } from '../memory/memory.ts';
import { readable } from '../memory/readable.ts';
import { compact } from '../memory/resolution/compact.ts';
import type { Compaction } from '../memory/resolution/resolution.ts';
import type { MemoryChanges } from '../storage/memory-store.ts';
import type { MemoryDeps } from './operation-deps.ts';

/**
 * Drops for good what the namespace has allowed to lose, before its memories come to a tier that asks for it. Each memory
 * becomes a new state with a record of the loss; the state before it is not kept. One that is changed meanwhile is left
 * as it is: its next move finds it; one that is damaged is for the move to name. Gives the ids of those that have lost something.
 */
export async function compactMemories(
  { store, clock }: Pick<MemoryDeps, 'store' | 'clock'>,
  namespace: string,
  ids: readonly string[],
  lossy: Compaction,
): Promise<string[]> {
  const compacted: string[] = [];
  const read = { namespace, view: 'basic', nowUs: clock.nowUs() } as const;
  const { memories } = await readable(ids, (some) => store.get({ ...read, ids: some }));
  for (const memory of memories) {
    const changes = memory && changesOf(memory, lossy);
    if (!memory || !changes) continue;
    const write = { namespace, id: memory.id, expectedRevision: memory.revision, changes, dropsFormer: true };
    try {
      await store.update({ ...write, atUs: clock.nowUs() });
      compacted.push(memory.id);
    } catch (error) {
      if (!isChangedMeanwhile(error)) throw error;
    }
  }
  return compacted;
}

/** `undefined` when there is nothing to lose. Text that was derived follows the content. */
function changesOf(memory: Memory, lossy: Compaction): MemoryChanges | undefined {
  const result = compact(memory.content, lossy);
  if (!result) return undefined;
  const { content, loss } = result;
  const text = memory.textDerived ? deriveText(content) : memory.text;
  const earlier = memory.compaction;
  const compaction = {
    checksum: earlier?.checksum ?? memory.checksum,
    contentBytes: earlier?.contentBytes ?? loss.contentBytes,
    droppedKeys: [...new Set([...(earlier?.droppedKeys ?? []), ...loss.droppedKeys])].sort(),
    ...(loss.decimals === undefined ? earlierDecimals(memory) : { decimals: loss.decimals }),
  };
  return { content, text, checksum: checksumOf(text, content), compaction };
}

function earlierDecimals({ compaction }: Memory): { readonly decimals?: number } {
  return compaction?.decimals === undefined ? {} : { decimals: compaction.decimals };
}

function isChangedMeanwhile(error: unknown): boolean {
  return error instanceof MnemeError && (error.reason === 'ETAG_MISMATCH' || error.reason === 'MEMORY_NOT_FOUND');
}
