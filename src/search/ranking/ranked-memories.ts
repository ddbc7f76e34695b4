import { PooledVector } from '../embedding/static/pooled-vector.ts';
import type { TextTokens } from '../embedding/static/text-tokens.ts';
import type { TokenTable } from '../embedding/static/token-table.ts';
import { isQuestion } from '../reading/read-statement.ts';
import { ADOPTED_AT_ONCE, type KeptTexts, keptPool } from '../recall/kept-texts.ts';
import { Nearest } from '../vectors/nearest.ts';
import { bestOf } from './lane-scores.ts';
import type { Sought } from './question.ts';
import type { RoughProducts } from './rough-products.ts';
import { type Row, rowProducts } from './row-products.ts';
import { TokenIndex } from './token-index.ts';

const MEMORIES_AT_FIRST = 1024;
const ASCII_WORD = /^[a-z]+$/;

/**
 * The ranker's data of every memory of a namespace, in addition to `NamespaceColumns`: its tokens, its pooled vector
 * and its traits.
 */
export class RankedMemories {
  readonly tokens = new TokenIndex();
  readonly vectors: PooledVectors;
  private traits = new Uint16Array(MEMORIES_AT_FIRST);
  /** Sum of the pooling weights of each memory's tokens. */
  private weights = new Float64Array(MEMORIES_AT_FIRST);
  private tokenTotal = 0;
  private readonly tokenizer: TextTokens;
  private readonly pooled: PooledVector;
  private readonly poolingWeights: Float32Array;
  /** Tokens that end a sentence, that of a question first. */
  private readonly sentenceEnds: readonly number[];
  private readonly table: TokenTable;

  constructor(table: TokenTable, tokenizer: TextTokens) {
    this.table = table;
    this.tokenizer = tokenizer;
    this.pooled = new PooledVector(table, tokenizer);
    this.vectors = new PooledVectors(table.dimensions);
    this.poolingWeights = table.poolingWeights;
    this.sentenceEnds = ['?', '.', '!'].map((end) => tokenizer.encode(end)[0] ?? -1);
  }

  /** A new, empty instance with the same table. */
  sibling(): RankedMemories {
    return new RankedMemories(this.table, this.tokenizer);
  }

  put(sequence: number, text: string): void {
    const tokens = this.tokenizer.encode(text);
    this.putTokens(sequence, tokens, traitsOf(text));
    this.vectors.put(sequence, this.pooled.ofTokens(tokens));
  }

  /** Takes over persisted analyses, in steps; only before the first `put`. `texts` has the number of each sequence's text, or -1. */
  *adopt(kept: KeptTexts, texts: Int32Array): Generator<void> {
    yield* this.tokens.adopt(keptPool(kept.tokens, kept.tokenCounts), texts);
    this.grow(texts.length);
    for (let sequence = 1; sequence < texts.length; sequence++) {
      const text = texts[sequence] as number;
      if (text < 0) continue;
      this.traits[sequence] = kept.traits[text] as number;
      this.weights[sequence] = this.weightOfTokens(this.tokens.tokensOf(sequence));
      this.tokenTotal += this.tokens.lengthOf(sequence);
      if (sequence % ADOPTED_AT_ONCE === 0) yield;
    }
    yield* this.vectors.adopt(kept, texts);
  }

  /**
   * Vector of the memory's text before quantization; `undefined` where its tokens do not decide whether it has one, as
   * those of a text without a known word.
   */
  exactVector(sequence: number): Float32Array | undefined {
    const tokens = this.tokens.tokensOf(sequence);
    if (!(tokens instanceof Uint16Array)) return undefined;
    const areWords = wordTokens(this.table, this.tokenizer);
    return tokens.some((token) => areWords[token] === 1) ? this.pooled.ofTokens(tokens) : undefined;
  }

  /** Whether the vocabulary has it as one token. */
  isWord(word: string): boolean {
    return ASCII_WORD.test(word) && this.tokenizer.encodeWords([word]).length === 1;
  }

  private putTokens(sequence: number, tokens: Uint16Array, traits: number): void {
    this.remove(sequence);
    this.tokens.put(sequence, tokens);
    if (sequence >= this.traits.length) this.grow(sequence);
    this.traits[sequence] = traits;
    this.weights[sequence] = this.weightOfTokens(tokens);
    this.tokenTotal += this.tokens.lengthOf(sequence);
  }

  private weightOfTokens(tokens: ArrayLike<number>): number {
    const { poolingWeights } = this;
    let weight = 0;
    for (let at = 0; at < tokens.length; at++) weight += poolingWeights[tokens[at] as number] ?? 0;
    return weight;
  }

