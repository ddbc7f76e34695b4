import type { StreamTerms } from '../../../gen/ts/mneme/v1/admin_service.ts';
import { openCounts, type StreamStatisticsDeps } from '../../operations/streams/stream-statistics.ts';
import { durationMessage } from '../edge/stream-requests.ts';

/** Settings that streams are held to. */
export interface StreamSettings {
  readonly heartbeatIntervalMs: number;
  readonly maxStreamsPerCaller: number;
  readonly maxStreamStallMs: number;
  readonly maxPipelineOperations: number;
  readonly maxPipelineBytesInFlight: number;
  readonly maxIngestBytesInFlight: number;
  readonly maxLogCount: number;
  readonly maxLogBytes: number;
  readonly maxLogAgeMs: number;
}

export function streamTermsMessage(
  settings: StreamSettings,
  deps: Omit<StreamStatisticsDeps, 'retention'>,
): StreamTerms {
  const { heartbeatIntervalMs, maxStreamStallMs, maxLogCount, maxLogAgeMs, ...rest } = settings;
  const { open, ...counts } = openCounts(deps);
  return {
    heartbeatInterval: durationMessage(heartbeatIntervalMs),
    maxStreamsPerCaller: rest.maxStreamsPerCaller,
    maxStall: durationMessage(maxStreamStallMs),
    maxPipelineOperations: rest.maxPipelineOperations,
    maxPipelineBytesInFlight: rest.maxPipelineBytesInFlight,
    maxIngestBytesInFlight: rest.maxIngestBytesInFlight,
    maxLogEntries: maxLogCount,
    maxLogBytes: rest.maxLogBytes,
    maxLogAge: durationMessage(maxLogAgeMs),
    open: [...open],
    ...counts,
  };
}
