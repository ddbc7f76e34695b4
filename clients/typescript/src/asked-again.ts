import type { Memory } from './memory.ts';

const WORD = /[\p{L}\p{M}\p{N}]+/gu;
/** Ends of questions in Latin, wide, Arabic, Greek and Armenian script. */
const QUESTION = /[?\uff1f\u061f\u037e\u055e]\s*$/;
/** Share of the words of two questions that ask the same. */
const SAME_SHARE = 0.7;

/** Whether a memory is a message of a former turn that asks the same: it is no answer to itself. */
export function isAskedAgain({ type, text }: Pick<Memory, 'type' | 'text'>, query: string): boolean {
  if (type !== 'message') return false;
  if (text.trim().toLowerCase() === query.trim().toLowerCase()) return true;
  if (!QUESTION.test(text)) return false;
  const [asked, before] = [wordsOf(query), wordsOf(text)];
  const common = [...asked].filter((word) => before.has(word)).length;
  return common > 0 && common >= SAME_SHARE * Math.max(asked.size, before.size);
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(WORD) ?? []);
}
