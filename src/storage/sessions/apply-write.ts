import { MnemeError } from '../../memory/errors.ts';
import type { Micros } from '../../memory/memory.ts';
import {
  checkGeneration,
  type EntryHead,
  isExpired,
  mustBeWritable,
  type Note,
  publicState,
  released,
  type SessionSnapshot,
  sessionName,
} from '../../memory/session.ts';
import type { OpResult, SessionOp, SessionTransition, SessionWrite } from '../session-store.ts';
import {
  dropCheckpoint,
  eraseExpiredCheckpoints,
  keepCheckpoint,
  liveCheckpoint,
  makeCheckpoint,
  oldestFirst,
} from './checkpoint-ops.ts';
import {
  appendNotes,
  bytesOfEntry,
  checkEntry,
  checkSize,
  clearSession,
  deleteEntry,
  dropNotes,
  eraseExpiredEntries,
  patchTask,
  removeEntry,
  setEntry,
  setTask,
  taskOf,
  touchEntry,
} from './entry-ops.ts';
import { damaged, decodeManifest, type Manifest } from './manifest.ts';
import { SnapshotReader } from './read-snapshot.ts';
import type { OpContext, SessionView } from './session-view.ts';

/** Applies a write to a session; the backend rolls it back when it throws. */
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
    const present = publicState(record.state);
    return new MnemeError('SESSION_NOT_ACTIVE', `${of} is ${present}, not ${states.map(publicState).join(' or ')}`, {
      metadata: { name: of, state: present },
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
      // The write has already taken the next revision.
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

/** Takes a step in the lifecycle of a session, with its event and its episode. Fails with VERSION_MISMATCH. */
function transition(view: SessionView, op: SessionTransition, { name, atUs }: OpContext): OpResult {
  const { record } = view;
  checkGeneration(name, op.fromGeneration, record.generation);
  // The write has already taken the next revision.
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

/** Releases the checkpoints that were kept for a pause, which has ended. */
function releaseCheckpoints(view: SessionView, atUs: Micros): void {
  if (view.record.checkpointCount === 0) return;
  for (const checkpoint of oldestFirst(view)) if (checkpoint.hold) view.setCheckpoint(released(checkpoint, atUs));
}

/**
 * Restores a checkpoint, without data that has expired since. Equal values stay unchanged; checkpoints stay. With
 * `merge`, keys that the checkpoint lacks stay.
 */
function restoreCheckpoint(
  view: SessionView,
  { id, mode }: Extract<SessionOp, { kind: 'restore' }>,
  context: OpContext,
): OpResult {
  const checkpoint = liveCheckpoint(view, id, context.name, context.atUs);
  const name = `${context.name} checkpoint ${id}`;
  const data = view.manifest(id);
  if (!data) throw damaged(name);
  const manifest = decodeManifest(name, data, checkpoint.checksum);
  const reader = new SnapshotReader(name, (number) => view.pack(number));
  const counts = restoreEntries(view, manifest, reader, mode, context);
  checkSize(view, context);
  restoreTask(view, manifest.task);
  restoreNotes(view, reader.notes(manifest));
  view.record.headCheckpoint = id;
  view.log('restored', id);
  return { ...counts, checkpoint, notes: view.record.noteCount };
}

function restoreEntries(
  view: SessionView,
  manifest: Manifest,
  reader: SnapshotReader,
  mode: 'replace' | 'merge',
  { atUs, name }: OpContext,
): Pick<OpResult, 'written' | 'removed' | 'expired'> {
  const { record } = view;
  const live = manifest.entries.filter((entry) => !isExpired(entry, atUs));
  const heads = view.heads();
  if (heads.length !== record.keyCount) {
    // Keys are lost: a checkpoint that replaces everything makes the session whole.
    if (mode === 'merge') throw damaged(name);
    record.keyCount = heads.length;
    record.valueBytes = heads.reduce((sum, { bytes }) => sum + bytes, 0);
  }
  const present = new Map(heads.map((head) => [head.key, head]));
  const others = new Map(present);
  for (const { key } of live) others.delete(key);
  const removed = mode === 'replace' ? [...others.values()] : [];
  for (const head of removed) removeEntry(view, head);
  for (const entry of live) {
    const before = present.get(entry.key);
    const { pack: _, offset: __, length: ___, mediaType: ____, ...times } = entry;
    if (before && isSame(before, entry)) continue;
    record.keyCount += before ? 0 : 1;
    record.valueBytes += entry.bytes - (before?.bytes ?? 0);
    view.put({ ...times, version: record.revision, content: reader.content(entry) });
  }
  const expired = manifest.entries.length - live.length;
  return { written: live.length, removed: removed.filter((head) => !isExpired(head, atUs)).length, expired };
}

function isSame(head: EntryHead, entry: Omit<EntryHead, 'version'>): boolean {
  return head.contentRevision === entry.contentRevision && head.expiresAtUs === entry.expiresAtUs;
}

function restoreTask(view: SessionView, text: string): void {
  const task = taskOf(text);
  view.record.task = task ? JSON.stringify({ ...task, version: view.record.revision }) : '';
}

/** Notes are immutable, so only missing ones are written and only surplus ones removed. */
function restoreNotes(view: SessionView, wanted: readonly Note[]): void {
  const { record } = view;
  const there = new Set(view.noteSequences());
  const kept = new Set(wanted.map(({ sequence }) => sequence));
  for (const sequence of there) {
    if (kept.has(sequence)) continue;
    view.removeNotes(sequence, sequence);
  }
  view.append(wanted.filter(({ sequence }) => !there.has(sequence)));
  record.noteCount = wanted.length;
  record.noteBytes = wanted.reduce((sum, { content }) => sum + content.data.byteLength, 0);
}

/** Replaces the contents of this session by those of another session. */
function loadSnapshot(view: SessionView, snapshot: SessionSnapshot, context: OpContext): OpResult {
  const { record } = view;
  view.removeAllEntries();
  dropNotes(view, record.nextNote - 1);
  const live = snapshot.entries.filter((entry) => !isExpired(entry, context.atUs));
  record.keyCount = live.length;
  record.valueBytes = 0;
  for (const entry of live) {
    const bytes = bytesOfEntry(entry.key, entry.content.data);
    record.valueBytes += bytes;
    view.put({ ...entry, bytes, version: record.revision, contentRevision: record.revision });
  }
  checkSize(view, context);
  record.task = snapshot.task ? JSON.stringify({ ...snapshot.task, version: record.revision }) : '';
  const notes = snapshot.notes.map(({ content }) => content);
  if (notes.length > 0) appendNotes(view, notes, context);
  view.log('restored', '');
  return { written: live.length, removed: 0, notes: record.noteCount, expired: snapshot.entries.length - live.length };
}

/** Replaces the contents of this session by an unchanged copy from another store. */
function adoptSession(view: SessionView, { record: there, snapshot }: Extract<SessionOp, { kind: 'adopt' }>): OpResult {
  const { record } = view;
  view.removeAllEntries();
  dropNotes(view, record.nextNote - 1);
  for (const entry of snapshot.entries) view.put(entry);
  view.append(snapshot.notes);
  const { revision, entries, notes, task } = snapshot;
  const { namespace: _, id: __, expiresAtUs: ___, ...others } = there;
  Object.assign(record, {
    ...others,
    revision,
    compactedRevision: revision,
    keyCount: entries.length,
    valueBytes: entries.reduce((sum, { bytes }) => sum + bytes, 0),
    task: task ? JSON.stringify(task) : '',
    noteCount: notes.length,
    noteBytes: notes.reduce((sum, { content }) => sum + content.data.byteLength, 0),
    nextNote: Math.max(there.nextNote, (notes.at(-1)?.sequence ?? 0) + 1),
    checkpointCount: 0,
    checkpointBytes: 0,
    headCheckpoint: '',
  });
  return { written: entries.length, removed: 0 };
}

/** Erases expired keys, at most `limit`, and expired checkpoints; returns the number of both. */
export function eraseExpiredIn(view: SessionView, nowUs: Micros, limit: number): number {
  view.record.revision += 1;
  return eraseExpiredEntries(view, nowUs, limit) + eraseExpiredCheckpoints(view, nowUs);
}
