import type { HotChanges, HotEntry, MirroredMemory, MirroredMove, MirrorPosition } from '../hot-log.ts';
import { loneKinds } from '../mirror-store.ts';
import { mirroredOf } from '../rules/draft.ts';
import { keyspaceScripts, type RedisReply } from './connection.ts';
import type { KeyspaceReader } from './keyspace-reader.ts';
import type { KeyspaceState } from './keyspace-state.ts';
import type { KeyspaceWriter } from './keyspace-writer.ts';
import {
  endOf,
  isBroken,
  isEndOfLife,
  isOfEntry,
  type LogEntry,
  type LogReply,
  logEntries,
  placeAfter,
  revisionIn,
  unbroken,
} from './log-entries.ts';
import { copiesOf } from './whole-copies.ts';

/** Maximum log entries of one step. */
const STEP = 500;
const BEGINNING = '0-0';
/** Epoch of a missing keyspace. */
const NO_KEYSPACE = '';

/** The changes of a keyspace since a position. */
export async function changesOf(reader: KeyspaceReader, before: MirrorPosition | undefined): Promise<HotChanges> {
  const since = before?.epoch === NO_KEYSPACE ? undefined : before;
  const own = since && (await ownChanges(reader, since));
  if (own) return own;
  const from = since?.position ?? BEGINNING;
  const { state, entries, oldest, here, isDamaged } = await readLog(reader, from);
  const isNothingMissing = from === BEGINNING || isEndOfLife(from);
  // The followed keyspace was deleted, or none was followed: the present one is read from its beginning.
  if (since && isNothingMissing && since.epoch !== state.epoch) return changesOf(reader, undefined);
  const { revision } = state;
  const isThere = state.namespace !== undefined;
  const epoch = state.version === 0 ? NO_KEYSPACE : state.epoch;
  const loss = lossSince(since, { epoch, revision, end: state.end, next: entries[0], here });
  const nothing = { epoch, revision, isThere, entries: [], memories: [], moves: [], isGapped: false };
  if (loss) return { ...nothing, position: BEGINNING, loss, hasMore: true };
  // The followed keyspace still exists.
  if (reader.isLost) return { ...nothing, position: from, loss: 'unfollowed', hasMore: true };
  const followed = unbroken(entries);
  const isEndGone = isEndMissing(entries, from, state.end);
  const isGapped =
    isBroken(entries, revisionIn(from)) || (entries.length === 0 && isEndGone) || isTrimmed(oldest, from);
  const logged = followed.map(({ entry }) => entry);
  const changed = await changedOf(reader, epoch, logged);
  const position = placeAfter(followed) ?? (isGapped ? endOf(revision) : from);
  const hasMore = entries.length === STEP || followed.length < entries.length || (isEndGone && entries.length > 0);
  const damage = isGapped && isDamaged && { isDamaged };
  if (!hasMore && !isGapped) reader.own.endsAt(position, state.stamp);
  return { epoch, revision, isThere, position, entries: logged, ...changed, isGapped, hasMore, ...damage };
}

/**
 * The same from memory, where this server has written all changes and the keyspace is unchanged since: needs no other
 * read.
 */
async function ownChanges(
  reader: KeyspaceReader,
  { epoch, position }: MirrorPosition,
): Promise<HotChanges | undefined> {
  const { own } = reader;
  if (!own.has(position)) return undefined;
  const { state } = await reader.loadLost([], [], 'metadata');
  const taken = state.epoch === epoch && !reader.isLost && own.takeAfter(position, state.stamp, STEP);
  if (!taken) return undefined;
  const entries = taken.entries.map(({ entry }) => entry);
  return {
    epoch,
    revision: state.revision,
    isThere: state.namespace !== undefined,
    position: taken.entries.at(-1)?.place ?? position,
    entries,
    ...(await changedOf(reader, epoch, entries)),
    isGapped: false,
    hasMore: taken.hasMore,
  };
}

interface ReadLog {
  readonly state: KeyspaceState;
  readonly entries: LogEntry[];
  readonly oldest: LogEntry | undefined;
  /** Places of entries of the start revision. */
  readonly here: readonly string[];
  readonly isDamaged: boolean;
}

async function readLog(reader: KeyspaceReader, from: string): Promise<ReadLog> {
  const { state, rest } = await reader.runWith(keyspaceScripts.changes, [from, `${STEP}`, `${revisionIn(from)}`]);
  const [replies, first, places] = rest as readonly [LogReply, LogReply, readonly RedisReply[]];
  const [oldest] = logEntries(first);
  const entries = logEntries(replies);
  const isDamaged = replies.length > 0 && String(replies[0]?.[0]) !== entries[0]?.place;
  return { state, entries, oldest, here: places.map(String), isDamaged };
}

