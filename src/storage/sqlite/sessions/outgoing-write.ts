import type { Content } from '../../../memory/memory.ts';
import type { SessionOp, SessionWrite } from '../../session-store.ts';

/**
 * Copies the bytes of a write into buffers of their own: a message to another thread carries the whole buffer under a
 * view, and bytes from the network are views of a much larger buffer.
 */
export function withOwnBytes(write: SessionWrite): SessionWrite {
  return write.ops.some(hasShared) ? { ...write, ops: write.ops.map(owning) } : write;
}

function hasShared(op: SessionOp): boolean {
  if (op.kind === 'set') return isShared(op.content);
  return op.kind === 'append' && op.contents.some(isShared);
}

function owning(op: SessionOp): SessionOp {
  if (op.kind === 'set') return { ...op, content: owned(op.content) };
  return op.kind === 'append' ? { ...op, contents: op.contents.map(owned) } : op;
}

function isShared({ data }: Content): boolean {
  return data.byteLength !== data.buffer.byteLength;
}

function owned(content: Content): Content {
  return isShared(content) ? { ...content, data: new Uint8Array(content.data) } : content;
}
