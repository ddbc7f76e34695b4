import type { LazyEncoder } from '../embedding/sentence/lazy-encoder.ts';
import { dotProduct } from '../vectors/nearest.ts';
import { DIMENSIONS, MeaningRows } from './meaning-rows.ts';
import type { Asked, Sought } from './question.ts';

const LEVELS = 127;
/** Maximum parts of a long text that have a vector of their own: some 700 words. */
const PARTS_MAX = 24;
const PART_PIECES = 42;
/** Longest text that is one part. */
const WHOLE_PIECES = 64;
/** A memory whose parts are being made, one after the other. */
interface Begun {
  readonly sequence: number;
  readonly parts: readonly number[][];
  readonly bytes: Int8Array;
  done: number;
}

/**
 * Sentence-encoder vectors of the memories of a namespace. They are computed in the background and when a recall needs
 * them; they are a cache of the texts.
 */
export class Meanings {
  private readonly encoder: LazyEncoder;
  private readonly rows = new MeaningRows();
  /** Sequences of texts without vectors, in the order of storing. */
  private readonly missing = new Set<number>();
  /** A long text some of whose parts are made. */
  private begun: Begun | undefined;

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
    this.rows.remove(sequence);
  }

  /** Computes the vectors of a memory; returns the number of text pieces, which determines the cost. */
  make(sequence: number, text: string): number {
    const begun = this.begin(sequence, text);
    while (!this.makePart(begun));
    return begun.parts.reduce((sum, pieces) => sum + pieces.length, 0);
  }

  /** False where the background has no vectors to compute. */
  get canAdvance(): boolean {
    return this.encoder.isLoaded && this.missing.size > 0;
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
    this.rows.put(sequence, bytes);
  }

  /** Vectors of a memory one after the other; none where they are not made. Valid until the next change. */
  bytesOf(sequence: number): Int8Array {
    return this.rows.vectorsOf(sequence);
  }

  /** Vector of a question, which is shared: do not write to it. `undefined` where the encoder does not know its language. */
  asked(text: string): Float32Array | undefined {
    return this.encoder.vectorOfQuestion(text);
  }

  /** Whether the encoder has it as one piece. */
  isWord(word: string): boolean {
    return this.encoder.load().isWord(word);
  }

  /** With the part that is nearest; `undefined` where there is no vector. */
  cosine(sequence: number, unit: Float32Array): number | undefined {
    return this.rows.has(sequence) ? this.rows.cosines([sequence], unit, 0)[0] : undefined;
  }

  /** `cosine` of each; `unmade` where there is no vector. */
  cosines(sequences: readonly number[], unit: Float32Array, unmade: number): Float32Array {
    return this.rows.cosines(sequences, unit, unmade);
  }

  /** The nearest of the computed and allowed vectors, nearest first. */
  nearest(unit: Float32Array, count: number, sought: Sought = {}): number[] {
    return this.rows.nearest(unit, count, sought);
  }

  get bytes(): number {
    return this.rows.byteLength;
  }
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
/** The same where many vectors are missing: some 3 ms a recall. */
const BEST_PIECES_OF_MANY = 64;
const BEST_MAX = 10;
/** Memories that are candidates by meaning alone. */
const CANDIDATES = 60;
/** The same where more than `FEW_MAX` may be found, by words of the question too: more of them cost time and find nothing. */
const CANDIDATES_OF_MANY = 20;
const FEW_MAX = 3000;
/** Where more texts have no vectors, a recall makes only few. */
const MANY_UNMADE = 20_000;
/** Assumed cosine of a memory without a vector: that of unrelated texts. */
const UNKNOWN = 0.05;

export interface MeantScope {
  readonly count: number;
  readonly lacksWords: boolean;
}

/** How near memories are to a question by the sentence encoder; makes vectors that are missing, as far as one recall may. */
export class Meant {
  readonly question: Float32Array;
  /** Number of memories that are candidates by meaning alone. */
  readonly candidates: number;
  private readonly asked: Asked;
  private readonly meanings: Meanings;

  /**
   * `undefined` where the encoder does not know the language of the question. `count` memories may be found;
   * `lacksWords`: not by the words of the question.
   */
  static of(asked: Asked, meanings: Meanings, { count, lacksWords }: MeantScope): Meant | undefined {
    const question = meanings.asked(asked.text);
    return question && new Meant(asked, meanings, question, lacksWords || count <= FEW_MAX);
  }

  private constructor(asked: Asked, meanings: Meanings, question: Float32Array, isByMeaning: boolean) {
    this.asked = asked;
    this.meanings = meanings;
    this.question = question;
    this.candidates = isByMeaning ? CANDIDATES : CANDIDATES_OF_MANY;
    // The most recently stored memories wait longest for the background, and perhaps no words find them.
    if (isByMeaning && meanings.unmade.size <= MANY_UNMADE)
      this.make([...meanings.unmade].slice(-FIRST_PIECES).reverse(), FIRST_PIECES);
  }

  get isWhole(): boolean {
    return this.meanings.unmade.size === 0;
  }

  /** Computes missing vectors of the best candidates, best first; returns the candidates processed. */
  makeBest(sequences: readonly number[]): readonly number[] {
    const { meanings } = this;
    const missing = sequences.slice(0, BEST_MAX).filter((sequence) => meanings.unmade.has(sequence));
    this.make(missing, meanings.unmade.size > MANY_UNMADE ? BEST_PIECES_OF_MANY : BEST_PIECES);
    return missing;
  }

  cosine(sequence: number): number {
    return this.meanings.cosine(sequence, this.question) ?? UNKNOWN;
  }

  /** Of any text; 0 where the encoder does not know its language. */
  cosineOf(text: string): number {
    const vector = this.meanings.asked(text);
    return vector ? dotProduct(vector, this.question) : 0;
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
