import { wordsOf } from '../memory/words.ts';

/** Names that say what somebody is, not who: asking for "the user" names nobody. */
const ROLES: ReadonlySet<string> = new Set(['user', 'assistant', 'system', 'agent', 'human', 'ai', 'bot', 'tool']);

/** With more speakers than this, speakers are places or documents, and a word of a question that is one says little. */
const PEOPLE_MAX = 25;

interface Speaker {
  readonly name: string;
  readonly words: readonly string[];
  memories: number;
}

/** Who speaks in a namespace. */
export class Speakers {
  private readonly numbers = new Map<string, number>();
  private readonly all: Speaker[] = [];
  private present = 0;

  /** Number of the speaker, or -1 for nobody. */
  add(name: string): number {
    if (name === '') return -1;
    let number = this.numbers.get(name);
    if (number === undefined) {
      number = this.all.push({ name, words: wordsOf(name).filter((word) => !ROLES.has(word)), memories: 0 }) - 1;
      this.numbers.set(name, number);
    }
    const speaker = this.all[number];
    if (speaker && speaker.memories++ === 0) this.present++;
    return number;
  }

  remove(number: number): void {
    const speaker = this.all[number];
    if (speaker && --speaker.memories === 0) this.present--;
  }

  /** Speakers that the words of a question name, also in the genitive ("Carolines", from "Caroline's"). */
  named(words: ReadonlySet<string>): ReadonlySet<number> {
    const named = new Set<number>();
    if (this.present > PEOPLE_MAX) return named;
    this.all.forEach((speaker, number) => {
      if (speaker.memories === 0) return;
      if (speaker.words.some((word) => words.has(word) || words.has(`${word}s`))) named.add(number);
    });
    return named;
  }
}
