import { randomUUID } from 'node:crypto';
import { MaintainTiersRequest, AdminServiceService as methods } from '../../../gen/ts/mneme/v1/admin_service.ts';
import {
  MemoryServiceService,
  MoveReason as ReasonCode,
  type TierMove as TierMoveMessage,
} from '../../../gen/ts/mneme/v1/memory_service.ts';
import type { Connection } from './connection.ts';
import { tierCode, tierOf } from './enums.ts';
import type { Scope, Tier } from './memory.ts';
import { scopeMessage } from './memory-to-message.ts';
import { memoryName, namespaceName, partsOfName } from './names.ts';
import type { CallOptions, WriteOptions } from './options.ts';

/** Reason for a move. `other` is one that this version of the client does not know. */
export type MoveReason =
  | 'ttl'
  | 'memory_limit'
  | 'bytes_limit'
  | 'type_ttl'
  | 'type_memory_limit'
  | 'flush'
  | 'redis_memory'
  | 'process_memory'
  | 'requested'
  | 'other';

export interface TierMove {
  readonly id: string;
  readonly fromTier: Tier;
  readonly toTier: Tier;
  readonly reason: MoveReason;
  /** Age factor × (1 − importance), by which memories above a limit are chosen. */
  readonly score: number;
}

export interface MoveResult {
  readonly moves: readonly TierMove[];
  /** Ids of memories that stay because their bytes do not give their checksum. */
  readonly damagedIds: readonly string[];
  readonly revision: number;
}

export interface MaintainRequest {
  /** Default: all of them. */
  readonly namespace?: string;
  /** Moves only memories of this agent. */
  readonly agent?: string;
  /** Only reports which memories would be moved, and why. */
  readonly dryRun?: boolean;
  /** Moves everything to long-term memory. */
  readonly flush?: boolean;
  /** Moves memories of any type to long-term memory. */
  readonly anyType?: boolean;
}

export interface MaintenanceStep extends MoveResult {
  readonly namespace: string;
  /** Moves so far, in all namespaces. */
  readonly movedCount: number;
}

/** The memories of a tier: those of a scope, or all of them; not both. */
export type ClearTierRequest = { readonly dryRun?: boolean } & (
  | { readonly scope: Scope; readonly all?: false }
  | { readonly all: true }
);

export interface ClearTierResult {
  /** Erased, or that would be. */
  readonly clearedCount: number;
  /** Ids of the first 1,000 of them. */
  readonly ids: readonly string[];
  readonly revision: number;
}

/** Moves that a caller asks for, in the client's namespace. */
export interface TierCalls {
  /**
   * Moves up to 1,000 memories one tier down, or to `toTier`. `NotFoundError`, and nothing moved, when one does not
   * exist.
   */
  demote(ids: readonly string[], options?: CallOptions & { readonly toTier?: Tier }): Promise<MoveResult>;
  /** Moves up to 1,000 memories one tier up, or to `toTier`. */
  promote(ids: readonly string[], options?: CallOptions & { readonly toTier?: Tier }): Promise<MoveResult>;
  /** Erases the memories of one tier, of a scope or all of them; with `dryRun` only counts. */
  clearTier(tier: Tier, query: ClearTierRequest, options?: WriteOptions): Promise<ClearTierResult>;
}

/** Maintenance of the tiers of all namespaces. */
export interface MaintenanceCalls {
  /** Moves memories down that exceeded their tier's time to live or limits, and reports each batch. */
  maintainTiers(query?: MaintainRequest, options?: CallOptions): AsyncGenerator<MaintenanceStep, void, undefined>;
  /** Forgets answers of recall that the server keeps to give them again, of a namespace or all of them. */
  clearRecallCache(
    namespace?: string,
    options?: CallOptions,
  ): Promise<{ readonly clearedCount: number; readonly clearedBytes: number }>;
  /** Server-wide settings of tiers, which apply to namespaces without their own, by dotted key. */
  getConfig(options?: CallOptions): Promise<Readonly<Record<string, string>>>;
  /**
   * Sets server-wide settings, all or none; `null` removes one. Returns the current ones. A limit below the contents of
   * a namespace is refused unless `allowDemotion` is set, which moves the excess down.
   */
  updateConfig(
    settings: Readonly<Record<string, string | number | null>>,
    options?: CallOptions & { readonly allowDemotion?: boolean },
  ): Promise<Readonly<Record<string, string>>>;
}

