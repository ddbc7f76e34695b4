/**
 * Remembers the values of recently used words, at most 2 x `generation` of them. Two generations instead of a list
 * in order of use: a hit costs one look-up and no writing, and what was not asked for during a whole generation is
 * forgotten.
 */
export class RecentWords<V> {
  #young = new Map<string, V>();
  #old = new Map<string, V>();
  readonly #generation: number;

  constructor(generation: number) {
    this.#generation = generation;
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }

  get(word: string): V | undefined {
    const young = this.#young.get(word);
    if (young !== undefined) return young;
    const old = this.#old.get(word);
    if (old !== undefined) this.#keep(word, old);
    return old;
  }

  set(word: string, value: V): void {
    // A slice of a text keeps the whole text alive in V8; a slice of this small joined string keeps only that.
    this.#keep(`-${word}`.slice(1), value);
  }

  #keep(word: string, value: V): void {
    if (this.#young.size >= this.#generation) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(word, value);
  }
}
