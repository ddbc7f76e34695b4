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
  readonly trigger: 'redis_memory' | 'process_memory' | 'other';
  /** Which Redis, where there are several. */
  readonly node: string;
  readonly usedBytes: number;
  readonly limitBytes: number;
  /** Bytes above which memories are moved down. */
  readonly pressedAboveBytes: number;
  readonly pressed: boolean;
  /** Moving memories down has freed nothing of it: none are moved for it until less was used for once. */
  readonly givenUp: boolean;
}

const TRIGGERS: Readonly<Record<number, MemoryUse['trigger']>> = {
  [ReasonCode.MOVE_REASON_REDIS_MEMORY]: 'redis_memory',
  [ReasonCode.MOVE_REASON_PROCESS_MEMORY]: 'process_memory',
};

export function memoryPressureOf(message: Message | undefined): MemoryPressure {
  const { uses = [], movedCount = 0, lastMoveTime } = message ?? {};
  return {
    uses: uses.map((use) => ({ ...use, trigger: TRIGGERS[use.trigger] ?? 'other' })),
    movedCount,
    ...(lastMoveTime && { lastMoveTime: dateOf(lastMoveTime) }),
  };
}
