import { bestOf, laneOf, SessionTops } from '../ranking/lane-scores.ts';
import type { NamespaceColumns } from './namespace-columns.ts';
import { SequenceScores } from './sequence-scores.ts';

/** The support of a memory by its session, in the unit of the keyword score. */
export interface Surroundings {
  /** BM25 of the memory itself. */
  readonly own: number;
  /** From the memories before and after it in its session. */
  readonly neighbors: number;
  /** Support because its speaker is named in the question. */
  readonly speaker: number;
  /** From its session as a whole. */
  readonly session: number;
}

/**
 * Number of the best memories whose score is propagated to their neighbours; the others change nothing near the top.
 */
const SOURCES_MAX = 400;
/** Shares of a memory's score that go to the next memory, the one before it and the next but one: an answer follows its question. */
const SHARES: readonly (readonly [steps: number, share: number])[] = [
  [1, 0.4],
  [-1, 0.2],
  [2, 0.2],
];
const SPEAKER_BONUS = 3;
/** Share of the mean of the best scores of a session that is added to each of its candidates. */
const SESSION_SHARE = 0.5;
const SESSION_BEST = 3;

interface Asked {
  readonly scores: SequenceScores;
  readonly columns: NamespaceColumns;
  /** Speakers named in the question. */
  readonly named: ReadonlySet<number>;
  /** Scales all of it but the speaker; 0 leaves the scores alone. */
  readonly weight: number;
}

/**
 * The keyword scores with session context. The constants were chosen on the sets named in `docs/decisions/ranking.md`. One
 * instance serves one thread and reuses its buffers.
 */
export class SessionContext {
  /** Of every memory found, including those found only through their neighbours. */
  readonly totals = new SequenceScores();
  private readonly neighbors = new SequenceScores();
  private readonly tops = new SessionTops({ exact: true });
  private asked: Asked | undefined;

  /** The previous result is discarded. */
  read(asked: Asked): void {
    const { scores, columns, named, weight } = asked;
    const { totals, neighbors } = this;
    this.asked = asked;
    totals.clear(columns.end);
    neighbors.clear(columns.end);
    if (weight > 0) this.addNeighbors(asked);
    const isAnybodyNamed = named.size > 0;
    for (const { found } of [scores, neighbors]) {
      for (let i = 0; i < found.length; i++) {
        const sequence = found[i] as number;
        if ((totals.values[sequence] as number) > 0) continue;
        const bonus = isAnybodyNamed && named.has(columns.speakerOf(sequence)) ? SPEAKER_BONUS : 0;
        totals.add(sequence, scores.get(sequence) + neighbors.get(sequence) + bonus);
      }
    }
    if (weight > 0) this.addSessions(columns, weight);
  }

  /** The parts of a memory's total. */
  partsOf(sequence: number): Surroundings {
    if (!this.asked) return { own: 0, neighbors: 0, speaker: 0, session: 0 };
    const { scores, columns, named, weight } = this.asked;
    return {
      own: scores.get(sequence),
      neighbors: this.neighbors.get(sequence),
      speaker: named.has(columns.speakerOf(sequence)) ? SPEAKER_BONUS : 0,
      session: weight > 0 ? this.sessionPart(columns.sessionOf(sequence), weight) : 0,
    };
  }

  private addNeighbors({ scores, columns, weight }: Asked): void {
    const { values } = scores;
    for (const sequence of bestOf(laneOf(values, scores.found, columns.size), SOURCES_MAX)) {
      for (const [steps, share] of SHARES) {
        const neighbor = columns.neighbor(sequence, steps);
        if (neighbor >= 0) this.neighbors.add(neighbor, weight * share * (values[sequence] as number));
      }
    }
  }

  private addSessions(columns: NamespaceColumns, weight: number): void {
    const { values, found } = this.totals;
    this.tops.read({ values, found }, columns);
    for (let i = 0; i < found.length; i++) {
      const sequence = found[i] as number;
      values[sequence] = (values[sequence] as number) + this.sessionPart(columns.sessionOf(sequence), weight);
    }
  }

  private sessionPart(session: number, weight: number): number {
    return (weight * SESSION_SHARE * this.tops.sum(session)) / SESSION_BEST;
  }
}

export function totalOf(parts: Surroundings): number {
  return parts.own + parts.neighbors + parts.speaker + parts.session;
}
