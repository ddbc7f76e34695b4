import type { Config } from '../config/config.ts';
import { EmbeddingJob, ReembeddingJob } from '../jobs/embedding-jobs.ts';
import type { Leased } from '../jobs/leased-work.ts';
import { MaintenanceJob, pressureJob, tierLimitJob } from '../jobs/maintenance-jobs.ts';
import { expiryJob, logTrimJob, type RepeatingJob } from '../jobs/repeating-job.ts';
import type { Logger } from '../logger.ts';
import { CrowdedNamespaces } from '../operations/tiers/crowded-namespaces.ts';
import type { MemoryPressure } from '../operations/tiers/memory-pressure.ts';
import { leasedBriefly, leasedBy } from './shared-jobs.ts';
import type { OpenedStorage } from './storage-parts.ts';
import type { WatchedEmbedder } from './watched-embedder.ts';

type Deps = ConstructorParameters<typeof EmbeddingJob>[0] &
  ConstructorParameters<typeof ReembeddingJob>[0] &
  ConstructorParameters<typeof MaintenanceJob>[0] &
  Pick<OpenedStorage, 'changes' | 'folderView'> &
  Parameters<typeof expiryJob>[0] & { readonly pressure: MemoryPressure; readonly embedder: WatchedEmbedder };

/** Texts that are embedded on the main thread per event-loop turn. */
const INLINE_BATCH = 64;
/** Retry interval of recomputations. They start at once after a restart and when they are requested. */
const REEMBEDDING_INTERVAL_MS = 60_000;

/** The longest interval is for servers without automatic moves. */
const SELDOM_MS = 86_400_000;

/** Background jobs. */
export function memoryJobsOf(
  config: Config,
  deps: Deps,
  shared: Pick<OpenedStorage, 'jobLeases' | 'trimLogs' | 'idle'>,
  logger: Logger,
) {
  const { embedder } = deps;
  const of = (part: string): Logger => logger.child({ part });
  const batchSize = config.embedderBatchSize;
  const times = { intervalMs: config.embeddingIntervalMs };
  const anew = { batchSize: embedder.inline ? INLINE_BATCH : batchSize, intervalMs: REEMBEDDING_INTERVAL_MS };
  const [brief, leased] = [leasedBriefly(shared, logger), leasedBy(shared, logger)];
  const soonMs = config.embeddingIntervalMs;
  const embedding = new EmbeddingJob(deps, { batchSize, ...times }, of('embedding'), brief('embedding', soonMs));
  const reembedding = new ReembeddingJob(deps, anew, of('reembedding'), brief('reembedding', soonMs));
  const everyMs = config.maintenanceIntervalMs;
  const { idle } = shared;
  const maintained = { ...deps, ...(idle && { idle }) };
  const maintenance = new MaintenanceJob(maintained, everyMs, of('tiers'), leased('maintenance', everyMs));
  const limitMs = config.tierLimitIntervalMs;
  const limits = tierLimitJob(
    new CrowdedNamespaces({ store: deps.store, view: deps.folderView, changes: deps.changes }),
    maintenance,
    limitMs,
    of('tiers'),
  );
  const pressureMs = config.memoryPressureIntervalMs;
  const pressure = pressureJob(deps.pressure, deps.clock, maintenance, pressureMs, of('memory'));
  const expiry = expiryJob(deps, config.expiryIntervalMs, of('expiry'), leased('expiry', config.expiryIntervalMs));
  const trim = trimJobOf(config, shared, of('change log'), leased('log', config.logCompactionIntervalMs));
  return {
    embedding,
    reembedding,
    moveCounts: () => maintenance.moveCounts,
    /** Parts that are stopped, as text for people. */
    degraded(): string[] {
      // A failure of the embedder is reported once, as that of the embedder.
      const { failure } = reembedding;
      return ['', embedder.failure].includes(failure) ? [] : [`reembedding: ${failure}`];
    },
    start(): void {
      if (embedder.kind !== 'none') {
        embedding.start();
        reembedding.start();
      }
      expiry.start(config.expiryIntervalMs);
      maintenance.start();
      trim?.start(config.logCompactionIntervalMs);
      if (config.maintenanceIntervalMs < SELDOM_MS) limits.start(limitMs);
      if (deps.pressure.isWatching) pressure.start(pressureMs);
    },
    async stop(): Promise<void> {
      const jobs = [embedding, reembedding, pressure, limits, maintenance, expiry, ...(trim ? [trim] : [])];
      await Promise.all(jobs.map((job) => job.stop()));
    },
  };
}

function trimJobOf(
  config: Config,
  { trimLogs }: Pick<OpenedStorage, 'trimLogs'>,
  logger: Logger,
  leased: Leased,
): RepeatingJob | undefined {
  const limits = { countMax: config.maxLogCount, bytesMax: config.maxLogBytes, ageMaxMs: config.maxLogAgeMs };
  return trimLogs && logTrimJob((signal) => trimLogs(limits, signal), config.logCompactionIntervalMs, logger, leased);
}
