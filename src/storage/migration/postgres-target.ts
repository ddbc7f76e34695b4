import { sql } from '#kysely';
import { vectorToBytes } from '../../memory/resolution/plain-vector.ts';
import type { Checkpoint } from '../../memory/session.ts';
import { type PostgresDatabase, type Query, queries, type Session } from '../postgres/database.ts';
import { rowOf } from '../postgres/memory-rows.ts';
import type { MemoryRevisionTable, MemoryVectorTable } from '../postgres/schema.ts';
import { sessionRow } from '../postgres/sessions/session-rows.ts';
import { inParts, LOGGED_KINDS } from '../postgres/write-draft.ts';
import type { Entry } from '../rules/draft.ts';
import { erasedMemories } from './erased-memories.ts';
import { NO_OFFSETS } from './offsets.ts';
import { isPlain, type PlainKind, type PlainRecord, plainTable } from './plain-tables.ts';
import type { Kind, KindProgress, MemoryRecord, MigrationSource, MigrationTarget, RecordOf } from './portable.ts';
import { readNote, writeNote } from './postgres-place.ts';
import { PostgresSource } from './postgres-source.ts';

type Write<K extends Kind> = (session: Session, records: readonly RecordOf<K>[]) => Promise<void>;

/** Tables of one schema that a migration fills. Each write is one transaction with its progress. */
export class PostgresTarget implements MigrationTarget {
  private readonly database: PostgresDatabase;
  /** Keys of the namespaces, by name. */
  private readonly keys: Map<string, number>;
  private readonly writers: { readonly [K in Exclude<Kind, PlainKind>]: Write<K> };

  private constructor(database: PostgresDatabase, keys: Map<string, number>) {
    this.database = database;
    this.keys = keys;
    this.writers = {
      settings: writeSettings,
      namespace: (session, records) => this.namespaces(session, records),
      change: (session, records) => this.changes(session, records),
      memory: (session, records) => this.memories(session, records),
      former: (session, records) => this.formerStates(session, records),
      kept: (session, records) => this.kept(session, records),
      subscription: (session, records) => this.subscriptions(session, records),
      session: async (session, records) => {
        const rows = records.map(({ key, record }) => sessionRow(key, record));
        for (const part of inParts(rows)) await session.run(queries.insertInto('session').values(part));
      },
    };
  }

  static async open(database: PostgresDatabase): Promise<PostgresTarget> {
    const rows = await database.read((session) => session.run(queries.selectFrom('namespace').select(['name', 'key'])));
    return new PostgresTarget(database, new Map(rows.map(({ name, key }) => [name, key])));
  }

  async progress(kind: Kind): Promise<KindProgress> {
    const note = await this.database.read((session) => readNote(session, noteOf(kind)));
    return note === undefined ? { isDone: false } : (JSON.parse(note) as KindProgress);
  }

  async write<K extends Kind>(kind: K, records: readonly RecordOf<K>[], place: string): Promise<void> {
    await this.database.transaction(async (session) => {
      const of: Kind = kind;
      if (isPlain(of)) await this.plain(session, of, records as readonly PlainRecord[]);
      else await (this.writers[of] as Write<K>)(session, records);
      await writeNote(session, noteOf(kind), JSON.stringify({ place, isDone: false } satisfies KindProgress));
    });
  }

  async end(kind: Kind): Promise<void> {
    await this.database.transaction((session) =>
      writeNote(session, noteOf(kind), JSON.stringify({ isDone: true } satisfies KindProgress)),
    );
  }

  async complete(): Promise<void> {
    await this.database.transaction(async (session) => {
      for (const statement of COMPLETING) await session.run(statement);
    });
  }

  readBack(): MigrationSource {
    return new PostgresSource({
      read: (work) => this.database.read(work),
      identity: '',
      offsets: NO_OFFSETS,
    });
  }

  private keyOf(namespace: string): number {
    const key = this.keys.get(namespace);
    if (key === undefined) throw new Error(`namespace ${namespace} was not written`);
    return key;
  }

