import { RecentWords } from '../static/word-piece.ts';
import {
  type Activations,
  type EncoderFile,
  type Layer,
  Layers,
  openEncoderFile,
  ROWS_AT_ONCE,
  SENTENCE_MODEL,
} from './encoder-file.ts';
import { type Branch, PieceRows, scaleBy, standardize, WIDTH } from './piece-rows.ts';
import { Unigram } from './unigram.ts';

/** Vectors of recent questions that are kept: at least these, at most twice as many, 2 KB each. */
const QUESTIONS_KEPT = 512;
/** Longer texts are hardly asked twice. */
const KEPT_CHARACTERS_MAX = 1000;

/**
 * The encoder of a thread, read when it is first needed: 0.15 to 0.4 s, which the start of a server waits for only where other
 * servers answer meanwhile.
 */
export class LazyEncoder {
  /** Where the table of pieces is kept instead of in memory, 33 MB; to be set before the encoder is read. */
  spillFolder: string | undefined;
  private encoder: SentenceEncoder | undefined;
  private readonly questions = new RecentWords<Float32Array | null>(QUESTIONS_KEPT);

  get isLoaded(): boolean {
    return this.encoder !== undefined;
  }

  load(): SentenceEncoder {
    this.encoder ??= this.open();
    return this.encoder;
  }

  private open(): SentenceEncoder {
    const file = openEncoderFile();
    const encoder = new SentenceEncoder(file, this.spillFolder);
    file.close();
    return encoder;
  }

  /**
   * As `SentenceEncoder.vectorOf`; `undefined` where it does not know the language. Recent questions are not computed
   * again. The vector is shared: do not write to it.
   */
  vectorOfQuestion(text: string): Float32Array | undefined {
    const known = this.questions.get(text);
    if (known !== undefined) return known ?? undefined;
    const encoder = this.load();
    const vector = encoder.knows(text) ? encoder.vectorOf(text) : null;
    if (text.length <= KEPT_CHARACTERS_MAX) this.questions.set(text, vector);
    return vector ?? undefined;
  }
}

