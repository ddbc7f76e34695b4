import {
  type StreamStatistics as StreamsMessage,
  StreamTerms as TermsMessage,
} from '../../../gen/ts/mneme/v1/admin_service.ts';
import { msOf } from './streams/heartbeat.ts';

/** Open streams, and the retained change log from which streams can start. */
export interface StreamStatistics {
  /** Streams that are open: `watch`, `subscribe`, `consume`, `ingest`. */
  readonly open: Readonly<Record<string, number>>;
  readonly standingQueryCount: number;
  /** Consumers of durable subscriptions that are connected. */
  readonly consumerCount: number;
  /** Oldest revision that a watch can begin with. */
  readonly oldestRevision: number;
  readonly newestRevision: number;
  /** Number of retained entries of the change log, and their size in bytes. */
  readonly entryCount: number;
  readonly entryBytes: number;
}

/** Limits of a server's streams, and the number of open streams. */
export interface StreamTerms extends Pick<StreamStatistics, 'open' | 'standingQueryCount' | 'consumerCount'> {
  /** Longest silence of the server on a stream that does not ask for another one. */
  readonly heartbeatIntervalMs: number;
  readonly maxStreamsPerCaller: number;
  /** Maximum time that a reader may stall. */
  readonly maxStallMs: number;
  readonly maxIngestBytesInFlight: number;
  /** Entries, bytes and age up to which the change log is kept. */
  readonly maxLogEntries: number;
  readonly maxLogBytes: number;
  readonly maxLogAgeMs: number;
}

export function streamTermsOf(message: TermsMessage | undefined): StreamTerms {
  const { open = [], heartbeatInterval, maxStall, maxLogAge, ...rest } = message ?? NO_TERMS;
  return {
    ...rest,
    open: countsOf(open),
    heartbeatIntervalMs: msOf(heartbeatInterval),
    maxStallMs: msOf(maxStall),
    maxLogAgeMs: msOf(maxLogAge),
  };
}

/** A server of before. */
const NO_TERMS: TermsMessage = TermsMessage.fromPartial({});

function countsOf(open: TermsMessage['open']): Record<string, number> {
  return Object.fromEntries(open.map(({ kind, count }) => [kind, count]));
}

export function streamsOf(message: StreamsMessage | undefined): StreamStatistics {
  const { open = [], standingQueryCount = 0, consumerCount = 0, entryCount = 0, entryBytes = 0 } = message ?? {};
  return {
    open: countsOf(open),
    standingQueryCount,
    consumerCount,
    oldestRevision: Number(message?.oldestRevision ?? 0n),
    newestRevision: Number(message?.newestRevision ?? 0n),
    entryCount,
    entryBytes,
  };
}