  private async namespaces(session: Session, records: readonly RecordOf<'namespace'>[]): Promise<void> {
    if (records.length === 0) return;
    const [meta] = await session.run(queries.selectFrom('meta').select('revision_floor'));
    const newest = meta?.revision_floor ?? 0;
    const rows = records.map((record) => ({
      name: record.namespace,
      description: record.description,
      memory_limit: record.memoryLimit,
      embedding_model: record.embeddingModel,
      embedding_dimension: record.embeddingDimension,
      settings: JSON.stringify(record.settings),
      policies: JSON.stringify(record.policies),
      created_at_us: record.createdAtUs,
      updated_at_us: record.updatedAtUs,
      revision: record.revision,
      // A caller may know any revision of the folder: later ones are higher, and reading on after it misses nothing.
      log_revision: newest,
      log_start: record.logStart,
      next_sequence: 1,
      memory_count: 0,
      maintained_at_us: record.maintainedAtUs,
    }));
    const made = await session.run(queries.insertInto('namespace').values(rows).returning(['name', 'key']));
    for (const { name, key } of made) this.keys.set(name, key);
    const begun = records.flatMap(({ namespace, reembedding }) =>
      reembedding
        ? [{ namespace_key: this.keyOf(namespace), model: reembedding.model, at: reembedding.startedAtUs }]
        : [],
    );
    const none = { dimension: 0, cursor: 0, done_count: 0, total_count: 0 };
    for (const { at, ...row } of begun) {
      await session.run(queries.insertInto('reembedding').values({ ...row, ...none, started_at_us: at }));
    }
  }

  private async changes(session: Session, records: readonly RecordOf<'change'>[]): Promise<void> {
    const rows = records.map(({ namespace, revision, kind, id, atUs, step }) => ({
      namespace_key: this.keyOf(namespace),
      revision,
      kind: (LOGGED_KINDS as readonly string[]).indexOf(kind),
      id,
      at_us: atUs,
      tier_from: step?.from ?? null,
      tier_to: step?.to ?? null,
    }));
    for (const part of inParts(rows)) await session.run(queries.insertInto('change_log').values(part));
  }

  private async memories(session: Session, records: readonly MemoryRecord[]): Promise<void> {
    const placed = records.map((record) => ({ key: this.keyOf(record.namespace), record }));
    const statements: Query<unknown>[] = [];
    const memories = placed.map(({ key, record }) => rowOf(key, entryOf(record)));
    const bodies = placed.map(({ key, record: { sequence, memory } }) => ({
      namespace_key: key,
      sequence,
      text: memory.text,
      media_type: memory.content?.mediaType ?? null,
      content: memory.content ? Buffer.from(memory.content.data) : null,
    }));
    const vectors = placed.flatMap(({ key, record: { sequence, memory } }): MemoryVectorTable[] =>
      memory.embedding ? [{ namespace_key: key, sequence, data: vectorToBytes(memory.embedding.values) }] : [],
    );
    for (const rows of inParts(memories)) statements.push(queries.insertInto('memory').values(rows));
    for (const rows of inParts(bodies)) statements.push(queries.insertInto('memory_body').values(rows));
    for (const rows of inParts(vectors)) statements.push(queries.insertInto('memory_vector').values(rows));
    for (const statement of statements) await session.run(statement);
  }

  private async formerStates(session: Session, records: readonly RecordOf<'former'>[]): Promise<void> {
    const rows = records.map(
      ({ namespace, sequence, revision, isOldest, state }): MemoryRevisionTable => ({
        namespace_key: this.keyOf(namespace),
        sequence,
        revision,
        change: isOldest ? 0 : 1,
        state,
      }),
    );
    for (const part of inParts(rows)) await session.run(queries.insertInto('memory_revision').values(part));
  }

  private async kept(session: Session, records: readonly RecordOf<'kept'>[]): Promise<void> {
    for (const [namespace, ofNamespace] of Map.groupBy(records, (record) => record.namespace)) {
      const key = this.keyOf(namespace);
      const snapshots = await session.run(
        queries.selectFrom('agent_snapshot').select(['id', 'revision']).where('namespace_key', '=', key),
      );
      const [last] = await session.run(
        sql<{ sequence: number }>`SELECT greatest(
          (SELECT coalesce(max(sequence), 0) FROM memory WHERE namespace_key = ${key}),
          (SELECT coalesce(max(sequence), 0) FROM erased_memory WHERE namespace_key = ${key})) AS sequence`,
      );
      const erased = erasedMemories({
        key,
        namespace,
        records: ofNamespace,
        revisions: new Map(snapshots.map(({ id, revision }) => [id, revision])),
        nextSequence: (last?.sequence ?? 0) + 1,
      });
      for (const rows of inParts(erased.memories)) await session.run(queries.insertInto('erased_memory').values(rows));
      for (const rows of inParts(erased.bodies)) await session.run(queries.insertInto('memory_body').values(rows));
      for (const rows of inParts(erased.states)) await session.run(queries.insertInto('memory_revision').values(rows));
    }
  }

