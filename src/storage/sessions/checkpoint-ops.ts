import { MnemeError } from '../../memory/errors.ts';
import type { Micros } from '../../memory/memory.ts';
import { type Checkpoint, isExpired } from '../../memory/session.ts';
import { compareTexts } from '../../memory/values.ts';
import type { CheckpointOp, OpResult, SessionOp } from '../session-store.ts';
import { checkpointNotFound, sessionFull } from './session-errors.ts';
import type { OpContext, SessionView } from './session-view.ts';
import { takeSnapshot } from './take-snapshot.ts';

export function makeCheckpoint(view: SessionView, op: CheckpointOp, { name, atUs, limits }: OpContext): OpResult {
  const { record } = view;
  const old = view.checkpoint(op.id);
  if (old && !isExpired(old, atUs)) {
    throw new MnemeError('CHECKPOINT_EXISTS', `${name} has a checkpoint ${op.id} already`, {
      metadata: { name, checkpoint: op.id },
    });
  }
  eraseExpiredCheckpoints(view, atUs);
  if (record.checkpointCount >= limits.checkpointsMax) throw sessionFull(name, 'checkpoints', limits.checkpointsMax);
  const { manifest, packs, contents } = takeSnapshot(view, name, atUs);
  const storedBytes = manifest.data.byteLength + packs.reduce((sum, { data }) => sum + data.byteLength, 0);
  if (record.checkpointBytes + storedBytes > limits.checkpointBytesMax) {
    throw sessionFull(name, 'compressed bytes of checkpoints', limits.checkpointBytesMax);
  }
  const checkpoint: Checkpoint = {
    id: op.id,
    description: op.description,
    kind: op.cause,
    parent: record.headCheckpoint,
    createdAtUs: atUs,
    ...(op.expiresAtUs === undefined ? {} : { expiresAtUs: op.expiresAtUs }),
    ...(op.hold && { hold: op.hold }),
    revision: record.revision,
    memoryRevision: op.memoryRevision,
    storedBytes,
    checksum: manifest.checksum,
    ...contents,
  };
  view.putCheckpoint(checkpoint, manifest.data, packs);
  record.checkpointCount += 1;
  record.checkpointBytes += storedBytes;
  record.headCheckpoint = op.id;
  view.log('checkpoint_created', op.id);
  return { written: 1, removed: 0, checkpoint };
}

export function dropCheckpoint(view: SessionView, id: string, { atUs, name }: OpContext): OpResult {
  const checkpoint = view.checkpoint(id);
  if (!checkpoint) throw checkpointNotFound(name, id);
  eraseCheckpoint(view, checkpoint);
  if (isExpired(checkpoint, atUs)) throw checkpointNotFound(name, id);
  return { written: 0, removed: 1, checkpoint };
}

export function keepCheckpoint(
  view: SessionView,
  op: Extract<SessionOp, { kind: 'keepCheckpoint' }>,
  { atUs, name }: OpContext,
): OpResult {
  const { expiresAtUs } = op;
  const { expiresAtUs: _, hold, ...rest } = liveCheckpoint(view, op.id, name, atUs);
  const isForGood = expiresAtUs === undefined;
  const checkpoint: Checkpoint = hold
    ? { ...rest, hold: isForGood ? {} : { ttlUs: expiresAtUs - atUs } }
    : { ...rest, ...(isForGood ? {} : { expiresAtUs }) };
  view.setCheckpoint(checkpoint);
  return { written: 1, removed: 0, checkpoint };
}

/** Fails with CHECKPOINT_NOT_FOUND. */
export function liveCheckpoint(view: SessionView, id: string, name: string, atUs: Micros): Checkpoint {
  const checkpoint = view.checkpoint(id);
  if (!checkpoint || isExpired(checkpoint, atUs)) throw checkpointNotFound(name, id);
  return checkpoint;
}

/** Number of checkpoints erased. */
export function eraseExpiredCheckpoints(view: SessionView, atUs: Micros): number {
  const expired = oldestFirst(view).filter((checkpoint) => isExpired(checkpoint, atUs));
  for (const checkpoint of expired) eraseCheckpoint(view, checkpoint);
  return expired.length;
}

export function eraseCheckpoints(view: SessionView): number {
  const all = oldestFirst(view);
  for (const checkpoint of all) eraseCheckpoint(view, checkpoint);
  return all.length;
}

export function oldestFirst(view: SessionView): Checkpoint[] {
  const all = view.checkpoints();
  return all.sort((one, other) => one.revision - other.revision || compareTexts(one.id, other.id));
}

/** Packs that other checkpoints lie in stay. */
function eraseCheckpoint(view: SessionView, { id, packs, parent, storedBytes }: Checkpoint): void {
  const { record } = view;
  const others = view.checkpoints().filter((other) => other.id !== id);
  const used = new Set(others.flatMap((other) => other.packs));
  view.removeCheckpoint(
    id,
    packs.filter((pack) => !used.has(pack)),
  );
  record.checkpointCount -= 1;
  record.checkpointBytes = others.length === 0 ? 0 : Math.max(0, record.checkpointBytes - storedBytes);
  if (record.headCheckpoint === id) {
    record.headCheckpoint = others.some((other) => other.id === parent) ? parent : '';
  }
  view.log('checkpoint_deleted', id);
}
