import {
  GetReembedProgressRequest,
  GetReembedProgressResponse,
  GetServerInfoRequest,
  GetServerInfoResponse,
  GetServerStatisticsRequest,
  GetServerStatisticsResponse,
  type MemoryPressureStatistics,
  ReembedMemoriesRequest,
  ReembedMemoriesResponse,
  type ReembedProgress,
  AdminServiceService as Service,
  type StreamTerms,
} from '../../../../gen/ts/mneme/v1/admin_service.ts';
import { MoveReason } from '../../../../gen/ts/mneme/v1/memory_service.ts';
import { MEMORY_LIMITS } from '../../../memory/limits.ts';
import { hasWholeServer } from '../../../memory/principal.ts';
import type { RecallEngine } from '../../../search/recall/recall-engine.ts';
import type { Reembedding } from '../../../storage/reembedding-store.ts';
import type { CacheStatistics } from '../../answer-cache/answer-cache.ts';
import { getServerInfo, getStatistics, type ServerDeps } from '../../operations/admin/get-server-info.ts';
import { type ReembedDeps, reembed, reembedProgress } from '../../operations/admin/reembed.ts';
import type { MemoryDeps } from '../../operations/memories/operation-deps.ts';
import { agentStatistics } from '../../operations/namespaces/namespaces.ts';
import type { RecallCache } from '../../operations/recall/cached-search.ts';
import { openCounts, type StreamStatisticsDeps, streamStatistics } from '../../operations/streams/log-retention.ts';
import type { MemoryPressure } from '../../operations/tiers/memory-pressure.ts';
import type { TierDeps } from '../../operations/tiers/tier-config.ts';
import { type Route, unary } from '../edge/handler.ts';
import {
  durationMessage,
  namespaceName,
  optionalTimestamp,
  RequestChecks,
  timestampOf,
} from '../edge/request-checks.ts';
import { agentStatisticsMessage, statisticsMessage } from '../namespaces/namespace-messages.ts';
import { tierMethods } from '../tiers/tier-methods.ts';

type AdminDeps = MemoryDeps &
  ServerDeps &
  Parameters<typeof reembedMethods>[0] &
  Parameters<typeof tierMethods>[0] &
  Parameters<typeof statisticsMethods>[0];

const FOR_OPERATORS = { isForOperators: true };

/** `proto/mneme/v1/admin_service.proto`. */
export function adminService(deps: AdminDeps, settings: StreamSettings): Route[] {
  return [
    ...reembedMethods(deps),
    ...tierMethods(deps),
    unary(
      Service.getServerInfo,
      GetServerInfoRequest,
      GetServerInfoResponse,
      (_, { principal }) => {
        const { startedAtUs, revision, backends, limits, degraded, ...info } = getServerInfo(deps);
        return {
          ...info,
          startTime: timestampOf(startedAtUs),
          revision: BigInt(revision),
          backends: [...backends],
          // All of version 1.0 of the API, which is all there is.
          capabilities: [],
          // Sentences about parts of the server may name namespaces.
          degraded: hasWholeServer(principal, 'read') ? [...degraded] : [],
          limits: [...limits],
          streams: streamTermsMessage(settings, deps),
        };
      },
      FOR_OPERATORS,
    ),
    ...statisticsMethods(deps),
  ];
}

/** Settings that streams are held to. */
interface StreamSettings {
  readonly heartbeatIntervalMs: number;
  readonly maxStreamsPerCaller: number;
  readonly maxStreamStallMs: number;
  readonly maxIngestBytesInFlight: number;
  readonly maxLogCount: number;
  readonly maxLogBytes: number;
  readonly maxLogAgeMs: number;
}

function streamTermsMessage(settings: StreamSettings, deps: Omit<StreamStatisticsDeps, 'retention'>): StreamTerms {
  const { heartbeatIntervalMs, maxStreamStallMs, maxLogCount, maxLogAgeMs, ...rest } = settings;
  const { open, ...counts } = openCounts(deps);
  return {
    heartbeatInterval: durationMessage(heartbeatIntervalMs),
    maxStreamsPerCaller: rest.maxStreamsPerCaller,
    maxStall: durationMessage(maxStreamStallMs),
    maxIngestBytesInFlight: rest.maxIngestBytesInFlight,
    maxLogEntries: maxLogCount,
    maxLogBytes: rest.maxLogBytes,
    maxLogAge: durationMessage(maxLogAgeMs),
    open: [...open],
    ...counts,
  };
}

/** The methods of AdminService that change a namespace over to another embedder. */
function reembedMethods(deps: ReembedDeps & { reembedFailure(): string }): Route[] {
  return [
    unary(Service.reembedMemories, ReembedMemoriesRequest, ReembedMemoriesResponse, async ({ parent }, call) => ({
      namespaces: (await reembed(deps, namespaceOf(parent), call.signal)).map(progressMessage),
    })),
    unary(
      Service.getReembedProgress,
      GetReembedProgressRequest,
      GetReembedProgressResponse,
      async ({ parent }) => ({
        namespaces: (await reembedProgress(deps, namespaceOf(parent))).map(progressMessage),
        failure: deps.reembedFailure(),
      }),
      { ...FOR_OPERATORS, whenAbsent: () => GetReembedProgressResponse.fromPartial({}) },
    ),
  ];
}

/** `undefined` for all of them. */
function namespaceOf(parent: string): string | undefined {
  if (parent === '') return undefined;
  const checks = new RequestChecks();
  const namespace = checks.namespace('parent', parent);
  checks.finish();
  return namespace;
}

function progressMessage(progress: Reembedding): ReembedProgress {
  const { namespace, fromModel, toModel, doneCount, totalCount, startedAtUs } = progress;
  return {
    namespace: namespaceName(namespace),
    fromModel,
    toModel,
    doneCount,
    totalCount: Math.max(doneCount, totalCount),
    startTime: timestampOf(startedAtUs),
  };
}

type StatisticsDeps = StreamStatisticsDeps &
  Pick<TierDeps, 'store' | 'view' | 'pressure'> & { readonly engine: RecallEngine; readonly cache: RecallCache };

/** The statistics method of AdminService. */
function statisticsMethods(deps: StatisticsDeps): Route[] {
  return [
    unary(
      Service.getServerStatistics,
      GetServerStatisticsRequest,
      GetServerStatisticsResponse,
      async ({ agent, simplified: isSimplified }, { principal }) => {
        // Types and the most used memories tell what callers have stored.
        const simplified = isSimplified || !hasWholeServer(principal, 'read');
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
      FOR_OPERATORS,
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

const REASONS = {
  redis: MoveReason.MOVE_REASON_REDIS_MEMORY,
  process: MoveReason.MOVE_REASON_PROCESS_MEMORY,
} as const;

function pressureMessage(pressure: MemoryPressure | undefined): MemoryPressureStatistics {
  const { states = [], movedCount = 0, movedAtUs } = pressure?.statistics() ?? {};
  const uses = states.map(({ source, isPressed, isGivenUp, pressedAboveBytes, ...use }) => ({
    ...use,
    reason: REASONS[source],
    thresholdBytes: pressedAboveBytes,
    aboveThreshold: isPressed,
    movesStopped: isGivenUp,
  }));
  return { uses, movedCount, lastMoveTime: optionalTimestamp(movedAtUs) };
}
