import { jsonOf } from './bad-input.ts';
import { Content } from './content.ts';
import type { ImportedMemory } from './memory.ts';

/** Limits of one message, as documented for ImportMemories. */
const BATCH_LIMITS = { count: 256, bytes: 1024 * 1024 } as const;

/** Reserve for the parts of a memory that are not counted. */
const OVERHEAD_BYTES = 512;

/** Puts memories together into groups that fit into one message each, in their order. */
export async function* batchesOf<M extends ImportedMemory>(
  memories: AsyncIterable<M> | Iterable<M>,
  limits: { readonly count: number; readonly bytes: number } = BATCH_LIMITS,
): AsyncGenerator<M[], void, undefined> {
  let batch: M[] = [];
  let bytes = 0;
  for await (const memory of memories) {
    const size = sizeOf(memory);
    if (batch.length > 0 && (batch.length >= limits.count || bytes + size > limits.bytes)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(memory);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}

/** Bytes on the wire, or a little more. */
export function sizeOf({ text = '', content, embedding, tags = [] }: ImportedMemory): number {
  const contentBytes =
    content === undefined
      ? 0
      : content instanceof Content
        ? content.data.length
        : jsonOf(content, 'content').length * 3;
  const tagBytes = tags.reduce((sum, tag) => sum + tag.length * 3 + 2, 0);
  return OVERHEAD_BYTES + text.length * 3 + contentBytes + (embedding?.values.length ?? 0) * 4 + tagBytes;
}
