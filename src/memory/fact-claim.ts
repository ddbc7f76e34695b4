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

/** The text on one line, without control characters and characters that are not visible. */
export function oneLine(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim();
}

/** Text of a claim that has none of its own. */
export function sentenceOf({ subject, attribute, value }: Pick<FactClaim, 'subject' | 'attribute' | 'value'>): string {
  return `${subject} ${attribute.replaceAll('_', ' ')} ${value}`;
}

/** The claims, each once, without those that the same messages both state and retract. */
export function withoutContradictions(claims: readonly FactClaim[]): FactClaim[] {
  const signs = new Map<string, Set<boolean>>();
  const keyOf = ({ subject, attribute, value, sources }: FactClaim) =>
    JSON.stringify([subject.toLowerCase(), attribute.toLowerCase(), value.toLowerCase(), sources]);
  for (const claim of claims) {
    const key = keyOf(claim);
    signs.set(key, (signs.get(key) ?? new Set()).add(claim.retracts ?? false));
  }
  const kept = claims.filter((claim) => signs.get(keyOf(claim))?.size === 1);
  return [...new Map(kept.map((claim) => [keyOf(claim), claim])).values()];
}
