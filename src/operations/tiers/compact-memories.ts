import { checksumOf } from '../../memory/checksum.ts';
import { deriveText } from '../../memory/derive-text.ts';
import { type ErrorReason, isDamage, MnemeError } from '../../memory/errors.ts';
import type { Memory } from '../../memory/memory.ts';
import { readable } from '../../memory/readable.ts';
import { compact } from '../../memory/resolution/compact.ts';
import type { Compaction } from '../../memory/resolution/resolution.ts';
import type { MemoryChanges } from '../../storage/memory-store.ts';
import type { MemoryDeps } from '../memories/operation-deps.ts';

export interface Compacted {
  /** Those that may be moved now: all but the damaged ones, in their order. */
  readonly ids: readonly string[];
  readonly damagedIds: readonly string[];
}

/**
 * Drops for good what the namespace has allowed to lose, before its memories come to a tier that asks for it. Each memory
 * becomes a new state with a record of the loss; the state before it is not kept. One that is changed meanwhile is left
 * as it is: its next move finds it; so is one of a scope that is read-only. One that is damaged is named.
 */
export async function compactMemories(
  { store, clock }: Pick<MemoryDeps, 'store' | 'clock'>,
  namespace: string,
  ids: readonly string[],
  lossy: Compaction | undefined,
): Promise<Compacted> {
  if (!lossy) return { ids, damagedIds: [] };
  // With their vectors: what is damaged of one cannot be written anew either.
  const read = { namespace, view: 'full', nowUs: clock.nowUs() } as const;
  const { memories, damagedIds } = await readable(ids, (some) => store.get({ ...read, ids: some }));
  const damaged = new Set(damagedIds);
  for (const memory of memories) {
    const changes = memory && changesOf(memory, lossy);
    if (!memory || !changes) continue;
    const write = { namespace, id: memory.id, expectedRevision: memory.revision, changes, dropsFormer: true };
    try {
      await store.update({ ...write, atUs: clock.nowUs() });
    } catch (error) {
      if (isDamage(error)) damaged.add(memory.id);
      else if (!staysAsItIs(error)) throw error;
    }
  }
  return { ids: ids.filter((id) => !damaged.has(id)), damagedIds: [...damaged] };
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

const LEFT_ALONE: ReadonlySet<ErrorReason> = new Set(['VERSION_MISMATCH', 'MEMORY_NOT_FOUND', 'SCOPE_READ_ONLY']);

function staysAsItIs(error: unknown): boolean {
  return error instanceof MnemeError && LEFT_ALONE.has(error.reason);
}
