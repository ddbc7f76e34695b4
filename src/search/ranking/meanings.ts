import type { LazyEncoder } from '../embedding/sentence/lazy-encoder.ts';
import { Nearest } from '../vectors/nearest.ts';
import type { Asked, Sought } from './question.ts';
import { RoughProducts } from './rough-products.ts';
import { type Row, rowProducts } from './row-products.ts';

const LEVELS = 127;
/** Maximum parts of a long text that have a vector of their own: some 700 words. */
const PARTS_MAX = 24;
const PART_PIECES = 42;
/** Longest text that is one part. */
const WHOLE_PIECES = 64;
const OBJECT_BYTES = 200;
const DIMENSIONS = 512;
const NOTHING = new Int8Array();
/** Memories of a namespace whose vectors are made in the background. Of others they are made when a recall looks at them. */
const MEMORIES_MAX = 20_000;

const rough = new RoughProducts();

/** Vectors of a memory's text, one a part: bytes, and one over the length of each. */
interface Meaning {
  readonly bytes: Int8Array;
  readonly shrinks: Float32Array;
}

/** A memory whose parts are being made, one after the other. */
interface Begun {
  readonly sequence: number;
  readonly parts: readonly number[][];
  readonly bytes: Int8Array;
  done: number;
}

/**
 * Sentence-encoder vectors of the memories of a namespace: 512 bytes a memory. They are computed in the background and
 * when a recall needs them; they are a cache of the texts.
 */
export class Meanings {
  private readonly encoder: LazyEncoder;
  private readonly made: (Meaning | undefined)[] = [];
  /** Sequences of texts without vectors, in the order of storing. */
  private readonly missing = new Set<number>();
  /** A long text some of whose parts are made. */
  private begun: Begun | undefined;
  private count = 0;
  private byteCount = 0;

  constructor(encoder: LazyEncoder) {
    this.encoder = encoder;
  }

  /** Sequences whose texts have no vector yet, oldest first. */
  get unmade(): ReadonlySet<number> {
    return this.missing;
  }

  /** A memory has a text from now on, or another one. */
  await(sequence: number): void {
    this.remove(sequence);
    this.missing.add(sequence);
  }

  remove(sequence: number): void {
    this.missing.delete(sequence);
    if (this.begun?.sequence === sequence) this.begun = undefined;
    const meaning = this.made[sequence];
    if (!meaning) return;
    this.byteCount -= bytesOf(meaning);
    this.count--;
    this.made[sequence] = undefined;
  }

  /** Computes the vectors of a memory; returns the number of text pieces, which determines the cost. */
  make(sequence: number, text: string): number {
    const begun = this.begin(sequence, text);
    while (!this.makePart(begun));
    return begun.parts.reduce((sum, pieces) => sum + pieces.length, 0);
  }

  /** True where the rest is not made in the background. */
  get isFull(): boolean {
    return this.count >= MEMORIES_MAX;
  }

  /** False where the background has no vectors to compute. */
  get canAdvance(): boolean {
    return this.encoder.isLoaded && this.missing.size > 0 && !this.isFull;
  }

  /**
   * Computes missing vectors until an instant; returns the number of memories completed. Idle until a recall has needed
   * one.
   */
  advance(textOf: (sequence: number) => string | undefined, untilMs: number): number {
    let count = 0;
    while (this.canAdvance && performance.now() < untilMs) {
      const [sequence = 0] = this.missing;
      const text = this.begun?.sequence === sequence ? '' : textOf(sequence);
      if (text === undefined) {
        this.missing.delete(sequence);
        continue;
      }
      if (this.begun?.sequence !== sequence) this.begun = this.begin(sequence, text);
      if (this.makePart(this.begun)) count++;
    }
    return count;
  }

  /** A text in a language that the encoder does not know has no vector. */
  private begin(sequence: number, text: string): Begun {
    const encoder = this.encoder.load();
    const limits = { wholeMax: WHOLE_PIECES, partMax: PART_PIECES, countMax: PARTS_MAX };
    const parts = encoder.knows(text) ? encoder.partsOf(text, limits) : [];
    return { sequence, parts, bytes: new Int8Array(parts.length * DIMENSIONS), done: 0 };
  }

