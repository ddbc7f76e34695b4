import { wordsOf } from '../../memory/words.ts';

/** Names of roles, such as "the user": they name no person. */
const ROLES: ReadonlySet<string> = new Set(['user', 'assistant', 'system', 'agent', 'human', 'ai', 'bot', 'tool']);

/**
 * With more speakers than this, speakers are places or documents, and a speaker's name in a question is a weak signal.
 */
const PEOPLE_MAX = 25;

interface Speaker {
  readonly name: string;
  readonly words: readonly string[];
  memories: number;
}

/** The speakers of a namespace. */
export class Speakers {
  private readonly numbers = new Map<string, number>();
  private readonly all: Speaker[] = [];
  private present = 0;

  /** Of all numbers so far, in their order. */
  get names(): readonly string[] {
    return this.all.map(({ name }) => name);
  }

  /** Number of the speaker; -1 without one. */
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

  /** Takes over persisted speakers, each with the number of its memories; only before the first `add`. */
  adopt(names: readonly string[], memories: Uint32Array): void {
    names.forEach((name, number) => {
      this.add(name);
      const speaker = this.all[number];
      if (speaker) speaker.memories = memories[number] as number;
    });
    this.present = this.all.filter((speaker) => speaker.memories > 0).length;
  }

  remove(number: number): void {
    const speaker = this.all[number];
    if (speaker && --speaker.memories === 0) this.present--;
  }

  /**
   * The text without the words that name speakers: in a namespace of few speakers other features match names, and a
   * name would distort the vector. Returns the text itself where no words would remain.
   */
  withoutNames(text: string): string {
    if (this.present > PEOPLE_MAX) return text;
    const names = new Set<string>();
    for (const { memories, words } of this.all) {
      if (memories > 0) for (const word of words) names.add(word).add(`${word}s`);
    }
    if (names.size === 0) return text;
    const kept = text.split(/\s+/).filter((part) => !wordsOf(part).some((word) => names.has(word)));
    return kept.join(' ') || text;
  }

  /** Words of the names of people; none where there are too many speakers for them to be people. */
  nameWords(): ReadonlySet<string> {
    const words = new Set<string>();
    if (this.present > PEOPLE_MAX) return words;
    for (const speaker of this.all) if (speaker.memories > 0) for (const word of speaker.words) words.add(word);
    return words;
  }

  /** Empty without a speaker. */
  nameOf(number: number): string {
    return this.all[number]?.name ?? '';
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
