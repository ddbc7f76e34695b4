import { setTimeout as delay } from 'node:timers/promises';
import { MnemeError } from '../../../clients/typescript/src/index.ts';

const ATTEMPTS_MAX = 5;
const PAUSE_MS = 1000;

/** Repeats what a server on a busy machine had no time for; `work` may be done twice. */
export async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt === ATTEMPTS_MAX || !isBusy(error)) throw error;
      await delay(PAUSE_MS);
    }
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof MnemeError && (error.code === 'DEADLINE_EXCEEDED' || error.reason === 'OVERLOADED');
}
