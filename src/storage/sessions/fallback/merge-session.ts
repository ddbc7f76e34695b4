import { hash } from 'node:crypto';
import type { Idempotency } from '../../../memory/call.ts';
import { isJson, isText } from '../../../memory/derive-text.ts';
import type { Content, Micros } from '../../../memory/memory.ts';
import {
  type Entry,
  isExpired,
  type Note,
  type SessionChange,
  type SessionRecord,
  type SessionSnapshot,
  type TaskFields,
  type TaskState,
} from '../../../memory/session.ts';
import type { SessionOp, SessionWrite } from '../../session-store.ts';

/**
 * State of a session when writes switched to the copy, and the contents of the first of these, which the other store
 * may have, too.
 */
export interface Detour {
  readonly revision: number;
  readonly nextNote: number;
  readonly startedAtUs: Micros;
  /** Hash of each key's value, or '' where it was deleted. */
  readonly firstValues: Readonly<Record<string, string>>;
  /** Hash of the task state; '' if not written. */
  readonly firstTask: string;
  readonly firstNotes: number;
  /** Identifies the first write in the other store. */
  readonly firstRequest?: Idempotency;
}

export interface Conflict {
  /** The key; empty for the task state. */
  readonly key: string;
  /** The local value; absent where it was deleted. */
  readonly local?: Content;
}

export interface Merge {
  readonly ops: readonly SessionOp[];
  readonly conflicts: readonly Conflict[];
}

/** Changes in the copy since writes switched to it. */
export interface LocalState {
  readonly record: SessionRecord;
  readonly snapshot: SessionSnapshot;
  readonly changes: readonly SessionChange[];
}

export function detourFor(record: SessionRecord | undefined, write: SessionWrite): Detour {
  const firstValues: Record<string, string> = {};
  let firstTask = '';
  let firstNotes = 0;
  for (const op of write.ops) {
    if (op.kind === 'set') firstValues[op.key] = hashOf(op.content);
    else if (op.kind === 'delete') firstValues[op.key] = '';
    else if (op.kind === 'setTask') firstTask = hashOfTask(op.task);
    else if (op.kind === 'append') firstNotes += op.contents.length;
  }
  const { revision = 0, nextNote = 1 } = record ?? {};
  const { atUs: startedAtUs, idempotency } = write;
  const first = { firstValues, firstTask, firstNotes, firstRequest: idempotency };
  return { revision, nextNote, startedAtUs, ...first };
}

/**
 * The write that merges a copy's changes into its session. For a key that only one of the two has changed, that value
 * counts. For a key that both have changed to different values, the session's value stays, and the copy's is reported
 * as a conflict, in a note of the session.
 */
export function mergeOf(
  detour: Detour,
  local: LocalState,
  there: SessionSnapshot | undefined,
  { nowUs, isFirstThere }: { readonly nowUs: Micros; readonly isFirstThere: boolean },
): Merge {
  const values = mergedValues(detour, local, there, nowUs);
  const task = mergedTask(detour, local.snapshot.task, there?.task);
  const conflicts = [...values.conflicts, ...task.conflicts];
  const notes = [...newNotes(detour, local.snapshot.notes, isFirstThere), ...conflicts.map(noteOf)];
  const ops = [...values.ops, ...task.ops];
  return { ops: notes.length > 0 ? [...ops, { kind: 'append', contents: notes }] : ops, conflicts };
}

function mergedValues(
  detour: Detour,
  { snapshot, changes }: LocalState,
  there: SessionSnapshot | undefined,
  nowUs: Micros,
): { ops: SessionOp[]; conflicts: Conflict[] } {
  const mine = new Map(snapshot.entries.map((entry) => [entry.key, entry]));
  const theirs = new Map((there?.entries ?? []).map((entry) => [entry.key, entry]));
  const ops: SessionOp[] = [];
  const conflicts: Conflict[] = [];
  for (const key of changedKeys(detour, mine, theirs, changes)) {
    const [local, other] = [liveOf(mine.get(key), nowUs), theirs.get(key)];
    if (isSame(local, other)) continue;
    const op = opOf(key, local, other);
    if (isUntouched(detour, key, other)) ops.push(op);
    else conflicts.push({ key, local: local?.content });
  }
  return { ops, conflicts };
}

