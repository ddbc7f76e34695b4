import type { Entry } from '../in-memory/draft.ts';
import type { HotEntry, MirroredMemory } from '../mirror-store.ts';
import type { RedisReply } from './connection.ts';
import { decodeEntry, FIELDS } from './entry-codec.ts';

/** An entry of a log of a room, with its place in it. */
export interface LogEntry {
  readonly place: string;
  /** Revision of the entry before it; absent in what a former version has written. */
  readonly follows?: number;
  readonly entry: HotEntry;
}

export type LogReply = readonly (readonly [id: RedisReply, fields: readonly RedisReply[]])[];

export function logEntries(namespace: string, log: LogReply): LogEntry[] {
  return log.map(([at, fields]) => {
    const byName = new Map<string, RedisReply>();
    for (let name = 0; name < fields.length; name += 2) byName.set(String(fields[name]), fields[name + 1] ?? null);
    const place = String(at);
    const follows = byName.get('p');
    const kind = String(byName.get('k')) as HotEntry['kind'];
    const entry = { id: String(byName.get('i')), kind, revision: revisionIn(place) };
    const hasState = kind === 'rewritten' && byName.has('d');
    const values = FIELDS.full.map((name) => byName.get(name) ?? null);
    const state = hasState ? { state: mirrored(decodeEntry(namespace, values, 'full'), []) } : {};
    return { place, entry: { ...entry, ...state }, ...(follows !== undefined && { follows: Number(follows) }) };
  });
}

/** Whether the first of the entries does not follow what was read before. */
export function isBroken([first]: readonly LogEntry[], afterRevision: number): boolean {
  return first?.follows !== undefined && first.follows > afterRevision;
}

/** The entries up to the first that does not follow the one before it. */
export function unbroken(entries: readonly LogEntry[]): readonly LogEntry[] {
  const end = entries.findIndex(
    (_, at) => at > 0 && isBroken(entries.slice(at, at + 1), entries[at - 1]?.entry.revision ?? 0),
  );
  return end < 0 ? entries : entries.slice(0, end);
}

export function revisionIn(place: string): number {
  return Number.parseInt(place, 10);
}

export function mirrored(entry: Entry, past: Entry['past']): MirroredMemory {
  const { memory, tierSinceUs, state, resolution, notBeforeUs, isDamaged } = entry;
  const embeddingPending = state === 'pending';
  const rest = { ...(resolution && { resolution }), ...(isDamaged && { isDamaged }) };
  return { memory, tierSinceUs, embeddingPending, notBeforeUs, past, ...rest };
}
