import { sql } from '#kysely';
import type { Micros } from '../../../memory/memory.ts';
import { type Query, queries, type Session } from '../database.ts';
import { inParts, writeDraft } from '../write-draft.ts';
import { appendEvents } from './lifecycle-events.ts';
import type { SessionBatch } from './session-batch.ts';
import type { SessionChanges } from './session-changes.ts';
import { checkpointRow, entryRow, noteRow, sessionRow } from './session-rows.ts';
import type { SessionTable } from './session-schema.ts';
import { type Signal, sending } from './signals.ts';

interface Written {
  readonly key: number;
  readonly changes: SessionChanges;
}

/** Statements for the changes of a batch by a server; the episodes are written already. */
export async function writingBatch(
  session: Session,
  batch: SessionBatch,
  atUs: Micros,
  origin: string,
): Promise<Query<unknown>[]> {
  const { namespace, memories } = batch.loaded;
  if (memories && batch.memories) await writeDraft(session, memories, batch.memories, atUs);
  const rows: SessionTable[] = [];
  const written: Written[] = [];
  for (const { key = batch.newKey(), loaded, changes } of batch.changed.values()) {
    if (!loaded.record) continue;
    rows.push(sessionRow(key, loaded.record));
    written.push({ key, changes });
  }
  const signals: Signal[] = [...batch.touched].map((id) => ({
    kind: 'session',
    origin,
    key: { namespace, session: id },
  }));
  if (batch.events.length > 0) signals.push({ kind: 'events', namespace });
  return [
    ...erasing(batch.erasedKeys),
    ...inParts(rows).map(putSessions),
    ...entriesOf(written),
    ...notesOf(written),
    ...checkpointsOf(written),
    ...logOf(written),
    ...keeping(batch, namespace),
    ...(batch.events.length > 0 ? [appendEvents(namespace, batch.events)] : []),
    ...(signals.length > 0 ? [sending(signals)] : []),
  ];
}

/** Hides sessions; their rows are erased later. */
function erasing(keys: readonly number[]): Query<unknown>[] {
  if (keys.length === 0) return [];
  return [
    sql`DELETE FROM session WHERE key = any(${keys}::bigint[])`,
    sql`INSERT INTO session_erasure SELECT unnest(${keys}::bigint[])`,
  ];
}

/** A new session of a name that another transaction has taken violates the uniqueness of names. */
function putSessions(rows: readonly SessionTable[]): Query<unknown> {
  return queries
    .insertInto('session')
    .values(rows)
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet((eb) => ({
        state: eb.ref('excluded.state'),
        revision: eb.ref('excluded.revision'),
        expires_at_us: eb.ref('excluded.expires_at_us'),
        idle_at_us: eb.ref('excluded.idle_at_us'),
        head_checkpoint: eb.ref('excluded.head_checkpoint'),
        record: eb.ref('excluded.record'),
      })),
    );
}

function entriesOf(written: readonly Written[]): Query<unknown>[] {
  const cleared = written.flatMap(({ key, changes }) => (changes.clearsEntries ? [key] : []));
  const dropped = pairs(written, ({ droppedKeys }) => droppedKeys);
  const times = written.flatMap(({ key, changes }) => [...changes.times.values()].map((head) => ({ key, head })));
  const entries = written.flatMap(({ key, changes }) =>
    [...changes.entries.values()].map((entry) => entryRow(key, entry)),
  );
  return [
    ...(cleared.length > 0 ? [sql`DELETE FROM session_entry WHERE session_key = any(${cleared}::bigint[])`] : []),
    ...deleting('session_entry', 'key', 'text', dropped),
    ...(times.length > 0
      ? [
          sql`UPDATE session_entry e SET version = t.version, expires_at_us = t.expires_at_us
            FROM unnest(${times.map(({ key }) => key)}::bigint[], ${times.map(({ head }) => head.key)}::text[],
              ${times.map(({ head }) => head.version)}::bigint[], ${times.map(({ head }) => head.expiresAtUs ?? null)}::bigint[])
              AS t(session_key, key, version, expires_at_us)
            WHERE e.session_key = t.session_key AND e.key = t.key`,
        ]
      : []),
    ...inParts(entries).map((rows) =>
      queries
        .insertInto('session_entry')
        .values(rows)
        .onConflict((conflict) =>
          conflict.columns(['session_key', 'key']).doUpdateSet((eb) => ({
            version: eb.ref('excluded.version'),
            content_revision: eb.ref('excluded.content_revision'),
            bytes: eb.ref('excluded.bytes'),
            created_at_us: eb.ref('excluded.created_at_us'),
            updated_at_us: eb.ref('excluded.updated_at_us'),
            expires_at_us: eb.ref('excluded.expires_at_us'),
            media_type: eb.ref('excluded.media_type'),
            data: eb.ref('excluded.data'),
          })),
        ),
    ),
  ];
}

