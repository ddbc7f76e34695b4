import type { SessionOp } from '../session-store.ts';

/** Approximate bytes that the contents of a write occupy in the queue. */
export function bytesOfOps(ops: readonly SessionOp[]): number {
  return ops.reduce((sum, op) => sum + bytesOfOp(op), 0);
}

function bytesOfOp(op: SessionOp): number {
  if (op.kind === 'set') return op.content.data.byteLength;
  if (op.kind === 'append') return op.contents.reduce((sum, { data }) => sum + data.byteLength, 0);
  return op.kind === 'load' ? op.snapshot.entries.reduce((sum, { bytes }) => sum + bytes, 0) : 0;
}
