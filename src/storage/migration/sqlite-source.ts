import { readPolicies } from '../sqlite/agents/policy-rows.ts';
import { CHANGE, readCompactedRevision, readRevision } from '../sqlite/change-log.ts';
import type { SqliteDatabase } from '../sqlite/database.ts';
import { readLogId } from '../sqlite/queries/log.ts';
import { tierSettings } from '../sqlite/queries/tiers.ts';
import { sequenceOf } from '../sqlite/schema.ts';
import { recordOf, type SessionRow } from '../sqlite/sessions/session-rows.ts';
import { type SubscriptionRow, subscriptionFromRow } from '../sqlite/subscription-rows.ts';
import { bytesOfRow, isPlain, type PlainKind, type PlainRecord, type PlainValue, plainTable } from './plain-tables.ts';
import {
  type ChangeRecord,
  type KeptRecord,
  type Kind,
  type MigrationSource,
  type NamespaceRecord,
  PAGE_BYTES,
  PAGE_RECORDS,
  type Page,
  type PortableSession,
  type RecordOf,
  type SettingsRecord,
  type SubscriptionRecord,
} from './portable.ts';
import { type Rows, readFormer, readMemories } from './sqlite-memories.ts';

type Reader<K extends Kind> = (after: readonly PlainValue[]) => Rows<K>;

/** Kinds of entries that PostgreSQL logs under the same meaning. */
const LOGGED = new Map<number, string>([
  [CHANGE.stored, 'stored'],
  [CHANGE.updated, 'updated'],
  [CHANGE.deleted, 'deleted'],
  [CHANGE.expired, 'expired'],
  [CHANGE.embedded, 'embedded'],
  [CHANGE.touched, 'touched'],
  [CHANGE.moved, 'moved'],
  [CHANGE.namespaceCreated, 'namespace_created'],
  [CHANGE.namespaceUpdated, 'namespace_updated'],
  [CHANGE.vectorsReplaced, 'vectors_replaced'],
]);
/** A memory has another form since: a move, or, within a tier, a change that only readers of every change see. */
const RESIZED: ReadonlySet<number> = new Set([CHANGE.resized, CHANGE.vectorResized]);

/** The records of a data folder. */
export class SqliteSource implements MigrationSource {
  readonly identity: string;
  private readonly database: SqliteDatabase;
  private readonly readers: { readonly [K in Exclude<Kind, PlainKind>]: Reader<K> };

  /** `database`: settled, of the present schema, and nothing else writes to it. */
  constructor(database: SqliteDatabase) {
    this.database = database;
    this.identity = `folder ${readLogId(database)} at ${readRevision(database)}`;
    this.readers = {
      settings: (after) => this.settings(after),
      namespace: (after) => this.namespaces(after),
      change: (after) => this.changes(after),
      memory: (after) => readMemories(database, after),
      former: (after) => readFormer(database, after),
      kept: (after) => this.kept(after),
      subscription: (after) => this.subscriptions(after),
      session: (after) => this.sessions(after),
    };
  }

  async *pages<K extends Kind>(kind: K, after?: string): AsyncGenerator<Page<K>> {
    const of: Kind = kind;
    const reader = (isPlain(of) ? this.plain(of) : this.readers[of]) as Reader<K>;
    let from = after === undefined ? [] : (JSON.parse(after) as PlainValue[]);
    for (;;) {
      const records: RecordOf<K>[] = [];
      let [bytes, rows] = [0, 0];
      for (const row of reader(from)) {
        rows++;
        from = [...row.place];
        bytes += row.bytes;
        records.push(...row.records);
        if (bytes >= PAGE_BYTES || rows >= PAGE_RECORDS) break;
      }
      if (rows === 0) return;
      yield { records, place: JSON.stringify(from) };
    }
  }

  async count(kind: Kind): Promise<number> {
    if (kind === 'settings') return 1;
    const table = isPlain(kind) ? plainTable(kind).table : TABLES[kind];
    const only = kind === 'former' ? 'WHERE former IS NOT NULL' : '';
    return this.database.prepare<[], { n: number }>(`SELECT count(*) AS n FROM ${table} ${only}`).get()?.n ?? 0;
  }

  private *settings(after: readonly PlainValue[]): Rows<'settings'> {
    if (after.length > 0) return;
    const settings = Object.fromEntries(tierSettings(this.database, ''));
    const record: SettingsRecord = { namespace: '', settings, revision: readRevision(this.database) };
    yield { place: [''], bytes: 0, records: [record] };
  }

