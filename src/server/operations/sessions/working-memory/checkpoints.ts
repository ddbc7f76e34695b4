import type { Call } from '../../../../memory/call.ts';
import { MnemeError } from '../../../../memory/errors.ts';
import { globOf } from '../../../../memory/pattern.ts';
import {
  type Checkpoint,
  type Entry,
  type SessionKey,
  type SessionSnapshot,
  sessionName,
  type TaskState,
} from '../../../../memory/session.ts';
import { compareTexts } from '../../../../memory/values.ts';
import type { EntryListRead, EntryPage } from '../../../../storage/session-store.ts';
import { type WorkingMemoryDeps, type Written, writeSession } from './write-session.ts';

export interface CheckpointListing extends SessionKey {
  /** Only checkpoints of this kind. Default: all. */
  readonly kind?: Checkpoint['kind'];
  readonly limit: number;
  readonly beforeRevision?: number;
}

/** One page of the checkpoints of a session, newest first. `nextBefore` is present where there are more. */
export async function listCheckpoints(
  { sessions, clock }: Pick<WorkingMemoryDeps, 'sessions' | 'clock'>,
  { namespace, session, kind, limit, beforeRevision }: CheckpointListing,
): Promise<{ checkpoints: readonly Checkpoint[]; nextBefore?: number }> {
  const nowUs = clock.nowUs();
  const found: Checkpoint[] = [];
  let before = beforeRevision;
  for (;;) {
    const page = await sessions.checkpoints({
      namespace,
      session,
      limit: limit + 1,
      nowUs,
      beforeRevision: before,
    });
    for (const checkpoint of page) {
      if (kind === undefined || checkpoint.kind === kind) {
        if (found.length === limit && before !== undefined) return { checkpoints: found, nextBefore: before };
        found.push(checkpoint);
      }
      before = checkpoint.revision;
    }
    if (page.length <= limit) return { checkpoints: found };
  }
}

export interface DiffRequest {
  readonly key: SessionKey;
  readonly from: string;
  readonly toKey: SessionKey;
  /** Absent: the current contents of the session. */
  readonly to?: string;
}

export interface KeyDiff {
  readonly key: string;
  readonly difference: 'added' | 'removed' | 'changed';
  readonly fromBytes: number;
  readonly toBytes: number;
}

export interface SnapshotDiff {
  readonly keys: readonly KeyDiff[];
  readonly equalCount: number;
  readonly fromTask?: TaskState;
  readonly toTask?: TaskState;
  readonly taskDiffers: boolean;
  readonly notesAdded: number;
  readonly notesRemoved: number;
}

const EMPTY: SessionSnapshot = { revision: 0, entries: [], notes: [] };

/**
 * Compares a checkpoint with another one, of any session of the namespace, or with the current contents of a session.
 */
export async function diffCheckpoints(
  deps: Pick<WorkingMemoryDeps, 'sessions' | 'clock'>,
  { key, from, toKey, to }: DiffRequest,
): Promise<SnapshotDiff> {
  const before = await snapshotOf(deps, key, from);
  const now = () => deps.sessions.snapshot({ ...toKey, nowUs: deps.clock.nowUs() });
  const after = to === undefined ? ((await now()) ?? EMPTY) : await snapshotOf(deps, toKey, to);
  return diffOf(before, after);
}

export function diffOf(before: SessionSnapshot, after: SessionSnapshot): SnapshotDiff {
  const there = new Map(before.entries.map((entry) => [entry.key, entry]));
  const keys: KeyDiff[] = [];
  let equalCount = 0;
  for (const entry of after.entries) {
    const old = there.get(entry.key);
    there.delete(entry.key);
    if (!old) keys.push({ key: entry.key, difference: 'added', fromBytes: 0, toBytes: entry.bytes });
    else if (isEqual(old, entry)) equalCount++;
    else keys.push({ key: entry.key, difference: 'changed', fromBytes: old.bytes, toBytes: entry.bytes });
  }
  for (const { key, bytes } of there.values()) {
    keys.push({ key, difference: 'removed', fromBytes: bytes, toBytes: 0 });
  }
  keys.sort((one, other) => compareTexts(one.key, other.key));
  const taskDiffers = comparableTask(before.task) !== comparableTask(after.task);
  return { keys, equalCount, taskDiffers, ...(taskDiffers && tasksOf(before, after)), ...noteDiff(before, after) };
}

function isEqual(one: Entry, other: Entry): boolean {
  return (
    one.content.mediaType === other.content.mediaType &&
    Buffer.compare(Buffer.from(one.content.data), Buffer.from(other.content.data)) === 0
  );
}

