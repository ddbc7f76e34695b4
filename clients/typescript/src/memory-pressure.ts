import type { MemoryPressureStatistics as Message } from '../../../gen/ts/mneme/v1/admin_service.ts';
import { MoveReason as ReasonCode } from '../../../gen/ts/mneme/v1/memory_service.ts';
import { dateOf } from './precise-date.ts';

/** How much is left of memories that have a limit, and what was moved down because it was too little. */
export interface MemoryPressure {
  /** As of the server's last look; empty where nothing has a limit. */
  readonly uses: readonly MemoryUse[];
  /** Since the server started. */
  readonly movedCount: number;
  readonly lastMoveTime?: Date;
}

export interface MemoryUse {
  /** Reason of the moves that it causes. */
  readonly reason: 'redis_memory' | 'process_memory' | 'other';
  /** Which Redis, where there are several. */
  readonly node: string;
  readonly usedBytes: number;
  readonly limitBytes: number;
  /** Use above which memories are moved one tier down. */
  readonly thresholdBytes: number;
  readonly aboveThreshold: boolean;
  /** True when moves did not reduce the use, so that none are made until the use falls below the threshold. */
  readonly movesStopped: boolean;
}

const REASONS: Readonly<Record<number, MemoryUse['reason']>> = {
  [ReasonCode.MOVE_REASON_REDIS_MEMORY]: 'redis_memory',
  [ReasonCode.MOVE_REASON_PROCESS_MEMORY]: 'process_memory',
};

export function memoryPressureOf(message: Message | undefined): MemoryPressure {
  const { uses = [], movedCount = 0, lastMoveTime } = message ?? {};
  return {
    uses: uses.map((use) => ({ ...use, reason: REASONS[use.reason] ?? 'other' })),
    movedCount,
    ...(lastMoveTime && { lastMoveTime: dateOf(lastMoveTime) }),
  };
}
