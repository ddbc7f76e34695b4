import { namespaceNotFound } from '../../memory/errors.ts';
import type { Embedding } from '../../memory/memory.ts';
import { checkEmbedding } from '../check-embedding.ts';
import { ChangeLog } from './change-log.ts';
import type { SqliteDatabase } from './database.ts';
import { MemoryCounts } from './memory-counts.ts';
import { type NamespaceRow, readNamespace } from './namespace-rows.ts';
import { NextSequences } from './next-sequences.ts';
import { PendingTerms } from './pending-terms.ts';
import { prepared, queries } from './prepared.ts';
import { SessionCache } from './sessions/session-cache.ts';
import { TierTotals } from './tier-totals.ts';
import { valueIndex } from './value-index.ts';
import { ValuePaths } from './value-paths.ts';
import { type Words, wordIndex } from './word-index.ts';

const NAMESPACES_KEPT = 10_000;

const setEmbeddingModel = prepared((p: { key: number; model: string; dimension: number }) =>
  queries
    .updateTable('namespace')
    .set({ embedding_model: p.model, embedding_dimension: p.dimension })
    .where('key', '=', p.key),
);

/** Changes in the order in which they were made. */
interface Pending {
  readonly count: number;
  /** Takes back all but the first changes. */
  keepFirst(count: number): void;
  write(): void;
}

/** What the commands of the writer work on: the database and what the writer remembers of it between commands. */
export class Changes {
  readonly database: SqliteDatabase;
  readonly log: ChangeLog;
  readonly paths: ValuePaths;
  readonly words: PendingTerms<Words>;
  readonly values: PendingTerms<string>;
  readonly counts: MemoryCounts;
  readonly sessions: SessionCache;
  readonly totals: TierTotals;
  private readonly sequences: NextSequences;
  /** What waits for the end of the transaction. */
  readonly pending: readonly Pending[];
  private readonly namespaces = new Map<string, NamespaceRow>();

  constructor(database: SqliteDatabase, term: string) {
    this.database = database;
    this.log = new ChangeLog(database, term);
    this.paths = new ValuePaths(database);
    this.words = new PendingTerms(database, wordIndex);
    this.values = new PendingTerms(database, valueIndex);
    this.counts = new MemoryCounts(database);
    this.sessions = new SessionCache(database);
    this.totals = new TierTotals(database);
    this.sequences = new NextSequences(database);
    this.pending = [this.words, this.values, this.totals, this.sequences];
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

  /** First of so many sequences that nobody else has had. */
  takeSequences(namespace: NamespaceRow, count: number): number {
    const first = namespace.next_sequence;
    namespace.next_sequence = first + count;
    this.sequences.set(namespace.key, namespace.next_sequence);
    return first;
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

  /** Undoes what is remembered after a command or the whole transaction was undone. */
  undone(revision: number): void {
    this.namespaces.clear();
    this.paths.clear();
    this.counts.clear();
    this.log.revision = revision;
    this.log.origin = 0;
  }
}
