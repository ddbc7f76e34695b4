import { STOP_WORDS, stemOf, wordsOf } from '../words.ts';

/** Minimum share of common words (Jaccard) at which two texts count as equal. */
const SAME_SHARE = 0.85;
/** Words that turn a statement around. */
const NEGATIONS: ReadonlySet<string> = new Set(['not', 'no', 'never', 'none', 'nobody', 'without', 'cannot', 't']);
const HAS_DIGIT = /\p{N}/u;

/** The words of a text, for comparing it with many others. */
export interface Statement {
  /** The words in reading order as one text: equal for texts that differ in case, punctuation and spaces only. */
  readonly line: string;
  readonly stems: ReadonlySet<string>;
}

export function statementOf(text: string): Statement {
  const words = wordsOf(text);
  const stems = words.filter((word) => !STOP_WORDS.has(word) || NEGATIONS.has(word)).map(stemOf);
  return { line: words.join(' '), stems: new Set(stems) };
}

/**
 * Whether one text restates the other: the same words, or nearly, where the difference includes no number and no
 * negation. Texts without words restate nothing.
 */
export function restates(one: Statement, other: Statement): boolean {
  if (one.line === '' || other.line === '') return false;
  if (one.line === other.line) return true;
  const [few, many] = one.stems.size <= other.stems.size ? [one.stems, other.stems] : [other.stems, one.stems];
  if (few.size < SAME_SHARE * many.size || few.size === 0) return false;
  let common = 0;
  for (const stem of few) if (many.has(stem)) common++;
  if (common < SAME_SHARE * (few.size + many.size - common)) return false;
  return !differsInSense(few, many) && !differsInSense(many, few);
}

/** Share of the words of the first text that the second has. */
export function shareWithin(part: Statement, whole: Statement): number {
  if (part.stems.size === 0) return 0;
  let common = 0;
  for (const stem of part.stems) if (whole.stems.has(stem)) common++;
  return common / part.stems.size;
}

/** Whether the first has a number or a negation that the second lacks. */
export function differsInSense(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  for (const stem of one) if (!other.has(stem) && (NEGATIONS.has(stem) || HAS_DIGIT.test(stem))) return true;
  return false;
}
