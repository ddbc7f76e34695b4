import { isDeepStrictEqual } from 'node:util';
import type { Entry } from '../in-memory/draft.ts';
import type { HotChanges, HotLoss, MirroredMemory, MirrorPosition } from '../mirror-store.ts';
import type { RedisReply } from './connection.ts';
import { decodePast } from './entry-codec.ts';
import { memberOf } from './entry-indexes.ts';
import { entriesInOrder } from './room-listing.ts';
import type { RoomReader } from './room-reader.ts';
import type { RoomWriter } from './room-writer.ts';

/** Most log entries that are followed in one step. */
const STEP = 200;
const BEGINNING = '0-0';
/** Stands for the epoch of a room that is not there. */
const NO_ROOM = '';

/** What has changed in a room since a position. */
export async function changesOf(reader: RoomReader, before: MirrorPosition | undefined): Promise<HotChanges> {
  const key = `${reader.room}:log`;
  const since = before?.epoch === NO_ROOM ? undefined : before;
  const from = since?.position ?? BEGINNING;
  const [{ state }, log, [oldest]] = (await Promise.all([
    reader.loadLost([]),
    reader.connection.send(key, ['XRANGE', key, `(${from}`, '+', 'COUNT', `${STEP}`]),
    reader.connection.send(key, ['XRANGE', key, '-', '+', 'COUNT', '1']),
  ])) as [Awaited<ReturnType<RoomReader['load']>>, Log, Log];
  const { revision } = state;
  const epoch = state.version === 0 ? NO_ROOM : state.epoch;
  const loss = lossSince(since, { epoch, revision });
  if (loss)
    return {
      epoch,
      revision,
      position: BEGINNING,
      memories: [],
      deletedIds: [],
      revisions: new Map(),
      loss,
      hasMore: true,
    };
  const kinds = new Map(log.map(([, [, kind, , id]]): [string, string] => [String(id), String(kind)]));
  const revisions = revisionsIn(log);
  const copies = await copiesOf(reader, [...kinds.keys()]);
  // The copy of one that is damaged stays as it is: there is nothing better.
  const memories = copies.filter(({ isDamaged }) => !isDamaged);
  const present = new Set(copies.map(({ memory }) => memory.id));
  // What has a new state knows at which revision.
  for (const { memory } of memories) if (hasNewState(kinds.get(memory.id))) revisions.set(memory.id, memory.revision);
  // One that is gone without the log having said so yet has a later entry, which decides.
  const deletedIds = [...kinds].filter(([id, kind]) => kind === 'deleted' && !present.has(id)).map(([id]) => id);
  const isGapped = oldest !== undefined && from !== BEGINNING && isAfter(String(oldest[0]), from);
  const position = String(log.at(-1)?.[0] ?? from);
  const changes = { epoch, revision, position, memories, deletedIds, revisions, hasMore: log.length === STEP };
  return isGapped ? { ...changes, loss: 'gap' } : changes;
}

/**
 * Writes that went together have one place in the log: that of the last of them. Where all are of one kind they are in
 * order, each with a revision; otherwise all count as the last one.
 */
function revisionsIn(log: Log): Map<string, number> {
  const revisions = new Map<string, number>();
  for (const [last, group] of Map.groupBy(log, ([at]) => Number.parseInt(`${at}`, 10))) {
    const isOneKind = new Set(group.map(([, [, kind]]) => String(kind))).size === 1;
    for (const [at, [, [, , , id]]] of group.entries()) {
      revisions.set(String(id), isOneKind ? last - (group.length - 1 - at) : last);
    }
  }
  return revisions;
}

function hasNewState(kind: string | undefined): boolean {
  return kind === 'stored' || kind === 'updated';
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

type LogEntry = readonly [id: RedisReply, fields: readonly [RedisReply, RedisReply, RedisReply, RedisReply]];
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

async function copyOf({ connection, room, name }: RoomReader, entry: Entry): Promise<MirroredMemory> {
  const { memory, tierSinceUs, state, resolution, notBeforeUs } = entry;
  const key = `${room}:h:${memberOf(entry.sequence)}`;
  // One that was never changed has no former states.
  const past =
    entry.change === 'stored' ? [] : ((await connection.send(key, ['LRANGE', key, '0', '-1'])) as RedisReply[]);
  return {
    memory,
    ...(entry.isDamaged && { isDamaged: true as const }),
    tierSinceUs,
    embeddingPending: state === 'pending',
    notBeforeUs,
    past: past.map((json) => decodePast(name, json)),
    ...(resolution && { resolution }),
  };
}

/** Lets go of memories that are still as they were copied. */
export function releaseOf(writer: RoomWriter, copies: readonly MirroredMemory[]): Promise<readonly string[]> {
  const ids = copies.map(({ memory }) => memory.id);
  return writer.submit({
    ids,
    atUs: 0,
    frees: true,
    isRecovery: true,
    run: (draft) => {
      const released = copies.filter(({ memory, tierSinceUs, embeddingPending }) => {
        const entry = draft.entries.get(memory.id);
        if (!entry || entry.tierSinceUs !== tierSinceUs || (entry.state === 'pending') !== embeddingPending)
          return false;
        return isDeepStrictEqual(entry.memory, memory);
      });
      for (const { memory } of released) {
        draft.entries.delete(memory.id);
        draft.releasedIds.add(memory.id);
        draft.revision++;
      }
      return released.map(({ memory }) => memory.id);
    },
  });
}

/** Every id of a room, oldest first. */
export async function* idsOf(reader: RoomReader): AsyncGenerator<string> {
  const order = { indexes: ['created'], rising: true };
  for await (const { memory } of entriesInOrder(reader, order, 'metadata')) yield memory.id;
}
