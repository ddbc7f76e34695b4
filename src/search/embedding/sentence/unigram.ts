import type { EncoderFile } from './encoder-file.ts';
import { SpilledRows } from './spilled-rows.ts';

const UNKNOWN = 0;
/** Penalty relative to the worst piece, as in SentencePiece. */
const UNKNOWN_PENALTY = 10;
const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;
/** Slots of the table of pieces for each piece, at least. */
const ROOM = 2;

/** Cuts texts into the pieces of a SentencePiece unigram model: of all ways to cut, the one of the greatest probability. */
export class Unigram {
  private readonly normalizer: Normalizer;
  private readonly lengths: Uint8Array;
  private readonly starts: Uint32Array;
  private readonly bytes: Uint8Array;
  private readonly scores: Float32Array;
  /** Piece + 1 by hash of its bytes, linear probing; 0 where there is none. */
  private readonly slots: Uint32Array;
  private readonly longest: number;
  private readonly unknownScore: number;
  private best = new Float64Array(0);
  private starting = new Uint32Array(0);
  private piece = new Uint32Array(0);

  constructor(file: EncoderFile) {
    this.normalizer = new Normalizer(file.bytes('charsmap'));
    this.lengths = file.bytes('pieceLengths');
    this.bytes = file.bytes('pieceBytes');
    this.scores = file.floats('pieceScores');
    this.starts = new Uint32Array(file.pieces);
    this.slots = new Uint32Array(2 ** Math.ceil(Math.log2(ROOM * file.pieces)));
    let [at, longest] = [0, 0];
    for (let piece = 0; piece < file.pieces; piece++) {
      const length = this.lengths[piece] as number;
      this.starts[piece] = at;
      this.insert(piece, at, length);
      at += length;
      longest = Math.max(longest, length);
    }
    this.longest = longest;
    this.unknownScore = this.scores.reduce((least, score) => Math.min(least, score)) - UNKNOWN_PENALTY;
  }

  /** Numbers of the pieces; one unknown piece for an empty text. */
  encode(text: string): number[] {
    const normalized = this.normalizer.normalize(text);
    return normalized.length === 0 ? [UNKNOWN] : this.cut(normalized);
  }

  private cut(text: Uint8Array): number[] {
    this.ensureCapacity(text.length + 1);
    const { best, starting, piece } = this;
    best.fill(Number.NEGATIVE_INFINITY, 0, text.length + 1);
    best[0] = 0;
    for (let from = 0; from < text.length; from += characterLength(text, from)) this.extend(text, from);
    const pieces: number[] = [];
    for (let at = text.length; at > 0; at = starting[at] as number) pieces.push(piece[at] as number);
    return pieces.reverse();
  }

  /** Offers every piece that begins there to the place where it ends. */
  private extend(text: Uint8Array, from: number): void {
    const base = this.best[from] as number;
    const firstEnd = from + characterLength(text, from);
    const last = Math.min(text.length, from + this.longest);
    let hash = FNV_OFFSET;
    let isFirstKnown = false;
    for (let at = from; at < last; ) {
      const end = Math.min(text.length, at + characterLength(text, at));
      for (; at < end; at++) hash = Math.imul(hash ^ (text[at] as number), FNV_PRIME);
      const found = this.find(hash, text, from, end);
      if (found < 0) continue;
      if (end === firstEnd) isFirstKnown = true;
      this.offer(from, end, found, base + (this.scores[found] as number));
    }
    if (!isFirstKnown) this.offer(from, firstEnd, UNKNOWN, base + this.unknownScore);
  }

  private offer(from: number, end: number, piece: number, score: number): void {
    if (!(score > (this.best[end] as number))) return;
    this.best[end] = score;
    this.starting[end] = from;
    this.piece[end] = piece;
  }

  private find(hash: number, text: Uint8Array, from: number, end: number): number {
    const { slots } = this;
    const mask = slots.length - 1;
    for (let slot = (hash ^ (hash >>> 15)) & mask; slots[slot] !== 0; slot = (slot + 1) & mask) {
      const piece = (slots[slot] as number) - 1;
      if (this.isPiece(piece, text, from, end)) return piece;
    }
    return -1;
  }

  private isPiece(piece: number, text: Uint8Array, from: number, end: number): boolean {
    if (this.lengths[piece] !== end - from) return false;
    const start = this.starts[piece] as number;
    for (let at = from; at < end; at++) if (this.bytes[start + at - from] !== text[at]) return false;
    return true;
  }

  private insert(piece: number, at: number, length: number): void {
    const mask = this.slots.length - 1;
    let hash = FNV_OFFSET;
    for (let i = at; i < at + length; i++) hash = Math.imul(hash ^ (this.bytes[i] as number), FNV_PRIME);
    let slot = (hash ^ (hash >>> 15)) & mask;
    while (this.slots[slot] !== 0) slot = (slot + 1) & mask;
    this.slots[slot] = piece + 1;
  }

  private ensureCapacity(length: number): void {
    if (this.best.length >= length) return;
    this.best = new Float64Array(2 * length);
    this.starting = new Uint32Array(2 * length);
    this.piece = new Uint32Array(2 * length);
  }
}

/** SentencePiece's mark for a space: U+2581. */
const SPACE_MARK = [0xe2, 0x96, 0x81] as const;
const SPACE = 0x20;
const NOTHING = new Uint8Array();

/**
 * Normalizes a text as SentencePiece's `nmt_nfkc` does, from the rules in the model's file: a double-array trie
 * (darts-clone) of the replaced sequences, and the replacements. White space becomes one mark, also before the text.
 */
