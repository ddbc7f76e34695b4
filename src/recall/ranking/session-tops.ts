import type { NamespaceColumns } from '../namespace-columns.ts';
import type { LaneScores } from './lane-scores.ts';

const KEPT = 3;

/** The best three scores of each session in one lane. One instance serves one lane of one thread: it keeps its room. */
export class SessionTops {
  /** By session, in falling order. Sessions are numbered from 0 and never more than sequences. */
  private tops: Float32Array | Float64Array;

  /** `exact` keeps scores as they are; otherwise they are rounded to single precision. */
  constructor({ exact = false }: { readonly exact?: boolean } = {}) {
    this.tops = exact ? new Float64Array(0) : new Float32Array(0);
  }

  /** Of every session. */
  read({ values, found }: Pick<LaneScores, 'values' | 'found'>, columns: NamespaceColumns): void {
    this.clear(columns.sessionCount * KEPT);
    const { sessions } = columns;
    for (let i = 0; i < found.length; i++) {
      const sequence = found[i] as number;
      const first = (sessions[sequence] as number) * KEPT;
      if (first >= 0) this.offer(first, values[sequence] as number);
    }
  }

  /** Of these sessions alone, each named once: few of a large namespace have a candidate. Nothing is known of the others. */
  readOnly(sessions: Iterable<number>, { values }: Pick<LaneScores, 'values'>, columns: NamespaceColumns): void {
    this.makeRoom(columns.sessionCount * KEPT);
    const { previous } = columns.chains;
    for (const session of sessions) {
      const first = session * KEPT;
      this.tops.fill(0, first, first + KEPT);
      for (let at = columns.lastOf(session); at >= 0; at = previous[at] as number) {
        // Scores may be fewer than sequences.
        this.offer(first, values[at] ?? 0);
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

  private offer(first: number, score: number): void {
    const { tops } = this;
    if (score <= (tops[first + 2] as number)) return;
    let at = first + KEPT - 1;
    while (at > first && score > (tops[at - 1] as number)) {
      tops[at] = tops[at - 1] as number;
      at--;
    }
    tops[at] = score;
  }

  private clear(room: number): void {
    if (!this.makeRoom(room)) this.tops.fill(0, 0, room);
  }

  /** True when that left nothing but zeros. */
  private makeRoom(room: number): boolean {
    if (this.tops.length >= room) return false;
    const wider = Math.ceil(room * 1.25);
    this.tops = this.tops instanceof Float64Array ? new Float64Array(wider) : new Float32Array(wider);
    return true;
  }
}
