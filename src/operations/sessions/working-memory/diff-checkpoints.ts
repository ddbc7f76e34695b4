import { compareTexts } from '../../../memory/compare-text.ts';
import type { Entry, SessionKey, SessionSnapshot, TaskState } from '../../../memory/session.ts';
import { snapshotOf } from './fork-checkpoint.ts';
import type { WorkingMemoryDeps } from './working-memory-deps.ts';

export interface DiffRequest {
  readonly key: SessionKey;
  readonly from: string;
  readonly toKey: SessionKey;
  /** Absent: what the session holds now. */
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

/** Compares a checkpoint with another one, of any session of the namespace, or with what a session holds now. */
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
  const taskDiffers = told(before.task) !== told(after.task);
  return { keys, equalCount, taskDiffers, ...(taskDiffers && tasksOf(before, after)), ...noteDiff(before, after) };
}

function isEqual(one: Entry, other: Entry): boolean {
  return (
    one.content.mediaType === other.content.mediaType &&
    Buffer.compare(Buffer.from(one.content.data), Buffer.from(other.content.data)) === 0
  );
}

/** Times and versions apart. */
function told(task: TaskState | undefined): string {
  if (!task) return '';
  const { startedAtUs: _, updatedAtUs: __, version: ___, ...fields } = task;
  return JSON.stringify(fields);
}

function tasksOf(before: SessionSnapshot, after: SessionSnapshot): Pick<SnapshotDiff, 'fromTask' | 'toTask'> {
  return { ...(before.task && { fromTask: before.task }), ...(after.task && { toTask: after.task }) };
}

/** By content, since a fork numbers its notes anew. */
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