  private *namespaces([after = 0]: readonly PlainValue[]): Rows<'namespace'> {
    const { database } = this;
    const rows = database.prepare<[PlainValue], NamespaceColumns>(
      `SELECT n.*, m.at_us AS maintained_at_us, r.model, r.started_at_us FROM namespace n
        LEFT JOIN tier_maintenance m ON m.namespace_key = n.key LEFT JOIN reembedding r ON r.namespace_key = n.key
        WHERE n.key > ? ORDER BY n.key LIMIT ${PAGE_RECORDS}`,
    );
    for (const row of rows.all(after)) {
      const { key, name, model, started_at_us: startedAtUs } = row;
      const record: NamespaceRecord = {
        namespace: name,
        description: row.description,
        memoryLimit: row.memory_limit,
        embeddingModel: row.embedding_model,
        embeddingDimension: row.embedding_dimension,
        settings: Object.fromEntries(tierSettings(database, name)),
        policies: readPolicies(database, key),
        createdAtUs: row.created_at_us,
        updatedAtUs: row.updated_at_us,
        revision: row.revision,
        logStart: this.logStart(key),
        maintainedAtUs: row.maintained_at_us,
        reembedding: model === null || startedAtUs === null ? null : { model, startedAtUs },
      };
      yield { place: [key], bytes: row.description.length, records: [record] };
    }
  }

  /** A gap ends what the log of its namespace lacks. */
  private logStart(key: number): number {
    const { database } = this;
    const gap = database.prepare<[number], { revision: number | null }>(
      `SELECT max(revision) AS revision FROM change_log WHERE namespace_key = ? AND origin IS NOT NULL AND kind = ${CHANGE.gap}`,
    );
    return Math.max(readCompactedRevision(database), gap.get(key)?.revision ?? 0);
  }

  private *changes([after = 0]: readonly PlainValue[]): Rows<'change'> {
    const rows = this.database.prepare<[PlainValue, number], ChangeColumns>(
      `SELECT c.revision, c.kind, c.namespace_key, c.id, c.at_us, c.tier_from, c.tier_to, n.name, m.pk FROM change_log c
        LEFT JOIN namespace n ON n.key = c.namespace_key LEFT JOIN memory m ON m.pk = c.pk AND c.pk > 0
        WHERE c.revision > ? AND c.revision > ? ORDER BY c.revision LIMIT ${PAGE_RECORDS}`,
    );
    const starts = new Map<number, number>();
    for (const row of rows.all(after, readCompactedRevision(this.database))) {
      const { namespace_key: key, revision } = row;
      const start = starts.get(key) ?? this.logStart(key);
      starts.set(key, start);
      const place = [revision];
      const record = revision > start ? changeOf(row) : undefined;
      yield { place, bytes: row.id.length, records: record ? [record] : [] };
    }
  }

  /** By namespace and id: the states of one memory are in one page. */
  private *kept([afterKey = 0, afterId = '']: readonly PlainValue[]): Rows<'kept'> {
    const { database } = this;
    const ids = database.prepare<PlainValue[], { namespace_key: number; id: string }>(
      `SELECT DISTINCT namespace_key, id FROM agent_snapshot_memory WHERE (namespace_key, id) > (?, ?)
        ORDER BY namespace_key, id LIMIT ${PAGE_RECORDS}`,
    );
    const states = database.prepare<[number, string], { name: string; snapshot: string; state: string }>(
      `SELECT n.name, k.snapshot, k.state FROM agent_snapshot_memory k JOIN namespace n ON n.key = k.namespace_key
        WHERE k.namespace_key = ? AND k.id = ? ORDER BY k.snapshot`,
    );
    for (const { namespace_key: key, id } of ids.all(afterKey, afterId)) {
      const records: KeptRecord[] = states
        .all(key, id)
        .map(({ name, snapshot, state }) => ({ namespace: name, snapshot, id, state }));
      const bytes = records.reduce((sum, { state }) => sum + state.length, 0);
      yield { place: [key, id], bytes, records };
    }
  }

