import { TIERS } from '../../memory/memory.ts';
import type { HotEntry } from '../hot-log.ts';
import type { TierStep } from '../tier-store.ts';
import type { RedisReply } from './connection.ts';

/** An entry in the log of a keyspace, with its place. */
export interface LogEntry {
  readonly place: string;
  /** Revision of the previous entry; absent in entries of a former version. */
  readonly follows?: number;
  readonly entry: HotEntry;
}

const KINDS: readonly HotEntry['kind'][] = [
  ...(['stored', 'updated', 'deleted', 'expired', 'moved', 'embedded', 'touched', 'released'] as const),
  ...(['namespace_deleted', 'namespace_emptied'] as const),
];

/** Written by a former version for memories of another store: followers skip it. */
const FORMER = 'rewritten';

export type LogReply = readonly (readonly [id: RedisReply, fields: readonly RedisReply[]])[];

/** Without unreadable entries: their successors do not continue their predecessors. */
export function logEntries(log: LogReply): LogEntry[] {
  return log.flatMap((one) => logEntry(one) ?? []);
}

function logEntry([at, fields]: LogReply[number]): LogEntry | undefined {
  const byName = new Map<string, RedisReply>();
  for (let name = 0; name < fields.length; name += 2) byName.set(String(fields[name]), fields[name + 1] ?? null);
  const place = String(at);
  const name = String(byName.get('k'));
  const kind = name === FORMER ? 'released' : KINDS.find((known) => known === name);
  const id = byName.get('i');
  const follows = Number(byName.get('p') ?? 0);
  if (!kind || id === undefined || !Number.isInteger(follows)) return undefined;
  const step = kind === 'moved' ? stepIn(byName.get('t')) : undefined;
  const atUs = Number(byName.get('a') ?? 0);
  const entry = {
    id: String(id),
    kind,
    revision: revisionIn(place),
    ...(step && { step }),
    ...(Number.isSafeInteger(atUs) && atUs > 0 && { atUs }),
  };
  return { place, ...(byName.has('p') && { follows }), entry };
}

/** Positions of the two tiers, one digit each. */
export function stepField({ from, to }: TierStep): string {
  return `${TIERS.indexOf(from)}${TIERS.indexOf(to)}`;
}

/** `undefined` where it is missing or unreadable: the follower reads the memory. */
function stepIn(field: RedisReply | undefined): TierStep | undefined {
  const [from, to] = String(field ?? '')
    .split('')
    .map((place) => TIERS[Number(place)]);
  return from && to && { from, to };
}

/** The last possible place of a revision. */
export function endOf(revision: number): string {
  return `${revision}-${LAST_SERIAL}`;
}

/** Position after these entries; `undefined` without entries. */
export function placeAfter(followed: readonly LogEntry[]): string | undefined {
  const last = followed.at(-1);
  const isOver = last?.entry.kind === 'namespace_deleted' || last?.entry.kind === 'namespace_emptied';
  return isOver ? `${last.entry.revision}-${LIFE_SERIAL}` : last?.place;
}

/** Whether the last followed entry is the deletion of the namespace: a missing keyspace is then no loss. */
export function isEndOfLife(place: string): boolean {
  return place.endsWith(`-${LIFE_SERIAL}`);
}

const LIFE_SERIAL = '18446744073709551614';
const LAST_SERIAL = '18446744073709551615';

/** Whether an entry was at the place, which identifies one write. */
export function isOfEntry(place: string): boolean {
  const serial = place.split('-')[1];
  return serial !== LAST_SERIAL && serial !== LIFE_SERIAL && serial !== '0';
}

/** Whether the first of the entries does not continue the previously read one. */
export function isBroken([first]: readonly LogEntry[], afterRevision: number): boolean {
  return first?.follows !== undefined && first.follows > afterRevision;
}

/** The entries up to the first that does not continue its predecessor. */
export function unbroken(entries: readonly LogEntry[]): readonly LogEntry[] {
  const end = entries.findIndex(
    (_, at) => at > 0 && isBroken(entries.slice(at, at + 1), entries[at - 1]?.entry.revision ?? 0),
  );
  return end < 0 ? entries : entries.slice(0, end);
}

export function revisionIn(place: string): number {
  return Number.parseInt(place, 10);
}