/** Times and versions apart. */
function comparableTask(task: TaskState | undefined): string {
  if (!task) return '';
  const { startedAtUs: _, updatedAtUs: __, version: ___, ...fields } = task;
  return JSON.stringify(fields);
}

function tasksOf(before: SessionSnapshot, after: SessionSnapshot): Pick<SnapshotDiff, 'fromTask' | 'toTask'> {
  return { fromTask: before.task, toTask: after.task };
}

/** Compares by content, since a fork renumbers its notes. */
function noteDiff(before: SessionSnapshot, after: SessionSnapshot): Pick<SnapshotDiff, 'notesAdded' | 'notesRemoved'> {
  const counts = new Map<string, number>();
  for (const { content } of before.notes) add(counts, keyOf(content), 1);
  for (const { content } of after.notes) add(counts, keyOf(content), -1);
  let notesAdded = 0;
  let notesRemoved = 0;
  for (const count of counts.values()) {
    notesAdded += Math.max(0, -count);
    notesRemoved += Math.max(0, count);
  }
  return { notesAdded, notesRemoved };
}

function add(counts: Map<string, number>, key: string, difference: number): void {
  counts.set(key, (counts.get(key) ?? 0) + difference);
}

function keyOf({ mediaType, data }: Entry['content']): string {
  return `${mediaType}\n${Buffer.from(data).toString('base64')}`;
}

export interface ForkRequest extends SessionKey {
  readonly checkpoint: string;
  readonly target: SessionKey;
}

/** Creates a session with the contents of another session's checkpoint and the same owner. */
export async function forkCheckpoint(deps: WorkingMemoryDeps, request: ForkRequest, call: Call): Promise<Written> {
  const { sessions } = deps;
  const { target, checkpoint, ...source } = request;
  // The checkpoint may be gone when the fork is repeated.
  const earlier = call.idempotency && (await sessions.outcomeOf(target, call.idempotency));
  if (earlier) return { ...earlier, result: earlier.results[0] ?? { written: 0, removed: 0 } };
  const snapshot = await snapshotOf(deps, source, checkpoint);
  const record = await sessions.session(source);
  const { project = '', agentType = '', agent = '', defaultTtlUs = 0, idleTtlUs = 0 } = record ?? {};
  const draft = { project, agentType, agent, defaultTtlUs, idleTtlUs, mustBeNew: true };
  return writeSession(deps, target, [{ kind: 'load', snapshot }], call, draft);
}

/** Fails with CHECKPOINT_NOT_FOUND. */
async function snapshotOf(
  { sessions, clock }: Pick<WorkingMemoryDeps, 'sessions' | 'clock'>,
  key: SessionKey,
  checkpoint: string,
): Promise<SessionSnapshot> {
  const snapshot = await sessions.snapshot({ ...key, checkpoint, nowUs: clock.nowUs() });
  if (!snapshot) throw checkpointNotFound(key, checkpoint);
  return snapshot;
}

export function checkpointNotFound({ namespace, session }: SessionKey, checkpoint: string): MnemeError {
  const name = sessionName(namespace, session);
  return new MnemeError('CHECKPOINT_NOT_FOUND', `${name} has no checkpoint ${checkpoint}, or it has expired`, {
    metadata: { name, checkpoint },
  });
}

/** A page of the keys of a checkpoint with their values. Fails with CHECKPOINT_NOT_FOUND. */
export async function pageOfCheckpoint(
  deps: Pick<WorkingMemoryDeps, 'sessions' | 'clock'>,
  { namespace, session, pattern, afterKey, limit, bytesMax }: EntryListRead,
  checkpoint: string,
): Promise<EntryPage> {
  const { entries, revision } = await snapshotOf(deps, { namespace, session }, checkpoint);
  const glob = pattern === undefined ? undefined : globOf(pattern);
  const rest = entries
    .filter(({ key }) => !glob || glob.matches(key))
    .filter(({ key }) => afterKey === undefined || compareTexts(key, afterKey) > 0)
    .sort((one, other) => compareTexts(one.key, other.key));
  let bytes = 0;
  const end = rest.findIndex((entry, at) => {
    bytes += entry.bytes;
    return at >= limit || (at > 0 && bytes > bytesMax);
  });
  const page = end < 0 ? rest : rest.slice(0, end);
  const nextAfter = end < 0 ? undefined : page.at(-1)?.key;
  return { revision, entries: page, nextAfter };
}
