import { MnemeError } from '../../memory/errors.ts';
import type { RecallAnswer } from './recall-request.ts';

type Search = (signal: AbortSignal) => Promise<RecallAnswer>;

export interface SearchArms {
  /** Searches every tier. */
  readonly all: Search;
  /** Searches what does not wait for the store of the upper tiers. */
  readonly below?: Search;
  readonly signal: AbortSignal;
  /** Longest wait for `all`, where there is `below`. */
  readonly timeoutMs?: number;
}

export interface ArmOutcome {
  readonly arm: 'all' | 'below';
  /** `all` has failed, and `below` has not. */
  readonly outcome: RecallAnswer | MnemeError;
}

/**
 * Both searches at once, each told as it ends; once `all` has given its answer nothing more is waited for. Fails when
 * neither of them gives one, as `all` has failed.
 */
export async function* inArms({ all, below, signal, timeoutMs }: SearchArms): AsyncGenerator<ArmOutcome> {
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  let timer: NodeJS.Timeout | undefined;
  try {
    const whole = settled('all', all(either));
    if (!below) {
      const { outcome } = await whole;
      if (outcome instanceof Error) throw outcome;
      yield { arm: 'all', outcome };
      return;
    }
    const partial = settled('below', below(either));
    const late = new Promise<Settled>((resolve) => {
      const end = () => resolve({ arm: 'all', outcome: reasonOf(signal) });
      signal.addEventListener('abort', end, { once: true });
      if (signal.aborted) end();
      if (timeoutMs !== undefined)
        timer = setTimeout(() => resolve({ arm: 'all', outcome: tooLate(timeoutMs) }), timeoutMs);
    });
    const answered = Promise.race([whole, late]);
    const first = await Promise.race([answered, partial]);
    if (first.arm === 'below' && !(first.outcome instanceof Error)) yield { arm: 'below', outcome: first.outcome };
    const { outcome } = await answered;
    if (signal.aborted) throw reasonOf(signal);
    if (!(outcome instanceof Error)) {
      yield { arm: 'all', outcome };
      return;
    }
    const rest = first.arm === 'below' ? first : await partial;
    if (rest.outcome instanceof Error || !(outcome instanceof MnemeError)) throw outcome;
    yield { arm: 'all', outcome };
    if (first.arm !== 'below') yield { arm: 'below', outcome: rest.outcome };
  } finally {
    clearTimeout(timer);
    stop.abort();
  }
}

interface Settled {
  readonly arm: 'all' | 'below';
  readonly outcome: RecallAnswer | Error;
}

function settled(arm: Settled['arm'], search: Promise<RecallAnswer>): Promise<Settled> {
  return search.then(
    (outcome) => ({ arm, outcome }),
    (error: unknown) => ({ arm, outcome: error instanceof Error ? error : new Error(String(error)) }),
  );
}

function tooLate(timeoutMs: number): MnemeError {
  return new MnemeError('DEADLINE_EXCEEDED', `the tier did not answer within ${timeoutMs} ms`);
}

function reasonOf({ reason }: AbortSignal): Error {
  return reason instanceof Error ? reason : new MnemeError('CANCELLED', 'the call was cancelled');
}
