import type { Session } from './database.ts';
import type { Job } from './namespace-lane.ts';

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
