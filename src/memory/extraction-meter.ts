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
