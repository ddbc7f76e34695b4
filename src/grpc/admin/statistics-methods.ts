import {
  GetServerStatisticsRequest,
  GetServerStatisticsResponse,
  AdminServiceService as Service,
} from '../../../gen/ts/mneme/v1/admin_service.ts';
import type { CacheStatistics } from '../../answer-cache/answer-cache.ts';
import { MEMORY_LIMITS } from '../../memory/limits.ts';
import { getStatistics } from '../../operations/admin/get-statistics.ts';
import { agentStatistics } from '../../operations/namespaces/agent-statistics.ts';
import type { RecallCache } from '../../operations/recall/cached-search.ts';
import { type StreamStatisticsDeps, streamStatistics } from '../../operations/streams/stream-statistics.ts';
import type { TierDeps } from '../../operations/tiers/tier-policy-of.ts';
import type { RecallEngine } from '../../recall/recall-engine.ts';
import { type Route, unary } from '../edge/handler.ts';
import { RequestChecks } from '../edge/request-checks.ts';
import { namespaceName } from '../edge/resource-names.ts';
import { durationMessage } from '../edge/stream-requests.ts';
import { agentStatisticsMessage, statisticsMessage } from '../namespaces/namespace-messages.ts';
import { pressureMessage } from './pressure-message.ts';

type StatisticsDeps = StreamStatisticsDeps &
  Pick<TierDeps, 'store' | 'tiers' | 'pressure'> & { readonly engine: RecallEngine; readonly cache: RecallCache };

/** The method of AdminService that counts what the whole server holds. */
export function statisticsMethods(deps: StatisticsDeps): Route[] {
  return [
    unary(
      Service.getServerStatistics,
      GetServerStatisticsRequest,
      GetServerStatisticsResponse,
      async ({ agent, simplified }) => {
        const checks = new RequestChecks();
        checks.text('agent', agent, MEMORY_LIMITS.namePartBytes, { plain: true });
        checks.finish();
        const [{ statistics, vectorIndexes, revision }, { log, ...streams }] = await Promise.all([
          getStatistics(deps),
          streamStatistics(deps),
        ]);
        const ofAgent = agent === '' ? undefined : await agentStatistics(deps, agent);
        return {
          statistics: ofAgent ? undefined : statisticsMessage(statistics, { simplified }),
          agentStatistics: ofAgent && agentStatisticsMessage(ofAgent, { simplified }),
          namespaceCount: statistics.namespaceCount,
          diskBytes: statistics.diskBytes,
          memoryPressure: pressureMessage(deps.pressure),
          recallCache: cacheMessage(deps.cache.answers.statistics()),
          degraded: statistics.degraded === undefined ? [] : [statistics.degraded],
          revision: BigInt(revision),
          vectorIndexes: vectorIndexes.map((index) => ({
            namespace: namespaceName(index.namespace),
            vectorCount: index.vectorCount,
            exactCount: index.exactCount,
            revision: BigInt(index.revision),
          })),
          streams: {
            ...streams,
            open: [...streams.open],
            oldestRevision: BigInt(log.oldestRevision),
            newestRevision: BigInt(log.newestRevision),
            entryCount: log.count,
            entryBytes: log.bytes,
          },
        };
      },
    ),
  ];
}

function cacheMessage({ entriesMax, bytesMax, ttlMs, bytes, passedByCount, ...counts }: CacheStatistics) {
  return {
    ...counts,
    maxEntries: entriesMax,
    maxBytes: bytesMax,
    ttl: durationMessage(ttlMs),
    entryBytes: bytes,
    bypassedCount: passedByCount,
  };
}
