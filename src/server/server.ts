import { type Clock, systemClock, systemTimers, type Timers } from '../memory/clock.ts';
import type { Embedder } from '../search/embedding/embedder.ts';
import type { OnDownload } from '../search/embedding/hub-model.ts';
import { StaticTexts } from '../search/embedding/static/static-embedder.ts';
import { openedWith } from '../search/threads/span.ts';
import type { StoreDescription } from '../storage/records.ts';
import { memoryJobsOf } from './assembly/memory-jobs.ts';
import { openEdge, requiredHookRule } from './assembly/open-access.ts';
import { openAudit } from './assembly/open-audit.ts';
import { openCertificates } from './assembly/open-certificates.ts';
import { openWatchedEmbedder } from './assembly/open-embedder.ts';
import { openInspector } from './assembly/open-inspector.ts';
import { type MeasuredParts, openHealth, openMemoryPressure, openMetrics } from './assembly/open-metrics.ts';
import { openRecallParts } from './assembly/open-recall-cache.ts';
import { openServices } from './assembly/open-services.ts';
import { openStorage, type ServerThreads, serverThreads } from './assembly/open-storage.ts';
import { openTracing } from './assembly/open-tracing.ts';
import type { Storage } from './assembly/storage-parts.ts';
import { openStreamParts } from './assembly/stream-parts.ts';
import { bannerOf } from './banner.ts';
import { type Access, readAccess } from './config/access.ts';
import type { Config } from './config/config.ts';
import type { Extractor } from './extraction/extractor.ts';
import type { Health } from './grpc/admin/health-service.ts';
import type { Edge } from './grpc/edge/edge.ts';
import type { Route } from './grpc/edge/handler.ts';
import type { NewMount } from './http/mount.ts';
import { ServerPort } from './http/server-port.ts';
import { createLogger, type Logger } from './logger.ts';
import type { LifecycleHook } from './operations/sessions/lifecycle/hooks.ts';
import type { OpenStreams } from './operations/streams/open-streams.ts';
import type { Telemetry } from './tracing/open-telemetry.ts';

export type { Mount, MountHost } from './http/mount.ts';

/** Time for streams to notify their readers of the end. */
const FAREWELL_MS = 500;

/** Existing parts, or replacements by tests for the configured ones. */
export interface Overrides {
  readonly logger?: Logger;
  readonly clock?: Clock;
  /** Timers of connections and of the stop. */
  readonly timers?: Timers;
  readonly embedder?: Embedder;
  /** Extractors by the names that settings give them. */
  readonly extractors?: Readonly<Record<string, Extractor>>;
  /** Folder of the bundled inspector. */
  readonly inspector?: URL;
  /** Further parts that are served over HTTP/1.1, asked in order. */
  readonly mounts?: readonly NewMount[];
  readonly onDownload?: OnDownload;
  readonly threads?: ServerThreads;
  /** Changes the storage that the settings ask for, such as to make it fail now and then. */
  readonly storage?: (made: Storage) => Storage;
  /** Called before or after each session transition, in addition to hooks registered over gRPC. */
  readonly hooks?: readonly LifecycleHook[];
}

export interface MnemeServer {
  /** Fails with one line that says what to do; with an AbortError when it is stopped before it has started. */
  start(): Promise<void>;
  /** Lets calls in flight finish within the grace period, then closes everything. Idempotent. */
  stop(): Promise<void>;
  /** Where gRPC is served; empty until the server has started. */
  readonly address: string;
  /** Where metrics are served; empty when they are not. */
  readonly metricsAddress: string;
  /** The message to print after the start. */
  banner(): string;
}

type Close = () => Promise<void>;

/** The server that the settings ask for, not started yet. */
export function createServer(config: Config, overrides: Overrides = {}): MnemeServer {
  const closers: Close[] = [];
  let starting: Promise<Running> | undefined;
  let running: Running | undefined;
  const opening = new AbortController();
  let stopping: Promise<void> | undefined;
  return {
    async start() {
      starting = open(config, overrides, closers, opening.signal);
      try {
        running = await starting;
      } catch (error) {
        await closeAll(closers);
        throw error;
      }
    },
    stop() {
      // Slow openings are abandoned; parts still opening are closed once they are open.
      opening.abort();
      const opened = Promise.allSettled([starting]);
      stopping ??= opened.then(() => closeAll(closers));
      return stopping;
    },
    get address() {
      return running?.address ?? '';
    },
    get metricsAddress() {
      return running?.metricsAddress ?? '';
    },
    banner: () => (running ? bannerOf({ ...running, config }) : ''),
  };
}

/** Closes in reverse order of opening. A failure does not stop the others. */
async function closeAll(closers: Close[]): Promise<void> {
  const failures: unknown[] = [];
  for (const close of closers.splice(0).reverse()) await close().catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}

async function stopAll(jobs: readonly { stop(): Promise<void> }[]): Promise<void> {
  await Promise.all(jobs.map((job) => job.stop()));
}

interface Transport {
  readonly access: Access;
  readonly edge: Edge;
  readonly health: Health;
  readonly routes: readonly Route[];
  readonly mounts: readonly NewMount[];
  readonly measured: Omit<MeasuredParts, 'certificates' | 'clock'>;
  readonly clock: Clock;
  readonly timers: Timers;
}