const REASONS: Readonly<Record<number, MoveReason>> = {
  [ReasonCode.MOVE_REASON_TTL]: 'ttl',
  [ReasonCode.MOVE_REASON_MEMORY_LIMIT]: 'memory_limit',
  [ReasonCode.MOVE_REASON_BYTES_LIMIT]: 'bytes_limit',
  [ReasonCode.MOVE_REASON_TYPE_TTL]: 'type_ttl',
  [ReasonCode.MOVE_REASON_TYPE_MEMORY_LIMIT]: 'type_memory_limit',
  [ReasonCode.MOVE_REASON_FLUSH]: 'flush',
  [ReasonCode.MOVE_REASON_REQUESTED]: 'requested',
  [ReasonCode.MOVE_REASON_REDIS_MEMORY]: 'redis_memory',
  [ReasonCode.MOVE_REASON_PROCESS_MEMORY]: 'process_memory',
};

export function tierCalls(connection: Connection, namespace: string): TierCalls {
  const request = (ids: readonly string[], toTier: Tier | undefined) => ({
    parent: namespaceName(namespace),
    names: ids.map((id) => memoryName(namespace, id)),
    toTier: tierCode(toTier),
  });
  return {
    async demote(ids, { toTier, ...options } = {}) {
      return movedOf(
        connection,
        await connection.unary(MemoryServiceService.demoteMemories, request(ids, toTier), options),
      );
    },
    async promote(ids, { toTier, ...options } = {}) {
      return movedOf(
        connection,
        await connection.unary(MemoryServiceService.promoteMemories, request(ids, toTier), options),
      );
    },
    async clearTier(tier, query, { requestId = randomUUID(), ...options } = {}) {
      const { dryRun = false, all = false } = query;
      const scope = 'scope' in query ? scopeMessage(query.scope) : undefined;
      const asked = { parent: namespaceName(namespace), tier: tierCode(tier), scope, all, dryRun, requestId };
      const answer = await connection.unary(methods.clearTier, asked, options);
      return {
        clearedCount: answer.clearedCount,
        ids: answer.names.map((name) => partsOfName(name).id),
        revision: connection.seen(answer.revision),
      };
    },
  };
}

export function maintenanceCalls(connection: Connection): MaintenanceCalls {
  return {
    async *maintainTiers({ namespace, ...query } = {}, options = {}) {
      const parent = namespace === undefined ? '' : namespaceName(namespace);
      const request = MaintainTiersRequest.fromPartial({ parent, ...query });
      for await (const message of connection.readStream(methods.maintainTiers, request, options)) {
        const moved = movedOf(connection, message);
        if (message.done) return;
        yield { ...moved, namespace: partsOfName(message.namespace).namespace, movedCount: message.movedCount };
      }
    },
    async clearRecallCache(namespace, options = {}) {
      const parent = namespace === undefined ? '' : namespaceName(namespace);
      const { clearedCount, clearedBytes } = await connection.unary(methods.clearRecallCache, { parent }, options);
      return { clearedCount, clearedBytes };
    },
    async getConfig(options = {}) {
      return (await connection.unary(methods.getConfig, {}, options)).settings;
    },
    async updateConfig(settings, { allowDemotion = false, ...options } = {}) {
      const changes = Object.entries(settings).map(([key, value]) => [key, value === null ? '' : String(value)]);
      const request = { settings: Object.fromEntries(changes) as Record<string, string>, allowDemotion };
      return (await connection.unary(methods.updateConfig, request, options)).settings;
    },
  };
}

function movedOf(
  connection: Connection,
  answer: {
    readonly moves: readonly TierMoveMessage[];
    readonly damaged: readonly string[];
    readonly revision: bigint;
  },
): MoveResult {
  return {
    moves: answer.moves.map(({ name, fromTier, toTier, reason, score }) => ({
      id: partsOfName(name).id,
      fromTier: tierOf(fromTier),
      toTier: tierOf(toTier),
      reason: REASONS[reason] ?? 'other',
      score,
    })),
    damagedIds: answer.damaged.map((name) => partsOfName(name).id),
    revision: connection.seen(answer.revision),
  };
}
