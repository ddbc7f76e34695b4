import { v7 as uuidv7 } from 'uuid';
import { type Access, readAccess } from './access.ts';
import { bannerOf } from './banner.ts';
import { type Config, limitsOf } from './config.ts';
import type { Embedder } from './embedding/embedder.ts';
import { StaticTexts } from './embedding/static/static-texts.ts';
import { adminService } from './grpc/admin-service.ts';
import { bearerTokens, serverCredentials } from './grpc/credentials.ts';
import { Edge } from './grpc/edge.ts';
import { GrpcServer } from './grpc/grpc-server.ts';
import { Health, healthService } from './grpc/health-service.ts';
import { memoryService } from './grpc/memory-service.ts';
import { namespaceService } from './grpc/namespace-service.ts';
import { recallService } from './grpc/recall-service.ts';
import { reflectionService } from './grpc/reflection-service.ts';
import { SERVICES } from './grpc/service-names.ts';
import { EmbeddingJob } from './jobs/embedding-job.ts';
import { expiryJob } from './jobs/expiry-job.ts';
import { ReembeddingJob } from './jobs/reembedding-job.ts';
import { createLogger, type Logger } from './logger.ts';
import { type Clock, systemClock } from './memory/clock.ts';
import { type OnDownload, openEmbedder } from './open-embedder.ts';
import { openStorage, type Storage } from './open-storage.ts';
import type { LifecycleHook } from './operations/lifecycle/hooks.ts';
import { sessionServices } from './session-services.ts';
import type { MemoryStore } from './storage/memory-store.ts';
import { packageVersion } from './version.ts';

/** Texts that are embedded on the main thread before it looks at its calls again. */
const INLINE_BATCH = 64;
/** What is under way is picked up when the server starts and when it is begun: this is for what went wrong. */
const REEMBEDDING_INTERVAL_MS = 60_000;

/** Parts that tests put in place of those that the settings ask for. */
export interface Overrides {
  readonly logger?: Logger;
  readonly clock?: Clock;
  readonly embedder?: Embedder;
  readonly onDownload?: OnDownload;
  /** Changes the storage that the settings ask for, such as to make it fail now and then. */
  readonly storage?: (made: Storage) => Storage;
  /** Asked before or after each transition of a session, beside those that register over gRPC. */
  readonly hooks?: readonly LifecycleHook[];
}

export interface MnemeServer {
  /** Fails in one line that says what to do. */
  start(): Promise<void>;
  /** Lets calls in flight finish within the grace period, then closes everything. Safe to call twice. */
  stop(): Promise<void>;
  /** Where gRPC is served; empty until the server has started. */
  readonly address: string;
  /** Where metrics are served; empty when they are not. */
  readonly metricsAddress: string;
  /** What people are told when it has started. */
  banner(): string;
}

type Close = () => Promise<void>;

