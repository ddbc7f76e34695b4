import { isDamage } from '../../memory/errors.ts';
import type { Entry } from '../in-memory/draft.ts';
import type { PastState } from '../memory-store.ts';
import type { HotChanges, HotEntry, HotLoss, MirroredMemory, MirrorPosition } from '../mirror-store.ts';
import type { RedisReply } from './connection.ts';
import { decodeEntry, decodePastOrRest, FIELDS } from './entry-codec.ts';
import { memberOf } from './entry-indexes.ts';
import { entriesInOrder } from './room-listing.ts';
import type { RoomReader } from './room-reader.ts';
import { roomScripts } from './room-scripts.ts';
import type { RoomWriter } from './room-writer.ts';

/** Most log entries that are followed in one step. */
const STEP = 500;
/** Most memories that are read at once. */
const READ_AT_ONCE = 100;
const STATES_AT_ONCE = 200;
const BEGINNING = '0-0';
const KINDS: readonly HotEntry['kind'][] = [
  ...(['stored', 'updated', 'deleted', 'expired', 'moved', 'embedded', 'touched', 'released', 'rewritten'] as const),
  ...(['namespace_deleted', 'namespace_emptied'] as const),
];
/** Stands for the epoch of a room that is not there. */
const NO_ROOM = '';

/** What has changed in a room since a position. */
export async function changesOf(reader: RoomReader, before: MirrorPosition | undefined): Promise<HotChanges> {
  const key = `${reader.room}:log`;
  const since = before?.epoch === NO_ROOM ? undefined : before;
  const from = since?.position ?? BEGINNING;
  const { state, rest } = await reader.runWith(roomScripts.changes, [from, `${STEP}`]);
  const [log, [oldest]] = rest as readonly [Log, Log];
  const { revision } = state;
  const isThere = state.namespace !== undefined;
  const epoch = state.version === 0 ? NO_ROOM : state.epoch;
  const loss = lossSince(since, { epoch, revision });
  const nothing = { epoch, revision, isThere, entries: [], memories: [], isGapped: false };
  if (loss) return { ...nothing, position: BEGINNING, loss, hasMore: true };
  const entries = log.flatMap((entry) => hotEntry(reader.name, entry) ?? []);
  const isDamaged = entries.length < log.length;
  // The copy of one that is damaged stays as it is: there is nothing better.
  const memories = (await changedOf(reader, epoch, entries)).filter(({ isDamaged }) => !isDamaged);
  const isTrimmedSince =
    oldest !== undefined && (from === BEGINNING ? await isTrimmed(reader, key) : isAfter(String(oldest[0]), from));
  const position = String(log.at(-1)?.[0] ?? from);
  const isGapped = isTrimmedSince || isDamaged;
  const changes = { epoch, revision, isThere, position, entries, memories, isGapped, hasMore: log.length === STEP };
  if (isDamaged) return { ...changes, loss: 'damaged' };
  return isTrimmedSince && from !== BEGINNING ? { ...changes, loss: 'gap' } : changes;
}

/** Nothing for an entry that cannot be read. */
function hotEntry(namespace: string, [at, fields]: LogEntry): HotEntry | undefined {
  const byName = new Map<string, RedisReply>();
  for (let name = 0; name < fields.length; name += 2) byName.set(String(fields[name]), fields[name + 1] ?? null);
  const kind = KINDS.find((known) => known === String(byName.get('k')));
  const id = byName.get('i');
  if (!kind || id === undefined) return undefined;
  const entry = { id: String(id), kind, revision: Number.parseInt(`${at}`, 10) };
  if (kind !== 'rewritten') return entry;
  const values = FIELDS.full.map((name) => byName.get(name) ?? null);
  try {
    return { ...entry, state: mirrored(decodeEntry(namespace, values, 'full'), []) };
  } catch (error) {
    if (!isDamage(error)) throw error;
    return undefined;
  }
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

/** Whether the log has had entries that it has no more. */
async function isTrimmed({ connection }: RoomReader, key: string): Promise<boolean> {
  const told = (await connection.send(key, ['XINFO', 'STREAM', key])) as readonly RedisReply[];
  const numberOf = (name: string): number => Number(told[told.findIndex((part) => String(part) === name) + 1]);
  return numberOf('entries-added') > numberOf('length');
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
function lossSince(since: MirrorPosition | undefined, room: { epoch: string; revision: number }): HotLoss | undefined {
  if (since === undefined) return undefined;
  if (since.epoch !== room.epoch) return 'flushed';
  return Number.parseInt(since.position, 10) > room.revision ? 'rolled_back' : undefined;
}

type LogEntry = readonly [id: RedisReply, fields: readonly RedisReply[]];
type Log = readonly LogEntry[];

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

function mirrored(entry: Entry, past: Entry['past']): MirroredMemory {
  const { memory, tierSinceUs, state, resolution, notBeforeUs, isDamaged } = entry;
  const embeddingPending = state === 'pending';
  const rest = { ...(resolution && { resolution }), ...(isDamaged && { isDamaged }) };
  return { memory, tierSinceUs, embeddingPending, notBeforeUs, past, ...rest };
}

/** Every id of a room, oldest first. */
export async function* idsOf(reader: RoomReader): AsyncGenerator<string> {
  const order = { indexes: ['created'], rising: true };
  for await (const { memory } of entriesInOrder(reader, order, 'metadata')) yield memory.id;
}
