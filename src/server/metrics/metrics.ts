import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Backlog } from '../../memory/meters.ts';
import type { CacheStatistics } from '../answer-cache/answer-cache.ts';
import { callMetrics } from './call-metrics.ts';
import { Exposition } from './exposition.ts';
import { extractionMetrics } from './extraction-metrics.ts';
import { type MeasuredQuota, quotaMetrics } from './quota-metrics.ts';
import { type MeasuredView, readGauge, type StorageGauges, storageMetrics, viewMetrics } from './storage-metrics.ts';

/** The retained part of the change log. */
interface HeldLog {
  readonly oldestRevision: number;
  readonly count: number;
  readonly bytes: number;
}

/** Spans by what has become of them. */
export interface SpanCounts {
  readonly exported: number;
  /** The collector did not take them. */
  readonly failed: number;
  /** The queue to the collector was full. */
  readonly dropped: number;
}

/** A store that health follows. */
export interface MeasuredBackend {
  /** Its technology. */
  readonly backend: 'postgres' | 'redis' | 'sqlite';
  /** What it keeps, such as `memories`. */
  readonly keeps: string;
  readonly answers: boolean;
}

/** Values that are read when the metrics are scraped. */
export interface Gauges extends StorageGauges {
  readonly version: string;
  /** The server accepts calls. */
  isServing(): boolean;
  callsInFlight(): number;
  revision(): number;
  backends(): readonly MeasuredBackend[];
  certificateEnds(): readonly { readonly use: string; readonly atMs: number }[];
  /** Long streams that are open, by kind. */
  streamCounts(): ReadonlyMap<string, number>;
  standingQueryCount(): number;
  /** Consumers of durable subscriptions that are connected. */
  consumerCount(): number;
  /** The retained part of the change log. */
  heldLog(): Promise<HeldLog>;
  /** What connected consumers of durable subscriptions have not acknowledged. */
  subscriptionLag(): { readonly changeCount: number; readonly revisions: number };
  /** What is used of the limits of the policy; none without one. */
  quotaUses(): Iterable<MeasuredQuota>;
  /** Spans since the start; absent without traces. */
  readonly spans: (() => SpanCounts) | undefined;
  /** Absent without a view. */
  readonly viewState?: () => MeasuredView;
  recallCache(): CacheStatistics;
  memoryPressure(): PressureStatistics;
  extractionBacklog(): Backlog;
  /** Webhooks that this server delivers to, by state, and its attempts since the start, by outcome. */
  webhooks(): { readonly states: Readonly<Record<string, number>>; readonly counts: WebhookAttempts };
  /** Of background consolidation, since the start. */
  consolidations(): { readonly runCount: number; readonly failureCount: number; readonly madeCount: number };
}

interface WebhookAttempts {
  readonly delivered: number;
  readonly failed: number;
}

export type Metrics = ReturnType<typeof createMetrics>;

/** Combinations of rule, limit and identity that have a series of their own. */
const EXCEEDING_MAX = 200;

/** Server metrics by the names of gRFC A66, in the format of Prometheus, and metrics of the process. */
export function createMetrics(gauges: Gauges, { namespacesMax = 0 }: { readonly namespacesMax?: number } = {}) {
  const registry = new Registry();
  const registers = [registry];
  const calls = callMetrics(registers);
  const exposition = new Exposition(registry);
  const refused = new Counter({
    name: 'mneme_calls_refused_total',
    help: 'Calls refused before any work on them, by the limit of load.',
    labelNames: ['rule'],
    registers,
  });
  const exceeded = new Counter({
    name: 'mneme_quota_refusals_total',
    help: 'Calls and writes refused by a limit of the policy, by its rule; of more than 200 combinations the rest is _other.',
    labelNames: ['rule', 'limit', 'identity'],
    registers,
  });
  const exceeding = new Set<string>();
  quotaMetrics(registers, () => gauges.quotaUses());
  const eventLoop = monitorEventLoopDelay({ resolution: 10 });
  eventLoop.enable();
  readWhenAsked(registers, gauges, eventLoop);
  collectDefaultMetrics({ register: registry });

  return {
    ...calls,
    callRefused(rule: string): void {
      refused.inc({ rule });
    },
    quotaExceeded(rule: string, limit: string, identity: string): void {
      const key = `${rule} ${limit} ${identity}`;
      const isNamed = exceeding.has(key) || exceeding.size < EXCEEDING_MAX;
      if (isNamed) exceeding.add(key);
      exceeded.inc({ rule, limit, identity: isNamed ? identity : '_other' });
    },
    storage: storageMetrics(registers, gauges, namespacesMax),
    extraction: extractionMetrics(registers, () => gauges.extractionBacklog()),
    contentType: registry.contentType,
    exposition: () => exposition.read(),
    /** Every metric, without values. */
    described: () => registry.getMetricsAsArray().map(described),
    stop: () => eventLoop.disable(),
  };
}

