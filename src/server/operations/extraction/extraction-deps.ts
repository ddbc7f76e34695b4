import type { ExtractionMeter } from '../../../memory/meters.ts';
import type { Extractor } from '../../extraction/extractor.ts';
import type { MemoryDeps } from '../memories/operation-deps.ts';
import type { BatchDeps } from './extract-batch.ts';
import type { IntakeDeps } from './log-intake.ts';

/** Timers and chance, for tests that pass time by themselves. */
export interface Timing {
  /** Calls back after the time, unless the returned function is called first. */
  setTimer(callback: () => void, afterMs: number): () => void;
  /** At least 0, less than 1. */
  random(): number;
}

export interface ExtractionDeps extends IntakeDeps, BatchDeps, Pick<MemoryDeps, 'store' | 'view' | 'newId'> {
  readonly timing: Timing;
  readonly limits: ExtractionLimits;
  /** Absent where nothing is measured. */
  meter(): ExtractionMeter | undefined;
  /** The extractor that a policy names; empty: that of the server. */
  extractorOf(name: string): Extractor;
  /** A read, a write or an extraction failed; it is retried. An outage of an extractor is reported once. */
  onFault(error: unknown, namespace: string): void;
}

export interface ExtractionLimits {
  /** Messages of one extraction. */
  readonly batchMax: number;
  readonly batchTokensMax: number;
  /** Extractions that run at once in one namespace. */
  readonly perNamespaceMax: number;
  readonly timeoutMs: number;
  /** Attempts of a message that cannot be extracted, before it is a dead letter. */
  readonly attemptsMax: number;
  /** Idle time after which a namespace is unloaded. */
  readonly unloadMs: number;
}
