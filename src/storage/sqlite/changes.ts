import { sql } from '#kysely';
import { namespaceNotFound } from '../../memory/errors.ts';
import type { Embedding } from '../../memory/memory.ts';
import { checkEmbedding } from '../changed-memory.ts';
import { ChangeLog } from './change-log.ts';
import { prepared, queries, type SqliteDatabase } from './database.ts';
import { UnsettledOutcomes } from './idempotency.ts';
import { type NamespaceRow, readNamespace } from './namespace-rows.ts';
import type { MemoryTable } from './schema.ts';
import { SessionCache } from './sessions/session-cache.ts';
import { UnsettledRows, Upkeep } from './upkeep.ts';
import { ValuePaths } from './value-terms.ts';
import { PendingTerms, type TermIndex, type WordSource, wordIndex } from './word-index.ts';

const NAMESPACES_KEPT = 10_000;

const setEmbeddingModel = prepared((p: { key: number; model: string; dimension: number }) =>
  queries
    .updateTable('namespace')
    .set({ embedding_model: p.model, embedding_dimension: p.dimension })
    .where('key', '=', p.key),
);

/** State that the commands of the writer share: the database and what the writer caches between commands. */
export class Changes {
  readonly database: SqliteDatabase;
  readonly log: ChangeLog;
  readonly paths: ValuePaths;
  readonly words: PendingTerms<WordSource>;
  readonly values: PendingTerms<string>;
  readonly counts: MemoryCounts;
  readonly sessions: SessionCache;
  readonly totals: TierTotals;
  readonly unsettled: UnsettledRows;
  readonly outcomes: UnsettledOutcomes;
  private readonly sequences: NextSequences;
  /** Writes that are delayed to the end of the transaction, or to a later one. */
  readonly upkeep: Upkeep;
  private readonly namespaces = new Map<string, NamespaceRow>();

  /** `nowMs`: the time that slices of upkeep compare with their limit. */
  constructor(database: SqliteDatabase, term: string, nowMs = () => performance.now()) {
    this.database = database;
    this.log = new ChangeLog(database, term);
    this.paths = new ValuePaths(database);
    this.words = new PendingTerms(database, wordIndex);
    this.values = new PendingTerms(database, valueIndex);
    this.counts = new MemoryCounts(database);
    this.sessions = new SessionCache(database);
    this.totals = new TierTotals(database);
    this.sequences = new NextSequences(database);
    this.unsettled = new UnsettledRows(database);
    this.outcomes = new UnsettledOutcomes(database);
    const { words, values, unsettled, outcomes, totals, sequences } = this;
    const parts = { words, values, repeatable: [unsettled, outcomes], last: [totals, sequences] };
    this.upkeep = new Upkeep(database, parts, this.log, nowMs);
  }

  /** Fails with NAMESPACE_NOT_FOUND. */
  namespace(name: string): NamespaceRow {
    const row = this.findNamespace(name);
    if (!row) throw namespaceNotFound(name);
    return row;
  }

  findNamespace(name: string): NamespaceRow | undefined {
    const known = this.namespaces.get(name);
    if (known) return known;
    const row = readNamespace(this.database, name);
    if (!row) return undefined;
    row.next_sequence = this.sequences.of(row.key) ?? row.next_sequence;
    if (this.namespaces.size >= NAMESPACES_KEPT) this.namespaces.clear();
    this.namespaces.set(name, row);
    return row;
  }

  /** To be called when the row of a namespace was changed or deleted. */
  forgetNamespace(name: string): void {
    this.namespaces.delete(name);
  }

  /** To be called for a sequence that a write has chosen: later ones are higher. */
  useSequence(namespace: NamespaceRow, sequence: number): void {
    if (sequence < namespace.next_sequence) return;
    namespace.next_sequence = sequence + 1;
    this.sequences.set(namespace.key, namespace.next_sequence);
  }

  /** To be called for a sequence in use that the row of its namespace does not know yet. */
  sequenceTaken(namespaceKey: number, sequence: number): void {
    this.sequences.set(namespaceKey, sequence + 1);
  }

  /** Checks a vector against those of the namespace; the first one fixes model and dimension. */
  admitEmbedding(namespace: NamespaceRow, { model, values }: Embedding): void {
    if (namespace.embedding_dimension === 0) {
      namespace.embedding_model = model;
      namespace.embedding_dimension = values.length;
      setEmbeddingModel(this.database).run({ key: namespace.key, model, dimension: values.length });
      return;
    }
    const { name, embedding_dimension: dimension } = namespace;
    checkEmbedding({ name, model: namespace.embedding_model, dimension }, { model, values });
  }

  /** Clears the caches after a command or the whole transaction was rolled back. */
  undone(revision: number): void {
    this.namespaces.clear();
    this.paths.clear();
    this.counts.clear();
    this.log.revision = revision;
  }
}

const remove = prepared((p: { pk: number }) => sql`DELETE FROM memory_value_words WHERE rowid = ${p.pk}`);
const insert = prepared(
  (p: { pk: number; terms: string }) =>
    sql`INSERT INTO memory_value_words(rowid, terms) VALUES (CAST(${p.pk} AS INTEGER), ${p.terms})`,
);

/** Terms of `value-terms.ts`, separated by spaces. */
const valueIndex: TermIndex<string> = {
  remove: (database, pk) => void remove(database).run({ pk }),
  insert: (database, pk, terms) => void insert(database).run({ pk, terms }),
};

