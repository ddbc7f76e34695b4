/** Time that passes; tests let it pass by themselves. */
export interface Timers {
  /** Monotonic. */
  nowMs(): number;
  /** Calls back after the time, unless the returned function is called first. Does not keep the process alive. */
  set(callback: () => void, afterMs: number): () => void;
}

export const systemTimers: Timers = {
  nowMs: () => performance.now(),
  set(callback, afterMs) {
    const timer = setTimeout(callback, afterMs).unref();
    return () => clearTimeout(timer);
  },
};
