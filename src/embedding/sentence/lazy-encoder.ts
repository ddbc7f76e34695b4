import {
  type Activations,
  type EncoderFile,
  type Layer,
  Layers,
  openEncoderFile,
  ROWS_AT_ONCE,
  SENTENCE_MODEL,
} from './encoder-file.ts';
import { PieceTable, Unigram } from './unigram.ts';

/** The encoder of a thread, read when it is first needed: some 150 ms and 45 MB that a start does not wait for. */
export class LazyEncoder {
  private encoder: SentenceEncoder | undefined;

  get isLoaded(): boolean {
    return this.encoder !== undefined;
  }

  load(): SentenceEncoder {
    this.encoder ??= new SentenceEncoder();
    return this.encoder;
  }
}

const BEGIN = 1;
const END = 2;
/** Maximum pieces of a text, including those for begin and end: some 90 words, about 10 ms. */
export const PIECES_MAX = 128;
/** Length of the n-grams that each branch sees, and how many of them come before the piece. */
const BRANCHES = [
  { order: 2, left: 0 },
  { order: 3, left: 1 },
  { order: 5, left: 2 },
] as const;
const WIDTH = 256;
/** Rows of zeros before and after a text. */
const MARGIN = 2;
const EPSILON = 1e-12;

/** In pieces; all at most `PIECES_MAX`. */
export interface PartLimits {
  readonly wholeMax?: number;
  readonly partMax?: number;
  readonly countMax?: number;
}

interface Branch {
  readonly left: number;
  readonly projection: Layer;
  readonly projectionBias: Float32Array;
  readonly gain: Float32Array;
  readonly offset: Float32Array;
  readonly layers: readonly { readonly layer: Layer; readonly bias: Float32Array }[];
}

/**
 * Converts a text into a vector of length 1 whose cosines measure similarity of meaning, across sixteen languages:
 * universal-sentence-encoder-multilingual-3, whose weights are in `assets/`. One instance serves one thread.
 */
export class SentenceEncoder {
  readonly model = SENTENCE_MODEL;
  readonly dimensions: number;
  private readonly unigram: Unigram;
  private readonly table: PieceTable;
  private readonly layers = new Layers();
  private readonly branches: readonly Branch[];
  private readonly dense: Readonly<Record<'cnn' | 'd0' | 'd1' | 'd2' | 'd3' | 'p1' | 'p3', Layer>>;
  private readonly gain: Float32Array;
  private readonly offset: Float32Array;
  private readonly bias: Float32Array;
  private readonly featureWidth: number;
  /** Embedding and branches of each piece; the projections; one branch before and after a convolution, between margins. */
  private readonly features: Activations;
  private readonly projected: Activations;
  private readonly before: Activations;
  private readonly after: Activations;
  private readonly product: Activations;
  private readonly sums: readonly Activations[];

