import type { HeldLog, LogRetention } from './log-retention.ts';
import type { OpenStreams, StreamKind } from './open-streams.ts';
import type { OpenSubscriptions } from './open-subscriptions.ts';
import type { StandingQueries } from './standing-queries.ts';

export interface StreamStatisticsDeps {
  readonly streams: OpenStreams;
  readonly standing: StandingQueries;
  readonly subscriptions: OpenSubscriptions;
  readonly retention: LogRetention;
}

export interface StreamStatistics {
  readonly open: readonly { readonly kind: StreamKind; readonly count: number }[];
  readonly standingQueryCount: number;
  readonly consumerCount: number;
  readonly log: HeldLog;
}

/** Tells what is streamed, and how much of the change log is there to be streamed. */
export async function streamStatistics(deps: StreamStatisticsDeps): Promise<StreamStatistics> {
  const log = await deps.retention.held();
  return { ...openCounts(deps), log };
}

/** The part of it that costs nothing to know. */
export function openCounts({
  streams,
  standing,
  subscriptions,
}: Omit<StreamStatisticsDeps, 'retention'>): Omit<StreamStatistics, 'log'> {
  const open = [...streams.counts].map(([kind, count]) => ({ kind, count }));
  return {
    open: open.sort((one, other) => (one.kind < other.kind ? -1 : 1)),
    standingQueryCount: standing.count,
    consumerCount: subscriptions.consumerCount,
  };
}
