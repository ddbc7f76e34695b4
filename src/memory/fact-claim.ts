import type { Micros } from './memory.ts';

/** A fact as an extractor has read it: an attribute of a subject has a value, or no longer has it. */
export interface FactClaim {
  /** Such as `Caroline`, or `user` for the user. */
  readonly subject: string;
  /** Such as `lives_in`. */
  readonly attribute: string;
  /** Such as `Bern`. */
  readonly value: string;
  /** The fact as a sentence, which recall searches. */
  readonly text: string;
  /** 0 to 1. */
  readonly confidence: number;
  readonly validFromUs?: Micros;
  readonly validUntilUs?: Micros;
  /** The fact is no longer true, or never was. Absent: false. */
  readonly retracts?: boolean;
  /** Sequence numbers of the source messages; at least one. */
  readonly sources: readonly number[];
}

/** A note that an extractor has read: an instruction, a decision, a lesson. */
export interface ExtractedNote {
  /** Type of the memory, such as `fact`, `episode` or `procedure`. */
  readonly type: string;
  readonly text: string;
  /** 0 to 1. */
  readonly confidence: number;
  readonly tags: readonly string[];
  /** Sequence numbers of the source messages; at least one. */
  readonly sources: readonly number[];
}

export const CLAIM_LIMITS = {
  /** Of subject, attribute and value each, in bytes of UTF-8. */
  partBytes: 512,
  textBytes: 4096,
  /** Claims and notes together of one extraction. */
  perExtraction: 1000,
} as const;
