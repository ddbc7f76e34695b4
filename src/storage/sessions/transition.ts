import type { Micros } from '../../memory/memory.ts';
import { checkGeneration, released } from '../../memory/session.ts';
import type { OpResult } from '../session-store.ts';
import type { SessionTransition } from '../session-transition.ts';
import { oldestFirst } from './checkpoint-ops.ts';
import type { OpContext, SessionView } from './session-view.ts';

/** Takes a step in the life of a session, with its event and its episode. Fails with VERSION_MISMATCH. */
export function transition(view: SessionView, op: SessionTransition, { name, atUs }: OpContext): OpResult {
  const { record } = view;
  checkGeneration(name, op.fromGeneration, record.generation);
  // The write itself has taken the next revision already.
  if (op.ifRevision !== undefined) checkGeneration(name, op.ifRevision, record.revision - 1);
  record.generation += 1;
  record.state = op.to;
  record.isFrozen = op.isFrozen;
  record.metadata = op.metadata;
  record.lifecycle = op.lifecycle;
  record.updatedAtUs = atUs;
  if (op.expiresAtUs !== undefined) record.expiresAtUs = op.expiresAtUs;
  if (record.state !== 'paused') releaseCheckpoints(view, atUs);
  if (op.event !== undefined) view.emit(op.event);
  if (op.episode) {
    if (!view.remember) throw new Error('this store of sessions stores no episodes');
    view.remember(op.episode);
  }
  view.log('lifecycle', '');
  if (op.erases) view.erase();
  return { written: 0, removed: 0, answer: op.answer };
}

/** Those that were held for a pause, which has ended. */
function releaseCheckpoints(view: SessionView, atUs: Micros): void {
  if (view.record.checkpointCount === 0) return;
  for (const checkpoint of oldestFirst(view)) if (checkpoint.hold) view.setCheckpoint(released(checkpoint, atUs));
}