interface Described {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly labels: readonly string[];
}

type KnownMetric = ReturnType<Registry['getMetricsAsArray']>[number];

function described(metric: KnownMetric): Described {
  const { name, help, type, labelNames = [] } = metric as KnownMetric & { readonly labelNames?: readonly string[] };
  return { name, help, type: String(type), labels: labelNames };
}

function readWhenAsked(
  registers: Registry[],
  gauges: Gauges,
  eventLoop: ReturnType<typeof monitorEventLoopDelay>,
): void {
  const gauge = (name: string, help: string, read: () => number) => readGauge(registers, name, help, read);
  gauge('mneme_calls_in_flight', 'Calls being served.', () => gauges.callsInFlight());
  gauge('mneme_revision', 'Newest revision of the change log.', () => gauges.revision());
  readCertificates(registers, gauges);
  readStreams(registers, gauges);
  readWebhooks(registers, gauges);
  readServer(registers, gauges);
  readPressure(registers, () => gauges.memoryPressure());
  gauge('mneme_consumers', 'Consumers of durable subscriptions that are connected.', () => gauges.consumerCount());
  gauge('mneme_standing_queries', 'Queries that stand.', () => gauges.standingQueryCount());
  if (gauges.viewState) viewMetrics(registers, gauges.viewState);
  const cacheGauge = (name: string, help: string, part: keyof CacheStatistics) =>
    gauge(`mneme_recall_cache_${name}`, help, () => gauges.recallCache()[part]);
  cacheGauge('entries', 'Answers of Recall that are kept.', 'entryCount');
  cacheGauge('bytes', 'Their size in bytes.', 'bytes');
  const cacheCounter = (name: string, help: string, part: keyof CacheStatistics) =>
    new Counter({
      name: `mneme_recall_cache_${name}_total`,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(gauges.recallCache()[part]);
      },
    });
  cacheCounter('hits', 'Recalls answered from the cache.', 'hitCount');
  cacheCounter('misses', 'Recalls that were searched for.', 'missCount');
  cacheCounter('bypassed', 'Recalls that are never cached.', 'passedByCount');
  cacheCounter('evictions', 'Answers evicted for lack of space.', 'evictedCount');
  const consolidations = (name: string, help: string, part: keyof ReturnType<Gauges['consolidations']>) =>
    new Counter({
      name: `mneme_consolidation_${name}_total`,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(gauges.consolidations()[part]);
      },
    });
  consolidations('runs', 'Background consolidations that made a report.', 'runCount');
  consolidations('failures', 'Background consolidations that failed.', 'failureCount');
  consolidations('memories', 'Memories made by background consolidations.', 'madeCount');
  gauge('mneme_event_loop_lag_seconds', 'Worst delay of the event loop since the metrics were last read.', () => {
    const worstS = eventLoop.max / 1e9;
    eventLoop.reset();
    return worstS;
  });
}

function readWebhooks(registers: Registry[], gauges: Gauges): void {
  new Gauge({
    name: 'mneme_webhooks',
    help: 'Webhooks that this server delivers to, by state: active, failing, parked.',
    labelNames: ['state'],
    registers,
    collect() {
      for (const [state, count] of Object.entries(gauges.webhooks().states)) this.set({ state }, count);
    },
  });
  new Counter({
    name: 'mneme_webhook_attempts_total',
    help: 'Requests to webhooks, by outcome: delivered, failed.',
    labelNames: ['outcome'],
    registers,
    collect() {
      this.reset();
      const { counts } = gauges.webhooks();
      for (const outcome of ['delivered', 'failed'] as const) this.inc({ outcome }, counts[outcome]);
    },
  });
}

function readCertificates(registers: Registry[], gauges: Gauges): void {
  new Gauge({
    name: 'mneme_tls_certificate_end_timestamp_seconds',
    help: 'Instant at which the first certificate of a file in use expires, in seconds since 1970, by use: server, client_ca, metrics.',
    labelNames: ['use'],
    registers,
    collect() {
      for (const { use, atMs } of gauges.certificateEnds()) this.set({ use }, atMs / 1000);
    },
  });
}

