import { MnemeError } from '../../memory/errors.ts';
import { checkGeneration, mustBeWritable, sessionName, toldState } from '../../memory/session.ts';
import type { OpResult, SessionOp, SessionWrite } from '../session-store.ts';
import { dropCheckpoint, keepCheckpoint, makeCheckpoint } from './checkpoint-ops.ts';
import { checkEntry, clearSession, deleteEntry, setEntry, touchEntry } from './entry-ops.ts';
import { appendNotes } from './note-ops.ts';
import { adoptSession, loadSnapshot, restoreCheckpoint } from './restore-ops.ts';
import type { OpContext, SessionView } from './session-view.ts';
import { patchTask, setTask } from './task-ops.ts';
import { transition } from './transition.ts';

/** Carries out a write on a session; the backend undoes it when it throws. */
export function applyWrite(view: SessionView, write: SessionWrite): OpResult[] {
  const { record } = view;
  const name = sessionName(write.namespace, write.session);
  if (write.states === undefined) mustBeWritable(name, record);
  else if (!write.states.includes(record.state)) throw wrongState(name, write);
  record.revision += 1;
  record.updatedAtUs = write.atUs;
  const context: OpContext = { name, atUs: write.atUs, limits: write.limits };
  return write.ops.map((op) => apply(view, op, context));

  function wrongState(of: string, { states = [] }: SessionWrite): MnemeError {
    const told = toldState(record.state);
    return new MnemeError('SESSION_NOT_ACTIVE', `${of} is ${told}, not ${states.map(toldState).join(' or ')}`, {
      metadata: { name: of, state: told },
    });
  }
}

function apply(view: SessionView, op: SessionOp, context: OpContext): OpResult {
  switch (op.kind) {
    case 'set':
      return setEntry(view, op, context);
    case 'delete':
      return deleteEntry(view, op, context);
    case 'touch':
      return touchEntry(view, op, context);
    case 'check':
      return checkEntry(view, op, context);
    case 'clear':
      return clearSession(view, op, context);
    case 'setTask':
      return setTask(view, op, context);
    case 'patchTask':
      return patchTask(view, op, context);
    case 'append':
      return appendNotes(view, op.contents, context);
    case 'checkpoint':
      return makeCheckpoint(view, op, context);
    case 'restore':
      return restoreCheckpoint(view, op, context);
    case 'load':
      return loadSnapshot(view, op.snapshot, context);
    case 'setDefaultTtl':
      view.record.defaultTtlUs = op.ttlUs;
      return { written: 0, removed: 0 };
    case 'checkRevision':
      // The write itself has taken the next revision already.
      checkGeneration(context.name, op.revision, view.record.revision - 1);
      view.record.revision = Math.max(view.record.revision, op.next);
      return { written: 0, removed: 0 };
    case 'adopt':
      return adoptSession(view, op);
    case 'dropCheckpoint':
      return dropCheckpoint(view, op.id, context);
    case 'keepCheckpoint':
      return keepCheckpoint(view, op, context);
    case 'transition':
      return transition(view, op, context);
  }
}
