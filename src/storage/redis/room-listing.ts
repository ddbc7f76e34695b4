import { utf8BodyBytesOf } from '../../memory/checksum.ts';
import { admits } from '../../memory/evaluate-filter.ts';
import type { Filter } from '../../memory/filter.ts';
import type { Memory, MemoryView, Micros, Tier } from '../../memory/memory.ts';
import { type Entry, isExpired } from '../in-memory/draft.ts';
import { inView, isMeant, listPage, pageOf } from '../in-memory/list-page.ts';
import type { ListOrder, ListPage, ListPosition, ListRead } from '../memory-store.ts';
import type { Found } from '../mirror-store.ts';
import { type RedisReply, roomScripts } from './connection.ts';
import { memberOf, sequenceOf } from './entry-indexes.ts';
import { type Candidates, narrowed } from './narrow-filter.ts';
import { entriesIn, type Row } from './read-rows.ts';
import type { RoomEntry } from './room-entry.ts';
import type { RoomReader } from './room-reader.ts';

/** Candidates up to which they are all read; with more of them the order is followed. */
const CANDIDATES_MAX = 2000;
const CHUNK = 200;

type Order = { readonly indexes: readonly string[]; readonly rising: boolean };

const ORDERS: { readonly [O in ListOrder]: Order } = {
  create_time_desc: { indexes: ['created'], rising: false },
  create_time_asc: { indexes: ['created'], rising: true },
  event_time_desc: { indexes: ['event'], rising: false },
  event_time_asc: { indexes: ['event'], rising: true },
  importance_desc: { indexes: ['importance'], rising: false },
  step_asc: { indexes: ['step', 'stepless'], rising: true },
  step_desc: { indexes: ['step', 'stepless'], rising: false },
};

/** Contents are read where a filter may look at them. */
const viewFor = (view: MemoryView, filter: Filter | undefined): MemoryView =>
  view === 'metadata' && filter ? 'basic' : view;

export async function listRoom(reader: RoomReader, read: ListRead): Promise<ListPage> {
  const { state, namespace } = await reader.loadThere([], 'metadata');
  const view = viewFor(read.view, read.filter);
  const found = await candidateEntries(reader, read.filter, view);
  if (found) return listPage({ namespace, entries: found, nextSequence: state.nextSequence }, read);
  const page: Entry[] = [];
  let bytes = 0;
  for await (const entry of entriesInOrder(reader, ORDERS[read.order], view, read.after)) {
    if (isExpired(entry.memory, read.nowUs) || !isMeant(entry, read.filter)) continue;
    bytes += read.view === 'metadata' ? 0 : utf8BodyBytesOf(entry.memory);
    const last = page.at(-1);
    if (last && (page.length === read.limit || bytes > read.bytesMax)) {
      return { ...pageOf(page, read), next: positionOf(last, read.order) };
    }
    page.push(entry);
  }
  return pageOf(page, read);
}

/** Those of the ids that are there, expired or not. */
export async function findIn(reader: RoomReader, ids: readonly string[], view: MemoryView): Promise<Found> {
  const { state, entries } = await reader.find(ids, view);
  const memories = new Map<string, Memory>();
  const damagedIds: string[] = [];
  const lostIds: string[] = [];
  for (const id of ids) {
    const entry = entries.get(id);
    if (!entry) continue;
    if (entry.isDamaged) damagedIds.push(id);
    if (entry.isUnreadable) lostIds.push(id);
    if (!entry.isDamaged || view === 'metadata') memories.set(id, inView(entry.memory, view));
  }
  return { memories, damagedIds, lostIds, isThere: state.namespace !== undefined, revision: state.revision };
}

/** Number of memories that a filter admits, by tier. */
export async function countRoom(
  reader: RoomReader,
  filter: Filter | undefined,
  nowUs: Micros,
): Promise<Map<Tier, number>> {
  await reader.loadThere([], 'metadata');
  const counts = new Map<Tier, number>();
  const view = viewFor('metadata', filter);
  const found = await candidateEntries(reader, filter, view);
  for await (const { memory } of found?.values() ?? entriesInOrder(reader, ORDERS.create_time_asc, view)) {
    if (isExpired(memory, nowUs) || (filter && !admits(filter, memory))) continue;
    counts.set(memory.tier, (counts.get(memory.tier) ?? 0) + 1);
  }
  return counts;
}

