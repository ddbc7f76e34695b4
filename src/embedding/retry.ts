import { setTimeout } from 'node:timers/promises';

/** A failure that may pass by itself. */
export class PassingFailure extends Error {
  override readonly name = 'PassingFailure';
  /** How long the other side asks to be left alone. */
  readonly retryAfterMs: number;

  constructor(message: string, retryAfterMs = 0) {
    super(message);
    this.retryAfterMs = retryAfterMs;
  }
}

export interface RetryOptions {
  /** Attempts in all, the first included. */
  readonly attemptsMax: number;
  readonly backOffFirstMs: number;
  readonly backOffMaxMs: number;
  /** Whoever asks to be left alone for longer is not tried again. */
  readonly retryAfterMaxMs: number;
  /** At least 0, below 1. */
  readonly random: () => number;
  /** Resolves after the time; rejects with the signal's reason as soon as it is aborted. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Repeats an attempt while it fails with `PassingFailure`, after waits that double, less up to a half by chance. */
export async function withRetries<T>(
  attempt: () => Promise<T>,
  { attemptsMax, backOffFirstMs, backOffMaxMs, retryAfterMaxMs, random, wait }: RetryOptions,
  signal: AbortSignal,
): Promise<T> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await attempt();
    } catch (error) {
      const isWorthwhile = error instanceof PassingFailure && error.retryAfterMs <= retryAfterMaxMs;
      if (!isWorthwhile || attempts >= attemptsMax) throw error;
      const backOffMs = Math.min(backOffFirstMs * 2 ** (attempts - 1), backOffMaxMs);
      await wait(Math.max(backOffMs * (1 - random() / 2), error.retryAfterMs), signal);
    }
  }
}

/** Waits in real time. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal }).catch(() => signal.throwIfAborted());
}
