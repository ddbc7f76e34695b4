import type { Config } from '../config/config.ts';
import type { Health } from '../grpc/admin/health-service.ts';
import type { Edge } from '../grpc/edge/edge.ts';
import type { RecallCache } from '../operations/recall/cached-search.ts';
import type { MemoryPressure } from '../operations/tiers/memory-pressure.ts';
import type { MemoryStore } from '../storage/memory-store.ts';
import type { StreamParts } from './stream-parts.ts';

interface MeasuredParts extends Pick<StreamParts, 'streams' | 'standing' | 'subscriptions' | 'retention'> {
  readonly store: MemoryStore;
  readonly cache: RecallCache;
  readonly pressure: MemoryPressure;
  /** Writes that wait. */
  readonly queuedCount: () => number;
}

/** Loaded only where it is wanted: start-up is what everybody waits for. */
export async function openMetrics(
  { metricsListen }: Config,
  edge: Edge,
  { store, streams, standing, subscriptions, retention, queuedCount, cache, pressure }: MeasuredParts,
  health: Health,
  closers: (() => Promise<void>)[],
): Promise<string> {
  if (metricsListen === '') return '';
  const { serveMetrics } = await import('../metrics/metrics-endpoint.ts');
  const gauges = {
    callsInFlight: () => edge.callsInFlight,
    revision: () => store.revision,
    streamCounts: () => streams.counts,
    standingQueryCount: () => standing.count,
    consumerCount: () => subscriptions.consumerCount,
    heldLog: () => retention.held(),
    writeQueueCount: queuedCount,
    recallCache: () => cache.answers.statistics(),
    memoryPressure: () => pressure.statistics(),
  };
  const endpoint = await serveMetrics(metricsListen, gauges, () => health.isServing);
  edge.meter = endpoint.meter;
  closers.push(() => endpoint.close());
  return endpoint.address;
}
