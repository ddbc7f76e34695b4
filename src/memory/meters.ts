/** Usage of a limited memory resource. */
export interface MemoryReading {
  readonly source: 'redis' | 'process';
  /** Which one, where there are several: address of a node of a cluster. */
  readonly node: string;
  readonly usedBytes: number;
  readonly limitBytes: number;
}

/** Reports the usage of memory resources that have a limit. */
export interface MemoryGauge {
  /** Omits resources without a limit and resources that cannot be reached. */
  read(): Promise<readonly MemoryReading[]>;
}

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

/** Effect of an extracted fact or note. `merged`: an equal note was there. `superseded`: a former fact that another one ended. */
export type FactOutcome = 'created' | 'merged' | 'reinforced' | 'retracted' | 'superseded' | 'ignored';
/** How a batch of messages has ended: `failed` is tried again, `dead_letter` is given up. */
export type BatchOutcome = 'extracted' | 'failed' | 'dead_letter';

/** Counts what extraction does. */
export interface ExtractionMeter {
  batchEnded(extractor: string, outcome: BatchOutcome, batch: { turnCount: number; durationMs: number }): void;
  factsStored(outcome: FactOutcome, count: number): void;
}

/** Messages that wait, as far as this server has read the log. */
export interface Backlog {
  readonly turnCount: number;
  /** Since this server has read the oldest of them; 0 without any. */
  readonly oldestAgeMs: number;
}