/** All that the smallest of the ways to narrow the filter leaves, or nothing when that is too much. */
async function candidateEntries(
  reader: RoomReader,
  filter: Filter | undefined,
  view: MemoryView,
): Promise<Map<string, Entry> | undefined> {
  const ways = filter ? narrowed(filter) : [];
  if (ways.length === 0) return undefined;
  const slices = ways.flat().flatMap(({ index, low = '', high = '' }) => [index, low, high]);
  const sizes = (await reader.connection.run(roomScripts.sizes, reader.room, slices)) as number[];
  let at = 0;
  const sized = ways.map((way) => ({ way, size: way.reduce((sum) => sum + (sizes[at++] ?? 0), 0) }));
  const smallest = sized.reduce((one, other) => (other.size < one.size ? other : one));
  if (smallest.size > CANDIDATES_MAX) return undefined;
  return entriesOf(reader, await membersOf(reader, smallest.way), view);
}

async function membersOf({ connection, room }: RoomReader, way: Candidates): Promise<string[]> {
  const answers = way.map(({ index, low, high }) => {
    const key = `${room}:${index}`;
    if (low === undefined || high === undefined) return connection.send(key, ['SMEMBERS', key]);
    return connection.send(key, ['ZRANGE', key, low, high, 'BYSCORE', 'LIMIT', '0', `${2 * CANDIDATES_MAX}`]);
  });
  const members = (await Promise.all(answers)).flatMap((reply) => (reply as readonly RedisReply[]).map(String));
  return [...new Set(members)];
}

export async function entriesOf(
  reader: RoomReader,
  members: readonly string[],
  view: MemoryView,
): Promise<Map<string, RoomEntry>> {
  const entries = new Map<string, RoomEntry>();
  for (let from = 0; from < members.length; from += CHUNK) {
    const some = members.slice(from, from + CHUNK);
    const rows = (await reader.connection.run(roomScripts.entries, reader.room, [view, ...some])) as readonly Row[];
    for (const entry of await entriesIn(reader, rows, view)) if (entry) entries.set(entry.memory.id, entry);
  }
  return entries;
}

/** Entries in an order, read as they are asked for. */
export async function* entriesInOrder(
  reader: RoomReader,
  { indexes, rising }: Order,
  view: MemoryView,
  after?: ListPosition,
): AsyncGenerator<RoomEntry> {
  for (const index of indexes) {
    const isStepless = index === 'stepless';
    // After a memory without a step there are none with one.
    if (after && after.value === null && !isStepless) continue;
    const isHere = after !== undefined && (after.value === null) === isStepless;
    let place: readonly [string, string] | undefined = isHere
      ? [`${after.value ?? 0}`, memberOf(after.tie)]
      : undefined;
    for (;;) {
      const args = [index, rising ? '1' : '-1', place?.[0] ?? '', place?.[1] ?? '', `${CHUNK}`, view];
      const page = await reader.connection.run(roomScripts.page, reader.room, args);
      const [scores, rows] = page as unknown as readonly [readonly RedisReply[], readonly Row[]];
      for (const entry of await entriesIn(reader, rows, view)) if (entry) yield entry;
      const last = rows.at(-1);
      if (!last || rows.length < CHUNK) break;
      place = [String(scores.at(-1)), String(last[0])];
    }
  }
}

function positionOf({ memory, sequence }: Entry, order: ListOrder): ListPosition {
  const [index] = ORDERS[order].indexes;
  if (index === 'created') return { value: memory.createdAtUs, tie: sequence };
  if (index === 'event') return { value: memory.eventAtUs, tie: sequence };
  return { value: index === 'importance' ? memory.importance : (memory.step ?? null), tie: sequence };
}

/** Members of the lower end of a sorted set, with scores up to `until`. */
export async function firstMembers(
  { connection, room }: RoomReader,
  index: string,
  until: number,
  limit: number,
): Promise<{ readonly member: string; readonly sequence: number; readonly score: number }[]> {
  const key = `${room}:${index}`;
  const args = ['ZRANGE', key, '-inf', `${until}`, 'BYSCORE', 'LIMIT', '0', `${limit}`, 'WITHSCORES'];
  const flat = (await connection.send(key, args)) as readonly RedisReply[];
  return Array.from({ length: flat.length / 2 }, (_, at) => {
    const member = String(flat[2 * at]);
    return { member, sequence: sequenceOf(member), score: Number(flat[2 * at + 1]) };
  });
}