const countRows = prepared((p: { namespace_key: number }) =>
  queries
    .selectFrom('memory')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('namespace_key', '=', p.namespace_key),
);

/** Number of memories of each namespace with a limit: counting them at each write would take too long. */
class MemoryCounts {
  private readonly database: SqliteDatabase;
  private readonly counts = new Map<number, number>();

  constructor(database: SqliteDatabase) {
    this.database = database;
  }

  of(namespaceKey: number): number {
    const known = this.counts.get(namespaceKey);
    if (known !== undefined) return known;
    const count = countRows(this.database).get({ namespace_key: namespaceKey })?.count ?? 0;
    this.counts.set(namespaceKey, count);
    return count;
  }

  add(namespaceKey: number, difference: number): void {
    const known = this.counts.get(namespaceKey);
    if (known !== undefined) this.counts.set(namespaceKey, known + difference);
  }

  clear(): void {
    this.counts.clear();
  }
}

interface Taken {
  readonly key: number;
  readonly next_sequence: number;
}

const setNext = prepared((p: Taken) =>
  queries.updateTable('namespace').set({ next_sequence: p.next_sequence }).where('key', '=', p.key),
);

/** Next sequence of each namespace; written at most once a transaction, at its end. */
class NextSequences {
  private readonly database: SqliteDatabase;
  private readonly taken: Taken[] = [];

  constructor(database: SqliteDatabase) {
    this.database = database;
  }

  set(key: number, next_sequence: number): void {
    this.taken.push({ key, next_sequence });
  }

  /** Value that is not written yet; `undefined` where the row of the namespace holds the current one. */
  of(key: number): number | undefined {
    return this.taken.findLast((taken) => taken.key === key)?.next_sequence;
  }

  get count(): number {
    return this.taken.length;
  }

  /** Reverts all but the first `count` changes. */
  keepFirst(count: number): void {
    this.taken.length = count;
  }

  write(count = this.count): void {
    const newest = new Map(this.taken.splice(0, count).map(({ key, next_sequence }) => [key, next_sequence]));
    for (const [key, next_sequence] of newest) setNext(this.database).run({ key, next_sequence });
  }
}

/** Columns that select the total of a memory, and its contribution to that total. */
export type TierShare = Pick<MemoryTable, 'namespace_key' | 'tier' | 'agent' | 'type' | 'content_bytes'>;

interface Change {
  readonly share: TierShare;
  readonly sign: 1 | -1;
}

const SHARE_COLUMNS = ['tier', 'agent', 'type', 'content_bytes'] as const;

const shareOfRow = prepared((p: { pk: number }) =>
  queries
    .selectFrom('memory')
    .select(['namespace_key', ...SHARE_COLUMNS])
    .where('pk', '=', p.pk),
);
const addTo = prepared(
  (p: TierShare & { count: number }) => sql`
    INSERT INTO tier_total VALUES (${p.namespace_key}, ${p.tier}, ${p.agent}, ${p.type}, ${p.count}, ${p.content_bytes})
    ON CONFLICT DO UPDATE SET count = count + excluded.count, content_bytes = content_bytes + excluded.content_bytes`,
);
const dropEmpty = prepared(
  (p: Omit<TierShare, 'content_bytes'>) => sql`
    DELETE FROM tier_total WHERE namespace_key = ${p.namespace_key} AND tier = ${p.tier} AND agent = ${p.agent}
      AND type = ${p.type} AND count = 0`,
);

/**
 * Changes of the tier totals, delayed to the end of the transaction: a trigger that added each memory to its total took
 * a fifth of the time of storing it.
 */
class TierTotals {
  private readonly database: SqliteDatabase;
  private readonly changes: Change[] = [];

  constructor(database: SqliteDatabase) {
    this.database = database;
  }

  add(share: TierShare): void {
    this.changes.push({ share, sign: 1 });
  }

  /** To be called before the memory is erased. */
  remove(pk: number): void {
    const share = shareOfRow(this.database).get({ pk });
    if (share) this.changes.push({ share, sign: -1 });
  }

  /** To be called before the columns of the memory are changed. */
  change(pk: number, columns: Partial<Omit<TierShare, 'namespace_key'>>): void {
    if (!SHARE_COLUMNS.some((name) => name in columns)) return;
    const before = shareOfRow(this.database).get({ pk });
    if (!before) return;
    const after = { ...before };
    for (const name of SHARE_COLUMNS) if (name in columns) Object.assign(after, { [name]: columns[name] });
    this.changes.push({ share: before, sign: -1 }, { share: after, sign: 1 });
  }

  get count(): number {
    return this.changes.length;
  }

  /** Reverts all but the first `count` changes. */
  keepFirst(count: number): void {
    this.changes.length = count;
  }

  write(count = this.count): void {
    const sums = new Map<string, TierShare & { count: number }>();
    for (const { share, sign } of this.changes.splice(0, count)) {
      const total = totalOf(share);
      const sum = sums.get(total) ?? { ...share, content_bytes: 0, count: 0 };
      const content_bytes = sum.content_bytes + sign * share.content_bytes;
      sums.set(total, { ...sum, content_bytes, count: sum.count + sign });
    }
    for (const sum of sums.values()) {
      if (sum.count !== 0 || sum.content_bytes !== 0) addTo(this.database).run(sum);
      if (sum.count <= 0) dropEmpty(this.database).run(sum);
    }
  }
}

function totalOf({ namespace_key, tier, agent, type }: TierShare): string {
  return `${namespace_key} ${tier} ${type} ${agent}`;
}
