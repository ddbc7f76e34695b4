import { embeddingStateOf } from '../embedding-state.ts';
import { setScopePolicy } from '../sqlite/agents/policy-rows.ts';
import { CHANGE } from '../sqlite/change-log.ts';
import { insertMemory } from '../sqlite/change-memory.ts';
import { Changes } from '../sqlite/changes.ts';
import { ALL_NAMESPACES, writeTierSettings } from '../sqlite/commands/namespaces.ts';
import { noteLogBegins } from '../sqlite/damage/lost-entries.ts';
import type { SqliteDatabase } from '../sqlite/database.ts';
import { putReembedding } from '../sqlite/namespace-rows.ts';
import { resized, writeResized } from '../sqlite/resize-memory.ts';
import { rowKey, rowKeyRange } from '../sqlite/schema.ts';
import { rowOf } from '../sqlite/sessions/session-rows.ts';
import { modeNumber } from '../sqlite/subscription-rows.ts';
import { readNote, writeNote } from './folder-place.ts';
import { isPlain, type PlainKind, type PlainRecord, plainTable } from './plain-tables.ts';
import {
  type Kind,
  type KindProgress,
  type MemoryRecord,
  MigrationError,
  type MigrationSource,
  type MigrationTarget,
  type RecordOf,
} from './portable.ts';
import { SqliteSource } from './sqlite-source.ts';

type Write<K extends Kind> = (record: RecordOf<K>) => void;
type Row = Readonly<Record<string, string | number | Uint8Array | null>>;

/** Numbers of the kinds of a change log, by the names that PostgreSQL has for them. */
const NUMBERS: ReadonlyMap<string, number> = new Map<string, number>([
  ...Object.entries(CHANGE),
  ['namespace_created', CHANGE.namespaceCreated],
  ['namespace_updated', CHANGE.namespaceUpdated],
  ['vectors_replaced', CHANGE.vectorsReplaced],
]);
/** Keys of namespaces and sequences that a row key has room for. */
const KEY_MAX = 2 ** 20 - 1;
const SEQUENCE_MAX = 2 ** 33 - 1;

/** The database of a data folder that a migration fills. Each write is one transaction with its progress. */
export class SqliteTarget implements MigrationTarget {
  private readonly database: SqliteDatabase;
  private readonly changes: Changes;
  private readonly writers: { readonly [K in Exclude<Kind, PlainKind>]: Write<K> };

  /** `database`: of the present schema, for this migration alone. `term`: a name for its writes, unlike all others. */
  constructor(database: SqliteDatabase, term: string) {
    this.database = database;
    this.changes = new Changes(database, term);
    this.writers = {
      settings: (record) => this.settings(record),
      namespace: (record) => this.namespace(record),
      change: (record) => this.change(record),
      memory: (record) => this.memory(record),
      former: (record) => this.formerState(record),
      kept: ({ namespace, ...kept }) => {
        this.insert('agent_snapshot_memory', { namespace_key: this.keyOf(namespace), ...kept });
      },
      subscription: (record) => this.subscription(record),
      session: ({ key, record }) => this.insert('session', { key, ...rowOf(record) }),
    };
  }

  async progress(kind: Kind): Promise<KindProgress> {
    const note = readNote(this.database, noteOf(kind));
    return note === undefined ? { isDone: false } : (JSON.parse(note) as KindProgress);
  }

  async write<K extends Kind>(kind: K, records: readonly RecordOf<K>[], place: string): Promise<void> {
    const { database, changes } = this;
    database.transaction(() => {
      const of: Kind = kind;
      if (isPlain(of)) for (const record of records) this.plain(of, record as PlainRecord);
      else {
        const write = this.writers[of] as Write<K>;
        for (const record of records) write(record);
      }
      // Writes what waits.
      changes.upkeep.begin('all');
      writeNote(database, noteOf(kind), JSON.stringify({ place, isDone: false } satisfies KindProgress));
    })();
  }

  async end(kind: Kind): Promise<void> {
    writeNote(this.database, noteOf(kind), JSON.stringify({ isDone: true } satisfies KindProgress));
  }