  private *subscriptions([after = 0]: readonly PlainValue[]): Rows<'subscription'> {
    const { database } = this;
    const rows = database.prepare<[PlainValue], SubscriptionRow & { name: string }>(
      `SELECT s.*, n.name FROM subscription s JOIN namespace n ON n.key = s.namespace_key
        WHERE s.key > ? ORDER BY s.key LIMIT ${PAGE_RECORDS}`,
    );
    for (const { name, ...row } of rows.all(after)) {
      const { key, namespace, cursors, ...subscription } = subscriptionFromRow(database, name, row);
      const record: SubscriptionRecord = { namespace, subscription, cursors };
      yield { place: [key], bytes: row.filter.length, records: [record] };
    }
  }

  private *sessions([after = 0]: readonly PlainValue[]): Rows<'session'> {
    const rows = this.database.prepare<[PlainValue], SessionRow>(
      `SELECT * FROM session WHERE key > ? ORDER BY key LIMIT ${PAGE_RECORDS}`,
    );
    for (const row of rows.iterate(after)) {
      const record: PortableSession = { namespace: row.namespace, key: row.key, record: recordOf(row) };
      yield { place: [row.key], bytes: row.metadata.length + row.task.length, records: [record] };
    }
  }

  private plain(kind: PlainKind): Reader<PlainKind> {
    const { table, columns, of, order: usual } = plainTable(kind);
    const order = kind === 'outcome' ? ['key'] : usual;
    const names = columns.map((column) => `t."${column}"`).join();
    const [from, name] = {
      session: ['JOIN session o ON o.key = t.session_key', 'o.namespace'],
      key: ['JOIN namespace o ON o.key = t.namespace_key', 'o.name'],
      name: ['', 't.namespace'],
    }[of] as [string, string];
    const places = order.map((column) => `t."${column}"`).join();
    // Of the outcomes of a request id, the newest counts.
    const only =
      kind === 'outcome'
        ? `AND NOT EXISTS (SELECT 1 FROM idempotency l
            WHERE l.request_id = t.request_id AND l.namespace = t.namespace AND l.key > t.key)`
        : '';
    const select = (where: string) =>
      this.database
        .prepare<PlainValue[], PlainValue[]>(
          `SELECT ${name}, ${names}, ${places} FROM ${table} t ${from} WHERE ${where} ${only} ORDER BY ${places}
          LIMIT ${PAGE_RECORDS}`,
        )
        .raw();
    return function* (after) {
      const rows =
        after.length === 0
          ? select('1').iterate()
          : select(`(${places}) > (${order.map(() => '?').join()})`).iterate(...after);
      for (const [namespace, ...row] of rows) {
        const values = row.slice(0, columns.length);
        const record: PlainRecord = { namespace: String(namespace), values };
        yield { place: row.slice(columns.length), bytes: bytesOfRow(values), records: [record] };
      }
    };
  }
}

const TABLES = {
  namespace: 'namespace',
  change: 'change_log',
  memory: 'memory',
  former: 'change_log',
  kept: 'agent_snapshot_memory',
  subscription: 'subscription',
  session: 'session',
} as const;

interface NamespaceColumns {
  readonly key: number;
  readonly name: string;
  readonly description: string;
  readonly memory_limit: number;
  readonly embedding_model: string;
  readonly embedding_dimension: number;
  readonly created_at_us: number;
  readonly updated_at_us: number;
  readonly revision: number;
  readonly maintained_at_us: number | null;
  readonly model: string | null;
  readonly started_at_us: number | null;
}

interface ChangeColumns {
  readonly revision: number;
  readonly namespace_key: number;
  readonly kind: number;
  readonly id: string;
  readonly at_us: number;
  readonly tier_from: number | null;
  readonly tier_to: number | null;
  /** Null in a deleted namespace. */
  readonly name: string | null;
  /** Null where the memory was erased. */
  readonly pk: number | null;
}

/** `undefined`: the entry is of a deleted namespace, or means nothing elsewhere. */
function changeOf(row: ChangeColumns): ChangeRecord | undefined {
  const { name, revision, kind: number, at_us: atUs, tier_from: from, tier_to: to, pk } = row;
  const step = from === null || to === null ? null : { from: from - 1, to: to - 1 };
  const kind = RESIZED.has(number) ? (step ? 'moved' : 'touched') : LOGGED.get(number);
  if (name === null || kind === undefined) return undefined;
  const isOfNamespace = kind.startsWith('namespace_') || kind === 'vectors_replaced';
  const id = isOfNamespace ? '' : row.id;
  return { namespace: name, revision, kind, id, atUs, step, sequence: pk === null ? null : sequenceOf(pk) };
}
