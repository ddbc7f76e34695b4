import type { Content, Embedding } from '../../memory/memory.ts';
import type { SessionOp } from '../session-store.ts';
import { bytesOfOps } from './sessions/outgoing-write.ts';

/** Rough size of a memory without its text and bytes: names, times, numbers. */
const BYTES_AROUND = 500;

interface Bytes {
  readonly content?: Content | undefined;
  readonly embedding?: Embedding | null;
}

/**
 * A write whose bytes lie in buffers of their own. What is sent to another thread is sent with the whole buffer around
 * it, and bytes that came over the network lie in one that is much larger.
 */
export function withOwnBytes<W extends Bytes>(write: W): W {
  const { content, embedding } = write;
  const isContentShared = content !== undefined && content.data.byteLength !== content.data.buffer.byteLength;
  const isVectorShared = embedding && embedding.values.byteLength !== embedding.values.buffer.byteLength;
  if (!isContentShared && !isVectorShared) return write;
  return {
    ...write,
    ...(isContentShared && { content: { ...content, data: new Uint8Array(content.data) } }),
    ...(isVectorShared && { embedding: { ...embedding, values: new Float32Array(embedding.values) } }),
  };
}

interface Sized extends Bytes {
  readonly text?: string | undefined;
}

/** About how much memory a write takes while it waits. */
export function bytesOfWrite(write: object | undefined): number {
  const parts = (write ?? {}) as {
    memories?: Sized[];
    vectors?: Sized[];
    changes?: Sized;
    ids?: string[];
    ops?: SessionOp[];
  };
  if (parts.ops) return BYTES_AROUND + bytesOfOps(parts.ops);
  const memories = [...(parts.memories ?? []), ...(parts.vectors ?? []), ...(parts.changes ? [parts.changes] : [])];
  return BYTES_AROUND + (parts.ids?.length ?? 0) * 40 + memories.reduce((sum, memory) => sum + bytesOf(memory), 0);
}

function bytesOf({ text, content, embedding }: Sized): number {
  return BYTES_AROUND + (text?.length ?? 0) + (content?.data.byteLength ?? 0) + (embedding?.values.byteLength ?? 0);
}