  async complete(): Promise<void> {
    const { database } = this;
    database.transaction(() => {
      database.exec(COMPLETING);
      this.cutLogs();
      // Logs of other stores have revisions without an entry.
      noteLogBegins(database);
    })();
  }

  readBack(): MigrationSource {
    return new SqliteSource(this.database);
  }

  /**
   * A folder has one beginning of its log. Readers from before the beginning of the log of their namespace find a gap, which
   * ends their reading as a compacted log does.
   */
  private cutLogs(): void {
    const { database } = this;
    const rows = database.prepare<[], { key: number; name: string; at: number }>(
      'SELECT key, name, created_at_us AS at FROM namespace',
    );
    const starts = rows.all().map((row) => ({ ...row, start: Number(readNote(database, startOf(row.key)) ?? 0) }));
    const compacted = starts.reduce((least, { start }) => Math.min(least, start), Number.MAX_SAFE_INTEGER);
    database
      .prepare<[number]>(`UPDATE meta SET value = ? WHERE key = 'compacted_revision'`)
      .run(starts.length === 0 ? 0 : compacted);
    // The entry at the beginning may hold a former state, which stays.
    const putGap = database.prepare<[number, number, string, number]>(
      `INSERT INTO change_log(revision, kind, namespace_key, pk, id, at_us, origin) VALUES (?, ${CHANGE.gap}, ?, 0, ?, ?, 1)
        ON CONFLICT(revision) DO UPDATE SET kind = excluded.kind, id = excluded.id, origin = excluded.origin`,
    );
    for (const { key, name, at, start } of starts) if (start !== compacted) putGap.run(start, key, name, at);
  }

  private keyOf(namespace: string): number {
    return this.changes.namespace(namespace).key;
  }

  private settings({ settings, revision }: RecordOf<'settings'>): void {
    writeTierSettings(this.changes, ALL_NAMESPACES, Object.entries(settings));
    writeNote(this.database, 'revision', String(revision));
  }

  private namespace(record: RecordOf<'namespace'>): void {
    const { database, changes } = this;
    this.insert('namespace', {
      name: record.namespace,
      description: record.description,
      memory_limit: record.memoryLimit,
      embedding_model: record.embeddingModel,
      embedding_dimension: record.embeddingDimension,
      next_sequence: 1,
      created_at_us: record.createdAtUs,
      updated_at_us: record.updatedAtUs,
      revision: record.revision,
    });
    const key = this.keyOf(record.namespace);
    if (key > KEY_MAX) throw new MigrationError(`a data folder has room for ${KEY_MAX} namespaces; there are more`);
    writeTierSettings(changes, key, Object.entries(record.settings));
    for (const policy of record.policies) setScopePolicy(changes, { namespace: record.namespace, policy, atUs: 0 });
    if (record.maintainedAtUs !== null) {
      this.insert('tier_maintenance', { namespace_key: key, at_us: record.maintainedAtUs });
    }
    if (record.logStart > 0) writeNote(database, startOf(key), String(record.logStart));
    if (!record.reembedding) return;
    const { model, startedAtUs: started_at_us } = record.reembedding;
    const begun = { namespace_key: key, model, cursor: rowKeyRange(key).first, started_at_us };
    putReembedding(database).run({ ...begun, dimension: 0, done_count: 0, total_count: 0 });
  }

  private change({ namespace, revision, kind, id, atUs, step, sequence }: RecordOf<'change'>): void {
    const key = this.keyOf(namespace);
    const number = NUMBERS.get(kind);
    if (number === undefined) throw new Error(`a change of kind ${kind} is not known`);
    this.insert('change_log', {
      revision,
      kind: number,
      namespace_key: key,
      // Of an erased memory: a key that no memory has.
      pk: id === '' ? 0 : rowKey(key, sequence ?? 0),
      id: id === '' ? namespace : id,
      at_us: atUs,
      tier_from: step ? step.from + 1 : null,
      tier_to: step ? step.to + 1 : null,
    });
  }