/** Keys that were set, touched, deleted, or cleared in the copy. */
function changedKeys(
  { revision }: Detour,
  mine: ReadonlyMap<string, Entry>,
  theirs: ReadonlyMap<string, Entry>,
  changes: readonly SessionChange[],
): Set<string> {
  const keys = new Set([...mine.values()].filter(({ version }) => version > revision).map(({ key }) => key));
  for (const { kind, key } of changes) if (kind === 'deleted' || kind === 'expired' || kind === 'set') keys.add(key);
  if (!changes.some(({ kind }) => kind === 'cleared')) return keys;
  for (const { key, version } of theirs.values()) if (version <= revision && !mine.has(key)) keys.add(key);
  return keys;
}

/**
 * No other server has changed the key since; the first local write, if it has also reached the session, is no change. A
 * key that another server has deleted, or that has expired there, is restored with the local value.
 */
function isUntouched({ revision, firstValues }: Detour, key: string, other: Entry | undefined): boolean {
  if (!other || other.version <= revision) return true;
  return firstValues[key] === hashOf(other.content);
}

function opOf(key: string, local: Entry | undefined, other: Entry | undefined): SessionOp {
  const ifVersion = other?.version ?? 0;
  if (!local) return { kind: 'delete', key, ifVersion };
  const { content, expiresAtUs } = local;
  const expiry =
    expiresAtUs === undefined ? ({ kind: 'never' } as const) : ({ kind: 'at', atUs: expiresAtUs } as const);
  return { kind: 'set', key, content, expiry, ifVersion };
}

function liveOf(entry: Entry | undefined, nowUs: Micros): Entry | undefined {
  return entry && !isExpired(entry, nowUs) ? entry : undefined;
}

function isSame(one: Entry | undefined, other: Entry | undefined): boolean {
  if (!one || !other) return one === other;
  return one.expiresAtUs === other.expiresAtUs && hashOf(one.content) === hashOf(other.content);
}

function mergedTask(
  { revision, firstTask }: Detour,
  local: TaskState | undefined,
  other: TaskState | undefined,
): { ops: SessionOp[]; conflicts: Conflict[] } {
  const isChanged = local !== undefined && local.version > revision;
  if (!isChanged || (other && hashOfTask(other) === hashOfTask(local))) return { ops: [], conflicts: [] };
  const isFirst = other !== undefined && hashOfTask(other) === firstTask;
  if (!other || other.version <= revision || isFirst) {
    const { startedAtUs } = local;
    return { ops: [{ kind: 'setTask', task: fieldsOf(local), startedAtUs }], conflicts: [] };
  }
  return { ops: [], conflicts: [{ key: '', local: json(fieldsOf(local)) }] };
}

/**
 * Notes are append-only: the copy's notes follow the others, without the first ones where the session has them already.
 */
function newNotes({ nextNote, firstNotes }: Detour, local: readonly Note[], isFirstThere: boolean): Content[] {
  const mine = local.filter(({ sequence }) => sequence >= nextNote).map(({ content }) => content);
  return isFirstThere ? mine.slice(firstNotes) : mine;
}

/** The text of a conflict in the scratchpad. */
function noteOf({ key, local }: Conflict): Content {
  const what = key === '' ? { task_state: true } : { key };
  return json({ conflict: { ...what, written_while_redis_was_away: local ? readable(local) : null } });
}

/** Text and JSON as text, so that no digit of a number is lost; other bytes in base64. */
function readable({ mediaType, data }: Content): object {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  if (isJson(mediaType) || isText(mediaType)) return { media_type: mediaType, value: bytes.toString() };
  return { media_type: mediaType, base64: bytes.toString('base64') };
}

function json(value: unknown): Content {
  return { mediaType: 'application/json', data: Buffer.from(JSON.stringify(value)) };
}

function fieldsOf(task: TaskFields): TaskFields {
  const { taskId, description, status, detail, currentStep, totalSteps, progressPercent } = task;
  return { taskId, description, status, detail, currentStep, totalSteps, progressPercent };
}

function hashOfTask(task: TaskFields): string {
  return hash('sha256', JSON.stringify(fieldsOf(task)));
}

function hashOf(content: Content | undefined): string {
  return content === undefined
    ? ''
    : hash('sha256', Buffer.concat([Buffer.from(`${content.mediaType}\n`), content.data]));
}