/** The server that the settings ask for, not started yet. */
export function createServer(config: Config, overrides: Overrides = {}): MnemeServer {
  const closers: Close[] = [];
  let starting: Promise<Running> | undefined;
  let running: Running | undefined;
  let stopping: Promise<void> | undefined;
  return {
    async start() {
      starting = open(config, overrides, closers);
      try {
        running = await starting;
      } catch (error) {
        await closeAll(closers);
        throw error;
      }
    },
    stop() {
      // What is still being opened is closed once it is open.
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
    banner: () => (running ? bannerOf({ ...running, data: config.data, backends: running.store.describe() }) : ''),
  };
}

/** The last opened first. One that fails keeps none of the others open. */
async function closeAll(closers: Close[]): Promise<void> {
  const failures: unknown[] = [];
  for (const close of closers.splice(0).reverse()) await close().catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}

interface Running {
  readonly address: string;
  readonly metricsAddress: string;
  readonly access: Access;
  readonly store: MemoryStore;
  readonly embedder: Embedder;
}

/** Opens part after part; what closes them again is added to `closers` as they open. */
async function open(config: Config, overrides: Overrides, closers: Close[]): Promise<Running> {
  const logger = overrides.logger ?? createLogger(config);
  for (const warning of config.warnings) logger.warn({ part: 'config' }, warning);
  const clock = overrides.clock ?? systemClock;
  const access = readAccess(config);
  const texts = new StaticTexts();
  const embedder = overrides.embedder ?? (await openEmbedder(config, texts, overrides.onDownload));
  const storage = await openStorage(config, logger, clock, closers);
  const { store, engine, ...sessionParts } = overrides.storage?.(storage) ?? storage;

  const embedding = new EmbeddingJob(
    { store, embedder, clock },
    { batchSize: config.embedderBatchSize, intervalMs: config.embeddingIntervalMs },
    logger.child({ part: 'embedding' }),
  );
  const { reembeddings } = storage;
  const reembedding = new ReembeddingJob(
    { reembeddings, embedder, clock },
    { batchSize: embedder.inline ? INLINE_BATCH : config.embedderBatchSize, intervalMs: REEMBEDDING_INTERVAL_MS },
    logger.child({ part: 'reembedding' }),
  );
  const expiry = expiryJob({ store, clock }, config.expiryIntervalMs, logger.child({ part: 'expiry' }));
  const health = new Health(SERVICES);
  const edge = new Edge({
    limits: config,
    logger: logger.child({ part: 'grpc' }),
    ...(access.tokens.length > 0 ? { authorize: bearerTokens(access.tokens) } : {}),
  });
  const deps = {
    store,
    engine,
    sessions: sessionParts.sessions,
    policies: sessionParts.policies,
    embedder,
    clock,
    newId: uuidv7,
    reembeddings,
    onReembedding: () => reembedding.wake(),
    reembedFailure: () => reembedding.failure,
    countTokens: (text: string, max: number) => texts.countTokens(text, max),
    onEmbeddingPending: () => embedding.wake(),
    autoCreateNamespaces: config.autoCreateNamespaces,
    version: packageVersion(),
    startedAtUs: clock.nowUs(),
    limits: limitsOf(config),
    degraded: () => (embedding.failure === undefined ? [] : [`embedder: ${embedding.failure}`]),
  };
  const sessions = sessionServices(config, deps, sessionParts, overrides.hooks ?? [], logger);
  const grpc = new GrpcServer(config, edge, health, [
    ...memoryService(deps, config),
    ...recallService(deps),
    ...namespaceService({ ...deps, sessions: sessionParts.sessions }, config),
    ...adminService(deps),
    ...sessions.routes,
    ...healthService(health),
    ...reflectionService(),
  ]);
  const metricsAddress = await openMetrics(config, edge, store, health, closers);
  const address = await grpc.listen(config.listen, serverCredentials(access.tls));
  closers.push(() => grpc.stop(config.shutdownGraceMs));
  if (embedder.kind !== 'none') {
    embedding.start();
    reembedding.start();
  }
  expiry.start(config.expiryIntervalMs);
  sessions.job.start(0);
  const jobs = [embedding, reembedding, expiry, sessions.job];
  closers.push(async () => void (await Promise.all(jobs.map((job) => job.stop()))));
  return { address, metricsAddress, access, store, embedder };
}

/** Loaded only where it is wanted: start-up is what everybody waits for. */
async function openMetrics(
  { metricsListen }: Config,
  edge: Edge,
  store: MemoryStore,
  health: Health,
  closers: Close[],
): Promise<string> {
  if (metricsListen === '') return '';
  const { serveMetrics } = await import('./metrics-endpoint.ts');
  const gauges = { callsInFlight: () => edge.callsInFlight, revision: () => store.revision };
  const endpoint = await serveMetrics(metricsListen, gauges, () => health.isServing);
  edge.meter = endpoint.meter;
  closers.push(() => endpoint.close());
  return endpoint.address;
}