  private memory({ namespace: name, sequence, memory, embeddingState, ...rest }: MemoryRecord): void {
    const { database, changes } = this;
    const namespace = changes.namespace(name);
    if (sequence > SEQUENCE_MAX)
      throw new MigrationError(`namespaces/${name} has had too many memories for a data folder`);
    const state = embeddingStateOf(memory.embedding, embeddingState === 'pending');
    insertMemory(changes, namespace, { ...rest, memory, sequence, state, change: 'stored', past: [] });
    if (!rest.resolution) return;
    const form = resized(database, namespace, sequence, rest.resolution);
    if (!form) throw new Error(`namespaces/${name}/memories/${memory.id} cannot be given the form of its tier`);
    writeResized(database, form);
  }

  /** A former state is in the entry of the change that replaced it; an entry that is deleted remains for it. */
  private formerState({ namespace, id, sequence, replacedBy: revision, state }: RecordOf<'former'>): void {
    const { database } = this;
    const key = this.keyOf(namespace);
    const pk = rowKey(key, sequence);
    const set = database.prepare<[string, number, number]>(
      'UPDATE change_log SET former = ? WHERE revision = ? AND pk = ?',
    );
    if (set.run(state, revision, pk).changes > 0) return;
    const updated = database.prepare<[number], { at: number }>('SELECT updated_at_us AS at FROM memory WHERE pk = ?');
    const entry = { revision, kind: CHANGE.updated, namespace_key: key, pk, id, at_us: updated.get(pk)?.at ?? 0 };
    this.insert('change_log', { ...entry, former: state });
  }

  private subscription({ namespace, subscription, cursors }: RecordOf<'subscription'>): void {
    const { filter, filterAsGiven, scope } = subscription;
    const key = this.insert('subscription', {
      namespace_key: this.keyOf(namespace),
      id: subscription.id,
      mode: modeNumber(subscription.mode),
      filter: filter ? JSON.stringify({ filter, filterAsGiven }) : '',
      scope: scope ? JSON.stringify(scope) : '',
      ack_deadline_ms: subscription.ackDeadlineMs,
      consumer_ttl_ms: subscription.consumerTtlMs,
      include_moved: subscription.includeMoved ? 1 : 0,
      created_at_us: subscription.createdAtUs,
      start_revision: subscription.startRevision,
      webhook: subscription.webhook ? JSON.stringify(subscription.webhook) : '',
    });
    for (const { consumer, acknowledgedRevision: acknowledged_revision, seenAtUs: seen_at_us } of cursors) {
      this.insert('subscription_cursor', { subscription_key: key, consumer, acknowledged_revision, seen_at_us });
    }
  }

  private plain(kind: PlainKind, { namespace, values }: PlainRecord): void {
    const { table, columns, of } = plainTable(kind);
    const row = Object.fromEntries(columns.map((column, at) => [column, values[at] ?? null]));
    if (of === 'key') row.namespace_key = this.keyOf(namespace);
    else if (of !== 'session') row.namespace = namespace;
    this.insert(table, row);
  }

  /** Returns the number of the row. */
  private insert(table: string, row: Row, verb = 'INSERT'): number {
    const names = Object.keys(row);
    const text = `${verb} INTO ${table}(${names.map((name) => `"${name}"`).join()}) VALUES (${names.map(() => '?').join()})`;
    return Number(this.database.prepare(text).run(Object.values(row)).lastInsertRowid);
  }
}

function noteOf(kind: Kind): string {
  return `kind ${kind}`;
}

function startOf(namespaceKey: number): string {
  return `log start ${namespaceKey}`;
}

/** Numbers that writes keep besides the rows. */
const COMPLETING = `
UPDATE namespace SET next_sequence = 1 + ifnull((SELECT max(pk) FROM memory WHERE namespace_key = namespace.key)
  - key * 8589934592, 0);
UPDATE reembedding SET total_count =
  (SELECT count(*) FROM memory WHERE memory.namespace_key = reembedding.namespace_key);
UPDATE meta SET value = max((SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'migration revision'),
  (SELECT ifnull(max(revision), 0) FROM change_log)) WHERE key IN ('revision', 'settled_revision');
DELETE FROM log_term WHERE start_revision > 0;
DELETE FROM sqlite_sequence WHERE name = 'lifecycle_event';
INSERT INTO sqlite_sequence SELECT 'lifecycle_event', ifnull(max(newest), 0) FROM lifecycle_ends;
`;
