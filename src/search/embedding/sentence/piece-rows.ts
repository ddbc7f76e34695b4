import { type Activations, type EncoderFile, type Layer, type Layers, rowsOf } from './encoder-file.ts';
import { PieceTable } from './unigram.ts';

/** Width of a branch. */
export const WIDTH = 256;
/** Length of the n-grams that each branch sees, and how many of them come before the piece. */
const BRANCHES = [
  { order: 2, left: 0 },
  { order: 3, left: 1 },
  { order: 5, left: 2 },
] as const;
const PROJECTED = BRANCHES.length * WIDTH;
const PRODUCTS = BRANCHES.reduce((sum, { order }) => sum + order, 0) * WIDTH;
const RECORD = PROJECTED + PRODUCTS;
/** Pieces that are kept, those used last: 13 KB each. More than a text has. */
const KEPT = 768;
/** Pieces that are computed together. */
const AT_ONCE = 16;
/** Rows that the kernel may write behind the last one. */
const SPARE = 4;
const EPSILON = 1e-12;

/** Part of the encoder that sees a few consecutive pieces at a time. */
export interface Branch {
  readonly order: number;
  readonly left: number;
  /** Where its row, and the products of it, begin in the record of a piece. */
  readonly rowAt: number;
  readonly productsAt: number;
}

interface BranchLayers {
  readonly projection: Layer;
  readonly projectionBias: Float32Array;
  readonly gain: Float32Array;
  readonly offset: Float32Array;
  /** The first convolution, cut by the place of the piece in the n-gram. */
  readonly first: readonly Layer[];
}

/**
 * The part of the encoder's work that depends on one piece alone, which is more than half: the row of a piece in each
 * branch, and its products with the weights of the first convolution, one for each place in the n-gram. Texts repeat
 * pieces, so the records of those used last are kept.
 */
export class PieceRows {
  readonly branches: readonly Branch[];
  /** Factor of the products of each branch. */
  readonly scales: readonly number[];
  private readonly layers: Layers;
  private readonly table: PieceTable;
  private readonly branchLayers: readonly BranchLayers[];
  private readonly embedded: Activations;
  private readonly projected: Activations;
  private readonly products: Activations;
  private readonly records: Activations;
  /** Place of the record of each piece, those used last at the end. */
  private readonly places = new Map<number, number>();

  constructor(file: EncoderFile, layers: Layers, spillFolder?: string) {
    this.layers = layers;
    this.table = new PieceTable(file, spillFolder);
    this.scales = BRANCHES.map(({ order }) => file.matrix(`w1_${order}`).scale);
    this.branchLayers = BRANCHES.map(({ order }) => {
      const first = file.matrix(`w1_${order}`);
      return {
        projection: layers.put(file.matrix(`proj${order}`)),
        projectionBias: file.vector(`proj_b${order}`),
        gain: file.vector(`ln_g${order}`),
        offset: file.vector(`ln_b${order}`),
        first: Array.from({ length: order }, (_, place) => layers.put(rowsOf(first, place * WIDTH, WIDTH))),
      };
    });
    let productsAt = PROJECTED;
    this.branches = BRANCHES.map(({ order, left }, at) => {
      const branch = { order, left, rowAt: at * WIDTH, productsAt };
      productsAt += order * WIDTH;
      return branch;
    });
    this.embedded = layers.take(AT_ONCE + SPARE, file.dimensions);
    this.projected = layers.take(AT_ONCE + SPARE, PROJECTED);
    this.products = layers.take(AT_ONCE + SPARE, PRODUCTS);
    this.records = layers.take(KEPT, RECORD);
  }

  /** Writes the embedding of a piece to a place in the layers' numbers. */
  readEmbedding(piece: number, at: number): void {
    this.table.read(piece, this.layers.floats, at);
  }

  /** Where the record of each piece begins in the layers' numbers; good until the next call. */
  recordsOf(pieces: readonly number[]): Uint32Array {
    const missing = new Set<number>();
    for (const piece of pieces) {
      const place = this.places.get(piece);
      if (place === undefined) missing.add(piece);
      else this.use(piece, place);
    }
    const all = [...missing];
    for (let from = 0; from < all.length; from += AT_ONCE) this.compute(all.slice(from, from + AT_ONCE));
    return Uint32Array.from(pieces, (piece) => this.records.at + (this.places.get(piece) as number) * RECORD);
  }

  private use(piece: number, place: number): void {
    this.places.delete(piece);
    this.places.set(piece, place);
  }

  /** A free place, or that of the piece that was not used for longest. */
  private freePlace(): number {
    if (this.places.size < KEPT) return this.places.size;
    const [[piece, place] = [0, 0]] = this.places;
    this.places.delete(piece);
    return place;
  }

  private compute(pieces: readonly number[]): void {
    const { layers, embedded, projected, products, records } = this;
    const count = pieces.length;
    for (const [row, piece] of pieces.entries()) this.readEmbedding(piece, embedded.at + row * embedded.width);
    for (const [at, branch] of this.branchLayers.entries()) this.project(branch, at, count);
    const { floats } = layers;
    for (let row = 0; row < count; row++) {
      const start = projected.at + row * PROJECTED;
      standardize(floats, start, PROJECTED);
      for (const [at, { gain, offset }] of this.branchLayers.entries())
        scaleBy(floats, start + at * WIDTH, gain, offset);
    }
    let to = products.at;
    this.branchLayers.forEach(({ first }, at) => {
      for (const layer of first) {
        const from = { at: projected.at + at * WIDTH, stride: PROJECTED };
        layers.multiplyRows(layer, from, count, { at: to, stride: PRODUCTS });
        to += WIDTH;
      }
    });
    pieces.forEach((piece, row) => {
      const place = this.freePlace();
      const record = records.at + place * RECORD;
      floats.copyWithin(record, projected.at + row * PROJECTED, projected.at + (row + 1) * PROJECTED);
      floats.copyWithin(record + PROJECTED, products.at + row * PRODUCTS, products.at + (row + 1) * PRODUCTS);
      this.places.set(piece, place);
    });
  }

  /** Embeddings to the branch's own space. */
  private project({ projection, projectionBias }: BranchLayers, number: number, count: number): void {
    const { layers, embedded, projected } = this;
    const { floats } = layers;
    const first = projected.at + number * WIDTH;
    const from = { at: embedded.at, stride: embedded.width };
    layers.multiplyRows(projection, from, count, { at: first, stride: PROJECTED });
    for (let row = 0; row < count; row++) {
      const start = first + row * PROJECTED;
      for (let i = 0; i < WIDTH; i++) {
        floats[start + i] = (floats[start + i] as number) * projection.scale + (projectionBias[i] as number);
      }
    }
  }
}

/** To a mean of 0 and a variance of 1. */
export function standardize(floats: Float32Array, at: number, width: number): void {
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

export function scaleBy(floats: Float32Array, at: number, gain: Float32Array, offset: Float32Array): void {
  for (let i = 0; i < gain.length; i++) {
    floats[at + i] = (floats[at + i] as number) * (gain[i] as number) + (offset[i] as number);
  }
}
