import type { MemoryPressureStatistics } from '../../../gen/ts/mneme/v1/admin_service.ts';
import { MoveReason } from '../../../gen/ts/mneme/v1/memory_service.ts';
import type { MemoryPressure } from '../../operations/tiers/memory-pressure.ts';
import { optionalTimestamp } from '../edge/time-messages.ts';

const REASONS = {
  redis: MoveReason.MOVE_REASON_REDIS_MEMORY,
  process: MoveReason.MOVE_REASON_PROCESS_MEMORY,
} as const;

export function pressureMessage(pressure: MemoryPressure | undefined): MemoryPressureStatistics {
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
