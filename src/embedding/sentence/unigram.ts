import type { EncoderFile } from './encoder-file.ts';
import { characterLength, Normalizer } from './normalizer.ts';

const UNKNOWN = 0;
/** Below the worst piece, as SentencePiece has it. */
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

  /** Numbers of the pieces; one unknown piece for a text with nothing in it. */
  encode(text: string): number[] {
    const normalized = this.normalizer.normalize(text);
    return normalized.length === 0 ? [UNKNOWN] : this.cut(normalized);
  }

  private cut(text: Uint8Array): number[] {
    this.makeRoom(text.length + 1);
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

  private makeRoom(length: number): void {
    if (this.best.length >= length) return;
    this.best = new Float64Array(2 * length);
    this.starting = new Uint32Array(2 * length);
    this.piece = new Uint32Array(2 * length);
  }
}