  private async subscriptions(session: Session, records: readonly RecordOf<'subscription'>[]): Promise<void> {
    for (const { namespace, subscription, cursors } of records) {
      const { id, startRevision, ...record } = subscription;
      const [row] = await session.run(
        queries
          .insertInto('subscription')
          .values({
            namespace_key: this.keyOf(namespace),
            id,
            consumer_ttl_ms: record.consumerTtlMs,
            start_revision: startRevision,
            has_webhook: record.webhook !== undefined,
            record: JSON.stringify(record),
          })
          .returning('key'),
      );
      if (!row) throw new Error('a new subscription has no row');
      const rows = cursors.map(({ consumer, acknowledgedRevision, seenAtUs }) => ({
        subscription_key: row.key,
        consumer,
        revision: acknowledgedRevision,
        seen_at_us: seenAtUs,
      }));
      for (const part of inParts(rows)) await session.run(queries.insertInto('subscription_cursor').values(part));
    }
  }

  private async plain(session: Session, kind: PlainKind, records: readonly PlainRecord[]): Promise<void> {
    if (records.length === 0) return;
    const { table, columns, of } = plainTable(kind);
    const named = { session: [], key: ['namespace_key'], name: ['namespace'] }[of];
    const packs = kind === 'checkpoint' ? ['packs'] : [];
    const names = sql.join([...named, ...columns, ...packs].map((column) => sql.ref(column)));
    const rows = records.map(({ namespace, values }) => {
      const name = { session: [], key: [of === 'key' ? this.keyOf(namespace) : 0], name: [namespace] }[of];
      const derived = kind === 'checkpoint' ? [packsIn(values[columns.indexOf('body')])] : [];
      return sql`(${sql.join([...name, ...values, ...derived])})`;
    });
    await session.run(sql`INSERT INTO ${sql.table(table)}(${names}) VALUES ${sql.join(rows)}`);
  }
}

function noteOf(kind: Kind): string {
  return `kind ${kind}`;
}

function packsIn(body: unknown): readonly number[] {
  return (JSON.parse(String(body)) as Checkpoint).packs;
}

async function writeSettings(session: Session, records: readonly RecordOf<'settings'>[]): Promise<void> {
  for (const { settings, revision } of records) {
    await session.run(
      queries.updateTable('meta').set({ settings: JSON.stringify(settings), revision_floor: revision }),
    );
  }
}

function entryOf({ memory, sequence, embeddingState, hasFormer, resolution, ...rest }: MemoryRecord): Entry {
  return {
    memory,
    sequence,
    state: embeddingState,
    attempts: rest.attempts,
    notBeforeUs: rest.notBeforeUs,
    tierSinceUs: rest.tierSinceUs,
    change: hasFormer ? 'updated' : 'stored',
    past: [],
    resolution,
  };
}

/** Numbers that writes keep besides the rows, and what the planner knows of these. */
const COMPLETING: readonly Query<unknown>[] = [
  sql`UPDATE namespace n SET
    memory_count = (SELECT count(*) FROM memory m WHERE m.namespace_key = n.key),
    snapshot_count = (SELECT count(*) FROM agent_snapshot s WHERE s.namespace_key = n.key),
    next_sequence = 1 + greatest(
      (SELECT coalesce(max(m.sequence), 0) FROM memory m WHERE m.namespace_key = n.key),
      (SELECT coalesce(max(e.sequence), 0) FROM erased_memory e WHERE e.namespace_key = n.key))`,
  sql`UPDATE reembedding r SET total_count = n.memory_count FROM namespace n WHERE n.key = r.namespace_key`,
  sql`SELECT setval(pg_get_serial_sequence('session', 'key'), greatest(1, (SELECT max(key) FROM session)))`,
  sql`ANALYZE namespace, memory, memory_body, memory_vector, memory_revision, change_log, session, session_entry`,
];
