import type { Clock } from '../../memory/clock.ts';
import { ChangeFeed } from '../../storage/change-log/change-feed.ts';
import type { SubscriptionStore } from '../../storage/subscription-store.ts';
import type { Config } from '../config/config.ts';
import { logJob, type RepeatingJob } from '../jobs/repeating-job.ts';
import type { Logger } from '../logger.ts';
import { LogRetention } from '../operations/streams/log-retention.ts';
import { OpenStreams } from '../operations/streams/open-streams.ts';
import { OpenSubscriptions } from '../operations/streams/open-subscriptions.ts';
import { StandingQueries } from '../operations/streams/standing-queries.ts';
import { Limiter, StandingSearches } from '../operations/streams/standing-searches.ts';
import { AwaitedNamespaces } from '../operations/streams/stream-wait.ts';
import type { OpenedStorage } from './storage-parts.ts';

/** Maximum standing queries that are evaluated at once: more would only delay other calls. */
const EVALUATIONS_AT_ONCE = 16;

/** Dependencies of change streams. */
export interface StreamParts {
  readonly feed: ChangeFeed;
  readonly streams: OpenStreams;
  /** Absent where namespaces are not created automatically. */
  readonly awaited?: AwaitedNamespaces;
  readonly standing: StandingQueries;
  readonly searches: StandingSearches;
  readonly evaluations: Limiter;
  readonly subscriptions: OpenSubscriptions;
  readonly subscriptionStore: SubscriptionStore;
  readonly heartbeatMs: number;
  /** Limits of the change log. */
  readonly retention: LogRetention;
  /** Keeps the change log within its limits. */
  readonly upkeep: RepeatingJob;
}

export function openStreamParts(
  config: Config,
  { changes, subscriptions, standing: index, logSource }: OpenedStorage,
  logger: Logger,
  clock: Clock,
  closers: (() => Promise<void>)[],
): StreamParts {
  const feed = new ChangeFeed(changes, (err) => logger.error({ err }, 'the change log could not be read'), logSource);
  closers.push(() => feed.stop());
  const onFault = (err: unknown) => logger.error({ err }, 'standing queries could not be followed');
  const standing = new StandingQueries(changes, index, onFault, logSource);
  closers.push(() => standing.stop());
  const limits = { countMax: config.maxLogCount, bytesMax: config.maxLogBytes, ageMaxMs: config.maxLogAgeMs };
  const retention = new LogRetention(changes, clock, limits);
  const open = new OpenSubscriptions(subscriptions, clock);
  const upkeepDeps = { retention, subscriptions, open, clock };
  return {
    feed,
    retention,
    standing,
    awaited: config.autoCreateNamespaces ? new AwaitedNamespaces((name) => feed.find(name)) : undefined,
    streams: new OpenStreams({ perCallerMax: config.maxStreamsPerCaller }),
    searches: new StandingSearches(index),
    evaluations: new Limiter(EVALUATIONS_AT_ONCE),
    subscriptions: open,
    subscriptionStore: subscriptions,
    heartbeatMs: config.heartbeatIntervalMs,
    upkeep: logJob(upkeepDeps, config.logCompactionIntervalMs, logger.child({ part: 'change log' })),
  };
}
