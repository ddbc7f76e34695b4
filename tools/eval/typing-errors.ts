import { STOP_WORDS, wordsOf } from '../../src/memory/words.ts';
import { mulberry32 } from './mulberry32.ts';
import { type Question, readQuestionSet } from './question-set.ts';

/**
 * Prints a set of questions with a typing error in each: of the words that question and evidence share, the longest one has two
 * letters wrong, or is cut at its end.
 *
 *   node tools/eval/typing-errors.ts SET.json > typing-errors.json
 */
const SEED = 1;
/** Shorter words are not changed. */
const LENGTH_MIN = 6;
const CUT_LETTERS = 3;
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

const random = mulberry32(SEED);
const below = (count: number) => Math.floor(random() * count);

type Change = (word: string, at: number) => string;
const CHANGES: Readonly<Record<string, Change>> = {
  swapped: (word, at) => `${word.slice(0, at)}${word[at + 1] ?? ''}${word[at] ?? ''}${word.slice(at + 2)}`,
  missing: (word, at) => `${word.slice(0, at)}${word.slice(at + 1)}`,
  doubled: (word, at) => `${word.slice(0, at)}${word[at] ?? ''}${word.slice(at)}`,
  'two wrong': (word, at) =>
    `${word.slice(0, at)}${LETTERS[below(26)] ?? ''}${word.slice(at + 1, -1)}${LETTERS[below(26)] ?? ''}`,
  cut: (word) => word.slice(0, -CUT_LETTERS),
};

function withError({ text, ...question }: Question, evidence: string): Question[] {
  const shared = new Set(wordsOf(evidence));
  const words = text.match(/[A-Za-z]+/g) ?? [];
  const isChanged = (word: string) =>
    word.length >= LENGTH_MIN && !STOP_WORDS.has(word.toLowerCase()) && shared.has(word.toLowerCase());
  const [word] = words.filter(isChanged).sort((a, b) => b.length - a.length);
  if (word === undefined) return [];
  const kinds = Object.entries(CHANGES);
  const [category, change] = kinds[below(kinds.length)] as [string, Change];
  // The first letter is seldom wrong.
  const changed = change(word, 1 + below(word.length - 2));
  return changed === word ? [] : [{ ...question, category, text: text.replace(word, changed) }];
}

const { conversations } = await readQuestionSet(process.argv[2] ?? '');
const set = conversations.map(({ questions, ...conversation }) => {
  const texts = new Map(conversation.memories.map(({ id, text }) => [id, text]));
  const evidenceOf = ({ evidence }: Question) => evidence.map((id) => texts.get(id) ?? '').join(' ');
  return { ...conversation, questions: questions.flatMap((question) => withError(question, evidenceOf(question))) };
});
process.stdout.write(JSON.stringify(set));