/** Whether the newest entry is missing although the log was read to its end. */
function isEndMissing(entries: readonly LogEntry[], from: string, end = 0): boolean {
  return entries.length < STEP && end > revisionIn(entries.at(-1)?.place ?? from);
}

/** Whether entries of a former version may be missing: these do not name their predecessor. */
function isTrimmed(oldest: LogEntry | undefined, from: string): boolean {
  if (!oldest || oldest.follows !== undefined) return false;
  return from === BEGINNING || isAfter(oldest.place, from);
}

/** Changes the stamp of the keyspace, so that writes based on its earlier state can no longer commit. */
export function fenceOf(writer: KeyspaceWriter): Promise<void> {
  return writer.submit({
    ids: [],
    atUs: 0,
    frees: true,
    isRecovery: true,
    createsKeyspace: true,
    run: (draft) => {
      draft.revision++;
      draft.handovers++;
    },
  });
}

interface KeyspaceAfter extends Pick<ReadLog, 'here'> {
  readonly epoch: string;
  readonly revision: number;
  /** Revision of the newest entry. */
  readonly end: number | undefined;
  readonly next: LogEntry | undefined;
}

/** Followed data that the keyspace has lost, perhaps followed by a server that has ended since. */
function lossSince(
  since: MirrorPosition | undefined,
  keyspace: KeyspaceAfter,
): Exclude<HotChanges['loss'], 'unfollowed'> {
  if (since === undefined) return undefined;
  if (since.epoch !== keyspace.epoch) return 'flushed';
  const revision = revisionIn(since.position);
  return revision > keyspace.revision || isOtherHistory(since.position, keyspace) ? 'rolled_back' : undefined;
}

/**
 * Whether the entries after a place do not continue the followed entry: after Redis has lost writes, other servers may
 * have reused their revisions.
 */
function isOtherHistory(place: string, { here, next, end }: KeyspaceAfter): boolean {
  if (!isOfEntry(place)) return false;
  if (here.length > 0) return !here.includes(place);
  const follows = next ? next.follows : end;
  return follows !== undefined && follows >= 0 && follows < revisionIn(place);
}

/** Whether entries between the two may have been trimmed. */
function isAfter(oldest: string, from: string): boolean {
  const [one = 0, two = 0] = oldest.split('-').map(Number);
  const [three = 0, four = 0] = from.split('-').map(Number);
  return one > three || (one === three && two > four);
}

const IDS_AT_ONCE = 500;

/** Every id that is in the keyspace throughout, in no order; an id may appear twice. */
export async function* idsOf({ connection, keyspace }: KeyspaceReader): AsyncGenerator<string> {
  const key = `${keyspace}:ids`;
  let cursor = '0';
  do {
    const [next, found] = (await connection.send(key, ['HSCAN', key, cursor, 'COUNT', `${IDS_AT_ONCE}`])) as [
      RedisReply,
      readonly RedisReply[],
    ];
    for (let at = 0; at < found.length; at += 2) yield String(found[at]);
    cursor = String(next);
  } while (cursor !== '0');
}

/** Maximum memories of one read. */
const READ_AT_ONCE = 100;

/**
 * The memories of log entries, in their present state or that of the entry: later changes have entries of their own.
 * Damaged memories are left out: their copies stay, as no better data exists.
 */
async function changedOf(
  reader: KeyspaceReader,
  epoch: string,
  entries: readonly HotEntry[],
): Promise<{ memories: MirroredMemory[]; moves: MirroredMove[] }> {
  const memories: MirroredMemory[] = [];
  const moves: MirroredMove[] = [];
  const unknown: string[] = [];
  const ofMemories = entries.filter(({ id }) => id !== '');
  // A memory that another store took over is unchanged.
  const there = ofMemories.filter(({ kind }) => kind !== 'released');
  const places = new Map(there.map(({ id, revision }) => [id, revision]));
  const kinds = loneKinds(ofMemories);
  for (const [id, place] of places) {
    const { entry, move } = reader.recent.take(epoch, id, place) ?? {};
    if (entry) memories.push(mirroredOf(entry, entry.past));
    // Earlier entries of the memory need the complete memory.
    else if (move && kinds.get(id) === 'moved') moves.push(move);
    else unknown.push(id);
  }
  for (let from = 0; from < unknown.length; from += READ_AT_ONCE) {
    memories.push(...(await copiesOf(reader, unknown.slice(from, from + READ_AT_ONCE))));
  }
  return { memories: memories.filter(({ isDamaged }) => !isDamaged), moves };
}
