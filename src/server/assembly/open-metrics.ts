import type { Clock } from '../../memory/clock.ts';
import type { MemoryGauge } from '../../memory/meters.ts';
import type { Records } from '../../storage/records.ts';
import { certificateEndMs } from '../config/access.ts';
import type { Config } from '../config/config.ts';
import { readMetricsAccess, readMetricsTls } from '../config/metrics-access.ts';
import { packageVersion } from '../config/version.ts';
import { Health } from '../grpc/admin/health-service.ts';
import type { Edge } from '../grpc/edge/edge.ts';
import { SERVICES } from '../grpc/edge/service-names.ts';
import type { Quotas } from '../identity/quotas.ts';
import { certificateJob } from '../jobs/certificate-job.ts';
import type { ConsolidationCounts } from '../jobs/consolidation-job.ts';
import { healthJob } from '../jobs/repeating-job.ts';
import type { Logger } from '../logger.ts';
import type { Gauges, MeasuredBackend, SpanCounts } from '../metrics/metrics.ts';
import type { TlsPair } from '../metrics/metrics-endpoint.ts';
import type { MoveCount } from '../metrics/storage-metrics.ts';
import { BackendHealth, type WatchedBackend } from '../operations/admin/backend-health.ts';
import type { RecallCache } from '../operations/recall/cached-search.ts';
import type { Webhooks } from '../operations/streams/webhooks.ts';
import { MemoryPressure } from '../operations/tiers/memory-pressure.ts';
import { type CertificateEnd, type Certificates, checkEnd } from './open-certificates.ts';
import type { ConversationParts } from './open-conversations.ts';
import type { OpenedStorage } from './storage-parts.ts';
import type { StreamParts } from './stream-parts.ts';

export interface MeasuredParts extends Pick<StreamParts, 'streams' | 'standing' | 'subscriptions' | 'retention'> {
  readonly store: Pick<Records, 'revision'>;
  readonly certificates: Pick<Certificates, 'ends'>;
  readonly clock: Clock;
  readonly cache: RecallCache;
  readonly pressure: MemoryPressure;
  readonly conversations: Pick<ConversationParts, 'backlog' | 'measure'>;
  readonly consolidations: ConsolidationCounts;
  readonly webhooks: Pick<Webhooks, 'counts' | 'states'>;
  readonly storage: Pick<
    OpenedStorage,
    'queuedCount' | 'search' | 'folderView' | 'measureStorage' | 'viewState' | 'jobLeases' | 'postgresPool'
  >;
  readonly backendStates: () => readonly MeasuredBackend[];
  readonly moveCounts: () => readonly MoveCount[];
  readonly spans: (() => SpanCounts) | undefined;
  /** Absent without a policy. */
  readonly quotas: Pick<Quotas, 'uses'> | undefined;
}

/** Loaded only on demand, to keep the start short. */
export async function openMetrics(
  config: Config,
  edge: Edge,
  parts: MeasuredParts,
  health: Health,
  logger: Logger,
  closers: (() => Promise<void>)[],
): Promise<string> {
  if (config.metricsListen === '') return '';
  const { serveMetrics } = await import('../metrics/metrics-endpoint.ts');
  const access = readMetricsAccess(config);
  const options = {
    listen: config.metricsListen,
    ...access,
    namespacesMax: config.metricsNamespaceCount,
    onFault: (err: unknown) => logger.error({ err }, 'metrics could not be read'),
  };
  let { tls } = access;
  const ends = (): CertificateEnd[] => [...parts.certificates.ends(), ...(tls ? [metricsEnd(tls)] : [])];
  const endpoint = await serveMetrics(options, gaugesOf({ ...parts, certificates: { ends } }, edge, health), health);
  edge.meter = endpoint.meter;
  parts.conversations.measure(endpoint.meter.extraction);
  parts.storage.measureStorage(endpoint.meter.storage);
  if (tls) {
    const replace = (pair: TlsPair): void => {
      endpoint.replaceTls(pair);
      tls = pair;
    };
    followMetricsTls(config, { current: tls, replace, clock: parts.clock }, logger, closers);
  }
  closers.push(() => endpoint.close());
  return endpoint.address;
}

const metricsEnd = ({ cert }: TlsPair): CertificateEnd => ({ use: 'metrics', atMs: certificateEndMs(cert) });

interface FollowedTls {
  readonly current: TlsPair;
  readonly replace: (pair: TlsPair) => void;
  readonly clock: Clock;
}

function followMetricsTls(
  config: Config,
  { current, replace, clock }: FollowedTls,
  logger: Logger,
  closers: (() => Promise<void>)[],
): void {
  const read = (): TlsPair => {
    const pair = readMetricsTls(config) ?? current;
    checkEnd('--metrics-tls-cert', pair, clock);
    return pair;
  };
  const job = certificateJob({ current, read, replace }, config.tlsIntervalMs, logger.child({ part: 'access' }));
  job.start(config.tlsIntervalMs);
  closers.push(() => job.stop());
}

