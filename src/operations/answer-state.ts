import type { RecallAnswer, RecallHit } from './recall-request.ts';
import type { RecallEvent } from './subscribe-request.ts';

/** What scores drift by as time passes is not worth telling. */
const SCORE_STEP = 0.001;

interface Told {
  readonly place: number;
  readonly score: number;
  /** Changes with the memory and with its neighbours. */
  readonly version: string;
}

/** The answer to a standing query as its reader has been told. */
export class AnswerState {
  private readonly told = new Map<string, Told>();

  ids(): readonly string[] {
    return [...this.told.keys()];
  }

  /** Events that lead from what has been told to this answer, which then counts as told. */
  eventsTo({ hits }: RecallAnswer): RecallEvent[] {
    const present = new Set(hits.map(({ memory }) => memory.id));
    const events: RecallEvent[] = [];
    for (const id of this.told.keys()) {
      if (present.has(id)) continue;
      events.push({ kind: 'leave', id });
      this.told.delete(id);
    }
    for (const [at, hit] of hits.entries()) {
      const { id } = hit.memory;
      const place = at + 1;
      const before = this.told.get(id);
      const told = { place, score: hit.score, version: versionOf(hit) };
      // A drift that is not told goes on from what was told.
      if (before && !isOther(before, told)) continue;
      events.push({ kind: before ? 'update' : 'enter', id, hit, place });
      this.told.set(id, told);
    }
    return events;
  }
}

function isOther(before: Told, now: Told): boolean {
  return (
    before.place !== now.place || before.version !== now.version || Math.abs(before.score - now.score) > SCORE_STEP
  );
}

function versionOf({ memory, before, after }: RecallHit): string {
  const around = [...before, ...after].map(({ id, revision }) => `${id}@${revision}`);
  return [memory.revision, ...around].join();
}
