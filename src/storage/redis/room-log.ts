import { memoryNotFound } from '../../memory/errors.ts';
import { type Entry, isExpired } from '../in-memory/draft.ts';
import type { MemoryStore, PastState } from '../memory-store.ts';
import type { ChangesBelow, HotChanges, HotEntry, MirroredMemory, MirrorPosition } from '../mirror-store.ts';
import type { RedisReply } from './connection.ts';
import { memberOf } from './entry-indexes.ts';
import { isBroken, type LogEntry, type LogReply, logEntries, mirrored, revisionIn, unbroken } from './log-entries.ts';
import { decodePastOrRest } from './past-codec.ts';
import { entriesInOrder } from './room-listing.ts';
import type { RoomReader } from './room-reader.ts';
import { roomScripts } from './room-scripts.ts';
import type { RoomState } from './room-state.ts';
import type { RoomWriter } from './room-writer.ts';

/** Most log entries that are followed in one step. */
const STEP = 500;
/** Most memories that are read at once. */
const READ_AT_ONCE = 100;
const STATES_AT_ONCE = 200;
const BEGINNING = '0-0';
/** Stands for the epoch of a room that is not there. */
const NO_ROOM = '';

/** What has changed in a room since a position. */
export async function changesOf(reader: RoomReader, before: MirrorPosition | undefined): Promise<HotChanges> {
  const since = before?.epoch === NO_ROOM ? undefined : before;
  const from = since?.position ?? BEGINNING;
  const { state, entries, oldest, isDamaged } = await readLog(reader, 'log', from);
  const { revision } = state;
  const isThere = state.namespace !== undefined;
  const epoch = state.version === 0 ? NO_ROOM : state.epoch;
  const loss = lossSince(since, { epoch, revision });
  const nothing = { epoch, revision, isThere, entries: [], memories: [], isGapped: false };
  if (loss) return { ...nothing, position: BEGINNING, loss, hasMore: true };
  const followed = unbroken(entries);
  const isEndGone = isEndMissing(entries, from, state.ends?.log);
  const isGapped =
    isBroken(entries, revisionIn(from)) || (entries.length === 0 && isEndGone) || isTrimmed(oldest, from);
  const logged = followed.map(({ entry }) => entry);
  // The copy of one that is damaged stays as it is: there is nothing better.
  const memories = (await changedOf(reader, epoch, logged)).filter(({ isDamaged }) => !isDamaged);
  const position = followed.at(-1)?.place ?? (isGapped ? `${revision}-0` : from);
  const hasMore = entries.length === STEP || followed.length < entries.length || (isEndGone && entries.length > 0);
  const damage = isGapped && isDamaged && { isDamaged };
  return { epoch, revision, isThere, position, entries: logged, memories, isGapped, hasMore, ...damage };
}

/** Of what the log told after a position, and before a revision, what nothing else tells. */
export async function* changesBelowOf(
  reader: RoomReader,
  { epoch, position }: MirrorPosition,
  untilRevision: number,
): AsyncGenerator<ChangesBelow> {
  for (let from = position; ; ) {
    const { state, entries } = await readLog(reader, 'below', from);
    if (state.epoch !== epoch) {
      yield { entries: [], isComplete: false };
      return;
    }
    const isWhole =
      !isBroken(entries, revisionIn(from)) &&
      unbroken(entries).length === entries.length &&
      !isEndMissing(entries, from, state.ends?.below ?? Number.POSITIVE_INFINITY);
    const told = entries.map(({ entry }) => entry).filter(({ revision }) => revision < untilRevision);
    yield { entries: await withStates(reader, told), isComplete: isWhole };
    if (told.length < STEP) return;
    from = entries.at(-1)?.place ?? from;
  }
}

/** What updates have left of memories at home below goes with the entries, unless it is no longer kept. */
async function withStates({ connection, room, name }: RoomReader, entries: readonly HotEntry[]): Promise<HotEntry[]> {
  const key = `${room}:states`;
  const revisions = entries.filter(({ kind }) => kind === 'rewritten').map(({ revision }) => revision);
  const known = new Map<number, HotEntry>();
  for (let from = 0; from < revisions.length; from += READ_AT_ONCE) {
    const some = revisions.slice(from, from + READ_AT_ONCE);
    const args = ['XRANGE', key, `${some[0]}`, `${some.at(-1)}`];
    const states = logEntries(name, (await connection.send(key, args)) as LogReply);
    for (const { entry } of states) known.set(entry.revision, entry);
  }
  return entries.map((entry) => known.get(entry.revision) ?? entry);
}

async function readLog(
  reader: RoomReader,
  log: 'log' | 'below',
  from: string,
): Promise<{ state: RoomState; entries: LogEntry[]; oldest: LogEntry | undefined; isDamaged: boolean }> {
  const { state, rest } = await reader.runWith(roomScripts.changes, [log, from, `${STEP}`]);
  const [replies, first] = rest as readonly [LogReply, LogReply];
  const [oldest] = logEntries(reader.name, first);
  const entries = logEntries(reader.name, replies);
  const isDamaged = replies.length > 0 && String(replies[0]?.[0]) !== entries[0]?.place;
  return { state, entries, oldest, isDamaged };
}