/** A store that does not answer must not hide the other metrics: its own are NaN, or missing. */
const UNREADABLE = { oldestRevision: Number.NaN, count: Number.NaN, bytes: Number.NaN };

function gaugesOf(parts: MeasuredParts, edge: Edge, health: Health): Gauges {
  const { store, streams, standing, subscriptions, retention, cache, pressure, conversations } = parts;
  const { queuedCount, search, folderView, viewState, jobLeases, postgresPool } = parts.storage;
  return {
    version: packageVersion(),
    isServing: () => health.isServing,
    callsInFlight: () => edge.callsInFlight,
    revision: () => store.revision,
    backends: parts.backendStates,
    certificateEnds: () => parts.certificates.ends(),
    streamCounts: () => streams.counts,
    standingQueryCount: () => standing.count,
    consumerCount: () => subscriptions.consumerCount,
    subscriptionLag: () => subscriptions.lag(store.revision),
    heldLog: () => retention.held().catch(() => UNREADABLE),
    writeQueueCount: queuedCount,
    searchPendingCount: () => search.pendingCount(),
    tierSizes: () => folderView.totals().catch(() => []),
    moveCounts: parts.moveCounts,
    viewState,
    postgresPool,
    leaseCounts: jobLeases && (() => jobLeases.counts),
    recallCache: () => cache.answers.statistics(),
    memoryPressure: () => pressure.statistics(),
    consolidations: () => parts.consolidations,
    webhooks: () => parts.webhooks,
    extractionBacklog: () => conversations.backlog(),
    quotaUses: () => parts.quotas?.uses() ?? [],
    spans: parts.spans,
  };
}

/** Monitors memory limits: of the process where the settings set one, and of each Redis with a `maxmemory`. */
export function openMemoryPressure(
  config: Config,
  ofStorage: readonly MemoryGauge[],
  clock: Clock,
  logger: Logger,
): MemoryPressure {
  const { maxProcessBytes, memoryPressurePercent } = config;
  return new MemoryPressure({
    gauges: [...ofStorage, ...(maxProcessBytes > 0 ? [processMemoryGauge(maxProcessBytes)] : [])],
    share: memoryPressurePercent / 100,
    clock,
    onChange: ({ isPressed, isGivenUp, ...use }) => {
      if (isGivenUp)
        logger.warn(use, 'memory is short, and moving memories down has freed nothing of it: no more are moved for it');
      else if (isPressed) logger.warn(use, 'memory is short: memories move down to long-term memory');
      else logger.info(use, 'memory is no longer short');
    },
  });
}

const BACKENDS = { PostgreSQL: 'postgres', Redis: 'redis', SQLite: 'sqlite' } as const;

/** Sets the health of services by the backends that they depend on. */
export function openHealth(config: Config, backends: readonly WatchedBackend[], clock: Clock, parentLogger: Logger) {
  const logger = parentLogger.child({ part: 'health' });
  const health = new Health(SERVICES);
  const watched = backends.map((backend) => ({ backend, state: new BackendHealth(backend, clock) }));
  const all = watched.map(({ state }) => state);
  const onChange = ({ backend: { technology, keeps }, state }: (typeof watched)[number]): void => {
    const { degraded, lostServices: services } = state;
    if (degraded === undefined) logger.info({ backend: technology }, `${keeps}: ${technology} answers again`);
    else logger.warn({ backend: technology, services }, degraded);
    health.lose(new Set(all.flatMap(({ lostServices }) => lostServices)));
  };
  const jobs = watched.map((one) => healthJob(one.state, config.backendProbeIntervalMs, () => onChange(one), logger));
  return {
    health,
    /** Backends that do not answer, with the time since then, as text for people. */
    degraded: (): string[] => all.flatMap(({ degraded }) => degraded ?? []),
    /** States of the backends that health follows. */
    backendStates: (): MeasuredBackend[] =>
      watched.map(({ backend: { technology, keeps }, state: { answers } }) => ({
        backend: BACKENDS[technology],
        keeps: keeps.replaceAll(' ', '_'),
        answers,
      })),
    start(): void {
      for (const job of jobs) job.start(config.backendProbeIntervalMs);
    },
    async stop(): Promise<void> {
      await Promise.all(jobs.map((job) => job.stop()));
    },
  };
}

/** Resident memory of this process against a limit. */
function processMemoryGauge(limitBytes: number): MemoryGauge {
  return {
    async read() {
      const usedBytes = process.memoryUsage.rss();
      return [{ source: 'process', node: '', usedBytes, limitBytes }];
    },
  };
}
