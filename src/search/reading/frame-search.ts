import type { TextTokens } from '../embedding/static/text-tokens.ts';
import type { TokenIndex } from '../ranking/token-index.ts';
import type { Frame } from './frames.ts';

/** Most memories that are read for a question, newest first. */
const FOUND_MAX = 48;
/** Entries of lists of memories that are looked at, newest first. */
const LOOKED_MAX = 4000;
const SELF_WORDS = 'i my we our me mine';

/** Which memories may be found, and who said each. */
export interface FrameScope {
  readonly isAllowed: ((sequence: number) => boolean) | undefined;
  /** Whether the question names the speaker of a memory. */
  readonly isByNamed: (sequence: number) => boolean;
}

/**
 * Finds the newest memories with a subject and a word of a relation, without a word of the question. One instance serves
 * one thread.
 */
export class FrameSearch {
  private readonly tokenizer: TextTokens;
  private readonly selfTokens: readonly number[];

  constructor(tokenizer: TextTokens) {
    this.tokenizer = tokenizer;
    this.selfTokens = [...tokenizer.encode(SELF_WORDS)];
  }

  find({ relation, subject }: Frame, tokens: TokenIndex, { isAllowed, isByNamed }: FrameScope): number[] {
    const own =
      subject.kind === 'self' ? [] : [...this.tokenizer.encode(subject.kind === 'name' ? subject.name : subject.noun)];
    const isAbout = (sequence: number): boolean =>
      subject.kind === 'self' || isByNamed(sequence)
        ? this.selfTokens.some((token) => tokens.countIn(sequence, token) > 0)
        : own.every((token) => tokens.countIn(sequence, token) > 0);
    const found = new Set<number>();
    const sought = [...new Set(this.tokenizer.encode(relation.sought.join(' ')))];
    const lists = sought.map((token) => tokens.having(token)).filter((list) => list.length > 0);
    const looked = Math.ceil(LOOKED_MAX / Math.max(1, lists.length));
    for (const list of lists) {
      for (let at = list.length - 1; at >= Math.max(0, list.length - looked); at--) {
        const sequence = list[at] as number;
        if (!found.has(sequence) && isAllowed?.(sequence) !== false && isAbout(sequence)) found.add(sequence);
      }
    }
    return [...found].sort((a, b) => b - a).slice(0, FOUND_MAX);
  }
}
