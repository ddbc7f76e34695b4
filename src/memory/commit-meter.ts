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

/** Connections of a server to a database. */
export interface PoolState {
  readonly inUseCount: number;
  readonly idleCount: number;
  /** Transactions that wait for one. */
  readonly waitingCount: number;
  readonly max: number;
}

export type TransactionKind = 'read' | 'write';

/** Measures the transactions of a database that is reached by connections. */
export interface TransactionMeter {
  /** A transaction has waited for its connection, which it may not have got. */
  connected(waitMs: number): void;
  /** It has committed or failed, that long after it got its connection. */
  ended(kind: TransactionKind, durationMs: number): void;
}