/** Whether the newest entry that there was is not among those that were read to the end. */
function isEndMissing(entries: readonly LogEntry[], from: string, end = 0): boolean {
  return entries.length < STEP && end > revisionIn(entries.at(-1)?.place ?? from);
}

/** Whether entries may be missing that a former version has written, which do not tell what comes before them. */
function isTrimmed(oldest: LogEntry | undefined, from: string): boolean {
  if (!oldest || oldest.follows !== undefined) return false;
  return from === BEGINNING || isAfter(oldest.place, from);
}

/** What the entries of the log are about, as it is now or as the entry left it: what came later has an entry of its own. */
async function changedOf(reader: RoomReader, epoch: string, entries: readonly HotEntry[]): Promise<MirroredMemory[]> {
  const ofMemories = entries.filter(({ id, state }) => id !== '' && !state);
  const places = new Map(ofMemories.map(({ id, revision }) => [id, revision]));
  const memories: MirroredMemory[] = [];
  const unknown: string[] = [];
  for (const [id, place] of places) {
    const entry = reader.recent.take(epoch, id, place);
    if (entry) memories.push(mirrored(entry, entry.past));
    else unknown.push(id);
  }
  for (let from = 0; from < unknown.length; from += READ_AT_ONCE) {
    memories.push(...(await copiesOf(reader, unknown.slice(from, from + READ_AT_ONCE))));
  }
  return memories;
}

/** Changes the room, so that a write that was worked out on what it was before can no longer take effect. */
export function fenceOf(writer: RoomWriter): Promise<void> {
  return writer.submit({
    ids: [],
    atUs: 0,
    frees: true,
    isRecovery: true,
    createsRoom: true,
    run: (draft) => {
      draft.revision++;
    },
  });
}

/** What the room lacks of what was followed in it, perhaps by a server that has ended since. */
function lossSince(since: MirrorPosition | undefined, room: { epoch: string; revision: number }): HotChanges['loss'] {
  if (since === undefined) return undefined;
  if (since.epoch !== room.epoch) return 'flushed';
  return Number.parseInt(since.position, 10) > room.revision ? 'rolled_back' : undefined;
}

/** Whether entries between the two may have been trimmed. */
function isAfter(oldest: string, from: string): boolean {
  const [one = 0, two = 0] = oldest.split('-').map(Number);
  const [three = 0, four = 0] = from.split('-').map(Number);
  return one > three || (one === three && two > four);
}

/** Whole copies, former states and all, of those of the ids that are there. */
export async function copiesOf(reader: RoomReader, ids: readonly string[]): Promise<MirroredMemory[]> {
  if (ids.length === 0) return [];
  const { entries } = await reader.loadLost(ids);
  return Promise.all([...entries.values()].map((entry) => copyOf(reader, entry)));
}

async function copyOf(reader: RoomReader, entry: Entry): Promise<MirroredMemory> {
  // One that was never changed has no former states.
  const past = entry.change === 'stored' ? [] : await pastOf(reader, entry);
  const sound = past.filter(({ isDamaged }) => !isDamaged);
  return { ...mirrored(entry, sound), damagedStateCount: past.length - sound.length };
}

/** Former states of a memory, newest first. */
export async function pastOf(
  { connection, room, name }: RoomReader,
  { memory, sequence }: Pick<Entry, 'memory' | 'sequence'>,
): Promise<PastState[]> {
  const key = `${room}:h:${memberOf(sequence)}`;
  const past: PastState[] = [];
  for (;;) {
    const args = ['LRANGE', key, `${past.length}`, `${past.length + STATES_AT_ONCE - 1}`];
    const states = (await connection.send(key, args)) as readonly RedisReply[];
    for (const json of states) past.push(decodePastOrRest(name, past.at(-1)?.memory ?? memory, json));
    if (states.length < STATES_AT_ONCE) return past;
  }
}

/** The same behind the memory as it is. Fails with MEMORY_NOT_FOUND. */
export async function statesOf(
  reader: RoomReader,
  { namespace, id, limit, beforeRevision = Number.POSITIVE_INFINITY, nowUs }: Parameters<MemoryStore['revisions']>[0],
): Promise<PastState[]> {
  const entry = (await reader.loadThere([id], 'basic')).entries.get(id);
  if (!entry || isExpired(entry.memory, nowUs)) throw memoryNotFound(namespace, id);
  const { memory, change, isDamaged } = entry;
  const states = [{ memory, change, ...(isDamaged && { isDamaged }) }, ...(await pastOf(reader, entry))];
  return states.filter((state) => state.memory.revision < beforeRevision).slice(0, limit);
}

/** Every id of a room, oldest first. */
export async function* idsOf(reader: RoomReader): AsyncGenerator<string> {
  const order = { indexes: ['created'], rising: true };
  for await (const { memory } of entriesInOrder(reader, order, 'metadata')) yield memory.id;
}
