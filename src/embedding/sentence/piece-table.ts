import type { EncoderFile } from './encoder-file.ts';

/** Level of a chunk's middle in a nibble. */
const MIDDLE = 8;

/** The embedding of each piece: four bits a dimension, and a list of those that need more. */
export class PieceTable {
  readonly dimensions: number;
  private readonly chunks: number;
  private readonly nibbles: Uint8Array;
  private readonly scales: Float32Array;
  private readonly lows: Float32Array;
  private readonly middles: Uint8Array;
  private readonly exceptionPlaces: Uint32Array;
  private readonly exceptionLevels: Uint8Array;

  constructor(file: EncoderFile) {
    this.dimensions = file.dimensions;
    this.chunks = file.chunks;
    this.nibbles = file.bytes('nibbles');
    this.scales = file.floats('chunkScales');
    this.lows = file.floats('chunkLows');
    this.middles = file.bytes('chunkMiddles');
    this.exceptionPlaces = file.numbers('exceptionPlaces');
    this.exceptionLevels = file.bytes('exceptionLevels');
  }

  /** Writes the embedding of a piece to a place in an array. */
  read(piece: number, to: Float32Array, at: number): void {
    const { dimensions, nibbles } = this;
    const chunk = piece % this.chunks;
    const scale = this.scales[chunk] as number;
    const low = this.lows[chunk] as number;
    const base = low + scale * ((this.middles[chunk] as number) - MIDDLE);
    const from = (piece * dimensions) / 2;
    for (let pair = 0; pair < dimensions / 2; pair++) {
      const byte = nibbles[from + pair] as number;
      to[at + 2 * pair] = base + scale * (byte & 15);
      to[at + 2 * pair + 1] = base + scale * (byte >>> 4);
    }
    const first = piece * dimensions;
    const { exceptionPlaces, exceptionLevels } = this;
    for (
      let e = this.exceptionFrom(first);
      (exceptionPlaces[e] ?? Number.POSITIVE_INFINITY) < first + dimensions;
      e++
    ) {
      to[at + (exceptionPlaces[e] as number) - first] = low + scale * (exceptionLevels[e] as number);
    }
  }

  /** The first exception at a place or behind it. */
  private exceptionFrom(place: number): number {
    let [from, to] = [0, this.exceptionPlaces.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((this.exceptionPlaces[middle] as number) < place) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}
