/** Marks that end or enclose words, unless another sign follows or precedes: `C#` and `C++` keep theirs. */
const MARK = String.raw`[.,;:!"'“”‘’„«»()\[\]…。、，．！]`;
const MARKS_BEFORE = new RegExp(`(?<=^|\\s)${MARK}+`, 'gu');
const MARKS_AFTER = new RegExp(`${MARK}+(?=\\s|$)`, 'gu');

/** Longer texts are compared as they are. In UTF-16 code units. */
const FOLDED_MAX = 4000;

/** Equal for texts that differ in case, white space, and marks around words only; empty for a text without signs. */
export function equalityKey(text: string): string {
  if (text.length > FOLDED_MAX) return text;
  const folded = text.normalize('NFKC').toLowerCase();
  return folded.replace(MARKS_BEFORE, '').replace(MARKS_AFTER, '').replace(/\s+/gu, ' ').trim();
}

/** Whether two speakers are known and differ: one speaker's words are no repetition of another's. */
export function areOtherSpeakers(one: string, other: string): boolean {
  return one !== '' && other !== '' && one !== other;
}
