import { clipToBytes } from '../derive-text.ts';
import { termsOf } from '../words.ts';

/** Of a longer text only so much is looked at: choosing sentences takes time that grows with the square of the text. */
const READ_BYTES_MAX = 65_536;
/** Between sentences or lines. Stops of CJK end one without a space. */
const BORDERS = /(?<=[.!?])\s+|\s*\n\s*|(?<=[。！？])/u;

interface Piece {
  readonly text: string;
  readonly bytes: number;
  readonly terms: ReadonlySet<string>;
}

/**
 * What a text says in at most `bytesMax` bytes: the text itself when it is short enough, otherwise its first sentence and
 * those that add most words worth searching for, byte for byte, in reading order. A sentence that is too long is cut at
 * a word's end. Of a text of more than 65,536 bytes only the beginning is told of. 0 is no limit.
 */
export function abstractOf(text: string, bytesMax: number): string {
  if (bytesMax === 0 || text.length * 3 <= bytesMax || Buffer.byteLength(text) <= bytesMax) return text;
  const pieces = clipToBytes(text, READ_BYTES_MAX).split(BORDERS).map(pieceOf);
  const first = pieces.findIndex(({ terms }) => terms.size > 0);
  const start = pieces[Math.max(0, first)];
  if (!start) return cut(text, bytesMax);
  if (start.bytes > bytesMax) return cut(start.text.trim(), bytesMax);
  return chosen(pieces, start, bytesMax)
    .map((piece) => piece.text.trim())
    .join(' ');
}

function chosen(pieces: readonly Piece[], start: Piece, bytesMax: number): Piece[] {
  const taken = new Set([start]);
  const told = new Set(start.terms);
  let left = bytesMax - start.bytes;
  for (;;) {
    let best: Piece | undefined;
    let bestGain = 0;
    for (const piece of pieces) {
      if (taken.has(piece) || piece.bytes > left) continue;
      const gain = newTerms(piece, told) / piece.bytes;
      if (gain > bestGain) [best, bestGain] = [piece, gain];
    }
    if (!best) return pieces.filter((piece) => taken.has(piece));
    taken.add(best);
    left -= best.bytes;
    for (const term of best.terms) told.add(term);
  }
}

function newTerms({ terms }: Piece, told: ReadonlySet<string>): number {
  let count = 0;
  for (const term of terms) if (!told.has(term)) count++;
  return count;
}

/** Counts the space that comes before it in the abstract. */
function pieceOf(text: string): Piece {
  const trimmed = text.trim();
  return { text, bytes: Buffer.byteLength(trimmed) + 1, terms: new Set(termsOf(trimmed)) };
}

/** The beginning of a text in at most `bytesMax` bytes, up to the end of a word where there is one in its second half. */
function cut(text: string, bytesMax: number): string {
  const beginning = clipToBytes(text, bytesMax);
  if (beginning.length === text.length || /\s/u.test(text[beginning.length] ?? '')) return beginning.trimEnd();
  const border = beginning.search(/\s+\S*$/u);
  return border > beginning.length / 2 ? beginning.slice(0, border) : beginning;
}
