import { type FieldViolation, invalidFields, MnemeError } from '../../memory/errors.ts';
import type { Content, Micros } from '../../memory/memory.ts';
import {
  contradictionOf,
  type EntryHead,
  isExpired,
  type Note,
  patchedTask,
  type TaskFields,
  type TaskState,
} from '../../memory/session.ts';
import { compareTexts } from '../../memory/values.ts';
import type { Expiry, OpResult, SessionOp } from '../session-store.ts';
import { eraseCheckpoints } from './checkpoint-ops.ts';
import { checkVersion, type OpContext, type SessionView, sessionFull } from './session-view.ts';

type Of<K extends SessionOp['kind']> = Extract<SessionOp, { kind: K }>;

/** Maximum expired keys that one write erases to make space. */
const EXPIRED_MAX = 1000;

export function setEntry(view: SessionView, op: Of<'set'>, { name, atUs, limits }: OpContext): OpResult {
  const { record } = view;
  const stored = view.head(op.key);
  const live = stored && !isExpired(stored, atUs) ? stored : undefined;
  checkVersion(name, op.key, op.ifVersion, live?.version ?? 0);
  const expiresAtUs = expiryOf(op.expiry, live, record.defaultTtlUs, atUs);
  const head: EntryHead = {
    key: op.key,
    version: record.revision,
    contentRevision: record.revision,
    bytes: bytesOfEntry(op.key, op.content.data),
    createdAtUs: live?.createdAtUs ?? atUs,
    updatedAtUs: atUs,
    expiresAtUs,
  };
  record.keyCount += stored ? 0 : 1;
  record.valueBytes += head.bytes - (stored?.bytes ?? 0);
  view.put({ ...head, content: op.content });
  checkSize(view, { name, atUs, limits });
  view.log('set', op.key);
  return { written: 1, removed: 0, head };
}

export function deleteEntry(view: SessionView, op: Of<'delete'>, { name, atUs }: OpContext): OpResult {
  const stored = view.head(op.key);
  const live = stored && !isExpired(stored, atUs) ? stored : undefined;
  checkVersion(name, op.key, op.ifVersion, live?.version ?? 0);
  if (!stored) return { written: 0, removed: 0 };
  removeEntry(view, stored);
  view.log(live ? 'deleted' : 'expired', op.key);
  return { written: 0, removed: live ? 1 : 0 };
}

export function touchEntry(view: SessionView, op: Of<'touch'>, { name, atUs }: OpContext): OpResult {
  const stored = view.head(op.key);
  const live = stored && !isExpired(stored, atUs) ? stored : undefined;
  checkVersion(name, op.key, op.ifVersion, live?.version ?? 0);
  if (!live) return { written: 0, removed: 0 };
  const { expiresAtUs: _, ...rest } = live;
  const expiresAtUs = expiryOf(op.expiry, live, view.record.defaultTtlUs, atUs);
  const head = { ...rest, version: view.record.revision, expiresAtUs };
  view.retime(head);
  view.log('touched', op.key);
  return { written: 1, removed: 0, head };
}

export function checkEntry(view: SessionView, op: Of<'check'>, { name, atUs }: OpContext): OpResult {
  const head = view.head(op.key);
  checkVersion(name, op.key, op.ifVersion, head && !isExpired(head, atUs) ? head.version : 0);
  return { written: 0, removed: 0 };
}

export function clearSession(view: SessionView, op: Of<'clear'>, { atUs }: OpContext): OpResult {
  const { record } = view;
  let removed = 0;
  if (op.values) {
    removed = view.heads().filter((head) => !isExpired(head, atUs)).length;
    view.removeAllEntries();
    record.keyCount = 0;
    record.valueBytes = 0;
    view.log('cleared', '');
  }
  if (op.task && record.task !== '') {
    record.task = '';
    view.log('task', '');
  }
  const notes = op.notes ? dropNotes(view, record.nextNote - 1) : 0;
  if (notes > 0) view.log('notes_cleared', '');
  const checkpointsRemoved = op.checkpoints ? eraseCheckpoints(view) : 0;
  return { written: 0, removed, notes, checkpointsRemoved };
}

export function removeEntry(view: SessionView, head: EntryHead): void {
  view.remove(head.key);
  view.record.keyCount -= 1;
  view.record.valueBytes -= head.bytes;
}

/** Returns the number of erased keys. */
export function eraseExpiredEntries(view: SessionView, nowUs: Micros, limit: number): number {
  const expired = view.expiredHeads(nowUs, limit).sort((one, other) => compareTexts(one.key, other.key));
  for (const head of expired) {
    removeEntry(view, head);
    view.log('expired', head.key);
  }
  return expired.length;
}