  /** True when all parts are made. */
  private makePart(begun: Begun): boolean {
    const pieces = begun.parts[begun.done];
    if (pieces) quantize(this.encoder.load().vectorOfPieces(pieces), begun.bytes, begun.done++ * DIMENSIONS);
    if (begun.done < begun.parts.length) return false;
    this.putBytes(begun.sequence, begun.bytes);
    return true;
  }

  /** As returned by `bytesOf`. */
  putBytes(sequence: number, bytes: Int8Array): void {
    this.remove(sequence);
    const shrinks = new Float32Array(bytes.length / DIMENSIONS);
    for (let part = 0; part < shrinks.length; part++) {
      let squares = 0;
      for (let at = part * DIMENSIONS; at < (part + 1) * DIMENSIONS; at++) squares += (bytes[at] as number) ** 2;
      shrinks[part] = squares > 0 ? 1 / Math.sqrt(squares) : 0;
    }
    const meaning = { bytes, shrinks };
    this.made[sequence] = meaning;
    this.byteCount += bytesOf(meaning);
    this.count++;
  }

  /** Vectors of a memory one after the other; none where they are not made. */
  bytesOf(sequence: number): Int8Array {
    return this.made[sequence]?.bytes ?? NOTHING;
  }

  /** Vector of a question, which is shared: do not write to it. `undefined` where the encoder does not know its language. */
  asked(text: string): Float32Array | undefined {
    return this.encoder.vectorOfQuestion(text);
  }

  /** With the part that is nearest; `undefined` where there is no vector. */
  cosine(sequence: number, unit: Float32Array): number | undefined {
    const meaning = this.made[sequence];
    if (!meaning || meaning.shrinks.length === 0) return undefined;
    const { bytes, shrinks } = meaning;
    let best = -1;
    for (let part = 0; part < shrinks.length; part++) {
      const from = part * DIMENSIONS;
      let sum = 0;
      for (let d = 0; d < DIMENSIONS; d++) sum += (bytes[from + d] as number) * (unit[d] as number);
      best = Math.max(best, sum * (shrinks[part] as number));
    }
    return best;
  }

  /** `cosine` of each; `unmade` where there is no vector. */
  cosines(sequences: readonly number[], unit: Float32Array, unmade: number): Float32Array {
    const rows: Row[] = [];
    for (const sequence of sequences) {
      const meaning = this.made[sequence];
      if (!meaning) continue;
      for (let part = 0; part < meaning.shrinks.length; part++) {
        rows.push({ values: meaning.bytes, from: part * DIMENSIONS });
      }
    }
    const products = rowProducts(rows, Float64Array.from(unit));
    let at = 0;
    return Float32Array.from(sequences, (sequence) => {
      const meaning = this.made[sequence];
      if (!meaning || meaning.shrinks.length === 0) return unmade;
      let best = -1;
      for (const shrink of meaning.shrinks) best = Math.max(best, (products[at++] as number) * shrink);
      return best;
    });
  }

  /** The nearest of the computed and allowed vectors, nearest first: a quantized scan leaves few to compare exactly. */
  nearest(unit: Float32Array, count: number, { isAllowed, among }: Sought = {}): number[] {
    const nearest = new Nearest(count);
    const looked: number[] = [];
    rough.ask(unit);
    const end = among?.length ?? this.made.length;
    for (let at = 0; at < end; at++) {
      const sequence = among?.[at] ?? at;
      const meaning = this.made[sequence];
      if (!meaning || meaning.shrinks.length === 0 || (isAllowed && !isAllowed(sequence))) continue;
      if (!rough.add(meaning.bytes)) {
        this.offerLooked(nearest, looked, unit);
        rough.add(meaning.bytes);
      }
      looked.push(sequence);
    }
    this.offerLooked(nearest, looked, unit);
    return nearest.take().map(({ key }) => key);
  }

