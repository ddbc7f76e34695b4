import type { NamespaceColumns } from '../recall/namespace-columns.ts';

/** Scores of one lane by sequence, with the statistics to compare them: 0 means "not found". */
export interface LaneScores {
  readonly values: Float32Array | Float64Array;
  /** Sequences whose score is not 0. */
  readonly found: Uint32Array;
  readonly best: number;
  /** Over all memories of the namespace, including those not found. */
  readonly mean: number;
  readonly deviation: number;
}

/** `size` is the number of memories of the namespace. */
export function laneOf(values: Float32Array | Float64Array, found: Uint32Array, size: number): LaneScores {
  let [best, sum, squares] = [0, 0, 0];
  for (let i = 0; i < found.length; i++) {
    const score = values[found[i] as number] as number;
    if (score > best) best = score;
    sum += score;
    squares += score * score;
  }
  const mean = size > 0 ? sum / size : 0;
  const variance = size > 0 ? Math.max(0, squares / size - mean * mean) : 0;
  return { values, found, best, mean, deviation: Math.sqrt(variance) };
}

/**
 * The sequences of the best scores, best first; equal scores by sequence. `among` has all that may be allowed, where they
 * are few.
 */
export function bestOf(
  { values, found }: Pick<LaneScores, 'values' | 'found'>,
  count: number,
  isAllowed?: (sequence: number) => boolean,
  among?: ArrayLike<number>,
): number[] {
  const best = new BestKept(count);
  const areFewer = among !== undefined && among.length < found.length;
  const sequences = areFewer ? among : found;
  for (let i = 0; i < sequences.length; i++) {
    const sequence = sequences[i] as number;
    const score = values[sequence] ?? 0;
    if (areFewer && score === 0) continue;
    // Nearly all fall behind here, with one comparison each.
    if (score < best.floor || (isAllowed && !isAllowed(sequence))) continue;
    best.offer(sequence, score);
  }
  return best.take();
}

/** A heap of the best so far, the worst of them on top; no heap while there are fewer than wanted. */
export class BestKept {
  /** Score that a newcomer must reach. */
  floor = Number.NEGATIVE_INFINITY;
  private readonly count: number;
  private readonly sequences: Uint32Array;
  private readonly scores: Float64Array;
  private size = 0;

  constructor(count: number) {
    this.count = count;
    this.sequences = new Uint32Array(count);
    this.scores = new Float64Array(count);
  }

  offer(sequence: number, score: number): void {
    const { sequences, scores, count } = this;
    if (this.size === count) {
      if (count === 0 || (score === this.floor && sequence > (sequences[0] as number))) return;
      this.sink(0, sequence, score);
    } else {
      sequences[this.size] = sequence;
      scores[this.size++] = score;
      if (this.size < count) return;
      this.heapify();
    }
    this.floor = scores[0] as number;
  }

  take(): number[] {
    const { sequences, scores, count } = this;
    const taken = new Array<number>(this.size);
    if (this.size < count) this.heapify();
    while (this.size > 0) {
      const last = --this.size;
      taken[last] = sequences[0] as number;
      this.sink(0, sequences[last] as number, scores[last] as number);
    }
    return taken;
  }

  private heapify(): void {
    const { sequences, scores } = this;
    for (let at = (this.size >> 1) - 1; at >= 0; at--) this.sink(at, sequences[at] as number, scores[at] as number);
  }

  /** Inserts a sequence at a position of the heap, or further down while its children are worse. */
  private sink(place: number, sequence: number, score: number): void {
    const { sequences, scores, size } = this;
    let at = place;
    for (let child = 2 * at + 1; child < size; child = 2 * at + 1) {
      const [left, right] = [scores[child] as number, scores[child + 1] as number];
      if (child + 1 < size && (right < left || (right === left && isLater(sequences, child + 1, child)))) child++;
      const least = scores[child] as number;
      if (least > score || (least === score && (sequences[child] as number) < sequence)) break;
      scores[at] = least;
      sequences[at] = sequences[child] as number;
      at = child;
    }
    scores[at] = score;
    sequences[at] = sequence;
  }
}

function isLater(sequences: Uint32Array, one: number, other: number): boolean {
  return (sequences[one] as number) > (sequences[other] as number);
}

const KEPT = 3;

/**
 * The best three scores of each session in one lane. One instance serves one lane of one thread and reuses its buffers.
 */
export class SessionTops {
  /** By session, in falling order. Sessions are numbered from 0 and never more than sequences. */
  private tops: Float32Array | Float64Array;
  /** Sessions with a score, and how many there are. */
  private scored = new Uint32Array(0);
  private scoredCount = 0;

  /** `exact` keeps scores as they are; otherwise they are rounded to single precision. */
  constructor({ exact = false }: { readonly exact?: boolean } = {}) {
    this.tops = exact ? new Float64Array(0) : new Float32Array(0);
  }

  /** Of every session. */
  read({ values, found }: Pick<LaneScores, 'values' | 'found'>, columns: NamespaceColumns): void {
    this.clear(columns.sessionCount);
    const { sessions } = columns;
    for (let i = 0; i < found.length; i++) {
      const sequence = found[i] as number;
      const session = sessions[sequence] as number;
      if (session >= 0) this.offer(session, values[sequence] as number);
    }
  }

  /**
   * Reads only these sessions, without duplicates: few sessions of a large namespace have a candidate. The other
   * sessions stay unread, or are read as well where these have more memories than there are scores.
   */
  readOnly(
    sessions: Iterable<number>,
    { values, found }: Pick<LaneScores, 'values' | 'found'>,
    columns: NamespaceColumns,
  ): void {
    this.clear(columns.sessionCount);
    const { previous } = columns.chains;
    let left = found.length;
    for (const session of sessions) {
      for (let at = columns.lastOf(session); at >= 0; at = previous[at] as number) {
        if (left-- === 0) {
          this.read({ values, found }, columns);
          return;
        }
        // Scores may be fewer than sequences.
        this.offer(session, values[at] ?? 0);
      }
    }
  }

  /** Sum of the best three; 0 without a session. */
  sum(session: number): number {
    if (session < 0) return 0;
    const at = session * KEPT;
    return (this.tops[at] ?? 0) + (this.tops[at + 1] ?? 0) + (this.tops[at + 2] ?? 0);
  }

  /** Mean of the best three; a session that has fewer is short of the others' scores. 0 without a session. */
  mean(session: number): number {
    return this.sum(session) / KEPT;
  }

  private offer(session: number, score: number): void {
    const { tops } = this;
    const first = session * KEPT;
    if (score <= (tops[first + 2] as number)) return;
    if (tops[first] === 0) this.scored[this.scoredCount++] = session;
    let at = first + KEPT - 1;
    while (at > first && score > (tops[at - 1] as number)) {
      tops[at] = tops[at - 1] as number;
      at--;
    }
    tops[at] = score;
  }

  /** In time that grows with the scores of the last question, not with the namespace. */
  private clear(sessionCount: number): void {
    const { tops, scored } = this;
    for (let i = 0; i < this.scoredCount; i++) {
      const first = (scored[i] as number) * KEPT;
      tops.fill(0, first, first + KEPT);
    }
    this.scoredCount = 0;
    if (scored.length >= sessionCount) return;
    const wider = Math.ceil(sessionCount * 1.25);
    this.tops = tops instanceof Float64Array ? new Float64Array(wider * KEPT) : new Float32Array(wider * KEPT);
    this.scored = new Uint32Array(wider);
  }
}