  remove(sequence: number): void {
    this.tokenTotal -= this.tokens.lengthOf(sequence);
    this.tokens.remove(sequence);
    this.vectors.remove(sequence);
  }

  /** Bits of `memory-traits.ts`. */
  traitsOf(sequence: number): number {
    return this.traits[sequence] ?? 0;
  }

  /** The whole text is one question: no other sentence ends in it. */
  isQuestion(sequence: number): boolean {
    if ((this.traitsOf(sequence) & ASKS) === 0) return false;
    return this.sentenceEnds.every((token, at) => this.tokens.countIn(sequence, token) === (at === 0 ? 1 : 0));
  }

  /** Total weight of the memory's tokens, each by its rarity. */
  weightOf(sequence: number): number {
    return this.weights[sequence] ?? 0;
  }

  /** Tokens of all memories together. */
  get tokenCount(): number {
    return this.tokenTotal;
  }

  get bytes(): number {
    return this.tokens.bytes + this.traits.byteLength + this.weights.byteLength + this.vectors.bytes;
  }

  private grow(sequence: number): void {
    let capacity = this.traits.length;
    while (capacity <= sequence) capacity *= 2;
    const traits = new Uint16Array(capacity);
    traits.set(this.traits);
    this.traits = traits;
    const weights = new Float64Array(capacity);
    weights.set(this.weights);
    this.weights = weights;
  }
}

const WORD = /[\p{L}\p{N}]/u;
const wordTokensOf = new WeakMap<TokenTable, Uint8Array>();

/** By token: 1 for a part of a word or number that is known. */
function wordTokens(table: TokenTable, tokenizer: TextTokens): Uint8Array {
  const known = wordTokensOf.get(table);
  if (known) return known;
  const areWords = Uint8Array.from(table.readVocabulary(), (token) => (WORD.test(token) ? 1 : 0));
  areWords[tokenizer.unknown] = 0;
  wordTokensOf.set(table, areWords);
  return areWords;
}

/** Traits of a text, independent of any question. Stored as bits, two bytes a memory. */
export const ASKS = 1;
export const TELLS_TIME = 2;
export const TELLS_NUMBER = 4;
export const SPEAKS_TO_OTHER = 8;
export const NAMES_SOMETHING = 16;
export const SPEAKS_OF_SELF = 32;
export const REACTS = 64;
export const IS_LIST = 128;
export const TELLS_PREFERENCE = 256;
export const NEGATES = 512;

const TIME =
  /\b(yesterday|today|tonight|tomorrow|last|next|ago|weeks?|weekends?|months?|years?|(mon|tues|wednes|thurs|fri|satur|sun)day|since|recently|morning|night|\d{4})\b/i;
const MONTH = /\b(january|february|march|april|may|june|july|august|september|october|november|december)\b/i;
const NUMBER = /\b(\d+|one|two|three|four|five|six|seven|eight|nine|ten|once|twice|couple|few|several|dozen)\b/i;
const OTHER = /\b(you|your|yours|you're|you've)\b/i;
/** Openings of replies that carry no information. */
const REACTION =
  /^\W*(wow|thanks|thank|that's|that is|sounds|nice|cool|great|awesome|congrats|congratulations|yeah|yes|haha|lol|hey|hi|hello|ok|okay|sure|absolutely|totally|glad|good|love|no problem|you're|bye|take care)\b/i;
const NAME_INSIDE = /[a-z,;] +(?!I\b)[A-Z][a-z]+/;
const SELF = /\b(I|my|me|I'm|I've|we|our)\b/;
const LIST = /(^|\n)\s*([-*•]|\d+[.)])\s.*\n\s*([-*•]|\d+[.)])\s/;

