import {
  AdminServiceService as methods,
  type ReembedProgress as ProgressMessage,
} from '../../../gen/ts/mneme/v1/admin_service.ts';
import { type AgentStatistics, agentStatisticsOf, named } from './agent-statistics.ts';
import type { Connection } from './connection.ts';
import { type MemoryPressure, memoryPressureOf } from './memory-pressure.ts';
import { namespaceName, partsOfName } from './names.ts';
import type { StatisticsOptions } from './namespace-calls.ts';
import type { CallOptions } from './options.ts';
import { dateOf, PreciseDate } from './precise-date.ts';
import { type MemoryStatistics, type RecallCacheStatistics, recallCacheOf, statisticsOf } from './statistics.ts';
import { type StreamStatistics, type StreamTerms, streamsOf, streamTermsOf } from './stream-statistics.ts';
import { type MaintenanceCalls, maintenanceCalls } from './tier-calls.ts';

export interface ServerInfo {
  readonly version: string;
  readonly startTime: Date;
  readonly revision: number;
  readonly backends: readonly { readonly role: string; readonly technology: string; readonly durability: string }[];
  readonly embedder: {
    readonly kind: string;
    readonly model: string;
    readonly dimension: number;
    /** Default weight of the vector lane in recall for texts that it embeds. */
    readonly laneWeight: number;
  };
  /** Methods and options that this server has beyond version 1.0 of the API. */
  readonly capabilities: readonly string[];
  /** Parts that do not work, or not in full. */
  readonly degraded: readonly string[];
  /** Limits in force by the name of the setting. */
  readonly limits: Readonly<Record<string, number>>;
  readonly streams: StreamTerms;
}

export interface ServerStatistics extends MemoryStatistics {
  readonly namespaceCount: number;
  /** Bytes of the store on disk. */
  readonly diskBytes: number;
  readonly revision: number;
  /** Cache of recall answers; counts are since the server started. */
  readonly recallCache?: RecallCacheStatistics;
  readonly vectorIndexes: readonly {
    readonly namespace: string;
    readonly vectorCount: number;
    /** Vectors that are not in the graph yet and are searched exactly. */
    readonly exactCount: number;
    readonly revision: number;
  }[];
  readonly streams: StreamStatistics;
  /** Memory resources with a limit, and memories moved down because of shortage. */
  readonly memoryPressure: MemoryPressure;
  /** Parts that did not answer, and why: their last known numbers are counted. */
  readonly degraded: readonly string[];
}

/** How far the re-embedding of a namespace is. */
export interface ReembedProgress {
  readonly namespace: string;
  /** Empty when there are no vectors in use. */
  readonly fromModel: string;
  readonly toModel: string;
  readonly doneCount: number;
  readonly totalCount: number;
  readonly startTime: Date;
}

/** AdminService, but for `export` and `import`. */
export interface AdminCalls extends MaintenanceCalls {
  /** Version, backends and degraded parts of the server. */
  getServerInfo(options?: CallOptions): Promise<ServerInfo>;
  /** Totals of the whole server. */
  getServerStatistics(options?: StatisticsOptions): Promise<ServerStatistics>;
  /** Totals of one agent in all namespaces. */
  getAgentStatistics(agent: string, options?: StatisticsOptions): Promise<AgentStatistics>;
  /**
   * Starts to recompute the vectors of a namespace, or of all, with the server's embedder; returns the progress. Recall
   * uses the former vectors until all are computed.
   */
  reembed(namespace?: string, options?: CallOptions): Promise<readonly ReembedProgress[]>;
  /** Progress of re-embedding, and the reason when it is stopped. */
  getReembedProgress(
    namespace?: string,
    options?: CallOptions,
  ): Promise<{ readonly namespaces: readonly ReembedProgress[]; readonly failure: string }>;
}

export function adminService(connection: Connection): AdminCalls {
  return {
    ...maintenanceCalls(connection),

    async getServerInfo(options = {}) {
      const answer = await connection.unary(methods.getServerInfo, {}, options);
      const { embedder = { kind: 'none', model: '', dimension: 0, laneWeight: 0 } } = answer;
      return {
        ...answer,
        startTime: answer.startTime === undefined ? new PreciseDate(0) : dateOf(answer.startTime),
        revision: connection.seen(answer.revision),
        embedder,
        limits: Object.fromEntries(answer.limits.map(({ name, value }) => [name, value])),
        streams: streamTermsOf(answer.streams),
      };
    },

    async getServerStatistics({ simplified = false, ...options } = {}) {
      const answer = await connection.unary(methods.getServerStatistics, { simplified, agent: '' }, options);
      return {
        ...statisticsOf(answer.statistics),
        namespaceCount: answer.namespaceCount,
        diskBytes: answer.diskBytes,
        revision: connection.seen(answer.revision),
        ...(answer.recallCache && { recallCache: recallCacheOf(answer.recallCache) }),
        vectorIndexes: answer.vectorIndexes.map((index) => ({
          ...index,
          namespace: partsOfName(index.namespace).namespace,
          revision: Number(index.revision),
        })),
        streams: streamsOf(answer.streams),
        memoryPressure: memoryPressureOf(answer.memoryPressure),
        degraded: answer.degraded,
      };
    },

    async getAgentStatistics(agent, { simplified = false, ...options } = {}) {
      const answer = await connection.unary(methods.getServerStatistics, { simplified, agent: named(agent) }, options);
      connection.seen(answer.revision);
      return agentStatisticsOf(answer.agentStatistics);
    },

    async reembed(namespace, options = {}) {
      const parent = namespace === undefined ? '' : namespaceName(namespace);
      const answer = await connection.unary(methods.reembedMemories, { parent }, options);
      return answer.namespaces.map(progressOf);
    },

    async getReembedProgress(namespace, options = {}) {
      const parent = namespace === undefined ? '' : namespaceName(namespace);
      const answer = await connection.unary(methods.getReembedProgress, { parent }, options);
      return { namespaces: answer.namespaces.map(progressOf), failure: answer.failure };
    },
  };
}

function progressOf(message: ProgressMessage): ReembedProgress {
  return {
    ...message,
    namespace: partsOfName(message.namespace).namespace,
    startTime: message.startTime === undefined ? new PreciseDate(0) : dateOf(message.startTime),
  };
}