class Normalizer {
  private readonly units: Uint32Array;
  private readonly replacements: Uint8Array;
  private readonly encoder = new TextEncoder();
  private out = new Uint8Array(256);
  private length = 0;
  /** Result of `readPrefix`: bytes consumed, and their replacement. */
  private consumed = 0;
  private found: Uint8Array = NOTHING;

  constructor(charsmap: Uint8Array) {
    const trieBytes = new DataView(charsmap.buffer, charsmap.byteOffset).getUint32(0, true);
    this.units = new Uint32Array(charsmap.slice(4, 4 + trieBytes).buffer);
    this.replacements = charsmap.subarray(4 + trieBytes);
  }

  /** UTF-8, valid until the next call; empty for a text of white space only. */
  normalize(text: string): Uint8Array {
    const bytes = this.encoder.encode(text);
    this.length = 0;
    let at = 0;
    while (at < bytes.length) {
      this.readPrefix(bytes, at);
      if (this.found.length !== 1 || this.found[0] !== SPACE) break;
      at += this.consumed;
    }
    if (at >= bytes.length) return NOTHING;
    this.mark();
    let isAfterSpace = true;
    while (at < bytes.length) {
      this.readPrefix(bytes, at);
      at += this.consumed;
      let from = 0;
      if (isAfterSpace) while (this.found[from] === SPACE) from++;
      if (from === this.found.length) continue;
      for (let i = from; i < this.found.length; i++) {
        const byte = this.found[i] as number;
        if (byte === SPACE) this.mark();
        else this.append(byte);
      }
      isAfterSpace = this.found[this.found.length - 1] === SPACE;
    }
    while (this.endsInMark()) this.length -= SPACE_MARK.length;
    return this.out.subarray(0, this.length);
  }

  /** The longest rule that fits, or one character as it is. */
  private readPrefix(bytes: Uint8Array, from: number): void {
    const { units } = this;
    let node = offsetOf(units[0] as number);
    let [length, value] = [0, 0];
    for (let at = from; at < bytes.length; at++) {
      node ^= bytes[at] as number;
      const unit = units[node] as number;
      if ((unit & 0x800000ff) >>> 0 !== bytes[at]) break;
      node ^= offsetOf(unit);
      if ((unit & 0x100) !== 0) {
        length = at + 1 - from;
        value = (units[node] as number) & 0x7fffffff;
      }
    }
    if (length === 0 || value >= this.replacements.length) {
      this.consumed = characterLength(bytes, from);
      this.found = bytes.subarray(from, from + this.consumed);
      return;
    }
    this.consumed = length;
    this.found = this.replacements.subarray(value, this.replacements.indexOf(0, value));
  }

  private mark(): void {
    for (const byte of SPACE_MARK) this.append(byte);
  }

  private endsInMark(): boolean {
    const from = this.length - SPACE_MARK.length;
    return from >= 0 && SPACE_MARK.every((byte, at) => this.out[from + at] === byte);
  }

  private append(byte: number): void {
    if (this.length === this.out.length) {
      const out = new Uint8Array(2 * this.out.length);
      out.set(this.out);
      this.out = out;
    }
    this.out[this.length++] = byte;
  }
}

function offsetOf(unit: number): number {
  return (unit >>> 10) << ((unit & 0x200) >>> 6);
}

/** Of the character that begins there, in well-formed UTF-8. */
function characterLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at] as number;
  if (first < 0x80) return 1;
  if (first < 0xe0) return 2;
  return first < 0xf0 ? 3 : 4;
}

/** Level of a chunk's middle in a nibble. */
const MIDDLE = 8;

/** The embedding of each piece: four bits a dimension, and a list of dimensions that need more. */
export class PieceTable {
  readonly dimensions: number;
  private readonly chunks: number;
  private readonly nibblesOf: (piece: number) => Uint8Array;
  private readonly scales: Float32Array;
  private readonly lows: Float32Array;
  private readonly middles: Uint8Array;
  private readonly exceptionPlaces: Uint32Array;
  private readonly exceptionLevels: Uint8Array;

  /** `spillFolder`: where the nibbles are kept, 33 MB; absent or full: in memory. */
  constructor(file: EncoderFile, spillFolder?: string) {
    this.dimensions = file.dimensions;
    this.chunks = file.chunks;
    this.nibblesOf = nibbleReader(file, spillFolder);
    this.scales = file.floats('chunkScales');
    this.lows = file.floats('chunkLows');
    this.middles = file.bytes('chunkMiddles');
    this.exceptionPlaces = file.numbers('exceptionPlaces');
    this.exceptionLevels = file.bytes('exceptionLevels');
  }

  /** Writes the embedding of a piece to a place in an array. */
  read(piece: number, to: Float32Array, at: number): void {
    const { dimensions } = this;
    const nibbles = this.nibblesOf(piece);
    const chunk = piece % this.chunks;
    const scale = this.scales[chunk] as number;
    const low = this.lows[chunk] as number;
    const base = low + scale * ((this.middles[chunk] as number) - MIDDLE);
    for (let pair = 0; pair < dimensions / 2; pair++) {
      const byte = nibbles[pair] as number;
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

function nibbleReader(file: EncoderFile, spillFolder: string | undefined): (piece: number) => Uint8Array {
  const rowBytes = file.dimensions / 2;
  if (spillFolder !== undefined) {
    try {
      const rows = SpilledRows.write(spillFolder, file.view('nibbles'), rowBytes);
      return (piece) => rows.row(piece);
    } catch (error) {
      if (!(error instanceof Error && 'syscall' in error)) throw error;
    }
  }
  const nibbles = file.bytes('nibbles');
  return (piece) => nibbles.subarray(piece * rowBytes, (piece + 1) * rowBytes);
}
