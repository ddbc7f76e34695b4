import type { Idempotency } from '../../memory/call.ts';
import type { Micros } from '../../memory/memory.ts';
import type { DatabaseOptions, PostgresDatabase } from './database.ts';
import type { QueueLimits, Slots } from './lanes.ts';

/** Parts that the stores of one PostgreSQL share. */
export interface PostgresCore {
  readonly database: PostgresDatabase;
  /** Of all transactions that write. */
  readonly slots: Slots;
  /** Of the queue of each store. */
  readonly limits?: Partial<QueueLimits>;
  /** Retention of outcomes for repeated requests. */
  readonly retentionUs: Micros;
  readonly connection: Pick<DatabaseOptions, 'url'>;
  /** To be called with the newest revision of a namespace after a commit. */
  readonly onCommit: (revision: number) => void;
  /** Called when work in the background has failed; later work repeats it. */
  readonly onFailure: (error: unknown) => void;
  /** To be called for each write: outcomes whose retention is over are deleted now and then. */
  readonly noted: (idempotency: Idempotency | undefined) => Idempotency | undefined;
  /** One such work at a time. */
  readonly inBackground: (work: () => Promise<void>) => void;
}
