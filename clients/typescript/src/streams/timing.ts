/** Where streams get the time and chance from. */
export interface Timing {
  /** Milliseconds since some instant. */
  nowMs(): number;
  /** Calls back once, after this delay; the returned function cancels it. */
  setTimer(callback: () => void, afterMs: number): () => void;
  /** At least 0, less than 1. */
  random(): number;
}

/** Node fires a timer with a longer delay at once. */
const LONGEST_MS = 2 ** 31 - 1;

export const systemTiming: Timing = {
  nowMs: () => performance.now(),
  setTimer(callback, afterMs) {
    const timer = setTimeout(callback, Math.min(afterMs, LONGEST_MS));
    return () => clearTimeout(timer);
  },
  random: () => Math.random(),
};

/** Resolves after this long, or as soon as the signal is aborted. */
export function sleep(timing: Timing, ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted || ms <= 0) {
      resolve();
      return;
    }
    const wake = () => {
      cancel();
      signal?.removeEventListener('abort', wake);
      resolve();
    };
    const cancel = timing.setTimer(wake, ms);
    signal?.addEventListener('abort', wake, { once: true });
  });
}