  /** Compares exactly the candidates whose approximate cosine may be among the nearest, and empties the list. */
  private offerLooked(nearest: Nearest, looked: number[], unit: Float32Array): void {
    const products = rough.take();
    const { scale, slack } = rough;
    let row = 0;
    for (const sequence of looked) {
      let best = Number.NEGATIVE_INFINITY;
      for (const shrink of this.made[sequence]?.shrinks ?? []) best = Math.max(best, (products[row++] ?? 0) * shrink);
      if (best * scale + slack >= nearest.floor) nearest.offer(sequence, this.cosine(sequence, unit) ?? -1);
    }
    looked.length = 0;
  }

  get bytes(): number {
    return this.byteCount + 8 * this.made.length;
  }
}

function bytesOf({ bytes, shrinks }: Meaning): number {
  return bytes.byteLength + shrinks.byteLength + OBJECT_BYTES;
}

function quantize(vector: Float32Array, to: Int8Array, at: number): void {
  const greatest = vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0) || 1;
  vector.forEach((value, d) => {
    to[at + d] = Math.round((value * LEVELS) / greatest);
  });
}

/** Pieces of texts whose vectors one recall makes before it looks for candidates, and for its best candidates: 3 to 4 ms for 32. */
const FIRST_PIECES = 384;
const BEST_PIECES = 256;
/** The same of a namespace whose other vectors are not made in the background either: some 3 ms a recall. */
const BEST_PIECES_OF_MANY = 64;
const BEST_MAX = 10;
/**
 * Maximum number of memories that are searched by meaning alone, where they have words of the question: of the
 * namespace, or of those that a filter admits.
 */
const SEARCHED_MAX = 3000;
/** Assumed cosine of a memory without a vector: that of unrelated texts. */
const UNKNOWN = 0.05;

export interface MeantScope {
  readonly count: number;
  readonly lacksWords: boolean;
}

/** How near memories are to a question by the sentence encoder; makes vectors that are missing, as far as one recall may. */
export class Meant {
  readonly question: Float32Array;
  /** Memories are searched by meaning alone; otherwise only those that words find are compared. */
  readonly isSearched: boolean;
  private readonly asked: Asked;
  private readonly meanings: Meanings;

  /**
   * `undefined` where the encoder does not know the language of the question. `count` memories may be found;
   * `lacksWords`: not by the words of the question.
   */
  static of(asked: Asked, meanings: Meanings, { count, lacksWords }: MeantScope): Meant | undefined {
    const question = meanings.asked(asked.text);
    return question && new Meant(asked, meanings, question, lacksWords || count <= SEARCHED_MAX);
  }

  private constructor(asked: Asked, meanings: Meanings, question: Float32Array, isSearched: boolean) {
    this.asked = asked;
    this.meanings = meanings;
    this.question = question;
    this.isSearched = isSearched;
    // The most recently stored memories wait longest for the background, and no words find them here.
    if (this.isSearched && !meanings.isFull)
      this.make([...meanings.unmade].slice(-FIRST_PIECES).reverse(), FIRST_PIECES);
  }

  get isWhole(): boolean {
    return this.meanings.unmade.size === 0;
  }

  /** Computes missing vectors of the best candidates, best first; returns the candidates processed. */
  makeBest(sequences: readonly number[]): readonly number[] {
    const { meanings } = this;
    const missing = sequences.slice(0, BEST_MAX).filter((sequence) => meanings.unmade.has(sequence));
    this.make(missing, meanings.isFull ? BEST_PIECES_OF_MANY : BEST_PIECES);
    return missing;
  }

  cosine(sequence: number): number {
    return this.meanings.cosine(sequence, this.question) ?? UNKNOWN;
  }

  /** By place in the sequences. */
  cosines(sequences: readonly number[]): Float32Array {
    return this.meanings.cosines(sequences, this.question, UNKNOWN);
  }

  private make(sequences: readonly number[], pieces: number): void {
    let left = pieces;
    for (const sequence of sequences) {
      if (left <= 0) return;
      const text = this.asked.textOf?.(sequence);
      if (text !== undefined) left -= this.meanings.make(sequence, text);
    }
  }
}
