import type { TokenTable } from './token-table.ts';

/** What the tokenizer does with a character; see tools/character_table.py. */
export const PLAIN = 0;
export const REMOVED = 1;
export const SPACE = 2;
export const ISOLATED = 3;
export const FOLDED = 4;

/**
 * The reference tokenizer's own idea of every Unicode character, from the table's file. JavaScript's is not used:
 * it changes with Node, and the ids of stored memories must not.
 */
export class CharacterTable {
  /** Class by code point. Lone surrogates are removed, as they are no characters. */
  readonly classes = new Uint8Array(0x110000);
  readonly #folds = new Map<number, string>();

  constructor(table: TokenTable) {
    const runs = table.readCharacterClasses();
    runs.forEach((run, at) => {
      const next = runs[at + 1];
      this.classes.fill(run & 0xff, run >>> 8, next === undefined ? this.classes.length : next >>> 8);
    });
    for (const line of table.readCharacterFolds()) {
      const point = line.codePointAt(0);
      if (point !== undefined) this.#folds.set(point, line.slice(point > 0xffff ? 2 : 1));
    }
  }

  /** What stands for a FOLDED character; none of it is FOLDED again. */
  fold(point: number): string {
    // Only Hangul syllables are not listed. Their decomposition is arithmetic and frozen, so here JavaScript can be
    // trusted.
    return this.#folds.get(point) ?? String.fromCodePoint(point).normalize('NFD');
  }
}
