import type { LogPlace, WatchedNamespace } from '../../../change-log/change-log.ts';
import { compactedFor, historyLost, revisionAhead } from '../../../memory/errors.ts';
import { readCompactedRevision, readRevision } from '../change-log.ts';
import type { SqliteDatabase } from '../database.ts';
import { endOfTerm, termOf } from '../log-terms.ts';
import { prepared, queries } from '../prepared.ts';

const logId = prepared((_: object) => queries.selectFrom('meta').select('value').where('key', '=', 'log_id'));
const followed = prepared((p: { key: number }) =>
  queries.selectFrom('mirror').select(['epoch', 'position', 'complete_from']).where('namespace_key', '=', p.key),
);
const nextCopied = prepared((p: { key: number; after: number }) =>
  queries
    .selectFrom('change_log')
    .select('origin')
    .where('revision', '>', p.after)
    .where('namespace_key', '=', p.key)
    .where('origin', '>', 0)
    .orderBy('revision')
    .limit(1),
);
const firstBehind = prepared((p: { key: number; origin: number }) =>
  queries
    .selectFrom('change_log')
    .select((eb) => eb.fn.min('revision').as('revision'))
    .where('namespace_key', '=', p.key)
    .where('origin', '>', p.origin),
);

export function placeAt(database: SqliteDatabase, { key }: WatchedNamespace, revision: number): LogPlace {
  const log = readLogId(database);
  const term = termOf(database, revision);
  const room = followed(database).get({ key });
  if (!room) return { log, revision, epoch: '', origin: 0, term };
  const next = nextCopied(database).get({ key, after: revision });
  const origin = next ? next.origin - 1 : Number.parseInt(room.position, 10);
  return { log, revision, epoch: room.epoch, origin, term };
}

/** A revision of this log behind which everything lies that comes after the place, and nothing that comes before it. */
export function revisionAt(database: SqliteDatabase, { key }: WatchedNamespace, place: LogPlace): number {
  if (place.log === readLogId(database)) return ownRevision(database, place);
  const room = followed(database).get({ key });
  const compacted = readCompactedRevision(database);
  if (!room || place.epoch === '' || room.epoch !== place.epoch) throw compactedFor(place.revision, compacted);
  const reached = Number.parseInt(room.position, 10);
  if (reached < place.origin) throw revisionAhead(place.origin, reached);
  // An entry has no lower revision here than where it comes from.
  if (place.origin < room.complete_from || place.origin < compacted) throw compactedFor(place.revision, compacted);
  const first = firstBehind(database).get({ key, origin: place.origin })?.revision;
  return first ? Number(first) - 1 : readRevision(database);
}

/** Of this folder's log: what comes before the place must be what it was when the place was told. */
function ownRevision(database: SqliteDatabase, { revision, term }: LogPlace): number {
  // Was told before there were terms, or lies before everything.
  if (term === '') return revision;
  const newest = readRevision(database);
  const end = endOfTerm(database, term, newest);
  if (end !== undefined && revision <= end) return revision;
  const compacted = readCompactedRevision(database);
  // Terms of what is forgotten are forgotten with it; who goes on there is told so.
  if (end === undefined && revision < compacted) return revision;
  throw historyLost(revision, compacted, newest);
}

export function readLogId(database: SqliteDatabase): string {
  return Number(logId(database).get({})?.value ?? 0).toString(36);
}