  constructor(file: EncoderFile = openEncoderFile()) {
    this.dimensions = file.dimensions;
    this.unigram = new Unigram(file);
    this.table = new PieceTable(file);
    const { layers } = this;
    const layerOf = (name: string): Layer => layers.put(file.matrix(name));
    this.branches = BRANCHES.map(({ order, left }) => ({
      left,
      projection: layerOf(`proj${order}`),
      projectionBias: file.vector(`proj_b${order}`),
      gain: file.vector(`ln_g${order}`),
      offset: file.vector(`ln_b${order}`),
      layers: [1, 2].map((number) => ({
        layer: layerOf(`w${number}_${order}`),
        bias: file.vector(`b${number}_${order}`),
      })),
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
    this.featureWidth = file.dimensions + BRANCHES.length * WIDTH;
    const rows = PIECES_MAX + 2 * MARGIN + 2 * ROWS_AT_ONCE;
    this.features = layers.take(rows, this.featureWidth);
    this.projected = layers.take(rows, BRANCHES.length * WIDTH);
    this.before = layers.take(rows, WIDTH);
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

  /** Of the first `PIECES_MAX` pieces. */
  vectorOf(text: string): Float32Array {
    return this.vectorOfPieces(this.partsOf(text)[0] ?? [BEGIN, END]);
  }

  /** At most `PIECES_MAX` pieces. */
  vectorOfPieces(pieces: readonly number[]): Float32Array {
    const count = pieces.length;
    const { features } = this;
    const { floats } = this.layers;
    for (const [row, piece] of pieces.entries()) this.table.read(piece, floats, features.at + row * features.width);
    this.project(count);
    for (const [at, branch] of this.branches.entries()) this.convolve(branch, at, count);
    return this.pool(count);
  }

  /** Embeddings to the branches' own spaces, normalized over all three. */
  private project(count: number): void {
    const { layers, features, projected } = this;
    const { floats } = layers;
    this.branches.forEach(({ projection, projectionBias }, at) => {
      const first = projected.at + at * WIDTH;
      const from = { at: features.at, stride: features.width };
      layers.multiplyRows(projection, from, count, { at: first, stride: projected.width });
      for (let row = 0; row < count; row++) {
        const start = first + row * projected.width;
        for (let i = 0; i < WIDTH; i++) {
          floats[start + i] = (floats[start + i] as number) * projection.scale + (projectionBias[i] as number);
        }
      }
    });
    for (let row = 0; row < count; row++) {
      const start = projected.at + row * projected.width;
      standardize(floats, start, projected.width);
      for (const [at, { gain, offset }] of this.branches.entries()) scaleBy(floats, start + at * WIDTH, gain, offset);
    }
  }

  /** Two convolutions, each added to its input. */
  private convolve({ left, layers: both }: Branch, number: number, count: number): void {
    const { layers, projected, before, after, product, features } = this;
    const { floats } = layers;
    for (const buffer of [before, after]) clearMargins(floats, buffer, count);
    for (let row = 0; row < count; row++) {
      const start = projected.at + number * WIDTH + row * projected.width;
      floats.copyWithin(before.at + (MARGIN + row) * WIDTH, start, start + WIDTH);
    }
    both.forEach(({ layer, bias }, step) => {
      const source = step === 0 ? before : after;
      const from = { at: source.at + (MARGIN - left) * WIDTH, stride: WIDTH };
      layers.multiplyRows(layer, from, count, { at: product.at, stride: WIDTH });
      for (let row = 0; row < count; row++) {
        const to =
          step === 0
            ? after.at + (MARGIN + row) * WIDTH
            : features.at + row * features.width + this.dimensions + number * WIDTH;
        const own = source.at + (MARGIN + row) * WIDTH;
        const start = product.at + row * WIDTH;
        for (let i = 0; i < WIDTH; i++) {
          const value = (floats[start + i] as number) * layer.scale + (bias[i] as number);
          floats[to + i] = (value > 0 ? value : 0) + (floats[own + i] as number);
        }
      }
    });
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

/** To a mean of 0 and a variance of 1. */
function standardize(floats: Float32Array, at: number, width: number): void {
  let sum = 0;
  for (let i = at; i < at + width; i++) sum += floats[i] as number;
  const mean = sum / width;
  let squares = 0;
  for (let i = at; i < at + width; i++) {
    const value = (floats[i] as number) - mean;
    squares += value * value;
  }
  const shrink = 1 / Math.sqrt(squares / width + EPSILON);
  for (let i = at; i < at + width; i++) floats[i] = ((floats[i] as number) - mean) * shrink;
}

function scaleBy(floats: Float32Array, at: number, gain: Float32Array, offset: Float32Array): void {
  for (let i = 0; i < gain.length; i++) {
    floats[at + i] = (floats[at + i] as number) * (gain[i] as number) + (offset[i] as number);
  }
}

function unit(values: Float32Array): Float32Array {
  let squares = 0;
  for (const value of values) squares += value * value;
  const shrink = 1 / Math.sqrt(Math.max(squares, EPSILON));
  return values.map((value) => value * shrink);
}
