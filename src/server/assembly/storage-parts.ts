import type { MemoryGauge, PoolState } from '../../memory/meters.ts';
import type { RecallEngine } from '../../search/recall/recall-engine.ts';
import type { StandingQueryIndex } from '../../search/standing/standing-query.ts';
import type { ChangeLog, LogSource } from '../../storage/change-log/change-log.ts';
import type { JobLeases } from '../../storage/job-leases.ts';
import type { LoggedRecords } from '../../storage/record-log.ts';
import type { Records, StoreDescription } from '../../storage/records.ts';
import type { ReembeddingStore } from '../../storage/reembedding-store.ts';
import type { SubscriptionStore } from '../../storage/subscription-store.ts';
import type { View } from '../../storage/view.ts';
import type { ViewState } from '../../storage/viewed/followed-view.ts';
import type { StorageMeters } from '../metrics/storage-metrics.ts';
import type { WatchedBackend } from '../operations/admin/backend-health.ts';
import type { IdleNamespaces } from '../operations/tiers/tier-config.ts';
import type { SessionParts } from './open-sessions.ts';

/** The memories and their search. */
export interface Storage extends SessionParts {
  readonly store: Records;
  readonly view: View;
  readonly engine: RecallEngine;
}

/** Other parts of the storage of the settings. */
export interface OpenedStorage extends Storage {
  /** The tiers in the data folder, without waiting for pending copies. */
  readonly folderView: Pick<View, 'totals'>;
  /** Stores that keep the memories, as text for people. */
  describeStorage(): StoreDescription[];
  readonly reembeddings: ReembeddingStore;
  readonly changes: ChangeLog;
  /** Durable subscriptions to the change log. */
  readonly subscriptions: SubscriptionStore;
  /** Absent without a second log. */
  readonly logSource?: LogSource;
  readonly standing: StandingQueryIndex;
  /** Gauges of memory limits. */
  readonly gauges?: readonly MemoryGauge[];
  /** Queued writes. */
  readonly queuedCount: () => number;
  /** Leases of jobs among servers that share the storage; absent where none does. */
  readonly jobLeases?: JobLeases;
  /** Deletes the oldest entries of a log that several servers follow, beyond the limits; absent without such a log. */
  readonly trimLogs?: LoggedRecords['trimLogs'];
  /** Requests to the search threads. */
  readonly search: { pendingCount(): number };
  /** Measures the threads of the data folder, and transactions of PostgreSQL, from now on. */
  measureStorage(meters: StorageMeters): void;
  /** Contents of the view, and how far it is behind its records. Absent without a view. */
  readonly viewState?: () => ViewState;
  /** Connections to PostgreSQL; absent without it. */
  readonly postgresPool?: () => PoolState;
  /** Namespaces that need no maintenance. Absent without a view. */
  readonly idle?: IdleNamespaces;
  /** External stores that health follows. */
  readonly backends: readonly WatchedBackend[];
  /** Parts that do not work, or have lost data since the start. */
  degraded(): readonly string[];
}
