import type { MirroredMemory } from '../hot-log.ts';
import { entryOfCopy } from './entry-of-copy.ts';
import type { RoomEntry } from './room-entry.ts';
import type { RoomWriter } from './room-writer.ts';

/** Gives damaged memories the bytes of copies that were made of the very state that is damaged. */
export function mendIn(writer: RoomWriter, copies: readonly MirroredMemory[]): Promise<readonly string[]> {
  return writer.submit({
    ids: copies.map(({ memory }) => memory.id),
    atUs: 0,
    isRecovery: true,
    run: (draft) =>
      copies.flatMap((copy) => {
        const { id } = copy.memory;
        const entry = draft.entries.get(id);
        const mended = entry && mendedBy(copy, entry);
        if (mended) draft.entries.set(id, mended);
        return mended ? [id] : [];
      }),
  });
}

function mendedBy(copy: MirroredMemory, entry: RoomEntry): RoomEntry | undefined {
  // Of one of which nothing can be read its card knows the revision.
  const isSameState = copy.memory.revision === entry.memory.revision;
  if (copy.isDamaged || !entry.isDamaged || !isSameState) return undefined;
  // Former states are kept elsewhere, and have stayed.
  const whole = { ...entryOfCopy(copy, entry.sequence), past: [] };
  if (entry.isUnreadable) return whole;
  const { text, content, embedding, checksum } = copy.memory;
  if (checksum !== entry.memory.checksum) return undefined;
  const memory = { ...entry.memory, text, ...(content && { content }), ...(embedding && { embedding }) };
  const { tierSinceUs, change, resolution } = entry;
  return { ...whole, memory, tierSinceUs, change, ...(resolution && { resolution }) };
}
