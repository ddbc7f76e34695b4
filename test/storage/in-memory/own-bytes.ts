import type { Memory } from '../../../src/memory/memory.ts';
import type { Draft } from '../../../src/storage/rules/draft.ts';

/** Copies the bytes that a write has brought into a draft, as its caller may reuse the buffers. */
export function ownBytes({ before, entries }: Draft): void {
  for (const [id, entry] of entries) {
    const former = before.get(id);
    if (former === entry) continue;
    const memory = withOwnBytes(entry.memory, former?.memory);
    entries.set(id, { ...entry, memory });
  }
}

function withOwnBytes(memory: Memory, before: Memory | undefined): Memory {
  const { content, embedding } = memory;
  const isNewVector = embedding !== before?.embedding;
  return {
    ...memory,
    ...(content && content !== before?.content && { content: { ...content, data: new Uint8Array(content.data) } }),
    ...(embedding && isNewVector && { embedding: { ...embedding, values: new Float32Array(embedding.values) } }),
  };
}
