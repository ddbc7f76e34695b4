import type { Micros } from '../../memory/memory.ts';
import type { Slots } from '../slots.ts';
import type { PoolOptions } from './connection-pool.ts';
import type { PostgresDatabase } from './database.ts';
import type { QueueLimits } from './lanes.ts';
import type { Upkeep } from './upkeep.ts';

/** Parts that the stores of one PostgreSQL share. */
export interface PostgresCore {
  readonly database: PostgresDatabase;
  /** Of all transactions that write. */
  readonly slots: Slots;
  /** Of the queue of each store. */
  readonly limits?: Partial<QueueLimits>;
  /** Retention of outcomes for repeated requests. */
  readonly retentionUs: Micros;
  readonly connection: Pick<PoolOptions, 'url' | 'tlsCa'>;
  /** New revisions of memories are above this one. */
  readonly revisionFloor: () => number;
  /** To be called with the newest revision of a namespace after a commit. */
  readonly onCommit: (revision: number) => void;
  /** Called when work in the background has failed; later work repeats it. */
  readonly onFailure: (error: unknown) => void;
  readonly upkeep: Upkeep;
}
