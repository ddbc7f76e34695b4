import { ChangeFeed } from './change-log/change-feed.ts';
import type { Config } from './config.ts';
import type { Route } from './grpc/handler.ts';
import { ingestService } from './grpc/ingest-service.ts';
import { sessionMethods } from './grpc/session-service.ts';
import { streamMethods } from './grpc/stream-methods.ts';
import { subscriptionService } from './grpc/subscription-service.ts';
import { logJob } from './jobs/log-job.ts';
import type { RepeatingJob } from './jobs/repeating-job.ts';
import type { Logger } from './logger.ts';
import type { OpenStorage } from './open-storage.ts';
import type { AnswerRecallDeps } from './operations/answer-recall.ts';
import { Limiter } from './operations/limiter.ts';
import { LogRetention } from './operations/log-retention.ts';
import { OpenStreams } from './operations/open-streams.ts';
import { OpenSubscriptions } from './operations/open-subscriptions.ts';
import type { MemoryDeps } from './operations/operation-deps.ts';
import { StandingQueries } from './operations/standing-queries.ts';

/** Standing queries that are evaluated at once: more would only make the calls of others wait. */
const EVALUATIONS_AT_ONCE = 4;
/** Time for streams to tell their readers that they end. */
const FAREWELL_MS = 500;

/** What serves streams: their methods, and what is done for them unasked. */
export interface StreamServices {
  readonly routes: readonly Route[];
  readonly upkeep: RepeatingJob;
  /** Tells the readers of all streams that they end. */
  drain(): Promise<void>;
}

/** `operations` are the calls that a Session carries. */
export function streamServices(
  config: Config,
  deps: MemoryDeps & AnswerRecallDeps,
  { changes, standing: index }: Pick<OpenStorage, 'changes' | 'standing'>,
  operations: readonly Route[],
  { logger, closers }: { readonly logger: Logger; readonly closers: (() => Promise<void>)[] },
): StreamServices {
  const { clock } = deps;
  const feed = new ChangeFeed(changes, (err) => logger.error({ err }, 'the change log could not be read'));
  closers.push(() => feed.stop());
  const standing = new StandingQueries(changes, index, (err) =>
    logger.error({ err }, 'standing queries could not be followed'),
  );
  closers.push(() => standing.stop());
  const limits = { countMax: config.maxLogCount, bytesMax: config.maxLogBytes, ageMaxMs: config.maxLogAgeMs };
  const retention = new LogRetention(changes, clock, limits);
  const streams = new OpenStreams({ perCallerMax: config.maxStreamsPerCaller });
  const subscriptions = new OpenSubscriptions(changes, clock);
  const streamDeps = { feed, streams, subscriptions, heartbeatMs: config.heartbeatIntervalMs };
  return {
    routes: [
      ...sessionMethods(operations, config),
      ...ingestService(deps, config),
      ...streamMethods({ ...deps, ...streamDeps, standing, evaluations: new Limiter(EVALUATIONS_AT_ONCE) }),
      ...subscriptionService({ ...streamDeps, subscriptionStore: changes, clock }),
    ],
    upkeep: logJob(
      { retention, subscriptions: changes, clock },
      config.logCompactionIntervalMs,
      logger.child({ part: 'change log' }),
    ),
    drain: () => streams.drain(FAREWELL_MS),
  };
}