/** Fails with SESSION_FULL where the session exceeds a limit after expired keys are erased. */
export function checkSize(view: SessionView, { name, atUs, limits }: OpContext): void {
  const { record } = view;
  const isOver = () => record.keyCount > limits.keysMax || record.valueBytes > limits.valueBytesMax;
  if (!isOver()) return;
  eraseExpiredEntries(view, atUs, EXPIRED_MAX);
  if (record.keyCount > limits.keysMax) throw sessionFull(name, 'keys', limits.keysMax);
  if (record.valueBytes > limits.valueBytesMax)
    throw sessionFull(name, 'bytes of keys and values', limits.valueBytesMax);
}

export function bytesOfEntry(key: string, data: Uint8Array): number {
  return Buffer.byteLength(key) + data.byteLength;
}

function expiryOf(expiry: Expiry, live: EntryHead | undefined, defaultTtlUs: number, atUs: Micros): Micros | undefined {
  if (expiry.kind === 'at') return expiry.atUs;
  if (expiry.kind === 'never') return undefined;
  if (expiry.kind === 'keep' && live) return live.expiresAtUs;
  return defaultTtlUs > 0 ? atUs + defaultTtlUs : undefined;
}

/** Appends to the scratchpad; above its limit the oldest notes are dropped. */
export function appendNotes(view: SessionView, contents: readonly Content[], { atUs, limits }: OpContext): OpResult {
  const { record } = view;
  const sequence = record.nextNote;
  const notes: Note[] = contents.map((content, at) => ({ sequence: sequence + at, atUs, content }));
  view.append(notes);
  record.nextNote += notes.length;
  record.noteCount += notes.length;
  record.noteBytes += notes.reduce((sum, { content }) => sum + content.data.byteLength, 0);
  let dropped = 0;
  while (record.noteCount > limits.notesMax || record.noteBytes > limits.noteBytesMax) {
    const first = view.firstNote();
    if (!first) break;
    dropped += dropNotes(view, first.sequence);
  }
  record.notesDropped += dropped;
  view.log('noted', '');
  return { written: notes.length, removed: 0, sequence, notes: dropped };
}

/** Removes the notes up to a sequence; returns their number. */
export function dropNotes(view: SessionView, to: number): number {
  const { count, bytes } = view.removeNotes(0, to);
  const { record } = view;
  const isAll = to >= record.nextNote - 1;
  record.noteCount = isAll ? 0 : record.noteCount - count;
  record.noteBytes = isAll ? 0 : record.noteBytes - bytes;
  return count;
}

type TaskOf<K extends SessionOp['kind']> = Extract<SessionOp, { kind: K }>;

export function setTask(view: SessionView, op: TaskOf<'setTask'>, { name, atUs }: OpContext): OpResult {
  const before = taskOf(view.record.task);
  checkVersion(name, 'task_state', op.ifVersion, before?.version ?? 0);
  const isSame = before !== undefined && before.taskId === op.task.taskId;
  mustAgree(contradictionOf(op.task));
  return written(view, op.task, op.startedAtUs ?? (isSame ? before.startedAtUs : atUs), atUs);
}

export function patchTask(
  view: SessionView,
  { patch, ifVersion }: TaskOf<'patchTask'>,
  { name, atUs }: OpContext,
): OpResult {
  const before = taskOf(view.record.task);
  checkVersion(name, 'task_state', ifVersion, before?.version ?? 0);
  if (!before) throw new MnemeError('TASK_NOT_FOUND', `${name} has no task state`, { metadata: { name } });
  const fields = { ...before, ...patch };
  mustAgree(contradictionOf(fields, patch));
  return written(view, fields, before.startedAtUs, atUs);
}

function mustAgree(contradiction: FieldViolation | undefined): void {
  if (contradiction) throw invalidFields([contradiction]);
}

function written(view: SessionView, fields: TaskFields, startedAtUs: number, atUs: number): OpResult {
  const task: TaskState = { ...patchedTask(fields, {}), startedAtUs, updatedAtUs: atUs, version: view.record.revision };
  view.record.task = JSON.stringify(task);
  view.log('task', '');
  return { written: 1, removed: 0, task };
}

/** The task state in a record; `undefined` where it has none. */
export function taskOf(text: string): TaskState | undefined {
  return text === '' ? undefined : (JSON.parse(text) as TaskState);
}
