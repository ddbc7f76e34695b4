import type { NamespaceColumns } from '../namespace-columns.ts';
import type { LaneScores } from './lane-scores.ts';

const KEPT = 3;

/** The best three scores of each session in one lane. One instance serves one lane of one thread: it keeps its room. */
export class SessionTops {
  /** By session, in falling order. Sessions are numbered from 0 and never more than sequences. */
  private tops = new Float32Array(0);

  read(lane: Pick<LaneScores, 'of' | 'found'>, columns: NamespaceColumns): void {
    const { found } = lane;
    if (this.tops.length < columns.end * KEPT) this.tops = new Float32Array(Math.ceil(columns.end * KEPT * 1.25));
    else this.tops.fill(0);
    const { tops } = this;
    for (let i = 0; i < found.length; i++) {
      const sequence = found[i] as number;
      const first = columns.sessionOf(sequence) * KEPT;
      if (first < 0) continue;
      const score = lane.of(sequence);
      let at = first + KEPT;
      while (at > first && score > (tops[at - 1] as number)) {
        if (at < first + KEPT) tops[at] = tops[at - 1] as number;
        at--;
      }
      if (at < first + KEPT) tops[at] = score;
    }
  }

  /** Mean of the best three; a session that has fewer is short of the others' scores. 0 without a session. */
  mean(session: number): number {
    if (session < 0) return 0;
    const at = session * KEPT;
    return ((this.tops[at] ?? 0) + (this.tops[at + 1] ?? 0) + (this.tops[at + 2] ?? 0)) / KEPT;
  }
}
