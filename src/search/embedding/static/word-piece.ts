import type { TokenTable } from './token-table.ts';

const SPECIAL = /(\[(?:PAD|UNK|CLS|SEP|MASK)\])/;
const LONGEST_WORD = 100;
const CACHED_CHUNKS = 8192;
const LONGEST_CACHED_CHUNK = 32;

/**
 * BERT's uncased tokenizer: the same ids as the `tokenizers` library returns with all-MiniLM-L6-v2's tokenizer.json and
 * no added [CLS] and [SEP], for every text (test/search/embedding/word-piece.test.ts has the proof). As there, "[SEP]"
 * written in a text is that special token.
 */
export class WordPiece {
  /** The token for a word without pieces. It does not identify the word. */
  readonly unknown: number;
  readonly #characters: CharacterTable;
  readonly #whole = new Map<string, number>();
  readonly #continued = new Map<string, number>();
  readonly #longestPiece: number;
  // The reference never combines characters across white space, so the text between white space is the cached unit.
  readonly #chunks = new RecentWords<readonly number[]>(CACHED_CHUNKS);
  #word = '';
  #wordPoints = 0;

  constructor(table: TokenTable) {
    this.#characters = new CharacterTable(table);
    let longest = 1;
    table.readVocabulary().forEach((token, id) => {
      const continued = token.startsWith('##') && token.length > 2;
      if (continued) this.#continued.set(token.slice(2), id);
      else this.#whole.set(token, id);
      longest = Math.max(longest, token.length);
    });
    this.#longestPiece = longest;
    this.unknown = this.#special('[UNK]');
  }

  /** Takes time linear in the text's length, also for hostile texts; limiting that length is the caller's task. */
  encode(text: string): Uint16Array {
    const { classes } = this.#characters;
    const ids: number[] = [];
    let start = 0;
    for (let at = 0; at <= text.length; at++) {
      // All white space is in the basic plane, so code units suffice.
      if (at < text.length && classes[text.charCodeAt(at)] !== SPACE) continue;
      if (at > start) this.#addChunk(text.slice(start, at), ids);
      start = at + 1;
    }
    return Uint16Array.from(ids);
  }

  #addChunk(chunk: string, ids: number[]): void {
    if (chunk.length > LONGEST_CACHED_CHUNK) {
      this.#encodeChunk(chunk, ids);
      return;
    }
    let found = this.#chunks.get(chunk);
    if (found === undefined) {
      const fresh: number[] = [];
      this.#encodeChunk(chunk, fresh);
      this.#chunks.set(chunk, fresh);
      found = fresh;
    }
    for (const id of found) ids.push(id);
  }

  #encodeChunk(chunk: string, ids: number[]): void {
    chunk.split(SPECIAL).forEach((part, at) => {
      if (at % 2 === 1) ids.push(this.#special(part));
      else this.#encodeWords(part, ids);
    });
  }

  #encodeWords(text: string, ids: number[]): void {
    for (const char of text) this.#take(char, ids);
    this.#endWord(ids);
  }

  #take(char: string, ids: number[]): void {
    const point = char.codePointAt(0) ?? 0;
    const kind = this.#characters.classes[point] ?? PLAIN;
    if (kind === REMOVED) return;
    if (kind === FOLDED) {
      for (const part of this.#characters.fold(point)) this.#take(part, ids);
      return;
    }
    if (kind !== PLAIN) this.#endWord(ids);
    if (kind !== SPACE) this.#append(char);
    if (kind === ISOLATED) this.#endWord(ids);
  }

  // A word longer than the limit is unknown whatever its characters, so it stops growing.
  #append(char: string): void {
    this.#wordPoints++;
    if (this.#wordPoints <= LONGEST_WORD) this.#word += char;
  }

  #endWord(ids: number[]): void {
    if (this.#wordPoints > LONGEST_WORD) ids.push(this.unknown);
    else if (this.#word !== '') this.#addPieces(this.#word, ids);
    this.#word = '';
    this.#wordPoints = 0;
  }

  #addPieces(word: string, ids: number[]): void {
    const before = ids.length;
    for (let start = 0; start < word.length; ) {
      const pieces = start === 0 ? this.#whole : this.#continued;
      let end = Math.min(word.length, start + this.#longestPiece);
      let id = pieces.get(word.slice(start, end));
      while (id === undefined && --end > start) id = pieces.get(word.slice(start, end));
      if (id === undefined) {
        ids.length = before;
        ids.push(this.unknown);
        return;
      }
      ids.push(id);
      start = end;
    }
  }

  #special(token: string): number {
    const id = this.#whole.get(token);
    if (id === undefined) throw new Error(`the vocabulary lacks ${token}`);
    return id;
  }
}

/** The tokenizer's treatment of a character; see tools/character_table.py. */
const PLAIN = 0;
const REMOVED = 1;
const SPACE = 2;
const ISOLATED = 3;
const FOLDED = 4;

/**
 * The reference tokenizer's own idea of every Unicode character, from the table's file. JavaScript's is not used:
 * it changes with Node, and the ids of stored memories must not.
 */
class CharacterTable {
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

  /** Replacement of a FOLDED character; no character of it is FOLDED. */
  fold(point: number): string {
    // Only Hangul syllables are not listed. Their decomposition is arithmetic and frozen, so here JavaScript can be
    // trusted.
    return this.#folds.get(point) ?? String.fromCodePoint(point).normalize('NFD');
  }
}

/**
 * Caches the values of recently used words, at most 2 x `generation` of them. Two generations instead of a list in
 * order of use: a hit costs one look-up and no writing, and an entry that was not used for a whole generation is
 * evicted.
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
    // A slice of a text retains the whole text in V8; a slice of this small joined string retains only that.
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
