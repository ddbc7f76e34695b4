/** A job that one server runs at a time. */
export interface LeasedJob {
  readonly name: string;
  /** Time for which the server keeps the lease after the work, so that the job stays at one server. 0: released. */
  readonly keepMs: number;
}

/** How often a job has asked for its lease, by outcome, since the start. */
export interface LeaseCount {
  readonly job: string;
  /** `lost`: another server has taken it, or it could not be renewed in time. `failed`: the store did not answer. */
  readonly outcome: 'taken' | 'elsewhere' | 'lost' | 'failed';
  readonly count: number;
}

/** The right to run a job, among servers that share a store. Every backend passes `test/storage/conformance/job-leases.suite.ts`. */
export interface JobLeases {
  /** Since the start. */
  readonly counts: readonly LeaseCount[];
  /**
   * Runs the work when this server has the lease or takes it; otherwise resolves to `undefined`. The lease lasts while
   * the work runs. `lost` aborts where it has ended all the same, for example after the process was stopped for long:
   * another server may run the job then, and a write of this work to the shared store fails.
   */
  run<T>(job: LeasedJob, work: (lost: AbortSignal) => Promise<T>): Promise<{ readonly result: T } | undefined>;
  /** Ends the leases of this server. */
  close(): Promise<void>;
}

/** The rows of leases in a store that several servers share. Leases end by its clock. */
export interface LeaseTable {
  /**
   * Takes the lease of a job for a time, where it is free or the owner's own. Resolves to the number of the taking, which
   * is higher than that of every earlier one; `undefined` while another owner has it.
   */
  take(lease: { readonly job: string; readonly owner: string; readonly ms: number }): Promise<number | undefined>;
  /** Lets the lease of a taking end after a time from now. False, without changes, where another taking has followed. */
  extend(lease: { readonly job: string; readonly number: number; readonly ms: number }): Promise<boolean>;
  /** Ends the leases of an owner. */
  endAll(owner: string): Promise<void>;
}

/** Leases of a server that shares its store with none. */
export const ALONE: JobLeases = {
  counts: [],
  run: async (_, work) => ({ result: await work(NEVER) }),
  close: async () => undefined,
};

const NEVER = new AbortController().signal;
