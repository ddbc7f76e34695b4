import type { Micros } from '../../memory/memory.ts';
import type { ScoredHit } from '../../recall/recall-engine.ts';
import type { RecallAnswer, RecallHit } from '../recall/recall-request.ts';
import type { RecallEvent } from './subscribe-request.ts';

/** What scores drift by as time passes is not worth telling. */
const SCORE_STEP = 0.001;

interface Told {
  readonly place: number;
  readonly score: number;
  readonly revision: number;
  /** Names its neighbours and their revisions; empty where there are none. */
  readonly around: string;
  readonly eventAtUs: Micros;
  readonly expiresAtUs: Micros | undefined;
  readonly validUntilUs: Micros | undefined;
}

/** Hits of an answer of which there is nothing to tell, by their places. They were not read. */
export type KeptHits = ReadonlyMap<number, string>;

export const NONE_KEPT: KeptHits = new Map();

/** The answer to a standing query as its reader has been told. */
export class AnswerState {
  private readonly told = new Map<string, Told>();

  ids(): readonly string[] {
    return [...this.told.keys()];
  }

  /** When what has been told of happened, expires and ends to be valid. */
  times(): Iterable<Pick<Told, 'eventAtUs' | 'expiresAtUs' | 'validUntilUs'>> {
    return this.told.values();
  }

  /** Whether there is nothing to tell of a hit without neighbours at a place, from 1. */
  knows({ id, score, revision }: ScoredHit, place: number): boolean {
    const told = this.told.get(id);
    return told !== undefined && !isOther(told, { place, score, revision, around: '' });
  }

  /** Events that lead from what has been told to this answer, which then counts as told. What is kept is in it, too. */
  eventsTo({ hits }: Pick<RecallAnswer, 'hits'>, kept = NONE_KEPT): RecallEvent[] {
    const present = new Set(kept.values());
    for (const { memory } of hits) present.add(memory.id);
    const events: RecallEvent[] = [];
    for (const id of this.told.keys()) {
      if (present.has(id)) continue;
      events.push({ kind: 'leave', id });
      this.told.delete(id);
    }
    let place = 0;
    for (const hit of hits) {
      do place++;
      while (kept.has(place));
      const { id } = hit.memory;
      const before = this.told.get(id);
      const told = toldOf(hit, place);
      // A drift that is not told goes on from what was told.
      if (before && !isOther(before, told)) continue;
      events.push({ kind: before ? 'update' : 'enter', id, hit, place });
      this.told.set(id, told);
    }
    return events;
  }
}

type Compared = Pick<Told, 'place' | 'score' | 'revision' | 'around'>;

function isOther(before: Told, now: Compared): boolean {
  const isMoved = before.place !== now.place || Math.abs(before.score - now.score) > SCORE_STEP;
  return isMoved || before.revision !== now.revision || before.around !== now.around;
}

function toldOf({ memory, score, before, after }: RecallHit, place: number): Told {
  const { revision, eventAtUs, expiresAtUs, validUntilUs } = memory;
  const around = [...before, ...after].map((neighbor) => `${neighbor.id}@${neighbor.revision}`).join();
  return { place, score, revision, around, eventAtUs, expiresAtUs, validUntilUs };
}
