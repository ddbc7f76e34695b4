import type { Embedding, MemoryFields, Micros } from './memory.ts';
import type { CompactionRecord } from './resolution/compaction.ts';

/** A memory that is to be stored, checked, before the server has added what it decides. */
export interface MemoryDraft extends Omit<MemoryFields, 'eventAtUs'> {
  /** Absent: a new one is made. */
  readonly id?: string;
  /** Absent: when it is stored. */
  readonly eventAtUs?: Micros;
  readonly embedding?: Embedding;
  /** What an import keeps of a memory's past. */
  readonly past?: MemoryPast;
}

export interface MemoryPast {
  readonly createdAtUs?: Micros;
  readonly updatedAtUs?: Micros;
  readonly lastAccessedAtUs?: Micros;
  readonly retrievalCount: number;
  /** What it had lost for good. */
  readonly compaction?: CompactionRecord;
}

export const DEFAULT_IMPORTANCE = 0.5;
export const DEFAULT_PRIORITY = 1;

/** Type of a memory whose caller does not say. */
export function defaultType(speaker: string): string {
  return speaker === '' ? 'fact' : 'message';
}