/** Serves the routes and the metrics, until the server closes. */
async function listen(
  config: Config,
  { access, edge, health, routes, mounts, measured, clock, timers }: Transport,
  logger: Logger,
  closers: Close[],
): Promise<Pick<Running, 'address' | 'metricsAddress'>> {
  edge.audit = await openAudit(config, clock, logger, closers);
  const certificates = openCertificates(config, access, logger, clock, closers);
  const port = new ServerPort(config, { edge, health, routes, mounts, timers });
  certificates.onReplaced((files) => port.replaceTls(files));
  const metricsAddress = await openMetrics(
    config,
    edge,
    { ...measured, certificates, clock },
    health,
    logger.child({ part: 'metrics' }),
    closers,
  );
  const address = await port.listen(config.listen, access.tls);
  closers.push(() => endCalls({ health, streams: measured.streams, port, timers }, config));
  return { address, metricsAddress };
}

interface Served {
  readonly health: Health;
  readonly streams: OpenStreams;
  readonly port: ServerPort;
  readonly timers: Timers;
}

/**
 * Stops in the order that proxies need: while the server is NOT_SERVING and waits, calls that they still send are served as
 * before. Then streams end, and last the calls that have begun.
 */
async function endCalls({ health, streams, port, timers }: Served, config: Config): Promise<void> {
  health.set(false);
  if (config.drainWaitMs > 0) await new Promise<void>((resolve) => timers.set(resolve, config.drainWaitMs));
  await streams.drain(FAREWELL_MS);
  await port.stop(config.shutdownGraceMs);
}

interface Running {
  readonly address: string;
  readonly metricsAddress: string;
  readonly hasInspector: boolean;
  readonly access: Access;
  readonly backends: readonly StoreDescription[];
  readonly embedder: Embedder;
}

/** Opens the parts in order and adds their close functions to `closers`. */
async function open(config: Config, overrides: Overrides, closers: Close[], signal: AbortSignal): Promise<Running> {
  const logger = overrides.logger ?? createLogger(config);
  for (const warning of config.warnings) logger.warn({ part: 'config' }, warning);
  const tracing = await openTracing(config, logger, closers);
  return openedWith(tracing?.tracer, () => openParts(config, { ...overrides, logger }, tracing, closers, signal));
}

async function openParts(
  config: Config,
  overrides: Overrides & { readonly logger: Logger },
  tracing: Telemetry | undefined,
  closers: Close[],
  signal: AbortSignal,
): Promise<Running> {
  const { logger, clock = systemClock } = overrides;
  const access = readAccess(config);
  const texts = new StaticTexts();
  // The folder is locked first: the embedder downloads into it.
  const storage = await openStorage(config, logger, clock, closers, overrides.threads ?? serverThreads());
  const embedder = await openWatchedEmbedder(config, texts, { ...overrides, clock, signal });
  const stores = overrides.storage?.(storage) ?? storage;
  const { store, view } = stores;
  const pressure = openMemoryPressure(config, storage.gauges ?? [], clock, logger.child({ part: 'memory' }));
  const { cache, onConfig } = await openRecallParts(config, storage);
  const parts = openStreamParts(config, storage, logger, clock, closers);
  const { streams, standing, subscriptions, retention } = parts;
  const { reembeddings, changes, folderView } = storage;
  const othersFirst = () => standing.caughtUp();
  const jobDeps = { store, view, reembeddings, embedder, clock, pressure, changes, folderView, othersFirst };
  const memoryJobs = memoryJobsOf(config, jobDeps, storage, logger);
  const { health, backendStates, ...backends } = openHealth(config, storage.backends, clock, logger);
  const { edge, quotas } = await openEdge(config, access, { logger, clock, closers });
  edge.tracer = tracing?.tracer;
  const { timers = systemTimers } = overrides;
  const services = await openServices(config, {
    stores,
    storage,
    embedder,
    texts,
    pressure,
    cache,
    onConfig,
    parts,
    memoryJobs,
    quotas,
    health,
    clock,
    logger,
    mayRequireHooks: requiredHookRule(access),
    hooks: overrides.hooks ?? [],
    extractors: overrides.extractors ?? {},
    timers,
    closers,
    degraded: () => [embedder.degraded ?? [], memoryJobs.degraded(), backends.degraded(), storage.degraded()].flat(),
  });
  const { routes, conversations, consolidation, sessionJob, webhooks } = services;
  const measured = {
    storage,
    store,
    cache,
    pressure,
    streams,
    standing,
    subscriptions,
    retention,
    conversations,
    consolidations: consolidation.counts,
    webhooks: webhooks.webhooks,
    backendStates,
    moveCounts: memoryJobs.moveCounts,
    quotas,
    spans: tracing?.counts,
  };
  const inspector = openInspector(config, overrides.inspector);
  const mounts = [...inspector, ...(overrides.mounts ?? [])];
  const transport = { access, edge, health, routes, mounts, measured, clock, timers };
  const addresses = await listen(config, transport, logger, closers);
  memoryJobs.start();
  consolidation.job.start(0);
  parts.upkeep.start(config.logCompactionIntervalMs);
  sessionJob.start(0);
  webhooks.job.start(0);
  backends.start();
  const jobs = [memoryJobs, consolidation.job, parts.upkeep, sessionJob, webhooks.job, backends, conversations];
  closers.push(() => stopAll(jobs));
  return { ...addresses, hasInspector: inspector.length > 0, access, backends: services.backends, embedder };
}
