import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { CommitMeter, PoolState, TransactionMeter } from '../../memory/meters.ts';
import type { ThreadMeter } from '../../search/threads/thread-calls.ts';
import type { LeaseCount } from '../../storage/job-leases.ts';

/** From a commit in memory, or a statement to PostgreSQL on the same machine, to a disk that hangs or a timeout. */
const SECONDS = [
  0.0005, 0.001, 0.002, 0.003, 0.005, 0.008, 0.013, 0.02, 0.03, 0.05, 0.08, 0.13, 0.2, 0.5, 1, 2, 5, 10, 30,
];
const WRITES = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];

/** What a namespace holds in a tier. */
export interface TierSize {
  readonly namespace: string;
  readonly tier: string;
  readonly count: number;
  readonly contentBytes: number;
}

/** Memories that background maintenance has moved since the start. */
export interface MoveCount {
  readonly from: string;
  readonly to: string;
  readonly reason: string;
  readonly count: number;
}

/** Values that are read when the metrics are scraped. */
export interface StorageGauges {
  /** Writes that wait. */
  writeQueueCount(): number;
  searchPendingCount(): number;
  tierSizes(): Promise<readonly TierSize[]>;
  moveCounts(): readonly MoveCount[];
  /** Absent where the server shares its storage with none. */
  readonly leaseCounts?: () => readonly LeaseCount[];
  /** Absent without PostgreSQL. */
  readonly postgresPool?: () => PoolState;
}

/** Measures the threads of the storage, and PostgreSQL. */
export interface StorageMeters {
  readonly commits: CommitMeter;
  readonly search: ThreadMeter;
  /** Absent without PostgreSQL. */
  readonly postgres?: TransactionMeter;
}

/** `namespacesMax`: namespaces that have a label of their own in the sizes of tiers; all others share the label `_other`. */
export function storageMetrics(registers: Registry[], gauges: StorageGauges, namespacesMax: number): StorageMeters {
  const gauge = (name: string, help: string, read: () => number) => readGauge(registers, name, help, read);
  const queued = 'Writes that wait for the writer thread and, with PostgreSQL, for a transaction there.';
  gauge('mneme_write_queue_writes', queued, () => gauges.writeQueueCount());
  gauge('mneme_search_thread_requests', 'Requests that the search threads have not answered.', () =>
    gauges.searchPendingCount(),
  );
  tierSizes(registers, gauges, namespacesMax);
  new Counter({
    name: 'mneme_tier_moves_total',
    help: 'Memories that background maintenance has moved to a lower tier, by tiers and reason.',
    labelNames: ['from', 'to', 'reason'],
    registers,
    collect() {
      this.reset();
      for (const { count, ...labels } of gauges.moveCounts()) this.inc(labels, count);
    },
  });
  const { leaseCounts, postgresPool } = gauges;
  if (leaseCounts) jobLeases(registers, leaseCounts);
  const histogram = (name: string, help: string, buckets = SECONDS) =>
    new Histogram({ name, help, buckets, registers });
  const commit = histogram(
    'mneme_commit_duration_seconds',
    'Time of a group commit in the writer thread: to SQLite in the data folder, which is the view with PostgreSQL.',
  );
  const sync = histogram('mneme_commit_sync_duration_seconds', 'Time in which the disk makes a group commit durable.');
  const writes = histogram('mneme_commit_writes', 'Writes of a group commit.', WRITES);
  const wait = histogram('mneme_write_queue_wait_seconds', 'Time that a write waits for the writer thread.');
  const search = new Histogram({
    name: 'mneme_search_thread_request_duration_seconds',
    help: 'Time from a request to a search thread to its answer, by kind of request.',
    labelNames: ['kind'],
    buckets: SECONDS,
    registers,
  });
  return {
    commits: {
      committed({ writeCount, durationMs, syncMs }) {
        commit.observe(durationMs / 1000);
        sync.observe(syncMs / 1000);
        writes.observe(writeCount);
      },
      waited: (durationMs) => wait.observe(durationMs / 1000),
    },
    search: { answered: (kind, durationMs) => search.observe({ kind }, durationMs / 1000) },
    postgres: postgresPool && postgresMetrics(registers, postgresPool),
  };
}

function jobLeases(registers: Registry[], read: () => readonly LeaseCount[]): void {
  new Counter({
    name: 'mneme_job_leases_total',
    help: 'Times that a background job asked for its lease: taken, elsewhere (another server has it), failed; lost: another server has taken it, or it could not be renewed in time.',
    // Prometheus has a label `job` of its own.
    labelNames: ['job_name', 'outcome'],
    registers,
    collect() {
      this.reset();
      for (const { job, outcome, count } of read()) this.inc({ job_name: job, outcome }, count);
    },
  });
}

/** Label of namespaces beyond the limit: no name of a namespace begins so. */
const OTHER = '_other';