const PREFERENCE =
  /\b(prefers?|favou?rite|likes?|loves?|enjoys?|hates?|dislikes?|avoids?|allerg(y|ic|ies)|intoleran\w+|coeliac|celiac|diabetic|vegan|vegetarian|pescatarian|halal|kosher|always|never|nothing but|(mad|crazy|keen|hooked) (about|on)|fan of|fond of|into|wants?|please|only (eats?|drinks?|wears?|listens?|reads?)|can(no|')?t (have|eat|drink|stand|bear)|must not|rather|usually)\b/i;
const NEGATION =
  /\b(no|not|never|none|nobody|nothing|neither|nor|without|cannot|can't|won't|isn't|aren't|wasn't|weren't|don't|doesn't|didn't|hasn't|haven't|hadn't|couldn't|wouldn't|shouldn't|no longer|hates?|dislikes?|avoids?|refus\w+|declin\w+|reject\w+|cancel\w*|fail\w*|stopped|quit|lost|unable|instead of|turned (me|us|him|her|it|them)? ?down|called off|(is|are|was|were) off|fell through|allerg\w+)\b/i;
export function traitsOf(text: string): number {
  return (
    (isQuestion(text) ? ASKS : 0) |
    (TIME.test(text) || MONTH.test(text) ? TELLS_TIME : 0) |
    (NUMBER.test(text) ? TELLS_NUMBER : 0) |
    (OTHER.test(text) ? SPEAKS_TO_OTHER : 0) |
    (NAME_INSIDE.test(text) ? NAMES_SOMETHING : 0) |
    (SELF.test(text) ? SPEAKS_OF_SELF : 0) |
    (REACTION.test(text) ? REACTS : 0) |
    (LIST.test(text) ? IS_LIST : 0) |
    (PREFERENCE.test(text) ? TELLS_PREFERENCE : 0) |
    (NEGATION.test(text) ? NEGATES : 0)
  );
}

const VECTORS_AT_FIRST = 1024;
/** Vectors from which on their memory grows in small steps: the unused part counts for more than copying them. */
const MANY = 65_536;
const LEVELS = 127;
/** Quantization of a question's vector in the first scan: so fine that rounding decides nothing. */
const QUERY_LEVELS = 65_535;
/** The table's axes are principal components: the first of them nearly decide alone which vectors are near. */
const ROUGH_DIMENSIONS = 64;
/** How many times more than are wanted pass the rough look. */
const ROUGH_FACTOR = 4;

/** Pooled vectors of memories as signed bytes, and their cosines to any vector: `dimensions` + 4 bytes a memory. */
export class PooledVectors {
  readonly dimensions: number;
  private values: Int8Array;
  private end = 0;
  /** One over the length of each vector; 0 for a memory without one. */
  private shrinks = new Float32Array(VECTORS_AT_FIRST);
  /** Buffer reused by every first scan. */
  private rough = new Float64Array(0);
  private found = new Uint32Array(0);

  constructor(dimensions: number) {
    this.dimensions = dimensions;
    this.values = new Int8Array(VECTORS_AT_FIRST * dimensions);
  }

  put(sequence: number, vector: Float32Array | undefined): void {
    this.ensureCapacity(sequence);
    this.end = Math.max(this.end, sequence + 1);
    this.shrinks[sequence] = 0;
    if (!vector) return;
    const greatest = vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    if (!(greatest > 0)) return;
    const from = sequence * this.dimensions;
    let squares = 0;
    for (let d = 0; d < this.dimensions; d++) {
      const level = Math.round(((vector[d] ?? 0) * LEVELS) / greatest);
      this.values[from + d] = level;
      squares += level * level;
    }
    this.shrinks[sequence] = 1 / Math.sqrt(squares);
  }

  /** Takes over persisted vectors, in steps; only before the first `put`. */
  *adopt({ vectors, shrinks }: KeptTexts, texts: Int32Array): Generator<void> {
    const { dimensions } = this;
    this.values = new Int8Array(texts.length * dimensions);
    this.shrinks = new Float32Array(texts.length);
    this.end = texts.length;
    for (let sequence = 0; sequence < texts.length; ) {
      const text = texts[sequence] as number;
      const first = sequence++;
      if (text < 0) continue;
      // Texts that follow each other in both are copied as one.
      const last = Math.min(texts.length, first + ADOPTED_AT_ONCE);
      while (sequence < last && texts[sequence] === text + sequence - first) sequence++;
      const end = text + sequence - first;
      this.values.set(vectors.subarray(text * dimensions, end * dimensions), first * dimensions);
      this.shrinks.set(shrinks.subarray(text, end), first);
      if (sequence === last) yield;
    }
  }

  /** A view that is good until the next change. */
  bytesOf(sequence: number): Int8Array {
    return this.values.subarray(sequence * this.dimensions, (sequence + 1) * this.dimensions);
  }

  /** The same without a view. */
  rowOf(sequence: number): Row {
    return { values: this.values, from: sequence * this.dimensions };
  }

  /** As it is compared, at length 1; `undefined` for a memory without one. */
  unitOf(sequence: number): Float32Array | undefined {
    const shrink = this.shrinkOf(sequence);
    return shrink > 0 ? Float32Array.from(this.bytesOf(sequence), (level) => level * shrink) : undefined;
  }

  /** One over the vector's length; 0 for a memory without one. */
  shrinkOf(sequence: number): number {
    return this.shrinks[sequence] ?? 0;
  }

  remove(sequence: number): void {
    if (sequence < this.end) this.shrinks[sequence] = 0;
  }

  /** `unit` is of length 1. 0 for a memory without a vector. */
  cosine(sequence: number, unit: Float32Array): number {
    const shrink = this.shrinks[sequence] ?? 0;
    if (shrink === 0) return 0;
    return this.dot(sequence, unit, this.dimensions) * shrink;
  }

  /**
   * The nearest to `unit` of the allowed memories, nearest first; an approximate scan leaves few to compare exactly.
   */
  nearest(unit: Float32Array, count: number, { isAllowed, among }: Sought = {}): number[] {
    const levels = levelsOf(unit.subarray(0, ROUGH_DIMENSIONS));
    if (this.rough.length < this.end) {
      this.rough = new Float64Array(this.shrinks.length);
      this.found = new Uint32Array(this.shrinks.length);
    }
    const { rough: values, found, shrinks } = this;
    let foundCount = 0;
    const end = among?.length ?? this.end;
    for (let at = 0; at < end; at++) {
      const sequence = among?.[at] ?? at;
      const near = this.roughDot(sequence, levels) * (shrinks[sequence] as number);
      if (!(near > 0)) continue;
      values[sequence] = near;
      found[foundCount++] = sequence;
    }
    const near = bestOf({ values, found: found.subarray(0, foundCount) }, count * ROUGH_FACTOR, isAllowed);
    const nearest = new Nearest(count);
    const products = rowProducts(
      near.map((sequence) => this.rowOf(sequence)),
      Float64Array.from(unit),
    );
    for (const [at, sequence] of near.entries()) {
      nearest.offer(sequence, (products[at] as number) * (shrinks[sequence] as number));
    }
    return nearest.take().map(({ key }) => key);
  }

  /** `cosine` of each, to the bit. */
  cosines(sequences: readonly number[], unit: Float32Array): Float64Array {
    const rows = sequences.map((sequence) => this.rowOf(sequence));
    const cosines = rowProducts(rows, Float64Array.from(unit));
    sequences.forEach((sequence, at) => {
      const shrink = this.shrinkOf(sequence);
      cosines[at] = shrink === 0 ? 0 : (cosines[at] as number) * shrink;
    });
    return cosines;
  }

  /**
   * Calls `each` for every memory that has a vector, with its cosine to the question of `rough`, accurate to its `slack`.
   */
  roughCosines(rough: RoughProducts, each: (sequence: number, cosine: number) => void): void {
    const { values, shrinks, dimensions, end } = this;
    for (let first = 0; first < end; ) {
      const rows = Math.min(rough.room, end - first);
      rough.add(values.subarray(first * dimensions, (first + rows) * dimensions));
      const products = rough.take();
      for (let row = 0; row < rows; row++) {
        const shrink = shrinks[first + row] as number;
        if (shrink > 0) each(first + row, (products[row] as number) * shrink * rough.scale);
      }
      first += rows;
    }
  }

  get bytes(): number {
    return this.values.byteLength + this.shrinks.byteLength;
  }

  /** Whole numbers alone: half the work of the same in floating point. */
  private roughDot(sequence: number, levels: Int32Array): number {
    const { values } = this;
    const from = sequence * this.dimensions;
    let [a, b] = [0, 0];
    for (let d = 0; d < levels.length; d += 2) {
      a = (a + Math.imul(values[from + d] as number, levels[d] as number)) | 0;
      b = (b + Math.imul(values[from + d + 1] as number, levels[d + 1] as number)) | 0;
    }
    return a + b;
  }

  private dot(sequence: number, unit: Float32Array, dimensions: number): number {
    const { values } = this;
    const from = sequence * this.dimensions;
    let sum = 0;
    for (let d = 0; d < dimensions; d++) sum += (values[from + d] as number) * (unit[d] as number);
    return sum;
  }

  private ensureCapacity(sequence: number): void {
    if (sequence < this.shrinks.length) return;
    const capacity = Math.ceil((sequence + 1) * (sequence < MANY ? 1.5 : 1.125));
    const values = new Int8Array(capacity * this.dimensions);
    values.set(this.values);
    const shrinks = new Float32Array(capacity);
    shrinks.set(this.shrinks);
    [this.values, this.shrinks] = [values, shrinks];
  }
}

/** An even number of whole numbers in proportion to the values. */
function levelsOf(values: Float32Array): Int32Array {
  const greatest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0) || 1;
  const levels = new Int32Array(values.length + (values.length % 2));
  values.forEach((value, d) => {
    levels[d] = Math.round((value * QUERY_LEVELS) / greatest);
  });
  return levels;
}
