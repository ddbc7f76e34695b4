import type { Micros } from '../../../memory/memory.ts';
import type { Embedder } from '../../../search/embedding/embedder.ts';
import type { RecallEngine, VectorIndexState } from '../../../search/recall/recall-engine.ts';
import type { Records, StoreDescription } from '../../../storage/records.ts';
import type { SessionStore } from '../../../storage/session-store.ts';
import type { StoreStatistics, View } from '../../../storage/view.ts';

export interface ServerDeps {
  readonly store: Pick<Records, 'revision'>;
  /** Stores that keep the memories, as text for people. */
  describeStorage(): readonly StoreDescription[];
  readonly sessions: Pick<SessionStore, 'describe'>;
  readonly embedder: Embedder;
  readonly version: string;
  readonly startedAtUs: Micros;
  /** Limits in force, by the name of the setting. */
  readonly limits: readonly { readonly name: string; readonly value: number }[];
  /** Parts that do not work, or not in full, now. */
  degraded(): readonly string[];
}

/** Describes the server and its degraded parts. */
export function getServerInfo({
  store,
  describeStorage,
  sessions,
  embedder,
  version,
  startedAtUs,
  limits,
  degraded,
}: ServerDeps) {
  const { kind, model, dimension, laneWeight } = embedder;
  return {
    version,
    startedAtUs,
    revision: store.revision,
    backends: [...describeStorage(), ...sessions.describe()],
    embedder: { kind, model, dimension, laneWeight },
    limits,
    degraded: degraded(),
  };
}

export interface ServerStatistics {
  readonly statistics: StoreStatistics;
  readonly vectorIndexes: readonly VectorIndexState[];
  readonly revision: number;
}

/** Totals of the whole server. */
export async function getStatistics({
  store,
  view,
  engine,
}: {
  readonly store: Pick<Records, 'revision'>;
  readonly view: Pick<View, 'statistics'>;
  readonly engine: RecallEngine;
}): Promise<ServerStatistics> {
  const { revision } = store;
  const [statistics, vectorIndexes] = await Promise.all([view.statistics(), engine.statistics()]);
  return { statistics, vectorIndexes, revision };
}