/** The process as a server, and what it reports of itself. */
function readServer(registers: Registry[], gauges: Gauges): void {
  new Gauge({ name: 'mneme_build_info', help: 'Always 1, with the version.', labelNames: ['version'], registers }).set(
    { version: gauges.version },
    1,
  );
  new Gauge({
    name: 'mneme_serving',
    help: 'Whether the server accepts calls: 1, or 0 while it starts or stops.',
    registers,
    collect() {
      this.set(gauges.isServing() ? 1 : 0);
    },
  });
  new Gauge({
    name: 'mneme_backend_up',
    help: 'Whether a backend answers, by the probes of health: 1, or 0 after two failures in a row or while calls to it are refused at once.',
    labelNames: ['backend', 'keeps'],
    registers,
    collect() {
      for (const { backend, keeps, answers } of gauges.backends()) this.set({ backend, keeps }, answers ? 1 : 0);
    },
  });
  const { spans } = gauges;
  if (!spans) return;
  new Counter({
    name: 'mneme_trace_spans_total',
    help: 'Spans of traces that were exported, that the collector did not take (failed), or that found the queue full (dropped).',
    labelNames: ['outcome'],
    registers,
    collect() {
      this.reset();
      const counts = spans();
      for (const outcome of ['exported', 'failed', 'dropped'] as const) this.inc({ outcome }, counts[outcome]);
    },
  });
}

const STREAM_KINDS = ['watch', 'subscribe', 'consume', 'ingest', 'extractor', 'hook'];

function readStreams(registers: Registry[], gauges: Gauges): void {
  new Gauge({
    name: 'mneme_streams_open',
    help: 'Long streams that are open, by kind.',
    labelNames: ['kind'],
    registers,
    collect() {
      const counts = gauges.streamCounts();
      for (const kind of STREAM_KINDS) this.set({ kind }, counts.get(kind) ?? 0);
    },
  });
  const lag = (name: string, help: string, read: () => number) => readGauge(registers, name, help, read);
  lag(
    'mneme_subscription_unacknowledged_changes',
    'Changes that were read for connected consumers of durable subscriptions and are not acknowledged.',
    () => gauges.subscriptionLag().changeCount,
  );
  lag(
    'mneme_subscription_lag_revisions',
    'Revisions from the oldest change that a connected consumer has not acknowledged to the newest one; 0 without any.',
    () => gauges.subscriptionLag().revisions,
  );
  const log = (name: string, help: string, of: (held: HeldLog) => number) =>
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        this.set(of(await gauges.heldLog()));
      },
    });
  log('mneme_log_oldest_revision', 'Oldest revision that a watch can begin with.', (held) => held.oldestRevision);
  log('mneme_log_entries', 'Entries of the change log that are kept.', (held) => held.count);
  log('mneme_log_bytes', 'Bytes of the entries of the change log that are kept.', (held) => held.bytes);
}

/** As of the last look; counts are since the start. */
interface PressureStatistics {
  readonly states: readonly PressureState[];
  readonly movedCount: number;
}

interface PressureState {
  readonly source: string;
  /** Which one, where there are several. */
  readonly node: string;
  readonly usedBytes: number;
  readonly limitBytes: number;
  readonly pressedAboveBytes: number;
  readonly isPressed: boolean;
}

/** Usage of each limited memory resource, and memories moved because of shortage. */
function readPressure(registers: Registry[], statistics: () => PressureStatistics): void {
  const gauge = (name: string, help: string, of: (state: PressureState) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ['source', 'node'],
      registers,
      collect() {
        // A part that does not answer any more is not reported with its last value.
        this.reset();
        for (const state of statistics().states) this.set({ source: state.source, node: state.node }, of(state));
      },
    });
  gauge(
    'mneme_memory_pressure',
    '1 where so little memory is left that memories are moved down, else 0.',
    ({ isPressed }) => (isPressed ? 1 : 0),
  );
  gauge('mneme_memory_pressure_used_bytes', 'Bytes used, as of the last look.', ({ usedBytes }) => usedBytes);
  gauge('mneme_memory_pressure_limit_bytes', 'Most bytes that may be used.', ({ limitBytes }) => limitBytes);
  gauge(
    'mneme_memory_pressure_above_bytes',
    'Bytes above which memories are moved down.',
    ({ pressedAboveBytes }) => pressedAboveBytes,
  );
  new Counter({
    name: 'mneme_memory_pressure_moves_total',
    help: 'Memories moved to long-term memory because memory was short.',
    registers,
    collect() {
      this.reset();
      this.inc(statistics().movedCount);
    },
  });
}
