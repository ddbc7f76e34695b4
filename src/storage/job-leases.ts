/** A job that one server runs at a time. */
export interface LeasedJob {
  readonly name: string;
  /** Time for which the server keeps the lease after the work, so that the job stays at one server. 0: released. */
  readonly keepMs: number;
}

/** The right to run a job, among servers that share a store. Every backend passes `test/conformance/job-leases.suite.ts`. */
export interface JobLeases {
  /**
   * Runs the work when this server has the lease or takes it; otherwise resolves to `undefined`. The lease lasts while
   * the work runs. `lost` aborts where it has ended all the same, for example after the process was stopped for long:
   * another server may run the job then, and a write of this work to the shared store fails.
   */
  run<T>(job: LeasedJob, work: (lost: AbortSignal) => Promise<T>): Promise<{ readonly result: T } | undefined>;
  /** Ends the leases of this server. */
  close(): Promise<void>;
}

/** Leases of a server that shares its store with none. */
export const ALONE: JobLeases = {
  run: async (_, work) => ({ result: await work(NEVER) }),
  close: async () => undefined,
};

const NEVER = new AbortController().signal;
