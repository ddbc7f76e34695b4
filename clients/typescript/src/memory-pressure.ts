import type { MemoryPressureStatistics as Message } from '../../../gen/ts/mneme/v1/admin_service.ts';
import { MoveReason as ReasonCode } from '../../../gen/ts/mneme/v1/memory_service.ts';
import { dateOf } from './precise-date.ts';

/** Usage of memory resources with a limit, and memories moved down because of shortage. */
export interface MemoryPressure {
  /** At the server's last reading; empty where no resource has a limit. */
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
  /** Threshold above which memories are moved one tier down. */
  readonly thresholdBytes: number;
  readonly aboveThreshold: boolean;
  /** True when moves did not reduce the use, so that they are suspended until the use falls below the threshold. */
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
