import type { Content } from '../../../memory/memory.ts';
import type { SessionOp, SessionWrite } from '../../session-store.ts';

/**
 * A write whose bytes lie in buffers of their own: what is sent to another thread is sent with the whole buffer around it,
 * and bytes that came over the network lie in one that is much larger.
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

/** About how much memory the contents of a write take while it waits. */
export function bytesOfOps(ops: readonly SessionOp[]): number {
  return ops.reduce((sum, op) => sum + bytesOfOp(op), 0);
}

function bytesOfOp(op: SessionOp): number {
  if (op.kind === 'set') return op.content.data.byteLength;
  if (op.kind === 'append') return op.contents.reduce((sum, { data }) => sum + data.byteLength, 0);
  return op.kind === 'load' ? op.snapshot.entries.reduce((sum, { bytes }) => sum + bytes, 0) : 0;
}