function tierSizes(registers: Registry[], gauges: StorageGauges, namespacesMax: number): void {
  const labelNames = namespacesMax > 0 ? ['tier', 'namespace'] : ['tier'];
  const gauge = (name: string, help: string, of: (size: TierSize) => number) =>
    new Gauge({
      name,
      help,
      labelNames,
      registers,
      async collect() {
        const sizes = await gauges.tierSizes();
        const named = namespacesMax > 0 ? largestOf(sizes, namespacesMax) : undefined;
        this.reset();
        for (const size of sizes) {
          const { tier, namespace } = size;
          this.inc(named ? { tier, namespace: named.has(namespace) ? namespace : OTHER } : { tier }, of(size));
        }
      },
    });
  gauge('mneme_tier_memories', 'Memories of a tier.', ({ count }) => count);
  gauge(
    'mneme_tier_content_bytes',
    'Bytes of original texts and contents of a tier.',
    ({ contentBytes }) => contentBytes,
  );
}

/** Names of the namespaces with the most memories. */
function largestOf(sizes: readonly TierSize[], namespacesMax: number): ReadonlySet<string> {
  const counts = new Map<string, number>();
  for (const { namespace, count } of sizes) counts.set(namespace, (counts.get(namespace) ?? 0) + count);
  const ordered = [...counts].sort(([one, oneCount], [other, otherCount]) =>
    oneCount === otherCount ? (one < other ? -1 : 1) : otherCount - oneCount,
  );
  return new Set(ordered.slice(0, namespacesMax).map(([name]) => name));
}

/** Metrics of the PostgreSQL that owns the memories. */
function postgresMetrics(registers: Registry[], pool: () => PoolState): TransactionMeter {
  new Gauge({
    name: 'mneme_postgres_connections',
    help: 'Connections to PostgreSQL that are in_use and idle, without those that wait for notifications.',
    labelNames: ['state'],
    registers,
    collect() {
      const { inUseCount, idleCount } = pool();
      this.set({ state: 'in_use' }, inUseCount);
      this.set({ state: 'idle' }, idleCount);
    },
  });
  const gauge = (name: string, help: string, read: (pool: PoolState) => number) =>
    readGauge(registers, `mneme_postgres_${name}`, help, () => read(pool()));
  gauge('connections_limit', 'Most connections to PostgreSQL in use and idle.', ({ max }) => max);
  const waiting = 'Reads and writes that wait for a connection to PostgreSQL.';
  gauge('connection_requests', waiting, ({ waitingCount }) => waitingCount);
  const wait = new Histogram({
    name: 'mneme_postgres_connection_wait_seconds',
    help: 'Time that a read or a write waits for a connection to PostgreSQL.',
    buckets: SECONDS,
    registers,
  });
  const duration = new Histogram({
    name: 'mneme_postgres_transaction_duration_seconds',
    help: 'Time of a transaction in PostgreSQL on its connection, until it is committed or has failed, by kind: read, write (the commit is durable).',
    labelNames: ['kind'],
    buckets: SECONDS,
    registers,
  });
  return {
    connected: (waitMs) => wait.observe(waitMs / 1000),
    ended: (kind, durationMs) => duration.observe({ kind }, durationMs / 1000),
  };
}

/** The view of records that a data folder is. */
export interface MeasuredView {
  readonly lag: { readonly namespaceCount: number; readonly seconds: number };
  readonly namespaceCount: number;
  readonly bytes: number;
  readonly builds: {
    readonly runningCount: number;
    readonly doneCount: number;
    readonly failedCount: number;
    readonly seconds: number;
  };
  readonly evictedCount: number;
}

/** Metrics of a view. */
export function viewMetrics(registers: Registry[], view: () => MeasuredView): void {
  const gauge = (name: string, help: string, read: (state: MeasuredView) => number) =>
    readGauge(registers, `mneme_view_${name}`, help, () => read(view()));
  const counter = (name: string, help: string, read: (state: MeasuredView) => number) =>
    new Counter({
      name: `mneme_view_${name}_total`,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(read(view()));
      },
    });
  gauge('lag_seconds', 'Longest time for which a namespace of the view has been behind.', ({ lag }) => lag.seconds);
  gauge('lag_namespaces', 'Namespaces of the view that are behind.', ({ lag }) => lag.namespaceCount);
  gauge('namespaces', 'Namespaces in the view.', ({ namespaceCount }) => namespaceCount);
  const bytes = 'Bytes of the view on the disk with its log of changes, without free pages and the write-ahead log.';
  gauge('bytes', bytes, (state) => state.bytes);
  gauge('builds_running', 'Views of namespaces that are being built.', ({ builds }) => builds.runningCount);
  counter('builds', 'Views of namespaces that were built.', ({ builds }) => builds.doneCount);
  counter('build_failures', 'Builds that failed; the next call repeats them.', ({ builds }) => builds.failedCount);
  counter('build_seconds', 'Time of the builds that are done.', ({ builds }) => builds.seconds);
  counter('evictions', 'Namespaces evicted from the view for lack of space.', ({ evictedCount }) => evictedCount);
}

/** A gauge without labels whose value is read at each scrape. */
export function readGauge(registers: Registry[], name: string, help: string, read: () => number): void {
  new Gauge({
    name,
    help,
    registers,
    collect() {
      this.set(read());
    },
  });
}