function notesOf(written: readonly Written[]): Query<unknown>[] {
  const ranges = written.flatMap(({ key, changes }) => changes.droppedNotes.map((range) => ({ key, ...range })));
  const notes = written.flatMap(({ key, changes }) => [...changes.notes.values()].map((note) => noteRow(key, note)));
  return [
    ...(ranges.length > 0
      ? [
          sql`DELETE FROM session_note n USING unnest(${ranges.map(({ key }) => key)}::bigint[],
            ${ranges.map(({ from }) => from)}::bigint[], ${ranges.map(({ to }) => to)}::bigint[]) AS r(session_key, first, last)
            WHERE n.session_key = r.session_key AND n.sequence BETWEEN r.first AND r.last`,
        ]
      : []),
    ...inParts(notes).map((rows) => queries.insertInto('session_note').values(rows)),
  ];
}

function checkpointsOf(written: readonly Written[]): Query<unknown>[] {
  const dropped = pairs(written, ({ droppedCheckpoints }) => droppedCheckpoints);
  const droppedPacks = pairs(written, (changes) => changes.droppedPacks);
  const checkpoints = written.flatMap(({ key, changes }) =>
    [...changes.checkpoints.values()].map((checkpoint) => checkpointRow(key, checkpoint)),
  );
  const manifests = written.flatMap(({ key, changes }) =>
    [...changes.manifests].map(([id, data]) => ({ session_key: key, id, data })),
  );
  const packs = written.flatMap(({ key, changes }) =>
    [...changes.packs].map(([number, data]) => ({ session_key: key, number, data })),
  );
  return [
    ...deleting('session_checkpoint', 'id', 'text', dropped),
    ...deleting('session_manifest', 'id', 'text', dropped),
    ...deleting('session_pack', 'number', 'bigint', droppedPacks),
    ...inParts(checkpoints).map((rows) =>
      queries
        .insertInto('session_checkpoint')
        .values(rows)
        .onConflict((conflict) =>
          conflict.columns(['session_key', 'id']).doUpdateSet((eb) => ({
            revision: eb.ref('excluded.revision'),
            expires_at_us: eb.ref('excluded.expires_at_us'),
            packs: eb.ref('excluded.packs'),
            body: eb.ref('excluded.body'),
          })),
        ),
    ),
    ...inParts(manifests).map((rows) => queries.insertInto('session_manifest').values(rows)),
    ...inParts(packs).map((rows) => queries.insertInto('session_pack').values(rows)),
  ];
}

function logOf(written: readonly Written[]): Query<unknown>[] {
  const changes = written.flatMap(({ key, changes: { log } }) =>
    log.map((change) => ({ session_key: key, ...change })),
  );
  const compacted = written.filter(({ changes: { compactedRevision } }) => compactedRevision > 0);
  const [keys, revisions] = [compacted.map(({ key }) => key), compacted.map((each) => each.changes.compactedRevision)];
  return [
    ...(keys.length > 0
      ? [
          sql`DELETE FROM session_change c USING unnest(${keys}::bigint[], ${revisions}::bigint[]) AS d(session_key, revision)
            WHERE c.session_key = d.session_key AND c.revision <= d.revision`,
        ]
      : []),
    ...inParts(changes).map((rows) => queries.insertInto('session_change').values(rows)),
  ];
}

/** Outcomes of request ids. One that another transaction has stored meanwhile violates their uniqueness. */
function keeping({ outcomes, retentionUs }: SessionBatch, namespace: string): Query<unknown>[] {
  const rows = [...outcomes].map(([requestId, { fingerprint, outcome, expiresAtUs }]) => ({
    namespace,
    request_id: requestId,
    fingerprint,
    outcome: JSON.stringify(outcome ?? null),
    expires_at_us: expiresAtUs,
  }));
  if (rows.length === 0) return [];
  rows.sort((one, other) => (one.request_id < other.request_id ? -1 : 1));
  const ids = rows.map((row) => row.request_id);
  const writtenAtUs = rows.map((row) => row.expires_at_us - retentionUs);
  return [
    // Records whose retention is over.
    sql`DELETE FROM idempotency i USING unnest(${ids}::text[], ${writtenAtUs}::bigint[]) AS o(request_id, at_us)
      WHERE i.namespace = ${namespace} AND i.request_id = o.request_id AND i.expires_at_us <= o.at_us`,
    queries.insertInto('idempotency').values(rows),
  ];
}

/** Numbers of sessions and names in them, in two lists of the same length. */
function pairs<T>(written: readonly Written[], of: (changes: SessionChanges) => Iterable<T>): [number[], T[]] {
  const [keys, names]: [number[], T[]] = [[], []];
  for (const { key, changes } of written) {
    for (const name of of(changes)) {
      keys.push(key);
      names.push(name);
    }
  }
  return [keys, names];
}

function deleting(
  table: 'session_entry' | 'session_checkpoint' | 'session_manifest' | 'session_pack',
  column: string,
  type: 'text' | 'bigint',
  [keys, names]: readonly [readonly number[], readonly unknown[]],
): Query<unknown>[] {
  if (keys.length === 0) return [];
  return [
    sql`DELETE FROM ${sql.table(table)} t USING unnest(${keys}::bigint[], ${names}::${sql.raw(type)}[]) AS d(session_key, name)
      WHERE t.session_key = d.session_key AND t.${sql.ref(column)} = d.name`,
  ];
}