/** The beginning of a text shows its language. */
const LANGUAGE_CHARACTERS = 400;
const LETTERS = /\p{L}/gu;
/** Texts without other letters are in languages that the encoder knows, or in some that it cannot tell from these. */
const BEYOND_ASCII = /[^\p{ASCII}]/u;
/** Letters of the languages that the encoder has learned. */
const KNOWN_LETTERS =
  /[\p{sc=Latin}\p{sc=Cyrillic}\p{sc=Arabic}\p{sc=Thai}\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/gu;
/** Of scripts that other languages have, too: words of letters alone, as codes have no language. */
const SHARED_WORDS = /(?<![\p{L}\p{N}_])[\p{sc=Latin}\p{sc=Cyrillic}\p{sc=Arabic}]{2,}(?![\p{L}\p{N}_])/gu;
/** Fewer letters show no language; words of languages that the encoder knows have more letters a piece. */
const LETTERS_MIN = 10;
const PIECE_LETTERS_MIN = 1.7;

const BEGIN = 1;
const END = 2;
/** Maximum pieces of a text, including those for begin and end: some 90 words, about 10 ms. */
export const PIECES_MAX = 128;
/** Rows of zeros before and after a text. */
const MARGIN = 2;
const EPSILON = 1e-12;

/** In pieces; all at most `PIECES_MAX`. */
export interface PartLimits {
  readonly wholeMax?: number;
  readonly partMax?: number;
  readonly countMax?: number;
}

/** Layers of a branch: the bias of the first convolution, and the second one. */
interface Convolution {
  readonly firstBias: Float32Array;
  readonly second: Layer;
  readonly secondBias: Float32Array;
}

/**
 * Converts a text into a vector of length 1 whose cosines measure similarity of meaning, across sixteen languages:
 * universal-sentence-encoder-multilingual-3, whose weights are in `assets/`. One instance serves one thread.
 */
export class SentenceEncoder {
  readonly model = SENTENCE_MODEL;
  readonly dimensions: number;
  private readonly unigram: Unigram;
  private readonly rows: PieceRows;
  private readonly layers = new Layers();
  private readonly convolutions: readonly Convolution[];
  private readonly dense: Readonly<Record<'cnn' | 'd0' | 'd1' | 'd2' | 'd3' | 'p1' | 'p3', Layer>>;
  private readonly gain: Float32Array;
  private readonly offset: Float32Array;
  private readonly bias: Float32Array;
  private readonly featureWidth: number;
  /** Embedding and branches of each piece; one branch after its first convolution, between margins. */
  private readonly features: Activations;
  private readonly after: Activations;
  private readonly product: Activations;
  private readonly sums: readonly Activations[];

  /** Copies all that it needs of the file. */
  constructor(file: EncoderFile = openEncoderFile(), spillFolder?: string) {
    this.dimensions = file.dimensions;
    this.unigram = new Unigram(file);
    const { layers } = this;
    this.rows = new PieceRows(file, layers, spillFolder);
    const layerOf = (name: string): Layer => layers.put(file.matrix(name));
    this.convolutions = this.rows.branches.map(({ order }) => ({
      firstBias: file.vector(`b1_${order}`),
      second: layerOf(`w2_${order}`),
      secondBias: file.vector(`b2_${order}`),
    }));
    const [cnn, d0, d1, d2, d3, p1, p3] = ['cnn_W', 'd0', 'd1', 'd2', 'd3', 'p1', 'p3'].map(layerOf) as [
      Layer,
      Layer,
      Layer,
      Layer,
      Layer,
      Layer,
      Layer,
    ];
    this.dense = { cnn, d0, d1, d2, d3, p1, p3 };
    this.gain = file.vector('ln_g');
    this.offset = file.vector('ln_b');
    this.bias = file.vector('cnn_b');
    this.featureWidth = file.dimensions + this.convolutions.length * WIDTH;
    const rows = PIECES_MAX + 2 * MARGIN + 2 * ROWS_AT_ONCE;
    this.features = layers.take(rows, this.featureWidth);
    this.after = layers.take(rows, WIDTH);
    this.product = layers.take(rows, WIDTH);
    this.sums = Array.from({ length: 6 }, () => layers.take(1, this.featureWidth));
  }

  /**
   * Pieces of a text, each part with the marks for begin and end: one part up to `wholeMax`, else the first `countMax`
   * parts of `partMax`. Without limits one part, cut off after `PIECES_MAX`.
   */
  partsOf(text: string, { wholeMax = PIECES_MAX, partMax = PIECES_MAX, countMax = 1 }: PartLimits = {}): number[][] {
    const pieces = this.unigram.encode(text);
    const length = (pieces.length + 2 <= wholeMax ? wholeMax : partMax) - 2;
    const parts: number[][] = [];
    for (let from = 0; from < pieces.length && parts.length < countMax; from += length) {
      parts.push([BEGIN, ...pieces.slice(from, from + length), END]);
    }
    return parts;
  }

  /** False for a text in a language that the encoder has not learned, whose vectors are near to each other by chance. */
  knows(text: string): boolean {
    const start = text.slice(0, LANGUAGE_CHARACTERS);
    if (!BEYOND_ASCII.test(start)) return true;
    const countOf = (pattern: RegExp) => start.match(pattern)?.length ?? 0;
    const half = countOf(LETTERS) / 2;
    if (countOf(KNOWN_LETTERS) < half) return false;
    const words = start.match(SHARED_WORDS) ?? [];
    const letters = words.reduce((sum, { length }) => sum + length, 0);
    return (
      letters < Math.max(LETTERS_MIN, half) ||
      letters / this.unigram.encode(words.join(' ')).length >= PIECE_LETTERS_MIN
    );
  }

  /** Whether it is one piece: a frequent word of a language that the encoder has learned. */
  isWord(word: string): boolean {
    return this.unigram.encode(word).length === 1;
  }

  /** Of the first `PIECES_MAX` pieces. */
  vectorOf(text: string): Float32Array {
    return this.vectorOfPieces(this.partsOf(text)[0] ?? [BEGIN, END]);
  }

  /** At most `PIECES_MAX` pieces. */
  vectorOfPieces(pieces: readonly number[]): Float32Array {
    const count = pieces.length;
    const { features, rows } = this;
    const records = rows.recordsOf(pieces);
    for (const [row, piece] of pieces.entries()) rows.readEmbedding(piece, features.at + row * features.width);
    for (const [at, branch] of rows.branches.entries()) {
      this.convolveFirst(branch, rows.scales[at] as number, this.convolutions[at] as Convolution, records);
      this.convolveSecond(branch, at, this.convolutions[at] as Convolution, count);
    }
    return this.pool(count);
  }

  /** The sums of the products that the pieces of each n-gram have at their places in it, added to the row itself. */
  private convolveFirst(branch: Branch, scale: number, { firstBias }: Convolution, records: Uint32Array): void {
    const { order, left, rowAt, productsAt } = branch;
    const { floats } = this.layers;
    const { after } = this;
    const count = records.length;
    clearMargins(floats, after, count);
    for (let row = 0; row < count; row++) {
      const to = after.at + (MARGIN + row) * WIDTH;
      floats.fill(0, to, to + WIDTH);
      const end = Math.min(order, count - row + left);
      for (let place = Math.max(0, left - row); place < end; place++) {
        const from = (records[row - left + place] as number) + productsAt + place * WIDTH;
        for (let i = 0; i < WIDTH; i++) floats[to + i] = (floats[to + i] as number) + (floats[from + i] as number);
      }
      const own = (records[row] as number) + rowAt;
      for (let i = 0; i < WIDTH; i++) {
        const value = (floats[to + i] as number) * scale + (firstBias[i] as number);
        floats[to + i] = (value > 0 ? value : 0) + (floats[own + i] as number);
      }
    }
  }

  /** Writes the features of the branch. */
  private convolveSecond({ left }: Branch, number: number, convolution: Convolution, count: number): void {
    const { layers, after, product, features } = this;
    const { floats } = layers;
    const { second, secondBias } = convolution;
    const from = { at: after.at + (MARGIN - left) * WIDTH, stride: WIDTH };
    layers.multiplyRows(second, from, count, { at: product.at, stride: WIDTH });
    for (let row = 0; row < count; row++) {
      const to = features.at + row * features.width + this.dimensions + number * WIDTH;
      const own = after.at + (MARGIN + row) * WIDTH;
      const start = product.at + row * WIDTH;
      for (let i = 0; i < WIDTH; i++) {
        const value = (floats[start + i] as number) * second.scale + (secondBias[i] as number);
        floats[to + i] = (value > 0 ? value : 0) + (floats[own + i] as number);
      }
    }
  }

  /** The sum over all pieces, through a small residual network. */
  private pool(count: number): Float32Array {
    const { layers, features, gain, offset, dense } = this;
    const { floats } = layers;
    const [sum, mean, y0, y1, y2, other] = this.sums as [
      Activations,
      Activations,
      Activations,
      Activations,
      Activations,
      Activations,
    ];
    floats.fill(0, sum.at, sum.at + this.featureWidth);
    for (let row = 0; row < count; row++) {
      const start = features.at + row * features.width;
      standardize(floats, start, features.width);
      scaleBy(floats, start, gain, offset);
      for (let i = 0; i < features.width; i++) {
        floats[sum.at + i] = (floats[sum.at + i] as number) + (floats[start + i] as number);
      }
    }
    this.apply([{ layer: dense.cnn, from: sum }], mean, other);
    const shrink = 1 / Math.sqrt(count);
    for (let i = 0; i < this.dimensions; i++) {
      floats[mean.at + i] = ((floats[mean.at + i] as number) + count * (this.bias[i] as number)) * shrink;
    }
    this.apply([{ layer: dense.d0, from: mean }], y0, other, positive);
    this.apply(
      [
        { layer: dense.p1, from: mean },
        { layer: dense.d1, from: y0 },
      ],
      y1,
      other,
      positive,
    );
    this.apply([{ layer: dense.d2, from: y1 }], y2, other, positive);
    this.apply(
      [
        { layer: dense.p3, from: y1 },
        { layer: dense.d3, from: y2 },
      ],
      mean,
      other,
      Math.tanh,
    );
    return unit(floats.subarray(mean.at, mean.at + this.dimensions));
  }

  /** Writes the sum of the layers' products to `to`; `scratch` has space for one of them. */
  private apply(
    parts: readonly { readonly layer: Layer; readonly from: Activations }[],
    to: Activations,
    scratch: Activations,
    activate?: (value: number) => number,
  ): void {
    const { layers } = this;
    const { floats } = layers;
    const columns = parts[0]?.layer.columns ?? 0;
    parts.forEach(({ layer, from }, at) => {
      layers.multiplyRow(layer, from, scratch);
      for (let i = 0; i < columns; i++) {
        const value = (floats[scratch.at + i] as number) * layer.scale;
        floats[to.at + i] = at === 0 ? value : (floats[to.at + i] as number) + value;
      }
    });
    if (!activate) return;
    for (let i = 0; i < columns; i++) floats[to.at + i] = activate(floats[to.at + i] as number);
  }
}

function positive(value: number): number {
  return value > 0 ? value : 0;
}

/** Zeros around the rows of a text. */
function clearMargins(floats: Float32Array, { at, width }: Activations, count: number): void {
  floats.fill(0, at, at + MARGIN * width);
  const end = at + (MARGIN + count) * width;
  floats.fill(0, end, end + (MARGIN + ROWS_AT_ONCE) * width);
}

function unit(values: Float32Array): Float32Array {
  let squares = 0;
  for (const value of values) squares += value * value;
  const shrink = 1 / Math.sqrt(Math.max(squares, EPSILON));
  return values.map((value) => value * shrink);
}
