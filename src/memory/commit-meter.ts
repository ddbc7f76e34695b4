/** Measures the commits of the writer thread. */
export interface CommitMeter {
  committed(commit: {
    readonly writeCount: number;
    /** From the hand-over to the writer thread to its answer. */
    readonly durationMs: number;
    /** Of it, the time in which the disk made the transaction durable. */
    readonly syncMs: number;
  }): void;
  /** A write has waited in the queue. */
  waited(durationMs: number): void;
}
