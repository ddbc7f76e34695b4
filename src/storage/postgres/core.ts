import type { Micros } from '../../memory/memory.ts';
import type { Slots } from '../slots.ts';
import type { PoolOptions } from './connection-pool.ts';
import type { PostgresDatabase, Session } from './database.ts';
import type { QueueLimits } from './lanes.ts';
import type { Job } from './namespace-lane.ts';
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

/** Access of the parts of a store to its writes and rows. All of it fails with DRAINING once the store is closed. */
export interface PostgresAccess {
  /** A write of a namespace, in the order of its writes; its request id gives it one effect. */
  submit<O>(namespace: string, job: Job<O>): Promise<O>;
  read<T>(work: (session: Session) => Promise<T>): Promise<T>;
  /** The same for the call that is served: it ends with the call. */
  readInCall<T>(work: (session: Session) => Promise<T>): Promise<T>;
  /** All statements see one state. */
  snapshot<T>(work: (session: Session) => Promise<T>): Promise<T>;
  /** Commits when the work resolves. */
  transaction<T>(work: (session: Session) => Promise<T>): Promise<T>;
}
