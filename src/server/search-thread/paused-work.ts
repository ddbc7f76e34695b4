import { randomInt } from 'node:crypto';
import { MnemeError } from '../../memory/errors.ts';
import { SEARCH_SLICE_MS, type Steps } from '../../memory/slices.ts';
import type { PausedRequest, PausedWork } from './fair-calls.ts';

/** Work of a thread that was set aside after a slice of time, until it is asked to go on or to forget it. */
export class PausedSteps {
  private readonly steps = new Map<number, Steps<unknown>>();
  private readonly nowMs: () => number;
  private ticket: number;

  /** `firstTicket` is unlike those of a thread before this one, which may still be asked for. */
  constructor(nowMs: () => number = () => performance.now(), firstTicket = randomInt(2 ** 47)) {
    this.nowMs = nowMs;
    this.ticket = firstTicket;
  }

  /** The result, or the ticket of work that is not done after a slice. */
  run(steps: Steps<unknown>): unknown {
    const untilMs = this.nowMs() + SEARCH_SLICE_MS;
    for (let step = steps.next(); ; step = steps.next()) {
      if (step.done) return step.value;
      if (this.nowMs() >= untilMs) break;
    }
    const pausedTicket = this.ticket++;
    this.steps.set(pausedTicket, steps);
    return { pausedTicket } satisfies PausedWork;
  }

  answer({ kind, ticket }: PausedRequest): unknown {
    const steps = this.steps.get(ticket);
    this.steps.delete(ticket);
    if (kind === 'resume') {
      // The thread that had it has ended.
      if (!steps)
        throw new MnemeError('STORAGE_UNAVAILABLE', 'the search was interrupted', { metadata: { backend: 'search' } });
      return this.run(steps);
    }
    steps?.return(undefined);
    return undefined;
  }
}
